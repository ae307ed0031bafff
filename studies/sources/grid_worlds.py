"""Learners in two grid worlds, from scratch and with transfer: Gorski & Laird's example.

Gorski & Laird (2009), section 3. The world is a square of cells; every move costs 1, bumping
into the wall included, and any action taken in the goal cell pays its reward and ends the
episode, so that the best return is +1 in both worlds. The agent starts in the upper left
corner and searches for a goal beside the lower right one; with transfer it has first learned
with the goal in that corner.

The paper leaves open how many episodes the source task has, what happens at a wall, how ties
are broken, when the next move is chosen and whether rewards are discounted. `Learner` holds
these choices; its defaults are the plain reading. All trials run in lockstep.

    python studies/sources/grid_worlds.py --trials 200 --seed 1 > grid_worlds.csv
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["WORLDS", "Learner", "World", "learning_curves"]

LEARNING_RATE = 0.5
MOVES = np.array([(-1, 0), (1, 0), (0, -1), (0, 1)])

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class World(NamedTuple):
    """A grid world: side length, reward of the goal, and number of episodes compared."""

    size: int
    reward: float
    n_episodes: int

    @property
    def target(self) -> int:
        """The goal cell: left of the lower right corner."""
        return self.size**2 - 2

    @property
    def source(self) -> int:
        """The goal cell of the source task: the lower right corner."""
        return self.size**2 - 1


WORLDS = {"4x4": World(4, 6.0, 20), "3x3": World(3, 4.0, 10)}


@dataclass(frozen=True)
class Learner:
    """The choices that the paper leaves open about its learner.

    Attributes
    ----------
    n_source_episodes : int
        Number of episodes of the source task.
    bumps : bool
        Whether moves into the wall are possible; they leave the agent in place and cost 1.
    keeps_order : bool
        Whether each trial breaks ties by a fixed random order instead of a new one each time.
    chooses_late : bool
        Whether the next move is chosen again after the update.
    discount : float
        Discount factor of future rewards.
    """

    n_source_episodes: int = 100
    bumps: bool = True
    keeps_order: bool = False
    chooses_late: bool = False
    discount: float = 1.0


PLAIN = Learner()


def learning_curves(
    world: World,
    n_trials: int,
    rng: np.random.Generator,
    *,
    transfer: bool,
    learner: Learner = PLAIN,
) -> Floats:
    """Return the total reward of each episode; (n_trials, n_episodes)."""
    game = _Game(world, n_trials, rng, learner)
    if transfer:
        for _ in range(learner.n_source_episodes):
            game.episode(world.source)
    return np.array([game.episode(world.target) for _ in range(world.n_episodes)]).T


class _Game:
    """All trials of one learner in one world, in lockstep."""

    def __init__(
        self, world: World, n_trials: int, rng: np.random.Generator, learner: Learner
    ) -> None:
        self.world, self.rng, self.learner = world, rng, learner
        self.values = np.zeros((n_trials, world.size**2, 4))
        self.destinations = _moves(world.size)
        self.offered = self.destinations != np.arange(world.size**2)[:, None]
        if learner.keeps_order:
            self.tie_breaks = rng.random((n_trials, 4))

    def episode(self, goal: int) -> Floats:
        """Run one episode of every trial, learning by SARSA; return the total rewards."""
        values = self.values
        returns = np.zeros(len(values))
        active = np.arange(len(values))
        cells = np.zeros(len(values), dtype=np.int64)
        actions = self._greedy(active, cells)
        while len(active):
            at_goal = cells == goal
            rewards = np.where(at_goal, self.world.reward, -1.0)
            returns[active] += rewards
            following = self.destinations[cells, actions]
            chosen = self._greedy(active, following)
            next_values = np.where(at_goal, 0.0, values[active, following, chosen])
            target_values = rewards + self.learner.discount * next_values
            old = values[active, cells, actions]
            values[active, cells, actions] = old + LEARNING_RATE * (target_values - old)
            if self.learner.chooses_late:
                chosen = self._greedy(active, following)
            unfinished = ~at_goal
            active, cells, actions = (active[unfinished], following[unfinished], chosen[unfinished])
        return returns

    def _greedy(self, active: Integers, cells: Integers) -> Integers:
        """Return the best actions; ties are broken at random or by the order of the trial."""
        values = self.values[active, cells]
        if not self.learner.bumps:
            values = np.where(self.offered[cells], values, -np.inf)
        best = values == values.max(axis=1, keepdims=True)
        tie_breaks = (
            self.tie_breaks[active] if self.learner.keeps_order else self.rng.random(values.shape)
        )
        return np.argmax(np.where(best, tie_breaks, -1.0), axis=1)


def _moves(size: int) -> Integers:
    """Return where each action leads from each cell; (n_cells, 4)."""
    rows, columns = np.divmod(np.arange(size**2)[:, None], size)
    rows = np.clip(rows + MOVES[:, 0], 0, size - 1)
    columns = np.clip(columns + MOVES[:, 1], 0, size - 1)
    return np.asarray(rows * size + columns)


def _lines(n_trials: int, seed: int) -> Iterator[str]:
    yield "world,condition,trial,episode,reward"
    streams = np.random.default_rng(seed).spawn(2 * len(WORLDS))
    cases = [(name, transfer) for name in WORLDS for transfer in (False, True)]
    for (name, transfer), stream in zip(cases, streams, strict=True):
        condition = "transfer" if transfer else "scratch"
        curves = learning_curves(WORLDS[name], n_trials, stream, transfer=transfer)
        for trial, curve in enumerate(curves):
            for episode, reward in enumerate(curve, start=1):
                yield f"{name},{condition},{trial},{episode},{reward:g}"


def main() -> None:
    """Print the curves as CSV."""
    parser = argparse.ArgumentParser(description="Learners in two grid worlds, as CSV.")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for line in _lines(arguments.trials, arguments.seed):
        print(line)


if __name__ == "__main__":
    main()

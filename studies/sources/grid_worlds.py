"""Learners in two grid worlds, from scratch and with transfer: Gorski & Laird's example.

Gorski & Laird (2009), section 3. The world is a square of cells; every move costs 1, bumping
into the wall included, and any action taken in the goal cell pays its reward and ends the
episode, so that the best return is +1 in both worlds. The agent starts in the upper left
corner and looks for a goal beside the lower right one; with transfer it first learned with
the goal in that corner.

The paper leaves open how many episodes the source task had, what happens at a wall and how
ties are broken; here they are 100, staying put, and at random. All trials run in lockstep.

    python studies/sources/grid_worlds.py --trials 200 --seed 1 > grid_worlds.csv
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["WORLDS", "World", "learning_curves"]

LEARNING_RATE = 0.5
N_SOURCE_EPISODES = 100
MOVES = np.array([(-1, 0), (1, 0), (0, -1), (0, 1)])

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class World(NamedTuple):
    """A grid world: its size, what the goal pays, and how many episodes are compared."""

    size: int
    reward: float
    n_episodes: int

    @property
    def target(self) -> int:
        """The goal: the cell to the left of the lower right corner."""
        return self.size**2 - 2

    @property
    def source(self) -> int:
        """The goal that is learned first: the lower right corner."""
        return self.size**2 - 1


WORLDS = {"4x4": World(4, 6.0, 20), "3x3": World(3, 4.0, 10)}


def learning_curves(
    world: World, n_trials: int, rng: np.random.Generator, *, transfer: bool
) -> Floats:
    """Return the reward of every episode of every trial; (n_trials, n_episodes)."""
    values = np.zeros((n_trials, world.size**2, 4))
    if transfer:
        for _ in range(N_SOURCE_EPISODES):
            _episode(values, world, world.source, rng)
    episodes = [
        _episode(values, world, world.target, rng) for _ in range(world.n_episodes)
    ]
    return np.array(episodes).T


def _episode(values: Floats, world: World, goal: int, rng: np.random.Generator) -> Floats:
    """Play one episode on every board by SARSA; return the rewards, and learn in place."""
    n_trials = len(values)
    returns = np.zeros(n_trials)
    active = np.arange(n_trials)
    cells = np.zeros(n_trials, dtype=np.int64)
    actions = _greedy(values[active, cells], rng)
    while len(active):
        at_goal = cells == goal
        rewards = np.where(at_goal, world.reward, -1.0)
        returns[active] += rewards
        following = _moved(cells, actions, world.size)
        chosen = _greedy(values[active, following], rng)
        ahead = np.where(at_goal, 0.0, values[active, following, chosen])
        old = values[active, cells, actions]
        values[active, cells, actions] = old + LEARNING_RATE * (rewards + ahead - old)
        going = ~at_goal
        active, cells, actions = active[going], following[going], chosen[going]
    return returns


def _greedy(values: Floats, rng: np.random.Generator) -> Integers:
    """Choose the best action, one of several at random."""
    best = values == values.max(axis=1, keepdims=True)
    return np.argmax(np.where(best, rng.random(values.shape), -1.0), axis=1)


def _moved(cells: Integers, actions: Integers, size: int) -> Integers:
    rows, columns = np.divmod(cells, size)
    rows = np.clip(rows + MOVES[actions, 0], 0, size - 1)
    columns = np.clip(columns + MOVES[actions, 1], 0, size - 1)
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
    """Print the curves as a table."""
    parser = argparse.ArgumentParser(description="Learners in two grid worlds, as CSV.")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for line in _lines(arguments.trials, arguments.seed):
        print(line)


if __name__ == "__main__":
    main()

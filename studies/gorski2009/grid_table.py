"""Table 1 of Gorski & Laird (2009) under several readings of their section 3.

The text leaves open how long the source task is learned, what a move into the wall does, how
ties are broken, when the next move is chosen, how many episodes are compared, what is added
for the transfer ratio and between which scores the box of transfer regret lies. The learner
here is that of `studies.sources.grid_worlds` with these choices open; for the plain reading
the two play alike, move by move, and `tests/studies/test_gorski2009.py` holds them to it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.sources.grid_worlds import WORLDS
from studies.store import kept

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studies.sources.grid_worlds import World

__all__ = [
    "LEARNERS",
    "METRICS",
    "PUBLISHED",
    "RISES",
    "WINDOWS",
    "Learner",
    "Means",
    "Reading",
    "learning_curves",
    "mean_curves",
    "measured",
    "measured_readings",
    "one_rule",
    "reduction",
    "two_conditions",
    "values",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Row = dict[str, float]

METRICS = {
    "transfer_ratio": "transfer ratio",
    "transfer_regret": "transfer regret",
    "calibrated_transfer_ratio": "CTR",
    "average_relative_reduction": "ARR",
}
PUBLISHED: dict[str, Row] = {
    "4x4": dict(zip(METRICS, (1.2172, 0.1739, 0.8278, 0.6339), strict=True)),
    "3x3": dict(zip(METRICS, (1.4205, 0.2739, 0.7856, 0.6236), strict=True)),
}
RISES = dict(zip(METRICS, (True, True, False, False), strict=True))  # from 4x4 to 3x3
OPTIMUM = 1.0
LEARNING_RATE = 0.5
LONGEST = 40  # episodes of the longest window
N_BATCHES = 20
MOVES = np.array([(-1, 0), (1, 0), (0, -1), (0, 1)])
# Episodes compared in the 4x4 and in the 3x3 world; a share is where both mean curves
# stay within it of their end.
WINDOWS: tuple[tuple[int, int] | float, ...] = (
    (15, 8),
    (16, 9),
    (30, 15),
    (40, 20),
    0.05,
    0.01,
    (10, 10),
    (20, 20),
    (40, 40),
)


@dataclass(frozen=True)
class Learner:
    """How the text's learner is read where the text is open."""

    name: str
    n_source: int = 100
    bumps: bool = True
    order: bool = False
    late: bool = False
    discount: float = 1.0


LEARNERS = (
    Learner("plain"),
    Learner("10 source episodes", n_source=10),
    Learner("30 source episodes", n_source=30),
    Learner("300 source episodes", n_source=300),
    Learner("moves into the wall not offered", bumps=False),
    Learner("ties by an order that each trial keeps", order=True),
    Learner("next move chosen after the update", late=True),
    Learner("discount .9", discount=0.9),
)


@dataclass(frozen=True, eq=False)
class Means:
    """Mean curves of equal batches of trials, (n_batches, n_episodes), and the worst reward."""

    control: Floats
    transfer: Floats
    worst: float


class Reading(NamedTuple):
    """A reading of section 3 and the four metrics it gives in each world."""

    kind: str
    name: str
    rows: dict[str, Row]

    def keeps(self, metric: str) -> bool:
        """Whether the metric moves between the worlds as published."""
        change = self.rows["3x3"][metric] - self.rows["4x4"][metric]
        return change > 0 if RISES[metric] else change < 0

    def rule(self, world: str) -> float:
        """Return b of a row; see `one_rule`."""
        return one_rule(self.rows[world])


def one_rule(row: Mapping[str, float]) -> float:
    """Return b = R (1/CTR + 1/(TR − 1)): how high the optimum is in the box of regret.

    With D the area between the curves, R = D / (box · T), CTR = D / (p_opt T − ∫C) and
    TR − 1 = D / (∫C + shift · T); so b = (p_opt + shift) / box, whatever the curves.
    """
    ratio, regret, calibrated = (row[name] for name in list(METRICS)[:3])
    return regret * (1 / calibrated + 1 / (ratio - 1))


def mean_curves(
    learner: Learner, *, n_trials: int, seed: int, quick: bool
) -> dict[str, Means]:
    """Return the means of a learner in both worlds, from the store if they are there.

    Only the plain learner, the first, plays on for the longer windows.
    """
    place = LEARNERS.index(learner)
    key = {**vars(learner), "n_trials": n_trials, "seed": seed, "place": place}
    lengths = {
        name: LONGEST if place == 0 else world.n_episodes
        for name, world in WORLDS.items()
    }
    key |= {"n_episodes": lengths, "n_batches": N_BATCHES}

    def compute() -> dict[str, dict[str, object]]:
        streams = np.random.default_rng((seed, place)).spawn(2 * len(WORLDS))
        out: dict[str, dict[str, object]] = {}
        for number, (name, world) in enumerate(WORLDS.items()):
            longer = world._replace(n_episodes=lengths[name])
            both = [
                learning_curves(learner, longer, n_trials, stream, transfer=transfer)
                for transfer, stream in zip(
                    (False, True), streams[2 * number : 2 * number + 2], strict=True
                )
            ]
            batches = [
                each.reshape(N_BATCHES, -1, lengths[name]).mean(axis=1) for each in both
            ]
            # The worst reward within the plain window.
            worst = min(float(each[:, : world.n_episodes].min()) for each in both)
            out[name] = {"control": batches[0], "transfer": batches[1], "worst": worst}
        return out

    size = "quick" if quick else "full"
    record = kept(f"gorski2009-{place}-{size}", key, compute)
    return {
        name: Means(np.array(each["control"]), np.array(each["transfer"]), each["worst"])
        for name, each in record.items()
    }


def two_conditions(control: Floats, transfer: Floats) -> cw.Curves:
    """Return curves of the two conditions, episodes counted from 1."""
    runs = {"control": np.atleast_2d(control), "transfer": np.atleast_2d(transfer)}
    return cw.Curves.from_dict(runs, steps=range(1, runs["control"].shape[1] + 1))


def measured(
    control: Floats,
    transfer: Floats,
    *,
    optimum: float = OPTIMUM,
    until_asymptote: float | None = None,
) -> cw.Transfer:
    """Measure a pair of mean curves."""
    return cw.transfer(
        two_conditions(control, transfer),
        control="control",
        experimental="transfer",
        optimum=optimum,
        until_asymptote=until_asymptote,
        n_resamples=99,
        rng=0,
    )


def values(found: cw.Transfer) -> Row:
    """Return the four metrics; NaN where one is undefined."""
    told = {metric: found.metrics[metric].value for metric in METRICS}
    return {metric: np.nan if each is None else each for metric, each in told.items()}


def measured_readings(means: Mapping[str, dict[str, Means]]) -> tuple[Reading, ...]:
    """Return every reading tried, the plain one first; ``means`` by name of the learner."""
    learners = [
        Reading("learner", name, _rows(each, (20, 10))) for name, each in means.items()
    ]
    plain = means["plain"]
    windows = [Reading("window", _told(each), _rows(plain, each)) for each in WINDOWS]
    # Chosen with the published rows in view: it comes near the first.
    ordered = means["ties by an order that each trial keeps"]
    both = Reading(
        "learner and window",
        "ties by an order that each trial keeps, 13 and 7 episodes",
        _rows(ordered, (13, 7)),
    )
    return (*learners, *windows, both, *_scales(plain))


def _told(window: tuple[int, int] | float) -> str:
    if isinstance(window, tuple):
        return f"{window[0]} and {window[1]} episodes"
    return f"until both stay within {window:.0%} of their end"


def _rows(means: Mapping[str, Means], window: tuple[int, int] | float) -> dict[str, Row]:
    rows = {}
    for place, (name, each) in enumerate(means.items()):
        stop = window[place] if isinstance(window, tuple) else LONGEST
        share = None if isinstance(window, tuple) else window
        control, transfer = (
            curves[:, :stop].mean(axis=0) for curves in (each.control, each.transfer)
        )
        found = measured(control, transfer, until_asymptote=share)
        rows[name] = values(found)
    return rows


def _scales(means: Mapping[str, Means]) -> list[Reading]:
    """Return the readings of shift, box and counting, which change one metric each."""
    plain = _rows(means, (20, 10))
    curves = {
        name: [
            each[:, : WORLDS[name].n_episodes].mean(axis=0)
            for each in (both.control, both.transfer)
        ]
        for name, both in means.items()
    }
    lowest = {name: min(float(each.min()) for each in curves[name]) for name in curves}
    shifts = {
        "the lowest mean becomes 1, not 0": {name: 1 - lowest[name] for name in curves},
        "the worst single reward becomes 0": {
            name: -means[name].worst for name in curves
        },
        "the same is added in both worlds": dict.fromkeys(curves, -min(lowest.values())),
    }
    found = []
    for told, shift in shifts.items():
        rows = {}
        for name, pair in curves.items():
            lifted = [each + shift[name] for each in pair]
            lifted_row = values(measured(*lifted, optimum=OPTIMUM + shift[name]))
            ratio = lifted_row["transfer_ratio"]
            rows[name] = {**plain[name], "transfer_ratio": ratio}
        found.append(Reading("shift", told, rows))
    boxed, counted = {}, {}
    for name, (control, transfer) in curves.items():
        gain = float(np.mean(transfer - control))
        box = OPTIMUM - means[name].worst
        boxed[name] = {**plain[name], "transfer_regret": gain / box}
        from_0 = reduction(control, transfer, first=0)
        counted[name] = {**plain[name], "average_relative_reduction": from_0}
    found.append(Reading("box", "regret's box holds all single rewards", boxed))
    found.append(Reading("count", "ARR counts trials from 0", counted))
    return found


def reduction(control: Floats, transfer: Floats, *, first: int) -> float:
    """Return the ARR of two mean curves with trials counted from ``first``, 0 or 1."""
    end = float(transfer[-max(1, round(len(transfer) / 10)) :].mean())
    start = float(control[0])
    levels = np.unique([start, end, *control, *transfer])
    levels = levels[(levels >= start) & (levels <= end)]
    total = 0.0
    for low, high in itertools.pairwise(levels):
        by_transfer = first + int(np.argmax(transfer >= high))
        reached = bool((control >= high).any())
        by_control = first + int(np.argmax(control >= high)) if reached else np.inf
        total += (high - low) * (1 - by_transfer / by_control)
    return float(total / (end - start))


def learning_curves(
    learner: Learner,
    world: World,
    n_trials: int,
    rng: np.random.Generator,
    *,
    transfer: bool,
) -> Floats:
    """Return the reward of every episode of every trial; (n_trials, n_episodes)."""
    game = _Game(learner, world, n_trials, rng)
    if transfer:
        for _ in range(learner.n_source):
            game.episode(world.source)
    return np.array([game.episode(world.target) for _ in range(world.n_episodes)]).T


class _Game:
    """All trials of one learner in one world, in lockstep."""

    def __init__(
        self, learner: Learner, world: World, n_trials: int, rng: np.random.Generator
    ) -> None:
        self.learner, self.world, self.rng = learner, world, rng
        n_cells = world.size**2
        self.values = np.zeros((n_trials, n_cells, 4))
        rows, columns = np.divmod(np.arange(n_cells), world.size)
        across = np.clip(rows[:, None] + MOVES[:, 0], 0, world.size - 1)
        along = np.clip(columns[:, None] + MOVES[:, 1], 0, world.size - 1)
        self.leads: Integers = across * world.size + along
        self.offered = np.ones((n_cells, 4), dtype=bool)
        if not learner.bumps:
            self.offered = self.leads != np.arange(n_cells)[:, None]
        self.liking = np.zeros((n_trials, 4))
        if learner.order:
            self.liking = rng.random((n_trials, 4))

    def episode(self, goal: int) -> Floats:
        """Play one episode on every board; return the rewards, and learn in place."""
        values, late = self.values, self.learner.late
        returns = np.zeros(len(values))
        active = np.arange(len(values))
        cells = np.zeros(len(values), dtype=np.int64)
        actions = self._greedy(active, cells)
        while len(active):
            at_goal = cells == goal
            rewards = np.where(at_goal, self.world.reward, -1.0)
            returns[active] += rewards
            following = self.leads[cells, actions]
            chosen = self._greedy(active, following)
            ahead = np.where(at_goal, 0.0, values[active, following, chosen])
            old = values[active, cells, actions]
            aim = rewards + self.learner.discount * ahead
            values[active, cells, actions] = old + LEARNING_RATE * (aim - old)
            if late:
                chosen = self._greedy(active, following)
            going = ~at_goal
            active, cells, actions = active[going], following[going], chosen[going]
        return returns

    def _greedy(self, active: Integers, cells: Integers) -> Integers:
        """Choose the best action that is offered; ties at random or as the trial likes."""
        values = self.values[active, cells]
        if not self.learner.bumps:
            values = np.where(self.offered[cells], values, -np.inf)
        best = values == values.max(axis=1, keepdims=True)
        liking = (
            self.liking[active] if self.learner.order else self.rng.random(values.shape)
        )
        return np.argmax(np.where(best, liking, -1.0), axis=1)

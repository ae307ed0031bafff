"""Data sets: curves of a process, in a design, with a truth that is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.calibration.designs import NAMES
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studies.calibration.designs import Design
    from studies.calibration.processes import Process
    from studies.calibration.truths import Truth

__all__ = ["TOLERANCE", "DataSet", "draw_data_set", "true_effects", "true_means"]

Floats = npt.NDArray[np.float64]

BLOCK_SPREAD = 2.0  # of block effects, in units of the process
N_WINNING_RUNS = 20_000  # of each of two algorithms, to tell how often one wins
TOLERANCE = 1e-9  # below which two planted means are the same


@dataclass(frozen=True)
class DataSet:
    """Simulated curves, and what is true of them.

    Attributes
    ----------
    tasks : mapping from name to Curves
        One table, or several for questions about many.
    truly_different : frozenset of str
        The tasks that have the planted difference; of several, every other one on average, or
        as the truth says.
    amounts : mapping from task to float
        How many times the difference was planted.
    design, process, truth
        What it was drawn from.
    rng : Generator
        Where the shuffles of its tests come from.
    """

    tasks: Mapping[str, cw.Curves]
    truly_different: frozenset[str]
    amounts: Mapping[str, float]
    design: Design
    process: Process
    truth: Truth
    rng: np.random.Generator

    @property
    def curves(self) -> cw.Curves:
        """The first table."""
        return next(iter(self.tasks.values()))

    @property
    def n_algorithms(self) -> int:
        """How many algorithms there are."""
        return len(self.design.sizes)

    @property
    def steps(self) -> Floats:
        """The steps of training."""
        return np.arange(1.0, self.design.n_steps + 1)

    @property
    def effects(self) -> Floats:
        """What was planted in each algorithm at each step, in units of the score."""
        return true_effects(self.process, self.design, self.truth)

    @property
    def heights(self) -> Floats:
        """What was planted in each algorithm, averaged over training."""
        return np.asarray(self.effects.mean(axis=1))

    def differs(self, effect: str, algorithms: tuple[int, ...] | None = None) -> bool:
        """Tell whether algorithms, by default all, truly differ: overall, height or shape."""
        chosen = self.effects if algorithms is None else self.effects[list(algorithms)]
        parts = chosen
        if effect == "algorithm":
            parts = chosen.mean(axis=1, keepdims=True)
        elif effect == "interaction":
            parts = chosen - chosen.mean(axis=1, keepdims=True)
        return bool(np.ptp(parts, axis=0).max() > self.tolerance)

    @property
    def leads(self) -> dict[str, float]:
        """How far the mean of the first algorithm is above that of the last, on each task."""
        lead = float(self.heights[0] - self.heights[-1])
        return {task: amount * lead for task, amount in self.amounts.items()}

    def winning(self, task: str) -> float:
        """Return how often a run of the first algorithm has a higher mean than the last's."""
        process, n_steps = self.process, self.design.n_steps
        return _winning(process, n_steps, len(self.design.sizes), self.leads[task])

    @property
    def differing_steps(self) -> npt.NDArray[np.bool_]:
        """Whether the algorithms truly differ at each step."""
        return np.asarray(np.ptp(self.effects, axis=0) > self.tolerance)

    @property
    def tolerance(self) -> float:
        """What planted means of the same size may differ by, from rounding."""
        return TOLERANCE * self.process.reference(self.design.n_steps).unit


@lru_cache(maxsize=64)
def true_effects(process: Process, design: Design, truth: Truth) -> Floats:
    """Return what was planted in each algorithm at each step, in units of the score."""
    effects = truth.effects(len(design.sizes), design.n_steps)
    return process.reference(design.n_steps).unit * effects


@lru_cache(maxsize=256)
def _winning(process: Process, n_steps: int, n_algorithms: int, lead: float) -> float:
    rng = stream(0, f"calibration: winning of {process.name}", n_steps, n_algorithms)
    codes = np.repeat([0, n_algorithms - 1], N_WINNING_RUNS)
    means = process.draw(rng, codes, n_steps).astype(process.dtype).mean(axis=1)
    ours = means[:N_WINNING_RUNS] + lead
    theirs = np.sort(means[N_WINNING_RUNS:])
    wins, not_lost = (np.searchsorted(theirs, ours, side) for side in ("left", "right"))
    return float(np.mean(wins + not_lost)) / (2 * N_WINNING_RUNS)


def true_means(process: Process, design: Design, truth: Truth) -> Floats:
    """Return the true mean curve of each algorithm: that of the process and the effect."""
    return process.reference(design.n_steps).mean + true_effects(process, design, truth)


def draw_data_set(
    process: Process, design: Design, truth: Truth, rng: np.random.Generator, n_tasks: int = 1
) -> DataSet:
    """Draw one table, or several of which each has the planted difference or not.

    That is by chance, unless the truth says how many times each task has it.
    """
    if n_tasks > 1 and truth.on_tasks:
        planted = np.resize(truth.on_tasks, n_tasks).tolist()
    else:
        planted = [float(n_tasks == 1 or rng.random() < 0.5) for _ in range(n_tasks)]
    amounts = {f"task {i}": amount for i, amount in enumerate(planted)}
    effects = truth.effects(len(design.sizes), design.n_steps)
    alike = np.repeat(effects[:1], len(effects), axis=0)
    tasks = {
        name: _curves(process, design, alike + amount * (effects - alike), rng)
        for name, amount in amounts.items()
    }
    is_difference = bool(np.ptp(effects, axis=0).max() > TOLERANCE)
    different = (name for name, amount in amounts.items() if amount and is_difference)
    return DataSet(tasks, frozenset(different), amounts, design, process, truth, rng)


def _curves(
    process: Process, design: Design, effects: Floats, rng: np.random.Generator
) -> cw.Curves:
    codes, blocks = design.codes, design.block_of_run
    unit = process.reference(design.n_steps).unit
    scores = process.draw(rng, codes, design.n_steps) + unit * effects[codes]
    if blocks is not None:
        # What the runs of a block share: a height and a slope.
        at = np.linspace(-1, 1, design.n_steps)
        heights, slopes = rng.normal(size=(2, len(design.blocks), 1))
        scores += BLOCK_SPREAD * unit * (heights + slopes * at)[blocks]
    return cw.Curves(
        scores.astype(process.dtype),
        [NAMES[code] for code in codes],
        np.arange(1, design.n_steps + 1),
        blocks=blocks,
    )

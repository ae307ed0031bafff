"""Many tasks: who is better on the whole, whether they differ anywhere, and on how many.

Two algorithms, one step, normal runs or runs of which 12 % fail; effects are in standard
deviations of runs. Tasks have scales of their own, which no test depends on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

import curvewise as cw
from studies.store import load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["COUNTED", "KINDS", "TRUTHS", "counted_tasks", "many_tasks_powers", "n_sets_of"]

Floats = npt.NDArray[np.float64]

N_SHUFFLES = 999
KINDS = ("normal", "12% fail")
SHARE_FAILING, DEPTH = 0.12, 4.0  # of failing runs, in standard deviations of the others
SPREAD_OF_SCALES = 0.8
MAX_TASKS_AND_RUNS = 100  # in a data set; of larger ones, fewer have to do


@dataclass(frozen=True)
class Truth:
    """How far the first algorithm is ahead on each task: (generator, tasks, runs) -> leads."""

    name: str
    n_tasks: int
    n_runs: int
    leads: Callable[[np.random.Generator, int, int], Floats]


def same_shift(_: np.random.Generator, n_tasks: int, n_runs: int) -> Floats:
    """Shift all tasks so that a z-test of their mean would find it in 67 % of data sets."""
    return np.full(n_tasks, 2.4 * np.sqrt(2 / (n_tasks * n_runs)))


def one_in_five(_: np.random.Generator, n_tasks: int, __: int) -> Floats:
    """Shift every fifth task."""
    return 1.7 * (np.arange(n_tasks) % 5 == 0)


def opposite(_: np.random.Generator, n_tasks: int, __: int) -> Floats:
    """Shift half of the tasks up, and half down."""
    return np.where(np.arange(n_tasks) % 2 == 0, 1.0, -1.0)


def varied(rng: np.random.Generator, n_tasks: int, _: int) -> Floats:
    """Shift tasks by different amounts, most of them up."""
    return rng.normal(0.25, 0.4, size=n_tasks)


TRUTHS = {
    f"{truth.name}, {truth.n_tasks} × {truth.n_runs}": truth
    for truth in (
        Truth("no difference", 10, 5, lambda _, n_tasks, __: np.zeros(n_tasks)),
        Truth("same shift", 10, 3, same_shift),
        Truth("same shift", 10, 5, same_shift),
        Truth("same shift", 57, 3, same_shift),
        Truth("1 task in 5", 10, 5, one_in_five),
        Truth("half up, half down", 10, 5, opposite),
        Truth("varied, mostly up", 57, 3, varied),
    )
}
# Tasks, runs, how many tasks differ, and by how many standard deviations.
COUNTED = {
    f"{n_tasks} × {n_runs}, {n_different} by {size:g} SD": (n_tasks, n_runs, n_different, size)
    for n_tasks, n_runs, n_different, size in (
        (10, 3, 9, 4.0),
        (10, 4, 9, 4.0),
        (10, 5, 5, 2.0),
        (57, 3, 51, 4.0),
        (57, 3, 28, 2.0),
        (57, 5, 28, 2.0),
        (57, 5, 51, 2.0),
        (57, 5, 0, 0.0),
        (57, 10, 28, 2.0),
    )
}


def n_sets_of(n_sets: int, n_tasks: int, n_runs: int) -> int:
    """Return how many data sets are drawn, in proportion to the work of one.

    >>> n_sets_of(300, 10, 5), n_sets_of(300, 57, 5), n_sets_of(300, 57, 10)
    (150, 52, 5)
    """
    share = 0.5 if n_tasks * n_runs <= MAX_TASKS_AND_RUNS else 10 / n_tasks
    if n_runs >= 10:
        share /= 10  # ninety thousand relabellings of every task are visited
    return max(1, int(share * n_sets))


def many_tasks_powers(n_sets: int, seed: int) -> dict[str, Any]:
    """Return, for each truth and kind of runs, how often each question is answered yes.

    And how often the interval of the probability of winning misses it, and its mean width.
    """
    return {
        name: {
            kind: load_or_compute(
                f"power/tasks {name.replace(' ', '')} {kind}",
                {"seed": seed, "n_sets": n_sets},
                partial(_rates, truth, kind, n_sets, seed),
            )
            for kind in KINDS
        }
        for name, truth in TRUTHS.items()
    }


def _rates(truth: Truth, kind: str, n_sets: int, seed: int) -> dict[str, float]:
    rows = []
    for number in range(n_sets_of(n_sets, truth.n_tasks, truth.n_runs)):
        rng = stream(seed, f"power: tasks {truth.name} {kind}", truth.n_runs, number)
        leads = truth.leads(rng, truth.n_tasks, truth.n_runs)
        found = _found(rng, leads, truth.n_runs, kind)
        low, high = found.on_the_whole.interval
        rows.append(
            [
                found.on_the_whole.significant,
                found.anywhere.significant,
                found.at_least.differ > 0,
                not low <= _chance(leads, kind).mean() <= high,
                high - low,
            ]
        )
    names = ("whole", "anywhere", "counted", "missed", "width")
    return dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True))


def counted_tasks(n_sets: int, seed: int) -> dict[str, Any]:
    """Return, for each design, how many tasks are named, and how many are counted at least."""
    return {
        name: load_or_compute(
            f"power/counted {name.replace(' ', '')}",
            {"seed": seed, "n_sets": n_sets},
            partial(_counts, design, n_sets, seed),
        )
        for name, design in COUNTED.items()
    }


def _counts(design: tuple[int, int, int, float], n_sets: int, seed: int) -> dict[str, float]:
    n_tasks, n_runs, n_different, size = design
    rows = []
    for number in range(n_sets_of(n_sets, n_tasks, n_runs)):
        rng = stream(seed, "power: counted tasks", *design[:3], number)
        leads = np.where(np.arange(n_tasks) < n_different, size, 0.0)
        found = _found(rng, leads, n_runs, "normal")
        named = [int(name) for name in found.different]
        n_false = sum(place >= n_different for place in named)
        pvalues = sorted(own.pvalue for own in found.per_task.values())
        # Holm stops at the first p that is too large for the number of tasks that are left.
        too_large = (n for n, p in enumerate(pvalues) if p * (n_tasks - n) > found.alpha)
        counts = found.at_least
        rows.append(
            [
                next(too_large, n_tasks),
                len(named),
                n_false / max(len(named), 1),
                counts.differ,
                counts.differ > n_different,
                counts.a_better,
                counts.a_better > n_different or counts.b_better > 0,
            ]
        )
    names = ("holm", "bh", "false", "differ", "too many", "better", "better too many")
    return dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True))


def _found(rng: np.random.Generator, leads: Floats, n_runs: int, kind: str) -> cw.TaskComparison:
    """Draw the runs of two algorithms on every task, and ask."""
    labels = np.repeat(["A", "B"], n_runs)
    runs = rng.normal(size=(len(leads), 2 * n_runs))
    if kind != "normal":
        runs -= DEPTH * (rng.random(runs.shape) < SHARE_FAILING)
    runs += _spread(kind) * leads[:, None] * (labels == "A")
    runs *= np.exp(SPREAD_OF_SCALES * rng.normal(size=(len(leads), 1)))
    tasks = {str(n): cw.Curves(own[:, None], labels) for n, own in enumerate(runs)}
    return cw.compare_tasks(tasks, a="A", b="B", n_shuffles=N_SHUFFLES, rng=rng)


def _spread(kind: str) -> float:
    """Return the standard deviation of runs."""
    failing = 0.0 if kind == "normal" else SHARE_FAILING
    return float(np.sqrt(1 + DEPTH**2 * failing * (1 - failing)))


def _chance(leads: Floats, kind: str) -> Floats:
    """Return how often a run of the first algorithm wins, on each task."""
    failing = 0.0 if kind == "normal" else SHARE_FAILING
    total = np.zeros(len(leads))
    for ours in (0, 1):
        for theirs in (0, 1):
            weight = np.prod([failing if f else 1 - failing for f in (ours, theirs)])
            apart = _spread(kind) * leads - DEPTH * (ours - theirs)
            total += weight * norm.cdf(apart / np.sqrt(2))
    return total

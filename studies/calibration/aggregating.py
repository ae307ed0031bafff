"""What is claimed by `aggregate`, and beside it what a percentile bootstrap would claim.

Tasks have heights and scales of their own, which are the same in all data sets. What is true of
an aggregate is found from many runs of the process; the tables say how often intervals and bands
of the first algorithm miss it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.calibration.claims import ALPHA, NEAR, Claim, Question
from studies.calibration.processes import PROCESSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.calibration.data_sets import DataSet

__all__ = ["QUESTIONS"]

Floats = npt.NDArray[np.float64]

PAGE = "method.md"
N_MULTIPLIERS = 499
N_BOOTSTRAP = 499
N_TRUE_RUNS = 4_000
FEW_RUNS = 3  # of every other task, where numbers of runs differ
# What is promised where runs are skewed, for bands of means of such runs, and for an IQM of few
# tasks; and for what others do.
SKEWED, BANDS, FEW_TASKS, NOTHING = 0.13, 0.35, 0.16, 1.0
MIN_TASKS = 10  # for an IQM


@dataclass(frozen=True)
class Found:
    """What was found of the first algorithm, and of its difference to the second."""

    iqm: cw.Aggregate
    mean: cw.Aggregate
    gap: cw.Aggregate
    by_data: cw.Aggregate
    curve: cw.Aggregate
    mean_curve: cw.Aggregate
    profile: cw.Profiles
    percentile: dict[str, tuple[float, float]]
    truth: Truth


@dataclass(frozen=True)
class Truth:
    """Many runs of every task: (n_tasks, n_runs) numbers, and aggregates of each step."""

    numbers: Floats
    iqm_curve: Floats
    mean_curve: Floats

    @property
    def gamma(self) -> float:
        """The score below which gaps count: half of the runs have one."""
        return float(np.median(self.numbers))


def _places(n_tasks: int) -> tuple[Floats, Floats]:
    """Return height and scale of each task; the two do not go together."""
    from scipy.special import ndtri

    normal = ndtri((np.arange(n_tasks) + 0.5) / n_tasks)
    # 7 has no divisor in common with the numbers of tasks.
    return 2 * normal, np.exp(0.5 * normal[(7 * np.arange(n_tasks)) % n_tasks])


def _trimmed(values: Floats) -> Floats:
    """Return the mean of the middle half along the first axis."""
    cut = len(values) // 4
    middle = np.partition(values, (cut, len(values) - cut), axis=0)[cut : len(values) - cut]
    return np.asarray(middle.mean(axis=0))


@lru_cache(maxsize=8)
def _truth(process: str, n_steps: int, n_tasks: int) -> Truth:
    rng = np.random.default_rng(20_211)
    own = PROCESSES[process]
    heights, scales = _places(n_tasks)
    unit = own.reference(n_steps).unit
    alike = np.zeros(N_TRUE_RUNS, dtype=np.int64)
    # Runs of their own for each task, so that what is true is known well of many tasks, too.
    runs = np.array(
        [
            unit * height + scale * own.draw(rng, alike, n_steps)
            for height, scale in zip(heights, scales, strict=True)
        ]
    )
    return Truth(
        runs.mean(axis=2),
        np.array([float(_trimmed(runs[:, :, step].ravel())) for step in range(n_steps)]),
        runs.mean(axis=(0, 1)),
    )


def _ask(*, unequal: bool) -> Callable[[DataSet], Found]:
    def ask(data: DataSet) -> Found:
        heights, scales = _places(len(data.tasks))
        unit = data.process.reference(data.design.n_steps).unit
        tasks = {}
        for place, (task, own) in enumerate(data.tasks.items()):
            kept = np.ones(own.n_runs, dtype=np.bool_)
            if unequal and place % 2:
                kept = np.array([int(run) < FEW_RUNS for run in own.runs])
            scores = unit * heights[place] + scales[place] * own.scores[kept]
            tasks[task] = cw.Curves(scores, own.labels[kept], own.steps)
        truth = _truth(data.process.name, data.design.n_steps, len(tasks))
        raw: dict[str, Any] = {"reference": "raw", "confidence": 1 - ALPHA}
        curves: dict[str, Any] = {**raw, "on": "every step", "n_multipliers": N_MULTIPLIERS}
        curves["rng"] = int(data.rng.integers(2**31))
        iqm = cw.aggregate(tasks, statistic="iqm", **{**curves, "on": "mean"})
        return Found(
            iqm=iqm,
            mean=cw.aggregate(tasks, statistic="mean", **raw),
            gap=cw.aggregate(tasks, statistic="gap", gamma=truth.gamma, **raw),
            by_data=cw.aggregate(tasks, statistic="iqm"),
            curve=cw.aggregate(tasks, statistic="iqm", **curves),
            mean_curve=cw.aggregate(tasks, statistic="mean", **curves),
            profile=iqm.profile(np.unique(iqm.runs["A"].scores)),
            percentile=_percentile(tasks, data.rng),
            truth=truth,
        )

    return ask


def _percentile(
    tasks: dict[str, cw.Curves], rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """Return percentile intervals of the first algorithm: its runs drawn again in each task."""
    numbers = [own.select("A").scores.mean(axis=1) for own in tasks.values()]
    drawn = [own[rng.integers(len(own), size=(len(own), N_BOOTSTRAP))] for own in numbers]
    found = {
        "iqm": _trimmed(np.concatenate(drawn)),
        "mean": np.mean([own.mean(axis=0) for own in drawn], axis=0),
    }
    ends = [ALPHA / 2, 1 - ALPHA / 2]
    return {name: tuple(np.quantile(own, ends).tolist()) for name, own in found.items()}


def _outside(interval: tuple[float, float], truth: float) -> bool:
    return not interval[0] <= truth <= interval[1]


def _iqm_misses(found: Found, _: DataSet) -> bool:
    return _outside(found.iqm["A"].interval, float(_trimmed(found.truth.numbers.ravel())))


def _mean_misses(found: Found, _: DataSet) -> bool:
    return _outside(found.mean["A"].interval, float(found.truth.numbers.mean()))


def _gap_misses(found: Found, _: DataSet) -> bool:
    below = np.maximum(found.truth.gamma - found.truth.numbers, 0)
    return _outside(found.gap["A"].interval, float(below.mean()))


def _difference_misses(found: Found, _: DataSet) -> bool:
    """Both algorithms are alike, so their true difference is 0."""
    return found.iqm.difference("A", "B").excludes_zero


def _by_data_misses(found: Found, _: DataSet) -> bool:
    """Hold the interval against the truth on the scale that the data gave."""
    assert found.by_data.scales is not None  # noqa: S101 (normalised by the data)
    low, high = np.array([*found.by_data.scales.values()]).T
    on_scale = (found.truth.numbers - low[:, None]) / (high - low)[:, None]
    return _outside(found.by_data["A"].interval, float(_trimmed(on_scale.ravel())))


def _band_misses(found: cw.Aggregate, truth: Floats) -> bool:
    band = found["A"].band
    assert band is not None  # noqa: S101 (of every step)
    return bool(np.any((truth < band.low) | (truth > band.high)))


def _curve_misses(found: Found, _: DataSet) -> bool:
    return _band_misses(found.curve, found.truth.iqm_curve)


def _mean_curve_misses(found: Found, _: DataSet) -> bool:
    return _band_misses(found.mean_curve, found.truth.mean_curve)


def _profile_misses(found: Found, _: DataSet) -> bool:
    """Look at every score: from one to the next the profile stands still and the truth falls."""
    ranked = np.sort(found.truth.numbers.ravel())
    tau = found.profile.tau
    truth = 1 - np.searchsorted(ranked, tau, side="right") / len(ranked)
    low, high = found.profile.band("A")
    reach = found.profile.reach["A"]
    # Before the first score all runs are above it.
    first = bool(truth[0] < 1 - reach)
    following = np.append(truth[1:], 0.0)
    return first or bool(np.any((truth > high) | (following < low)))


def _percentile_misses(statistic: str) -> Callable[[Found, DataSet], bool]:
    def is_wrong(found: Found, _: DataSet) -> bool:
        numbers = found.truth.numbers.ravel()
        truth = _trimmed(numbers) if statistic == "iqm" else numbers.mean()
        return _outside(found.percentile[statistic], float(truth))

    return is_wrong


def _claims(n_tasks: int, *, unequal: bool) -> tuple[Claim, ...]:
    few = n_tasks < MIN_TASKS
    iqm = FEW_TASKS if few else 0.075
    others: dict[str, Any] = {"page": PAGE, "promised": NOTHING}
    resampled = Claim("the same, percentile bootstrap", _percentile_misses("iqm"), **others)
    return (
        Claim("interval of the IQM misses", _iqm_misses, PAGE, promised=iqm),
        # Of different numbers of runs it would be that of another IQM.
        *(() if unequal else (resampled,)),
        Claim("interval of the mean misses", _mean_misses, PAGE, promised=SKEWED),
        Claim("the same, by percentiles", _percentile_misses("mean"), **others),
        Claim("interval of the gap misses", _gap_misses, PAGE, promised=SKEWED),
        Claim("interval of a difference of IQMs misses", _difference_misses, PAGE, promised=iqm),
        Claim("IQM normalised by data misses", _by_data_misses, PAGE, promised=iqm),
        Claim("band of the IQM misses at some step", _curve_misses, PAGE, promised=SKEWED),
        Claim("band of the mean misses at some step", _mean_curve_misses, PAGE, promised=BANDS),
        Claim("band of the profile misses somewhere", _profile_misses, PAGE, promised=NEAR),
    )


def _question(n_tasks: int, *, unequal: bool = False) -> Question:
    name = f"aggregate of {n_tasks} tasks{', unequal runs' if unequal else ''}"
    return Question(name, _ask(unequal=unequal), _claims(n_tasks, unequal=unequal), n_tasks)


QUESTIONS = (
    *(_question(n_tasks) for n_tasks in (5, 10, 26, 57)),
    _question(10, unequal=True),
    _question(26, unequal=True),
)

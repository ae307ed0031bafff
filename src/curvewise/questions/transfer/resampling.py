"""The metrics of two conditions, resampled for intervals and shuffled for p."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.inference.effects import Interval
from curvewise.kernels.adjustments import TIE
from curvewise.kernels.bootstrap.intervals import (
    bca,
    jackknife_error,
    left_out,
    percentile,
    studentised,
)
from curvewise.kernels.bootstrap.resamples import resample_counts
from curvewise.kernels.relabelling.enumeration import Enumeration, n_relabellings
from curvewise.kernels.relabelling.shuffles import Shuffles
from curvewise.kernels.relabelling.streams import BATCH
from curvewise.kernels.transfer.metrics import METRICS, metric_values
from curvewise.shuffling.visiting import CHEAP, visits_all

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.transfer.metrics import MetricSettings

__all__ = [
    "Problem",
    "Resampled",
    "departures",
    "metric_intervals",
    "n_as_extreme",
    "resample_metrics",
    "shuffle_metrics",
]

MOST_EXACT = 2_000_000
MOST_VALUES = 2**17  # of an array of mean curves: what stays in the cache is fast
# Resamples × steps from which on compiled code is faster, its import included.
REPAYS = 3_000_000
N_STUDENTISED = 999  # resamples that have standard errors of their own
RATIOS = ("transfer_ratio", "time_to_threshold")
UNDEFINED_ALIKE = ("transfer_regret", "time_to_threshold")
BOUNDS = {
    "transfer_ratio": (0.0, math.inf),
    "transfer_regret": (-1.0, 1.0),
    "calibrated_transfer_ratio": (-math.inf, 1.0),
    "average_relative_reduction": (-math.inf, 1.0),
    "time_to_threshold": (0.0, math.inf),
}
COMPLEMENTS = ("calibrated_transfer_ratio", "average_relative_reduction")


@dataclass(frozen=True, eq=False)
class Problem:
    """The runs of both conditions, higher being better, and what the metrics need.

    ``units`` are what is drawn again: runs, or blocks that runs of both conditions share.
    """

    scores: Floats
    member: Integers  # 0 control, 1 experimental
    blocks: Integers
    units: Integers
    strata: Integers  # of each unit
    setting: MetricSettings

    def values(self, counts: Floats) -> dict[str, Floats]:
        """Return the metrics of resamples, given how often each run was drawn."""
        n_steps = self.scores.shape[1]
        rows = max(MOST_VALUES // n_steps, 1)
        compiled = len(counts) * n_steps > REPAYS
        parts = []
        for start in range(0, len(counts), rows):
            some = counts[start : start + rows]
            means = [
                some[:, self.member == side]
                @ self.scores[self.member == side]
                / np.maximum(some[:, self.member == side].sum(axis=1, keepdims=True), 1)
                for side in (0, 1)
            ]
            parts.append(
                metric_values(means[0], means[1], self.setting, compiled=compiled)
            )
        return {name: np.concatenate([part[name] for part in parts]) for name in METRICS}


class Resampled(NamedTuple):
    """A metric in resamples, its own standard error in some, and that of the data."""

    values: Floats
    errors: Floats
    error: float
    acceleration: float


def resample_metrics(
    problem: Problem, n_resamples: int, seed: int
) -> dict[str, Resampled] | None:
    """Draw runs, or blocks, again; return what that makes of every metric, or None.

    A single run in a condition, or a single block, cannot be drawn again.
    """
    sizes = np.bincount(problem.strata)
    if not n_resamples or sizes.min() < 2:
        return None
    counts = resample_counts(problem.strata, n_resamples, seed)[:, problem.units]
    values = problem.values(counts)
    ones = np.ones((1, len(problem.scores)))
    reduced, (rows, units) = left_out(ones, problem.units)
    observed = problem.values(reduced)
    # Leaving out each of many units in turn is much work, and many units need it less.
    some = counts[: max(min(N_STUDENTISED, 40_000 // len(problem.strata)), 199)]
    reduced, places = left_out(some, problem.units)
    each = problem.values(reduced)
    first = np.array([np.argmax(problem.units == u) for u in range(len(problem.strata))])
    weights = some[places[0], first[places[1]]]
    found = {}
    for name in METRICS:
        error, acceleration = _error(
            observed[name], np.ones(len(units)), problem.strata[units], rows, 1
        )
        errors, _ = _error(
            each[name], weights, problem.strata[places[1]], places[0], len(some)
        )
        found[name] = Resampled(
            values[name], errors, float(error[0]), float(acceleration[0])
        )
    return found


def _error(
    values: Floats, weights: Floats, strata: Integers, rows: Integers, n_rows: int
) -> tuple[Floats, Floats]:
    """Return jackknife errors; infinite where a value is not finite."""
    finite = np.isfinite(values)
    filled = np.where(finite, values, 0.0)
    error, acceleration = jackknife_error(filled, weights, strata, rows, n_rows)
    broken = np.bincount(rows, ~finite, n_rows) > 0
    return np.where(broken, np.inf, error), np.where(broken, 0.0, acceleration)


def shuffle_metrics(
    problem: Problem,
    n_shuffles: int,
    seed: int,
    exact: bool | None,  # noqa: FBT001 (as the caller gave it)
) -> tuple[dict[str, Floats], bool, int]:
    """Return the metrics of relabelled tables, and whether all were visited."""
    member, blocks = problem.member, problem.blocks
    count = n_relabellings(member, blocks)
    visits = visits_all(
        exact, count, n_shuffles, possible=count <= MOST_EXACT, cheap=CHEAP // 8
    )
    relabellings: Enumeration | Shuffles = (
        Enumeration(member, blocks)
        if visits
        else Shuffles(member, blocks, n_shuffles, seed)
    )
    # An enumeration visits one of two mirror images, which metrics tell apart.
    mirrored = visits and count < _n_labelled(member, blocks)
    compiled = relabellings.count * problem.scores.shape[1] > REPAYS
    parts: list[dict[str, Floats]] = []
    for number in range(-(-relabellings.count // BATCH)):
        labels = relabellings.batch(number)
        both = (labels, 1 - labels) if mirrored else (labels,)
        parts += [_relabelled(problem, each, compiled=compiled) for each in both]
    values = {name: np.concatenate([part[name] for part in parts]) for name in METRICS}
    return values, visits, len(values[METRICS[0]])


def _n_labelled(member: Integers, blocks: Integers) -> int:
    return math.prod(
        math.comb(int(np.sum(blocks == b)), int(np.sum(member[blocks == b])))
        for b in np.unique(blocks)
    )


def _relabelled(
    problem: Problem, labels: Integers, *, compiled: bool
) -> dict[str, Floats]:
    n_steps = problem.scores.shape[1]
    rows = max(MOST_VALUES // n_steps, 1)
    parts = []
    for start in range(0, len(labels), rows):
        some = labels[start : start + rows].astype(np.float64)
        n_experimental = some.sum(axis=1, keepdims=True)
        n_control = some.shape[1] - n_experimental
        experimental = some @ problem.scores / n_experimental
        control = (1 - some) @ problem.scores / n_control
        parts.append(
            metric_values(control, experimental, problem.setting, compiled=compiled)
        )
    return {name: np.concatenate([part[name] for part in parts]) for name in METRICS}


def distances(name: str, values: Floats) -> Floats:
    """Return how far a metric is from no effect.

    What is undefined is as far as can be, except where it is undefined for lack of any
    difference: all scores equal, or a threshold that neither reaches.
    """
    undefined = 0.0 if name in UNDEFINED_ALIKE else np.inf
    signed = departures(name, values)
    return np.where(np.isnan(signed), undefined, np.abs(signed))


def n_as_extreme(name: str, value: float, null: Floats) -> int:
    """Count the shuffles in which a metric is at least as far from no effect.

    Swapping the conditions turns every metric into its opposite but one: losses of training
    time have no bound and gains do, so there the smaller tail counts, twice.
    """
    if name == "average_relative_reduction":
        slack = TIE * max(abs(value), 1.0)
        undefined = np.isnan(null)
        tails = (null >= value - slack) | undefined, (null <= value + slack) | undefined
        return min(2 * min(int(np.sum(tail)) for tail in tails), len(null))
    reached = float(distances(name, np.array([value]))[0])
    # Equal but for rounding is as far.
    least = reached * (1 - TIE) if math.isfinite(reached) else reached
    return int(np.sum(distances(name, null) >= least))


def departures(name: str, values: Floats) -> Floats:
    """Return how far a metric departs from no effect, with a sign; NaN if undefined.

    Ratios are compared by their logarithm, so that half is as far from 1 as double. Two
    metrics are 1 minus a ratio, of areas above the curves or of times: theirs as well.
    """
    if name not in RATIOS and name not in COMPLEMENTS:
        return values
    ratios = values if name in RATIOS else 1.0 - values
    logs = np.full_like(values, np.nan)
    np.log(ratios, out=logs, where=ratios > 0)
    # At 0, or beyond it where scores exceed the optimum, nothing is farther.
    return np.where(ratios <= 0, -np.inf, logs)


def metric_intervals(
    name: str,
    value: float,
    resampled: Resampled,
    alpha: float,
    turned: float,
) -> dict[str, Interval]:
    """Return every kind of interval that can be had."""
    values, errors, error, acceleration = resampled
    # A resample in which the metric is undefined could have been anything.
    low_values, high_values = (
        np.where(np.isnan(values), end, values) for end in (-np.inf, np.inf)
    )
    ends = {
        "percentile": (
            percentile(low_values, alpha)[0],
            percentile(high_values, alpha)[1],
        )
    }
    if math.isfinite(value):
        ends["bca"] = (
            bca(value, low_values, acceleration, alpha)[0],
            bca(value, high_values, acceleration, alpha)[1],
        )
        some = values[: len(errors)]
        if math.isfinite(error) and np.isfinite(errors).all() and np.isfinite(some).all():
            ends["studentised"] = studentised(value, error, some, errors, alpha)
    # No interval need hold what the metric cannot be.
    least, most = BOUNDS.get(name, (-math.inf, math.inf))
    found = {}
    for kind, (low, high) in ends.items():
        # The estimate is possible, whatever a skewed resample says.
        low, high = min(max(low, least), value), max(min(high, most), value)  # noqa: PLW2901
        found[kind] = Interval(*sorted((turned * low + 0.0, turned * high + 0.0)))
    return found

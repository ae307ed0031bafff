"""The metrics of two conditions in relabellings, and p from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.sampling import Sampling
from curvewise.kernels.adjustments import TIE
from curvewise.kernels.pvalues import pvalue
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.shuffling.plan import MAX_FREE, Limits
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.questions.transfer.conditions import TwoConditions
    from curvewise.questions.transfer.metrics import MetricRecord
    from curvewise.shuffling.tally import Measured

__all__ = [
    "MetricTest",
    "MirroredSampling",
    "ShuffledMetrics",
    "shuffle_metrics",
    "smaller_tail_twice",
    "tail_counts",
]

# Nine metrics take about eight times as long as sums of squares.
LIMITS = Limits(free=MAX_FREE // 8, exact=2_000_000, shuffles=2**20)


@dataclass(frozen=True)
class MirroredSampling(Sampling):
    """Relabellings that come with their mirror images, which swap the conditions.

    A mirror image is as far from no effect, so that no p can be below that of two relabellings.
    """

    @property
    def smallest_by_runs(self) -> float:
        """The smallest p that the number of relabellings allows."""
        return 2 / self.n_relabellings


@dataclass(frozen=True, eq=False)
class MetricTest:
    """The p of a metric, None where it is undefined, and its values in relabellings."""

    pvalue: float | None
    null_distribution: Floats


@dataclass(frozen=True, eq=False)
class ShuffledMetrics(Statistic):
    """Every metric of relabelled curves, kept, and how many are as extreme as observed.

    Attributes
    ----------
    observed : array, (n_metrics,)
        NaN where a metric is undefined.
    mirrored : bool
        Whether the mirror image of every relabelling is measured too, after its batch.
    compiled_reduction : bool
        Whether average relative reductions are found in compiled code.
    """

    conditions: TwoConditions
    observed: Floats
    mirrored: bool
    compiled_reduction: bool

    chunk = 4  # batches: ten milliseconds of work with 8 steps, a hundred with 200

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch, (n_metrics, 2); keep the metrics."""
        both = (labels, 1 - labels) if self.mirrored else (labels,)
        values = np.concatenate(
            [
                self.conditions.relabelled(images, compiled=self.compiled_reduction)
                for images in both
            ],
            axis=1,
        )
        counts = [
            count_extreme(record, float(value), row)
            for record, value, row in zip(
                RECORDS.values(), self.observed, values, strict=True
            )
        ]
        return (np.array(counts, dtype=np.int64),), ((values,) if keep else ())

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts behind the p of every metric that is defined."""
        return counts[0].min(axis=1)[~np.isnan(self.observed)]


def shuffle_metrics(
    conditions: TwoConditions, observed: Floats, work: Work, *, alpha: float
) -> tuple[dict[str, MetricTest], Sampling]:
    """Shuffle whole curves between the conditions; return p and values of every metric.

    ``observed`` is (n_metrics,). "auto" settles on which side of ``alpha`` each p lies.
    """
    # A tail that is counted twice is compared with half of alpha.
    levels = alpha, alpha / 2
    plan = work.plan(conditions.restriction, levels=levels, limits=LIMITS)
    statistic = ShuffledMetrics(
        conditions,
        observed,
        mirrored=plan.exact and conditions.is_mirrored,
        compiled_reduction=conditions.repays_compiling(plan.relabellings.count),
    )
    found = work.visit(plan, statistic)
    (counts,), (values,) = found.counts, found.kept
    n_visited = found.n_visited * (2 if statistic.mirrored else 1)
    metrics = {}
    for record, value, tails, row in zip(
        RECORDS.values(), observed, counts, values, strict=True
    ):
        p = None
        if not math.isnan(value):
            p = pvalue(_n_extreme(record, tails, n_visited), n_visited, exact=found.exact)
        metrics[record.name] = MetricTest(p, row)
    kind, factor = (MirroredSampling, 2) if conditions.is_mirrored else (Sampling, 1)
    n_relabellings = factor * conditions.restriction.count
    # The resamples depend on the seed even where every relabelling was visited.
    return metrics, kind(found.exact, n_relabellings, n_visited, found.engine, work.seed)


def count_extreme(record: MetricRecord, value: float, values: Floats) -> tuple[int, int]:
    """Count the relabellings at least as extreme as ``value``, by the metric's tail rule.

    Two tails for a metric of which the smaller counts, twice; for the others the same number
    twice: those at least as far from no effect.
    """
    if record.tail == "twice the smaller tail":
        return tail_counts(value, values)
    reached = float(_distances(record, np.array([value]))[0])
    # Equal but for rounding is as far.
    least = reached * (1 - TIE) if math.isfinite(reached) else reached
    n_as_far = int(np.sum(_distances(record, values) >= least))
    return n_as_far, n_as_far


def _n_extreme(record: MetricRecord, tails: Integers, n_visited: int) -> int:
    if record.tail == "twice the smaller tail":
        return smaller_tail_twice(tails, n_visited)
    return int(tails[0])


def tail_counts(value: float, values: Floats) -> tuple[int, int]:
    """Count the values at least as large as ``value``, and at least as small.

    Equal but for rounding is both, and so is what is undefined.
    """
    slack = TIE * max(abs(value), 1.0)
    is_undefined = np.isnan(values)
    return (
        int(np.sum((values >= value - slack) | is_undefined)),
        int(np.sum((values <= value + slack) | is_undefined)),
    )


def smaller_tail_twice(tails: tuple[int, int] | Integers, n_visited: int) -> int:
    """Return twice the smaller of two counts, or all relabellings if that is more."""
    return min(2 * int(min(tails)), n_visited)


def _distances(record: MetricRecord, values: Floats) -> Floats:
    """Return how far values are from no effect; undefined ones as the record says."""
    undefined = 0.0 if record.undefined_in_shuffle == "no difference" else np.inf
    signed = _departures(record, values)
    return np.where(np.isnan(signed), undefined, np.abs(signed))


def _departures(record: MetricRecord, values: Floats) -> Floats:
    """Return how far a metric departs from no effect, with a sign; NaN if undefined.

    Ratios are compared by their logarithm, so that half is as far from 1 as double. So is
    what is 1 minus a ratio, of areas above the curves or of times.
    """
    if record.scale == "difference":
        return values
    ratios = values if record.scale == "ratio" else 1.0 - values
    logs = np.full_like(values, np.nan)
    np.log(ratios, out=logs, where=ratios > 0)
    # At 0, or beyond it where scores exceed the optimum, nothing is farther.
    return np.where(ratios <= 0, -np.inf, logs)

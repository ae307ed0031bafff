"""The metrics of two conditions in relabellings, and p from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.sampling import Sampling
from curvewise.kernels.adjustments import TIE
from curvewise.kernels.pvalues import pvalue
from curvewise.kernels.transfer.metrics import METRICS
from curvewise.questions.transfer.inverted import difference_tests
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.stretched import stretches
from curvewise.shuffling.plan import MAX_FREE, Limits
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.questions.transfer.conditions import TwoConditions
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
# The metrics that are not tested as a difference, by their place.
COUNTED = [place for place, name in enumerate(METRICS) if not RECORDS[name].tested_as]


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
    """The p of a metric, None where there is none, and its values in relabellings.

    A metric that is undefined has a p where ``record.tested_undefined``, and something varies.
    ``exact`` says whether p is over every distinct relabelling. ``ends`` are those of the
    interval that belongs to the test, None where the metric has none, and ``among`` some values
    in it, where it was found by trying values.
    """

    pvalue: float | None
    null_distribution: Floats
    exact: bool
    ends: tuple[float, float] | None
    among: Floats | None = None


@dataclass(frozen=True, eq=False)
class ShuffledMetrics(Statistic):
    """Every metric of relabelled curves, kept, and how many are as extreme as observed.

    Counted are the metrics that are compared with their own values in relabellings, and after
    them the differences that the others are tested as.

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
        """Count the extreme relabellings of a batch, (n_counts, 2); keep the metrics."""
        both = (labels, 1 - labels) if self.mirrored else (labels,)
        values = np.concatenate(
            [
                self.conditions.relabelled(images, compiled=self.compiled_reduction)
                for images in both
            ],
            axis=1,
        )
        counts = [
            tail_counts(float(self.observed[place]), values[place]) for place in COUNTED
        ]
        run_values = self.conditions.run_values
        # A mirror image has sums of the other sign, and is as extreme.
        differences = len(both) * run_values.counts(run_values.sums(labels))
        counts += [(count, count) for count in differences.tolist()]
        return (np.array(counts, dtype=np.int64),), ((values,) if keep else ())

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts behind the p of every metric that is defined."""
        is_defined = np.ones(len(counts[0]), dtype=np.bool_)
        is_defined[: len(COUNTED)] = ~np.isnan(self.observed[COUNTED])
        return counts[0].min(axis=1)[is_defined]


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
    # Sums take less time than metrics, so that all relabellings may be visited for them.
    of_sums = work.plan(conditions.restriction, levels=levels)
    differences = difference_tests(
        conditions, of_sums if of_sums.exact else found.plan, work, alpha=alpha
    )
    ends, among = dict(differences.ends), {}
    longer = stretches(conditions, found.plan, work, alpha=alpha)
    if longer is not None:
        ends["time_to_threshold"], among["time_to_threshold"] = longer
    (counts,), (values,) = found.counts, found.kept
    n_visited = found.n_visited * (2 if statistic.mirrored else 1)
    tails = dict(zip(COUNTED, counts[: len(COUNTED)], strict=True))
    metrics = {}
    for place, (record, value) in enumerate(
        zip(RECORDS.values(), observed.tolist(), strict=True)
    ):
        says_something = not math.isnan(value)
        if record.tested_as:
            p = differences.pvalues[record.tested_as]
            exact = differences.exact[record.tested_as]
            varies = conditions.run_values.contrasts[record.tested_as][:, 0].any()
            says_something |= record.tested_undefined and bool(varies)
        else:
            n_extreme = smaller_tail_twice(tails[place], n_visited)
            # What was observed is no effect, so nothing is less extreme.
            n_extreme = n_visited if value == 0 else n_extreme
            p, exact = pvalue(n_extreme, n_visited, exact=found.exact), found.exact
        metrics[record.name] = MetricTest(
            p if says_something else None,
            values[place],
            exact,
            ends.get(record.name),
            among.get(record.name),
        )
    kind, factor = (MirroredSampling, 2) if conditions.is_mirrored else (Sampling, 1)
    n_relabellings = factor * conditions.restriction.count
    # The resamples depend on the seed even where every relabelling was visited.
    return metrics, kind(found.exact, n_relabellings, n_visited, found.engine, work.seed)


def tail_counts(value: float, values: Floats) -> tuple[int, int]:
    """Count the values at least as large as ``value``, and at least as small.

    The smaller of the two counts, twice: losses are unbounded and gains are not.
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

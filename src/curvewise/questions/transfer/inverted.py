"""The shuffle tests of differences, and the intervals of all values they do not reject."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova.subset_sums import MAX_SUBSET_RUNS, count_heights
from curvewise.kernels.inversion import shift_interval
from curvewise.kernels.pvalues import pvalue
from curvewise.kernels.transfer.inversion import ratio_interval
from curvewise.questions.transfer.run_values import DIFFERENCES, TESTED, ShuffledSums
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from curvewise.inference.work import Work
    from curvewise.kernels import Integers
    from curvewise.questions.transfer.conditions import TwoConditions
    from curvewise.questions.transfer.run_values import RunValues
    from curvewise.shuffling.plan import Plan
    from curvewise.shuffling.tally import Measured

__all__ = ["DifferenceTests", "ShuffledDifferences", "difference_tests"]

Ends = tuple[float, float]


@dataclass(frozen=True, eq=False)
class ShuffledDifferences(Statistic):
    """How many relabellings are as extreme, in each of TESTED; their sums are kept."""

    run_values: RunValues

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch, (4,)."""
        sums = self.run_values.sums(labels)
        counts = self.run_values.counts(sums)
        return (counts,), ((sums.rows,) if keep else ())


class DifferenceTests(NamedTuple):
    """What the shuffles of three differences, and of the log-rank scores, gave.

    ``pvalues`` has the p of each, and ``exact`` whether that is over every relabelling. ``ends``
    has the ends of the interval of each metric that is tested as one of them; those of metrics
    with a unit are in scores as given, the others as if higher were better.
    """

    pvalues: dict[str, float]
    exact: dict[str, bool]
    ends: dict[str, Ends]


def difference_tests(
    conditions: TwoConditions, plan: Plan, work: Work, *, alpha: float
) -> DifferenceTests:
    """Visit the relabellings of a plan; return the p of the differences, and intervals.

    Where relabellings are sampled, and it was not asked for, the p of the average gain is
    exact if that takes no time.
    """
    run_values = conditions.run_values
    found = work.visit(plan, ShuffledDifferences(run_values))
    pvalues = {
        name: pvalue(int(count), found.n_visited, exact=found.exact)
        for name, count in zip(TESTED, found.counts[0], strict=True)
    }
    exact = dict.fromkeys(TESTED, found.exact)
    if work.exact is None and not found.exact:
        p = _exact_gain(conditions)
        if p is not None:
            pvalues["average_gain"], exact["average_gain"] = p, True
    sums = ShuffledSums(found.kept[0])
    every = found.plan.keeps_all
    own = pvalue(run_values.counts(sums), sums.rows.shape[1], exact=every)
    # Where p is of more relabellings than are kept, those kept may give a p just above alpha;
    # at a level of that p they reject no effect too.
    levels = {
        name: float(kept) if pvalues[name] <= alpha < kept else alpha
        for name, kept in zip(TESTED, own, strict=True)
        if name in DIFFERENCES
    }
    ends = _intervals(conditions, sums, levels, exact=every)
    return DifferenceTests(pvalues, exact, ends)


def _exact_gain(conditions: TwoConditions) -> float | None:
    """Return the p of the average gain over all relabellings; None with blocks or many runs."""
    n_runs, blocks = len(conditions.member), conditions.blocks
    if blocks.min() != blocks.max() or n_runs > MAX_SUBSET_RUNS:
        return None
    run_values = conditions.run_values
    numbers = run_values.contrasts["average_gain"][:, 0]
    _, n_experimental = conditions.n_runs
    count = count_heights(numbers, n_experimental, run_values.least("average_gain") ** 2)
    return count / math.comb(n_runs, n_experimental)


def _intervals(
    conditions: TwoConditions,
    sums: ShuffledSums,
    levels: dict[str, float],
    *,
    exact: bool,
) -> dict[str, Ends]:
    ends = {
        name: _shift(conditions, sums, name, level, exact=exact)
        for name, level in levels.items()
    }
    settings, sign = conditions.settings, conditions.sign
    low, high = ends["average_gain"]
    ends["area_difference"] = low * settings.span, high * settings.span
    means = np.stack(conditions.means())
    best, box = float(means.max()), float(np.ptp(means))
    if box > 0:
        regrets = sorted(sign * end / box for end in (low, high))
        ends["transfer_regret"] = regrets[0], regrets[1]
    level = levels["average_gain"]
    ends["transfer_ratio"] = _ratio(
        conditions, sums, level, (1.0, settings.shift), exact=exact
    )
    remaining = -1.0, best if settings.optimum is None else settings.optimum
    least, most = _ratio(conditions, sums, level, remaining, exact=exact)
    ends["calibrated_transfer_ratio"] = 1 - most, 1 - least
    return ends


def _shift(
    conditions: TwoConditions, sums: ShuffledSums, name: str, alpha: float, *, exact: bool
) -> Ends:
    """Return the ends of a difference, in scores as given."""
    values = conditions.run_values
    total, membership = values.observed[name]
    low, high = shift_interval(
        total / membership,
        sums.of(name) / membership,
        sums.likeness / membership,
        alpha,
        exact=exact,
        tie=values.slack[name] / membership,  # as p counts them
    )
    # Zero is the one shift that readers look for: an end a rounding error away is at it.
    slack = values.slack[name] / math.sqrt(membership * len(conditions.member))
    low, high = (0.0 if abs(end) <= slack else end * values.unit for end in (low, high))
    return low, high


def _ratio(
    conditions: TwoConditions,
    sums: ShuffledSums,
    alpha: float,
    line: tuple[float, float],
    *,
    exact: bool,
) -> Ends:
    """Return the ends of the ratio of the means of ``line``, slope and offset, of mean scores."""
    slope, offset = line
    n_control, n_experimental = conditions.n_runs
    areas = conditions.run_values.areas
    total_e = slope * float(areas[:, 0].sum()) + offset * n_experimental
    total_c = slope * float(areas[:, 1].sum()) + offset * n_control
    if total_c <= 0:
        return -math.inf, math.inf
    area_e, area_c, count = sums.areas
    chosen_e = slope * area_e + offset * count
    chosen_c = slope * area_c + offset * (n_experimental - count)
    # Each run is added to the mean of one condition, or taken from that of the other.
    both = 1 / n_experimental + 1 / n_control
    return ratio_interval(
        (total_e / n_experimental, total_c / n_control),
        (both * chosen_e - total_e / n_control, both * chosen_c - total_c / n_control),
        alpha,
        exact=exact,
    )

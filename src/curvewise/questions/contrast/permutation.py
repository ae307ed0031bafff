"""A contrast among shuffles: of the curves of two algorithms, or of residuals of more."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import OptionError
from curvewise.kernels.adjustments import TIE, MaxCounts
from curvewise.kernels.anova.subset_sums import (
    MAX_SUBSET_RUNS,
    count_above,
    count_heights,
)
from curvewise.kernels.anova.sums import centred
from curvewise.kernels.anova.thresholds import EPSILON
from curvewise.kernels.contrasts import (
    Fit,
    count_extreme,
    is_mirrored,
    least_extreme,
    least_ratio,
    shuffled_t,
    student_t,
)
from curvewise.kernels.inversion import agreeing, lowest_shift, shift_interval
from curvewise.kernels.pvalues import pvalue, upper_quantile
from curvewise.kernels.relabelling.streams import BATCH
from curvewise.shuffling.plan import MAX_FREE, MAX_IN_NUMPY, Limits, Plan
from curvewise.shuffling.visiting import MAX_KEPT_BATCHES, Statistic
from curvewise.text import argument

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.shuffling.layout import Layout
    from curvewise.shuffling.tally import Measured

__all__ = [
    "ContrastCounts",
    "ContrastTest",
    "LargestT",
    "contrast_of_many",
    "contrast_of_two",
    "weighted_fit",
]

MAX_SHUFFLES = 2**24  # of "auto" and "precise"
MAX_KEPT = MAX_KEPT_BATCHES * BATCH


@dataclass(frozen=True, eq=False)
class ContrastTest:
    """One number a run, and a contrast that is asked to be large, or far from zero."""

    layout: Layout
    fit: Fit
    coefficients: Floats
    noise: float
    two_sided: bool
    levels: tuple[float, ...]  # that p is settled against
    work: Work

    def plan(self, limits: Limits) -> Plan:
        """Plan the shuffles that `compare` would draw with this key."""
        return self.work.plan(self.layout.restriction, levels=self.levels, limits=limits)

    def observed(self) -> tuple[float, float, float]:
        """Return the contrast in units of its length, that length, and t."""
        length = float(self.fit.directions(self.coefficients[None, :])[1][0])
        u = float(self.coefficients @ self.fit.estimates[:, 0]) / length
        u = u if abs(u) > self.noise else 0.0
        t = student_t(np.array([u]), self.fit.errors[:1], self.fit.df)
        return u, length, float(t[0])


@dataclass(frozen=True, eq=False)
class ContrastCounts:
    """What the shuffles gave, in the units of the test.

    ``ends`` returns the ends of the interval of all values not rejected at a level.
    """

    value: float
    ends: Callable[[float], tuple[float, float]]
    t: float
    n_extreme: int
    n_visited: int
    n_relabellings: int
    exact: bool
    sampled: bool  # whether p, the interval or the null distribution is
    engine: str
    null: Floats
    df: int | None = None  # where it is not that of the fit
    n_alike: int = 1


@dataclass(frozen=True, eq=False)
class TwoGroupSums(Statistic):
    """Sums of columns over the first of two groups; the first column is the contrast.

    ``mirrored`` counts the mirror image of every relabelling too.
    """

    columns: Floats
    least: float
    two_sided: bool
    mirrored: bool

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch; keep the sums."""
        sums = (labels == 0).astype(np.float64) @ self.columns
        count = count_extreme(sums[:, 0], self.least, two_sided=self.two_sided)
        if self.mirrored and not self.two_sided:
            count += count_extreme(-sums[:, 0], self.least, two_sided=False)
        return (np.array([count]),), ((sums.T,) if keep else ())


@dataclass(frozen=True, eq=False)
class ResidualT(Statistic):
    """The t of a contrast of shuffled residuals, kept."""

    fit: Fit
    coefficients: Floats
    least: float
    two_sided: bool

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme shuffles of a batch; keep their t."""
        (t,) = shuffled_t(self.fit, labels, self.coefficients[None, :])
        count = count_extreme(t, self.least, two_sided=self.two_sided)
        return (np.array([count]),), ((t,) if keep else ())


@dataclass(frozen=True, eq=False)
class LargestT(Statistic):
    """The largest t of several contrasts, for each shuffle of all residuals; kept."""

    fit: Fit
    coefficients: Floats  # (n_contrasts, n_groups)
    two_sided: bool
    observed: MaxCounts

    @classmethod
    def of(cls, fit: Fit, coefficients: Floats, *, two_sided: bool) -> LargestT:
        """Compute the observed t."""
        lengths = fit.directions(coefficients)[1]
        estimates = coefficients @ fit.estimates[:, 0] / lengths
        t = student_t(estimates, fit.errors[:1], fit.df)
        observed = MaxCounts.of(np.abs(t) if two_sided else t)
        return cls(fit, coefficients, two_sided, observed)

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count, for each contrast, the shuffles whose largest t is as large."""
        t = shuffled_t(self.fit, labels, self.coefficients)
        largest = (np.abs(t) if self.two_sided else t).max(axis=0)
        return (self.observed.count(largest),), ((largest,) if keep else ())

    def margins(self, t: float) -> Floats:
        """Return how far each contrast is from one whose t is smaller by ``t``."""
        error = math.sqrt(float(self.fit.errors[0]) / self.fit.df)
        lengths = self.fit.directions(self.coefficients)[1]
        return t * error * lengths if error else np.zeros(len(lengths))


def contrast_of_two(test: ContrastTest) -> ContrastCounts:
    """Shuffle the curves of two algorithms."""
    fit, two_sided, layout = test.fit, test.two_sided, test.layout
    labels, blocks = layout.labels, layout.blocks
    member = (labels == 0).astype(np.float64)[:, None]
    likeness = centred(member, blocks)[:, 0]
    overlap = float(likeness[labels == 0].sum())
    # Their sums over the first group are u, and how alike two labellings are.
    towards = math.copysign(fit.factor[0, 0], test.coefficients[0])
    columns = np.stack([towards * fit.values[:, 0], likeness / overlap], axis=1)

    u, length, t = test.observed()
    least = least_extreme(u, test.noise, two_sided=two_sided)
    mirrored = is_mirrored(labels, blocks)
    n_all = layout.restriction.count
    n_distinct = n_all * 2 if mirrored and not two_sided else n_all
    # The sums of two halves of the runs give an exact count far beyond an enumeration.
    halved = blocks.min() == blocks.max() and len(labels) <= MAX_SUBSET_RUNS
    limits = Limits(exact=n_all if halved else MAX_IN_NUMPY, shuffles=MAX_SHUFFLES)
    plan = test.plan(limits)
    by_halves = halved and n_all > MAX_FREE and (plan.exact or test.work.exact is None)
    if by_halves:
        most = min(plan.n_shuffles, MAX_KEPT)
        plan = Plan(layout.restriction, exact=False, n_shuffles=most, key=test.work.key)
    statistic = TwoGroupSums(columns, least, two_sided, mirrored and plan.exact)
    found = test.work.visit(plan, statistic)
    n_extreme = int(found.counts[0][0])
    exact, n_visited = plan.exact, n_distinct if plan.exact else found.n_visited
    if by_halves:
        n_first, exact, n_visited = int(member.sum()), True, n_distinct
        n_extreme = (
            count_heights(columns[:, 0], n_first, least**2) // (2 if mirrored else 1)
            if two_sided
            else count_above(columns[:, 0], n_first, least)
        )
    (sums,) = found.kept
    if plan.keeps_all and mirrored and not two_sided:
        # An enumeration visits one of two mirror images.
        sums = np.concatenate([sums, -sums], axis=1)
    root = math.sqrt(overlap)
    slack = 2 * test.noise / root

    def interval(alpha: float) -> tuple[float, float]:
        p = pvalue(n_extreme, n_visited, exact=exact)
        shuffled = u / root, sums[0] / root, sums[1], alpha
        if two_sided:
            low, high = shift_interval(
                *shuffled, exact=plan.keeps_all, tie=slack, rejected=p <= alpha
            )
        else:
            low = lowest_shift(*shuffled, exact=plan.keeps_all, tie=slack)
            beside = np.array([2 * slack])
            ends = low, math.inf
            low, high = agreeing(ends, u / root, 0.0, beside, rejected=p <= alpha)
        # Zero is the one value that readers look for: an end a rounding error away is at it.
        low, high = (
            0.0 if abs(end) <= slack else end * length * root for end in (low, high)
        )
        return low, high

    return ContrastCounts(
        u * length,
        interval,
        t,
        n_extreme,
        n_visited,
        n_distinct,
        exact=exact,
        sampled=not plan.keeps_all,
        engine="NumPy enumeration" if exact else found.engine,
        null=_null(sums[0], float(np.sum(fit.values**2)), fit.df, t),
    )


def _null(lengths: Floats, total: float, df: int, observed: float) -> Floats:
    errors = np.maximum(total - lengths**2, 0.0)
    null = student_t(lengths, errors, df, 64 * EPSILON * total)
    # Where a tie is only rounded apart, the null distribution says that it is a tie.
    null[np.isclose(null, observed, rtol=TIE, atol=0)] = observed
    return null


def contrast_of_many(test: ContrastTest) -> ContrastCounts:
    """Shuffle the residuals of more than two algorithms."""
    if test.work.exact:
        msg = (
            "A contrast of more than two algorithms has no exact test: their residuals are "
            f"shuffled at random. Leave {argument('exact', value=True)} out, or contrast two "
            "algorithms."
        )
        raise OptionError(msg, option="exact")
    plan = test.plan(Limits(free=0, exact=0, shuffles=MAX_SHUFFLES))
    u, length, t = test.observed()
    error = math.sqrt(float(test.fit.errors[0]))
    least = least_ratio(u, error, test.noise, two_sided=test.two_sided)
    least *= math.sqrt(test.fit.df)
    statistic = ResidualT(test.fit, test.coefficients, least, test.two_sided)
    found = test.work.visit(plan, statistic)
    null = found.kept[0].copy()
    null[np.isclose(null, t, rtol=TIE, atol=0)] = t
    value = u * length
    p = pvalue(int(found.counts[0][0]), found.n_visited, exact=False)
    beside = 2 * test.noise * length * np.array([-1.0, 1.0])

    def ends(alpha: float) -> tuple[float, float]:
        quantile = upper_quantile(np.abs(null) if test.two_sided else null, alpha)
        # Without error there is nothing to be unsure of.
        margin = quantile * length * error / math.sqrt(test.fit.df) if error else 0.0
        found_ends = value - margin, value + margin if test.two_sided else math.inf
        # p counts ties that are only rounded apart, and may be of more shuffles than are kept.
        return agreeing(found_ends, value, 0.0, beside, rejected=p <= alpha)

    return ContrastCounts(
        value,
        ends,
        t,
        int(found.counts[0][0]),
        found.n_visited,
        test.layout.restriction.count,
        exact=False,
        sampled=True,
        engine=found.engine,
        null=null,
    )


def weighted_fit(layout: Layout, profile: Floats) -> Fit:
    """Fit the algorithms to the weighted sums of scores."""
    noise = layout.noise * float(np.linalg.norm(profile))
    numbers = (layout.scores @ profile)[:, None]
    return Fit.of(numbers, layout.labels, layout.blocks, noise)

"""Is the difference above a bound, or below it? Tests of one bound, and the limits they give.

A difference is that of the candidate less the baseline, higher being better. Every test has two
one-sided p of "the difference is the bound", and the limits of the difference at any level; what
p says of the bound, the limits say too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.inference.sampling import Sampling
from curvewise.kernels.anova.thresholds import rounding
from curvewise.kernels.noncentral import noncentral_limit, noncentral_survival
from curvewise.kernels.pvalues import f_survival, upper_quantile
from curvewise.questions.compare.question import compare_curves
from curvewise.questions.contrast.question import contrast_at_levels

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import Center
    from curvewise.inference.work import Work
    from curvewise.questions.contrast.result import Contrast
    from curvewise.questions.gate.numbers import GateNumbers

__all__ = [
    "BoundTest",
    "Sides",
    "normal_test",
    "one_sided_relabellings",
    "shift_test",
    "shuffled_sides",
    "tied_test",
    "welch_shift_test",
    "welch_sides",
]


@dataclass(frozen=True, eq=False)
class BoundTest:
    """Two one-sided tests of whether the difference is ``bound``, and limits that agree.

    ``pvalue_above`` is small where the difference is above the bound. ``lowest`` and ``highest``
    give the limit of the difference at a level, before they are brought to agree. ``least`` is
    the smallest number that a difference can be.
    """

    bound: float
    value: float
    pvalue_above: float
    pvalue_below: float
    lowest: Callable[[float], float]
    highest: Callable[[float], float]
    sampling: Sampling
    least: float = -math.inf

    def floored(self) -> BoundTest:
        """Return the same with no p below what the number of runs allows, sampled or not."""
        floor = self.sampling.smallest_by_runs
        return replace(
            self,
            pvalue_above=max(self.pvalue_above, floor),
            pvalue_below=max(self.pvalue_below, floor),
            lowest=lambda level: self.lowest(level) if level >= floor else self.least,
            highest=lambda level: self.highest(level) if level >= floor else math.inf,
        )

    def low(self, level: float) -> float:
        """Return the lower limit: above the bound exactly if ``pvalue_above`` says so.

        It is at the estimate at most.
        """
        limit = min(self.lowest(level), self.value)
        if self.pvalue_above <= level:
            return max(limit, math.nextafter(self.bound, math.inf))
        return min(limit, self.bound)

    def high(self, level: float) -> float:
        """Return the upper limit: below the bound exactly if ``pvalue_below`` says so.

        It is at the estimate at least.
        """
        limit = max(self.highest(level), self.value)
        if self.pvalue_below <= level:
            return min(limit, math.nextafter(self.bound, -math.inf))
        return max(limit, self.bound)

    def in_units(self, unit: float, bound: float) -> BoundTest:
        """Return the same in other units, in which the bound is ``bound``."""
        return replace(
            self,
            bound=bound,
            value=self.value / unit,
            lowest=lambda level: self.lowest(level) / unit,
            highest=lambda level: self.highest(level) / unit,
        )

    def agreeing_with(self, other: BoundTest) -> BoundTest:
        """Return the test that rejects where both do; how it went is told of the other."""
        return replace(
            other,
            pvalue_above=max(self.pvalue_above, other.pvalue_above),
            pvalue_below=max(self.pvalue_below, other.pvalue_below),
            lowest=lambda level: min(self.lowest(level), other.lowest(level)),
            highest=lambda level: max(self.highest(level), other.highest(level)),
        )


@dataclass(frozen=True, eq=False)
class Sides:
    """Both one-sided tests of whether two algorithms are the same."""

    above: Callable[[float], Contrast]
    below: Callable[[float], Contrast]
    level: float

    @property
    def greater(self) -> Contrast:
        """What asks whether the candidate is above the baseline."""
        return self.above(self.level)

    @property
    def less(self) -> Contrast:
        """What asks whether it is below."""
        return self.below(self.level)


def shuffled_sides(
    numbers: GateNumbers, null: Curves, work: Work, *, alpha: float, center: Center
) -> Sides:
    """Shuffle the runs of ``null``, in which the two are the same under the hypothesis."""
    coefficients = {numbers.candidate: 1.0, numbers.baseline: -1.0}

    def side(alternative: Literal["greater", "less"]) -> Callable[[float], Contrast]:
        return contrast_at_levels(
            null, coefficients, work, alternative=alternative, alpha=alpha, center=center
        )

    # Limits are asked for more than once, and those of typical runs take long.
    return Sides(cache(side("greater")), cache(side("less")), alpha)


def shift_test(
    numbers: GateNumbers,
    bound: float,
    work: Work,
    *,
    alpha: float,
    center: Center = "mean",
) -> BoundTest:
    """Take the bound off the candidate and shuffle: exact where the two differ by a shift."""
    null = numbers.moved(-bound)
    sides = shuffled_sides(numbers, null, work, alpha=alpha, center=center)
    greater, less = sides.greater, sides.less
    value = bound + greater.value
    if center == "mean":
        value = float(numbers.weights @ numbers.values)
    noise = 2 * rounding(numbers.values, null.precision)
    noise *= float(np.linalg.norm(numbers.weights))

    def exactly(number: float) -> float:
        """Return 0 for what is a rounding error away from it: readers look for that."""
        return 0.0 if abs(number) <= noise else number

    return BoundTest(
        bound,
        exactly(value),
        greater.pvalue,
        less.pvalue,
        lambda level: exactly(bound + sides.above(level).interval.low),
        lambda level: exactly(bound + sides.below(level).interval.high),
        greater.sampling,
    )


def tied_test(numbers: GateNumbers, bound: float) -> BoundTest:
    """Test a bound at which all runs are the same: nothing is above it, nor below.

    At any other bound, either all runs of the candidate are above all of the baseline or all are
    below.
    """
    n_ways = one_sided_relabellings(numbers)
    return BoundTest(
        bound,
        bound,
        1.0,
        1.0,
        lambda _: bound,
        lambda _: bound,
        Sampling(exact=True, n_relabellings=n_ways, n_shuffles=n_ways, engine="all tied"),
    )


@dataclass(frozen=True, eq=False)
class WelchSides:
    """Both one-sided tests of equal means where spreads may differ.

    ``quantile`` gives, at a level, what |t| must exceed on the degrees of freedom ``df``; it is
    infinite where the runs are too few.
    """

    pvalue_above: float
    pvalue_below: float
    quantile: Callable[[float], float]
    df: float
    sampling: Sampling

    def tail(self, level: float) -> float:
        """Return the level at which Student's t on ``df`` has this quantile."""
        quantile = self.quantile(level)
        return f_survival(quantile**2, (1.0, self.df)) / 2


def welch_sides(
    numbers: GateNumbers, null: Curves, work: Work, alpha: float
) -> WelchSides:
    """Hold Welch's t against tables drawn with equal means, as `compare` does it.

    Draws are symmetric about 0, so that half of the two-sided p is that of one side.
    """
    found = compare_curves(
        null,
        work,
        overall="F",
        error="split",
        spread="unequal",
        alpha=2 * alpha,
    )
    effect = found.algorithm
    is_candidate = numbers.is_candidate
    lead = float(null.scores[is_candidate].mean() - null.scores[~is_candidate].mean())
    half = effect.pvalue / 2
    above, below = (half, 1 - half) if lead > 0 else (1 - half, half)
    if lead == 0:
        above = below = 0.5

    def quantile(level: float) -> float:
        return math.sqrt(upper_quantile(effect.null_distribution, 2 * level))

    sampling = Sampling(
        exact=False,
        # With fewer runs than a shuffle test needs, this one may not tell either.
        n_relabellings=one_sided_relabellings(numbers),
        n_shuffles=effect.n_shuffles,
        engine=found.engine,
        seed=found.seed,
        unit=found.sampling.unit,
    )
    return WelchSides(above, below, quantile, float(effect.df[1]), sampling)


def one_sided_relabellings(numbers: GateNumbers) -> int:
    """Return how many ways there are to choose the candidate's runs, inside blocks."""
    curves = numbers.curves
    blocks = np.zeros(curves.n_runs, dtype=np.int64)
    if curves.blocks is not None:
        blocks = np.unique(curves.blocks, return_inverse=True)[1]
    count = 1
    for block in np.unique(blocks):
        inside = numbers.is_candidate[blocks == block]
        count *= math.comb(len(inside), int(inside.sum()))
    return count


def welch_shift_test(
    numbers: GateNumbers, bound: float, work: Work, *, alpha: float
) -> BoundTest:
    """Test a shift where spreads may differ."""
    sides = welch_sides(numbers, numbers.moved(-bound), work, alpha)
    candidate, baseline = numbers.sides
    value = float(candidate.mean() - baseline.mean())
    error = math.sqrt(
        sum(float(np.var(own, ddof=1)) / len(own) for own in (candidate, baseline))
    )

    def margin(level: float) -> float:
        quantile = sides.quantile(level)
        return quantile * error if error else (math.inf if math.isinf(quantile) else 0.0)

    return BoundTest(
        bound,
        value,
        sides.pvalue_above,
        sides.pvalue_below,
        lambda level: value - margin(level),
        lambda level: value + margin(level),
        sides.sampling,
    )


def normal_test(numbers: GateNumbers, bound: float) -> BoundTest:
    """Test the difference in pooled standard deviations, of normal numbers.

    t is then noncentral, and its noncentrality is the difference in these units times √(harmonic
    number of runs).
    """
    candidate, baseline = numbers.sides
    sizes = numbers.n_runs
    df = sum(sizes) - 2
    pooled = math.sqrt(
        sum(float(np.sum((own - own.mean()) ** 2)) for own in (candidate, baseline)) / df
    )
    root = math.sqrt(1 / (1 / sizes[0] + 1 / sizes[1]))
    lead = float(candidate.mean() - baseline.mean())
    t = lead / pooled * root
    above = noncentral_survival(t, df, bound * root)
    return BoundTest(
        bound,
        t / root,
        above,
        1 - above,
        lambda level: noncentral_limit(t, df, level) / root,
        lambda level: noncentral_limit(t, df, 1 - level) / root,
        Sampling(
            exact=False,
            n_relabellings=one_sided_relabellings(numbers),
            n_shuffles=0,
            engine="noncentral t",
            unit="draw",
        ),
    )

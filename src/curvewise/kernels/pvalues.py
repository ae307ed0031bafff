"""P-values from counts, quantiles that agree with them, tails, intervals and adjustments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from curvewise.kernels import Floats, Integers


# --- The incomplete beta function and its inverse: the tails of F, t and binomial numbers.
#
# SciPy has them too, but importing its special functions takes twice as long as importing NumPy,
# and every verdict needs one of them.
#
# References: Loader (2000), "Fast and accurate computation of binomial probabilities", for the
# density; Press et al. (2007), Numerical Recipes, 6.4, for the continued fraction.

MAX_TERMS = 1_000_000
PRECISION = 1e-16
TINY = 1e-300
MAX_HALVINGS = 1_100  # from 1 to the smallest number


def beta_tail(a: float, b: float, x: float, y: float) -> float:
    """Return the probability that a beta variable of ``a`` and ``b`` is at most x, with y = 1 − x.

    Both x and y are given, so that neither loses digits when it is small.

    >>> round(beta_tail(2.0, 3.0, 0.25, 0.75), 8)
    0.26171875
    """
    if math.isnan(x):
        return math.nan
    if x <= 0:
        return 0.0
    if y <= 0:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - beta_tail(b, a, y, x)
    density = a * b / (a + b) * math.exp(_log_density(a, b, x, y))
    return min(density * _fraction(a, b, x) / a, 1.0)


def beta_quantile(a: float, b: float, probability: float) -> float:
    """Return the x up to which a beta variable of ``a`` and ``b`` lies with a probability.

    >>> round(beta_quantile(2.0, 3.0, 0.26171875), 8)
    0.25
    """
    low, high = 0.0, 1.0
    x = a / (a + b)
    for _ in range(MAX_HALVINGS):
        excess = beta_tail(a, b, x, 1 - x) - probability
        low, high = (x, high) if excess < 0 else (low, x)
        slope = a * b / (a + b) * math.exp(_log_density(a, b, x, 1 - x)) / (x * (1 - x))
        following = x - excess / slope if slope > 0 else low
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - x) <= 2 * PRECISION * x or following in {low, high}:
            return following
        x = following
    return x


def _log_density(a: float, b: float, x: float, y: float) -> float:
    """Return the logarithm of x^a y^b Γ(a + b + 1) / (Γ(a + 1) Γ(b + 1))."""
    n = a + b
    corrections = _stirling_error(n) - _stirling_error(a) - _stirling_error(b)
    deviances = _deviance(a, n * x) + _deviance(b, n * y)
    return corrections - deviances - 0.5 * math.log(2 * math.pi * a * b / n)


def _stirling_error(n: float) -> float:
    """Return log Γ(n + 1) less what Stirling's formula gives for it."""
    if n < 16:
        stirling = (n + 0.5) * math.log(n) - n + 0.5 * math.log(2 * math.pi)
        return math.lgamma(n + 1) - stirling
    square = n * n
    terms = 1 / 12, 1 / 360, 1 / 1260, 1 / 1680, 1 / 1188
    total = 0.0
    for term in reversed(terms):
        total = term - total / square
    return total / n


def _deviance(value: float, mean: float) -> float:
    """Return value × log(value / mean) + mean − value, also where the two are close."""
    gap = value - mean
    if abs(gap) >= 0.1 * (value + mean):
        return value * math.log(value / mean) - gap
    ratio = gap / (value + mean)
    total, term = gap * ratio, 2 * value * ratio
    square = ratio * ratio
    for power in range(3, MAX_TERMS, 2):
        term *= square
        following = total + term / power
        if following == total:
            break
        total = following
    return total


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    c = 1.0
    d = 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, MAX_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / _not_zero(1 + even * d)
        c = _not_zero(1 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / _not_zero(1 + odd * d)
        c = _not_zero(1 + odd / c)
        change = d * c
        value *= change
        if abs(change - 1) <= 2 * PRECISION:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY


# --- From counts of relabellings to p-values, and quantiles that agree with those p-values.

# Shuffles up to which a quantile takes less time than to import SciPy's special functions.
MAX_QUICK = 100_000

# alpha * count may round to just below a whole number: 0.29 * 100 is 28.999999999999996.
# This share of slack restores it.
WHOLE_NUMBER_SLACK = 1e-12


@overload
def pvalue(n_extreme: int, n_shuffles: int, *, exact: bool) -> float: ...
@overload
def pvalue(n_extreme: Integers, n_shuffles: int, *, exact: bool) -> Floats: ...
def pvalue(n_extreme: int | Integers, n_shuffles: int, *, exact: bool) -> float | Floats:
    """Return the share of relabellings at least as extreme as the observed one.

    An array of counts gives an array of p-values. Every relabelling is visited when
    ``exact``, the observed one among them. Otherwise the observed one is added to the
    sample, which is what makes the test valid.

    >>> pvalue(28, 999, exact=False)
    0.029
    """
    added = 0 if exact else 1
    return (n_extreme + added) / (n_shuffles + added)


def n_allowed(count: int, alpha: float, *, exact: bool) -> int:
    """Return how many of ``count`` relabellings may be as extreme while p is at most alpha.

    Negative where ``count`` is too small for any p to reach alpha; at most ``count − 1``,
    so that the result can be used as an index.

    >>> n_allowed(999, 0.05, exact=False), n_allowed(1716, 0.05, exact=True)
    (49, 85)
    """
    added = 0 if exact else 1
    # In integers: there may be more relabellings than a float can hold.
    part, whole = (float(alpha) * (1 + WHOLE_NUMBER_SLACK)).as_integer_ratio()
    largest = part * (int(count) + added) // whole
    return min(largest - added, count - 1)


def upper_quantile(null: Floats, alpha: float, *, exact: bool = False) -> float:
    """Return the value that a statistic must exceed for a p of at most alpha.

    ``null`` has the statistic of each relabelling: of all of them when ``exact``, else of a
    sample without the observed one. Infinite where the sample is too small for such a p.

    >>> upper_quantile(np.arange(19.0), 0.05), upper_quantile(np.arange(39.0), 0.05)
    (18.0, 37.0)
    """
    allowed = n_allowed(len(null), alpha, exact=exact)
    if allowed < 0:
        return math.inf
    place = len(null) - 1 - allowed
    return float(np.partition(null, place)[place])


def clopper_pearson(n_extreme: int, n_shuffles: int, confidence: float) -> tuple[float, float]:
    """Return the confidence interval of the p-value that all relabellings would give."""
    tail = (1 - confidence) / 2
    a, b = n_extreme, n_shuffles - n_extreme
    quantile = beta_quantile if n_shuffles <= MAX_QUICK else _quantile_of_many
    low = quantile(a, b + 1, tail) if a else 0.0
    high = quantile(a + 1, b, 1 - tail) if b else 1.0
    return low, high


def _quantile_of_many(a: float, b: float, probability: float) -> float:
    """Return a quantile of a beta variable in a time that does not grow with its parameters."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, probability))


def f_survival(statistic: float, df: tuple[float, float]) -> float:
    """Return the conventional p-value of an F, as if all scores were independent."""
    if math.isinf(statistic):
        return 0.0
    effect, error = df[0] * statistic, df[1]
    total = effect + error
    return beta_tail(df[1] / 2, df[0] / 2, error / total, effect / total)


def chi_squared_survival(value: float, df: int) -> float:
    """Return the probability that chi-squared with a whole number of ``df`` exceeds a value.

    >>> round(chi_squared_survival(3.841459, 1), 6), round(chi_squared_survival(9.487729, 4), 6)
    (0.05, 0.05)
    """
    half = value / 2
    odd = df % 2
    total = math.erfc(math.sqrt(half)) if odd else 0.0
    for place in range(df // 2):
        power = place + odd / 2
        if half > 0:
            total += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
        elif power == 0:
            total += 1.0
    return min(total, 1.0)


def t_survival(t: float, df: float) -> float:
    """Return the probability that Student's t with ``df`` degrees of freedom exceeds t."""
    beyond = f_survival(t * t, (1.0, df)) / 2
    return beyond if t >= 0 else 1 - beyond


def f_quantile(alpha: float, df: tuple[int, int]) -> float:
    """Return the value that an F of independent normal scores exceeds with probability alpha."""
    share = beta_quantile(df[1] / 2, df[0] / 2, alpha)
    return df[1] * (1 - share) / (df[0] * share)


def critical_value(null: Floats, alpha: float) -> float:
    """Return the ⌈(1 − α) z⌉-th of z sorted values."""
    # Round first, so that binary rounding cannot push ceil() one rank too far:
    # (1 − 0.059) * 1000 is 941.0000000000001.
    rank = math.ceil(round((1 - alpha) * len(null), 9))
    place = max(rank, 1) - 1
    return float(np.partition(null, place)[place])


def hedges_correction(df: int) -> float:
    """Return the factor that removes the small-sample bias of a standardised difference."""
    return math.exp(math.lgamma(df / 2) - math.log(math.sqrt(df / 2)) - math.lgamma((df - 1) / 2))


# --- Percentile intervals of any statistic, widened for few units, and jackknife errors.
#
# Efron & Tibshirani (1993), chapters 11 and 13; Hesterberg (2015), The American Statistician 69,
# 371-386.


def percentile(values: Floats, alpha: float) -> tuple[float, float]:
    """Return the interval between the α/2 and 1 − α/2 quantiles of the resampled values.

    Values may be infinite.
    """
    # Rounded outwards, so that the interval is not too short; and no interpolation, as
    # neighbouring values may be infinite.
    low = np.quantile(values, alpha / 2, method="lower")
    return float(low), float(np.quantile(values, 1 - alpha / 2, method="higher"))


def widened_level(alpha: float, sizes: Integers) -> float:
    """Return the level at which a percentile interval of few units is one of level ``alpha``.

    ``sizes`` has the number of units in each stratum, two or more. Resamples of n units vary
    too little, by (n − 1)/n, and their spread is an estimate, for which normal quantiles are
    too short: the quantile of Student's t, times √(n / (n − 1)), replaces the normal one.

    >>> round(widened_level(0.05, np.array([5, 5])), 4), widened_level(0.05, np.array([10**6]))
    (0.0099, 0.0499...)
    """
    from scipy.special import ndtr, stdtrit

    quantile = stdtrit(float(np.sum(sizes - 1)), 1 - alpha / 2)
    return float(2 * ndtr(-quantile * math.sqrt(float(np.mean(sizes / (sizes - 1))))))


def jackknife_error(values: Floats, strata: Integers) -> tuple[float, float]:
    """Return the standard error of a statistic, and its degrees of freedom.

    ``values`` are the statistic with each unit left out in turn, ``strata`` the stratum of
    that unit. A unit without which the statistic is undefined is passed over; the error is
    infinite if fewer than two of a stratum remain. The degrees of freedom are Welch's, 1 at
    least.

    >>> jackknife_error(np.array([2.5, 2.0, 1.5]), np.zeros(3, dtype=np.int64))
    (0.577..., 2.0)
    """
    influences = []
    for stratum in np.unique(strata):
        own = values[(strata == stratum) & np.isfinite(values)]
        if len(own) < 2:
            return math.inf, 1.0
        influences.append((len(own) - 1) * (own.mean() - own))
    largest = max(float(np.abs(own).max()) for own in influences)
    if largest == 0 or not math.isfinite(largest):
        return largest, 1.0
    # By a power of two, which changes no digit: squares of very large or small values are none.
    scale = math.ldexp(1.0, math.frexp(largest)[1])
    sizes = [len(own) for own in influences]
    variances = [
        float((own / scale) @ (own / scale)) / (n_units * (n_units - 1))
        for own, n_units in zip(influences, sizes, strict=True)
    ]
    total = sum(variances)
    squares = sum(own**2 / (n - 1) for own, n in zip(variances, sizes, strict=True))
    return scale * math.sqrt(total), max(total**2 / squares, 1.0)


# --- Student's t with an effect: power, limits of a standardised difference, spread at its worst.
#
# SciPy's special functions are imported by the functions that need them, as in `pvalues`.

MAX_SUMMED = 400  # degrees of freedom; with more, the normal approximation is as good
N_HALVINGS = 100  # of an interval: more than double precision can tell


def t_quantile(probability: float, df: float) -> float:
    """Return the value that Student's t stays below with this probability."""
    from scipy.special import stdtrit

    return float(stdtrit(df, probability))


def noncentral_survival(t: float, df: float, effect: float) -> float:
    """Return the probability that noncentral t exceeds ``t``; ``effect`` is its noncentrality.

    >>> round(noncentral_survival(1.7056, 26, math.sqrt(7)), 3)
    0.824
    """
    from scipy.special import nctdtr, ndtr

    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    if df <= MAX_SUMMED:
        # Mirrored, so that small chances of the upper tail are not lost in one minus them.
        found = float(nctdtr(df, -effect, -t)) if t > 0 else 1 - float(nctdtr(df, effect, t))
        if math.isfinite(found):
            return min(max(found, 0.0), 1.0)
    # Abramowitz & Stegun (1964), 26.7.10: near for many degrees of freedom, where the sums of
    # SciPy take long; and far out, where they give up.
    t_scaled = t * (1 - 1 / (4 * df))
    return float(ndtr((effect - t_scaled) / math.sqrt(1 + t * t / (2 * df))))


def noncentral_quantile(probability: float, df: float, effect: float) -> float:
    """Return the value that noncentral t stays below with this probability."""
    reach = abs(effect) * 4 + 1_000.0
    return _crossing(
        lambda t: noncentral_survival(t, df, effect) - (1 - probability), -reach, reach
    )


def noncentral_limit(t: float, df: float, probability: float) -> float:
    """Return the effect with which noncentral t exceeds ``t`` with this probability.

    The lower limit of an effect at a level is that of ``probability`` equal to the level, and
    the upper limit that of one minus it.
    """
    if math.isinf(t):
        return t
    reach = abs(t) * 4 + 100.0
    return -_crossing(
        lambda effect: noncentral_survival(t, df, -effect) - probability, -reach, reach
    )


def spread_factor(df: float, confidence: float) -> float:
    """Return by what a standard deviation may be too small, with this confidence.

    >>> round(spread_factor(8, 0.8), 3)
    1.32
    """
    from scipy.special import gammaincinv

    return math.sqrt(df / (2 * float(gammaincinv(df / 2, 1 - confidence))))


def _crossing(falls: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function crosses zero."""
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falls(middle) > 0 else (low, middle)
    return (low + high) / 2


# --- Adjustment of p-values for how many tests were made.

TIE = 1e-9  # statistics that differ by less than this share are equal but for rounding


def holm(pvalues: Floats) -> Floats:
    """Adjust so that the chance of any false alarm stays at alpha (Holm 1979).

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(pvalues, kind="stable")
    factors = np.arange(len(pvalues), 0, -1)
    stepped = np.maximum.accumulate(np.minimum(pvalues[order] * factors, 1.0))
    return stepped[np.argsort(order)]


def bonferroni(pvalues: Floats) -> Floats:
    """Multiply each p-value by the number of tests, to 1 at most.

    >>> bonferroni(np.array([0.01, 0.5, 0.03])).tolist()
    [0.03, 1.0, 0.09]
    """
    return np.minimum(pvalues * len(pvalues), 1.0)


def benjamini_hochberg(pvalues: Floats) -> Floats:
    """Adjust so that the expected share of false alarms among those named stays at alpha.

    Benjamini & Hochberg (1995), for independent tests, or tests that depend positively.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(pvalues, kind="stable")
    factors = len(pvalues) / np.arange(1, len(pvalues) + 1)
    # From the largest down: none may be larger than a less striking one.
    stepped = np.minimum.accumulate((pvalues[order] * factors)[::-1])[::-1]
    return np.minimum(stepped, 1.0)[np.argsort(order)]


def over_families(families: Sequence[Floats]) -> list[Floats]:
    """Adjust p-values that hold inside families for how many families there are.

    Among the families in which any adjusted p is at most alpha, the expected share with a false
    alarm stays at alpha, if families are independent and p at most x has chance x of a false
    alarm in each; inside a family the tests may depend on each other in any way (Benjamini &
    Bogomolov 2014, with families selected by Benjamini & Hochberg 1995). Families of one test
    each are adjusted as by `benjamini_hochberg`.

    >>> first, second = over_families([np.array([0.01, 0.2]), np.array([0.03])])
    >>> first.round(3).tolist(), second.round(3).tolist()
    ([0.02, 0.2], [0.03])
    """
    smallest = np.sort([family.min(initial=1.0) for family in families])
    factors = len(families) / np.arange(1, len(families) + 1)

    def adjusted(pvalues: Floats) -> Floats:
        # With r families selected, each of them is tested at alpha r / n_families.
        levels = np.maximum(pvalues[:, None], smallest) * factors
        return np.minimum(levels.min(axis=1), 1.0)

    return [adjusted(family) for family in families]


def n_different_at_least(pvalues: Floats, alpha: float) -> int:
    """Return how many of several null hypotheses are false, with confidence 1 − alpha.

    Partial conjunction (Benjamini & Heller 2008): the hypothesis that fewer than v are false is
    tested by Fisher's combination of all but the v − 1 smallest p, for v = 1, 2, … until one is
    not rejected. The tests must be independent.

    >>> n_different_at_least(np.array([0.001, 0.002, 0.6, 0.9]), 0.05)
    2
    """
    from scipy.special import gammaincc

    logs = -np.log(np.sort(pvalues))
    count = 0
    for left_out in range(len(logs)):
        rest = logs[left_out:]
        # −2 Σ log p is χ² on twice as many degrees of freedom as there are p.
        if gammaincc(len(rest), float(rest.sum())) > alpha:
            break
        count += 1
    return count


def least_maximum(observed: Floats) -> Floats:
    """Return the smallest maximum that counts as large as each observed one, given rounding."""
    # Infinity less a share of it is not a number.
    return np.where(np.isinf(observed), observed, observed * (1 - TIE * np.sign(observed)))


@dataclass(frozen=True, eq=False)
class MaxCounts:
    """Observed statistics, prepared for counting the maxima of relabellings in batches.

    Every statistic is compared with the largest of each relabelling (Westfall & Young 1993).
    The counts of several batches add up.
    """

    thresholds: Floats  # sorted: the smallest maximum that counts, one for each statistic
    ranks: Integers  # where the threshold of each observed statistic is among the sorted

    @classmethod
    def of(cls, observed: Floats) -> MaxCounts:
        """Sort the observed statistics, an array of any shape, less what may be rounding."""
        least = least_maximum(observed)
        order = np.argsort(least, axis=None, kind="stable")
        return cls(least.ravel()[order], np.argsort(order).reshape(least.shape))

    def count(self, maxima: Floats) -> Integers:
        """Return for each observed statistic how many of the maxima are at least as large.

        The result has the shape of the observed statistics.

        >>> MaxCounts.of(np.array([3.0, 1.0])).count(np.array([0.5, 2.0, 1.0])).tolist()
        [0, 2]
        """
        # A maximum counts for every threshold up to it, so for those of rank < n_reached.
        n_reached = np.searchsorted(self.thresholds, maxima, side="right")
        per_number = np.bincount(n_reached, minlength=len(self.thresholds) + 1)
        n_above_rank = np.cumsum(per_number[:0:-1])[::-1]
        return n_above_rank[self.ranks].astype(np.int64, copy=False)

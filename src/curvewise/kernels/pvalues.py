"""From counts of relabellings to p-values, and quantiles that agree with those p-values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from curvewise.kernels.incomplete_beta import beta_quantile, beta_tail

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = [
    "UpperTail",
    "chi_squared_survival",
    "clopper_pearson",
    "critical_value",
    "f_quantile",
    "f_survival",
    "hedges_correction",
    "n_allowed",
    "pvalue",
    "t_survival",
    "upper_quantile",
]

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


@dataclass(frozen=True, eq=False)
class UpperTail:
    """The largest values of a sample: what its upper quantiles up to a level are taken from.

    >>> tail = UpperTail.of(np.arange(39.0), 0.05)
    >>> tail.largest, tail.quantile(0.05), tail.quantile(0.025), tail.quantile(0.01)
    (array([37., 38.]), 37.0, 38.0, inf)
    """

    n_values: int
    largest: Floats  # the smaller ones first

    @classmethod
    def of(cls, null: Floats, alpha: float) -> UpperTail:
        """Keep what levels up to alpha need."""
        n_kept = max(n_allowed(len(null), alpha, exact=False), 0) + 1
        # Most values are below what a part of the sample shows, which is quick to see.
        part = null[: max(len(null) // 10, 1)]
        place = max(len(part) - 1 - 2 * n_kept * len(part) // len(null), 0)
        likely = null[null >= np.partition(part, place)[place]]
        largest = likely if len(likely) >= n_kept else null
        return cls(len(null), np.sort(largest)[-n_kept:])

    def quantile(self, level: float) -> float:
        """Return what `upper_quantile` returns of the whole sample, for a level up to alpha."""
        allowed = n_allowed(self.n_values, level, exact=False)
        return math.inf if allowed < 0 else float(self.largest[-1 - allowed])


def clopper_pearson(
    n_extreme: int, n_shuffles: int, confidence: float
) -> tuple[float, float]:
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
    return math.exp(
        math.lgamma(df / 2) - math.log(math.sqrt(df / 2)) - math.lgamma((df - 1) / 2)
    )

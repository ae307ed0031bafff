"""From counts to p-values, and what can be said about them.

SciPy's special functions take longer to import than a comparison takes to run, so they
are imported by the functions that need them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = [
    "clopper_pearson",
    "critical_value",
    "f_quantile",
    "f_survival",
    "hedges_correction",
    "pvalue",
]


def pvalue(n_extreme: int, n_shuffles: int, *, exact: bool) -> float:
    """Return the share of relabellings at least as extreme as the observed one.

    Every relabelling is visited when ``exact``, the observed one among them. Otherwise
    the observed one is added to the sample, which is what makes the test valid.

    >>> pvalue(28, 999, exact=False)
    0.029
    """
    added = 0 if exact else 1
    return (n_extreme + added) / (n_shuffles + added)


def clopper_pearson(
    n_extreme: int, n_shuffles: int, confidence: float
) -> tuple[float, float]:
    """Return the interval of the p-value that all relabellings would give."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    a, b = n_extreme, n_shuffles - n_extreme
    low = float(betaincinv(a, b + 1, tail)) if a else 0.0
    high = float(betaincinv(a + 1, b, 1 - tail)) if b else 1.0
    return low, high


def f_survival(statistic: float, df: tuple[float, float]) -> float:
    """Return the conventional p-value of an F, as if all scores were independent."""
    from scipy.special import fdtrc

    return 0.0 if math.isinf(statistic) else float(fdtrc(df[0], df[1], statistic))


def f_quantile(alpha: float, df: tuple[int, int]) -> float:
    """Return what an F of independent normal scores exceeds with probability alpha."""
    from scipy.special import fdtri

    return float(fdtri(df[0], df[1], 1 - alpha))


def critical_value(null: Floats, alpha: float) -> float:
    """Return the ⌈(1 − α) z⌉-th of z sorted values."""
    # 0.95 * 1000 is 950 to a reader, and must be to the ceiling as well.
    rank = math.ceil(round((1 - alpha) * len(null), 9))
    place = max(rank, 1) - 1
    return float(np.partition(null, place)[place])


def hedges_correction(df: int) -> float:
    """Return the factor that takes the small-sample bias off a standardised difference."""
    return math.exp(
        math.lgamma(df / 2) - math.log(math.sqrt(df / 2)) - math.lgamma((df - 1) / 2)
    )

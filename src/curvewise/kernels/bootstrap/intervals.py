"""Percentile intervals of any statistic, widened for few units, and jackknife errors.

Efron & Tibshirani (1993), chapters 11 and 13; Hesterberg (2015), The American Statistician 69,
371-386.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.codes import distinct

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = ["jackknife_error", "percentile", "widened_level"]


def percentile(values: Floats, alpha: float) -> tuple[float, float]:
    """Return the interval between the α/2 and 1 − α/2 quantiles of the resampled values.

    Values may be infinite.
    """
    ordered = np.sort(values)
    return _quantile(ordered, alpha / 2), _quantile(ordered, 1 - alpha / 2)


def _quantile(ordered: Floats, level: float) -> float:
    # Rounded outwards, so that the interval is not too short; and no interpolation, as
    # neighbouring values may be infinite.
    place = level * (len(ordered) - 1)
    rank = math.floor(place) if level < 0.5 else math.ceil(place)
    return float(ordered[min(max(rank, 0), len(ordered) - 1)])


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
    for stratum in distinct(strata):
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

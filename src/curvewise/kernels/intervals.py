"""Bootstrap intervals of any statistic: percentile, BCa and studentised.

Efron & Tibshirani (1993), chapters 12 to 14. Units are drawn within strata; the acceleration
and the standard errors come of leaving one unit out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = ["bca", "jackknife_error", "left_out", "percentile", "studentised"]

# A resample of few runs can have next to no spread: its standard error is taken to be at
# least this share of the observed one.
LEAST_ERROR = 1 / 3


def percentile(values: Floats, alpha: float) -> tuple[float, float]:
    """Return the interval between two quantiles of the resamples; values may be infinite."""
    ordered = np.sort(values)
    return _quantile(ordered, alpha / 2), _quantile(ordered, 1 - alpha / 2)


def _quantile(ordered: Floats, level: float) -> float:
    # Rounded outwards, and without arithmetic between values that may be infinite.
    place = level * (len(ordered) - 1)
    rank = math.floor(place) if level < 0.5 else math.ceil(place)
    return float(ordered[min(max(rank, 0), len(ordered) - 1)])


def left_out(counts: Floats, units: Integers) -> tuple[Floats, Integers]:
    """Return the counts with each drawn unit left out once; and which row, which unit.

    ``units`` says which unit each run belongs to; a unit that was drawn several times loses
    one of its draws.
    """
    n_units = int(units.max()) + 1
    first = np.array([np.argmax(units == unit) for unit in range(n_units)])
    rows, which = np.nonzero(counts[:, first] > 0)
    reduced = counts[rows] - (units[None, :] == which[:, None])
    return reduced, np.stack([rows, which])


def jackknife_error(
    values: Floats, weights: Floats, strata: Integers, rows: Integers, n_rows: int
) -> tuple[Floats, Floats]:
    """Return the standard error of a statistic, and its acceleration, for each row.

    ``values`` are the statistic with a unit left out, ``weights`` how often that unit was
    drawn, ``strata`` its stratum and ``rows`` the row that it was left out of.
    """
    second, third = np.zeros(n_rows), np.zeros(n_rows)
    for stratum in np.unique(strata):
        inside = strata == stratum
        row, value, weight = rows[inside], values[inside], weights[inside]
        size = np.bincount(row, weight, n_rows)
        mean = np.bincount(row, weight * value, n_rows) / np.maximum(size, 1)
        influence = (size[row] - 1) * (mean[row] - value)
        scaled = influence / np.maximum(size[row], 1)
        # With few units, n − 1 of n: leaving one out says little about the spread.
        bessel = size[row] / np.maximum(size[row] - 1, 1)
        second += np.bincount(row, weight * scaled**2 * bessel, n_rows)
        third += np.bincount(row, weight * scaled**3, n_rows)
    acceleration = np.zeros(n_rows)
    np.divide(third, 6 * second**1.5, out=acceleration, where=second > 0)
    return np.sqrt(second), acceleration


def bca(
    observed: float, values: Floats, acceleration: float, alpha: float
) -> tuple[float, float]:
    """Return the interval corrected for bias and for a spread that depends on the value."""
    from scipy.special import ndtr, ndtri

    below = np.mean(values < observed) + 0.5 * np.mean(values == observed)
    n = len(values)
    bias = ndtri(min(max(below, 0.5 / n), 1 - 0.5 / n))
    ordered = np.sort(values)
    ends = []
    for tail in (alpha / 2, 1 - alpha / 2):
        z = bias + ndtri(tail)
        level = float(ndtr(bias + z / (1 - acceleration * z)))
        ends.append(_quantile(ordered, level))
    return ends[0], ends[1]


def studentised(
    observed: float, error: float, values: Floats, errors: Floats, alpha: float
) -> tuple[float, float]:
    """Return the interval by the distribution of (value − observed) / its own error."""
    errors = np.maximum(errors, LEAST_ERROR * error)
    ratios = np.zeros_like(values)
    np.divide(values - observed, errors, out=ratios, where=errors > 0)
    low, high = percentile(ratios, alpha)
    return observed - high * error, observed - low * error

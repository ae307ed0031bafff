"""Bootstrap intervals of any statistic: percentile, BCa and studentised.

Efron & Tibshirani (1993), chapters 12 to 14. Units are drawn within strata; the acceleration
and the standard errors are those of the jackknife, which leaves one unit out at a time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.codes import distinct

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = [
    "MIN_ERROR_SHARE",
    "bca",
    "jackknife_error",
    "left_out",
    "percentile",
    "studentised",
]

# A resample of few runs can have next to no spread, and its t would then be of any size: its
# standard error is taken to be at least this share of the observed one.
MIN_ERROR_SHARE = 1 / 3


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


def left_out(counts: Floats, units: Integers) -> tuple[Floats, Integers]:
    """Return the counts with each drawn unit left out once, and which row and unit that was.

    ``counts`` is (n_resamples, n_runs) and ``units`` the unit of each run; a unit that was
    drawn several times loses one of its draws. The result is (n, n_runs) and (2, n).
    """
    n_units = int(units.max()) + 1
    first_run = np.array([np.argmax(units == unit) for unit in range(n_units)])
    rows, left_out_units = np.nonzero(counts[:, first_run] > 0)
    reduced = counts[rows] - (units[None, :] == left_out_units[:, None])
    return reduced, np.stack([rows, left_out_units])


def jackknife_error(
    values: Floats, weights: Floats, strata: Integers, rows: Integers, n_rows: int
) -> tuple[Floats, Floats]:
    """Return the standard error of a statistic, and its acceleration, for each resample.

    ``values`` are the statistic with a unit left out, ``weights`` how often that unit was
    drawn, ``strata`` its stratum and ``rows`` the resample that it was left out of. The
    results are (n_rows,).
    """
    second, third = np.zeros(n_rows), np.zeros(n_rows)
    for stratum in distinct(strata):
        inside = strata == stratum
        row, value, weight = rows[inside], values[inside], weights[inside]
        size = np.bincount(row, weight, n_rows)
        mean = np.bincount(row, weight * value, n_rows) / np.maximum(size, 1)
        influence = (size[row] - 1) * (mean[row] - value)
        scaled = influence / np.maximum(size[row], 1)
        # n / (n − 1) makes the variance of a mean unbiased, which matters with few units.
        bessel = size[row] / np.maximum(size[row] - 1, 1)
        second += np.bincount(row, weight * scaled**2 * bessel, n_rows)
        third += np.bincount(row, weight * scaled**3, n_rows)
    acceleration = np.zeros(n_rows)
    np.divide(third, 6 * second**1.5, out=acceleration, where=second > 0)
    return np.sqrt(second), acceleration


def bca(
    observed: float, values: Floats, acceleration: float, alpha: float
) -> tuple[float, float]:
    """Return the BCa interval: corrected for bias, and for an error that varies with the value.

    ``values`` are those of the resamples.
    """
    from scipy.special import ndtr, ndtri

    # The bias is the normal quantile of the share of resamples below the observed value.
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
    """Return the interval by the resampled distribution of t = (value − observed) / error.

    ``error`` is the standard error of the observed value, ``errors`` that of each resample.
    """
    errors = np.maximum(errors, MIN_ERROR_SHARE * error)
    ratios = np.zeros_like(values)
    np.divide(values - observed, errors, out=ratios, where=errors > 0)
    low, high = percentile(ratios, alpha)
    return observed - high * error, observed - low * error

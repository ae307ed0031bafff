"""p-values adjusted for how many of them were looked at."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = ["TIE", "bonferroni", "holm", "max_adjusted", "upper_quantile"]

TIE = 1e-9  # statistics that differ by less than this share are equal but for rounding


def holm(pvalues: Floats) -> Floats:
    """Adjust so that the chance of any false alarm stays at alpha (Holm 1979).

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(pvalues, kind="stable")
    factors = np.arange(len(pvalues), 0, -1)
    stepped = np.maximum.accumulate(np.minimum(pvalues[order] * factors, 1.0))
    adjusted = np.empty_like(stepped)
    adjusted[order] = stepped
    return adjusted


def bonferroni(pvalues: Floats) -> Floats:
    """Multiply each p by the number of them.

    >>> bonferroni(np.array([0.01, 0.5, 0.03])).tolist()
    [0.03, 1.0, 0.09]
    """
    return np.minimum(pvalues * len(pvalues), 1.0)


def max_adjusted(observed: Floats, maxima: Floats, *, exact: bool) -> Floats:
    """Hold every statistic against the largest of each relabelling (Westfall & Young 1993).

    ``maxima`` has the largest statistic of the family for each relabelling; when not all
    are visited (``exact``) the observed one is added to them.

    >>> max_adjusted(np.array([3.0, 1.0]), np.array([0.5, 2.0, 1.0]), exact=False).tolist()
    [0.25, 0.75]
    """
    # Infinity less a share of it is not a number.
    least = np.where(
        np.isinf(observed), observed, observed * (1 - TIE * np.sign(observed))
    )
    n_extreme = len(maxima) - np.searchsorted(np.sort(maxima), least, side="left")
    added = 0 if exact else 1
    return (n_extreme + added) / (len(maxima) + added)


def upper_quantile(null: Floats, alpha: float) -> float:
    """Return the value that a statistic must exceed for a sampled p of at most alpha.

    The observed statistic is one of the sample; too small a sample has no such value.

    >>> upper_quantile(np.arange(19.0), 0.05), upper_quantile(np.arange(39.0), 0.05)
    (18.0, 37.0)
    """
    allowed = math.floor(alpha * (len(null) + 1) * (1 + 1e-12)) - 1
    if allowed < 0:
        return math.inf
    place = len(null) - 1 - min(allowed, len(null) - 1)
    return float(np.partition(null, place)[place])

"""The shifts of one algorithm against another that the shuffle test does not reject.

Take δ off every run of the first of two algorithms and shuffle. A relabelling is then at
least as extreme as the observed one if |D* − δ c| ≥ |D − δ|, where D is the observed
difference, D* that of the relabelling, and c ∈ [−1, 1] tells how alike the two labellings
are. The left minus the right side, squared, is a parabola in δ with the roots
(D − D*)/(1 − c) and (D + D*)/(1 + c), so the relabelling counts exactly between them, and
both enclose D. The interval of δ with p > α can be read off the sorted roots.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = ["lowest_shift", "shift_interval"]

# Labellings whose likeness differs from ±1 by less than this are the same partition.
ALIKE = 1e-9


def shift_interval(
    observed: float, shuffled: Floats, likeness: Floats, alpha: float, *, exact: bool
) -> tuple[float, float]:
    """Return the lowest and highest shift with a p-value above ``alpha``.

    Infinite where the relabellings are too few to reject any shift.
    """
    nearer = _root(observed - shuffled, 1 - likeness)
    farther = _root(observed + shuffled, 1 + likeness)
    # A relabelling that only swaps names has one root and counts for every shift.
    always = np.abs(likeness) > 1 - ALIKE
    low = np.where(always, -np.inf, np.minimum(nearer, farther))
    high = np.where(always, np.inf, np.maximum(nearer, farther))
    allowed = _n_allowed(len(shuffled), alpha, exact=exact)
    if allowed < 0:
        return -math.inf, math.inf
    place = len(shuffled) - 1 - allowed
    lowest = np.partition(low, allowed)[allowed]
    highest = np.partition(high, place)[place]
    # Every pair of roots encloses the observed difference; rounding must not deny it.
    return min(float(lowest), observed), max(float(highest), observed)


def lowest_shift(
    observed: float, shuffled: Floats, likeness: Floats, alpha: float, *, exact: bool
) -> float:
    """Return the lowest shift with a one-sided p-value, for larger ones, above ``alpha``.

    A relabelling counts if D* − δ c ≥ D − δ, which is from (D − D*)/(1 − c) on.
    """
    roots = _root(observed - shuffled, 1 - likeness)
    roots[likeness > 1 - ALIKE] = -np.inf
    allowed = _n_allowed(len(shuffled), alpha, exact=exact)
    if allowed < 0:
        return -math.inf
    # Unlike the other test, this one may reject the observed difference: with alpha
    # above a half.
    return float(np.partition(roots, allowed)[allowed])


def _n_allowed(count: int, alpha: float, *, exact: bool) -> int:
    """Return how many relabellings may count before p exceeds alpha.

    A sample has the observed labelling added to it, which counts for every shift.
    """
    added = 0 if exact else 1
    return min(math.floor(alpha * (count + added) * (1 + 1e-12)) - added, count - 1)


def _root(numerator: Floats, denominator: Floats) -> Floats:
    out = np.zeros_like(numerator)
    np.divide(numerator, denominator, out=out, where=denominator > ALIKE)
    return out

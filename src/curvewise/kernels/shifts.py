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

__all__ = ["shift_interval"]

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
    count = len(shuffled)
    # How many relabellings may count before p exceeds alpha. A sample has the observed
    # labelling added to it, which counts for every shift.
    added = 0 if exact else 1
    allowed = min(math.floor(alpha * (count + added) * (1 + 1e-12)) - added, count - 1)
    if allowed < 0:
        return -math.inf, math.inf
    lowest = np.partition(low, allowed)[allowed]
    highest = np.partition(high, count - 1 - allowed)[count - 1 - allowed]
    # Every pair of roots encloses the observed difference; rounding must not deny it.
    return min(float(lowest), observed), max(float(highest), observed)


def _root(numerator: Floats, denominator: Floats) -> Floats:
    out = np.zeros_like(numerator)
    np.divide(numerator, denominator, out=out, where=denominator > ALIKE)
    return out

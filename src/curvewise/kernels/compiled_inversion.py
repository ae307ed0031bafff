"""The roots of `inversion` in compiled code, with the same digits."""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["enclosing_roots"]


@njit(inline="always", **OPTIONS)
def _root(numerator, denominator, tie, tolerance):
    if denominator > tolerance and abs(numerator) > tie:
        return numerator / denominator
    return 0.0


@njit(**OPTIONS)
def enclosing_roots(observed, shuffled, likeness, tie, tolerance):
    """Return the lower and the higher root of each relabelling, as `inversion` does."""
    low, high = np.empty(len(shuffled)), np.empty(len(shuffled))
    for place in range(len(shuffled)):
        other, like = shuffled[place], likeness[place]
        one = _root(observed - other, 1 - like, tie, tolerance)
        two = _root(observed + other, 1 + like, tie, tolerance)
        if abs(like) > 1 - tolerance:
            low[place], high[place] = -np.inf, np.inf
        else:
            low[place], high[place] = min(one, two), max(one, two)
    return low, high

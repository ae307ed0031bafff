"""Average relative reductions in compiled code, for work that repays importing numba."""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiled import OPTIONS, njit

__all__ = ["reductions"]


@njit(**OPTIONS)
def reductions(reached_c, reached_e, first, last):
    """Return the average reduction of each row, from running maxima; NaN if undefined."""
    n_rows, n_steps = reached_c.shape
    averages = np.empty(n_rows)
    for row in range(n_rows):
        low, high = min(first[row], last[row]), max(first[row], last[row])
        if low == high:
            averages[row] = np.nan
            continue
        # Walk up through the levels of both curves at once.
        x_c = x_e = 0
        while x_c < n_steps and reached_c[row, x_c] <= low:
            x_c += 1
        while x_e < n_steps and reached_e[row, x_e] <= low:
            x_e += 1
        level, total, unreached = low, 0.0, False
        while level < high:
            following = high
            if x_c < n_steps:
                following = min(following, reached_c[row, x_c])
            if x_e < n_steps:
                following = min(following, reached_e[row, x_e])
            else:
                unreached = True
            if x_c == n_steps:
                total += following - level
            else:
                total += (following - level) * (1.0 - (x_e + 1.0) / (x_c + 1.0))
            level = following
            while x_c < n_steps and reached_c[row, x_c] <= level:
                x_c += 1
            while x_e < n_steps and reached_e[row, x_e] <= level:
                x_e += 1
        averages[row] = np.nan if unreached else total / (high - low)
    return averages

"""Average relative reductions in compiled code, for work that repays importing numba.

The average of `metrics.relative_reduction`,

    1 / (high − low) ∫ 1 − x_E(p) / x_C(p) dp    for p from low to high,

where x(p) is the trial, counted from 1, on which a curve first exceeds p. Both x change only
at the levels that the running maxima of the curves take, so the integral is a sum over them.
Running maxima are sorted already: walking up both at once needs no sorting.
"""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["reductions"]


@njit(**OPTIONS)
def reductions(reached_c, reached_e, first, last):
    """Return the average reduction of each row; NaN if undefined.

    ``reached_c`` and ``reached_e`` are the running maxima of control and experimental
    curves; performance is from the smaller to the larger of ``first`` and ``last``.
    """
    n_rows, n_steps = reached_c.shape
    averages = np.empty(n_rows)
    for row in range(n_rows):
        low, high = min(first[row], last[row]), max(first[row], last[row])
        if low == high:
            averages[row] = np.nan
            continue
        # x_c and x_e are the trials, counted from 0, that first exceed the level; n_steps if
        # none does.
        x_c = x_e = 0
        while x_c < n_steps and reached_c[row, x_c] <= low:
            x_c += 1
        while x_e < n_steps and reached_e[row, x_e] <= low:
            x_e += 1
        level, total, unreached = low, 0.0, False
        while level < high:
            # Up to the next level of either curve, both x stay as they are.
            following = high
            if x_c < n_steps:
                following = min(following, reached_c[row, x_c])
            if x_e < n_steps:
                following = min(following, reached_e[row, x_e])
            else:
                unreached = True
            if x_c == n_steps:
                # A level that the control never reaches counts as a reduction of 1.
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

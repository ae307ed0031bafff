"""Mean curves and average relative reductions in compiled code, for work that repays importing numba.

The average of `metrics.relative_reduction`,

    1 / (high − low) ∫ 1 − x_E(p) / x_C(p) dp    for p from low to high,

where x(p) is the trial, counted from 1, on which a curve first exceeds p. Both x change only
at the levels that the running maxima of the curves take, so the integral is a sum over them. The
trial that first exceeds a level has the running maximum for its score: walking up both curves at
once needs no sorting, and no running maxima.
"""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["divide", "reductions"]

# The largest of some numbers is the same in whichever order they are compared.
ANY_ORDER = {"nnan", "nsz", "reassoc"}


@njit(**OPTIONS)
def reductions(control, experimental, last):
    """Return the average reduction of each row; NaN if undefined.

    ``control`` and ``experimental`` are curves, (n_rows, n_steps); performance is from the
    smaller to the larger of the first score of the control and ``last``.
    """
    n_rows, n_steps = control.shape
    averages = np.empty(n_rows)
    for row in range(n_rows):
        first = control[row, 0]
        low, high = min(first, last[row]), max(first, last[row])
        if low == high:
            averages[row] = np.nan
            continue
        # x_c and x_e are the trials, counted from 0, that first exceed the level; n_steps if
        # none does.
        x_c = x_e = 0
        level, total, unreached = low, 0.0, False
        while level < high:
            while x_c < n_steps and control[row, x_c] <= level:
                x_c += 1
            while x_e < n_steps and experimental[row, x_e] <= level:
                x_e += 1
            # Up to the next level of either curve, both x stay as they are.
            following = high
            if x_c < n_steps:
                following = min(following, control[row, x_c])
            if x_e < n_steps:
                following = min(following, experimental[row, x_e])
            else:
                unreached = True
            if x_c == n_steps:
                # A level that the control never reaches counts as a reduction of 1.
                total += following - level
            else:
                total += (following - level) * (1.0 - (x_e + 1.0) / (x_c + 1.0))
            level = following
        averages[row] = np.nan if unreached else total / (high - low)
    return averages


@njit(fastmath=ANY_ORDER, **OPTIONS)
def divide(sums, start, stop, sizes, most, least):
    """Divide the steps from ``start`` to ``stop`` of each row, (n_rows, n_steps), by its size.

    Raises ``most``, the largest of each row, and lowers ``least``, the smallest.
    """
    for row in range(len(sums)):
        size, largest, smallest = sizes[row], most[row], least[row]
        for step in range(start, stop):
            value = sums[row, step] / size
            sums[row, step] = value
            largest, smallest = max(largest, value), min(smallest, value)
        most[row], least[row] = largest, smallest

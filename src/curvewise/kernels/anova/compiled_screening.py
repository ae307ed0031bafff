"""Shares of steps for many tables, in compiled code: one pass where NumPy makes five."""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["add_shares"]


@njit(**OPTIONS)
def add_shares(sums, shift, of_all, of_step, together, largest):
    """Fill in the weighted sum over steps of (sums + shift)², and its largest weighted one.

    ``sums`` is (n_tables, n_steps, n), ``shift`` (n_steps, n), and the weights ``of_all`` and
    ``of_step`` are (n_tables, n_steps); ``together`` and ``largest`` are (n_tables, n).
    """
    n_tables, n_steps, n = sums.shape
    for table in range(n_tables):
        for place in range(n):
            together[table, place] = np.float32(0)
            largest[table, place] = np.float32(0)
        for step in range(n_steps):
            in_all, in_step = of_all[table, step], of_step[table, step]
            for place in range(n):
                square = sums[table, step, place] + shift[step, place]
                square *= square
                together[table, place] += in_all * square
                largest[table, place] = max(largest[table, place], in_step * square)

"""Looks at many tables, in compiled code: one pass where NumPy makes several."""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["add_shares", "count_between", "standardise", "to_values"]


@njit(**OPTIONS)
def add_shares(sums, shifts, of_all, of_step, shares):
    """Fill in the weighted sum over steps of (sums + shift)², and its largest weighted one.

    ``sums`` is (n_tables, n_steps, n), ``shifts`` (n_shifts, n_steps, n), the weights ``of_all``
    and ``of_step`` are (n_shifts, n_tables, n_steps), and ``shares`` (n_shifts, 2, n_tables, n).
    """
    n_tables, n_steps, n = sums.shape
    shares[:] = 0
    for moved in range(len(shifts)):
        for table in range(n_tables):
            together, largest = shares[moved, 0, table], shares[moved, 1, table]
            for step in range(n_steps):
                in_all = of_all[moved, table, step]
                in_step = of_step[moved, table, step]
                own, shift = sums[table, step], shifts[moved, step]
                for place in range(n):
                    square = own[place] + shift[place]
                    square *= square
                    together[place] += in_all * square
                    largest[place] = max(largest[place], in_step * square)


@njit(**OPTIONS)
def to_values(shares):
    """Turn shares r into (r / √(1 − r))^¼, in place; (4, n_tables, n)."""
    looks, n_tables, n = shares.shape
    one = np.float32(1)
    for look in range(looks):
        for table in range(n_tables):
            for place in range(n):
                share = shares[look, table, place]
                value = np.sqrt(share * share / (one - share))
                shares[look, table, place] = np.sqrt(np.sqrt(value))


@njit(fastmath={"reassoc", "nsz", "contract"}, **OPTIONS)
def standardise(values, n_learnt_from, times, deviations):
    """Take the mean of the first few values from all, and divide by their deviation, in place.

    ``values`` is (4, n_tables, n), and what comes out is multiplied by ``times``; it is 0 where
    there is no deviation. ``deviations``, (4, n_tables), is filled in.
    """
    looks, n_tables, n = values.shape
    for look in range(looks):
        for table in range(n_tables):
            total = np.float32(0)
            for place in range(n_learnt_from):
                total += values[look, table, place]
            mean = total / np.float32(n_learnt_from)
            squares = np.float32(0)
            for place in range(n_learnt_from):
                apart = values[look, table, place] - mean
                squares += apart * apart
            deviation = np.sqrt(squares / np.float32(n_learnt_from))
            deviations[look, table] = deviation
            scale = times / deviation if deviation > 0 else np.float32(0)
            for place in range(n):
                values[look, table, place] = (values[look, table, place] - mean) * scale


@njit(**OPTIONS)
def count_between(values, slack, fewest, most):
    """Count the values as large as the last one for sure, and those that may be.

    ``values`` is (n_tables, n), and the others (n_tables,).
    """
    n_tables, n = values.shape
    for table in range(n_tables):
        high = values[table, n - 1] + slack[table]
        low = values[table, n - 1] - slack[table]
        surely = perhaps = np.int32(0)
        for place in range(n - 1):
            surely += values[table, place] >= high
            perhaps += values[table, place] >= low
        fewest[table], most[table] = surely, perhaps

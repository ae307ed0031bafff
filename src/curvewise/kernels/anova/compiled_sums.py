"""Sums of squares between many groups in compiled code: the digits of `sums`, added in its order."""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["added_up_squares", "sums_of_groups"]


@njit(**OPTIONS)
def added_up_squares(labels, columns, sizes):
    """Return Σ |S_i|² / n_i of each relabelling and column; (n_relabellings, n_columns)."""
    n_relabellings, n_runs = labels.shape
    n_columns = columns.shape[1]
    squares = np.zeros((n_relabellings, n_columns))
    sums = np.empty(n_columns)
    order = np.empty(n_runs, dtype=np.uint32)
    ends = np.empty(len(sizes), dtype=np.int64)
    for row in range(n_relabellings):
        # The runs of a group side by side, in their order.
        end = 0
        for group in range(len(sizes)):
            ends[group] = end
            end += sizes[group]
        for run in range(n_runs):
            group = labels[row, run]
            order[ends[group]] = run
            ends[group] += 1
        own = squares[row]
        for group in range(len(sizes)):
            begin = ends[group] - sizes[group]
            sums[:] = columns[order[begin]]
            for place in range(begin + 1, ends[group]):
                run = order[place]
                for column in range(n_columns):
                    sums[column] += columns[run, column]
            weight = 1.0 / sizes[group]
            for column in range(n_columns):
                own[column] += sums[column] * sums[column] * weight
    return squares


@njit(**OPTIONS)
def sums_of_groups(labels, columns, n_groups):
    """Return the sums over all groups but the last; (n_relabellings, n_groups - 1, n_columns)."""
    n_relabellings, n_runs = labels.shape
    n_columns = columns.shape[1]
    sums = np.zeros((n_relabellings, n_groups - 1, n_columns))
    for row in range(n_relabellings):
        for run in range(n_runs):
            group = labels[row, run]
            if group < n_groups - 1:
                own = sums[row, group]
                for column in range(n_columns):
                    own[column] += columns[run, column]
    return sums

"""Sums of squares between many groups in compiled code: the digits of `sums`, added in its order."""

from __future__ import annotations

import math

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["added_up_squares", "largest_of_pairs", "sums_of_groups"]


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


@njit(**OPTIONS)
def largest_of_pairs(heights, products, first, second, variances):
    """Return the largest effects of any pair of groups: overall, in height and in shape; (3, n).

    Those of `contrasts`, with the same digits.
    """
    found = np.zeros((3, len(heights)))
    roots = np.empty(len(variances))
    for pair in range(len(variances)):
        roots[pair] = math.sqrt(variances[pair])
    for row in range(len(heights)):
        own, inner = heights[row], products[row]
        overall, height, shape = 0.0, 0.0, 0.0
        for pair in range(len(first)):
            one, other = first[pair], second[pair]
            u = (own[one] - own[other]) / roots[pair]
            of_height = u * u
            squares = inner[one, one] + inner[other, other] - 2 * inner[one, other]
            of_shape = max(squares, 0.0) / variances[pair]
            overall = max(overall, of_height + of_shape)
            height, shape = max(height, of_height), max(shape, of_shape)
        found[0, row], found[1, row], found[2, row] = overall, height, shape
    return found

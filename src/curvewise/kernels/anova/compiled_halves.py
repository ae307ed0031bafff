"""Sums of two halves in compiled code: the loops of `halving`, in the same order."""

from __future__ import annotations

import math

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["largest", "looks", "squares"]


@njit(**OPTIONS)
def squares(left, right):
    """Return the squares of sums of the first column, and those of the others added up; (2, n)."""
    n_columns, n_left = left.shape
    n_right = right.shape[1]
    found = np.zeros((2, n_left * n_right))
    for place in range(n_left):
        begin = place * n_right
        for column in range(n_columns):
            own, row = left[column, place], min(column, 1)
            for other in range(n_right):
                total = own + right[column, other]
                found[row, begin + other] += total * total
    return found


@njit(**OPTIONS)
def largest(left, right, slack):
    """Return the largest size of the sums of a column, plus its slack, over the columns; (n,)."""
    n_columns, n_left = left.shape
    n_right = right.shape[1]
    found = np.full(n_left * n_right, -np.inf)
    for place in range(n_left):
        begin = place * n_right
        for column in range(n_columns):
            own, more = left[column, place], slack[column]
            for other in range(n_right):
                size = abs(own + right[column, other]) + more
                found[begin + other] = max(found[begin + other], size)
    return found


@njit(**OPTIONS)
def looks(between, striking, weights, slack, max_share):
    """Return (r / √(1 − r))^¼ of the four looks, as `combined` does; (4, n)."""
    n_relabellings = len(striking)
    found = np.empty((4, n_relabellings))
    for look in range(4):
        for place in range(n_relabellings):
            if look == 3:
                root = striking[place]
            else:
                part = between[look - 1, place]
                if look == 0:
                    part = between[0, place] + between[1, place]
                root = math.sqrt(part * weights[look]) + slack[look]
            root = max(root, 0.0)
            share = min(root * root, max_share)
            found[look, place] = math.sqrt(math.sqrt(share / math.sqrt(1.0 - share)))
    return found

"""Sums of two halves in compiled code: the digits of `halving`, added in its order.

Eight columns at a time: their sums over one half stay in the nearest cache, and what is made of
them is read and written once for all eight.
"""

from __future__ import annotations

import math

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["largest", "looks", "ordered_sums", "squares", "sums"]

N_COLUMNS_AT_ONCE = 8


@njit(**OPTIONS)
def ordered_sums(columns, order):
    """Return the sum of each subset of the runs, in the order given; a row for each column."""
    n_columns, n_runs = columns.shape
    every = np.empty(2**n_runs)
    found = np.empty((n_columns, len(order)))
    for column in range(n_columns):
        every[0], size = 0.0, 1
        for run in range(n_runs):
            # With one run more, the subsets that have it follow those that do not.
            value = columns[column, run]
            for place in range(size):
                every[size + place] = every[place] + value
            size *= 2
        for place in range(len(order)):
            found[column, place] = every[order[place]]
    return found


@njit(inline="always", **OPTIONS)
def _count(left_edges, right_edges):
    """Return how many relabellings there are."""
    n_classes, count = len(left_edges) - 1, 0
    for n_left in range(n_classes):
        n_right = n_classes - 1 - n_left
        count += (left_edges[n_left + 1] - left_edges[n_left]) * (
            right_edges[n_right + 1] - right_edges[n_right]
        )
    return count


@njit(**OPTIONS)
def sums(left, left_edges, right, right_edges):
    """Return the sum of each column of every relabelling; (n_columns, n_relabellings)."""
    n_columns, n_classes = len(left), len(left_edges) - 1
    found = np.empty((n_columns, _count(left_edges, right_edges)))
    for column in range(n_columns):
        begin = 0
        for n_left in range(n_classes):
            n_right = n_classes - 1 - n_left
            others = right[column, right_edges[n_right] : right_edges[n_right + 1]]
            for place in range(left_edges[n_left], left_edges[n_left + 1]):
                own, row = left[column, place], found[column, begin : begin + len(others)]
                for other in range(len(others)):
                    row[other] = own + others[other]
                begin += len(others)
    return found


@njit(inline="always", **OPTIONS)
def _eight_rows(sides, first, start, stop):
    """Return eight rows of an array, from ``start`` to ``stop``."""
    return (
        sides[first, start:stop],
        sides[first + 1, start:stop],
        sides[first + 2, start:stop],
        sides[first + 3, start:stop],
        sides[first + 4, start:stop],
        sides[first + 5, start:stop],
        sides[first + 6, start:stop],
        sides[first + 7, start:stop],
    )


@njit(inline="always", **OPTIONS)
def _eight(sides, first, place):
    """Return one number of eight rows."""
    return (
        sides[first, place],
        sides[first + 1, place],
        sides[first + 2, place],
        sides[first + 3, place],
        sides[first + 4, place],
        sides[first + 5, place],
        sides[first + 6, place],
        sides[first + 7, place],
    )


@njit(**OPTIONS)
def squares(left, left_edges, right, right_edges, found):
    """Write the squares of sums, added up over the columns, to ``found``; (n_relabellings,)."""
    n_columns, n_classes = len(left), len(left_edges) - 1
    n_whole = n_columns - n_columns % N_COLUMNS_AT_ONCE
    found[:] = 0.0
    for column in range(0, n_whole, N_COLUMNS_AT_ONCE):
        begin = 0
        for n_left in range(n_classes):
            n_right = n_classes - 1 - n_left
            start, stop = right_edges[n_right], right_edges[n_right + 1]
            r0, r1, r2, r3, r4, r5, r6, r7 = _eight_rows(right, column, start, stop)
            for place in range(left_edges[n_left], left_edges[n_left + 1]):
                a0, a1, a2, a3, a4, a5, a6, a7 = _eight(left, column, place)
                row = found[begin : begin + stop - start]
                for other in range(stop - start):
                    # One after the other, as NumPy adds them.
                    total = row[other]
                    total += (a0 + r0[other]) * (a0 + r0[other])
                    total += (a1 + r1[other]) * (a1 + r1[other])
                    total += (a2 + r2[other]) * (a2 + r2[other])
                    total += (a3 + r3[other]) * (a3 + r3[other])
                    total += (a4 + r4[other]) * (a4 + r4[other])
                    total += (a5 + r5[other]) * (a5 + r5[other])
                    total += (a6 + r6[other]) * (a6 + r6[other])
                    total += (a7 + r7[other]) * (a7 + r7[other])
                    row[other] = total
                begin += stop - start
    for column in range(n_whole, n_columns):
        begin = 0
        for n_left in range(n_classes):
            n_right = n_classes - 1 - n_left
            others = right[column, right_edges[n_right] : right_edges[n_right + 1]]
            for place in range(left_edges[n_left], left_edges[n_left + 1]):
                own, row = left[column, place], found[begin : begin + len(others)]
                for other in range(len(others)):
                    row[other] += (own + others[other]) * (own + others[other])
                begin += len(others)


@njit(**OPTIONS)
def largest(left, left_edges, right, right_edges, slack):
    """Return the largest size of the sums of a column, plus its slack; (n_relabellings,)."""
    n_columns, n_classes = len(left), len(left_edges) - 1
    n_whole = n_columns - n_columns % N_COLUMNS_AT_ONCE
    found = np.full(_count(left_edges, right_edges), -np.inf)
    for column in range(0, n_whole, N_COLUMNS_AT_ONCE):
        s0, s1, s2, s3, s4, s5, s6, s7 = _eight(slack.reshape((-1, 1)), column, 0)
        begin = 0
        for n_left in range(n_classes):
            n_right = n_classes - 1 - n_left
            start, stop = right_edges[n_right], right_edges[n_right + 1]
            r0, r1, r2, r3, r4, r5, r6, r7 = _eight_rows(right, column, start, stop)
            for place in range(left_edges[n_left], left_edges[n_left + 1]):
                a0, a1, a2, a3, a4, a5, a6, a7 = _eight(left, column, place)
                row = found[begin : begin + stop - start]
                for other in range(stop - start):
                    one = max(abs(a0 + r0[other]) + s0, abs(a1 + r1[other]) + s1)
                    two = max(abs(a2 + r2[other]) + s2, abs(a3 + r3[other]) + s3)
                    three = max(abs(a4 + r4[other]) + s4, abs(a5 + r5[other]) + s5)
                    four = max(abs(a6 + r6[other]) + s6, abs(a7 + r7[other]) + s7)
                    eight = max(one, two, three, four)
                    row[other] = max(row[other], eight)
                begin += stop - start
    for column in range(n_whole, n_columns):
        begin, more = 0, slack[column]
        for n_left in range(n_classes):
            n_right = n_classes - 1 - n_left
            others = right[column, right_edges[n_right] : right_edges[n_right + 1]]
            for place in range(left_edges[n_left], left_edges[n_left + 1]):
                own, row = left[column, place], found[begin : begin + len(others)]
                for other in range(len(others)):
                    row[other] = max(row[other], abs(own + others[other]) + more)
                begin += len(others)
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

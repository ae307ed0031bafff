"""Every relabelling of any groups, in blocks or not, counted in compiled code by its rank.

The relabellings, their order and their number are those of `Enumeration`.
"""

from __future__ import annotations

import numpy as np

from curvewise.kernels.anova.compiled_shuffles import JUDGED_AT_ONCE, count_orders
from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["count_ranks", "label_ranked"]


@njit(inline="always", **OPTIONS)
def _take(digit, available, n_available, n_chosen, ways, chosen):
    """Choose runs as `enumeration._combinations` does; those that are left move forward."""
    n_left = 0
    n_taken = 0
    for item in range(n_available):
        with_item = 0
        if n_taken < n_chosen:
            with_item = ways[n_available - item - 1, n_chosen - n_taken - 1]
        if digit < with_item:
            chosen[n_taken] = available[item]
            n_taken += 1
        else:
            digit -= with_item
            available[n_left] = available[item]
            n_left += 1


@njit(inline="always", **OPTIONS)
def label_ranked(rank, blocks, draws, groups, ways, left, union, chosen, labels):
    """Fill in the labels of the relabelling of one rank.

    ``blocks`` lists the runs of each block; ``draws``, (n_draws, 4), the block, the size of the
    groups, how many there are, and where they begin in ``groups``; ``ways`` binomial
    coefficients. ``left``, ``union`` and ``chosen`` are room for runs.
    """
    current, n_left = -1, 0
    for draw in range(len(draws)):
        block, size, n_groups, first_group = draws[draw]
        if block != current:
            current, n_left = block, 0
            for run in range(len(blocks)):
                if blocks[run] == block:
                    left[n_left] = run
                    n_left += 1
        n_union = n_groups * size
        rank, digit = divmod(rank, ways[n_left, n_union])
        _take(digit, left, n_left, n_union, ways, union)
        n_left -= n_union
        for number in range(n_groups - 1):
            group = groups[first_group + number]
            # The first run that is left, and some others.
            labels[union[0]] = group
            for place in range(1, n_union):
                union[place - 1] = union[place]
            n_union -= 1
            rank, digit = divmod(rank, ways[n_union, size - 1])
            _take(digit, union, n_union, size - 1, ways, chosen)
            for place in range(size - 1):
                labels[chosen[place]] = group
            n_union -= size - 1
        for place in range(n_union):
            labels[union[place]] = groups[first_group + n_groups - 1]


@njit(**OPTIONS)
def count_ranks(
    first, last, blocks, draws, groups, ways, edges, summed, weights, heights, rows, width,
    unit, factor, coordinates, slopes, bounds, margins,
):  # fmt: skip
    """Count the relabellings of ranks ``first`` to ``last``; the rest is as for `count_orders`."""
    counts = np.zeros(5, dtype=np.int64)
    n_runs = len(blocks)
    left, union, chosen = (
        np.empty(n_runs, dtype=np.int64),
        np.empty(n_runs, dtype=np.int64),
        np.empty(n_runs, dtype=np.int64),
    )
    labels = np.empty(n_runs, dtype=np.int64)
    orders = np.empty((JUDGED_AT_ONCE, n_runs), dtype=np.uint32)
    places = np.empty(len(edges), dtype=np.int64)
    n_waiting = 0
    for rank in range(first, last):
        label_ranked(rank, blocks, draws, groups, ways, left, union, chosen, labels)
        places[:] = edges
        for run in range(n_runs):
            orders[n_waiting, places[labels[run]]] = run
            places[labels[run]] += 1
        n_waiting += 1
        if n_waiting == JUDGED_AT_ONCE or rank == last - 1:
            count_orders(
                orders[:n_waiting], edges, summed, weights, heights, rows, width, unit, factor,
                coordinates, slopes, bounds, margins, counts,
            )  # fmt: skip
            n_waiting = 0
    return counts

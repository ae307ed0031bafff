"""Compiled counting of shuffles, for work that repays the time that importing numba takes.

Each function draws the very relabellings that `Shuffles` draws and counts those that are at
least as extreme as the observed one. For two groups a relabelling is a mask of bits, and with
s for the sum of the coordinates of the runs in the mask, times the factor of `sums`,

    SS_alg = s_0²,    SS_int = Σ_{h≥1} s_h².                                           (1)

Formula (2), which relabellings count, is that of `compiled_rule`.

- Two algorithms, few runs: every mask is judged once, and then looked up.
- Two algorithms, more runs: the sums of all subsets of a few runs are tabulated, and

    s_h = Σ_parts s_h(part)                                                            (3)

  in single precision.
- Otherwise runs are drawn one by one, and with S_i for the sums of the groups

    SS_int = Σ_i w_i Σ_{h≥1} S_ih²                                                     (4)

  in single precision, where that holds (`plain_sizes`); of two groups the smaller one does.

Where single precision leaves a value so near its bound, within a margin, that it could matter,
the value is computed again in double precision; so the counts are those of the NumPy kernel.
Heights are in double precision throughout.
"""

from __future__ import annotations

import numpy as np

from curvewise.kernels.anova.compiled_rule import (
    EMPTY_TALLY,
    add_if_sure,
    count_one,
    is_near,
    tallied,
)
from curvewise.kernels.anova.compiled_vectors import squared_sum, sums_of_parts
from curvewise.kernels.compiling import OPTIONS, njit
from curvewise.kernels.relabelling.compiled_draws import (
    GOLDEN_GAMMA,
    ONE,
    U,
    batch_key,
    draw_masks,
    draw_order,
    mixed,
    n_bits,
)
from curvewise.kernels.relabelling.streams import BATCH

__all__ = [
    "count_draws",
    "count_orders",
    "count_parts",
    "count_verdicts",
    "judge_candidates",
    "recount",
]

# Shuffles judged at a time: if one of them is near a bound, so many are judged one by one.
JUDGED_AT_ONCE = 64
ACCEPTED = (
    32  # the bit of a verdict that says that a candidate is a mask; below it are the five
)
FIELD_BITS = (
    12  # of a word that counts five statistics side by side: a batch fits into each
)


@njit(**OPTIONS)
def judge_candidates(
    rule, starts, n_completions, completions, low_sums, high_sums, slopes, bounds
):
    """Return a verdict, of 8 bits, on each candidate that `draw_masks` may draw.

    Bit k says whether formula (2) holds for statistic k, and `ACCEPTED` whether the candidate is
    a mask at all; if not, the verdict is 0. ``low_sums`` and ``high_sums`` have s, of formula
    (1), of every subset of the lower and the upper runs.
    """
    n_free, n_index, _ = rule
    n_low = 0
    while 1 << n_low < len(low_sums):
        n_low += 1
    low_bits = U(len(low_sums) - 1)
    verdicts = np.zeros(1 << (n_free + n_index), dtype=np.uint8)
    for free in range(1 << n_free):
        n_set = n_bits(U(free))
        for index in range(n_completions[n_set]):
            mask = U(free) | completions[starts[n_set] + index]
            low, high = low_sums[mask & low_bits], high_sums[mask >> U(n_low)]
            shape = 0.0
            for h in range(1, len(low)):
                value = low[h] + high[h]
                shape += value * value
            height = (low[0] + high[0]) ** 2
            verdict = ACCEPTED
            for row in range(5):
                value = slopes[row, 0] * height + slopes[row, 1] * shape
                verdict |= np.int64(value >= bounds[row]) << row
            verdicts[free | (index << n_free)] = verdict
    return verdicts


@njit(**OPTIONS)
def count_verdicts(seed, first, last, rule, verdicts):
    """Count batches ``first`` to ``last`` by looking up the verdict on each candidate."""
    n_free, n_index, per_word = rule
    width = U(n_free + n_index)
    whole = (ONE << width) - ONE
    # What a verdict adds to a word of five counts.
    increments = np.zeros(2 * ACCEPTED, dtype=np.uint64)
    for verdict in range(2 * ACCEPTED):
        for row in range(5):
            increments[verdict] |= U((verdict >> row) & 1) << U(FIELD_BITS * row)
    counts = np.zeros(5, dtype=np.int64)
    for batch in range(first, last):
        key = batch_key(seed, batch)
        found, tally = 0, U(0)
        while found < BATCH:
            # So many words cannot hold more masks than are missing.
            n_words = (BATCH - found) // per_word
            for _ in range(n_words):
                key += GOLDEN_GAMMA
                word = mixed(key)
                for _ in range(per_word):
                    verdict = verdicts[word & whole]
                    word >>= width
                    tally += increments[verdict]
                    found += verdict >> 5
            if n_words == 0:
                key += GOLDEN_GAMMA
                word = mixed(key)
                for _ in range(per_word):
                    verdict = verdicts[word & whole]
                    word >>= width
                    if found < BATCH:
                        tally += increments[verdict]
                        found += verdict >> 5
        for row in range(5):
            counts[row] += np.int64((tally >> U(FIELD_BITS * row)) & U(2**FIELD_BITS - 1))
    return counts


@njit(**OPTIONS)
def recount(mask, coordinates, scale, slopes, bounds, counts):
    """Judge one mask by formula (1), in the order in which the NumPy kernel adds up."""
    n_runs, n_coordinates = coordinates.shape
    shape = 0.0
    height = 0.0
    for h in range(n_coordinates):
        total = 0.0
        for run in range(n_runs):
            if (mask >> U(run)) & ONE:
                total += coordinates[run, h]
        total *= scale
        if h == 0:
            height = total * total
        else:
            shape += total * total
    count_one(height, shape, slopes, bounds, counts)


@njit(**OPTIONS)
def _count_sure(heights, shapes, slopes, bounds, margins, counts):
    """Count relabellings all at once, and return True; False if any is near a bound."""
    tally = EMPTY_TALLY
    for place in range(len(heights)):
        tally = tallied(tally, heights[place], shapes[place], slopes, bounds, margins)
    return add_if_sure(tally, counts)


@njit(**OPTIONS)
def _sum_parts(masks, bits, n_parts, part_heights, rows, width, unit, heights, shapes):
    """Fill in SS_alg and SS_int of each mask by formulas (3) and (1).

    ``rows`` has, part after part, the sums of its 2^bits subsets, each a row of ``width``
    numbers in units whose square is ``unit``; ``part_heights`` their heights.
    """
    for place in range(BATCH):
        total, squares = sums_of_parts(
            rows, part_heights, masks[place], U(bits), U(n_parts), U(width)
        )
        heights[place] = total * total
        shapes[place] = unit * squares


@njit(**OPTIONS)
def count_parts(
    seed, first, last, rule, starts, n_completions, completions, bits, n_parts, part_heights,
    rows, width, unit, coordinates, scale, slopes, bounds, margins,
):  # fmt: skip
    """Count batches ``first`` to ``last`` by formula (3): tables of the sums of parts."""
    counts = np.zeros(5, dtype=np.int64)
    masks = np.empty(BATCH + 64, dtype=np.uint64)
    heights, shapes = np.empty(BATCH), np.empty(BATCH)
    for batch in range(first, last):
        draw_masks(
            batch_key(seed, batch), rule, starts, n_completions, completions, masks
        )
        _sum_parts(masks, bits, n_parts, part_heights, rows, width, unit, heights, shapes)
        for start in range(0, BATCH, JUDGED_AT_ONCE):
            stop = start + JUDGED_AT_ONCE
            if _count_sure(
                heights[start:stop], shapes[start:stop], slopes, bounds, margins, counts
            ):
                continue
            for place in range(start, stop):
                if is_near(heights[place], shapes[place], slopes, bounds, margins):
                    recount(masks[place], coordinates, scale, slopes, bounds, counts)
                else:
                    count_one(heights[place], shapes[place], slopes, bounds, counts)
    return counts


@njit(**OPTIONS)
def _recount_draw(order, edges, factor, coordinates, slopes, bounds, counts, sums):
    """Judge one relabelling by |Lᵀ S|², as the NumPy kernel does.

    ``sums`` is room for the sums of every group but the last, and one row more.
    """
    n_sums, n_coordinates = len(factor), coordinates.shape[1]
    for group in range(n_sums):
        own = sums[group]
        own[:] = 0.0
        for place in range(edges[group], edges[group + 1]):
            run = order[place]
            for h in range(n_coordinates):
                own[h] += coordinates[run, h]
    combined = sums[n_sums]
    height = 0.0
    shape = 0.0
    for row in range(n_sums):
        # L is lower triangular: row i of Lᵀ begins at group i.
        combined[:] = 0.0
        for group in range(row, n_sums):
            weight = factor[group, row]
            for h in range(n_coordinates):
                combined[h] += weight * sums[group, h]
        height += combined[0] * combined[0]
        for h in range(1, n_coordinates):
            shape += combined[h] * combined[h]
    count_one(height, shape, slopes, bounds, counts)


@njit(**OPTIONS)
def count_orders(
    orders, edges, summed, weights, heights, rows, width, unit, factor, coordinates, slopes,
    bounds, margins, counts,
):  # fmt: skip
    """Count relabellings by formula (4), or by |Lᵀ S|² where that does not settle it.

    A row of ``orders`` has the runs of group 0, then of group 1, and so on, and ``edges`` where
    each begins. ``summed`` are the groups of formula (4), ``weights`` their w, and ``rows`` the
    shapes of the runs, of ``width`` numbers each, in units whose square is ``unit``. Without
    groups to sum, each relabelling is judged in double precision.
    """
    n_runs = orders.shape[1]
    row_starts = np.empty(n_runs, dtype=np.uint64)
    sums = np.empty((len(factor) + 1, coordinates.shape[1]))
    for number in range(len(orders)):
        order = orders[number]
        for place in range(n_runs):
            row_starts[place] = U(order[place]) * U(width)
        height = 0.0
        shape = 0.0
        for each in range(len(summed)):
            begin, end = edges[summed[each]], edges[summed[each] + 1]
            total = 0.0
            for place in range(begin, end):
                total += heights[order[place]]
            height += weights[each] * total * total
            squares = squared_sum(rows, row_starts, begin, end, (0, width))
            shape += weights[each] * squares
        shape *= unit
        if len(summed) > 0 and not is_near(height, shape, slopes, bounds, margins):
            count_one(height, shape, slopes, bounds, counts)
        else:
            _recount_draw(order, edges, factor, coordinates, slopes, bounds, counts, sums)


@njit(**OPTIONS)
def count_draws(
    seed, first, last, runs, firsts, lasts, order_of_places, edges, summed, weights, heights,
    rows, width, unit, factor, coordinates, slopes, bounds, margins,
):  # fmt: skip
    """Count batches ``first`` to ``last`` by drawing runs one by one and formula (4).

    ``runs``, ``firsts`` and ``lasts`` are those of `DrawPlan`; ``order_of_places`` lists the
    places of group 0, then of group 1, and so on; the rest is as for `count_orders`.
    """
    counts = np.zeros(5, dtype=np.int64)
    n_runs = len(runs)
    drawn = np.empty(n_runs, dtype=np.uint32)
    # Unsigned: an index needs no check for < 0.
    orders = np.empty((JUDGED_AT_ONCE, n_runs), dtype=np.uint32)
    for batch in range(first, last):
        key = batch_key(seed, batch)
        for _ in range(BATCH // JUDGED_AT_ONCE):
            for number in range(JUDGED_AT_ONCE):
                key = draw_order(key, runs, firsts, lasts, drawn)
                # The runs of a group side by side.
                for place in range(n_runs):
                    orders[number, place] = drawn[order_of_places[place]]
            count_orders(
                orders, edges, summed, weights, heights, rows, width, unit, factor,
                coordinates, slopes, bounds, margins, counts,
            )  # fmt: skip
    return counts

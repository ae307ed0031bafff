"""Compiled counting of shuffles, for work that repays the second that importing numba takes.

Each function draws the very relabellings that `Shuffles` draws and counts those that are at
least as extreme as the observed one. For two groups a relabelling is a mask of bits, and with
s for the sum of the coordinates of the runs in the mask, times the factor of `sums`,

    SS_alg = s_0²,    SS_int = Σ_{h≥1} s_h².                                           (1)

Formula (2), which relabellings count, is that of `compiled_rule`. The sums come from tables of all subsets of a few runs, so that no run is looked at by itself:

- two algorithms, few runs: the mask is cut into three parts x, y and z. The inner products of
  any two parts are tabulated, and the cost does not depend on the number of coordinates:

    SS_int = |s_x + s_y + s_z|² = T_xy + T_xz + T_yz,    T_xy = 2 s_x·s_y + |s_x|², …  (3)

- two algorithms, more runs: the sums of each part are tabulated and added up,

    s_h = Σ_parts s_h(part);                                                           (4)

- otherwise runs are drawn one by one. With G for the inner products of their shapes,

    SS_int = Σ_i (1 / n_i) Σ_{j,k in group i} G_jk,                                    (5)

  and SS_alg is the same for heights.

Inner products cancel more than coordinates do. Where a value comes so near its bound, within
``margin``, that this could matter, it is computed again from the coordinates; so the counts
are those of the NumPy kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from curvewise.kernels.anova.compiled_rule import (
    EMPTY_TALLY,
    add_if_sure,
    count_one,
    is_near,
    tallied,
)
from curvewise.kernels.compiling import OPTIONS, njit
from curvewise.kernels.relabelling.streams import (
    BATCH,
    GOLDEN_GAMMA,
    MIX_FACTOR_1,
    MIX_FACTOR_2,
)

__all__ = ["count_draws", "count_pairs", "count_parts"]

U = np.uint64
ONE = U(1)
# Shuffles judged at a time: if one of them is near a bound, so many are judged one by one.
JUDGED_AT_ONCE = 64


@intrinsic
def n_bits(_: Any, __: Any) -> Any:
    """Count the bits that are set in a word: one instruction of the processor."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(inline="always", **OPTIONS)
def _mixed(value):
    value = (value ^ (value >> U(30))) * MIX_FACTOR_1
    value = (value ^ (value >> U(27))) * MIX_FACTOR_2
    return value ^ (value >> U(31))


@njit(inline="always", **OPTIONS)
def _key(seed, batch):
    return _mixed(seed ^ _mixed(U(batch) * GOLDEN_GAMMA))


@njit(**OPTIONS)
def _draw(key, rule, starts, n_completions, completions, masks):
    """Fill ``masks`` with the first BATCH masks that `MaskRule.draw` returns.

    ``masks`` needs room for a few more, which are written and then left out.
    """
    n_free, n_index, per_word = rule
    width = U(n_free + n_index)
    whole = (ONE << width) - ONE
    free_bits = (ONE << U(n_free)) - ONE
    found = 0
    while found < BATCH:
        # Word j of a stream is the mix of key + j times the constant, as in `streams`.
        key += GOLDEN_GAMMA
        word = _mixed(key)
        for _ in range(per_word):
            # The lowest bits of the word are the next candidate: its free bits, and above
            # them the index of the completion.
            candidate = word & whole
            word >>= width
            free = candidate & free_bits
            n_set = n_bits(free)
            index = np.int64(candidate >> U(n_free))
            # Write unconditionally, advance the index only if valid: avoids a branch that
            # no processor could predict. Unsigned, the place needs no check for < 0.
            masks[found] = free | completions[U(starts[n_set] + index)]
            found += index < n_completions[n_set]


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
def _count_sure(heights, shapes, slopes, bounds, margin, counts):
    """Count relabellings all at once, and return True; False if any is near a bound."""
    tally = EMPTY_TALLY
    for place in range(len(heights)):
        tally = tallied(tally, heights[place], shapes[place], slopes, bounds, margin)
    return add_if_sure(tally, counts)


@njit(**OPTIONS)
def _count_masks(
    masks, heights, shapes, coordinates, scale, slopes, bounds, margin, counts
):
    """Count a batch of masks with the SS_alg and SS_int that the tables gave them."""
    for start in range(0, BATCH, JUDGED_AT_ONCE):
        stop = start + JUDGED_AT_ONCE
        if not _count_sure(
            heights[start:stop], shapes[start:stop], slopes, bounds, margin, counts
        ):
            for place in range(start, stop):
                if is_near(heights[place], shapes[place], slopes, bounds, margin):
                    recount(masks[place], coordinates, scale, slopes, bounds, counts)
                else:
                    count_one(heights[place], shapes[place], slopes, bounds, counts)


@njit(**OPTIONS)
def count_pairs(
    seed, first, last, rule, starts, n_completions, completions, cuts, tables, part_heights,
    coordinates, scale, slopes, bounds, margin,
):  # fmt: skip
    """Count batches ``first`` to ``last`` by formula (3): tables of pairs of parts."""
    counts = np.zeros(5, dtype=np.int64)
    masks = np.empty(BATCH + 64, dtype=np.uint64)
    heights, shapes = np.empty(BATCH), np.empty(BATCH)
    table_12, table_13, table_23 = tables
    height_1, height_2, height_3 = part_heights
    cut, cut_2 = U(cuts[0]), U(cuts[1])
    low, middle = (ONE << cut) - ONE, (ONE << (cut_2 - cut)) - ONE
    for batch in range(first, last):
        _draw(_key(seed, batch), rule, starts, n_completions, completions, masks)
        for place in range(BATCH):
            # The bits of a part are the number of its subset of runs, and so its row or
            # column of a table.
            mask = masks[place]
            x, y, z = mask & low, (mask >> cut) & middle, mask >> cut_2
            total = height_1[x] + height_2[y] + height_3[z]
            heights[place] = total * total
            shapes[place] = table_12[x, y] + table_13[x, z] + table_23[y, z]
        _count_masks(
            masks, heights, shapes, coordinates, scale, slopes, bounds, margin, counts
        )
    return counts


@njit(fastmath={"reassoc", "contract", "nsz"}, **OPTIONS)
def _sum_parts(masks, bits, n_parts, n_coordinates, tables, heights, shapes):
    """Fill in SS_alg and SS_int of each mask by formulas (4) and (1).

    ``tables`` has, part after part, the sums of its 2^bits subsets, each a row of
    coordinates. The order of additions is left to the compiler, so that it can use vector
    instructions: what that changes is within the margin.
    """
    sums = np.empty(n_coordinates)
    shift, part_bits, width = U(bits), (ONE << U(bits)) - ONE, U(n_coordinates)
    size = width << shift
    for place in range(BATCH):
        mask = masks[place]
        squares = 0.0
        # p, q, … are where the row of the first, second, … part begins: (number of the
        # part) · size + (its bits) · width. The first coordinate of a row is the height.
        p = (mask & part_bits) * width
        if n_parts == 5:
            # Unrolled for the commonest larger designs: the sums stay in registers.
            q = size + ((mask >> shift) & part_bits) * width
            r = U(2) * size + ((mask >> (U(2) * shift)) & part_bits) * width
            s = U(3) * size + ((mask >> (U(3) * shift)) & part_bits) * width
            t = U(4) * size + ((mask >> (U(4) * shift)) & part_bits) * width
            for h in range(n_coordinates):
                k = U(h)
                value = tables[p + k] + tables[q + k]
                value += tables[r + k] + tables[s + k]
                value += tables[t + k]
                squares += value * value
            total = (tables[p] + tables[q]) + (tables[r] + tables[s]) + tables[t]
        else:
            for h in range(n_coordinates):
                sums[h] = tables[p + U(h)]
            for part in range(1, n_parts):
                mask >>= shift
                p = U(part) * size + (mask & part_bits) * width
                for h in range(n_coordinates):
                    sums[h] += tables[p + U(h)]
            for h in range(n_coordinates):
                squares += sums[h] * sums[h]
            total = sums[0]
        heights[place] = total * total
        # All squares less that of the height: a loop over all coordinates has no remainder.
        shapes[place] = squares - total * total


@njit(**OPTIONS)
def count_parts(
    seed, first, last, rule, starts, n_completions, completions, bits, n_parts, tables,
    coordinates, scale, slopes, bounds, margin,
):  # fmt: skip
    """Count batches ``first`` to ``last`` by formula (4): tables of the sums of parts."""
    counts = np.zeros(5, dtype=np.int64)
    masks = np.empty(BATCH + 64, dtype=np.uint64)
    heights, shapes = np.empty(BATCH), np.empty(BATCH)
    n_coordinates = coordinates.shape[1]
    for batch in range(first, last):
        _draw(_key(seed, batch), rule, starts, n_completions, completions, masks)
        _sum_parts(masks, bits, n_parts, n_coordinates, tables, heights, shapes)
        _count_masks(
            masks, heights, shapes, coordinates, scale, slopes, bounds, margin, counts
        )
    return counts


@njit(**OPTIONS)
def _recount_draw(order, edges, factor, coordinates, slopes, bounds, counts):
    """Judge one relabelling by |Lᵀ S|², coordinate by coordinate, as the NumPy kernel does."""
    n_sums = len(factor)
    sums = np.empty(n_sums)
    height = 0.0
    shape = 0.0
    for h in range(coordinates.shape[1]):
        for group in range(n_sums):
            total = 0.0
            for place in range(edges[group], edges[group + 1]):
                total += coordinates[order[place], h]
            sums[group] = total
        squares = 0.0
        for row in range(n_sums):
            # L is lower triangular: row i of Lᵀ begins at group i.
            combined = 0.0
            for group in range(row, n_sums):
                combined += factor[group, row] * sums[group]
            squares += combined * combined
        if h == 0:
            height = squares
        else:
            shape += squares
    count_one(height, shape, slopes, bounds, counts)


@njit(**OPTIONS)
def _inner_products(order, edges, weights, heights, gram):
    """Return SS_alg and SS_int of one relabelling by formula (5)."""
    height = 0.0
    shape = 0.0
    for group in range(len(weights)):
        members = order[edges[group] : edges[group + 1]]
        total = 0.0
        # G is symmetric: half of its diagonal and what is below it, doubled in the end.
        # Four sums at a time: one alone would wait for each addition to finish.
        s0 = s1 = s2 = s3 = 0.0
        for i in range(len(members)):
            row = gram[members[i]]
            total += heights[members[i]]
            s0 += 0.5 * row[members[i]]
            fours = i // 4
            for four in range(fours):
                j = 4 * four
                s0 += row[members[j]]
                s1 += row[members[j + 1]]
                s2 += row[members[j + 2]]
                s3 += row[members[j + 3]]
            for j in range(4 * fours, i):
                s1 += row[members[j]]
        height += weights[group] * total * total
        shape += weights[group] * ((s0 + s1) + (s2 + s3))
    return height, 2.0 * shape


@njit(**OPTIONS)
def count_draws(
    seed, first, last, runs, firsts, lasts, order_of_places, edges, weights, heights, gram,
    factor, coordinates, slopes, bounds, margin,
):  # fmt: skip
    """Count batches ``first`` to ``last`` by drawing runs one by one and formula (5).

    ``runs``, ``firsts`` and ``lasts`` are those of `DrawPlan`; ``order_of_places`` lists the
    places of group 0, then of group 1, and so on, and ``edges`` where each begins;
    ``weights`` are 1/n_i. Without a Gram matrix coordinates are added up.
    """
    counts = np.zeros(5, dtype=np.int64)
    n_runs, n_draws = len(runs), len(firsts)
    drawn = np.empty(n_runs, dtype=np.uint32)
    order = np.empty(n_runs, dtype=np.uint32)  # unsigned: an index needs no check for < 0
    by_gram = len(gram) > 0
    for batch in range(first, last):
        key = _key(seed, batch)
        for _ in range(BATCH):
            # As `DrawPlan.draw`: each draw swaps the run at its place with one from there
            # to the end of the block.
            for place in range(n_runs):
                drawn[place] = runs[place]
            for draw in range(n_draws):
                key += GOLDEN_GAMMA
                # 53 bits of the word as a number from 0 up to 1.
                chance = np.float64(_mixed(key) >> U(11)) * 2.0**-53
                place = firsts[draw]
                other = place + np.int64(chance * np.float64(lasts[draw] - place))
                taken = drawn[other]
                drawn[other] = drawn[place]
                drawn[place] = taken
            # The runs of a group side by side.
            for place in range(n_runs):
                order[place] = drawn[order_of_places[place]]
            if by_gram:
                height, shape = _inner_products(order, edges, weights, heights, gram)
                if not is_near(height, shape, slopes, bounds, margin):
                    count_one(height, shape, slopes, bounds, counts)
                    continue
            _recount_draw(order, edges, factor, coordinates, slopes, bounds, counts)
    return counts

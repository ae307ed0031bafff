"""Compiled counting, for work that repays the second that importing numba takes.

Each function draws the very relabellings that `Shuffles` draws and counts those that are at
least as extreme as the observed one. Sums of squares come from tables:

- two algorithms, few runs: the runs are cut into three parts, and the inner products of any
  two parts are tabulated, so that a relabelling costs three look-ups whatever the steps;
- two algorithms, more runs: the sums of each part are tabulated coordinate by coordinate;
- otherwise runs are dealt, and inner products are added up from the Gram matrix.

Inner products cancel more than coordinates do. Where a value comes so near its bound that
this could matter, it is computed again from the coordinates; so the counts are those of the
NumPy kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from curvewise.kernels.streams import BATCH, FIRST, GOLDEN, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["count_deals", "count_pairs", "count_parts"]

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


def njit(**options: Any) -> Callable[[Any], Any]:
    """Compile a function, and keep it for the next process where there is a place for it."""

    def decorate(function: Any) -> Any:
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:
            # Neither the package's folder nor the user's can be written to.
            return numba.njit(**options)(function)

    return decorate


U = np.uint64
ONE = U(1)
SOME = 64  # shuffles judged at a time


@intrinsic
def n_bits(_: Any, __: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(inline="always", **OPTIONS)
def _mixed(value):
    value = (value ^ (value >> U(30))) * FIRST
    value = (value ^ (value >> U(27))) * SECOND
    return value ^ (value >> U(31))


@njit(inline="always", **OPTIONS)
def _key(seed, batch):
    return _mixed(seed ^ _mixed(U(batch) * GOLDEN))


@njit(**OPTIONS)
def _draw(key, rule, starts, n_served, completions, masks):
    """Fill ``masks`` by the rule of `MaskRule`; a few more places are written to."""
    n_free, n_index, per_word = rule
    width = U(n_free + n_index)
    whole = (ONE << width) - ONE
    free_bits = (ONE << U(n_free)) - ONE
    found = 0
    while found < BATCH:
        key += GOLDEN
        word = _mixed(key)
        for _ in range(per_word):
            candidate = word & whole
            word >>= width
            free = candidate & free_bits
            n_set = n_bits(free)
            index = np.int64(candidate >> U(n_free))
            # Written in any case and kept by moving on: cheaper than a jump.
            masks[found] = free | completions[U(starts[n_set] + index)]
            found += index < n_served[n_set]


@njit(**OPTIONS)
def recount(mask, coordinates, scale, slopes, bounds, counts):
    """Judge one mask by its coordinates, as the NumPy kernel does."""
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
    for row in range(5):
        counts[row] += slopes[row, 0] * height + slopes[row, 1] * shape >= bounds[row]


@njit(**OPTIONS)
def _count_sure(heights, shapes, slopes, bounds, margin, sure):
    """Count what is extreme for sure; tell whether anything is too near to say."""
    slope_a, slope_i = slopes[3, 1], slopes[4, 0]
    b0, b1, b2, b3, b4 = bounds
    n0 = n1 = n2 = n3 = n4 = 0
    m0 = m1 = m2 = m3 = m4 = 0
    for place in range(len(heights)):
        height, shape = heights[place], shapes[place]
        v0, v3, v4 = height + shape, height + slope_a * shape, slope_i * height + shape
        n0 += v0 >= b0 + margin
        n1 += height >= b1 + margin
        n2 += shape >= b2 + margin
        n3 += v3 >= b3 + margin
        n4 += v4 >= b4 + margin
        m0 += v0 >= b0 - margin
        m1 += height >= b1 - margin
        m2 += shape >= b2 - margin
        m3 += v3 >= b3 - margin
        m4 += v4 >= b4 - margin
    if n0 + n1 + n2 + n3 + n4 != m0 + m1 + m2 + m3 + m4:
        return True
    sure[0] += n0
    sure[1] += n1
    sure[2] += n2
    sure[3] += n3
    sure[4] += n4
    return False


@njit(**OPTIONS)
def is_near(height, shape, slopes, bounds, margin):
    near = False
    for row in range(5):
        value = slopes[row, 0] * height + slopes[row, 1] * shape
        near |= abs(value - bounds[row]) <= margin
    return near


@njit(**OPTIONS)
def count_one(height, shape, slopes, bounds, counts):
    for row in range(5):
        counts[row] += slopes[row, 0] * height + slopes[row, 1] * shape >= bounds[row]


@njit(**OPTIONS)
def _count_masks(
    masks, heights, shapes, coordinates, scale, slopes, bounds, margin, counts
):
    """Count a batch some at a time, and one by one where any is too near to say."""
    for start in range(0, BATCH, SOME):
        stop = start + SOME
        if _count_sure(
            heights[start:stop], shapes[start:stop], slopes, bounds, margin, counts
        ):
            for place in range(start, stop):
                if is_near(heights[place], shapes[place], slopes, bounds, margin):
                    recount(masks[place], coordinates, scale, slopes, bounds, counts)
                else:
                    count_one(heights[place], shapes[place], slopes, bounds, counts)


@njit(**OPTIONS)
def count_pairs(
    seed, first, last, rule, starts, n_served, completions, cuts, tables, part_heights,
    coordinates, scale, slopes, bounds, margin,
):  # fmt: skip
    """Count by three parts and the tables of their inner products."""
    counts = np.zeros(5, dtype=np.int64)
    masks = np.empty(BATCH + 64, dtype=np.uint64)
    heights, shapes = np.empty(BATCH), np.empty(BATCH)
    table_12, table_13, table_23 = tables
    height_1, height_2, height_3 = part_heights
    cut, cut_2 = U(cuts[0]), U(cuts[1])
    low, middle = (ONE << cut) - ONE, (ONE << (cut_2 - cut)) - ONE
    for batch in range(first, last):
        _draw(_key(seed, batch), rule, starts, n_served, completions, masks)
        for place in range(BATCH):
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
    """Add up the sums of the parts of each mask; ``tables`` hold them one after another."""
    sums = np.empty(n_coordinates)
    shift, part_bits, width = U(bits), (ONE << U(bits)) - ONE, U(n_coordinates)
    size = width << shift
    for place in range(BATCH):
        mask = masks[place]
        squares = 0.0
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
        shapes[place] = squares - total * total


@njit(**OPTIONS)
def count_parts(
    seed, first, last, rule, starts, n_served, completions, bits, n_parts, tables,
    coordinates, scale, slopes, bounds, margin,
):  # fmt: skip
    """Count by tables of the sums of parts, coordinate by coordinate."""
    counts = np.zeros(5, dtype=np.int64)
    masks = np.empty(BATCH + 64, dtype=np.uint64)
    heights, shapes = np.empty(BATCH), np.empty(BATCH)
    n_coordinates = coordinates.shape[1]
    for batch in range(first, last):
        _draw(_key(seed, batch), rule, starts, n_served, completions, masks)
        _sum_parts(masks, bits, n_parts, n_coordinates, tables, heights, shapes)
        _count_masks(
            masks, heights, shapes, coordinates, scale, slopes, bounds, margin, counts
        )
    return counts


@njit(**OPTIONS)
def _judge_deal(order, edges, factor, coordinates, slopes, bounds, counts):
    """Judge one deal by its coordinates, as the NumPy kernel does."""
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
            combined = 0.0
            for group in range(row, n_sums):
                combined += factor[group, row] * sums[group]
            squares += combined * combined
        if h == 0:
            height = squares
        else:
            shape += squares
    for row in range(5):
        counts[row] += slopes[row, 0] * height + slopes[row, 1] * shape >= bounds[row]


@njit(**OPTIONS)
def _inner_products(order, edges, weights, heights, gram):
    """Add up SS_alg and SS_int of one deal from inner products within groups."""
    height = 0.0
    shape = 0.0
    for group in range(len(weights)):
        members = order[edges[group] : edges[group + 1]]
        total = 0.0
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
def count_deals(
    seed, first, last, runs, firsts, lasts, order_of_places, edges, weights, heights, gram,
    factor, coordinates, slopes, bounds, margin,
):  # fmt: skip
    """Count by dealing runs and adding up inner products within each group.

    ``order_of_places`` lists the places of group 0, then of group 1, and so on, and
    ``edges`` where each begins; ``weights`` are 1/n_i. Without a Gram matrix coordinates
    are added up.
    """
    counts = np.zeros(5, dtype=np.int64)
    n_runs, n_draws = len(runs), len(firsts)
    dealt = np.empty(n_runs, dtype=np.uint32)
    order = np.empty(n_runs, dtype=np.uint32)  # unsigned: no look for negative places
    by_gram = len(gram) > 0
    for batch in range(first, last):
        key = _key(seed, batch)
        for _ in range(BATCH):
            for place in range(n_runs):
                dealt[place] = runs[place]
            for draw in range(n_draws):
                key += GOLDEN
                chance = np.float64(_mixed(key) >> U(11)) * 2.0**-53
                place = firsts[draw]
                other = place + np.int64(chance * np.float64(lasts[draw] - place))
                taken = dealt[other]
                dealt[other] = dealt[place]
                dealt[place] = taken
            for place in range(n_runs):
                order[place] = dealt[order_of_places[place]]
            if by_gram:
                height, shape = _inner_products(order, edges, weights, heights, gram)
                if not is_near(height, shape, slopes, bounds, margin):
                    count_one(height, shape, slopes, bounds, counts)
                    continue
            _judge_deal(order, edges, factor, coordinates, slopes, bounds, counts)
    return counts

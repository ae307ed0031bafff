"""Every relabelling of two algorithms, counted in compiled code.

The runs are cut in three, so that a relabelling is a mask of three parts x, y and z with the
sums s_x, s_y and s_z. Formula (1) of `compiled_shuffles` is here computed as

    SS_alg = (h_x + h_z + h_y)²,
    SS_int = (|s_x|² + |s_z|² + 2 s_x·s_z) + 2 s_x·s_y + (2 s_z·s_y + |s_y|²)

with h for the heights and s for the shapes. For given x and z the first term is a number, and
the others are a row each, over the middle parts y that complete the number of runs: such y
stand side by side, so that a relabelling costs two additions and no look-up. They are added up
in single precision, several at a time; what comes near a bound is counted again in double
precision.
"""

from __future__ import annotations

import numpy as np

from curvewise.kernels.anova.compiled_rule import count_one, is_near
from curvewise.kernels.anova.compiled_shuffles import recount
from curvewise.kernels.compiling import OPTIONS, njit
from curvewise.kernels.relabelling.compiled_draws import U, n_bits

__all__ = ["count_thirds"]

JUDGED_AT_ONCE = 32  # of a row in which one relabelling is near a bound


@njit(**OPTIONS)
def _count_row(row, other, part_heights, base, total, shares, raised, lowered, counts):
    """Count the completions of x and z all at once; return False if any is near a bound.

    All in single precision: ``shares`` are the slopes of the last two statistics that are neither
    0 nor 1, and ``raised`` and ``lowered`` the bounds plus and minus their margins.
    """
    s3, s4 = shares
    a0, a1, a2, a3, a4 = raised
    b0, b1, b2, b3, b4 = lowered
    n0 = n1 = n2 = n3 = n4 = maybe = np.int32(0)
    for place in range(len(row)):
        root = total + part_heights[place]
        height = root * root
        shape = base + row[place] + other[place]
        v0 = height + shape
        v3 = height + s3 * shape
        v4 = s4 * height + shape
        n0 = np.int32(n0 + (v0 >= a0))
        n1 = np.int32(n1 + (height >= a1))
        n2 = np.int32(n2 + (shape >= a2))
        n3 = np.int32(n3 + (v3 >= a3))
        n4 = np.int32(n4 + (v4 >= a4))
        near = ((v0 >= b0) & (v0 < a0)) | ((height >= b1) & (height < a1))
        near |= ((shape >= b2) & (shape < a2)) | ((v3 >= b3) & (v3 < a3))
        near |= (v4 >= b4) & (v4 < a4)
        maybe = np.int32(maybe + near)
    if maybe > 0:
        return False
    counts[0] += n0
    counts[1] += n1
    counts[2] += n2
    counts[3] += n3
    counts[4] += n4
    return True


@njit(**OPTIONS)
def _subset_sums(values, sums):
    """Fill ``sums`` with the sum of each subset of values, numbered by its bits."""
    # With one value more, the subsets that have it follow those that do not.
    sums[0] = 0.0
    size = 1
    for value in values:
        for place in range(size):
            sums[size + place] = sums[place] + value
        size *= 2


@njit(**OPTIONS)
def count_thirds(
    first, last, cuts, n_first, names_fixed, gram, heights, middle, starts, middle_heights,
    last_middle, coordinates, scale, slopes, bounds, margins, shares, raised, lowered,
):  # fmt: skip
    """Count every relabelling whose part x is from ``first`` up to, and without, ``last``.

    ``middle`` lists the parts y by their number of bits, and ``starts`` where each number
    begins; ``middle_heights`` is h_y and ``last_middle`` 2 s_z·s_y + |s_y|², in the same
    order, both in single precision; the last arguments are as for `_count_row`. When
    ``names_fixed``, the last run is always in the first group, so that of two
    mirror images one is counted.
    """
    counts = np.zeros(5, dtype=np.int64)
    cut, cut_2 = cuts
    n_runs = len(heights)
    n_middle, n_last = cut_2 - cut, n_runs - cut_2
    by_middle = np.empty(2**n_middle)
    row = np.empty(2**n_middle, dtype=np.float32)
    by_last, own_last = np.empty(2**n_last), np.empty(2**n_last)
    last_heights = np.empty(2**n_last)
    _subset_sums(heights[cut_2:], last_heights)
    # |s_z|² of every z: inner products of all pairs of runs whose bits are set.
    for z in range(2**n_last):
        inner = 0.0
        for i in range(n_last):
            if (z >> i) & 1:
                for j in range(n_last):
                    if (z >> j) & 1:
                        inner += gram[cut_2 + i, cut_2 + j]
        own_last[z] = inner
    products = np.empty(n_runs)
    # The last run is the highest bit of z: z from 2^(n_last − 1) on has it.
    start_last = 2 ** (n_last - 1) if names_fixed else 0
    for x in range(first, last):
        n_x = np.int64(n_bits(U(x)))
        own, total_x = 0.0, 0.0
        # h_x, and s_x·s_run for each run, from the rows of the Gram matrix; then |s_x|².
        for run in range(n_runs):
            products[run] = 0.0
        for i in range(cut):
            if (x >> i) & 1:
                total_x += heights[i]
                for run in range(n_runs):
                    products[run] += gram[i, run]
        for i in range(cut):
            if (x >> i) & 1:
                own += products[i]
        # 2 s_x·s_y for every y, brought into the order of ``middle``, and 2 s_x·s_z.
        _subset_sums(2 * products[cut:cut_2], by_middle)
        for place in range(len(middle)):
            row[place] = by_middle[middle[place]]
        _subset_sums(2 * products[cut_2:], by_last)
        for z in range(start_last, 2**n_last):
            # So many runs y must have to make n_first with x and z.
            n_y = n_first - n_x - np.int64(n_bits(U(z)))
            if n_y < 0 or n_y > n_middle:
                continue
            begin, end = starts[n_y], starts[n_y + 1]
            base = np.float32(own + own_last[z] + by_last[z])
            total = np.float32(total_x + last_heights[z])
            if _count_row(
                row[begin:end], last_middle[z, begin:end], middle_heights[begin:end], base,
                total, shares, raised, lowered, counts,
            ):  # fmt: skip
                continue
            for start in range(begin, end, JUDGED_AT_ONCE):
                stop = min(start + JUDGED_AT_ONCE, end)
                if _count_row(
                    row[start:stop], last_middle[z, start:stop], middle_heights[start:stop],
                    base, total, shares, raised, lowered, counts,
                ):  # fmt: skip
                    continue
                # One by one, and from the coordinates where inner products do not decide.
                for place in range(start, stop):
                    root = total + middle_heights[place]
                    height = np.float64(root * root)
                    shape = np.float64(base + row[place] + last_middle[z, place])
                    if is_near(height, shape, slopes, bounds, margins):
                        mask = U(x) | (U(middle[place]) << U(cut)) | (U(z) << U(cut_2))
                        recount(mask, coordinates, scale, slopes, bounds, counts)
                    else:
                        count_one(height, shape, slopes, bounds, counts)
    return counts

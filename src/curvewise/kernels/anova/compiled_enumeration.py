"""Every relabelling of two algorithms, counted in compiled code.

The runs are cut in three, so that a relabelling is a mask of three parts x, y and z with the
sums s_x, s_y and s_z. Formula (1) of `compiled_shuffles` is here computed as

    SS_alg = (h_x + h_z + h_y)²,
    SS_int = (|s_x|² + |s_z|² + 2 s_x·s_z) + 2 s_x·s_y + (2 s_z·s_y + |s_y|²)

with h for the heights and s for the shapes. For given x and z the first term is a number, and
the others are a row each, over the middle parts y that complete the number of runs: such y
stand side by side, so that a relabelling costs two additions and no look-up.
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
from curvewise.kernels.anova.compiled_shuffles import recount
from curvewise.kernels.compiling import OPTIONS, njit
from curvewise.kernels.relabelling.compiled_draws import U, n_bits

__all__ = ["count_thirds"]


@njit(**OPTIONS)
def _count_row(row, other, part_heights, base, total, slopes, bounds, margins, counts):
    """Count the completions of x and z all at once; return False if any is near a bound."""
    tally = EMPTY_TALLY
    for place in range(len(row)):
        root = total + part_heights[place]
        height = root * root
        shape = base + row[place] + other[place]
        tally = tallied(tally, height, shape, slopes, bounds, margins)
    return add_if_sure(tally, counts)


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
    last_middle, coordinates, scale, slopes, bounds, margins,
):  # fmt: skip
    """Count every relabelling whose part x is from ``first`` up to, and without, ``last``.

    ``middle`` lists the parts y by their number of bits, and ``starts`` where each number
    begins; ``middle_heights`` is h_y and ``last_middle`` 2 s_z·s_y + |s_y|², in the same
    order. When ``names_fixed``, the last run is always in the first group, so that of two
    mirror images one is counted.
    """
    counts = np.zeros(5, dtype=np.int64)
    cut, cut_2 = cuts
    n_runs = len(heights)
    n_middle, n_last = cut_2 - cut, n_runs - cut_2
    by_middle, row = np.empty(2**n_middle), np.empty(2**n_middle)
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
            base = own + own_last[z] + by_last[z]
            total = total_x + last_heights[z]
            if not _count_row(
                row[begin:end], last_middle[z, begin:end], middle_heights[begin:end], base,
                total, slopes, bounds, margins, counts,
            ):  # fmt: skip
                # One by one, and from the coordinates where inner products do not decide.
                for place in range(begin, end):
                    root = total + middle_heights[place]
                    height = root * root
                    shape = base + row[place] + last_middle[z, place]
                    if is_near(height, shape, slopes, bounds, margins):
                        mask = U(x) | (U(middle[place]) << U(cut)) | (U(z) << U(cut_2))
                        recount(mask, coordinates, scale, slopes, bounds, counts)
                    else:
                        count_one(height, shape, slopes, bounds, counts)
    return counts

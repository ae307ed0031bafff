"""Every relabelling of two algorithms, counted in compiled code."""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiled import (
    OPTIONS,
    U,
    count_one,
    is_near,
    n_bits,
    njit,
    recount,
)

__all__ = ["count_thirds"]


@njit(**OPTIONS)
def _count_row(row, other, part_heights, base, total, slopes, bounds, margin, sure):
    """Count what is extreme for sure among the completions of two thirds."""
    slope_a, slope_i = slopes[3, 1], slopes[4, 0]
    b0, b1, b2, b3, b4 = bounds
    n0 = n1 = n2 = n3 = n4 = 0
    m0 = m1 = m2 = m3 = m4 = 0
    for place in range(len(row)):
        root = total + part_heights[place]
        height = root * root
        shape = base + row[place] + other[place]
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
def _subset_sums(values, sums):
    """Fill ``sums`` with the sum of each subset of values, numbered by its bits."""
    sums[0] = 0.0
    size = 1
    for value in values:
        for place in range(size):
            sums[size + place] = sums[place] + value
        size *= 2


@njit(**OPTIONS)
def count_thirds(
    first, last, cuts, n_first, names_fixed, gram, heights, middle, starts, middle_heights,
    last_middle, coordinates, scale, slopes, bounds, margin,
):  # fmt: skip
    """Count over every relabelling whose first third is mask ``first`` up to ``last``.

    The runs are cut in three. For each pair of first and last third, the middle thirds
    that complete the number of runs stand together in ``middle``, and the inner products
    with both are a row each, so that a relabelling costs one addition to either. When
    ``names_fixed``, the last run is always in the first group.
    """
    counts = np.zeros(5, dtype=np.int64)
    cut, cut_2 = cuts
    n_runs = len(heights)
    n_middle, n_last = cut_2 - cut, n_runs - cut_2
    by_middle, row = np.empty(2**n_middle), np.empty(2**n_middle)
    by_last, own_last = np.empty(2**n_last), np.empty(2**n_last)
    last_heights = np.empty(2**n_last)
    _subset_sums(heights[cut_2:], last_heights)
    for z in range(2**n_last):
        inner = 0.0
        for i in range(n_last):
            if (z >> i) & 1:
                for j in range(n_last):
                    if (z >> j) & 1:
                        inner += gram[cut_2 + i, cut_2 + j]
        own_last[z] = inner
    products = np.empty(n_runs)
    start_last = 2 ** (n_last - 1) if names_fixed else 0
    for x in range(first, last):
        n_x = np.int64(n_bits(U(x)))
        own, total_x = 0.0, 0.0
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
        _subset_sums(2 * products[cut:cut_2], by_middle)
        for place in range(len(middle)):
            row[place] = by_middle[middle[place]]
        _subset_sums(2 * products[cut_2:], by_last)
        for z in range(start_last, 2**n_last):
            n_y = n_first - n_x - np.int64(n_bits(U(z)))
            if n_y < 0 or n_y > n_middle:
                continue
            begin, end = starts[n_y], starts[n_y + 1]
            base = own + own_last[z] + by_last[z]
            total = total_x + last_heights[z]
            if _count_row(
                row[begin:end], last_middle[z, begin:end], middle_heights[begin:end], base,
                total, slopes, bounds, margin, counts,
            ):  # fmt: skip
                for place in range(begin, end):
                    root = total + middle_heights[place]
                    height = root * root
                    shape = base + row[place] + last_middle[z, place]
                    if is_near(height, shape, slopes, bounds, margin):
                        mask = U(x) | (U(middle[place]) << U(cut)) | (U(z) << U(cut_2))
                        recount(mask, coordinates, scale, slopes, bounds, counts)
                    else:
                        count_one(height, shape, slopes, bounds, counts)
    return counts

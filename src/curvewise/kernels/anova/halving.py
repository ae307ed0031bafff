"""Every relabelling of two groups, as the sums of two halves of the runs.

A relabelling is a subset of the first half of the runs and one of the second. There are few
subsets of either, so their sums are made once; those of a relabelling are then one addition for
each column, and neither labels nor matrix products are needed.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.engines import subset_sums
from curvewise.kernels.compiling import compiling_repays
from curvewise.kernels.relabelling.enumeration import Enumeration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.design import Design
    from curvewise.kernels.relabelling.restriction import Relabellings

__all__ = [
    "between_of_halves",
    "can_be_halved",
    "halves",
    "halving_repays_compiling",
    "largest_of_halves",
    "squares_of_halves",
    "sums_at_once",
]

MAX_HALVED_RUNS = 24  # 2¹² subsets of a half
MAX_SUMS_AT_ONCE = 2**12  # of a column: several of them stay in the nearest cache
MAX_SUMS_AT_ONCE_COMPILED = 2**20  # which goes through them a row at a time
COMPILED = "curvewise.kernels.anova.compiled_halves"
SUM_IN_NUMPY, SUM_COMPILED = 3e-9, 0.4e-9  # seconds for each relabelling and column


def halves(
    labels: Integers, columns: Floats, at_once: int = MAX_SUMS_AT_ONCE
) -> Iterator[tuple[Floats, Floats]]:
    """Yield sums over runs of group 0 in the first half, and in the second; a row each column.

    Any of the first, (n_columns, a), with any of the second, (n_columns, b), is a relabelling;
    all pairs together are every one. Where the groups are equally large, the first run is always
    in group 0, so that of two mirror images one is visited. ``at_once`` limits how many there
    are in a pair, and changes neither them nor their order.
    """
    n_first = int(np.sum(labels == 0))
    cut = len(labels) // 2
    named = 2 * n_first == len(labels)
    sides = []
    for part, fixed in ((columns[:cut], named), (columns[cut:], False)):
        numbers = np.arange(2 ** len(part), dtype=np.uint64)
        if fixed:
            numbers = numbers[numbers & np.uint64(1) == 1]
        sums, n_bits = subset_sums(part), np.bitwise_count(numbers)
        sides.append(
            [
                np.ascontiguousarray(sums[numbers[n_bits == n]].T)
                for n in range(n_first + 1)
            ]
        )
    for n_left, left in enumerate(sides[0]):
        right = sides[1][n_first - n_left]
        if not left.shape[1] or not right.shape[1]:
            continue
        portion = max(at_once // right.shape[1], 1)
        for start in range(0, left.shape[1], portion):
            yield left[:, start : start + portion], right


def squares_of_halves(left: Floats, right: Floats, *, compiled: bool) -> Floats:
    """Return the squares of sums of the first column, and those of the others added up; (2, n)."""
    if compiled:
        from curvewise.kernels.anova.compiled_halves import squares as squares_of

        return np.asarray(squares_of(*_contiguous(left, right)))
    squares = np.zeros((2, left.shape[1] * right.shape[1]))
    for column, (one, other) in enumerate(zip(left, right, strict=True)):
        sums = np.add.outer(one, other).ravel()
        sums *= sums
        squares[min(column, 1)] += sums
    return squares


def largest_of_halves(
    left: Floats, right: Floats, slack: Floats, *, compiled: bool
) -> Floats:
    """Return the largest size of the sums of a column, plus its slack, over the columns; (n,)."""
    if compiled:
        from curvewise.kernels.anova.compiled_halves import largest as largest_of

        return np.asarray(largest_of(*_contiguous(left, right), slack))
    largest = np.full(left.shape[1] * right.shape[1], -np.inf)
    for one, other, more in zip(left, right, slack, strict=True):
        sizes = np.add.outer(one, other).ravel()
        np.abs(sizes, out=sizes)
        sizes += more
        np.maximum(largest, sizes, out=largest)
    return largest


def sums_at_once(*, compiled: bool) -> int:
    """Return how many sums of a column are best made at a time."""
    return MAX_SUMS_AT_ONCE_COMPILED if compiled else MAX_SUMS_AT_ONCE


def _contiguous(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    return np.ascontiguousarray(left), np.ascontiguousarray(right)


def halving_repays_compiling(n_relabellings: int, n_columns: int) -> bool:
    """Tell whether so many sums of so many columns are added sooner in compiled code."""
    n_sums = n_relabellings * n_columns
    loaded = COMPILED in sys.modules
    return loaded or compiling_repays(n_sums * SUM_IN_NUMPY, n_sums * SUM_COMPILED)


def can_be_halved(relabellings: Relabellings) -> bool:
    """Tell whether these are all ways to divide few enough runs into two groups, without blocks."""
    if not isinstance(relabellings, Enumeration):
        return False
    labels, blocks = relabellings.labels, relabellings.blocks
    one_block = blocks.min() == blocks.max()
    return bool(labels.max() == 1 and one_block and len(labels) <= MAX_HALVED_RUNS)


def between_of_halves(design: Design, labels: Integers) -> tuple[Floats, Floats]:
    """Return SS_alg and SS_int of every relabelling, and the sums of the contrast; (2, n) each."""
    assert design.contrast is not None  # noqa: S101 (only asked of two groups)
    scaled = design.factor[0, 0] * design.coordinates
    n_contrasts = design.contrast.shape[1]
    n_relabellings = math.comb(len(labels), int(np.sum(labels == 0)))
    compiled = halving_repays_compiling(n_relabellings, scaled.shape[1])
    between, contrasts = [], []
    columns = np.hstack([design.contrast, scaled])
    for left, right in halves(labels, columns, sums_at_once(compiled=compiled)):
        between.append(
            squares_of_halves(left[n_contrasts:], right[n_contrasts:], compiled=compiled)
        )
        contrasts.append(
            np.stack(
                [
                    np.add.outer(left[row], right[row]).ravel()
                    for row in range(n_contrasts)
                ]
            )
        )
    return np.concatenate(between, axis=1), np.concatenate(contrasts, axis=1)

"""Every relabelling of two groups, as the sums of two halves of the runs.

A relabelling is a subset of the first half of the runs and one of the second. There are few
subsets of either, so their sums are made once; those of a relabelling are then one addition for
each column, and neither labels nor matrix products are needed.
"""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

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
    "Halves",
    "between_of_halves",
    "can_be_halved",
    "halving_repays_compiling",
    "largest_of_halves",
    "squares_of_halves",
    "sums_of_halves",
]

MAX_HALVED_RUNS = 24  # 2¹² subsets of a half
MAX_SUMS_AT_ONCE = 2**12  # of a column: several of them stay in the nearest cache
MAX_SIZES_AT_ONCE = (
    2**14
)  # of all columns: of few relabellings, calls would take most time
COMPILED = "curvewise.kernels.anova.compiled_halves"
SUM_IN_NUMPY, SUM_COMPILED = 3e-9, 0.3e-9  # seconds for each relabelling and column


class Halves(NamedTuple):
    """Sums over runs of group 0 in the first half, and in the second; a row for each column.

    Those of n runs are the columns ``left_edges[n]`` to ``left_edges[n + 1]`` of ``left``. Any of
    them with any sum of the other runs of group 0 in ``right`` is a relabelling, and all such
    pairs are every one. Where the groups are equally large, the first run is always in group 0, so
    that of two mirror images one is visited.
    """

    left: Floats
    left_edges: Integers
    right: Floats
    right_edges: Integers

    @classmethod
    def of(cls, labels: Integers, columns: Floats, *, compiled: bool) -> Halves:
        """Add up the runs of each subset, in their order."""
        cut = len(labels) // 2
        left, right = _subset_orders(len(labels), int(np.sum(labels == 0)))
        return cls(
            _ordered_sums(columns[:cut], left.numbers, compiled=compiled),
            left.edges,
            _ordered_sums(columns[cut:], right.numbers, compiled=compiled),
            right.edges,
        )

    def classes(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield the sums of so many runs in either half that go with each other."""
        n_classes = len(self.left_edges) - 1
        for n_left in range(n_classes):
            n_right = n_classes - 1 - n_left
            left = self.left[:, self.left_edges[n_left] : self.left_edges[n_left + 1]]
            right = self.right[
                :, self.right_edges[n_right] : self.right_edges[n_right + 1]
            ]
            # Of so many that sums of a column stay in the cache.
            portion = max(MAX_SUMS_AT_ONCE // max(right.shape[1], 1), 1)
            for start in range(0, left.shape[1], portion):
                yield left[:, start : start + portion], right


class _Subsets(NamedTuple):
    """The subsets of a half by how many runs they have, and where those of n runs begin."""

    numbers: Integers
    edges: Integers


@lru_cache(maxsize=8)
def _subset_orders(n_runs: int, n_first: int) -> list[_Subsets]:
    """Return the subsets of either half that a relabelling can have."""
    orders = []
    cut = n_runs // 2
    for size, named in ((cut, 2 * n_first == n_runs), (n_runs - cut, False)):
        numbers = np.arange(2**size, dtype=np.int64)
        if named:
            numbers = numbers[numbers & 1 == 1]
        n_members = np.bitwise_count(numbers)
        order = np.argsort(n_members, kind="stable")
        edges = np.searchsorted(n_members[order], np.arange(n_first + 2))
        orders.append(_Subsets(numbers[order], edges))
    return orders


def _ordered_sums(values: Floats, order: Integers, *, compiled: bool) -> Floats:
    """Return the sums of subsets of rows, in the order of their numbers; a row each column."""
    if compiled:
        from curvewise.kernels.anova.compiled_halves import ordered_sums

        return np.asarray(ordered_sums(np.ascontiguousarray(values.T), order))
    return np.ascontiguousarray(subset_sums(values)[order].T)


def sums_of_halves(halves: Halves, *, compiled: bool) -> Floats:
    """Return the sum of each column of every relabelling; (n_columns, n_relabellings)."""
    if compiled:
        from curvewise.kernels.anova.compiled_halves import sums

        return np.asarray(sums(*halves))
    return np.concatenate(
        [
            (left[:, :, None] + right[:, None, :]).reshape(
                len(left), left.shape[1] * right.shape[1]
            )
            for left, right in halves.classes()
        ],
        axis=1,
    )


def squares_of_halves(halves: Halves, *, compiled: bool, out: Floats) -> None:
    """Write the squares of sums, added up over the columns, to ``out``; (n_relabellings,)."""
    if compiled:
        from curvewise.kernels.anova.compiled_halves import squares

        squares(*halves, out)
        return
    parts = []
    for left, right in halves.classes():
        squares_of_part = np.zeros(left.shape[1] * right.shape[1])
        for one, other in zip(left, right, strict=True):
            sums_of_part = np.add.outer(one, other).ravel()
            sums_of_part *= sums_of_part
            squares_of_part += sums_of_part
        parts.append(squares_of_part)
    np.concatenate(parts, out=out)


def largest_of_halves(halves: Halves, slack: Floats, *, compiled: bool) -> Floats:
    """Return the largest size of the sums of a column, plus its slack; (n_relabellings,)."""
    if compiled:
        from curvewise.kernels.anova.compiled_halves import largest

        return np.asarray(largest(*halves, slack))
    parts = []
    for left, right in halves.classes():
        if left.size * right.shape[1] <= MAX_SIZES_AT_ONCE:
            every = np.abs(left[:, :, None] + right[:, None, :])
            every += slack[:, None, None]
            parts.append(every.max(axis=0, initial=-np.inf).ravel())
            continue
        largest_of_part = np.full(left.shape[1] * right.shape[1], -np.inf)
        for one, other, more in zip(left, right, slack, strict=True):
            sizes = np.add.outer(one, other).ravel()
            np.abs(sizes, out=sizes)
            sizes += more
            np.maximum(largest_of_part, sizes, out=largest_of_part)
        parts.append(largest_of_part)
    return np.concatenate(parts)


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
    n_relabellings = math.comb(len(labels), int(np.sum(labels == 0)))
    compiled = halving_repays_compiling(n_relabellings, scaled.shape[1])
    few = np.hstack([design.contrast, scaled[:, :1]])
    sums = sums_of_halves(Halves.of(labels, few, compiled=compiled), compiled=compiled)
    shapes = Halves.of(labels, scaled[:, 1:], compiled=compiled)
    between = np.empty((2, sums.shape[1]))
    np.multiply(sums[-1], sums[-1], out=between[0])
    squares_of_halves(shapes, compiled=compiled, out=between[1])
    return between, sums[:-1]

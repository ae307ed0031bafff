"""Sums of squares of a table of curves, and of every shuffled table.

Write X for the curves less the mean curve of their block (without blocks: the mean curve), S_i for the sum of X over the runs of algorithm i, and C for the information that
the blocks leave on the algorithms. Then, per shuffle,

    SS_alg + SS_int = Sᵀ C⁻ S,    which is Σ_i |S_i|² / n_i without blocks,

SS_alg is the same for the curve means, and Σ X² never changes. Only inner products of
curves matter, so X is rotated once onto a coordinate along the constant curve, the height,
and at most n more, the shape: the cost of a shuffle does not grow with the number of steps.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.codes import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.kernels import Floats, Integers

__all__ = [
    "Strata",
    "centred",
    "column_squares",
    "factored_sums",
    "group_factor",
    "group_squares",
    "plain_sizes",
    "rotated",
    "strata",
    "sums_in_order",
]

# From so many groups on, adding up the runs of each is cheaper than a matrix product for each
# and the triangle that joins them, whose cost grows with the square of their number.
MIN_GROUPS_ADDED_UP = 10
MAX_SUMS_AT_ONCE = 2**16  # numbers that stay in the cache between two passes
COMPILED = "curvewise.kernels.anova.compiled_sums"


class Strata(NamedTuple):
    """Sums of squares that no relabelling changes."""

    training: float
    blocks: float
    blocks_by_training: float
    heights: float  # SS_alg + SS_curves
    shapes: float  # SS_int + SS_residual
    total: float


def centred(scores: Floats, blocks: Integers) -> Floats:
    """Return the curves less the mean curve of their block."""
    deviations = np.asarray(scores - scores.mean(axis=0))
    names = distinct(blocks)
    for block in names:
        rows = slice(None) if len(names) == 1 else blocks == block
        # The overall mean is gone already, so a large offset costs no digits here.
        deviations[rows] -= deviations[rows].mean(axis=0)
    return deviations


def strata(scores: Floats, within: Floats) -> Strata:
    """Split the total sum of squares into training, blocks, curve heights and shapes.

    ``within`` are the scores as `centred` leaves them.
    """
    n_runs, n_steps = scores.shape
    deviations = scores - scores.mean()
    step_means = deviations.mean(axis=0)
    block_curves = deviations - step_means - within
    block_heights = block_curves.mean(axis=1)
    heights = within.mean(axis=1)

    def squares(part: Floats) -> float:
        return float(np.sum(part**2))

    return Strata(
        training=n_runs * squares(step_means - step_means.mean()),
        blocks=n_steps * squares(block_heights),
        blocks_by_training=squares(block_curves - block_heights[:, None]),
        heights=n_steps * squares(heights),
        shapes=squares(within - heights[:, None]),
        total=squares(deviations),
    )


def rotated(deviations: Floats) -> Floats:
    """Return curves as coordinates: their height, and at most n coordinates of shape.

    Inner products of curves, and so all sums of squares, do not change. The first column is
    the height.
    """
    n_runs, n_steps = deviations.shape
    # The reflection that takes the constant curve to the first axis.
    normal = np.full(n_steps, 1 / np.sqrt(n_steps))
    normal[0] -= 1
    length = normal @ normal
    reflected = deviations.copy()
    if length > 0:
        reflected -= np.outer(deviations @ normal, 2 / length * normal)
    heights, shapes = reflected[:, :1], reflected[:, 1:]
    if shapes.shape[1] > n_runs:
        # The triangular factor of the transposed shapes has the same inner products.
        shapes = np.asarray(np.linalg.qr(shapes.T, mode="r")).T
    return np.ascontiguousarray(np.hstack([heights, shapes]))


def group_factor(labels: Integers, blocks: Integers) -> Floats:
    """Return the triangle L with Sᵀ C⁻ S = |Lᵀ S|², for the sums S of all groups but one.

    Centred curves sum to zero, so the sum of the last group is known. Where blocks hold the
    algorithms in different proportions, C allows for the differences between blocks, so
    that algorithms are compared within blocks only. Dividing by the sizes instead could miss
    a large effect when blocks are incomplete.
    """
    n_groups = int(labels.max()) + 1
    return _group_factor(
        tuple(
            tuple(np.bincount(labels[blocks == block], minlength=n_groups).tolist())
            for block in distinct(blocks)
        )
    )


@lru_cache(maxsize=1024)
def _group_factor(sizes: tuple[tuple[int, ...], ...]) -> Floats:
    """Return the factor, which depends on the sizes of the groups in each block only."""
    information = np.diag(np.sum(sizes, axis=0).astype(np.float64))
    for counts in map(np.array, sizes):
        information -= np.outer(counts, counts) / counts.sum()
    inverse = np.linalg.inv(information[:-1, :-1])
    factor = np.asarray(np.linalg.cholesky(inverse), dtype=np.float64)
    factor.setflags(write=False)
    return factor


def plain_sizes(labels: Integers, blocks: Integers) -> Integers | None:
    """Return the sizes n_i of the groups if Sᵀ C⁻ S = Σ |S_i|² / n_i; else None.

    That is so without blocks, and where every block holds the groups in proportion.
    """
    sizes = np.bincount(labels)
    for block in distinct(blocks):
        counts = np.bincount(labels[blocks == block], minlength=len(sizes))
        if np.any(counts * len(labels) != sizes * counts.sum()):
            return None
    return sizes


def factored_sums(labels: Integers, columns: Floats, factor: Floats) -> Iterator[Floats]:
    """Yield the rows of Lᵀ S, whose squares add up to Sᵀ C⁻ S; (n_relabellings, n_columns) each.

    ``labels`` is (n_relabellings, n_runs); the columns are centred, (n_runs, n_columns).
    """
    sums = [
        (labels == group).astype(np.float64) @ columns for group in range(len(factor))
    ]
    for row in range(len(factor)):
        # L is lower triangular, so row i of Lᵀ S has only the sums of group i and later.
        combined = sums[row]
        combined *= factor[row, row]
        for group in range(row + 1, len(factor)):
            combined += factor[group, row] * sums[group]
        yield combined


def column_squares(
    labels: Integers,
    columns: Floats,
    factor: Floats,
    sizes: Integers | None = None,
    *,
    compiled: bool = False,
) -> Floats:
    """Return Sᵀ C⁻ S of each column; (n_relabellings, n_columns).

    ``sizes`` are those of `plain_sizes`: with them, the cost is linear in the number of groups.
    ``compiled`` changes no digit; compiled code that is loaded is used in any case.
    """
    if sizes is not None and len(sizes) >= MIN_GROUPS_ADDED_UP:
        if compiled or sys.modules.get(COMPILED) is not None:
            from curvewise.kernels.anova.compiled_sums import added_up_squares

            return np.asarray(added_up_squares(labels, columns, sizes))
        return _added_up_squares(labels, columns, sizes)
    squares = None
    for sums in factored_sums(labels, columns, factor):
        own = np.multiply(sums, sums, out=sums)
        squares = own if squares is None else np.add(squares, own, out=squares)
    return np.asarray(squares)


def sums_in_order(labels: Integers, columns: Floats, sizes: Integers) -> Floats:
    """Return the sums of each group, its runs added up in their order; (n, n_groups, n_columns)."""
    # Of the groups from the largest to the smallest, the first so many have a j-th run.
    largest_first = np.argsort(-sizes, kind="stable")
    starts = (np.cumsum(sizes) - sizes)[largest_first]
    # Small integers are sorted by their digits, in linear time.
    small = labels.astype(np.min_scalar_type(len(sizes)))
    order = np.argsort(small, axis=1, kind="stable")
    sums = columns[order[:, starts]]
    for place in range(1, int(sizes.max())):
        n_larger = int(np.sum(sizes > place))
        sums[:, :n_larger] += columns[order[:, starts[:n_larger] + place]]
    return sums[:, np.argsort(largest_first)]


def _added_up_squares(labels: Integers, columns: Floats, sizes: Integers) -> Floats:
    """Return Σ |S_i|² / n_i, the runs of a group added up in their order."""
    weights = 1 / sizes[:, None]
    portion = max(MAX_SUMS_AT_ONCE // (len(sizes) * columns.shape[1]), 1)
    squares = np.empty((len(labels), columns.shape[1]))
    for start in range(0, len(labels), portion):
        sums = sums_in_order(labels[start : start + portion], columns, sizes)
        sums *= sums
        sums *= weights
        squares[start : start + portion] = sums.sum(axis=1)
    return squares


def group_squares(
    labels: Integers,
    coordinates: Floats,
    factor: Floats,
    sizes: Integers | None = None,
    *,
    compiled: bool = False,
) -> Floats:
    """Return SS_alg and SS_int of each relabelling; shape (2, n_relabellings).

    ``labels`` is (n_relabellings, n_runs); the coordinates are those of `rotated`, and the rest
    is as for `column_squares`.
    """
    squares = column_squares(labels, coordinates, factor, sizes, compiled=compiled)
    return np.stack([squares[:, 0], squares[:, 1:].sum(axis=1)])

"""Which compiled count suits a design, and the tables it needs.

The formulas are those of `compiled_shuffles` and `compiled_enumeration`. For two groups the
factor L of `sums` is a single number, the ``scale`` of the coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.kernels.anova.thresholds import EPSILON

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.design import Design
    from curvewise.kernels.relabelling.shuffles import Shuffles

__all__ = ["compiled_counter", "n_thirds", "thirds_counter"]

Counter = Callable[[int, int], "Integers"]
MAX_BYTES_IN_CACHE = 2**18
SINGLE_EPSILON = float(np.finfo(np.float32).eps)
# Three tables of 2⁸ × 2⁸ inner products are still read fast; for more runs, tables of sums are.
MAX_RUNS_IN_PAIRS = 24
MIN_PARTS = 5  # for which the sums of parts are unrolled, and so added up fastest
MAX_BITS_OF_PART = 8


def compiled_counter(shuffles: Shuffles, design: Design) -> Counter:
    """Return a function that counts the extreme relabellings of batches first to last."""
    if shuffles.masks is None:
        return _by_draws(shuffles, design)
    if shuffles.masks.n_runs <= MAX_RUNS_IN_PAIRS:
        return _by_pairs(shuffles, design)
    return _by_parts(shuffles, design)


def _mask_rule(shuffles: Shuffles) -> tuple[Any, ...]:
    masks = shuffles.masks
    assert masks is not None  # noqa: S101 (only asked where there is a rule)
    widths = masks.n_free, masks.n_index, masks.per_word
    return widths, masks.starts, masks.counts, masks.completions


def _extreme_rule(design: Design) -> tuple[Floats, tuple[float, ...]]:
    # A tuple, so that the bounds stay in registers; an array would be read again and again.
    return design.extreme_rule.slopes, tuple(design.extreme_rule.bounds.tolist())


def _margin(coordinates: Floats, scale: float) -> float:
    """Return by how much rounding can change a sum of inner products, or of squares.

    Every sum of squares is a sum of some of these inner products, so their absolute values
    bound what is rounded.
    """
    heights, shapes = coordinates[:, 0], coordinates[:, 1:]
    size = np.abs(shapes @ shapes.T).sum() + np.abs(heights).sum() ** 2
    return 64 * EPSILON * scale**2 * float(size)


def _subset_sums(values: Floats) -> Floats:
    """Return the sum of each subset of rows; bit i of the number of a subset is row i."""
    sums = np.zeros((1, *values.shape[1:]))
    # With one row more, the subsets that have it follow those that do not.
    for row in values:
        sums = np.concatenate([sums, sums + row])
    return sums


def _by_pairs(shuffles: Shuffles, design: Design) -> Counter:
    from curvewise.kernels.anova.compiled_shuffles import count_pairs

    scale = float(design.factor[0, 0])
    coordinates = design.coordinates
    n_runs = len(coordinates)
    cuts = -(-n_runs // 3), -(-2 * n_runs // 3)
    spans = [slice(0, cuts[0]), slice(cuts[0], cuts[1]), slice(cuts[1], n_runs)]
    parts = [_subset_sums(scale * coordinates[span]) for span in spans]
    heights = tuple(np.ascontiguousarray(part[:, 0]) for part in parts)
    one, two, three = (part[:, 1:] for part in parts)
    # T of formula (3). Each part is in two tables, and its square is added to one of them.
    tables = (
        2 * one @ two.T + np.sum(one**2, axis=1)[:, None],
        2 * one @ three.T + np.sum(three**2, axis=1),
        2 * two @ three.T + np.sum(two**2, axis=1)[:, None],
    )
    margin = _margin(coordinates, scale)
    slopes, bounds = _extreme_rule(design)
    mask_rule = _mask_rule(shuffles)

    def count(first: int, last: int) -> Integers:
        return count_pairs(
            np.uint64(shuffles.seed), first, last, *mask_rule, cuts, tables, heights, coordinates,
            scale, slopes, bounds, margin,
        )  # fmt: skip

    return count


def _by_parts(shuffles: Shuffles, design: Design) -> Counter:
    from curvewise.kernels.anova.compiled_shuffles import count_parts

    scale = float(design.factor[0, 0])
    coordinates = design.coordinates
    n_runs = len(coordinates)
    n_parts = max(MIN_PARTS, -(-n_runs // MAX_BITS_OF_PART))
    bits = -(-n_runs // n_parts)
    # Parts of equal width, so that where a row of the tables begins can be computed; the
    # runs that this adds are in no mask.
    padded = np.zeros((n_parts * bits, coordinates.shape[1]))
    padded[:n_runs] = scale * coordinates
    tables = np.concatenate(
        [_subset_sums(part).ravel() for part in np.split(padded, n_parts)]
    )
    margin = _margin(coordinates, scale)
    slopes, bounds = _extreme_rule(design)
    mask_rule = _mask_rule(shuffles)

    def count(first: int, last: int) -> Integers:
        return count_parts(
            np.uint64(shuffles.seed), first, last, *mask_rule, bits, n_parts, tables, coordinates, scale,
            slopes, bounds, margin,
        )  # fmt: skip

    return count


def _by_draws(shuffles: Shuffles, design: Design) -> Counter:
    from curvewise.kernels.anova.compiled_shuffles import count_draws

    draw_plan, coordinates = shuffles.draw_plan, design.coordinates
    sizes = np.bincount(shuffles.labels)
    order_of_places = np.argsort(draw_plan.template, kind="stable")
    edges = np.concatenate([[0], np.cumsum(sizes)])
    gram: Any = np.empty((0, 0))
    # Formula (5) holds where Sᵀ C⁻ S = Σ |S_i|² / n_i: without blocks, or with blocks that
    # hold the groups in proportion. C⁻ = L Lᵀ is then this matrix (Sherman & Morrison).
    plain = np.diag(1 / sizes[:-1]) + 1 / sizes[-1]
    proportional = np.allclose(design.factor @ design.factor.T, plain)
    # Additions for a relabelling: of inner products, and of coordinates.
    n_inner = int(np.sum(sizes**2)) // 2
    n_sums = int(np.sum(sizes[:-1])) * coordinates.shape[1]
    margin = 0.0
    if proportional and n_inner < n_sums:
        gram = coordinates[:, 1:] @ coordinates[:, 1:].T
        margin = _margin(coordinates, float(sizes.min()) ** -0.5)
        if gram.nbytes > MAX_BYTES_IN_CACHE:
            # Half as large in single precision, and so read faster. The margin grows by what
            # that rounds off, so that relabellings it could change are counted again.
            margin *= 1 + SINGLE_EPSILON / (64 * EPSILON)
            gram = gram.astype(np.float32)
    slopes, bounds = _extreme_rule(design)
    heights = np.ascontiguousarray(coordinates[:, 0])

    def count(first: int, last: int) -> Integers:
        return count_draws(
            np.uint64(shuffles.seed), first, last, draw_plan.runs, draw_plan.first,
            draw_plan.last, order_of_places, edges, 1 / sizes, heights, gram, design.factor,
            coordinates, slopes, bounds, margin,
        )  # fmt: skip

    return count


def _cuts(n_runs: int) -> tuple[int, int]:
    """Return where the first and the second of the parts x, y and z end.

    The rows over y are read most often and must stay in the nearest cache, so y has 8 bits
    at most; the tables over z are read once for every x, so z has 10 at most. x has the
    others.
    """
    n_middle = 8 if n_runs >= 24 else max(n_runs // 3, 1)
    n_last = min(10, max((n_runs - n_middle) // 2, 1))
    return n_runs - n_middle - n_last, n_runs - n_last


def n_thirds(n_runs: int) -> int:
    """Return how many parts x there are: `thirds_counter` counts over a range of them."""
    return int(2 ** _cuts(n_runs)[0])


def thirds_counter(labels: Integers, design: Design) -> Counter:
    """Return a function that counts all relabellings whose part x is first to last.

    For two groups without blocks. Where the groups are equally large, a relabelling and its
    mirror image count once.
    """
    from curvewise.kernels.anova.compiled_enumeration import count_thirds

    n_runs = len(labels)
    n_first = int(np.sum(labels == 0))
    cuts = _cuts(n_runs)
    scale = float(design.factor[0, 0])
    coordinates = design.coordinates
    shapes = scale * coordinates[:, 1:]
    gram = shapes @ shapes.T
    heights = scale * np.ascontiguousarray(coordinates[:, 0])
    part = slice(*cuts)
    # The parts y by their number of bits: those that complete a relabelling are neighbours.
    masks = np.arange(2 ** (cuts[1] - cuts[0]))
    n_bits = np.bitwise_count(masks.astype(np.uint64))
    middle = masks[np.argsort(n_bits, kind="stable")]
    starts = np.searchsorted(np.sort(n_bits), np.arange(cuts[1] - cuts[0] + 2))
    sums = _subset_sums(shapes[part])[middle]
    others = _subset_sums(shapes[cuts[1] :])
    # 2 s_z·s_y + |s_y|², a row for each z.
    last_middle = 2 * others @ sums.T + np.sum(sums**2, axis=1)
    middle_heights = _subset_sums(heights[part])[middle]
    margin = _margin(coordinates, scale)
    slopes, bounds = _extreme_rule(design)

    def count(first: int, last: int) -> Integers:
        return count_thirds(
            first, last, cuts, n_first, 2 * n_first == n_runs, gram, heights, middle, starts,
            middle_heights, last_middle, coordinates, scale, slopes, bounds, margin,
        )  # fmt: skip

    return count

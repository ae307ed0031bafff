"""Which compiled count suits a design, and the tables it needs.

The formulas are those of `compiled_shuffles`; `thirds` has the tables of every relabelling of two
algorithms. For two groups the factor L of `sums` is a single number, the ``scale`` of the
coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from curvewise.kernels.anova.thresholds import EPSILON
from curvewise.kernels.relabelling.streams import BATCH

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.design import Design
    from curvewise.kernels.relabelling.enumeration import Enumeration
    from curvewise.kernels.relabelling.shuffles import Shuffles

__all__ = [
    "aligned",
    "compiled_counter",
    "double_margin",
    "ranks_counter",
    "sides_of_rule",
    "subset_sums",
]

Counter = Callable[[int, int], "Integers"]
Number = TypeVar("Number", np.int32, np.float32)
# A verdict on each candidate of 20 bits is a megabyte, which is made in milliseconds.
MAX_RUNS_LOOKED_UP = 22
MAX_BITS_OF_PART = 8
VECTOR_BYTES = 64
SINGLE_EPSILON = float(np.finfo(np.float32).eps)


def compiled_counter(shuffles: Shuffles, design: Design) -> Counter:
    """Return a function that counts the extreme relabellings of batches first to last."""
    if shuffles.masks is None:
        return _by_draws(shuffles, design)
    if shuffles.masks.n_runs <= MAX_RUNS_LOOKED_UP:
        return _by_verdicts(shuffles, design)
    return _by_parts(shuffles, design)


def sides_of_rule(design: Design) -> tuple[Floats, tuple[float, ...]]:
    """Return the slopes, and the bounds as compiled code takes them.

    A tuple, so that the bounds stay in registers. One that is not positive is met by every
    relabelling, also where nothing varies and each would be near it.
    """
    bounds = design.extreme_rule.bounds
    return design.extreme_rule.slopes, tuple(
        np.where(bounds > 0, bounds, -np.inf).tolist()
    )


def _margins(design: Design, of_shapes: float, of_heights: float) -> tuple[float, ...]:
    """Return how far off each statistic can be, where SS_int and SS_alg are by so much."""
    slopes = design.extreme_rule.slopes
    return tuple((slopes[:, 1] * of_shapes + slopes[:, 0] * of_heights).tolist())


def double_margin(coordinates: Floats, scale: float) -> float:
    """Return by how much rounding can change a sum of inner products, or of squares.

    Every sum of squares is a sum of some of these inner products, so their absolute values
    bound what is rounded.
    """
    return 64 * EPSILON * scale**2 * float(np.abs(coordinates @ coordinates.T).sum())


def subset_sums(values: Floats) -> Floats:
    """Return the sum of each subset of rows; bit i of the number of a subset is row i."""
    sums = np.zeros((1, *values.shape[1:]))
    # With one row more, the subsets that have it follow those that do not.
    for row in values:
        sums = np.concatenate([sums, sums + row])
    return sums


def aligned(values: npt.NDArray[Any], dtype: type[Number]) -> npt.NDArray[Number]:
    """Return numbers of 32 bits, in memory where a vector begins; integers wrap around."""
    room = np.empty(values.size + VECTOR_BYTES // 4, dtype=dtype)
    start = -room.ctypes.data % VECTOR_BYTES // 4
    found = room[start : start + values.size].reshape(values.shape)
    found[...] = values.astype(dtype)
    return found


class _Rows(NamedTuple):
    """Rows of single precision, one after the other: each of ``width`` numbers.

    They are in units whose square is ``unit``, so that squares neither vanish nor overflow.
    """

    values: Any
    width: int
    unit: float

    @classmethod
    def of(cls, values: Floats) -> _Rows:
        from curvewise.kernels.anova.compiled_vectors import LANES

        width = -(-max(values.shape[1], 1) // LANES) * LANES
        largest = float(np.abs(values).max(initial=0.0))
        unit = 2.0 ** math.frexp(largest)[1] if largest > 0 else 1.0
        padded = np.zeros((len(values), width))
        padded[:, : values.shape[1]] = values / unit
        return cls(aligned(padded.ravel(), np.float32), width, unit**2)


def _single_margin(
    shapes: Floats, sizes: Integers, weights: Floats, n_added: int, width: int
) -> float:
    """Return by how much single precision can change Σ_i w_i |S_i|².

    No sum of n_i numbers is larger than that of the n_i largest. Rounding the numbers, and adding
    up ``n_added`` of them, can change it by that times half a unit in the last place for each,
    and so its square by a unit; to square and to add up ``width`` of these, in vectors and then
    a vector itself, is half a unit for each addition. One unit more is for the small terms.
    """
    from curvewise.kernels.anova.compiled_vectors import LANES

    largest = -np.sort(-np.abs(shapes), axis=0)
    of_groups = np.cumsum(largest, axis=0)[sizes - 1]
    size = float(weights @ np.sum(of_groups**2, axis=1))
    n_units = (n_added + 1) + (width // LANES + 5) / 2 + 1
    return n_units * SINGLE_EPSILON * size


def _by_verdicts(shuffles: Shuffles, design: Design) -> Counter:
    from curvewise.kernels.anova.compiled_shuffles import count_verdicts, judge_candidates
    from curvewise.kernels.relabelling.compiled_draws import mask_arguments

    values = float(design.factor[0, 0]) * design.coordinates
    cut = (len(values) + 1) // 2
    rule = mask_arguments(shuffles)
    halves = subset_sums(values[:cut]), subset_sums(values[cut:])
    verdicts = judge_candidates(*rule, *halves, *sides_of_rule(design))

    def count(first: int, last: int) -> Integers:
        return count_verdicts(np.uint64(shuffles.seed), first, last, rule[0], verdicts)

    return count


def _by_parts(shuffles: Shuffles, design: Design) -> Counter:
    from curvewise.kernels.anova.compiled_shuffles import count_parts
    from curvewise.kernels.anova.compiled_vectors import MIN_PARTS
    from curvewise.kernels.relabelling.compiled_draws import mask_arguments

    assert shuffles.masks is not None  # noqa: S101 (only asked where there is a rule)
    scale = float(design.factor[0, 0])
    coordinates = design.coordinates
    n_runs = len(coordinates)
    n_parts = max(MIN_PARTS, -(-n_runs // MAX_BITS_OF_PART))
    bits = -(-n_runs // n_parts)
    # Parts of equal width, so that where a row of the tables begins can be computed; the
    # runs that this adds are in no mask.
    padded = np.zeros((n_parts * bits, coordinates.shape[1]))
    padded[:n_runs] = scale * coordinates
    sums = np.concatenate([subset_sums(part) for part in np.split(padded, n_parts)])
    heights = np.ascontiguousarray(sums[:, 0])
    rows = _Rows.of(sums[:, 1:])
    of_shapes = _single_margin(
        padded[:n_runs, 1:],
        np.array([shuffles.masks.n_set]),
        np.ones(1),
        n_parts,
        rows.width,
    )
    margins = _margins(design, of_shapes, double_margin(coordinates[:, :1], scale))
    slopes, bounds = sides_of_rule(design)
    rule = mask_arguments(shuffles)

    def count(first: int, last: int) -> Integers:
        return count_parts(
            np.uint64(shuffles.seed), first, last, *rule, bits, n_parts, heights, *rows,
            coordinates, scale, slopes, bounds, margins,
        )  # fmt: skip

    return count


def _by_draws(shuffles: Shuffles, design: Design) -> Counter:
    from curvewise.kernels.anova.compiled_shuffles import count_draws

    draw_plan = shuffles.draw_plan
    order_of_places = np.argsort(draw_plan.template, kind="stable")
    order_rule = _order_rule(shuffles.labels, design)

    def count(first: int, last: int) -> Integers:
        return count_draws(
            np.uint64(shuffles.seed), first, last, draw_plan.runs, draw_plan.first,
            draw_plan.last, order_of_places, *order_rule,
        )  # fmt: skip

    return count


def _order_rule(labels: Integers, design: Design) -> tuple[Any, ...]:
    """Return what `count_orders` needs to know of a design, from ``edges`` to ``margins``."""
    coordinates, sizes = design.coordinates, np.bincount(labels)
    edges = np.concatenate([[0], np.cumsum(sizes)])
    rows = _Rows.of(coordinates[:, 1:])
    # Which groups are summed up in single precision, and their weights.
    summed, weights = np.arange(0), np.empty(0)
    if len(sizes) == 2:
        summed = np.array([int(np.argmin(sizes))])
        weights = design.factor[0] ** 2
    elif design.sizes is not None:
        summed, weights = np.arange(len(sizes)), 1 / design.sizes
    margins: tuple[float, ...] = (0.0,) * 5
    if len(summed):
        own = sizes[summed]
        of_shapes = _single_margin(
            coordinates[:, 1:], own, weights, int(own.max()), rows.width
        )
        scale = math.sqrt(float(weights.max()))
        of_heights = double_margin(coordinates[:, :1], scale)
        margins = _margins(design, of_shapes, of_heights)
    slopes, bounds = sides_of_rule(design)
    heights = np.ascontiguousarray(coordinates[:, 0])
    return (
        *(edges, summed, weights, heights, *rows, design.factor, coordinates),
        *(slopes, bounds, margins),
    )


def ranks_counter(every: Enumeration, design: Design) -> Counter:
    """Return a function that counts the relabellings of batches first to last."""
    from curvewise.kernels.anova.compiled_ranks import count_ranks

    order_rule = _order_rule(every.labels, design)
    blocks, draws, groups = every.draw_arrays
    ways = np.array(
        [
            [min(math.comb(n, k), 2**62) for k in range(len(blocks) + 1)]
            for n in range(len(blocks) + 1)
        ],
        dtype=np.int64,
    )

    def count(first: int, last: int) -> Integers:
        ends = first * BATCH, min(last * BATCH, every.count)
        return count_ranks(*ends, blocks, draws, groups, ways, *order_rule)

    return count

"""Which compiled count serves a design, and the tables it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.kernels.extremes import EPSILON

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.design import Design
    from curvewise.kernels.shuffles import Shuffles

__all__ = ["compiled_counter", "n_thirds", "thirds_counter"]

Counter = Callable[[int, int], "Integers"]
NEAR_CACHE = 2**18  # bytes
SINGLE = float(np.finfo(np.float32).eps)
MOST_IN_PAIRS = 24  # runs; tables of three parts of 8 bits still stay near


def compiled_counter(shuffles: Shuffles, design: Design) -> Counter:
    """Return a function that counts the extreme relabellings of batches first to last."""
    if shuffles.masks is None:
        return _by_deals(shuffles, design)
    if shuffles.masks.n_runs <= MOST_IN_PAIRS:
        return _by_pairs(shuffles, design)
    return _by_parts(shuffles, design)


def _rule(shuffles: Shuffles) -> tuple[Any, ...]:
    masks = shuffles.masks
    assert masks is not None  # noqa: S101 (only asked where there is a rule)
    rule = masks.n_free, masks.n_index, masks.per_word
    return rule, masks.starts, masks.counts, masks.completions


def _limits(design: Design) -> tuple[Floats, tuple[float, ...]]:
    return design.limits.slopes, tuple(design.limits.bounds.tolist())


def _margin(coordinates: Floats, scale: float) -> float:
    """Return by how much a sum of inner products can be wrong."""
    heights, shapes = coordinates[:, 0], coordinates[:, 1:]
    size = np.abs(shapes @ shapes.T).sum() + np.abs(heights).sum() ** 2
    return 64 * EPSILON * scale**2 * float(size)


def _subset_sums(values: Floats) -> Floats:
    """Return the sum of each subset of rows; the subset's bits are its number."""
    sums = np.zeros((1, *values.shape[1:]))
    for row in values:
        sums = np.concatenate([sums, sums + row])
    return sums


def _by_pairs(shuffles: Shuffles, design: Design) -> Counter:
    from curvewise.kernels.compiled import count_pairs

    scale = float(design.factor[0, 0])
    coordinates = design.coordinates
    n_runs = len(coordinates)
    cuts = -(-n_runs // 3), -(-2 * n_runs // 3)
    spans = [slice(0, cuts[0]), slice(cuts[0], cuts[1]), slice(cuts[1], n_runs)]
    parts = [_subset_sums(scale * coordinates[span]) for span in spans]
    heights = tuple(np.ascontiguousarray(part[:, 0]) for part in parts)
    one, two, three = (part[:, 1:] for part in parts)
    # Each part's own square goes into one of the tables it is in.
    tables = (
        2 * one @ two.T + np.sum(one**2, axis=1)[:, None],
        2 * one @ three.T + np.sum(three**2, axis=1),
        2 * two @ three.T + np.sum(two**2, axis=1)[:, None],
    )
    margin = _margin(coordinates, scale)
    slopes, bounds = _limits(design)
    rule = _rule(shuffles)

    def count(first: int, last: int) -> Integers:
        return count_pairs(
            np.uint64(shuffles.seed), first, last, *rule, cuts, tables, heights, coordinates,
            scale, slopes, bounds, margin,
        )  # fmt: skip

    return count


def _by_parts(shuffles: Shuffles, design: Design) -> Counter:
    from curvewise.kernels.compiled import count_parts

    scale = float(design.factor[0, 0])
    coordinates = design.coordinates
    n_runs = len(coordinates)
    n_parts = max(5, -(-n_runs // 8))  # five are added up fastest
    bits = -(-n_runs // n_parts)
    padded = np.zeros((n_parts * bits, coordinates.shape[1]))
    padded[:n_runs] = scale * coordinates
    tables = np.concatenate(
        [_subset_sums(part).ravel() for part in np.split(padded, n_parts)]
    )
    margin = _margin(coordinates, scale)
    slopes, bounds = _limits(design)
    rule = _rule(shuffles)

    def count(first: int, last: int) -> Integers:
        return count_parts(
            np.uint64(shuffles.seed), first, last, *rule, bits, n_parts, tables, coordinates, scale,
            slopes, bounds, margin,
        )  # fmt: skip

    return count


def _by_deals(shuffles: Shuffles, design: Design) -> Counter:
    from curvewise.kernels.compiled import count_deals

    deck, coordinates = shuffles.deck, design.coordinates
    sizes = np.bincount(shuffles.labels)
    order_of_places = np.argsort(deck.template, kind="stable")
    edges = np.concatenate([[0], np.cumsum(sizes)])
    gram: Any = np.empty((0, 0))
    # Inner products within groups are enough where blocks hold the groups in proportion.
    plain = np.diag(1 / sizes[:-1]) + 1 / sizes[-1]
    proportional = np.allclose(design.factor @ design.factor.T, plain)
    n_inner, n_sums = (
        int(np.sum(sizes**2)) // 2,
        int(np.sum(sizes[:-1])) * coordinates.shape[1],
    )
    margin = 0.0
    if proportional and n_inner < n_sums:
        gram = coordinates[:, 1:] @ coordinates[:, 1:].T
        margin = _margin(coordinates, float(sizes.min()) ** -0.5)
        if gram.nbytes > NEAR_CACHE:
            # In single precision it stays near; what that could change is counted again.
            margin *= 1 + SINGLE / (64 * EPSILON)
            gram = gram.astype(np.float32)
    slopes, bounds = _limits(design)
    heights = np.ascontiguousarray(coordinates[:, 0])

    def count(first: int, last: int) -> Integers:
        return count_deals(
            np.uint64(shuffles.seed), first, last, deck.runs, deck.first, deck.last,
            order_of_places, edges, 1 / sizes, heights, gram, design.factor, coordinates,
            slopes, bounds, margin,
        )  # fmt: skip

    return count


def _cuts(n_runs: int) -> tuple[int, int]:
    """Cut the runs in three: what is revisited most must stay in the nearest cache."""
    n_middle = 8 if n_runs >= 24 else max(n_runs // 3, 1)
    n_last = min(10, max((n_runs - n_middle) // 2, 1))
    return n_runs - n_middle - n_last, n_runs - n_last


def n_thirds(n_runs: int) -> int:
    """Return how many first thirds there are to count over."""
    return int(2 ** _cuts(n_runs)[0])


def thirds_counter(labels: Integers, design: Design) -> Counter:
    """Return a function that counts over all relabellings with some first thirds.

    For two groups without blocks. Where the groups are equally large, each relabelling and
    its mirror image count once.
    """
    from curvewise.kernels.compiled_thirds import count_thirds

    n_runs = len(labels)
    n_first = int(np.sum(labels == 0))
    cuts = _cuts(n_runs)
    scale = float(design.factor[0, 0])
    coordinates = design.coordinates
    shapes = scale * coordinates[:, 1:]
    gram = shapes @ shapes.T
    heights = scale * np.ascontiguousarray(coordinates[:, 0])
    part = slice(*cuts)
    masks = np.arange(2 ** (cuts[1] - cuts[0]))
    n_bits = np.bitwise_count(masks.astype(np.uint64))
    middle = masks[np.argsort(n_bits, kind="stable")]
    starts = np.searchsorted(np.sort(n_bits), np.arange(cuts[1] - cuts[0] + 2))
    sums = _subset_sums(shapes[part])[middle]
    others = _subset_sums(shapes[cuts[1] :])
    last_middle = 2 * others @ sums.T + np.sum(sums**2, axis=1)
    middle_heights = _subset_sums(heights[part])[middle]
    margin = _margin(coordinates, scale)
    slopes, bounds = _limits(design)

    def count(first: int, last: int) -> Integers:
        return count_thirds(
            first, last, cuts, n_first, 2 * n_first == n_runs, gram, heights, middle, starts,
            middle_heights, last_middle, coordinates, scale, slopes, bounds, margin,
        )  # fmt: skip

    return count

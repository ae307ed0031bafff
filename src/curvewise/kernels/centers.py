"""Centres of groups of runs that few runs cannot move: trimmed means and ranks.

Of each group of n runs g = max(1, ⌊n/5⌋) are cut off at either end, anew in every relabelling,
since who is at the end of a group depends on who is in it. Ranks are given over all runs (of a
block) whatever their labels, so that they are shuffled like scores.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.codes import distinct

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers

__all__ = [
    "MIN_RUNS_TRIMMED",
    "midranks",
    "n_alike",
    "n_cut",
    "pairwise_differences",
    "trimmed_f",
    "trimmed_means",
    "trimmed_spread",
]

MIN_RUNS_TRIMMED = 5  # with fewer, what is left after cutting is hardly a mean


def n_cut(n_runs: int) -> int:
    """Return how many of a group's runs are cut off at either end.

    >>> n_cut(5), n_cut(9), n_cut(10)
    (1, 1, 2)
    """
    return max(1, n_runs // 5)


def trimmed_means(labels: Integers, numbers: Floats) -> Floats:
    """Return the trimmed mean of each group of each relabelling; (n_groups, n_relabellings).

    ``labels`` is (n_relabellings, n_runs), with the same group sizes in each row.
    """
    order = np.argsort(numbers, kind="stable")
    ordered, sizes = numbers[order], np.bincount(labels[0])
    labels = labels[:, order]
    return np.stack(
        [
            _kept_mean(labels == group, ordered, int(size))
            for group, size in enumerate(sizes)
        ]
    )


def _kept_mean(member: npt.NDArray[np.bool_], ordered: Floats, size: int) -> Floats:
    """Return the mean of the middle members of a group; ``ordered`` numbers ascend."""
    cut = n_cut(size)
    place = np.cumsum(member, axis=1, dtype=np.int32)
    kept = member & (place > cut) & (place <= size - cut)
    return kept.astype(np.float64) @ ordered / (size - 2 * cut)


def trimmed_spread(labels: Integers, numbers: Floats) -> Floats:
    """Return how far apart the trimmed means of each relabelling are; (n_relabellings,).

    The root of the mean squared difference of two groups, weighted by the product of their
    sizes: of two groups the difference itself, without its sign. Its square is Σ n_i (t_i − t̄)²
    up to a constant.
    """
    means, sizes = trimmed_means(labels, numbers), np.bincount(labels[0])
    pairs = [(a, b) for b in range(len(sizes)) for a in range(b)]
    weights = [float(sizes[a] * sizes[b]) for a, b in pairs]
    if len(pairs) == 1:
        return np.abs(means[0] - means[1])
    squares = sum(
        weight * (means[a] - means[b]) ** 2
        for (a, b), weight in zip(pairs, weights, strict=True)
    )
    return np.sqrt(squares / sum(weights))


def trimmed_f(numbers: Floats, labels: Integers) -> tuple[float, float, tuple[int, int]]:
    """Return sums of squares between and within groups that F of trimmed means is made of.

    Between: of the trimmed means, weighted by how many runs are left of a group. Within: of
    each group, with its ends replaced by the nearest run that is left (Winsorized). Then the
    degrees of freedom (Yuen & Dixon 1973; Lee & Fung 1985).
    """
    means, left, within = [], [], 0.0
    for group in range(int(labels.max()) + 1):
        ordered = np.sort(numbers[labels == group])
        cut = n_cut(len(ordered))
        kept = ordered[cut:-cut]
        means.append(float(kept.mean()))
        left.append(len(kept))
        winsorized = np.clip(ordered, kept[0], kept[-1])
        within += float(np.sum((winsorized - winsorized.mean()) ** 2))
    centre = float(np.average(means, weights=left))
    between = sum(h * (mean - centre) ** 2 for h, mean in zip(left, means, strict=True))
    return between, within, (len(means) - 1, sum(left) - len(means))


def midranks(numbers: Floats, blocks: Integers, tie: float = 0.0) -> Floats:
    """Return the rank of each run inside its block; neighbours within ``tie`` share theirs.

    >>> midranks(np.array([3.0, 1.0, 3.0, 7.0]), np.array([0, 0, 0, 1]))
    array([2.5, 1. , 2.5, 1. ])
    """
    order = np.lexsort([numbers, blocks])
    ordered, block = numbers[order], blocks[order]
    new_block = np.diff(block) != 0
    group = np.concatenate([[0], np.cumsum(new_block | (np.diff(ordered) > tie))])
    places = np.arange(len(order), dtype=np.float64)
    shared = np.bincount(group, weights=places) / np.bincount(group)
    starts = np.concatenate([[0], np.flatnonzero(new_block) + 1])
    start = starts[np.concatenate([[0], np.cumsum(new_block)])]
    ranks = np.empty(len(order))
    ranks[order] = shared[group] - start + 1
    return ranks


def pairwise_differences(numbers: Floats, labels: Integers, blocks: Integers) -> Floats:
    """Return each run of the first group less each of the second, in its block; sorted."""
    parts = [
        np.subtract.outer(
            numbers[(labels == 0) & (blocks == block)],
            numbers[(labels == 1) & (blocks == block)],
        ).ravel()
        for block in distinct(blocks)
    ]
    return np.sort(np.concatenate(parts))


def n_alike(sizes: Integers) -> int:
    """Return how many relabellings of two separated groups have the same trimmed means.

    Runs that are cut off of either group can change places unnoticed, so that no p can be below
    this number over that of all relabellings.

    >>> n_alike(np.array([5, 5]))
    2
    """
    first, second = (n_cut(int(size)) for size in sizes)
    return math.comb(first + second, first)

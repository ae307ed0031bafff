"""How much of the differences between algorithms lies in a part of training, resampled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova import centred
from curvewise.kernels.resamples import resample_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.kernels import Floats, Integers

__all__ = ["resampled_shares"]

MOST_VALUES = 2**20


def resampled_shares(
    scores: Floats,
    labels: Integers,
    blocks: Integers,
    n_resamples: int,
    seed: int,
    inside: Floats,
) -> Floats:
    """Return the share of A, and of I, that lies in some windows, in each resample.

    ``inside`` is (n_steps, n_windows), 1 where a window holds a step; the result is
    (2, n_resamples, n_windows). Runs are drawn within their algorithm, or whole blocks where
    there are blocks.
    """
    names, codes = np.unique(blocks, return_inverse=True)
    if len(names) == 1:
        counts = resample_counts(labels, n_resamples, seed)
        effects = _of_runs(scores, labels, counts)
    else:
        counts = resample_counts(np.zeros(len(names), dtype=np.int64), n_resamples, seed)
        effects = _of_blocks(scores, labels, codes, counts)
    shares = []
    for squares in effects:
        total = squares.sum(axis=2, keepdims=True)
        part = squares @ inside
        shares.append(np.divide(part, total, out=np.zeros_like(part), where=total > 0))
    return np.concatenate(shares, axis=1)


def _rows(counts: Floats, n_values: int) -> Iterator[Floats]:
    size = max(MOST_VALUES // n_values, 1)
    for start in range(0, len(counts), size):
        yield counts[start : start + size]


def _of_runs(scores: Floats, labels: Integers, counts: Floats) -> Iterator[Floats]:
    """Yield A and I of some resamples of runs; (2, n_resamples, n_steps)."""
    sizes = np.bincount(labels)
    for some in _rows(counts, scores.shape[1]):
        means = np.stack(
            [
                some[:, labels == group] @ scores[labels == group] / size
                for group, size in enumerate(sizes)
            ]
        )
        means -= np.tensordot(sizes / sizes.sum(), means, axes=1)
        changes = means - means.mean(axis=2, keepdims=True)
        yield np.stack(
            [np.tensordot(sizes, part**2, axes=1) for part in (means, changes)]
        )


def _of_blocks(
    scores: Floats, labels: Integers, codes: Integers, counts: Floats
) -> Iterator[Floats]:
    """Yield A and I of some resamples of blocks, adjusted for what each block holds."""
    n_blocks, n_groups = counts.shape[1], int(labels.max()) + 1
    deviations = centred(scores, codes)
    sums = np.zeros((n_blocks, n_groups, scores.shape[1]))
    np.add.at(sums, (codes, labels), deviations)
    held = np.zeros((n_blocks, n_groups))
    np.add.at(held, (codes, labels), 1.0)
    information = np.eye(n_groups) * held[:, :, None]
    information -= held[:, :, None] * held[:, None, :] / held.sum(axis=1)[:, None, None]
    for some in _rows(counts, sums[0].size):
        # A resample may leave algorithms unconnected; the pseudo-inverse compares the rest.
        inverses = np.linalg.pinv(np.tensordot(some, information, axes=1), hermitian=True)
        drawn = np.tensordot(some, sums, axes=1)
        changes = drawn - drawn.mean(axis=2, keepdims=True)
        yield np.stack(
            [np.sum(part * (inverses @ part), axis=1) for part in (drawn, changes)]
        )

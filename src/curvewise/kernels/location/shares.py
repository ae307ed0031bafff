"""Which share of the differences between algorithms lies in a part of training, resampled.

A and I, at each step, are those of `profiles`, computed anew for every resample.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.sums import centred
from curvewise.kernels.bootstrap.resamples import resample_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.kernels import Floats, Integers

__all__ = ["resampled_shares"]

MAX_RESAMPLED_SUMS = 2**20  # in memory at a time: one per resample, algorithm and step


def resampled_shares(
    scores: Floats,
    labels: Integers,
    blocks: Integers,
    n_resamples: int,
    seed: int,
    inside: Floats,
) -> Floats:
    """Return the share of A, and of I, that lies in each of several windows.

    ``inside`` is (n_steps, n_windows), 1 where a step is in a window; the result is
    (2, n_resamples, n_windows), 0 where there is no difference at all. Runs are drawn
    within their algorithm, or whole blocks where there are blocks.
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
        in_windows = squares @ inside
        shares.append(
            np.divide(in_windows, total, out=np.zeros_like(in_windows), where=total > 0)
        )
    return np.concatenate(shares, axis=1)


def _batches(counts: Floats, n_values: int) -> Iterator[Floats]:
    size = max(MAX_RESAMPLED_SUMS // n_values, 1)
    for start in range(0, len(counts), size):
        yield counts[start : start + size]


def _of_runs(scores: Floats, labels: Integers, counts: Floats) -> Iterator[Floats]:
    """Yield A and I of resampled runs, a batch at a time; (2, n_resamples, n_steps)."""
    sizes = np.bincount(labels)
    for batch in _batches(counts, scores.shape[1]):
        means = np.stack(
            [
                batch[:, labels == group] @ scores[labels == group] / size
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
    """Yield A = Sᵀ C⁻ S and I of resampled blocks, a batch at a time.

    S and C are sums over blocks, so those of a resample are sums with its counts.
    """
    n_blocks, n_groups = counts.shape[1], int(labels.max()) + 1
    deviations = centred(scores, codes)
    sums = np.zeros((n_blocks, n_groups, scores.shape[1]))
    np.add.at(sums, (codes, labels), deviations)
    sizes = np.zeros((n_blocks, n_groups))
    np.add.at(sizes, (codes, labels), 1.0)
    information = np.eye(n_groups) * sizes[:, :, None]
    information -= (
        sizes[:, :, None] * sizes[:, None, :] / sizes.sum(axis=1)[:, None, None]
    )
    for batch in _batches(counts, sums[0].size):
        # A resample may have no block that compares some algorithms with the others; the
        # pseudo-inverse then compares only those that blocks connect.
        inverses = np.linalg.pinv(
            np.tensordot(batch, information, axes=1), hermitian=True
        )
        drawn = np.tensordot(batch, sums, axes=1)
        changes = drawn - drawn.mean(axis=2, keepdims=True)
        yield np.stack(
            [np.sum(part * (inverses @ part), axis=1) for part in (drawn, changes)]
        )

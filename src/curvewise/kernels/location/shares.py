"""Which share of the differences between algorithms lies in a part of training, resampled.

A and I, at each step, are those of `profiles`, computed anew for every resample; I is A of
curves less their own mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.sums import centred
from curvewise.kernels.bootstrap.resamples import resample_counts
from curvewise.kernels.codes import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.kernels import Floats, Integers

__all__ = ["resampled_shares"]

MAX_RESAMPLED_SUMS = 2**20  # in memory at a time: one per resample, algorithm and column


def resampled_shares(
    scores: Floats,
    labels: Integers,
    blocks: Integers,
    n_resamples: int,
    seed: int,
    ends: Sequence[tuple[int, int]],
    *,
    changes: bool,
) -> Floats:
    """Return the share of A, or with ``changes`` of I, that lies in each of several windows.

    ``ends`` are the first and the last step of each window; the result is (n_resamples,
    n_windows), 0 where there is no difference at all. Runs are drawn within their algorithm,
    or whole blocks where there are blocks.
    """
    table = scores - scores.mean(axis=0)
    if changes:
        table -= table.mean(axis=1, keepdims=True)
    first, last = np.array(ends).T
    edges = distinct(np.concatenate([[0], first, last + 1]))
    columns, starts = _rotated_stretches(table, edges[edges < scores.shape[1]])
    names, codes = np.unique(blocks, return_inverse=True)
    if len(names) == 1:
        counts = resample_counts(labels, n_resamples, seed)
        effects = _of_runs(columns, labels, counts)
    else:
        counts = resample_counts(np.zeros(len(names), dtype=np.int64), n_resamples, seed)
        effects = _of_blocks(columns, labels, codes, counts)
    before, after = np.searchsorted(edges, first), np.searchsorted(edges, last + 1)
    shares = []
    for squares in effects:
        by_stretch = np.add.reduceat(squares, starts, axis=1)
        up_to = np.pad(np.cumsum(by_stretch, axis=1), ((0, 0), (1, 0)))
        inside, total = up_to[:, after] - up_to[:, before], up_to[:, -1:]
        shares.append(
            np.divide(inside, total, out=np.zeros_like(inside), where=total > 0)
        )
    return np.concatenate(shares)


def _rotated_stretches(table: Floats, edges: Integers) -> tuple[Floats, Integers]:
    """Rotate the steps of each stretch; it begins at one of the edges, and ends at the next.

    A rotation changes no sum of squares over the steps of a stretch, and of many steps leaves
    as many that are not 0 as there are runs. Returns the columns, and where each stretch begins
    among them.
    """
    n_runs = len(table)
    parts = [
        part if part.shape[1] <= n_runs else np.asarray(np.linalg.qr(part.T, mode="r")).T
        for part in np.split(table, edges[1:], axis=1)
    ]
    widths = np.array([part.shape[1] for part in parts])
    return np.hstack(parts), np.cumsum(widths) - widths


def _batches(counts: Floats, n_values: int) -> Iterator[Floats]:
    size = max(MAX_RESAMPLED_SUMS // n_values, 1)
    for start in range(0, len(counts), size):
        yield counts[start : start + size]


def _of_runs(scores: Floats, labels: Integers, counts: Floats) -> Iterator[Floats]:
    """Yield A of resampled runs, a batch at a time; (n_resamples, n_columns)."""
    sizes = np.bincount(labels)
    for batch in _batches(counts, scores.shape[1]):
        means = np.stack(
            [
                batch[:, labels == group] @ scores[labels == group] / size
                for group, size in enumerate(sizes)
            ]
        )
        means -= np.tensordot(sizes / sizes.sum(), means, axes=1)
        yield np.tensordot(sizes, means**2, axes=1)


def _of_blocks(
    scores: Floats, labels: Integers, codes: Integers, counts: Floats
) -> Iterator[Floats]:
    """Yield A = Sᵀ C⁻ S of resampled blocks, a batch at a time; (n_resamples, n_columns).

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
        yield np.sum(drawn * (inverses @ drawn), axis=1)

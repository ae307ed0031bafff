from __future__ import annotations

import numpy as np
from scipy import stats

from curvewise.kernels.shuffles import BATCH, Shuffles


def shuffles(count: int, seed: int = 0) -> Shuffles:
    labels = np.repeat([0, 1], [2, 3])
    return Shuffles(labels, np.zeros_like(labels), count, seed)


def test_every_labelling_is_equally_likely() -> None:
    drawn = np.concatenate([shuffles(40 * BATCH).batch(number) for number in range(40)])
    _, counts = np.unique(drawn @ (2 ** np.arange(5)), return_counts=True)
    assert len(counts) == 10
    assert stats.chisquare(counts).pvalue > 1e-4


def test_a_shuffle_is_the_same_however_many_are_asked_for() -> None:
    few, many = shuffles(10), shuffles(5 * BATCH)
    np.testing.assert_array_equal(few.batch(0), many.batch(0)[:10])
    assert len(shuffles(BATCH + 3).batch(1)) == 3


def test_seeds_and_batches_have_streams_of_their_own() -> None:
    first = shuffles(2 * BATCH, seed=1)
    assert not np.array_equal(first.batch(0), first.batch(1))
    assert not np.array_equal(first.batch(0), shuffles(2 * BATCH, seed=2).batch(0))


def test_runs_never_leave_their_block() -> None:
    labels = np.array([0, 1, 0, 1, 1])
    blocks = np.array([0, 0, 1, 1, 1])
    drawn = Shuffles(labels, blocks, BATCH, 0).batch(0)
    assert (drawn[:, :2].sum(axis=1) == 1).all()
    assert (drawn[:, 2:].sum(axis=1) == 2).all()

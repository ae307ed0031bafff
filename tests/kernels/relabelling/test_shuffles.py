from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.relabelling.shuffles import Shuffles
from curvewise.kernels.relabelling.streams import BATCH


def shuffles(count: int, seed: int = 0, sizes: tuple[int, ...] = (2, 3)) -> Shuffles:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return Shuffles(labels, np.zeros_like(labels), count, seed)


@pytest.mark.parametrize("sizes", [(2, 3), (6, 7), (1, 11), (2, 2, 2), (1, 2, 4)])
def test_every_labelling_is_equally_likely(sizes: tuple[int, ...]) -> None:
    source = shuffles(60 * BATCH, sizes=sizes)
    drawn = np.concatenate([source.batch(number) for number in range(60)])
    _, counts = np.unique(
        drawn @ (len(sizes) ** np.arange(sum(sizes))), return_counts=True
    )
    n_labellings = math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))
    assert len(counts) == n_labellings
    assert stats.chisquare(counts).pvalue > 1e-4


def test_masks_are_drawn_where_that_is_quick_and_runs_dealt_elsewhere() -> None:
    assert shuffles(1, sizes=(10, 10)).masks is not None
    assert shuffles(1, sizes=(30, 30)).masks is not None
    assert shuffles(1, sizes=(2, 40)).masks is None
    assert shuffles(1, sizes=(40, 40)).masks is None
    assert shuffles(1, sizes=(4, 4, 4)).masks is None


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

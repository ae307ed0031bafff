from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.relabel import BATCH, DrawPlan, Shuffles


def shuffles(count: int, seed: int = 0, sizes: tuple[int, ...] = (2, 3)) -> Shuffles:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return Shuffles(labels, np.zeros_like(labels), count, seed)


@pytest.mark.parametrize("sizes", [(2, 3), (6, 7), (1, 11), (2, 2, 2), (1, 2, 4)])
def test_every_labelling_is_equally_likely(sizes: tuple[int, ...]) -> None:
    source = shuffles(60 * BATCH, sizes=sizes)
    drawn = np.concatenate([source.batch(number) for number in range(60)])
    _, counts = np.unique(drawn @ (len(sizes) ** np.arange(sum(sizes))), return_counts=True)
    n_labellings = math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))
    assert len(counts) == n_labellings
    assert stats.chisquare(counts).pvalue > 1e-4


def test_masks_are_drawn_where_that_is_quick_and_runs_one_by_one_elsewhere() -> None:
    assert shuffles(1, sizes=(10, 10)).masks is not None
    assert shuffles(1, sizes=(30, 30)).masks is not None
    assert shuffles(1, sizes=(2, 40)).masks is None
    assert shuffles(1, sizes=(40, 40)).masks is None
    assert shuffles(1, sizes=(4, 4, 4)).masks is None


@pytest.mark.parametrize("sizes", [(2, 3), (2, 2, 2)])
def test_a_shuffle_is_the_same_however_many_are_asked_for(sizes: tuple[int, ...]) -> None:
    few, many = shuffles(10, sizes=sizes), shuffles(5 * BATCH, sizes=sizes)
    np.testing.assert_array_equal(few.batch(0), many.batch(0)[:10])
    assert len(shuffles(BATCH + 3, sizes=sizes).batch(1)) == 3


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
    # Two labellings of the first block, three of the second, all equally likely.
    _, counts = np.unique(drawn @ 2 ** np.arange(5), return_counts=True)
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-4


def test_no_draw_is_spent_on_the_largest_group_of_a_block() -> None:
    plan = DrawPlan.of(np.array([0, 0, 0, 1, 2, 0, 1, 1]), np.array([0] * 5 + [1] * 3))
    assert plan.template.tolist() == [1, 2, 0, 0, 0, 0, 1, 1]
    assert plan.runs.tolist() == list(range(8))
    assert plan.first.tolist() == [0, 1, 5]
    assert plan.last.tolist() == [5, 5, 8]

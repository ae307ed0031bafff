"""Relabellings of several tables at once."""

from __future__ import annotations

import itertools

import numpy as np

from curvewise.kernels.relabel import BATCH, Products, shared_batches


def test_every_combination_comes_once() -> None:
    products = Products((3, 1, 4))
    ranks = products.every().batch(0)
    assert products.count == 12
    expected = list(itertools.product(range(3), range(1), range(4)))
    assert sorted(map(tuple, ranks.tolist())) == expected


def test_enumerations_come_in_batches() -> None:
    every = Products((40, 30)).every()
    batches = [every.batch(0), every.batch(1)]
    assert [len(batch) for batch in batches] == [BATCH, 1_200 - BATCH]
    assert len(np.unique(np.concatenate(batches), axis=0)) == 1_200


def test_drawn_ranks_are_uniform_and_independent() -> None:
    drawn = Products((5, 126)).drawn(20 * BATCH, seed=3)
    ranks = np.concatenate([drawn.batch(number) for number in range(20)])
    for column, count in enumerate((5, 126)):
        counts = np.bincount(ranks[:, column], minlength=count)
        expected = len(ranks) / count
        assert len(counts) == count
        assert np.sum((counts - expected) ** 2) / expected < count + 5 * np.sqrt(2 * count)
    correlation = np.corrcoef(ranks.T)[0, 1]
    assert abs(correlation) < 4 / np.sqrt(len(ranks))


def test_draws_depend_on_the_seed_alone() -> None:
    products = Products((7, 9))
    some = products.drawn(100, seed=1).batch(0)
    more = products.drawn(5_000, seed=1).batch(0)
    assert np.array_equal(some, more[:100])
    assert not np.array_equal(some, products.drawn(100, seed=2).batch(0))
    with shared_batches():
        first, again = (products.drawn(100, seed=1).batch(0) for _ in range(2))
    assert np.array_equal(first, again)
    assert np.array_equal(first, some)
    drawn = products.drawn(100, seed=1)
    assert len(drawn.labels) == len(drawn.blocks) == 2

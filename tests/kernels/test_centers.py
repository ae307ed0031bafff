"""Trimmed means, ranks and differences against slow and plain computations."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.invert import (
    midranks,
    n_alike,
    n_cut,
    pairwise_differences,
    trimmed_f,
    trimmed_means,
    trimmed_spread,
)

ONE_BLOCK = np.zeros(12, dtype=np.int64)


@pytest.mark.parametrize(("n_runs", "cut"), [(5, 1), (9, 1), (10, 2), (14, 2), (25, 5)])
def test_a_fifth_is_cut_off_and_at_least_one(n_runs: int, cut: int) -> None:
    assert n_cut(n_runs) == cut


@pytest.mark.parametrize("sizes", [(5, 7), (5, 6, 11)])
def test_trimmed_means_are_those_of_scipy_for_every_relabelling(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=sum(sizes)).round(1)  # with ties
    labels = np.repeat(np.arange(len(sizes)), sizes)
    shuffled = np.stack([rng.permutation(labels) for _ in range(50)])
    means = trimmed_means(shuffled, numbers)
    for row, own in enumerate(shuffled):
        for group, size in enumerate(sizes):
            share = n_cut(size) / size + 1e-9
            expected = stats.trim_mean(numbers[own == group], share)
            assert means[group, row] == pytest.approx(expected)


def test_the_spread_of_two_is_their_difference_and_of_more_orders_as_a_sum_of_squares() -> None:
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=18)
    labels = np.repeat([0, 1, 2], (5, 6, 7))
    shuffled = np.stack([rng.permutation(labels) for _ in range(30)])
    means, sizes = trimmed_means(shuffled, numbers), np.array([5, 6, 7])
    centre = sizes @ means / 18
    squares = sizes @ (means - centre) ** 2
    weights = 5 * 6 + 5 * 7 + 6 * 7
    spread = trimmed_spread(shuffled, numbers)
    np.testing.assert_allclose(spread**2, 18 * squares / weights)
    two = np.where(shuffled == 2, 1, shuffled)
    first, second = trimmed_means(two, numbers)
    np.testing.assert_allclose(trimmed_spread(two, numbers), np.abs(first - second))


def test_f_of_two_is_the_square_of_yuens_t_with_pooled_variance() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=10), rng.normal(1, 1, size=10)
    between, within, df = trimmed_f(np.concatenate([first, second]), np.repeat([0, 1], 10))
    f = between / (within / df[1])
    # Equal numbers of runs: SciPy's Yuen-Welch t has the same value as the pooled one.
    t = stats.ttest_ind(first, second, trim=0.2, equal_var=False).statistic
    assert df == (1, 10)
    assert f == pytest.approx(t**2)


def test_midranks_are_those_of_scipy_inside_each_block() -> None:
    rng = np.random.default_rng(3)
    numbers = rng.integers(0, 6, size=12).astype(float)
    np.testing.assert_array_equal(midranks(numbers, ONE_BLOCK), stats.rankdata(numbers))
    blocks = np.repeat([0, 2, 5], (3, 4, 5))
    ranks = midranks(numbers, blocks)
    for block in (0, 2, 5):
        own = blocks == block
        np.testing.assert_array_equal(ranks[own], stats.rankdata(numbers[own]))


def test_what_rounding_sets_apart_shares_a_rank() -> None:
    numbers = np.array([0.3, 0.1 + 0.2, 0.5, 0.7])
    blocks = ONE_BLOCK[:4]
    assert midranks(numbers, blocks).tolist() == [1, 2, 3, 4]
    assert midranks(numbers, blocks, 1e-12).tolist() == [1.5, 1.5, 3, 4]


def test_differences_are_taken_inside_blocks() -> None:
    numbers = np.array([5.0, 3.0, 1.0, 2.0, 9.0])
    labels, blocks = np.array([0, 1, 0, 1, 0]), np.array([0, 0, 1, 1, 1])
    assert pairwise_differences(numbers, labels, blocks).tolist() == [-1, 2, 7]
    together = pairwise_differences(numbers, labels, np.zeros_like(blocks))
    assert together.tolist() == [-2, -1, 2, 3, 6, 7]


@pytest.mark.parametrize("sizes", [(5, 5), (5, 10), (6, 5)])
def test_no_relabelling_of_separated_groups_is_alone(sizes: tuple[int, int]) -> None:
    n_first, n_runs = sizes[0], sum(sizes)
    numbers = np.concatenate([np.arange(sizes[0]), 100.0 + np.arange(sizes[1])])
    relabelled = np.ones((0, n_runs), dtype=np.int64)
    for members in combinations(range(n_runs), n_first):
        row = np.ones((1, n_runs), dtype=np.int64)
        row[0, list(members)] = 0
        relabelled = np.concatenate([relabelled, row])
    first, second = trimmed_means(relabelled, numbers)
    differences = first - second
    n_extreme = int(np.sum(differences <= differences[0] + 1e-9))
    assert n_extreme == n_alike(np.array(sizes))

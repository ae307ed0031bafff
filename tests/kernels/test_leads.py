from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.anova import centred, group_factor, group_squares
from curvewise.kernels.combined import MeanDesign
from curvewise.kernels.contrasts import GroupMoments, runs_by_group
from curvewise.kernels.relabel import Shuffles, shared_batches

SIZES = [(3, 4, 5), (4, 4, 4), (5, 5), (2, 2, 7)]


def shuffled(sizes: tuple[int, ...], n_shuffles: int = 50) -> np.ndarray:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    blocks = np.zeros(len(labels), dtype=np.int64)
    return Shuffles(labels, blocks, n_shuffles, seed=3).batch(0).astype(np.int8)


@pytest.mark.parametrize("sizes", SIZES)
def test_sums_and_squares_are_those_of_each_group(sizes: tuple[int, ...]) -> None:
    labels = shuffled(sizes)
    values = np.random.default_rng(0).normal(size=sum(sizes))
    found = GroupMoments.of(values, labels)
    assert found.sizes.tolist() == list(sizes)
    for number, own in enumerate(labels):
        for group in range(len(sizes)):
            inside = values[own == group]
            assert found.sums[group, number] == pytest.approx(inside.sum())
            squares = np.sum((inside - inside.mean()) ** 2)
            assert found.squares[group, number] == pytest.approx(squares)


def test_a_small_variance_far_from_zero_keeps_its_digits() -> None:
    values = np.array([1, 1 + 1e-7, 1 - 1e-7, -1, -1, -1])
    found = GroupMoments.of(values, np.array([[0, 0, 0, 1, 1, 1]]))
    assert found.squares[0, 0] == pytest.approx(2e-14, rel=1e-6)
    assert found.squares[1, 0] == 0


@pytest.mark.parametrize("sizes", SIZES)
def test_the_lead_is_that_of_welch(sizes: tuple[int, ...]) -> None:
    labels = shuffled(sizes)
    values = np.random.default_rng(0).normal(size=sum(sizes))
    blocks = np.zeros(len(values), dtype=np.int64)
    looks, best = MeanDesign.of(values, labels[0], blocks, 0.0).values(labels)
    for number, own in enumerate(labels):
        groups = [values[own == group] for group in range(len(sizes))]
        leader, *others = sorted(groups, key=lambda group: -group.mean())
        shares = []
        for other in others:
            t = stats.ttest_ind(leader, other, equal_var=False).statistic
            shares.append(t**2 / (t**2 + len(leader) + len(other) - 2))
        largest = max(shares)
        assert looks[1, number] == pytest.approx((largest / np.sqrt(1 - largest)) ** 0.25)
        assert best[number] == pytest.approx(leader.mean() - values.mean())


def test_a_lead_without_variance_is_all_or_nothing() -> None:
    labels, blocks = np.array([0, 0, 1, 1]), np.zeros(4, dtype=np.int64)
    ahead, level = (
        MeanDesign.of(np.array(values), labels, blocks, 0.0).values(labels[None, :])[0][1, 0]
        for values in ([2.0, 2, 1, 1], [1.0, 3, 1, 3])
    )
    assert ahead > 10
    assert level == 0


@pytest.mark.parametrize("blocked", [False, True])
def test_the_sum_of_squares_between_groups_is_that_of_the_analysis(blocked: bool) -> None:
    blocks = np.arange(12) % 3 if blocked else np.zeros(12, dtype=np.int64)
    labels = np.repeat([0, 1, 2], [3, 3, 6])
    values = centred(np.random.default_rng(0).normal(size=(12, 1)), blocks)
    factor = group_factor(labels, blocks)
    every = Shuffles(labels, blocks, 40, seed=1).batch(0)
    found = GroupMoments.of(values[:, 0], every).between(factor)
    np.testing.assert_allclose(found, group_squares(every, values, factor)[0])


def test_runs_are_lined_up_group_after_group() -> None:
    labels = shuffled((3, 4, 5))
    found = runs_by_group(labels)
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found.T, np.argsort(labels, axis=1, kind="stable"))
    with shared_batches():
        first, again = runs_by_group(labels), runs_by_group(labels.copy())
        other = runs_by_group(labels[::-1])
    np.testing.assert_array_equal(first, found)
    np.testing.assert_array_equal(again, found)
    np.testing.assert_array_equal(other, found[:, ::-1])


def test_more_runs_than_a_byte_can_number() -> None:
    labels = np.tile(np.arange(300) % 2, (2, 1))
    assert runs_by_group(labels)[-1].tolist() == [299, 299]

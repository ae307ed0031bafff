"""Common tests of two halves of the same runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from curvewise.kernels.invert import TESTS, halves, n_halvings, rejections

ALPHA = 0.2


def runs_of(seed: int, n_runs: int, n_steps: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_runs, n_steps)).cumsum(axis=1) + rng.normal(size=(n_runs, 1))


@pytest.mark.parametrize(("n_runs", "n_steps"), [(4, 1), (5, 7), (8, 3), (13, 4)])
def test_single_splits_are_those_of_scipy(n_runs: int, n_steps: int) -> None:
    scores = runs_of(n_runs, n_runs, n_steps)
    (splits,) = halves(n_runs, 40, key=1)
    found = rejections(scores, splits, ALPHA)
    assert list(found) == [test for test in TESTS if n_steps > 1 or test != "shape"]
    for row, split in enumerate(splits):
        one, other = scores[split == 0], scores[split == 1]
        p = stats.ttest_ind(one, other).pvalue
        assert found["every step"][row] == (p <= ALPHA).any()
        assert found["final"][row] == (p[-1] <= ALPHA)
        area = stats.ttest_ind(one.mean(axis=1), other.mean(axis=1)).pvalue
        assert found["area"][row] == (area <= ALPHA)


@pytest.mark.parametrize(("n_runs", "n_steps"), [(5, 7), (8, 3), (6, 12)])
def test_the_conventional_f_is_that_of_two_way_analysis_of_variance(
    n_runs: int, n_steps: int
) -> None:
    """Sums of squares by their definitions: all scores of a cell are taken for independent."""
    scores = runs_of(n_steps, n_runs, n_steps)
    (splits,) = halves(n_runs, 40, key=1)
    found = rejections(scores, splits, ALPHA)
    for row, split in enumerate(splits):
        cells = [scores[split == half] for half in (0, 1)]
        error = sum(float(((own - own.mean(axis=0)) ** 2).sum()) for own in cells)
        height = sum(own.size * (own.mean() - scores.mean()) ** 2 for own in cells)
        both = sum(
            len(own) * float(((own.mean(axis=0) - scores.mean(axis=0)) ** 2).sum()) for own in cells
        )
        df = n_steps * (n_runs - 2)
        p_height = stats.f.sf(height / (error / df), 1, df)
        p_shape = stats.f.sf((both - height) / (n_steps - 1) / (error / df), n_steps - 1, df)
        assert found["height"][row] == (p_height <= ALPHA)
        assert found["shape"][row] == (p_shape <= ALPHA)


@pytest.mark.parametrize("n_runs", [4, 5, 6, 9, 10])
def test_all_splits_are_visited_once_where_there_are_few(n_runs: int) -> None:
    small = n_runs // 2
    expected = math.comb(n_runs, small) // (2 if n_runs % 2 == 0 else 1)
    assert n_halvings(n_runs) == expected
    splits = np.vstack(list(halves(n_runs, 1_000, key=0)))
    kinds = {
        frozenset(
            [frozenset(np.flatnonzero(row).tolist()), frozenset(np.flatnonzero(row == 0).tolist())]
        )
        for row in splits
    }
    assert len(splits) == len(kinds) == expected
    assert (np.minimum(splits.sum(axis=1), (1 - splits).sum(axis=1)) == small).all()


def test_many_splits_are_drawn_and_repeat_with_their_key() -> None:
    one, same, other = (np.vstack(list(halves(20, 3_000, key=key))) for key in (1, 1, 2))
    assert one.shape == (3_000, 20)
    assert (one == same).all()
    assert (one != other).any()
    assert (one.sum(axis=1) == 10).all()


@given(st.integers(0, 99), st.floats(0.01, 100), st.floats(-1e3, 1e3))
def test_units_of_the_scores_change_nothing(seed: int, scale: float, shift: float) -> None:
    scores = runs_of(seed, 7, 5)
    (splits,) = halves(7, 99, key=0)
    one, two = (rejections(own, splits, ALPHA) for own in (scores, -scale * scores + shift))
    for test in one:
        assert (one[test] == two[test]).all()


def test_steps_without_variation_find_nothing() -> None:
    (splits,) = halves(6, 99, key=0)
    flat = np.full((6, 4), 0.1)
    assert not any(found.any() for found in rejections(flat, splits, ALPHA).values())
    # All that differs is one step, at which each run is one of two values.
    flat[:3, 2] = 0.3
    found = rejections(flat, splits, 0.05)
    apart = np.array([len(set(row[:3])) == len(set(row[3:])) == 1 for row in splits])
    assert (found["every step"] == apart).all()
    assert not found["final"].any()

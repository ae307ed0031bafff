from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from curvewise.kernels import invert
from curvewise.kernels.invert import count_above, count_heights


def sums_of(heights: np.ndarray, n_first: int) -> np.ndarray:
    return np.array([sum(chosen) for chosen in combinations(heights.tolist(), n_first)])


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("n_runs", "n_first"), [(2, 1), (9, 4), (11, 4), (12, 11)])
def test_counts_are_those_of_all_choices(
    n_runs: int, n_first: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invert, "counting_repays_compiling", lambda _: compiled)
    heights = np.random.default_rng(n_runs).normal(size=n_runs)
    heights -= heights.mean()
    sums = sums_of(heights, n_first)
    for least in (-2.0, 0.0, 0.7, 3.0, 99.0):
        assert count_above(heights, n_first, least) == np.sum(sums >= least)
    for bound in (0.0, 0.5, 4.0, 1e9):
        assert count_heights(heights, n_first, bound) == np.sum(sums**2 >= bound)


@pytest.mark.parametrize("compiled", [False, True])
def test_sums_that_equal_the_bound_count_on_both_sides(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invert, "counting_repays_compiling", lambda _: compiled)
    heights = np.array([-3.0, -1.0, -1.0, 1.0, 1.0, 3.0])
    sums = sums_of(heights, 3)
    assert count_heights(heights, 3, 9.0) == np.sum(np.abs(sums) >= 3)
    assert count_above(heights, 3, 3.0) == np.sum(sums >= 3)
    assert np.sum(sums == 3) > 0


def test_every_choice_counts_where_no_bound_excludes_any() -> None:
    heights = np.random.default_rng(0).normal(size=40)
    assert count_heights(heights, 20, 0.0) == math.comb(40, 20)
    assert count_above(heights[:20], 7, -1e9) == math.comb(20, 7)

"""Ratios that the shuffle test does not reject, and intervals that obey a test."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from curvewise.kernels.invert import ratio_interval


def relabellings(n_runs: int, n_first: int) -> np.ndarray:
    rows = []
    for chosen in combinations(range(n_runs), n_first):
        labels = np.zeros(n_runs)
        labels[list(chosen)] = 1
        rows.append(labels)
    return np.array(rows)


def pvalue(x: np.ndarray, member: np.ndarray, labels: np.ndarray, ratio: float) -> float:
    """The p of a ratio, straight from its definition."""
    scaled = np.where(member == 1, x, ratio * x)
    weights = labels / labels.sum(axis=1, keepdims=True)
    weights -= (1 - labels) / (1 - labels).sum(axis=1, keepdims=True)
    observed = scaled[member == 1].mean() - scaled[member == 0].mean()
    return float(np.mean(np.abs(weights @ scaled) >= abs(observed) * (1 - 1e-9) - 1e-12))


def interval(
    x: np.ndarray, member: np.ndarray, labels: np.ndarray, alpha: float
) -> tuple[float, float]:
    weights = labels / labels.sum(axis=1, keepdims=True)
    weights -= (1 - labels) / (1 - labels).sum(axis=1, keepdims=True)
    means = x[member == 1].mean(), x[member == 0].mean()
    parts = weights @ (x * member), weights @ (x * (1 - member))
    return ratio_interval(means, parts, alpha, exact=True)


@pytest.mark.parametrize("sizes", [(4, 4), (3, 6), (6, 3), (2, 7), (7, 2)])
@pytest.mark.parametrize("seed", range(6))
def test_p_is_above_alpha_inside_and_not_just_outside(sizes: tuple[int, int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    member = np.array([1] * sizes[0] + [0] * sizes[1])
    x = np.exp(rng.normal(0, 0.5, size=len(member))) * (1 + member * seed / 3)
    labels, alpha = relabellings(len(member), sizes[0]), 0.1
    low, high = interval(x, member, labels, alpha)
    ratio = x[member == 1].mean() / x[member == 0].mean()
    assert low <= ratio <= high
    for inside in np.linspace(max(low, 0), min(high, 20 * ratio), 41)[1:-1]:
        assert pvalue(x, member, labels, float(inside)) > alpha
    for end, outside in ((low, 0.999), (high, 1.001)):
        if math.isfinite(end) and end > 0:
            assert pvalue(x, member, labels, end) > alpha
            assert pvalue(x, member, labels, end * outside) <= alpha


def test_scaling_one_condition_scales_the_interval() -> None:
    rng = np.random.default_rng(3)
    member = np.array([1] * 5 + [0] * 5)
    x, labels = rng.uniform(1, 2, size=10), relabellings(10, 5)
    low, high = interval(x, member, labels, 0.05)
    tripled = interval(np.where(member == 1, 3 * x, x), member, labels, 0.05)
    assert tripled == pytest.approx((3 * low, 3 * high))


def test_equal_runs_leave_one_ratio() -> None:
    member = np.array([1] * 4 + [0] * 4)
    x, labels = np.where(member == 1, 6.0, 2.0), relabellings(8, 4)
    assert interval(x, member, labels, 0.05) == pytest.approx((3.0, 3.0))


def test_with_too_few_relabellings_nothing_is_rejected() -> None:
    one = np.ones(1)
    found = ratio_interval((1.0, 2.0), (one, -2 * one), 0.05, exact=True)
    assert found == (-math.inf, math.inf)
    sample = ratio_interval((1.0, 2.0), (0 * one, 0 * one), 0.05, exact=False)
    assert sample == (-math.inf, math.inf)


def test_the_observed_labels_and_their_mirror_image_count_for_every_ratio() -> None:
    """Two of the 252 relabellings never stop counting, so at a level below theirs none does."""
    rng = np.random.default_rng(5)
    member = np.array([1] * 5 + [0] * 5)
    x, labels = rng.uniform(1, 2, size=10), relabellings(10, 5)
    assert interval(x, member, labels, 1.9 / 252) == (-math.inf, math.inf)
    low, high = interval(x, member, labels, 2 / 252)
    assert 0 < low < high < math.inf

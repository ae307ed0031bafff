from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from curvewise.kernels.inversion import shift_interval


def relabelled(
    first: list[float], second: list[float]
) -> tuple[float, list[float], list[float]]:
    """The difference of each relabelling, and its likeness to the observed one."""
    pool = np.array([*first, *second])
    member = np.repeat([1.0, 0.0], [len(first), len(second)])
    differences, likeness = [], []
    for chosen in combinations(range(len(pool)), len(first)):
        inside = np.isin(np.arange(len(pool)), chosen)
        differences.append(float(pool[inside].mean() - pool[~inside].mean()))
        likeness.append(float(member[inside].mean() - member[~inside].mean()))
    return float(np.mean(first) - np.mean(second)), differences, likeness


def pvalue_at(shift: float, first: list[float], second: list[float]) -> float:
    """The two-sided shuffle test of a shift, by brute force."""
    observed, differences, _ = relabelled([x - shift for x in first], second)
    return float(np.mean(np.abs(differences) >= abs(observed) - 1e-12))


@pytest.mark.parametrize(("n_first", "n_second"), [(5, 5), (4, 6), (3, 8)])
def test_interval_holds_the_shifts_the_test_does_not_reject(
    n_first: int, n_second: int
) -> None:
    rng = np.random.default_rng(n_first)
    first, second = (
        rng.normal(1, 1, n_first).tolist(),
        rng.normal(0, 2, n_second).tolist(),
    )
    observed, differences, likeness = relabelled(first, second)
    low, high = shift_interval(
        observed, np.array(differences), np.array(likeness), 0.05, exact=True
    )
    assert low < observed < high
    for inside in np.linspace(low + 1e-9, high - 1e-9, 9):
        assert pvalue_at(inside, first, second) > 0.05
    for outside in (low - 1e-6, high + 1e-6, low - 3, high + 3):
        assert pvalue_at(outside, first, second) <= 0.05


def test_too_few_runs_reject_no_shift() -> None:
    observed, differences, likeness = relabelled([1.0, 2.0, 3.0], [4.0, 5.0, 7.0])
    found = shift_interval(
        observed, np.array(differences), np.array(likeness), 0.05, exact=True
    )
    assert found == (-math.inf, math.inf)


def test_sampled_interval_comes_near_the_exact_one() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(0, 1, 7).tolist(), rng.normal(0, 1, 7).tolist()
    observed, differences, likeness = relabelled(first, second)
    exact = shift_interval(
        observed, np.array(differences), np.array(likeness), 0.05, exact=True
    )
    drawn = rng.integers(len(differences), size=50_000)
    sampled = shift_interval(
        observed,
        np.array(differences)[drawn],
        np.array(likeness)[drawn],
        0.05,
        exact=False,
    )
    np.testing.assert_allclose(sampled, exact, atol=0.1)

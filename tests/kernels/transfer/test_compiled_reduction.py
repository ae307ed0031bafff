from __future__ import annotations

import math

import numpy as np
import pytest

from curvewise.kernels.compiled_kernels import reductions
from curvewise.kernels.metrics import _reductions


def reduction(control: list[float], experimental: list[float], last: float) -> float:
    curves = np.array([control], dtype=float), np.array([experimental], dtype=float)
    return float(reductions(*curves, np.array([last], dtype=float))[0])


def test_reduction_of_a_small_example_by_hand() -> None:
    # To 1 the control takes 2 trials and the other 1; to 2 they take 3 and 2.
    assert reduction([0, 1, 2], [1, 2, 2], 2) == pytest.approx((1 / 2 + 1 / 3) / 2)
    # Levels need not be equally wide.
    assert reduction([0, 3, 4], [3, 4, 4], 4) == pytest.approx((3 / 2 + 1 / 3) / 4)


def test_a_level_that_the_control_never_reaches_counts_as_1() -> None:
    assert reduction([0, 1, 1], [0, 1, 3], 3) == pytest.approx((0 + 2 * 1) / 3)


def test_a_level_that_the_experimental_condition_never_reaches_is_undefined() -> None:
    assert math.isnan(reduction([0, 1, 2], [0, 0.5, 1], 1.5))
    assert not math.isnan(reduction([0, 1, 2], [0, 0.5, 1], 1.0))


def test_no_range_of_performance_has_no_average() -> None:
    assert math.isnan(reduction([1, 2, 2], [1, 1, 1], 1))


def test_performance_may_fall_below_the_first_score_of_the_control() -> None:
    # From 0 to 2 both have arrived on their first trial, up to 1 for the experimental one.
    assert reduction([2, 3, 3], [1, 2, 2], 0) == pytest.approx((0 + 1 * (1 - 2 / 1)) / 2)


@pytest.mark.parametrize("ties", [False, True])
def test_reductions_are_those_of_sorting_all_levels(ties: bool) -> None:
    rng = np.random.default_rng(0)
    curves = rng.normal(size=(2, 300, 7))
    if ties:
        curves = np.round(curves)
    control, experimental = curves
    best = experimental.max(axis=1)
    last = np.where(rng.uniform(size=300) < 0.7, best, rng.normal(size=300))
    expected = _reductions(control, experimental, last)
    found = reductions(control, experimental, last)
    np.testing.assert_array_equal(found, expected)
    assert 0 < np.sum(np.isnan(expected)) < 200

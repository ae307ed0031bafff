from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from curvewise.kernels.metrics import (
    CURVE_METRICS,
    METRICS,
    MetricSettings,
    first_reached,
    metric_values,
    relative_reduction,
    time_ratio,
)
from tests.simulation import random_walk

CONTROL = np.array([[0.0, 1.0, 2.0, 3.0]])
EXPERIMENTAL = np.array([[1.0, 3.0, 4.0, 4.0]])
SETTINGS = MetricSettings(weights=np.ones(4), shift=0.0, optimum=None, n_last=2)


def test_metrics_of_a_small_example_by_hand() -> None:
    found = metric_values(CONTROL, EXPERIMENTAL, SETTINGS)
    assert tuple(found) == CURVE_METRICS
    assert set(METRICS) == {*CURVE_METRICS, "time_to_threshold"}
    expected = {
        "transfer_ratio": 12 / 6,
        "transfer_regret": 6 / (4 * 4),
        "calibrated_transfer_ratio": 6 / (4 * 4 - 6),
        # From 0 to 4: the control takes 2, 3 and 4 trials for the first three levels, the
        # experimental condition 1, 2 and 2; the control never reaches the last.
        "average_relative_reduction": (1 / 2 + 1 / 3 + 1 / 2 + 1) / 4,
        "jumpstart": 1.0,
        "asymptotic_advantage": 4 - 2.5,
        "area_difference": 6.0,
        "average_gain": 6 / 4,
    }
    assert {name: float(values[0]) for name, values in found.items()} == pytest.approx(expected)


def test_shift_and_optimum_change_their_own_metric_only() -> None:
    plain = metric_values(CONTROL, EXPERIMENTAL, SETTINGS)
    shifted = metric_values(CONTROL, EXPERIMENTAL, replace(SETTINGS, shift=2.0))
    assert shifted["transfer_ratio"][0] == pytest.approx((12 + 8) / (6 + 8))
    better = metric_values(CONTROL, EXPERIMENTAL, replace(SETTINGS, optimum=9.0))
    assert better["calibrated_transfer_ratio"][0] == pytest.approx(6 / (9 * 4 - 6))
    for name in CURVE_METRICS:
        if name != "transfer_ratio":
            assert shifted[name][0] == plain[name][0]
        if name != "calibrated_transfer_ratio":
            assert better[name][0] == plain[name][0]


def test_a_window_of_another_width_is_integrated_by_its_weights() -> None:
    settings = replace(SETTINGS, weights=np.array([0.5, 1.0, 1.0, 0.5]))
    found = metric_values(CONTROL, EXPERIMENTAL, settings)
    assert settings.span == 3
    assert found["area_difference"][0] == pytest.approx(0.5 + 2 + 2 + 0.5)
    assert found["average_gain"][0] == pytest.approx(5 / 3)


def test_regret_is_at_most_1_in_size_and_changes_its_sign_with_the_conditions() -> None:
    control, experimental = random_walk(np.random.default_rng(0), 100, 8).reshape(2, 50, 8)
    settings = replace(SETTINGS, weights=np.ones(8))
    found = metric_values(control, experimental, settings)["transfer_regret"]
    assert np.all(np.abs(found) <= 1)
    reversed_ = metric_values(experimental, control, settings)["transfer_regret"]
    np.testing.assert_allclose(reversed_, -found)
    # The bound is reached where one condition is always at its best, the other never.
    flat = np.zeros((1, 8)), np.ones((1, 8))
    assert metric_values(*flat, settings)["transfer_regret"][0] == 1


def test_what_cannot_be_divided_is_not_a_number() -> None:
    same = np.full((1, 4), 5.0)
    found = metric_values(same, same, SETTINGS)
    assert math.isnan(found["transfer_regret"][0])
    assert math.isnan(found["calibrated_transfer_ratio"][0])
    assert math.isnan(found["average_relative_reduction"][0])
    # A control that is better than the optimum leaves nothing to be gained.
    worse = metric_values(CONTROL, EXPERIMENTAL, replace(SETTINGS, optimum=1.0))
    assert math.isnan(worse["calibrated_transfer_ratio"][0])
    zero = metric_values(np.zeros((1, 4)), EXPERIMENTAL, SETTINGS)
    assert math.isnan(zero["transfer_ratio"][0])


@pytest.mark.parametrize(
    ("control", "experimental", "ratio"),
    [
        (40.0, 20.0, 0.5),
        (3.0, math.inf, math.inf),
        (math.inf, 3.0, 0.0),
        (math.inf, math.inf, math.nan),
        (3.0, 3.0, 1.0),
        (0.0, 3.0, math.nan),
        (3.0, 0.0, 0.0),
    ],
)
def test_the_ratio_of_times_some_of_which_are_never(
    control: float, experimental: float, ratio: float
) -> None:
    found = time_ratio(np.array([control]), np.array([experimental]))[0]
    assert found == pytest.approx(ratio, nan_ok=True)


def test_first_reached_is_the_first_step_at_or_above_the_level() -> None:
    curves = np.array([[0.0, 2.0, 1.0], [0.0, 0.5, 0.9], [3.0, 0.0, 0.0]])
    found = first_reached(curves, 1.0, np.array([5.0, 6.0, 7.0]))
    assert found.tolist() == [6.0, math.inf, 5.0]


def reduction_by_grid(control: np.ndarray, experimental: np.ndarray, last: float) -> float:
    """The integral over performance, level by level, on a fine grid of levels."""
    low, high = sorted((control[0], last))
    levels = low + (high - low) * (np.arange(20_000) + 0.5) / 20_000
    trials = []
    for curve in (control, experimental):
        reached = curve >= levels[:, None]
        trials.append(np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, np.inf))
    if np.any(np.isinf(trials[1])):
        return math.nan
    return float(np.mean(1 - trials[1] / trials[0]))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_reduction_is_an_integral_over_performance(seed: int, compiled: bool) -> None:
    control, experimental = random_walk(np.random.default_rng(seed), 2, 5)
    for last in (experimental.max(), experimental[-1], control[0] - 0.5):
        (found,) = relative_reduction(
            control[None], experimental[None], np.array([last]), compiled=compiled
        )
        expected = reduction_by_grid(control, experimental, float(last))
        assert found == pytest.approx(expected, abs=2e-3, nan_ok=True)


@pytest.mark.parametrize("compiled", [False, True])
def test_reduction_of_a_single_step_is_undefined(compiled: bool) -> None:
    one = np.ones((2, 1))
    found = relative_reduction(one, 2 * one, np.full(2, 2.0), compiled=compiled)
    assert np.all(np.isnan(found))


def test_compiled_metrics_are_those_of_numpy() -> None:
    control, experimental = random_walk(np.random.default_rng(7), 120, 9).reshape(2, 60, 9)
    settings = replace(SETTINGS, weights=np.ones(9))
    plain = metric_values(control, experimental, settings)
    compiled = metric_values(control, experimental, settings, compiled=True)
    for name in CURVE_METRICS:
        np.testing.assert_allclose(compiled[name], plain[name], rtol=1e-12, err_msg=name)


def test_an_asymptote_of_equal_scores_is_reached() -> None:
    """The mean of three scores of 0.1 is 0.10000000000000002."""
    control, experimental = (np.array([[0.0, 0, 0, 0.05]]), np.array([[0.0, 0.1, 0.1, 0.1]]))
    assert experimental[0, 1:].mean() > 0.1
    found = metric_values(control, experimental, replace(SETTINGS, n_last=3))
    assert found["average_relative_reduction"][0] == pytest.approx(0.5 * 0.5 + 0.5 * 1)


@pytest.mark.parametrize("compiled", [False, True])
def test_no_reduction_exceeds_1(compiled: bool) -> None:
    """Where the control never gets anywhere, it is 1 but for rounding."""
    experimental = np.cumsum(np.random.default_rng(8).uniform(size=(500, 9)), axis=1)
    control = np.zeros((500, 9))
    last = experimental[:, -1]
    found = relative_reduction(control, experimental, last, compiled=compiled)
    np.testing.assert_allclose(found, 1, rtol=1e-12)
    assert found.max() <= 1

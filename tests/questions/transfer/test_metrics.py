"""The metrics by hand; their records must agree with the kernel, the words and the result."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from curvewise import Transfer, transfer
from curvewise.kernels.transfer.metrics import (
    CURVE_METRICS,
    METRICS,
    MetricSettings,
    metric_values,
)
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.words import READINGS, UNDEFINED
from tests.questions.transfer.gains import SIDES, pair

SETTINGS = MetricSettings(
    weights=np.ones(5),
    shift=0.0,
    optimum=10.0,
    n_last=1,
)


def test_records_are_those_of_the_kernel_in_its_order() -> None:
    assert tuple(RECORDS) == METRICS
    assert [record.name for record in RECORDS.values()] == list(METRICS)


def test_every_metric_has_a_sentence_and_an_attribute() -> None:
    assert set(READINGS) == set(METRICS)
    for name in METRICS:
        assert isinstance(getattr(Transfer, name), property)
        assert getattr(Transfer, name).__doc__


def test_every_reason_has_words_and_every_wording_a_metric() -> None:
    kinds = [kind for record in RECORDS.values() for kind in record.undefined]
    assert sorted(kinds) == sorted(UNDEFINED)


def test_equal_curves_have_the_value_for_no_effect() -> None:
    curves = np.random.default_rng(0).uniform(0, 2, size=(50, 5)).cumsum(axis=1)
    values = metric_values(curves, curves, SETTINGS)
    for name, record in ((name, RECORDS[name]) for name in CURVE_METRICS):
        defined = values[name][~np.isnan(values[name])]
        assert len(defined)
        assert (defined == record.no_effect).all(), name


def test_values_stay_within_the_bounds_and_bounds_are_reached() -> None:
    rng = np.random.default_rng(1)
    control, experimental = rng.uniform(0, 10, size=(2, 5_000, 5))
    # Extreme pairs: nothing against all there can be, and the other way round.
    control[:2], experimental[:2] = [[0.0], [10.0]], [[10.0], [0.0]]
    values = metric_values(control, experimental, SETTINGS)
    for name, record in ((name, RECORDS[name]) for name in CURVE_METRICS):
        low, high = record.bounds
        defined = values[name][~np.isnan(values[name])]
        assert defined.min() >= low, name
        assert defined.max() <= high, name
        if math.isfinite(low):
            assert defined.min() == pytest.approx(low), name
        if math.isfinite(high):
            assert defined.max() == pytest.approx(high), name


@pytest.mark.parametrize(
    ("name", "known", "unknown"),
    [
        ("calibrated_transfer_ratio", True, False),
        ("average_relative_reduction", True, True),
        ("transfer_ratio", False, False),
        ("time_to_threshold", False, False),
    ],
)
def test_when_values_may_be_compared_across_tasks(
    name: str, known: bool, unknown: bool
) -> None:
    record = RECORDS[name]
    assert record.is_comparable(optimum_known=True) is known
    assert record.is_comparable(optimum_known=False) is unknown
    assert record.averaged is known


def test_what_has_a_unit_is_a_difference_without_bounds() -> None:
    for record in RECORDS.values():
        if record.unit:
            assert record.scale == "difference"
            assert record.bounds == (-math.inf, math.inf)
            assert record.undefined == ()


@pytest.mark.parametrize(
    ("name", "times", "n_steps", "kind"),
    [
        ("transfer_ratio", (1, 1), 3, "no area under the control"),
        ("transfer_regret", (1, 1), 3, "all scores equal"),
        ("calibrated_transfer_ratio", (1, 1), 3, "nothing left to improve"),
        ("average_relative_reduction", (1, 1), 1, "single step"),
        ("average_relative_reduction", (1, 1), 2, "no range of performance"),
        ("time_to_threshold", (math.inf, math.inf), 3, "medians not reached"),
        ("time_to_threshold", (0, math.inf), 3, "threshold reached at step 0"),
        ("time_to_threshold", (0, 2), 1, "threshold reached at step 0"),
    ],
)
def test_why_a_metric_is_undefined(
    name: str, times: tuple[float, float], n_steps: int, kind: str
) -> None:
    assert RECORDS[name].why_undefined(times, 2, n_steps) == kind


def test_where_no_run_reaches_the_threshold_that_is_the_reason() -> None:
    never = math.inf, math.inf
    kind = RECORDS["time_to_threshold"].why_undefined(never, 0, 3)
    assert kind == "threshold not reached"


def measured(
    control: list[float], experimental: list[float], **options: Any
) -> dict[str, float | None]:
    """Every metric of two single curves."""
    steps = list(range(1, len(control) + 1))
    curves = pair([control], [experimental], steps=steps)
    found = transfer(curves, **SIDES, **options)
    return {name: metric.value for name, metric in found.metrics.items()}


def test_constant_curves() -> None:
    values = measured([2.0] * 4, [3.0] * 4, optimum=5.0)
    assert values == pytest.approx(
        {
            "transfer_ratio": 1.5,
            "transfer_regret": 1.0,
            "calibrated_transfer_ratio": 1 - 2 / 3,
            "average_relative_reduction": 1.0,
            "jumpstart": 1.0,
            "asymptotic_advantage": 1.0,
            "area_difference": 4.0,
            "average_gain": 1.0,
            # The default threshold, 2.5, lies between them.
            "time_to_threshold": 0.0,
        }
    )


def test_equal_curves_show_no_effect_or_are_undefined() -> None:
    values = measured([0.0, 1, 2, 3], [0.0, 1, 2, 3], optimum=4.0)
    assert values["transfer_ratio"] == 1
    assert values["transfer_regret"] == 0
    assert values["calibrated_transfer_ratio"] == 0
    assert values["average_relative_reduction"] == 0
    assert values["time_to_threshold"] == 1
    for name in ("jumpstart", "asymptotic_advantage", "area_difference", "average_gain"):
        assert values[name] == 0


def test_step_curves_by_hand() -> None:
    # C reaches 1 on trial 3, E on trial 1: from 0 to 1, reduction 1 - 1/3.
    values = measured([0.0, 0, 1, 1], [1.0, 1, 1, 1], optimum=1.0)
    assert values["average_relative_reduction"] == pytest.approx(2 / 3)
    assert values["transfer_ratio"] == 2
    assert values["transfer_regret"] == 0.5
    assert values["calibrated_transfer_ratio"] == 1
    assert values["jumpstart"] == 1
    assert values["asymptotic_advantage"] == 0
    assert values["time_to_threshold"] == pytest.approx(1 / 3)


def test_curves_that_cross_by_hand() -> None:
    # Levels 1..2 on trials (E, C) = (1, 2); 2..3: (3, 3); 3..4: (4, never).
    values = measured([1.0, 2, 3, 3], [2.0, 2, 3, 4])
    assert values["average_relative_reduction"] == pytest.approx((0.5 + 0 + 1) / 3)
    assert values["area_difference"] == 2
    assert values["calibrated_transfer_ratio"] == pytest.approx(1 - 5 / 7)


def test_a_slower_condition_has_a_negative_reduction() -> None:
    values = measured([0.0, 4, 4, 4], [0.0, 0, 0, 4])
    assert values["average_relative_reduction"] == pytest.approx(1 - 4 / 2)


def test_trapezoids_follow_the_distances_of_steps() -> None:
    curves = pair([[0.0, 1, 1]], [[1.0, 1, 2]], steps=[0, 1, 10])
    found = transfer(curves, **SIDES, integration="trapezoid", optimum=2)
    assert found.area_difference.value == pytest.approx(0.5 + 4.5)
    assert found.average_gain.value == pytest.approx(0.5)
    assert found.transfer_regret.value == pytest.approx(5 / (2 * 10))


@pytest.mark.parametrize(
    ("control", "experimental", "optimum", "name", "reason"),
    [
        ([0.0, 0, 0], [1.0, 1, 1], None, "transfer_ratio", "area under C is 0"),
        ([1.0, 1, 1], [1.0, 1, 1], None, "transfer_regret", "all scores are equal"),
        ([1.0, 1, 1], [0.0, 1, 1], 1.0, "calibrated_transfer_ratio", "C is optimal"),
        ([1.0, 2, 3], [0.0, 1, 1], None, "average_relative_reduction", "ends at the"),
        ([3.0, 3, 3], [0.0, 1, 1], None, "average_relative_reduction", "never reaches"),
    ],
)
def test_what_is_undefined_says_why(
    control: list[float],
    experimental: list[float],
    optimum: float | None,
    name: str,
    reason: str,
) -> None:
    found = transfer(pair([control], [experimental]), **SIDES, optimum=optimum)
    metric = found.metrics[name]
    assert not metric.defined
    assert metric.value is None
    assert metric.interval is None
    assert metric.pvalue is None
    assert reason in metric.reason
    json.dumps(found.to_dict(), allow_nan=False)
    assert "undefined" in str(found)

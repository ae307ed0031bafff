"""The metrics by hand; their records must agree with the kernel, the words and the result."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import FrozenInstanceError
from typing import Any, get_args

import numpy as np
import pytest

from curvewise import Curves, Interval, Transfer, transfer
from curvewise.kernels.metrics import CURVE_METRICS, METRICS, MetricSettings, metric_values
from curvewise.questions.transfer.metrics import RECORDS, Metric, UndefinedKind
from tests.questions.transfer.gains import SIDES, pair

SETTINGS = MetricSettings(weights=np.ones(5), shift=0.0, optimum=10.0, n_last=1)


def test_records_are_those_of_the_kernel_in_its_order() -> None:
    assert tuple(RECORDS) == METRICS
    assert [record.name for record in RECORDS.values()] == list(METRICS)


def test_every_metric_has_a_sentence_and_an_attribute() -> None:
    for name in METRICS:
        assert isinstance(getattr(Transfer, name), property)
        assert getattr(Transfer, name).__doc__


def test_every_reason_belongs_to_a_metric() -> None:
    kinds = [kind for record in RECORDS.values() for kind in record.undefined]
    assert sorted(kinds) == sorted(get_args(UndefinedKind))


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
def test_when_values_may_be_compared_across_tasks(name: str, known: bool, unknown: bool) -> None:
    curves = pair([[0.0, 1, 2]], [[1.0, 2, 3]])
    assert transfer(curves, **SIDES, optimum=9).metrics[name].comparable is known
    assert transfer(curves, **SIDES).metrics[name].comparable is unknown
    assert RECORDS[name].averaged is known


def test_what_has_a_unit_is_a_difference_without_bounds() -> None:
    for record in RECORDS.values():
        if record.unit:
            assert record.no_effect == 0
            assert record.bounds == (-math.inf, math.inf)
            assert not record.undefined


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
    ("control", "experimental", "options", "name", "kind", "reason"),
    [
        (
            [0.0, 0, 0],
            [1.0, 1, 1],
            {},
            "transfer_ratio",
            "no area under the control",
            "the area under C is 0, and nothing can be divided by it.",
        ),
        (
            [1.0, 1, 1],
            [1.0, 1, 1],
            {},
            "transfer_regret",
            "all scores equal",
            "all scores are equal, so the curves span no box.",
        ),
        (
            [1.0, 1, 1],
            [0.0, 1, 1],
            {"optimum": 1.0},
            "calibrated_transfer_ratio",
            "nothing left to improve",
            "C is optimal, or better than the optimum, so nothing is left to improve.",
        ),
        (
            [1.0],
            [2.0],
            {},
            "average_relative_reduction",
            "single step",
            "with a single step there is no training to be saved.",
        ),
        *(
            (
                control,
                [0.0, 1, 1],
                {},
                "average_relative_reduction",
                "no range of performance",
                (
                    "E ends at the performance that C begins with, or below it at levels it never "
                    "reaches, so there is no range of performance to average over."
                ),
            )
            for control in ([1.0, 2, 3], [3.0, 3, 3])
        ),
        (
            [1.0, 1, 1],
            [2.0, 2, 2],
            {"threshold": 5},
            "time_to_threshold",
            "threshold not reached",
            "no run reaches the threshold. Choose another one.",
        ),
        (
            [3.0, 3, 3],
            [0.0, 1, 1],
            {"threshold": 2},
            "time_to_threshold",
            "threshold reached at step 0",
            "half of the runs of C are at the threshold at step 0, before any training.",
        ),
    ],
)
def test_what_is_undefined_says_why(
    control: list[float],
    experimental: list[float],
    options: dict[str, Any],
    name: str,
    kind: str,
    reason: str,
) -> None:
    found = transfer(pair([control], [experimental], steps=range(len(control))), **SIDES, **options)
    metric = found.metrics[name]
    assert not metric.defined
    assert metric.value is None
    assert metric.interval is None
    assert metric.undefined == kind
    assert metric.reason == reason
    assert metric.reading == ""
    json.dumps(found.to_dict(), allow_nan=False)
    assert "undefined" in str(found)


def test_where_few_runs_of_either_reach_the_threshold_there_are_no_medians() -> None:
    rows = [[0.0, 0], [0, 0], [0, 3]]
    metric = transfer(pair(rows, rows), **SIDES, threshold=2).time_to_threshold
    assert metric.undefined == "medians not reached"
    assert metric.reason == (
        "fewer than half of the runs of either reach the threshold, so there are no medians to "
        "divide."
    )


def test_names_with_braces_are_written_as_they_are() -> None:
    curves = Curves([[0.0, 0.0], [1.0, 1.0]], ["{control}", "{0}"])
    found = transfer(curves, control="{control}", experimental="{0}")
    assert found.transfer_ratio.reason.startswith("the area under {control} is 0")
    assert found.average_gain.reading.startswith("{0} scores 1.000 more than {control}")


# --- A metric is data; its sentences are found beside it.


def metric(name: str = "average_gain", **fields: Any) -> Metric:
    given: dict[str, Any] = {
        "value": 2.0,
        "interval": Interval(1.0, 3.0),
        "interval_kind": "inverted",
        "intervals": {"inverted": Interval(1.0, 3.0), "percentile": Interval(1.5, 2.5)},
        "confidence": 0.95,
        "pvalue": 0.01,
        "exact": True,
        "comparable": False,
    }
    return Metric(name=name, **{**given, **fields})


@pytest.mark.parametrize("name", RECORDS)
def test_what_does_not_depend_on_data_is_that_of_the_record(name: str) -> None:
    found, record = metric(name), RECORDS[name]
    assert found.record is record
    assert (found.title, found.unit) == (record.title, record.unit)
    assert found.no_effect == record.no_effect


def test_as_json_all_is_there_and_infinities_are_none() -> None:
    found = metric(
        "time_to_threshold", value=math.inf, interval=Interval(2, math.inf), reading="Fewer."
    )
    record = found.to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record == {
        "value": None,
        "infinite": True,
        "defined": True,
        "undefined": None,
        "reason": "",
        "interval": [2, None],
        "interval_kind": "inverted",
        "intervals": {"inverted": [1.0, 3.0], "percentile": [1.5, 2.5]},
        "moved_by_test": False,
        "confidence": 0.95,
        "error": None,
        "error_df": None,
        "pvalue": 0.01,
        "exact": True,
        "no_effect": 1.0,
        "unit": "",
        "comparable": False,
        "reading": "Fewer.",
    }
    undefined = metric(value=None, interval=None, undefined="single step").to_dict()
    assert undefined["infinite"] is False
    assert undefined["defined"] is False
    assert undefined["interval"] is None
    assert undefined["undefined"] == "single step"


def test_a_metric_is_frozen_and_can_be_pickled() -> None:
    found = metric(resamples=np.arange(3.0))
    with pytest.raises(FrozenInstanceError):
        found.value = 3.0  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(found))  # noqa: S301
    assert again.to_dict() == found.to_dict()
    assert again.resamples.tolist() == [0, 1, 2]

"""A metric is data; its sentences are found beside it."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

from curvewise import Interval
from curvewise.questions.transfer.metric import Metric, MetricContext, interval_ends
from curvewise.questions.transfer.metrics import RECORDS

CONTEXT = MetricContext(
    "C", "E", (4.0, 2.0), shifted=False, threshold=70.0, control_gets_there=True
)


def metric(name: str = "average_gain", **fields: Any) -> Metric:
    given: dict[str, Any] = {
        "value": 2.0,
        "interval": Interval(1.0, 3.0),
        "interval_kind": "inverted",
        "intervals": {
            "inverted": Interval(1.0, 3.0),
            "percentile": Interval(1.5, 2.5),
        },
        "confidence": 0.95,
        "pvalue": 0.01,
        "exact": True,
        "comparable": False,
        "context": CONTEXT,
    }
    return Metric(name=name, **{**given, **fields})


@pytest.mark.parametrize("name", RECORDS)
def test_what_does_not_depend_on_data_is_that_of_the_record(name: str) -> None:
    found, record = metric(name), RECORDS[name]
    assert found.record is record
    assert (found.title, found.unit) == (record.title, record.unit)
    assert found.no_effect == record.no_effect


def test_a_value_has_a_reading_and_no_reason() -> None:
    found = metric()
    assert found.defined
    assert found.reading == "E scores 2.000 more than C on average over training."
    assert found.reason == ""


def test_without_a_value_there_is_a_reason_and_no_reading() -> None:
    found = metric("transfer_regret", value=None, undefined="all scores equal")
    assert not found.defined
    assert found.reading == ""
    assert found.reason == "all scores are equal, so the curves span no box."


def test_as_json_all_is_there_and_infinities_are_none() -> None:
    found = metric("time_to_threshold", value=math.inf, interval=Interval(2, math.inf))
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
        "reading": "Fewer than half of the runs of E reach the threshold, a score of 70; "
        "of C half do by step 4.",
    }
    undefined = metric(value=None, interval=None, undefined="single step").to_dict()
    assert undefined["infinite"] is False
    assert undefined["defined"] is False
    assert undefined["interval"] is None
    assert undefined["undefined"] == "single step"


def test_the_sentence_follows_the_data() -> None:
    found = metric()
    assert replace(found, value=-2.0).reading.startswith("E scores 2.000 less than C")
    renamed = replace(CONTEXT, experimental="new")
    assert replace(found, context=renamed).reading.startswith("new scores")


def test_a_metric_is_frozen_and_can_be_pickled() -> None:
    found = metric(resamples=np.arange(3.0))
    with pytest.raises(FrozenInstanceError):
        found.value = 3.0  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(found))  # noqa: S301
    assert again.to_dict() == found.to_dict()
    assert again.resamples.tolist() == [0, 1, 2]


def test_the_ends_of_an_interval() -> None:
    assert interval_ends(None) is None
    assert interval_ends(Interval(-math.inf, 1.0)) == [None, 1.0]

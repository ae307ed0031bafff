from __future__ import annotations

import math

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.parsing.series import Recorder, chosen_x
from curvewise.readers.walk import Wanted
from curvewise.text import naming_flags


def test_records_keep_their_order_metric_by_metric() -> None:
    recorder = Recorder()
    records = [("b", 5, 0.5), ("a", 1, math.nan), ("b", 2, 0.25), ("b", math.nan, 1)]
    for metric, step, score in records:
        recorder.add(metric, step, score)
    series = recorder.series()
    assert list(series) == ["b", "a"]
    assert series["b"].steps.tolist() == [5, 2]
    assert series["b"].scores.tolist() == [0.5, 0.25]
    assert math.isnan(series["a"].scores[0])


def test_the_usual_axis_is_the_first() -> None:
    assert chosen_x(Wanted(), ("step", "epoch")) == ("step", ("epoch",))
    assert chosen_x(Wanted(x="epoch"), ("step", "epoch")) == ("epoch", ("step",))


def test_a_missing_axis_is_refused_with_what_there_is() -> None:
    with (
        naming_flags(),
        pytest.raises(CurvesError, match=r"no 'epcoh' .* did you mean 'epoch'\? .*--x"),
    ):
        chosen_x(Wanted(x="epcoh"), ("step", "epoch"))

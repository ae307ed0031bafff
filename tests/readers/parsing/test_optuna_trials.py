from __future__ import annotations

import json

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.logs.stores import Trial, logged_trials, parameter
from curvewise.readers.walk import Wanted


@pytest.mark.parametrize(
    ("stored", "name", "attributes", "expected"),
    [
        (2.0, "CategoricalDistribution", {"choices": ["a", None, 7]}, 7),
        (1.0, "CategoricalDistribution", {"choices": ["a", None, 7]}, None),
        (5.0, "CategoricalDistribution", {"choices": ["a"]}, 5.0),
        (4.0, "IntUniformDistribution", {"low": 1, "high": 9, "step": 1}, 4),
        (0.25, "FloatDistribution", {"low": 0, "high": 1, "step": None}, 0.25),
        (0.25, "LogUniformDistribution", {"low": 0.1, "high": 1}, 0.25),
    ],
)
def test_parameters(stored: float, name: str, attributes: object, expected: object) -> None:
    found = parameter(stored, json.dumps({"name": name, "attributes": attributes}))
    assert found == expected
    assert type(found) is type(expected)


def test_a_distribution_that_is_no_json_leaves_what_is_stored() -> None:
    assert parameter(1.5, "{") == 1.5


def test_queued_trials_are_no_runs_and_several_studies_are_named() -> None:
    trials = [
        Trial("s", 0, "PRUNED", {"lr": 1}, {"lr": 2, "seed": 3}, {0: 1.0}),
        Trial("t", 0, "WAITING"),
        Trial("t", 1, "COMPLETE"),
    ]
    first, second = logged_trials(trials, 2, Wanted(), ["said"])
    assert (first.key, first.status, first.notes) == ("s/trial 0", "pruned", ["said"])
    assert first.config == {"study": "s", "lr": 1, "seed": 3}
    assert (second.key, second.status, second.series) == ("t/trial 1", "", {})


def test_what_is_not_wanted_is_left_out() -> None:
    trial = Trial("s", 0, "COMPLETE", values={0: 1.0})
    (run,) = logged_trials([trial], 1, Wanted(frozenset({"loss"})))
    assert (run.key, run.series) == ("trial 0", {})


def test_there_are_only_steps() -> None:
    with pytest.raises(CurvesError, match="there are 'step'"):
        list(logged_trials([Trial("s", 0, "COMPLETE")], 1, Wanted(x="time")))

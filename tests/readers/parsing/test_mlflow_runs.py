from __future__ import annotations

from array import array

import pytest

from curvewise.readers.logs.stores import MlflowRun
from curvewise.readers.walk import Wanted


def metric(*records: tuple[float, float, float]) -> array[float]:
    return array("d", [number for record in records for number in record])


@pytest.mark.parametrize(
    ("status", "expected"),
    [("1", "running"), ("3", ""), ("4", "failed"), ("FAILED", "failed"), ("KILLED", "killed")],
)
def test_statuses(status: str, expected: str) -> None:
    assert MlflowRun(status=status).logged(Wanted()).status == expected


def test_parameters_go_before_tags_and_names() -> None:
    run = MlflowRun(
        name="n",
        experiment="e",
        tags={"mlflow.runName": "shown", "lr": "tag", "a": "tag"},
        params={"lr": "0.1", "experiment": "mine"},
    )
    assert run.logged(Wanted()).config == {
        "run_name": "shown",
        "experiment": "mine",
        "a": "tag",
        "lr": "0.1",
    }


def test_without_a_start_time_counts_from_the_first_record() -> None:
    run = MlflowRun(metrics={"a": metric((5000, 1, 1)), "b": metric((4000, 2, 1))})
    series = run.logged(Wanted(x="time")).series
    assert series["a"].steps.tolist() == [1]
    assert series["b"].steps.tolist() == [0]


def test_records_are_ordered_by_time_and_ties_stay_as_written() -> None:
    run = MlflowRun(metrics={"a": metric((7, 1, 3), (5, 2, 1), (5, 3, 2))})
    series = run.logged(Wanted()).series["a"]
    assert series.steps.tolist() == [1, 2, 3]
    assert series.scores.tolist() == [2, 3, 1]

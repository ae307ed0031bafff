from __future__ import annotations

import json

import pytest

import curvewise as cw
from tests.questions.aggregate.several_tasks import some_tasks


def test_a_table_has_a_row_for_each_algorithm_best_first_and_for_each_pair() -> None:
    found = cw.aggregate(some_tasks())
    scores, differences = found.tables()
    assert [row[0] for row in scores.rows] == list(found) == ["C", "B", "A"]
    assert scores.header == ("algorithm", "IQM", "95% interval", "df", "runs")
    assert [row[0] for row in differences.rows] == ["C − B", "C − A", "B − A"]
    assert differences.notes == ("Each interval holds by itself, not all of them together.",)
    assert "normalised by this data; not comparable across papers" in scores.notes[0]


def test_of_many_algorithms_the_table_has_the_differences_to_the_first() -> None:
    found = cw.aggregate(some_tasks(sizes=(2,) * 7))
    assert len(found.differences) == 21
    table = found.tables()[1]
    assert len(table.rows) == 6
    assert all(row[0].startswith(f"{found.algorithms[0]} −") for row in table.rows)
    assert "All 21 differences: `to_dict()`." in table.notes


def test_one_algorithm_has_no_differences() -> None:
    found = cw.aggregate({task: own.select("A") for task, own in some_tasks().items()})
    assert found.differences == ()
    assert len(found.tables()) == 1
    assert "ahead" not in found.describe()


def test_two_that_are_not_there_have_no_difference() -> None:
    found = cw.aggregate(some_tasks())
    assert found.difference("A", "C") is found.difference("C", "A")
    with pytest.raises(KeyError):
        found.difference("A", "D")


def test_to_dict_has_tasks_scales_curves_and_bands() -> None:
    found = cw.aggregate(some_tasks(n_tasks=3), on="every step", rng=4)
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["tasks"]["task 0"]["n_runs"] == {"A": 4, "B": 4, "C": 4}
    assert record["tasks"]["task 0"]["scale"] == list((found.scales or {})["task 0"])
    assert len(record["scores"]["A"]["band"][0]) == len(record["steps"]) == 5
    assert record["seed"] == 4
    assert record["n_multipliers"] == 4_999
    assert record["gamma"] is None
    assert cw.aggregate(some_tasks(), statistic="gap").to_dict()["gamma"] == 1.0


def test_a_mapping_is_a_mapping() -> None:
    found = cw.aggregate(some_tasks())
    assert dict(found).keys() == found.scores.keys()
    assert len(found) == 3

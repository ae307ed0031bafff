"""What `transfer_many` found, as tables and as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import replace

from curvewise import Interval
from curvewise.questions.transfer.result import Transfer
from curvewise.questions.transfer.transfers import AcrossTasks
from curvewise.text import interval_text, number_text, p_text
from tests.questions.transfer.gains import several_tasks


def test_tables_of_tasks_keep_apart_what_may_be_compared() -> None:
    found = several_tasks()
    fair, other = found.tables()
    assert fair.header == (
        "task",
        "calibrated transfer ratio",
        "interval",
        "p",
        "average relative reduction",
        "interval",
        "p",
    )
    assert other.header[1::3] == ("transfer ratio", "transfer regret")
    assert "may be compared down the column" in fair.notes[0]
    assert "do not compare or average" in other.notes[0]
    smallest = found.smallest_pvalue_alone
    assert smallest == min(
        1.0, 3 * min(own.sampling.smallest_pvalue for own in found.values())
    )
    for table in (fair, other):
        assert table.notes[1] == (
            "Each p is of its task and metric alone. Adjusted for 3 tasks, that of a task that "
            f"stands out alone cannot be below {p_text(smallest)} with these runs."
        )
    assert [row[0] for row in fair.rows] == ["$a$", "b", "flat", "mean of tasks"]
    assert [row[0] for row in other.rows] == ["$a$", "b", "flat"]
    assert fair.rows[2][1:] == ("undefined", "", "") * 2
    for place, mean in enumerate(found.across.values()):
        assert mean.interval is not None
        assert fair.rows[3][1 + 3 * place : 4 + 3 * place] == (
            number_text(mean.value),
            interval_text(mean.interval),
            p_text(mean.pvalue),
        )


def test_without_an_optimum_the_calibrated_ratio_is_not_compared() -> None:
    found = several_tasks()
    tasks = {}
    for name, task in found.items():
        ratio = replace(task.calibrated_transfer_ratio, comparable=False)
        tasks[name] = replace(task, metrics={**task.metrics, ratio.name: ratio})
    reduction = {"average_relative_reduction": found.across["average_relative_reduction"]}
    fair, other = replace(found, tasks=tasks, across=reduction).tables()
    assert fair.header[1::3] == ("average relative reduction",)
    assert other.header[1::3] == (
        "calibrated transfer ratio",
        "transfer ratio",
        "transfer regret",
    )
    (only,) = replace(found, tasks={"flat": tasks["flat"]}, across={}).tables()
    assert len(only.notes) == 1
    assert "do not compare" in only.notes[0]


def test_a_metric_that_is_not_averaged_has_no_mean_in_the_table() -> None:
    found = several_tasks()
    ratio = "calibrated_transfer_ratio"
    fair, _ = replace(found, across={ratio: found.across[ratio]}).tables()
    assert fair.rows[-1][4:] == ("", "", "")


def test_tasks_are_a_mapping_and_json() -> None:
    found = several_tasks()
    assert len(found) == 3
    assert list(found) == ["$a$", "b", "flat"]
    assert isinstance(found["b"], Transfer)
    record = found.to_dict()
    assert json.dumps(record, allow_nan=False)
    assert record["question"] == "transfer_many"
    assert record["tasks"]["b"] == found["b"].to_dict()
    assert set(record["across"]) == set(found.across)
    assert record["seed"] == 0
    assert record["smallest_pvalue_alone"] == found.smallest_pvalue_alone
    assert str(found).count("\n\n") >= 2
    assert found._repr_html_().count("<table>") == 2


def test_a_mean_across_tasks_as_json() -> None:
    mean = AcrossTasks(
        "average_relative_reduction", 0.2, Interval(-math.inf, 0.4), 0.95, 0.03, 2, 3
    )
    assert mean.title == "average relative reduction"
    assert mean.to_dict() == {
        "name": "average_relative_reduction",
        "value": 0.2,
        "interval": [None, 0.4],
        "confidence": 0.95,
        "pvalue": 0.03,
        "moved_by_test": False,
        "n_tasks": 2,
        "n_all": 3,
    }
    assert replace(mean, interval=None).to_dict()["interval"] is None

"""What `transfer` and `transfer_many` found, as data and tables."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from curvewise import Interval
from curvewise.inference.result import Result
from curvewise.inference.work import Sampling
from curvewise.kernels.metrics import METRICS
from curvewise.questions.transfer.metrics import AcrossTasks
from curvewise.questions.transfer.result import Transfer
from curvewise.text import interval_text, number_text, p_text
from tests.questions.transfer.gains import of_runs, several_tasks, tictactoe

KEYS = {
    "question",
    "source",
    "control",
    "experimental",
    "n_runs",
    "n_blocks",
    "first_step",
    "last_step",
    "n_steps",
    "higher_is_better",
    "integration",
    "optimum",
    "optimum_known",
    "shift",
    "threshold",
    "threshold_given",
    "times",
    "survival",
    "asymptotes",
    "confidence",
    "n_resamples",
    "n_shuffles",
    "exact",
    "seed",
    "recommended",
    "advice",
    "metrics",
    "warnings",
}


METRIC_KEYS = {
    "value",
    "infinite",
    "defined",
    "reason",
    "interval",
    "interval_kind",
    "intervals",
    "confidence",
    "error",
    "pvalue",
    "exact",
    "no_effect",
    "unit",
    "comparable",
    "reading",
}


def test_results_are_frozen_data() -> None:
    for found in (tictactoe(), several_tasks()):
        assert isinstance(found, Result)
        with pytest.raises(FrozenInstanceError):
            found.control = "other"  # type: ignore[misc]
        again = pickle.loads(pickle.dumps(found))  # noqa: S301
        assert again.to_dict() == found.to_dict()


def test_as_json_everything_has_its_key() -> None:
    record = tictactoe().to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record.keys() >= KEYS
    assert record["question"] == "transfer"
    assert list(record["metrics"]) == list(METRICS)
    for metric in record["metrics"].values():
        assert metric.keys() >= METRIC_KEYS
    assert record["smallest_pvalue"] == tictactoe().smallest_pvalue
    assert record["caveats"] == [{"kind": "shifted scores", "shift": tictactoe().shift}]


def test_metrics_are_attributes_too() -> None:
    for name in METRICS:
        assert getattr(tictactoe(), name) is tictactoe().metrics[name]


def test_how_relabellings_were_visited_is_part_of_the_result() -> None:
    found = tictactoe()
    assert (found.n_shuffles, found.seed, found.exact) == (99, 0, False)
    exact = replace(found, sampling=Sampling(True, 184_756, 184_756))
    assert exact.exact
    assert exact.to_dict()["n_relabellings"] == 184_756


def test_the_advice_follows_the_data() -> None:
    found = tictactoe()
    assert "the optimum is known" in found.advice
    unknown = replace(found, optimum_known=False)
    assert "with a caveat" in unknown.advice
    assert unknown.to_dict()["advice"] == unknown.advice


def test_the_table_has_a_row_for_every_metric() -> None:
    found = tictactoe()
    table = found.table()
    assert table.header[2] == "95% interval"
    assert len(table.rows) == len(METRICS)
    for row, metric in zip(table.rows, found.metrics.values(), strict=True):
        assert metric.value is not None
        assert metric.interval is not None
        assert metric.pvalue is not None
        star = " *" if metric.name == "calibrated_transfer_ratio" else ""
        assert row == (
            f"{metric.title}{star}",
            number_text(metric.value),
            interval_text(metric.interval),
            p_text(metric.pvalue),
            f"{metric.no_effect:g}",
            metric.unit or "none",
            "yes" if metric.comparable else "no",
        )
    assert table.notes[0] == f"* {found.advice}"
    assert found.tables()[1].rows == tuple(
        (metric.title, metric.reading) for metric in found.metrics.values()
    )


def test_a_note_says_where_the_test_moved_an_interval() -> None:
    found = tictactoe()
    time = replace(found.time_to_threshold, moved_by_test=True)
    moved, unmoved = (
        replace(found, metrics={**found.metrics, time.name: own}).table()
        for own in (time, replace(time, moved_by_test=False))
    )
    assert set(moved.notes) - set(unmoved.notes) == {f"{time.title}: {time.moved}"}
    assert "Quote one, the calibrated transfer ratio" in moved.notes[-2]


def test_what_is_undefined_has_no_numbers_and_says_why() -> None:
    found = of_runs(np.ones((1, 5)), np.ones((1, 5)))
    table, readings, _ = found.tables()
    undefined = {metric.title for metric in found.metrics.values() if not metric.defined}
    assert len(undefined) == 4
    for row in table.rows:
        if row[0].removesuffix(" *") in undefined:
            assert row[1:4] == ("undefined", "", "")
    assert {note.split(":")[0] for note in table.notes[1:-2]} == undefined
    assert not undefined & {row[0] for row in readings.rows}


# --- What `transfer_many` found, as tables and as JSON.


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
    assert smallest == min(1.0, 3 * min(own.sampling.smallest_pvalue for own in found.values()))
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
    assert other.header[1::3] == ("calibrated transfer ratio", "transfer ratio", "transfer regret")
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

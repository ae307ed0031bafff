"""What `transfer` and `transfer_many` found, as data and tables."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from curvewise.inference.result import Result
from curvewise.inference.sampling import Sampling
from curvewise.kernels.transfer.metrics import METRICS
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
    moved = replace(found, metrics={**found.metrics, time.name: time}).table()
    assert set(moved.notes) - set(found.table().notes) == {f"{time.title}: {time.moved}"}
    assert "Quote one, the calibrated transfer ratio" in moved.notes[-2]


def test_what_is_undefined_has_no_numbers_and_says_why() -> None:
    found = of_runs(np.ones((3, 5)), np.ones((3, 5)))
    table, readings, _ = found.tables()
    undefined = {metric.title for metric in found.metrics.values() if not metric.defined}
    assert len(undefined) == 4
    for row in table.rows:
        if row[0].removesuffix(" *") in undefined:
            assert row[1:4] == ("undefined", "", "")
    assert {note.split(":")[0] for note in table.notes[1:-2]} == undefined
    assert not undefined & {row[0] for row in readings.rows}

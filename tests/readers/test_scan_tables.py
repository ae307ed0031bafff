"""Scan as tables: what is in a folder, row by row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from curvewise.readers.scan import MAX_METRICS, MetricSpan, ScannedRun
from tests.readers.scans import a_run, a_scan, column


def test_a_row_for_each_algorithm() -> None:
    found = a_scan(a_run("A", "1"), a_run("A", "2", 96), a_run("B", "1", n_points=3))
    assert column(found, "algorithm") == ["A", "B"]
    assert column(found, "runs") == ["2", "1"]
    assert column(found, "points") == ["11", "3"]
    assert column(found, "last step") == ["96 to 100", "100"]
    assert column(found, "run names") == ["1 and 2", "1"]
    assert column(found, "incomplete") == ["", ""]


def test_tasks_have_rows_of_their_own_if_there_are_several() -> None:
    one = a_scan(a_run(task="x"), a_run(run="2", task="x"))
    assert "task" not in one.tables()[0].header
    # The longest run is that of the same task.
    two = a_scan(a_run(task="x", last=10), a_run(task="y"), a_run(run="2", task="y", last=50))
    assert column(two, "task") == ["x", "y"]
    assert column(two, "incomplete") == ["", "2 ends at 50"]
    assert two.tasks == ("x", "y")


def test_run_names_are_sorted_as_people_do() -> None:
    found = a_scan(a_run(run="10"), a_run(run="9"), a_run(run="1"))
    assert column(found, "run names") == ["1, 9 and 10"]


def test_a_run_whose_metrics_mostly_go_on_does_not_end_early() -> None:
    spans = {"epoch_loss": 8, "epoch_acc": 8, "loss_vs_iterations": 640}
    longest = {name: MetricSpan(5, 0, last, "step") for name, last in spans.items()}
    other = {**longest, "loss_vs_iterations": MetricSpan(5, 0, 512, "step")}
    found = a_scan(replace(a_run(run="1"), metrics=longest), replace(a_run(run="2"), metrics=other))
    assert column(found, "incomplete") == [""]


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (a_run(run="9", last=89), "9 ends at 89"),
        (a_run(run="9", last=90), ""),
        (a_run(run="9", last=40, status="failed"), "9 ends at 40 (failed)"),
        (a_run(run="9", status="running"), "9 ends at 100 (running)"),
        (a_run(run="9", last=None, status="empty"), "9 is empty"),
        (a_run(run="9", last=None, status="unreadable"), "9 is unreadable"),
        (a_run(run="9", last=None, status="failed"), "9 is empty (failed)"),
    ],
)
def test_runs_that_are_not_whole_are_named(run: ScannedRun, text: str) -> None:
    assert column(a_scan(a_run(), run), "incomplete") == [text]


def test_metrics_that_most_runs_have_come_first() -> None:
    rare = {"rare": MetricSpan(2, 5, 6, "epoch")}
    both = {"loss": MetricSpan(4, 0, 30, "step"), **rare}
    runs = [
        ScannedRun("A", name, None, name, ("tables",), metrics)
        for name, metrics in (("1", both), ("2", {"loss": MetricSpan(9, 1, 80, "time")}))
    ]
    found = a_scan(*runs)
    assert list(found.metrics) == ["loss", "rare"]
    loss = found.metrics["loss"]
    assert (loss.n_runs, loss.n_points, loss.first, loss.last) == (2, (4, 9), 0, 80)
    assert loss.x == ("step", "time")
    assert column(found, "steps", 1) == ["0 to 80", "5 to 6"]
    assert column(found, "counted in", 1) == ["step and time", "epoch"]
    assert runs[0].last_step == 30  # of two axes with a metric each, the first


def test_of_many_metrics_the_first_are_shown() -> None:
    metrics = {f"m{k}": MetricSpan(1, 0, 0, "step") for k in range(MAX_METRICS + 3)}
    found = a_scan(ScannedRun("A", "1", None, "a", ("tables",), metrics))
    table = found.tables()[1]
    assert len(table.rows) == MAX_METRICS
    assert table.notes == (
        "and 3 metrics more",
        "None stands out: say which one to compare by metric.",
    )

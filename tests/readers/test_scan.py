"""Scan: what is in a folder, as tables, words, warnings and JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.folders import Skipped
from curvewise.readers.scan import MAX_LINES, MAX_METRICS, MetricSpan, Scan, ScannedRun


def a_run(
    algorithm: str = "A",
    run: str = "1",
    last: float | None = 100,
    *,
    task: str | None = None,
    n_points: int = 11,
    status: str = "",
    notes: tuple[str, ...] = (),
) -> ScannedRun:
    span = None if last is None else MetricSpan(n_points, 0, last, "step")
    return ScannedRun(
        algorithm,
        run,
        task,
        f"{algorithm}/{run}",
        ("tables",),
        {} if span is None else {"loss": span},
        status,
        notes,
    )


def a_scan(*runs: ScannedRun, **more: object) -> Scan:
    made = {"skipped": (), "explanation": "algorithm from path1", **more}
    return Scan("logs", runs, **made)  # type: ignore[arg-type]


def column(found: Scan, name: str, table: int = 0) -> list[str]:
    shown = found.tables()[table]
    return [row[shown.header.index(name)] for row in shown.rows]


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
    two = a_scan(
        a_run(task="x", last=10), a_run(task="y"), a_run(run="2", task="y", last=50)
    )
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
    found = a_scan(
        replace(a_run(run="1"), metrics=longest), replace(a_run(run="2"), metrics=other)
    )
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


def test_the_paragraph_says_how_many_of_what_and_from_what() -> None:
    assert a_scan(a_run()).describe() == "1 run in logs (tables). Algorithm from path1."
    torn = a_scan(a_run(), a_run(run="2"), ambiguity="Which is which?")
    assert torn.describe() == "2 runs in logs (tables). Which is which?"
    with pytest.raises(CurvesError, match="Which is which"):
        torn.check()
    a_scan(a_run()).check()


def test_notes_that_differ_in_a_count_are_one() -> None:
    notes = [
        f"r: {n} logged several times: their mean" for n in ("1 step", "1,200 steps")
    ]
    resumed = "r: resumed at step 7; 2 records superseded"
    runs = [a_run(run=str(n), notes=(note,)) for n, note in enumerate([*notes, resumed])]
    assert a_scan(*runs).warnings == (
        "A/0 and A/1: r: 1 to 1,200 steps logged several times: their mean.",
        f"A/2: {resumed}.",
    )


def test_warnings_name_the_places_once_and_only_the_first() -> None:
    cut = "the last line is cut and was left out"
    runs = [a_run(run=str(k), notes=(cut,)) for k in range(5)]
    skipped = (
        Skipped(Path("x.db"), "x.db is damaged"),
        Skipped(Path("A/1/p.csv"), cut),
    )
    found = a_scan(*runs, skipped=skipped, notes=("runs are numbered.",))
    assert found.warnings == (
        "runs are numbered.",
        f"A/0, A/1, A/2 and 2 more: {cut}.",
        "x.db is damaged.",
    )
    many = [a_run(run=str(k), notes=(f"note {k}",)) for k in range(MAX_LINES + 2)]
    assert a_scan(*many).warnings[-1] == "And 2 more notes."


def test_json_has_everything() -> None:
    found = a_scan(
        a_run(status="failed", notes=("resumed",)),
        a_run("B", last=None, status="empty"),
        skipped=(Skipped(Path("x.db"), "damaged"),),
        other_x=("epoch",),
    )
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["algorithms"] == ["A", "B"]
    assert record["runs"][0] == {
        "algorithm": "A",
        "run": "1",
        "task": None,
        "path": "A/1",
        "formats": ["tables"],
        "status": "failed",
        "notes": ["resumed"],
        "metrics": {"loss": {"n_points": 11, "first": 0, "last": 100, "x": "step"}},
    }
    assert record["runs"][1]["metrics"] == {}
    assert record["skipped"] == [{"path": "x.db", "reason": "damaged"}]
    assert record["other_x"] == ["epoch"]
    assert record["metrics"]["loss"]["n_points"] == [11, 11]


def test_names_cannot_steer_a_terminal_or_a_browser() -> None:
    name = "<script>\x1b[31m"
    found = a_scan(a_run(name, notes=(f"{name} is cut",)), explanation=f"from {name}")
    page = found._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page
    assert "\x1b" not in str(found)
    assert "<table" in page


def test_text_is_the_paragraph_the_tables_and_the_warnings() -> None:
    text = str(a_scan(a_run(notes=("cut",))))
    assert text.startswith("1 run in logs")
    assert "incomplete" in text
    assert text.endswith("Warning: A/1: cut.")


def test_points_are_read_by_whoever_scanned() -> None:
    assert a_scan(a_run()).run_logs() == []
    asked: list[str | None] = []

    def read(metric: str | None) -> list[object]:
        asked.append(metric)
        return []

    found = Scan("logs", (), (), "", _run_logs=read)  # type: ignore[arg-type]
    found.run_logs("loss")
    found.run_logs()
    assert asked == ["loss", None]

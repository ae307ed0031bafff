"""Scan: what is in a folder, as tables, words, warnings and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.scan import MAX_LINES, Scan
from curvewise.readers.walk import Skipped
from tests.readers.scans import a_run, a_scan


def test_the_paragraph_says_how_many_of_what_and_from_what() -> None:
    assert a_scan(a_run()).describe() == "1 run in logs (tables). Algorithm from path1."
    torn = a_scan(a_run(), a_run(run="2"), ambiguity="Which is which?")
    assert torn.describe() == "2 runs in logs (tables). Which is which?"
    with pytest.raises(CurvesError, match="Which is which"):
        torn.check()
    a_scan(a_run()).check()


def test_notes_that_differ_in_a_count_are_one() -> None:
    notes = [f"r: {n} logged several times: their mean" for n in ("1 step", "1,200 steps")]
    resumed = "r: resumed at step 7; 2 records superseded"
    runs = [a_run(run=str(n), notes=(note,)) for n, note in enumerate([*notes, resumed])]
    assert a_scan(*runs).warnings == (
        "A/0 and A/1: r: 1 to 1,200 steps logged several times: their mean.",
        f"A/2: {resumed}.",
    )


def test_warnings_name_the_places_once_and_only_the_first() -> None:
    cut = "the last line is cut and was left out"
    runs = [a_run(run=str(k), notes=(cut,)) for k in range(5)]
    skipped = (Skipped(Path("x.db"), "x.db is damaged"), Skipped(Path("A/1/p.csv"), cut))
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

    found = Scan(place="logs", runs=(), skipped=(), explanation="", _run_logs=read)  # type: ignore[arg-type]
    found.run_logs("loss")
    found.run_logs()
    assert asked == ["loss", None]

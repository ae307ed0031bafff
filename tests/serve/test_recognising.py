"""What files are taken for, and what else they could be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from curvewise.errors import CurvesError
from curvewise.serve.work import check_size, recognise
from curvewise.text import naming_flags
from tests.serve.running import write_table

if TYPE_CHECKING:
    from pathlib import Path


def test_the_columns_of_a_table_and_what_else_they_could_be(tmp_path: Path) -> None:
    path = write_table(tmp_path / "runs.csv")
    with naming_flags():
        found = recognise([str(path)], {})
    assert found["kind"] == "table"
    chosen = {part: own["chosen"] for part, own in found["parts"].items()}
    assert chosen == {
        "algorithm": "agent",
        "run": "seed",
        "step": "step",
        "score": "score",
        "block": None,
    }
    assert found["parts"]["score"]["choices"] == ["agent", "seed", "step", "score"]
    assert found["parts"]["score"]["flag"] == "--score"
    assert found["summary"].startswith("2 algorithms × 4 runs × 6 steps, from 0 to 5")
    assert found["algorithms"] == ["A", "B"]
    assert found["refused"] is None
    assert found["higher_is_better"] is True


def test_runs_that_end_early_are_refused_in_the_library_s_words(tmp_path: Path) -> None:
    path = write_table(tmp_path / "runs.csv", ragged=True)
    with naming_flags():
        found = recognise([str(path)], {})
        assert "--short" in found["refused"]
        assert found["parts"]["step"]["chosen"] == "step"
        found = recognise([str(path)], {"short": "drop"})
        assert "--reason" in found["refused"]
        assert found["parts"]["step"]["chosen"] == "step"
        found = recognise([str(path)], {"short": "carry"})
    assert found["refused"] is None
    assert "6 steps" in found["summary"]


def test_columns_that_nothing_tells_can_be_chosen(tmp_path: Path) -> None:
    path = write_table(tmp_path / "runs.csv")
    text = path.read_text(encoding="utf-8").replace("agent,seed,step,score", "a,b,c,d")
    path.write_text(text, encoding="utf-8")
    found = recognise([str(path)], {})
    assert "Which column is the algorithm?" in found["refused"]
    assert found["parts"]["algorithm"]["choices"] == ["a", "b", "c", "d"]
    named = {"algorithm": "a", "run": "b", "step": "c", "score": "d"}
    found = recognise([str(path)], named)
    assert found["refused"] is None
    assert found["parts"]["step"]["chosen"] == "c"


def test_tasks_are_listed_also_while_one_is_kept(tmp_path: Path) -> None:
    lifts = {"pong": 5, "qbert": 3}
    tables = [write_table(tmp_path / f"{k}.csv", lift=lift) for k, lift in lifts.items()]
    lines = []
    for path in tables:
        head, *rows = path.read_text(encoding="utf-8").splitlines()
        lines += [f"{path.stem},{row}" for row in rows]
    one = tmp_path / "one.csv"
    one.write_text("\n".join([f"game,{head}", *lines]), encoding="utf-8")
    for options in ({}, {"where": {"game": "pong"}}):
        found = recognise([str(one)], options)
        assert found["tasks"] == ["pong", "qbert"]
        assert found["task"]["chosen"] == "game"
        assert ("2 tasks" in found["summary"]) == (not options)
    # Several tables are tasks, too, and are read as logs.
    found = recognise([str(path) for path in tables], {})
    assert found["kind"] == "logs"
    assert found["tasks"] == ["pong", "qbert"]
    assert found["summary"].startswith("2 tasks (pong and qbert), each 2 algorithms")


def test_arrays_have_no_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "a.npz", A=rng.normal(size=(4, 9)), B=rng.normal(size=(4, 9)))
    found = recognise([str(tmp_path / "a.npz")], {})
    assert found["kind"] == "arrays"
    assert found["parts"] == {}
    assert found["refused"] is None


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    found = recognise([str(tmp_path)], {})
    assert "a training log or a table that curvewise knows" in found["refused"]


def test_time_is_steps_only_if_it_is_chosen(tmp_path: Path) -> None:
    for name in ("a-1", "a-2", "b-1", "b-2"):
        (tmp_path / name).mkdir()
        rows = [f"{place}.5,{place}" for place in range(5)]
        text = "\n".join(["time,loss", *rows, ""])
        (tmp_path / name / "progress.csv").write_text(text, encoding="utf-8")
    found = recognise([str(tmp_path)], {})
    assert "only tell the time" in found["refused"]
    assert found["parts"]["step"]["chosen"] is None
    assert "time" in found["parts"]["step"]["choices"]
    assert recognise([str(tmp_path)], {"step": "time"})["parts"]["step"]["chosen"] == "time"


def test_a_small_parquet_file_may_hold_too_much(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"step": np.zeros(200_000), "score": np.zeros(200_000)}).write_parquet(path)
    assert path.stat().st_size < 20_000
    check_size([str(tmp_path)], 4_000_000)
    with pytest.raises(CurvesError, match=r"a.parquet holds 3 MB of numbers.*in place"):
        check_size([str(tmp_path)], 3_000_000)
    (tmp_path / "a.parquet").write_bytes(b"no parquet")
    check_size([str(tmp_path)], 1)  # the reader will say so

"""Tasks: a checked mapping from task to curves."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

import curvewise as cw
from tests.data.tables import as_frame_of, long_frame
from tests.simulation import some_curves


def curves(*algorithms: str, n_steps: int = 3, higher_is_better: bool = True) -> cw.Curves:
    rng = np.random.default_rng(0)
    labels = [name for name in algorithms for _ in range(2)]
    scores = rng.normal(size=(len(labels), n_steps))
    return cw.Curves(scores, labels, higher_is_better=higher_is_better)


def test_tasks_are_a_mapping_in_the_order_given() -> None:
    tables = {"pong": curves("A", "B"), "freeway": curves("A", "B", n_steps=5)}
    tasks = cw.Tasks(tables)
    assert list(tasks) == ["pong", "freeway"]
    assert tasks["freeway"] is tables["freeway"]
    assert tasks.algorithms == ("A", "B")
    assert tasks == tables
    assert pickle.loads(pickle.dumps(tasks)) == tasks  # noqa: S301 (written here)


def test_a_task_that_lacks_an_algorithm_is_named() -> None:
    tables = {"pong": curves("A", "B"), "go": curves("A"), "chess": curves("B", "A")}
    with pytest.raises(cw.CurvesError, match=r"1 of 3 tasks lacks .* 'go' lacks B\..*drop"):
        cw.Tasks(tables)
    dropped = cw.Tasks(tables, missing="drop")
    assert list(dropped) == ["pong", "chess"]
    assert dropped.dropped == ("go",)
    for later in (cw.Tasks(dropped), dropped.select("A"), dropped.window(0, 1)):
        assert later.dropped == ("go",)
    assert dropped.keep("pong").dropped == ()
    kept = cw.Tasks(tables, missing="keep")
    assert kept.algorithms == ("A",)
    assert list(kept.select("A")) == ["pong", "go", "chess"]
    with pytest.raises(cw.CurvesError, match="'go' lacks B"):
        kept.select("B", "A")


def test_tasks_that_share_no_algorithms_cannot_be_dropped_to() -> None:
    with pytest.raises(cw.CurvesError, match="No task has all of A and B"):
        cw.Tasks({"pong": curves("A"), "go": curves("B")}, missing="drop")


def test_only_some_algorithms() -> None:
    tables = {"pong": curves("A", "B", "C"), "go": curves("C", "A")}
    assert cw.Tasks(tables, algorithms=["C", "A"])["pong"].algorithms == ("C", "A")
    with pytest.raises(cw.CurvesError, match="No algorithm is called 'D'"):
        cw.Tasks(tables, algorithms=["D"])


def test_windows_of_all_tasks_or_of_some() -> None:
    tasks = cw.Tasks({"pong": curves("A", "B"), "go": curves("A", "B", n_steps=5)})
    assert [own.n_steps for own in tasks.window(1).values()] == [2, 4]
    assert [own.n_steps for own in tasks.window({"go": (0, 1)}).values()] == [3, 2]
    with pytest.raises(cw.CurvesError, match="Task 'pong': "):
        tasks.window(4)
    with pytest.raises(cw.CurvesError, match="No task is called 'Go'"):
        tasks.window({"Go": (0, 1)})


def test_some_tasks() -> None:
    tasks = cw.Tasks({"pong": curves("A"), "go": curves("A"), "chess": curves("A")})
    assert list(tasks.keep("chess", "pong")) == ["chess", "pong"]
    with pytest.raises(cw.CurvesError, match="'pong' is named twice"):
        tasks.keep("pong", "pong")
    with pytest.raises(cw.CurvesError, match="No task is called 'Go'"):
        tasks.keep("Go")


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({}, "There are no tasks"),
        ({1: curves("A"), "1": curves("A")}, "Task '1' is named twice"),
        ({"pong": [[1.0]]}, "Task 'pong' must be Curves, not list"),
        (
            {"acc": curves("A"), "loss": curves("A", higher_is_better=False)},
            "Higher scores are better in acc but lower ones in loss",
        ),
    ],
)
def test_what_is_refused(tables: dict[str, cw.Curves], message: str) -> None:
    with pytest.raises(cw.CurvesError, match=message):
        cw.Tasks(tables)


def test_curves_of_one_task_are_refused() -> None:
    with pytest.raises(cw.CurvesError, match="curves of one task"):
        cw.Tasks(curves("A"))  # type: ignore[arg-type]


def test_tasks_that_have_none_of_the_algorithms_are_named_too() -> None:
    with pytest.raises(cw.CurvesError, match=r"1 of 2 tasks lacks .* 'go' lacks A and B"):
        cw.Tasks({"pong": curves("A", "B")}, without=["go"])
    assert cw.Tasks({"pong": curves("A")}, missing="drop", without=["go"]).dropped == ("go",)


# --- frames --------------------------------------------------------------------------

COLUMNS: dict[str, Any] = {"algorithm": "agent", "run": "seed", "step": "epoch", "score": "return"}


def frame_of(tables: dict[str, cw.Curves]) -> pl.DataFrame:
    parts = [
        long_frame(own).with_columns(pl.lit(task).alias("game")) for task, own in tables.items()
    ]
    return pl.concat(parts).sample(fraction=1, shuffle=True, seed=0)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow", "lazy"])
def test_frames_of_every_library(library: str) -> None:
    whole = some_curves(0, (3, 2), 4)
    tables = {"task 2": whole, "task 10": whole.window(0, 1)}
    frame = frame_of(tables)
    given = as_frame_of(library, frame)
    found = cw.Tasks.from_frame(given, task="game", **COLUMNS)
    assert list(found) == ["task 2", "task 10"]
    assert found == tables


def test_options_of_frames_hold_for_each_task() -> None:
    whole = some_curves(0, (3, 2), 4)
    frame = frame_of({"x": whole, "y": whole})
    found = cw.Tasks.from_frame(
        frame,
        task="game",
        **COLUMNS,
        only=["B"],
        stop=1,
        higher_is_better=False,
        source="mine",
        block="seed",
    )
    assert found.algorithms == ("B",)
    assert not found.higher_is_better
    assert {own.scores.shape for own in found.values()} == {(2, 2)}
    assert {own.source for own in found.values()} == {"mine"}
    assert found["x"].n_blocks == 2


def test_tasks_of_a_frame_that_lack_an_algorithm() -> None:
    whole = some_curves(0, (3, 2, 2), 4)
    frame = frame_of({"a": whole, "b": whole.select("A"), "c": whole.select("C"), "d": whole})
    read: dict[str, Any] = {"task": "game", **COLUMNS}
    with pytest.raises(
        cw.CurvesError, match=r"2 of 4 tasks lack .* 'b' lacks B; 'c' lacks A and B"
    ):
        cw.Tasks.from_frame(frame, **read, only=["A", "B"])
    some = cw.Tasks.from_frame(frame, **read, only=["A", "B"], missing="drop")
    assert list(some) == ["a", "d"]
    assert some.dropped == ("b", "c")
    kept = cw.Tasks.from_frame(frame, **read, missing="keep")
    assert kept["c"].algorithms == ("C",)
    with pytest.raises(cw.CurvesError, match=r"^No algorithm is called 'D'"):
        cw.Tasks.from_frame(frame, **read, only=["A", "D"], missing="keep")


def test_what_is_wrong_with_a_task_of_a_frame_is_told_with_its_name() -> None:
    frame = frame_of({"x": some_curves(0, (3, 2), 4), "y": some_curves(1, (3, 2), 4)})
    twice = pl.concat([frame, frame.filter(game="y").with_columns(pl.col("return") + 1)])
    with pytest.raises(cw.CurvesError, match=r"^Task 'y': "):
        cw.Tasks.from_frame(twice, task="game", **COLUMNS)
    with pytest.raises(cw.CurvesError, match=r"No column is called 'gme'; .*'game'"):
        cw.Tasks.from_frame(frame, task="gme", **COLUMNS)
    gaps = frame.with_columns(pl.when(pl.col("seed") != "0").then("game").alias("game"))
    with pytest.raises(cw.CurvesError, match=r"The task is missing in 16 rows"):
        cw.Tasks.from_frame(gaps, task="game", **COLUMNS)


@pytest.mark.parametrize("given", [1.5, "abc", [1], np.array(2.0), None])
def test_what_is_no_mapping_is_refused(given: Any) -> None:
    with pytest.raises(cw.CurvesError, match="Give a mapping from names of tasks"):
        cw.Tasks(given)

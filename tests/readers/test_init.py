"""read() and read_tasks(): the same curves from every format."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import numpy as np
import polars as pl
import pytest

from curvewise import Curves, CurvesError, OptionError, read, read_tasks
from tests.data.tables import long_frame, wide_frame, write
from tests.readers.trees import study
from tests.simulation import some_curves

CURVES = some_curves(0, (3, 2), 4)


@pytest.mark.parametrize(
    "name", ["a.csv", "a.tsv", "a.jsonl", "a.ndjson", "a.parquet", "a.pq", "a.csv.gz", "A.CSV"]
)
def test_long_tables_of_every_kind(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write(long_frame(CURVES), tmp_path / name.lower()).rename(path)
    found = read(path)
    assert found == CURVES
    assert found.source == (
        f"{name}: algorithm from 'agent', run from 'seed', step from 'epoch', score from 'return'"
    )


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet"])
@pytest.mark.parametrize("prefix", ["", "step_", "Epoch ", "t="])
def test_wide_tables_of_every_kind(tmp_path: Path, name: str, prefix: str) -> None:
    found = read(write(wide_frame(CURVES, prefix), tmp_path / name))
    assert found == CURVES
    assert "wide form" in found.source


def test_named_columns_go_before_recognised_ones(tmp_path: Path) -> None:
    frame = long_frame(CURVES).with_columns(pl.col("return").alias("loss") * 2)
    path = write(frame, tmp_path / "a.csv")
    found = read(path, score="loss", higher_is_better=False)
    np.testing.assert_allclose(found.scores, 2 * CURVES.scores)
    assert not found.higher_is_better


def test_names_of_all_kinds_survive(tmp_path: Path) -> None:
    names = ["a,b", 'say "hi"', "ünïcode 日本", "<script>alert(1)</script>", "\x1b[31mred"]
    curves = Curves(np.arange(20.0).reshape(10, 2), np.repeat(names, 2))
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert set(read(write(long_frame(curves), tmp_path / name)).algorithms) == set(names)


def test_blocks(tmp_path: Path) -> None:
    curves = some_curves(0, (2, 2), blocks=["0", "1", "0", "1"])
    path = write(long_frame(curves), tmp_path / "a.csv")
    assert read(path, block="seed") == curves
    wide = write(wide_frame(curves), tmp_path / "b.csv")
    assert read(wide, block="trial") == curves


def test_file_names_are_not_patterns(tmp_path: Path) -> None:
    for suffix in (".csv", ".jsonl", ".parquet"):
        write(long_frame(CURVES.select("A")), tmp_path / f"a1{suffix}")
        write(long_frame(CURVES), tmp_path / f"a[1]{suffix}")
        assert read(tmp_path / f"a[1]{suffix}") == CURVES


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Two tasks; the second has half the steps and another level."""
    first = long_frame(CURVES).with_columns(pl.lit("task 2").alias("game"))
    second = long_frame(CURVES.window(0, 1)).with_columns(
        pl.lit("task 10").alias("game"), pl.col("return") + 100
    )
    return write(pl.concat([second, first]), tmp_path / "tasks.csv")


def test_tasks_are_read_apart_in_natural_order(tasks: Path) -> None:
    found = read_tasks(tasks, task="game")
    assert list(found) == ["task 2", "task 10"]
    assert found["task 2"] == CURVES
    assert found["task 10"].n_steps == 2
    some = read_tasks(tasks, task="game", only=["B"], stop=0, higher_is_better=False)
    assert {curves.scores.shape for curves in some.values()} == {(2, 1)}
    assert not some["task 2"].higher_is_better


def test_tasks_of_wide_tables(tmp_path: Path) -> None:
    frame = wide_frame(CURVES)
    both = pl.concat([frame.with_columns(pl.lit(name).alias("game")) for name in "xy"])
    found = read_tasks(write(both, tmp_path / "a.csv"), task="game")
    assert found == {"x": CURVES, "y": CURVES}


def test_what_is_wrong_with_a_task_is_told_with_its_name(tasks: Path) -> None:
    rows = tasks.read_text(encoding="utf-8").splitlines()
    tasks.write_text("\n".join(rows[:-1]), encoding="utf-8")
    with pytest.raises(
        CurvesError, match=r"Task 'task 2': 0 of 3 runs of A and 1 of 2 of B end early"
    ):
        read_tasks(tasks, task="game")
    with pytest.raises(CurvesError, match=r"called 'gme'; .* did you mean 'game'"):
        read_tasks(tasks, task="gme")


def test_an_archive_of_arrays_has_no_tasks(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, A=CURVES.scores)
    with pytest.raises(CurvesError, match="has no column of tasks"):
        read_tasks(path, task="game")


# --- many tasks ----------------------------------------------------------------------


def folder_of(tmp_path: Path, tables: dict[str, Curves], ending: str = ".csv") -> Path:
    for name, curves in tables.items():
        write(long_frame(curves), tmp_path / f"{name}{ending}")
    return tmp_path


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_tables_side_by_side_are_tasks(tmp_path: Path, ending: str) -> None:
    tables = {"maze": CURVES, "castle": CURVES.window(0, 1), "pong": CURVES}
    place = folder_of(tmp_path, tables, ending)
    assert read_tasks(place) == tables
    two = [place / f"maze{ending}", place / f"pong{ending}"]
    assert list(read_tasks(two)) == ["maze", "pong"]
    assert list(read_tasks(str(place / f"*a*{ending}"))) == ["castle", "maze"]
    assert read_tasks(place, task="castle") == {"castle": CURVES.window(0, 1)}


def test_tables_of_one_task_are_still_read_together(tmp_path: Path) -> None:
    place = folder_of(tmp_path, {name: CURVES.select(name) for name in "AB"})
    assert read(place) == CURVES


def test_names_that_differ_in_case_are_two_tasks(tmp_path: Path) -> None:
    parts = [
        long_frame(CURVES).with_columns(pl.lit(name).alias("game"))
        for name in ("pong", "Pong", " Pong ")
    ]
    path = write(pl.concat(parts[:2]), tmp_path / "a.csv")
    assert list(read_tasks(path)) == ["Pong", "pong"]
    # Spaces around a name do not count: here all runs of a task stand twice.
    again = write(pl.concat(parts), tmp_path / "b.csv")
    assert read_tasks(again) == {"Pong": CURVES, "pong": CURVES}


def test_a_task_in_two_tables_is_one_task(tmp_path: Path) -> None:
    for name, algorithm, game in (("1", "A", "x"), ("2", "B", "x"), ("3", "A", "y")):
        frame = long_frame(CURVES.select(algorithm))
        write(frame.with_columns(pl.lit(game).alias("game")), tmp_path / f"{name}.csv")
    found = read_tasks(tmp_path)
    assert found == {"x": CURVES, "y": CURVES.select("A")}
    with pytest.raises(CurvesError, match=r"1 of 2 tasks lacks .*'y' lacks B"):
        read_tasks(tmp_path, missing="refuse")


@pytest.mark.parametrize("single", [True, False])
def test_tasks_that_lack_an_algorithm_are_named_dropped_or_kept(
    tmp_path: Path, single: bool
) -> None:
    tables = {"maze": CURVES, "castle": CURVES.select("A")}
    place = folder_of(tmp_path, tables)
    if single:
        parts = [
            long_frame(own).with_columns(pl.lit(name).alias("game")) for name, own in tables.items()
        ]
        place = write(pl.concat(parts), tmp_path / "all.csv")
    assert read_tasks(place) == tables
    with pytest.raises(CurvesError, match=r"1 of 2 tasks lacks .*'castle' lacks B"):
        read_tasks(place, missing="refuse")
    for only in (None, ["B"]):
        found = read_tasks(place, missing="drop", only=only)
        assert list(found) == ["maze"]
        assert found.dropped == ("castle",)
    with pytest.raises(CurvesError, match="'castle' lacks B"):
        read_tasks(place, missing="refuse", only=["B"])
    with pytest.raises(OptionError, match="missing must be 'refuse', 'drop' or 'keep'"):
        read_tasks(place, missing="leave")  # type: ignore[arg-type]


def test_tasks_with_different_metrics_are_refused(tmp_path: Path) -> None:
    write(long_frame(CURVES).rename({"return": "loss"}), tmp_path / "maze.csv")
    write(long_frame(CURVES), tmp_path / "castle.csv")
    with pytest.raises(
        CurvesError, match=r"Nothing was logged of 'return' in task 'maze'\. Choose"
    ):
        read_tasks(tmp_path)


@pytest.mark.parametrize(
    ("where", "n_runs"),
    [({"kind": "pong"}, 4), ({"sticky": "0.50"}, 4), ({"kind": "pong", "seed": "1"}, 2)],
)
def test_rows_with_a_value_are_kept(tmp_path: Path, where: dict[str, str], n_runs: int) -> None:
    rows = [
        {"agent": a, "seed": s, "step": t, "score": 1.0 * t, "kind": kind, "sticky": x}
        for kind, x in (("pong", 0.25), ("qbert", 0.5))
        for a in "AB"
        for s in (0, 1)
        for t in (0, 1)
    ]
    path = tmp_path / "runs.csv"
    pl.DataFrame(rows).write_csv(path)
    curves = read(path, where=where)
    assert curves.n_runs == n_runs
    assert "; only " in curves.source
    with pytest.raises(CurvesError, match=r"No row has 'png' in column 'kind'.*'pong'"):
        read(path, where={"kind": "png"})
    with pytest.raises(CurvesError, match="No column is called 'game'"):
        read(path, where={"game": "pong"})


def test_rows_of_logs_cannot_be_chosen(tmp_path: Path) -> None:
    study(tmp_path, ("adam", "sgd"))
    with pytest.raises(OptionError, match="where chooses rows of a table"):
        read(tmp_path, where={"kind": "pong"})

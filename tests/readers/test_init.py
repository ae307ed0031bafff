"""read() and read_tasks(): the same curves from every format."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import numpy as np
import polars as pl
import pytest

from curvewise import Curves, CurvesError, read, read_tasks
from tests.data.tables import long_frame, wide_frame, write
from tests.simulation import some_curves

CURVES = some_curves(0, (3, 2), 4)


@pytest.mark.parametrize(
    "name",
    ["a.csv", "a.tsv", "a.jsonl", "a.ndjson", "a.parquet", "a.pq", "a.csv.gz", "A.CSV"],
)
def test_long_tables_of_every_kind(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write(long_frame(CURVES), tmp_path / name.lower()).rename(path)
    found = read(path)
    assert found == CURVES
    assert found.source == (
        f"{name}: algorithm from 'agent', run from 'seed', step from 'epoch', "
        "score from 'return'"
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
    names = [
        "a,b",
        'say "hi"',
        "ünïcode 日本",
        "<script>alert(1)</script>",
        "\x1b[31mred",
    ]
    curves = Curves(np.arange(20.0).reshape(10, 2), np.repeat(names, 2))
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert set(read(write(long_frame(curves), tmp_path / name)).algorithms) == set(
            names
        )


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

"""Tables that are stored by columns."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import polars as pl
import pytest

from curvewise import CurvesError, read
from curvewise.readers.parsing.text_tables import (
    columns_of_binary,
    is_binary_table,
    read_binary_table,
)
from curvewise.readers.walk import File

FRAME = pl.DataFrame({"step": [0, 10], "loss": [0.5, None], "__index_level_0__": [7, 8]})


def write(path: Path, frame: pl.DataFrame = FRAME) -> File:
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_ipc(path)
    return File(path)


@pytest.mark.parametrize("name", ["a.parquet", "a.feather"])
def test_columns_are_read_without_the_index_of_pandas(tmp_path: Path, name: str) -> None:
    file = write(tmp_path / name)
    assert is_binary_table(file)
    assert columns_of_binary(file) == ["step", "loss"]
    assert read_binary_table(file).rows() == [(0, 0.5), (10, None)]


@pytest.mark.parametrize("name", ["a.parquet", "a.feather"])
def test_a_damaged_table_is_said(tmp_path: Path, name: str) -> None:
    file = write(tmp_path / name)
    file.path.write_bytes(file.path.read_bytes()[:60])
    damaged = File(file.path)
    assert columns_of_binary(damaged) == []
    with pytest.raises(CurvesError, match=rf"{name} cannot be read as .*Write the file again"):
        read_binary_table(damaged)


def test_other_files_are_none(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_text("step,loss\n")
    assert not is_binary_table(File(tmp_path / "a.parquet"))


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_a_table_for_each_run(tmp_path: Path, ending: str) -> None:
    for algorithm in ("ppo", "dqn"):
        for seed in (1, 2):
            frame = pl.DataFrame({"step": [0, 10], "loss": [0.1, seed / 3], "tag": "x"})
            write(tmp_path / f"{algorithm}_{seed}.{ending}", frame)
    curves = read(tmp_path)
    assert curves.algorithms == ("dqn", "ppo")
    assert curves.scores.tolist() == [[0.1, 1 / 3], [0.1, 2 / 3]] * 2


def test_a_column_for_each_run(tmp_path: Path) -> None:
    frame = {"step": [0, 10]} | {f"{a}_seed{s}": [s, 0.5] for a in "ab" for s in (1, 2)}
    write(tmp_path / "all.parquet", pl.DataFrame(frame, strict=False))
    assert read(tmp_path / "all.parquet").runs.tolist() == ["1", "2", "1", "2"]

"""Parquet files."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import polars as pl

from curvewise import read
from curvewise.readers.tables.columns import ColumnsToRead
from curvewise.readers.tables.parquet import columns, load
from tests.data.tables import long_frame, write
from tests.simulation import some_curves

CURVES = some_curves(0, (3, 2), 4)


def test_arrays_of_fixed_length_hold_whole_curves(tmp_path: Path) -> None:
    frame = pl.DataFrame({"model": CURVES.labels.tolist(), "seed": CURVES.runs.tolist()})
    scores = pl.Series("score", CURVES.scores, dtype=pl.Array(pl.Float64, 4))
    frame.with_columns(scores).write_parquet(tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == CURVES


def test_only_the_columns_to_read_are_read(tmp_path: Path) -> None:
    path = write(long_frame(CURVES), tmp_path / "a.parquet")
    assert columns(path) == dict.fromkeys(["agent", "seed", "epoch", "return"], False)
    assert load(path, ColumnsToRead(["agent"], ["return"])).columns == ["agent", "return"]


def test_scores_in_single_precision_are_known_to_be(tmp_path: Path) -> None:
    frame = long_frame(CURVES).with_columns(pl.col("return").cast(pl.Float32))
    found = read(write(frame, tmp_path / "a.parquet"))
    assert found.precision > 1e-8

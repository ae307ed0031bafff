"""Parquet files."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (pytest reads the annotations)
from typing import Any

import polars as pl
import pytest

from curvewise import CurvesError, read
from curvewise.readers.table_formats import load_parquet, parquet_columns
from curvewise.readers.tables import ColumnsToRead
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
    assert parquet_columns(path) == dict.fromkeys(["agent", "seed", "epoch", "return"], False)
    assert load_parquet(path, ColumnsToRead(["agent"], ["return"])).columns == ["agent", "return"]


def test_scores_in_single_precision_are_known_to_be(tmp_path: Path) -> None:
    frame = long_frame(CURVES).with_columns(pl.col("return").cast(pl.Float32))
    found = read(write(frame, tmp_path / "a.parquet"))
    assert found.precision > 1e-8


@pytest.mark.parametrize(
    "values",
    [[[1]] * 12, [{"a": 1}] * 12, pl.Series([[1.0, 2.0]] * 12, dtype=pl.Array(pl.Float64, 2))],
)
def test_nested_columns_hold_no_names(tmp_path: Path, values: Any) -> None:
    frame = long_frame(CURVES).head(12)
    path = tmp_path / "a.parquet"
    frame.with_columns(pl.Series("seed", values)).write_parquet(path)
    with pytest.raises(CurvesError, match="Column 'seed' does not hold names"):
        read(path)
    with pytest.raises(CurvesError, match="Column 'seed' does not hold names"):
        read(path, run="epoch", step="epoch", where={"seed": "1"})


def test_decimals_and_bytes_are_names(tmp_path: Path) -> None:
    frame = long_frame(CURVES)
    path = tmp_path / "a.parquet"
    frame.with_columns(
        pl.col("seed").cast(pl.String).cast(pl.Decimal(10, 0)),
        pl.col("agent").cast(pl.String).cast(pl.Binary),
    ).write_parquet(path)
    assert read(path) == read(write(frame, tmp_path / "b.parquet"))


def test_a_panic_of_rust_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(*_: object, **__: object) -> None:
        raise PanicException

    path = tmp_path / "a.parquet"
    long_frame(CURVES).write_parquet(path)
    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(CurvesError, match="cannot be read as Parquet: its data are damaged"):
        read(path)

"""Parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.readers.failures import quiet_panics
from curvewise.readers.tables.delimited import by_name_or_content

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from curvewise.readers.tables.columns import ColumnsToRead

__all__ = ["columns", "load"]


def columns(path: Path) -> dict[str, bool]:
    """Return the columns, and whether they hold lists."""
    import polars as pl

    with path.open("rb") as file, quiet_panics():
        schema = pl.read_parquet_schema(file)
    return {name: isinstance(dtype, pl.List | pl.Array) for name, dtype in schema.items()}


def load(path: Path, to_read: ColumnsToRead) -> pl.DataFrame:
    """Read columns; arrays of a fixed length become lists."""
    import polars as pl

    with quiet_panics():
        frame = pl.read_parquet(
            by_name_or_content(path), columns=list(to_read.schema()), glob=False
        )
    return frame.with_columns(
        pl.col(column).arr.to_list()
        for column in to_read.lists
        if isinstance(frame.schema[column], pl.Array)
    )

"""Tables that are stored by columns, not as text: Parquet, and Feather, the files of Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.errors import CurvesError
from curvewise.readers.failures import explained, quiet_panics

if TYPE_CHECKING:
    import polars as pl

    from curvewise.readers.folders import File

__all__ = ["BINARY_TABLES", "columns_of_binary", "is_binary_table", "read_binary_table"]

BINARY_TABLES = (".parquet", ".pq", ".feather", ".arrow", ".ipc")
PARQUET, ARROW = b"PAR1", b"ARROW1"
INDEX = "__index_level_"  # what pandas keeps of a frame besides its columns


def is_binary_table(file: File) -> bool:
    """Whether a file is such a table, as its name and its first bytes tell."""
    is_named = file.name.lower().endswith(BINARY_TABLES)
    return is_named and file.head().startswith((PARQUET, ARROW))


def columns_of_binary(file: File) -> list[str]:
    """Return the names of the columns; none if the file is damaged."""
    import polars as pl

    try:
        with explained(file.path, "a table"), file.open() as stream, quiet_panics():
            if file.head().startswith(PARQUET):
                names = list(pl.read_parquet_schema(stream))
            else:
                names = list(pl.read_ipc_schema(stream))
    except CurvesError:
        return []
    return [name for name in names if not name.startswith(INDEX)]


def read_binary_table(file: File) -> pl.DataFrame:
    """Read all columns; raise CurvesError if the file is damaged."""
    import polars as pl

    is_parquet = file.head().startswith(PARQUET)
    with (
        explained(file.path, "Parquet" if is_parquet else "Feather"),
        file.open() as stream,
        quiet_panics(),
    ):
        frame = pl.read_parquet(stream) if is_parquet else pl.read_ipc(stream)
    return frame.drop([name for name in frame.columns if name.startswith(INDEX)])

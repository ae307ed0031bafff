"""JSON lines: an object on each line."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvesError
from curvewise.readers.tables.delimited import open_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from curvewise.readers.tables.columns import ColumnsToRead

__all__ = ["columns", "load"]

# Lines that are searched for keys.
N_LINES_SEARCHED = 1_000


def columns(path: Path) -> dict[str, bool]:
    """Return the keys of the first thousand lines, and whether they hold lists."""
    found: dict[str, bool] = {}
    for row in islice(_rows(path), N_LINES_SEARCHED):
        for key, value in row.items():
            found[key] = found.get(key, False) or isinstance(value, list)
    if not found:
        msg = f"{path.name} is empty: it needs a JSON object on each line."
        raise CurvesError(msg)
    return found


def load(path: Path, to_read: ColumnsToRead) -> pl.DataFrame:
    """Read keys; those that a line lacks become null."""
    import polars as pl

    try:
        with path.open("rb") as file:  # by handle: a path would be taken for a pattern
            return pl.read_ndjson(file, schema=to_read.schema())
    except pl.exceptions.PolarsError:
        # Slower, but it reads NaN, and names the line where something is wrong.
        table: dict[str, list[Any]] = {name: [] for name in to_read.schema()}
        for row in _rows(path):
            for name, values in table.items():
                values.append(row.get(name))
        typed = {
            name: [None if value is None else str(value) for value in values]
            if name in to_read.names
            else values
            for name, values in table.items()
        }
        return pl.DataFrame(typed, strict=False)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with open_text(path) as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                msg = (
                    f"Line {number} of {path.name} is not JSON ({error.msg}); each line must "
                    "be an object."
                )
                raise CurvesError(msg) from None
            except RecursionError:
                msg = f"Line {number} of {path.name} is nested too deeply."
                raise CurvesError(msg) from None
            if not isinstance(row, dict):
                msg = f"Line {number} of {path.name} is not a JSON object in braces."
                raise CurvesError(msg)
            yield row

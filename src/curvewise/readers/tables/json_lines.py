"""JSON lines: an object on each line."""

from __future__ import annotations

import json
import re
from itertools import islice
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any

from curvewise.data.numbers import number_of
from curvewise.errors import CurvesError
from curvewise.readers.failures import quiet_panics
from curvewise.readers.tables.delimited import open_text
from curvewise.text import encodable, shown_value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from curvewise.readers.tables.columns import ColumnsToRead

__all__ = ["columns", "load"]

# Lines that are searched for keys.
N_LINES_SEARCHED = 1_000
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def columns(path: Path) -> dict[str, bool]:
    """Return the keys of the first thousand lines, and whether they hold lists."""
    found: dict[str, bool] = {}
    for _, row in islice(_rows(path), N_LINES_SEARCHED):
        for key, value in row.items():
            found[key] = found.get(key, False) or isinstance(value, list)
    if not found:
        msg = f"{path.name} is empty: it needs a JSON object on each line."
        raise CurvesError(msg)
    return found


def load(path: Path, to_read: ColumnsToRead) -> pl.DataFrame:
    """Read keys; those that a line lacks become null."""
    import polars as pl

    if not _has_surrogates(path):
        try:
            # By handle: a path would be taken for a pattern.
            with path.open("rb") as file, quiet_panics():
                return pl.read_ndjson(file, schema=to_read.schema())
        except pl.exceptions.PolarsError:
            pass
    # Slower, but it reads NaN, and names the line where something is wrong.
    table: dict[str, list[Any]] = {name: [] for name in to_read.schema()}
    for number, row in _rows(path):
        for name, values in table.items():
            value = row.get(name)
            if name in to_read.lists and not isinstance(value, list | None):
                msg = (
                    f"Line {number} of {path.name} has {shown_value(value)} under {name!r}, "
                    "where others have lists. Write a list on each line."
                )
                raise CurvesError(msg)
            values.append(value)
    return pl.DataFrame(
        {
            name: pl.Series(
                [None if value is None else _text(value) for value in values],
                dtype=pl.String,
            )
            if name in to_read.names
            else pl.Series([_cell(value) for value in values], strict=False)
            for name, values in table.items()
        }
    )


def _has_surrogates(path: Path) -> bool:
    """Whether a text has halves of characters, which polars takes for nothing."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return SURROGATE.search(content) is not None


def _text(value: object) -> str:
    """Return a value as a name; a list or an object as it is written in JSON."""
    if isinstance(value, str):
        return encodable(value)
    return json.dumps(value)


def _cell(value: object) -> object:
    """Return a value that polars can hold: numbers as such, and what is none as text."""
    if isinstance(value, list):
        return [_cell(item) for item in value]
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return number_of(value)
    return encodable(value) if isinstance(value, str) else shown_value(value)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the object on each line that is not blank, with the number of the line."""
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
            except ValueError:  # which Python does not read as a number
                msg = (
                    f"Line {number} of {path.name} has a number of thousands of digits, which "
                    "no score or step has. Write the file again."
                )
                raise CurvesError(msg) from None
            except RecursionError:
                msg = f"Line {number} of {path.name} is nested too deeply."
                raise CurvesError(msg) from None
            if not isinstance(row, dict):
                msg = f"Line {number} of {path.name} is not a JSON object in braces."
                raise CurvesError(msg)
            yield number, row

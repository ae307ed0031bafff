"""CSV and TSV files."""

from __future__ import annotations

import csv
import gzip
import re
import warnings
from itertools import islice
from typing import TYPE_CHECKING, TextIO

from curvewise.errors import CurvesError, counted

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from curvewise.readers.columns import Wanted

__all__ = ["columns", "load", "opened"]

# What people write where there is no score; it is missing rather than wrong.
BLANKS = {"", "na", "n/a", "nan", "null", "none", "-", "."}


def opened(path: Path) -> TextIO:
    """Open a text file, unpacking it if its name ends in ``.gz``."""
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def separator(path: Path) -> str:
    """Take tabs for TSV; else what the header holds most of, since some write ``;``."""
    if ".tsv" in path.name.lower():
        return "\t"
    with opened(path) as file:
        header = next((line for line in file if line.strip()), "")
    return max(",;\t", key=header.count)


def columns(path: Path) -> dict[str, bool]:
    """Return the names of the columns; none of them holds lists."""
    return dict.fromkeys(_header(path), False)


def _header(path: Path) -> list[str]:
    with opened(path) as file:
        rows = csv.reader(file, delimiter=separator(path))
        return next((row for row in rows if any(row)), [])


def load(path: Path, wanted: Wanted) -> pl.DataFrame:
    """Read the wanted columns, once."""
    import polars as pl

    header = _header(path)
    for name in wanted.schema():
        if header.count(name) > 1:
            msg = (
                f"{header.count(name)} columns of {path.name} are called {name!r}. Rename all "
                "but one."
            )
            raise CurvesError(msg)
    # Few names on many rows: as categories they take a quarter of the memory of text.
    schema = wanted.schema() | dict.fromkeys(wanted.names, pl.Categorical())
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")  # polars only warns when it loses rows
            # Types are given, not guessed: a column of whole numbers may turn decimal on
            # row 1e6. What is no number becomes null, and is explained below.
            frame = pl.read_csv(
                path,
                separator=separator(path),
                columns=list(schema),
                schema_overrides=schema,
                ignore_errors=True,
                glob=False,
            )
    except pl.exceptions.PolarsError as error:
        raise CurvesError(_malformed(path, str(error))) from None
    if caught:
        raise CurvesError(_malformed(path, str(caught[0].message)))
    holes = frame.select(pl.any_horizontal(pl.all().is_null())).to_series()
    if holes.any():
        empty = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
        _explain(path, frame, holes & ~empty)
        frame = frame.filter(~empty)  # blank lines
    for name in wanted.names:
        if (
            frame[name]
            .unique()
            .cast(pl.String)
            .str.contains("\ufffd", literal=True)
            .any()
        ):
            msg = f"{path.name} is not text in UTF-8. Save it with that encoding."
            raise CurvesError(msg)
    return frame


def _malformed(path: Path, reason: str) -> str:
    first = reason.strip().splitlines()[0].rstrip(".")
    return f"{path.name} cannot be read: {first}. {_ragged(path)}"


def _ragged(path: Path) -> str:
    """Find the first row that is longer than the header."""
    with opened(path) as file:
        rows = csv.reader(file, delimiter=separator(path))
        width = len(next(rows, []))
        for row in rows:
            if len(row) > width:
                return (
                    f"Line {rows.line_num} has {len(row)} fields and the header {width}: put "
                    "quotes around cells that hold the separator."
                )
    return "Look for a quote that is opened and never closed."


def _explain(path: Path, frame: pl.DataFrame, holes: pl.Series) -> None:
    """Show the first cell that is no number; say nothing of cells that are empty."""
    row = holes.arg_max()
    if row is None or not holes.any():
        return
    header = _header(path)
    with opened(path) as file:
        rows = csv.reader(file, delimiter=separator(path))
        cells = next(islice(rows, row + 1, None), [])
        line = rows.line_num
    for column in frame.columns:
        place = header.index(column)
        text = cells[place] if place < len(cells) else ""
        if frame[column][row] is not None or text.strip().lower() in BLANKS:
            continue
        where = ", ".join(
            f"{other} {cells[header.index(other)]!r}"
            for other in frame.columns[:4]
            if other != column and header.index(other) < len(cells)
        )
        msg = (
            f"Line {line} of {path.name} has {text!r} in column {column!r}, which is not a "
            f"number ({where}); {counted(frame[column].null_count(), 'cell')} of that column "
            f"cannot be used. {_remedy(text)}"
        )
        raise CurvesError(msg)


def _remedy(text: str) -> str:
    if re.fullmatch(r"\s*[-+]?\d+,\d+\s*", text):
        return "Write decimals with a point, and numbers without thousands separators."
    if text != text.strip():
        return "Remove the spaces around numbers."
    return "Mend or drop such rows, or name another column."

"""CSV and TSV files."""

from __future__ import annotations

import csv
import gzip
import re
import warnings
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, TextIO

from curvewise.data.numbers import BLANK_CELLS
from curvewise.errors import CurvesError
from curvewise.readers.failures import quiet_panics
from curvewise.text import encodable, plural

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from curvewise.readers.tables.columns import ColumnsToRead

__all__ = ["by_name_or_content", "columns", "load", "open_text"]


def by_name_or_content(path: Path) -> Path | bytes:
    """Return what polars reads a file from: its name, or its content if the name is not UTF-8."""
    return path if encodable(str(path)) == str(path) else path.read_bytes()


def open_text(path: Path) -> TextIO:
    """Open a text file, unpacking it if its name ends in ``.gz``."""
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def separator(path: Path) -> str:
    """Return the tab for TSV, else what the header has most of: some files use ``;``."""
    if ".tsv" in path.name.lower():
        return "\t"
    return max(",;\t", key=_first_line(path).count)


def _first_line(path: Path) -> str:
    """Return the first line that is not blank, with its end."""
    with open_text(path) as file:
        return next((line for line in file if line.strip()), "")


def _line_end(path: Path) -> str:
    """Return what ends a line: a few programs still write carriage returns alone."""
    return "\r" if _first_line(path).endswith("\r") else "\n"


def columns(path: Path) -> dict[str, bool]:
    """Return the names of the columns; none of them holds lists."""
    return dict.fromkeys(_header(path), False)


def _header(path: Path) -> list[str]:
    with open_text(path) as file:
        rows = csv.reader(file, delimiter=separator(path))
        return next((row for row in rows if any(row)), [])


def load(path: Path, to_read: ColumnsToRead) -> pl.DataFrame:
    """Read columns; raise if a cell that should be a number is not."""
    import polars as pl

    n_called = Counter(_header(path))
    for name in to_read.schema():
        if n_called[name] > 1:
            msg = (
                f"{n_called[name]} columns of {path.name} are called {name!r}. Rename "
                "all but one of them."
            )
            raise CurvesError(msg)
    # Few names on many rows: as categories they take a quarter of the memory of text.
    schema = to_read.schema() | dict.fromkeys(to_read.names, pl.Categorical())
    is_whole = n_called.keys() == schema.keys()
    try:
        with quiet_panics(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")  # polars only warns when it loses rows
            frame = pl.read_csv(
                by_name_or_content(path),
                separator=separator(path),
                eol_char=_line_end(path),
                columns=None if is_whole else list(schema),
                # Types are given, not guessed: a column of whole numbers may turn decimal on
                # row 1e6. Cells that are not numbers become null, and are explained below.
                schema_overrides=schema,
                infer_schema=False,
                ignore_errors=True,
                glob=False,
            )
    except pl.exceptions.PolarsError as error:
        raise CurvesError(_malformed(path, str(error))) from None
    if caught:
        raise CurvesError(_malformed(path, str(caught[0].message)))
    if any(frame.null_count().row(0)):
        has_nulls = frame.select(pl.any_horizontal(pl.all().is_null())).to_series()
        is_blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
        _check_cells(path, frame, has_nulls & ~is_blank)
        frame = frame.filter(~is_blank)
    return frame


def _malformed(path: Path, reason: str) -> str:
    first = reason.strip().splitlines()[0].rstrip(".")
    first = re.sub(r" as dtype `\w+`", "", first)  # it is ours, not of the file
    return f"{path.name} cannot be read: {first}. {_line_advice(path)}"


def _line_advice(path: Path) -> str:
    """Name the first row that is longer than the header, if there is one."""
    with open_text(path) as file:
        rows = csv.reader(file, delimiter=separator(path))
        width = len(next(rows, []))
        for row in rows:
            if len(row) > width:
                return (
                    f"Line {rows.line_num} has {len(row)} fields and the header {width}: put "
                    "quotes around cells that contain the separator."
                )
    return "Look for a quote that is never closed."


def _check_cells(path: Path, frame: pl.DataFrame, has_nulls: pl.Series) -> None:
    """Raise if a row with nulls has a cell that is neither a number nor blank."""
    import polars as pl

    names = [name for name in frame.columns if frame[name].dtype.is_numeric()]
    try:
        with quiet_panics():
            texts = pl.read_csv(
                by_name_or_content(path),
                separator=separator(path),
                eol_char=_line_end(path),
                columns=frame.columns,
                infer_schema=False,
                glob=False,
            )
    except pl.exceptions.PolarsError as error:
        with open_text(path) as file:
            for _ in file:
                pass  # a byte that is no text is an error here
        raise CurvesError(_malformed(path, str(error))) from None
    wrong = {
        name: frame[name].is_null()
        & ~texts[name]
        .fill_null("")
        .str.strip_chars()
        .str.to_lowercase()
        .is_in(BLANK_CELLS)
        for name in names
    }
    of_rows = pl.DataFrame(wrong).select(pl.any_horizontal(pl.all())).to_series()
    row = (of_rows & has_nulls).arg_max()
    if row is None or not of_rows[row]:
        return
    header = _header(path)
    with open_text(path) as file:
        rows = csv.reader(file, delimiter=separator(path))
        cells = next(islice(rows, row + 1, None), [])
        line = rows.line_num
    column = next(name for name in names if wrong[name][row])
    text = str(texts[column][row])
    where = ", ".join(
        f"{other} {cells[header.index(other)]!r}"
        for other in frame.columns[:4]
        if other != column and header.index(other) < len(cells)
    )
    msg = (
        f"Line {line} of {path.name} has {text!r} in column {column!r}, which is not a "
        f"number ({where}); {plural(int(wrong[column].sum()), 'cell')} of this column "
        f"cannot be used. {_remedy(text)}"
    )
    raise CurvesError(msg)


def _remedy(text: str) -> str:
    if re.fullmatch(r"\s*[-+]?\d+,\d+\s*", text):
        return "Write decimals with a point, and numbers without thousands separators."
    if text != text.strip():
        return "Remove the spaces around numbers."
    return "Fix or drop these rows, or name another column."

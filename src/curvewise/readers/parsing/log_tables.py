"""Tables that a training run writes row by row: cells may be empty, the last line cut."""

from __future__ import annotations

import csv
import io
import re
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.failures import quiet_panics
from curvewise.readers.parsing.binary_tables import (
    columns_of_binary,
    is_binary_table,
    read_binary_table,
)
from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import polars as pl

    from curvewise.kernels import Floats, Integers
    from curvewise.readers.folders import File

__all__ = [
    "LogTable",
    "cells_of",
    "has_rows",
    "header_of",
    "is_number",
    "read_log_table",
    "separator_of",
]

# Cells without a value; "nan" is one that was logged.
EMPTY_CELLS = ("", "none", "null", "n/a", "na", "-")
MAX_COMMENTS = 1_000  # lines before the header
CUT_LINE = "the last line of {name} is cut and was left out"


@dataclass(frozen=True)
class LogTable:
    """Columns of a table, as text.

    Attributes
    ----------
    frame : polars.DataFrame
        One column of text per column read; names without spaces around them.
    notes : list of str
        What was left out, in a sentence each.
    sessions : array of int, (n_rows,), optional
        Which session wrote a row, where the header is written again for each.
    """

    frame: pl.DataFrame
    notes: list[str] = field(default_factory=list)
    sessions: Integers | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.frame.height

    @property
    def columns(self) -> list[str]:
        """The names of the columns that were read."""
        return self.frame.columns

    @cached_property
    def _plain(self) -> dict[str, tuple[Floats, npt.NDArray[np.bool_]]]:
        """The columns of nothing but numbers and holes; all at once, as there may be many."""
        import polars as pl

        found = self.frame.select(pl.all().cast(pl.Float64, strict=False))
        is_plain = [
            before == after
            for before, after in zip(
                self.frame.null_count().row(0), found.null_count().row(0), strict=True
            )
        ]
        values = found.fill_null(np.nan).to_numpy()
        present = found.select(pl.all().is_not_null()).to_numpy()
        return {
            column: (values[:, place], present[:, place])
            for place, column in enumerate(self.columns)
            if is_plain[place]
        }

    def numbers(self, column: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return a column as numbers, and which of its cells hold one.

        A cell with "nan" or "inf" holds a number, an empty cell none.
        """
        import polars as pl

        if column in self._plain:
            return self._plain[column]
        text = self.frame[column].str.strip_chars().str.to_lowercase()
        values = text.cast(pl.Float64, strict=False)
        present = values.is_not_null() & ~text.is_in(EMPTY_CELLS)
        return values.fill_null(np.nan).to_numpy(), present.to_numpy()

    def n_words(self, column: str) -> int:
        """Return how many cells of a column hold something that is no number."""
        if column in self._plain:
            return 0
        text = self.frame[column].fill_null("").str.strip_chars().str.to_lowercase()
        is_empty = text.is_in(EMPTY_CELLS)
        return int((~is_empty).sum()) - int(self.numbers(column)[1].sum())

    def texts(self, column: str) -> list[str]:
        """Return a column as text, without spaces around it."""
        return [text.strip() for text in self.frame[column].fill_null("").to_list()]


def separator_of(file: File) -> str:
    """Return what separates the cells of a table, as its first line tells."""
    return _separator(_header_line(file))


def _separator(line: str) -> str:
    """Return what separates the cells of a line; a space only where nothing else does."""
    found = max("\t,;|", key=line.count)
    return found if found in line or " " not in line.strip() else " "


def header_of(file: File) -> list[str]:
    """Return the names of the columns, without spaces around them.

    A first line that begins with ``#`` is passed over, unless numbers follow it: then it is
    the header, as NumPy writes it.
    """
    if is_binary_table(file):
        return columns_of_binary(file)
    line = _header_line(file)
    return [name.strip() for name in cells_of(line, _separator(line))]


def has_rows(file: File) -> bool:
    """Whether what follows the header are rows of it: as many cells, a number among them.

    Text of another kind, such as a command line or a page of notes, may begin with the names of
    columns. A header alone is one unless it could be a sentence.
    """
    header = _header_line(file)
    separator = _separator(header)
    text, _, _ = file.head().decode("utf-8-sig", errors="replace").rpartition("\n")
    lines = (line for line in text.splitlines() if line.strip() and line[0] != "#")
    first = next((line for line in lines if line.strip() != header.strip()), None)
    if first is None:
        return separator != " "
    cells = cells_of(first, separator)
    return len(cells) == len(cells_of(header, separator)) and any(map(is_number, cells))


def cells_of(line: str, separator: str) -> list[str]:
    """Return the cells of a line; quotes around a cell are taken off.

    >>> cells_of('1,"a,b",', ","), cells_of("  epoch   loss", " ")
    (['1', 'a,b', ''], ['epoch', 'loss'])
    """
    if separator == " ":
        return line.split()
    if '"' not in line:
        return line.split(separator) if line else []
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:  # quotes that do not close, by damage
        return line.split(separator)


def _header_line(file: File) -> str:
    """Return the first line that is neither blank nor a comment, however long it is."""
    comment = ""
    for line in file.first_lines(MAX_COMMENTS):
        text = line.decode("utf-8-sig", errors="replace").strip("\r\n").partition("\r")[0]
        if not text.strip():
            continue
        if not text.startswith("#"):
            separator = _separator(text)
            cells, names = cells_of(text, separator), cells_of(comment, separator)
            is_header = (
                bool(comment)
                and _separator(comment) == separator
                and len(names) == len(cells)
                and _are_numbers(cells)
            )
            return comment if is_header else text
        comment = text.lstrip("# ")
    return ""


def _are_numbers(cells: list[str]) -> bool:
    """Whether all cells are numbers."""
    return all(map(is_number, cells))


def is_number(cell: str) -> bool:
    """Whether a cell holds a number.

    >>> is_number(" 1e3"), is_number("nan"), is_number("a"), is_number("")
    (True, True, False, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return True


def read_log_table(
    file: File, columns: Sequence[str] | None = None, *, is_finished: bool = False
) -> LogTable:
    """Read columns of a table, all by default, as text.

    A last line without a newline is left out, unless the table ``is_finished`` and the line has
    all its cells, and so are lines that repeat the header and lines with more cells than the
    header. Of columns with the same name the first is read. Raises CurvesError if the file is no
    table.
    """
    import polars as pl

    if is_binary_table(file):
        return _as_log_table(read_binary_table(file), columns)
    header = header_of(file)
    unique = list(dict.fromkeys(header))
    asked = set(unique if columns is None else columns)
    wanted = [name for name in unique if name in asked]
    first_place = {name: place for place, name in reversed([*enumerate(header)])}
    places = [first_place[name] for name in wanted]
    separator = separator_of(file)
    data, is_cut = file.content()
    if b"\n" not in data:  # a few programs end lines with carriage returns alone
        data = data.replace(b"\r", b"\n")
    notes = []
    if is_cut or (data and not data.endswith((b"\n", b"\r"))):
        end = data.rfind(b"\n") + 1
        last = data[end:].decode("utf-8", errors="replace")
        n_cells = len(cells_of(last, separator))
        if is_finished and not is_cut and n_cells >= len(header):
            data += b"\n"
        else:
            data = data[:end]
            notes.append(CUT_LINE.format(name=file.path.name))
    # Our own names for the columns: theirs may repeat. One more column shows lines that are
    # too long, and the first column, with one other, those that repeat the header.
    names = [f"column_{place}" for place in range(len(header) + 1)]
    start = _start_of_rows(data, has_header=bool(header))
    rows = data[start:]
    if separator == " ":  # columns may be lined up by several spaces
        rows = re.sub(rb"(?m)^ +| +(?=[ \r\n])", b"", rows)
    try:
        with quiet_panics(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # lines that are longer still
            frame = pl.read_csv(
                io.BytesIO(f"{separator.join(names)}\n".encode() + rows),
                separator=separator,
                infer_schema=False,
                columns=sorted({0, min(1, len(header)), *places, len(header)}),
                truncate_ragged_lines=True,
                encoding="utf8-lossy",
            )
    except pl.exceptions.PolarsError as error:
        lines = str(error).strip().splitlines()
        msg = f"{file.path.name} cannot be read as a table ({lines[0] if lines else error})."
        raise CurvesError(msg) from None
    is_header = _repeats(frame, dict(zip(names, header, strict=False)))
    is_long = frame[names[-1]].fill_null("").str.strip_chars() != ""
    n_long = int((is_long & ~is_header).sum())
    if n_long:
        notes.append(
            f"{plural(n_long, 'line')} of {file.path.name} with more cells than the header "
            f"{'was' if n_long == 1 else 'were'} left out"
        )
    kept = ~(is_header | is_long)
    sessions = is_header.cast(pl.Int64).cum_sum().filter(kept).to_numpy()
    frame = frame.filter(kept).select(
        pl.col(names[place]).alias(name)
        for place, name in zip(places, wanted, strict=True)
    )
    return LogTable(frame, notes, sessions if is_header.any() else None)


def _repeats(frame: pl.DataFrame, header: dict[str, str]) -> pl.Series:
    """Tell which rows repeat the header: its first name, and some other.

    One of them alone may be the name of an algorithm.
    """
    import polars as pl

    alike = [
        pl.col(column).fill_null("").str.strip_chars() == header[column].strip()
        for column in frame.columns
        if header.get(column)
    ]
    if not alike:
        return pl.repeat(value=False, n=frame.height, eager=True)
    first, *others = alike
    found = first & pl.any_horizontal(others) if others else first
    return frame.select(found.alias("repeats")).to_series()


def _as_log_table(frame: pl.DataFrame, columns: Sequence[str] | None) -> LogTable:
    """Return columns of a frame as text, those of lists and the like left out."""
    import polars as pl

    wanted = [
        name
        for name, kind in frame.schema.items()
        if (columns is None or name in columns) and not kind.is_nested()
    ]
    return LogTable(frame.select(pl.col(wanted).cast(pl.String, strict=False)))


def _start_of_rows(data: bytes, *, has_header: bool) -> int:
    """Return where the rows begin: behind blank lines, comments and the header."""
    start = 0
    for line in io.BytesIO(data):
        start += len(line)
        if not line.strip() or line.startswith(b"#"):
            continue
        text = line.decode("utf-8-sig", errors="replace").strip("\r\n")
        is_row = not has_header or _are_numbers(cells_of(text, _separator(text)))
        return start - len(line) if is_row else start
    return start

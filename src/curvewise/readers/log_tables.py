"""Tables that a training run writes row by row: cells may be empty, the last line cut."""

from __future__ import annotations

import csv
import io
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import CurvesError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import polars as pl

    from curvewise.kernels import Floats
    from curvewise.readers.folders import File

__all__ = ["LogTable", "header_of", "read_log_table", "separator_of"]

# Cells without a value; "nan" is one that was logged.
EMPTY_CELLS = ("", "none", "null", "n/a", "na", "-")
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
    """

    frame: pl.DataFrame
    notes: list[str] = field(default_factory=list)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that were read."""
        return self.frame.columns

    def numbers(self, column: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return a column as numbers, and which of its cells hold one.

        A cell with "nan" or "inf" holds a number, an empty cell none.
        """
        import polars as pl

        text = self.frame[column].str.strip_chars().str.to_lowercase()
        values = text.cast(pl.Float64, strict=False)
        present = values.is_not_null() & ~text.is_in(EMPTY_CELLS)
        return values.fill_null(np.nan).to_numpy(), present.to_numpy()

    def texts(self, column: str) -> list[str]:
        """Return a column as text, without spaces around it."""
        return [text.strip() for text in self.frame[column].fill_null("").to_list()]


def separator_of(file: File) -> str:
    """Return what separates the cells of a table, as its first line tells."""
    line = _header_line(file)
    return max("\t,;", key=line.count)


def header_of(file: File) -> list[str]:
    """Return the names of the columns, without spaces around them.

    A first line that begins with ``#`` is passed over.
    """
    line = _header_line(file)
    row: list[str] = next(csv.reader([line], delimiter=separator_of(file)), [])
    return [name.strip() for name in row]


def _header_line(file: File) -> str:
    """Return the first line that is neither blank nor a comment, however long it is."""
    for line, _ in file.lines():
        text = line.decode("utf-8-sig", errors="replace").strip("\r\n")
        if text.strip() and not text.startswith("#"):
            return text
    return ""


def read_log_table(file: File, columns: Sequence[str] | None = None) -> LogTable:
    """Read columns of a table, all by default, as text.

    A last line without a newline is left out, and so are lines that repeat the header. Of
    columns with the same name the first is read. Raises CurvesError if the file is no table.
    """
    import polars as pl

    header = header_of(file)
    unique = list(dict.fromkeys(header))
    wanted = [name for name in unique if columns is None or name in set(columns)]
    places = [header.index(name) for name in wanted]
    data, is_cut = file.content()
    notes = []
    if is_cut or (data and not data.endswith((b"\n", b"\r"))):
        data = data[: data.rfind(b"\n") + 1]
        notes.append(CUT_LINE.format(name=file.path.name))
    skip = _lines_before_header(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rows that are too long are handled below
            frame = pl.read_csv(
                io.BytesIO(data),
                has_header=False,
                skip_rows=skip + 1,
                separator=separator_of(file),
                infer_schema=False,
                schema={f"column_{k}": pl.String for k in range(len(header))},
                columns=places,
                truncate_ragged_lines=True,
                raise_if_empty=False,
                encoding="utf8-lossy",
            )
    except pl.exceptions.PolarsError as error:
        lines = str(error).strip().splitlines()
        msg = f"{file.path.name} cannot be read as a table ({lines[0] if lines else error})."
        raise CurvesError(msg) from None
    frame = frame.rename(
        {f"column_{place}": name for place, name in zip(places, wanted, strict=True)}
    )
    if frame.width and frame.height:
        first = frame.columns[0]
        frame = frame.filter(frame[first].fill_null("").str.strip_chars() != first)
    return LogTable(frame, notes)


def _lines_before_header(data: bytes) -> int:
    """Return how many blank lines and comments come before the header."""
    count = 0
    for line in io.BytesIO(data):
        if line.strip() and not line.startswith(b"#"):
            break
        count += 1
    return count

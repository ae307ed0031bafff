"""Tables that a training run writes row by row, as text or by columns (Parquet, Feather)."""

from __future__ import annotations

import csv
import io
import re
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import CurvesError, refuse
from curvewise.readers.walk import explained, quiet_panics
from curvewise.text import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.readers.walk import File


# Tables that are stored by columns, not as text: Parquet, and Feather, the files of Arrow.

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

    schema = pl.read_parquet_schema if file.head().startswith(PARQUET) else pl.read_ipc_schema
    try:
        with explained(file.path, "a table"), file.open() as stream, quiet_panics():
            return [name for name in schema(stream) if not name.startswith(INDEX)]
    except CurvesError:
        return []


def read_binary_table(file: File) -> pl.DataFrame:
    """Read all columns; raise CurvesError if the file is damaged."""
    import polars as pl

    is_parquet = file.head().startswith(PARQUET)
    kind, read = ("Parquet", pl.read_parquet) if is_parquet else ("Feather", pl.read_ipc)
    with explained(file.path, kind), file.open() as stream, quiet_panics():
        frame = read(stream)
    return frame.drop([name for name in frame.columns if name.startswith(INDEX)])


# Tables that a training run writes row by row: cells may be empty, the last line cut.

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
    def _plain(self) -> dict[str, tuple[Floats, Booleans]]:
        """The columns of nothing but numbers and holes; all at once, as there may be many."""
        import polars as pl

        found = self.frame.select(pl.all().cast(pl.Float64, strict=False))
        n_empty = self.frame.null_count().row(0), found.null_count().row(0)
        values = found.fill_null(np.nan).to_numpy().T
        present = found.select(pl.all().is_not_null()).to_numpy().T
        every = zip(self.columns, zip(values, present, strict=True), *n_empty, strict=True)
        return {column: cells for column, cells, before, after in every if before == after}

    def numbers(self, column: str) -> tuple[Floats, Booleans]:
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


def lines_left_out(numbers: Sequence[int], name: str, why: str) -> str:
    """Say which lines of a file were left out, and why.

    >>> lines_left_out([4], "log.csv", "damaged"), lines_left_out([1, 3], "a", "cut")
    ('line 4 of log.csv was left out (damaged)', 'lines 1 and 3 of a were left out (cut)')
    """
    which = listed([str(number) for number in numbers], most=5)
    line, were = ("line", "was") if len(numbers) == 1 else ("lines", "were")
    return f"{line} {which} of {name} {were} left out ({why})"


def whole_lines(file: File, notes: list[str], name: str = "") -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are whole with their numbers; note a last one that is cut."""
    for number, (line, is_whole) in enumerate(file.lines(), start=1):
        if is_whole:
            yield number, line
        else:
            notes.append(CUT_LINE.format(name=name or file.path.name))


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
    lines = head_lines(file)
    first = next((line for line in lines if line.strip() != header.strip()), None)
    if first is None:
        return separator != " "
    cells = cells_of(first, separator)
    return len(cells) == len(cells_of(header, separator)) and any(map(is_number, cells))


def head_lines(file: File) -> list[str]:
    """Return the whole lines in the first bytes of a file that are neither blank nor comments."""
    text, _, _ = file.head().decode("utf-8-sig", errors="replace").rpartition("\n")
    return [line for line in text.splitlines() if line.strip() and line[0] != "#"]


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
            is_header = _separator(comment) == separator and len(names) == len(cells)
            return comment if comment and is_header and all(map(is_number, cells)) else text
        comment = text.lstrip("# ")
    return ""


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
    file: File, is_kept: Callable[[str], bool] = lambda _: True, *, is_finished: bool = False
) -> LogTable:
    """Read columns of a table, of which only some are kept, as text.

    A last line without a newline is left out, unless the table ``is_finished`` and the line has
    all its cells, and so are lines that repeat the header and lines with more or fewer cells than
    it, save those of columns without a name at its end. Of columns with the same name the first is read. Raises CurvesError if the file is no
    table.
    """
    import polars as pl

    if is_binary_table(file):  # columns of lists and the like are left out
        frame = read_binary_table(file)
        flat = [name for name, kind in frame.schema.items() if not kind.is_nested()]
        return LogTable(
            frame.select(pl.col([*filter(is_kept, flat)]).cast(pl.String, strict=False))
        )
    header = header_of(file)
    first = {name: place for place, name in reversed([*enumerate(header)])}
    wanted = {name: first[name] for name in header if is_kept(name)}
    separator = separator_of(file)
    data, is_cut = file.content()
    if b"\r" in data:  # a few programs end lines with carriage returns alone
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
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
    # too long, the last column with a name those that are too short, and the first column,
    # with one other, those that repeat the header.
    least = max((place for place, name in enumerate(header, 1) if name), default=1)
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
                columns=sorted({0, min(1, len(header)), *wanted.values(), least - 1, len(header)}),
                truncate_ragged_lines=True,
                encoding="utf8-lossy",
            )
    except pl.exceptions.PolarsError as error:
        lines = str(error).strip().splitlines()
        refuse(f"{file.path.name} cannot be read as a table ({lines[0] if lines else error}).")
    is_header = _repeats(frame, dict(zip(names, header, strict=False)))
    is_long = frame[names[-1]].fill_null("").str.strip_chars() != ""
    is_odd = is_long | _is_short(frame[names[least - 1]], rows, separator, least)
    odd = (is_odd & ~is_header).arg_true() + data.count(b"\n", 0, start) + 1
    if len(odd):
        why = "not as many cells as the header"
        notes.append(lines_left_out(odd.to_list(), file.path.name, why))
    kept = ~(is_header | is_odd)
    sessions = is_header.cast(pl.Int64).cum_sum().filter(kept).to_numpy()
    frame = frame.filter(kept).select(
        pl.col(names[place]).alias(name) for name, place in wanted.items()
    )
    return LogTable(frame, notes, sessions if is_header.any() else None)


def _is_short(last: pl.Series, rows: bytes, separator: str, least: int) -> pl.Series:
    """Tell which rows have fewer cells than they need, of those that lack the last of them.

    Nothing is told where line breaks in cells hide which line a row is.
    """
    import polars as pl

    if not last.null_count() or rows.count(b"\n") != len(last):
        return pl.repeat(value=False, n=len(last), eager=True)
    lines = rows.decode("utf-8", errors="replace").split("\n")
    found = [
        is_missing and bool(line.strip()) and len(cells_of(line, separator)) < least
        for is_missing, line in zip(last.is_null(), lines, strict=False)
    ]
    return pl.Series(found, dtype=pl.Boolean)


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


def _start_of_rows(data: bytes, *, has_header: bool) -> int:
    """Return where the rows begin: behind blank lines, comments and the header."""
    start = 0
    for line in io.BytesIO(data):
        start += len(line)
        if not line.strip() or line.startswith(b"#"):
            continue
        text = line.decode("utf-8-sig", errors="replace").strip("\r\n")
        is_row = not has_header or all(map(is_number, cells_of(text, _separator(text))))
        return start - len(line) if is_row else start
    return start

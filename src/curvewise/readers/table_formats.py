"""Formats of tables and arrays: CSV, TSV, Parquet, JSON lines, NPZ."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import stat
import warnings
import zipfile
from collections import Counter
from functools import partial
from itertools import compress, islice
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO

import numpy as np

from curvewise.data.curves import Display, Unaligned, increasing_steps, precision_of, score_matrices
from curvewise.data.tables import BLANK_CELLS, PLAIN_NUMBERS, WideTable, check_points, number_of
from curvewise.errors import CurvesError, refuse
from curvewise.readers.parsing.files import read_archive
from curvewise.readers.walk import File, explained, quiet_panics
from curvewise.text import encodable, in_python, plural, shown_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    import polars as pl

    from curvewise.data.tables import Selection
    from curvewise.kernels import Floats
    from curvewise.readers.tables import ColumnsToRead


N_SHUFFLES = 1_999
MIN_ROWS = 5
# Rows beyond these change nothing.
MAX_ROWS = 500
# Rows are taken for steps when chance brings an order so smooth this rarely, and columns, or
# rows, are in no order when it does so more often. Runs are in no order, so of arrays that lie
# right at most one in a thousand is suspected, and none whose scores change along the steps.
MAX_P_STEPS_IN_ROWS = 0.001
MIN_P_IN_NONE = 0.01

Orientation = Literal["runs × steps", "steps × runs"]


def orientation(arrays: Collection[Floats]) -> Orientation | None:
    """Tell from scores whether rows are runs and columns steps, or the other way round.

    The rows are shuffled: runs can be told in any order, but steps that are out of order are
    farther apart than neighbours. The same is done to columns. None if neither is in an order,
    or both are, or scores are not finite. Fewer than five rows are not taken for steps.

    Parameters
    ----------
    arrays : collection of array, (n_rows, n_columns)
        One per algorithm, all of the same orientation.
    """
    tables = [np.asarray(array, dtype=np.float64) for array in arrays if min(array.shape) > 1]
    finite = [table for table in tables if np.isfinite(table).all()]
    if not finite:
        return None
    rows, columns = _p_in_order(finite), _p_in_order([array.T for array in finite])
    if columns > MIN_P_IN_NONE:
        n_rows = max(len(array) for array in finite)
        is_in_order = rows <= MAX_P_STEPS_IN_ROWS and n_rows >= MIN_ROWS
        return "steps × runs" if is_in_order else None
    return "runs × steps" if rows > MIN_P_IN_NONE else None


def _p_in_order(arrays: list[Floats]) -> float:
    """Return the share of orders of the rows whose neighbours are as close as they are."""
    rng = np.random.default_rng(0)
    observed, shuffled = 0.0, np.zeros(N_SHUFFLES)
    for array in arrays:
        largest = np.abs(array).max()
        rows = array[:MAX_ROWS] / (largest or 1.0)  # squares of very large scores overflow
        rows = rows - rows.mean(axis=0)
        products = rows @ rows.T
        sizes = np.diag(products)
        if sizes.sum() == 0:
            continue
        distances = (sizes[:, None] + sizes - 2 * products) / sizes.sum()
        order = np.arange(len(rows))
        orders = rng.permuted(np.tile(order, (N_SHUFFLES, 1)), axis=1)
        observed += distances[order[:-1], order[1:]].sum()
        shuffled += distances[orders[:, :-1], orders[:, 1:]].sum(axis=1)
    n_as_close = np.count_nonzero(shuffled <= observed * (1 + 1e-9) + 1e-12)
    return float((1 + n_as_close) / (1 + N_SHUFFLES))


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


def csv_columns(path: Path) -> dict[str, bool]:
    """Return the names of the columns; none of them holds lists."""
    return dict.fromkeys(_header(path), False)


def _header(path: Path) -> list[str]:
    with open_text(path) as file:
        rows = csv.reader(file, delimiter=separator(path))
        return next((row for row in rows if any(row)), [])


def load_csv(path: Path, to_read: ColumnsToRead) -> pl.DataFrame:
    """Read columns; raise if a line is cut, or a cell that should be a number is not."""
    import polars as pl

    header = _header(path)
    n_called = Counter(header)
    for name in to_read.schema():
        if n_called[name] > 1:
            columns = f"{n_called[name]} columns of {path.name} are called {name!r}"
            refuse(f"{columns}. Rename all but one of them.")
    # Few names on many rows: as categories they take a quarter of the memory of text.
    schema = to_read.schema() | dict.fromkeys(to_read.names, pl.Categorical())
    last = next((name for name in reversed(header) if name), "")
    try:
        with quiet_panics(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")  # polars only warns when it loses rows
            # Whatever a line that is cut has, it lacks the last column.
            frame = _read(path, {last: pl.String(), **schema})
    except pl.exceptions.PolarsError as error:
        refuse(_malformed(path, str(error)))
    if caught:
        refuse(_malformed(path, str(caught[0].message)))
    if frame[last].null_count() and (odd := _odd_line(path)):
        refuse(odd)
    frame = frame.select(list(schema))
    if any(frame.null_count().row(0)):
        has_nulls = frame.select(pl.any_horizontal(pl.all().is_null())).to_series()
        is_blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
        _check_cells(path, frame, has_nulls & ~is_blank)
        frame = frame.filter(~is_blank)
    # Numbers of a wide table are all scores.
    measures = to_read.numbers
    for names in [measures] if len(measures) > 2 else [[name] for name in measures]:
        check_points(
            frame.select(pl.col(names).fill_null(np.nan)).to_numpy().ravel(),
            partial(_texts, path, names),
            f"Column {names[0]!r} of {path.name}",
        )
    return frame


def _read(path: Path, types: dict[str, pl.DataType]) -> pl.DataFrame:
    """Read columns; where a number should be and is none they have null.

    Types are given, not guessed: a column of whole numbers may turn decimal on row 1e6.
    """
    import polars as pl

    read = partial(
        pl.read_csv,
        by_name_or_content(path),
        separator=separator(path),
        # A few programs still write carriage returns alone.
        eol_char="\r" if _first_line(path).endswith("\r") else "\n",
        infer_schema=False,
        ignore_errors=True,
        glob=False,
    )
    # Polars does not take two quotes in a name for one.
    columns = read(n_rows=0).columns
    theirs = dict(zip(_header(path), columns, strict=False))
    own = {theirs[name]: name for name in types}
    frame = read(
        columns=None if len(own) == len(columns) else list(own),
        schema_overrides={column: types[name] for column, name in own.items()},
    )
    return frame.rename(own)


def _texts(path: Path, names: list[str]) -> set[str | None]:
    """Return what is written in some columns."""
    import polars as pl

    frame = _read(path, dict.fromkeys(names, pl.String()))
    return {text for column in frame for text in column.unique()}


def _malformed(path: Path, reason: str) -> str:
    first = reason.strip().splitlines()[0].rstrip(".")
    first = re.sub(r" as dtype `\w+`", "", first)  # it is ours, not of the file
    advice = _odd_line(path) or "Look for a quote that is never closed."
    return f"{path.name} cannot be read: {first}. {advice}"


def _odd_line(path: Path) -> str:
    """Name the first line that is longer or shorter than the header, if there is one.

    Lines may lack the cells of columns without a name at the end.
    """
    with open_text(path) as file:
        rows = csv.reader(file, delimiter=separator(path))
        header = next((row for row in rows if any(row)), [])
        least = max((place for place, name in enumerate(header, 1) if name), default=0)
        for row in rows:
            found = f"Line {rows.line_num} of {path.name} has {plural(len(row), 'field')} and the header {len(header)}"
            if len(row) > len(header):
                return f"{found}: put quotes around cells that contain the separator, or end lines that run into each other."
            text = "".join(row).strip()
            if len(row) < least and text and "\n" not in text:
                return f"{found}: it is cut, or still being written. Mend or delete it."
    return ""


def _check_cells(path: Path, frame: pl.DataFrame, has_nulls: pl.Series) -> None:
    """Raise if a row with nulls has a cell that is neither a number nor blank."""
    import polars as pl

    names = [name for name in frame.columns if frame[name].dtype.is_numeric()]
    try:
        with quiet_panics():
            texts = _read(path, dict.fromkeys(frame.columns, pl.String()))
    except pl.exceptions.PolarsError as error:
        with open_text(path) as file:
            for _ in file:
                pass  # a byte that is no text is an error here
        refuse(_malformed(path, str(error)))
    wrong = {
        name: frame[name].is_null()
        & ~texts[name].fill_null("").str.strip_chars().str.to_lowercase().is_in(BLANK_CELLS)
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
    refuse(
        f"Line {line} of {path.name} has {text!r} in column {column!r}, which is not a "
        f"number ({where}); {plural(int(wrong[column].sum()), 'cell')} of this column "
        f"cannot be used. {_remedy(text)}"
    )


def _remedy(text: str) -> str:
    if text != text.strip():
        return "Remove the spaces around numbers."
    if re.match(r"[-+(]?\d", text):
        return PLAIN_NUMBERS
    return "Fix or drop these rows, leave cells without a score empty, or name another column."


def parquet_columns(path: Path) -> dict[str, bool]:
    """Return the columns, and whether they hold lists."""
    import polars as pl

    with path.open("rb") as file, quiet_panics():
        schema = pl.read_parquet_schema(file)
    return {name: isinstance(dtype, pl.List | pl.Array) for name, dtype in schema.items()}


def load_parquet(path: Path, to_read: ColumnsToRead) -> pl.DataFrame:
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


# Lines that are searched for keys.
N_LINES_SEARCHED = 1_000
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def json_columns(path: Path) -> dict[str, bool]:
    """Return the keys of the first thousand lines, and whether they hold lists."""
    found: dict[str, bool] = {}
    for _, row in islice(_rows(path), N_LINES_SEARCHED):
        for key, value in row.items():
            found[key] = found.get(key, False) or isinstance(value, list)
    if not found:
        refuse(f"{path.name} is empty: it needs a JSON object on each line.")
    return found


def load_json(path: Path, to_read: ColumnsToRead) -> pl.DataFrame:
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
                refuse(
                    f"Line {number} of {path.name} has {shown_value(value)} under {name!r}, "
                    "where others have lists. Write a list on each line."
                )
            values.append(_text(value) if name in to_read.names else _cell(value))
    kinds = dict.fromkeys(to_read.names, pl.String)
    columns = [pl.Series(k, own, kinds.get(k), strict=False) for k, own in table.items()]
    return pl.DataFrame(columns)


def _has_surrogates(path: Path) -> bool:
    """Whether a text has halves of characters, which polars takes for nothing."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return SURROGATE.search(content) is not None


def _text(value: object) -> str | None:
    """Return a value as a name; a list or an object as it is written in JSON."""
    if value is None or isinstance(value, str):
        return value and encodable(value)
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
            row, problem = None, "is not a JSON object in braces."
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                problem = f"is not JSON ({error.msg}); each line must be an object."
            except ValueError:  # which Python does not read as a number
                digits = "has a number of thousands of digits, which no score or step has"
                problem = f"{digits}. Write the file again."
            except RecursionError:
                problem = "is nested too deeply."
            if not isinstance(row, dict):
                refuse(f"Line {number} of {path.name} {problem}")
            yield number, row


# Archives of one run or one model each, whose arrays are not those of algorithms.
OF_ONE_RUN = {
    ("timesteps", "results"): "evaluations of one run by stable-baselines3 (steps × episodes)",
    ("test_scores", "train_scores"): "learning curves of one model by scikit-learn "
    "(training sizes × folds)",
}
TRANSPOSED = (
    "{name} seems to hold steps × runs, not runs × steps: its rows follow one another as steps "
    "do, and its columns are in no order. Save the transpose (array.T). If its rows are runs, "
    "save a table with a row per run and step instead{in_python}."
)
MIN_SQUARE = 3  # two runs of two algorithms can never differ significantly, either way round
SQUARE = (
    "{name} has as many rows as columns, {n} of each, and the scores do not tell which are runs "
    "and which are steps: scikit-learn's learning_curve, for one, returns steps × runs. Save a "
    "table with a row per run and step instead{in_python}."
)


def read_arrays(path: Path, selection: Selection) -> Unaligned:
    """Read an archive written by `numpy.savez`; the array ``steps`` holds the steps.

    Raises CurvesError if the arrays are not those of algorithms, or look transposed.
    """
    if any(selection.columns):
        refuse(
            f"{path.name} has no columns to name: an NPZ archive holds one runs × steps "
            "array per algorithm. Leave the column names out."
        )
    with explained(path, "NPZ"):
        if not zipfile.is_zipfile(path):
            refuse(f"{path.name} is not an NPZ archive. Write it with numpy.savez.")
        arrays = read_archive(File(path))
    for keys, what in OF_ONE_RUN.items():
        if arrays.keys() >= set(keys):
            refuse(
                f"{path.name} holds {what}, not an array per algorithm. Name the folder with "
                "all such files."
            )
    steps = arrays.pop("steps", None)
    if not arrays:
        refuse(f"{path.name} holds no curves. Store one runs × steps array per algorithm.")
    check_orientation(path.name, arrays, steps)
    source = f"{path.name}: one array per algorithm{selection.direction}"
    table = _table(arrays, steps, selection)
    return Unaligned(table, selection, source, Display(everyone=tuple(arrays)))


def check_orientation(
    name: str, arrays: Mapping[str, np.ndarray[Any, Any]], steps: np.ndarray[Any, Any] | None = None
) -> None:
    """Raise CurvesError if arrays are steps × runs, or may be, as shapes and scores tell.

    Parameters
    ----------
    name : str
        The name of the file, for the message.
    arrays : mapping from algorithm to array
        Those that are not numbers in two dimensions are passed over.
    steps : array, optional
    """
    tables = [array for array in arrays.values() if array.ndim == 2 and array.dtype.kind in "fiu"]
    if steps is not None and tables:
        shapes = {array.shape for array in tables}
        if all(rows == steps.size != columns for rows, columns in shapes):
            refuse(
                f"{name} has a row per step ({steps.size} of each) and needs a row per run: "
                "runs × steps. Save the transpose of each array (array.T)."
            )
    found = orientation(tables)
    way_out = in_python(", or use `Curves.from_dict` with rows='runs'")
    if found == "steps × runs":
        refuse(TRANSPOSED.format(name=name, in_python=way_out))
    sizes = {size for array in tables for size in array.shape}
    if found is None and len(sizes) == 1 and min(sizes) >= MIN_SQUARE:
        refuse(SQUARE.format(name=name, n=min(sizes), in_python=way_out))


def _table(
    arrays: dict[str, np.ndarray[Any, Any]],
    steps: np.ndarray[Any, Any] | None,
    selection: Selection,
) -> WideTable:
    """Return the runs of the algorithms to keep, at the steps to keep."""
    matrices = score_matrices(arrays)
    kept = [*compress(matrices, selection.keeps_algorithms([*matrices]))]
    every = increasing_steps(steps, next(iter(matrices.values())).shape[1])
    inside = np.flatnonzero(selection.keeps_steps(every))
    return WideTable(
        np.vstack([matrices[name] for name in kept])[:, inside],
        every[inside],
        [name for name in kept for _ in matrices[name]],
        None,
        None,
        precision=max(precision_of(arrays[name]) for name in kept),
    )


class Format(NamedTuple):
    """A format of files.

    Attributes
    ----------
    name : str
        What users call it.
    endings : tuple of str
        How names of such files end, in lower case.
    load : function
        Takes the path and the columns to read, and returns a frame of polars; of what is no table
        takes the path and the selection, and returns the runs.
    columns : function, optional
        Takes the path, and returns the name of each column, and whether it holds lists; None for
        what is no table.
    """

    name: str
    endings: tuple[str, ...]
    load: Any
    columns: Any = None


FORMATS = (
    Format("CSV", (".csv", ".csv.gz"), load_csv, csv_columns),
    Format("TSV", (".tsv", ".tsv.gz"), load_csv, csv_columns),
    Format("Parquet", (".parquet", ".pq"), load_parquet, parquet_columns),
    Format("JSON lines", (".jsonl", ".ndjson"), load_json, json_columns),
    Format("NPZ", (".npz",), read_arrays),
)


def format_by_name(path: Path) -> Format | None:
    """Return the format of a table or of arrays by the name of the file, if it is one."""
    name = path.name.lower()
    return next((known for known in FORMATS if name.endswith(known.endings)), None)


def format_of(path: Path) -> Format:
    """Return the format of a file by its name; raise if the file cannot be read."""
    known = format_by_name(path)
    if known is None:
        if os.path.isdir(path):  # noqa: PTH112 (unlike Path.is_dir it never raises)
            raise _folder_error(path)
        endings = ", ".join(ending for each in FORMATS for ending in each.endings)
        refuse(
            f"The format of {path.name!r} is not known: the name must end in one of {endings}. "
            "Rename the file, or save the table in one of these formats."
        )
    _check_file(path)
    return known


def _check_file(path: Path) -> None:
    """Raise unless there is a file that can be opened and is not empty."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise _folder_error(path)
        if not stat.S_ISREG(mode):
            refuse(f"{str(path)!r} is not a regular file. Save the table to a file first.")
        with path.open("rb") as file:
            is_empty = not file.read(1)
        if is_empty:
            refuse(f"{str(path)!r} is empty. Check that the program that writes it has finished.")
    except FileNotFoundError:
        refuse(f"There is no file {str(path)!r}. Check the name and the folder.")
    except OSError as error:
        refuse(f"{shown_value(str(path))} cannot be read: {error.strerror}.")


def _folder_error(path: Path) -> CurvesError:
    return CurvesError(f"{str(path)!r} is a directory, not a file. Name one of the files in it.")

"""Tables: CSV, TSV, Parquet and JSON lines, with a row per run and step or per run.

Only the columns that are needed are read, and they are read once.
"""

from __future__ import annotations

import csv
import gzip
import json
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TextIO

import numpy as np

from curvewise.curves import Curves
from curvewise.errors import CurvesError
from curvewise.frames import as_steps, check_names, in_window
from curvewise.readers.columns import missing, recognised, step_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import polars as pl

    from curvewise.readers.columns import Columns

__all__ = ["FORMATS", "read_table"]


class Wanted(NamedTuple):
    """What to read: columns of names, columns of numbers, and which hold lists."""

    names: list[str]
    numbers: list[str]
    lists: frozenset[str] = frozenset()

    def schema(self) -> dict[str, pl.DataType]:
        """Return the type of each column; what does not fit it becomes null."""
        import polars as pl

        number = pl.Float64()
        types: dict[str, pl.DataType] = {name: pl.String() for name in self.names}
        for column in self.numbers:
            types[column] = pl.List(number) if column in self.lists else number
        return types


class Format(NamedTuple):
    """How a kind of file says what its columns are, and how they are read."""

    # Maps each column to whether it holds lists.
    columns: Callable[[Path], dict[str, bool]]
    load: Callable[[Path, Wanted], pl.DataFrame]


def read_table(
    path: Path,
    kind: str,
    named: Columns,
    *,
    only: Sequence[str] | None = None,
    start: float | None = None,
    stop: float | None = None,
    higher_is_better: bool = True,
) -> Curves:
    """Read a table in long form, or in wide form when its columns are steps."""
    import polars as pl

    try:
        holds_lists = FORMATS[kind].columns(path)
        available = list(holds_lists)
        columns = recognised(named, available)
        steps = _wide_steps(columns, available)
        numbers = [column for column in (columns.step, columns.score) if column]
        names = [
            column
            for column in (columns.algorithm, columns.run, columns.block)
            if column and column not in numbers
        ]
        lists = frozenset(column for column in numbers if holds_lists[column])
        _check_complete(columns, available, wide=bool(steps), lists=lists)
        wanted = Wanted(list(dict.fromkeys(names)), list(steps) or numbers, lists)
        frame = FORMATS[kind].load(path, wanted)
    except (
        pl.exceptions.PolarsError,
        UnicodeDecodeError,
        EOFError,
        gzip.BadGzipFile,
    ) as error:
        reason = (
            str(error).strip().splitlines()[0].rstrip(".") if str(error) else "no data"
        )
        msg = f"{path.name} cannot be read as {kind}: {reason}.{_ragged(path, kind)}"
        raise CurvesError(msg) from None
    except OSError as error:
        msg = f"{path.name} cannot be read: {error.strerror or error}."
        raise CurvesError(msg) from None
    if frame.height == 0:
        msg = f"{path.name} has a header and no rows; it needs a row per run and step."
        raise CurvesError(msg)
    shape = "wide form, " if steps or lists else ""
    source = f"{path.name}: {shape}{columns.described()}"
    if steps:
        return _from_wide(
            frame, columns, steps, only, start, stop, source, higher=higher_is_better
        )
    if lists:
        frame, columns = _unrolled(frame, columns, lists)
    return Curves.from_frame(
        frame,
        algorithm=str(columns.algorithm),
        run=str(columns.run),
        step=str(columns.step),
        score=str(columns.score),
        block=columns.block,
        only=only,
        start=start,
        stop=stop,
        higher_is_better=higher_is_better,
        source=source,
    )


def _wide_steps(columns: Columns, available: list[str]) -> dict[str, float]:
    """Return the step of each column if the table has a row per run, else nothing."""
    if columns.step is not None or columns.score is not None:
        return {}
    taken = set(columns)
    return step_columns([column for column in available if column not in taken])


def _check_complete(
    columns: Columns, available: list[str], *, wide: bool, lists: frozenset[str]
) -> None:
    needed = ["algorithm"]
    if not wide:
        needed += ["score"] if lists else ["score", "run", "step"]
    for part in needed:
        if getattr(columns, part) is None:
            raise missing(part, available)


def _from_wide(
    frame: pl.DataFrame,
    columns: Columns,
    steps: dict[str, float],
    only: Sequence[str] | None,
    start: float | None,
    stop: float | None,
    source: str,
    *,
    higher: bool,
) -> Curves:
    """Build curves from a table with a row per run and a column per step."""
    labels = _named(frame, columns.algorithm)
    ordered = sorted(steps, key=lambda column: steps[column])
    values = as_steps(np.array([steps[column] for column in ordered]))
    repeated = values[1:][np.diff(values) == 0]
    if repeated.size:
        msg = f"Two columns stand for step {repeated[0]:g}. Rename or drop one of them."
        raise CurvesError(msg)
    inside = in_window(values, start, stop)
    rows = np.ones(frame.height, dtype=np.bool_)
    if only:
        check_names(only, list(dict.fromkeys(labels)))
        rows = np.isin(labels, list(only))
    scores = frame.select(ordered).to_numpy().astype(np.float64)
    return Curves(
        scores[np.ix_(rows, inside)],
        labels[rows],
        values[inside],
        None if columns.run is None else _named(frame, columns.run)[rows],
        None if columns.block is None else _named(frame, columns.block)[rows],
        higher,
        source=source,
    )


def _named(
    frame: pl.DataFrame, column: str | None
) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    series = frame[str(column)]
    if series.null_count():
        row = int(series.is_null().arg_max() or 0) + 1
        msg = (
            f"{series.null_count():,} rows have nothing in column {column!r}, the first "
            f"being data row {row}. Fill it in or drop the rows."
        )
        raise CurvesError(msg)
    return np.array(series.to_list(), dtype=object)


def _unrolled(
    frame: pl.DataFrame, columns: Columns, lists: frozenset[str]
) -> tuple[pl.DataFrame, Columns]:
    """Turn rows that hold a whole curve into a row per step."""
    import polars as pl

    if columns.run is None:
        columns = columns._replace(run="run")
        frame = frame.with_row_index("run")
    if columns.step is None or columns.step not in lists:
        columns = columns._replace(step="step")
        lengths = pl.col(str(columns.score)).list.len()
        frame = frame.with_columns(pl.int_ranges(lengths).alias("step"))
    return frame.explode([str(columns.step), str(columns.score)]), columns


# --- what is particular to each kind of file ---------------------------------------


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _separator(path: Path, kind: str) -> str:
    """Take tabs for TSV; else what the header holds most of, since some write ``;``."""
    if kind == "TSV":
        return "\t"
    with _opened(path) as file:
        header = next((line for line in file if line.strip()), "")
    return max(",;\t", key=header.count)


def _csv_columns(path: Path, separator: str) -> dict[str, bool]:
    import polars as pl

    names = (
        pl.scan_csv(path, separator=separator, infer_schema=False)
        .collect_schema()
        .names()
    )
    return dict.fromkeys(names, False)


def _csv_load(path: Path, wanted: Wanted, separator: str) -> pl.DataFrame:
    import polars as pl

    # Few names on many rows: as categories they take a quarter of the memory of text.
    schema = wanted.schema() | dict.fromkeys(wanted.names, pl.Categorical())
    # Types are given, not guessed: a column of whole numbers may turn decimal on row 1e6.
    # What is no number becomes null, and is reported with its run and step.
    return pl.read_csv(
        path,
        separator=separator,
        columns=list(schema),
        schema_overrides=schema,
        ignore_errors=True,
    )


def _ragged(path: Path, kind: str) -> str:
    """Find the first row of a CSV that is longer than the header."""
    if kind not in {"CSV", "TSV"}:
        return ""
    try:
        with _opened(path) as file:
            rows = csv.reader(file, delimiter=_separator(path, kind))
            width = len(next(rows, []))
            for row in rows:
                if len(row) > width:
                    return (
                        f" Line {rows.line_num} has {len(row)} fields and the header {width}: "
                        "put quotes around names that hold the separator."
                    )
    except (OSError, UnicodeDecodeError, EOFError, csv.Error):
        return " Save it as UTF-8 text."
    return ""


def _json_columns(path: Path) -> dict[str, bool]:
    columns: dict[str, bool] = {}
    with _opened(path) as file:
        # Keys that appear only later on can still be named by the caller.
        for number, line in enumerate(islice(file, 1_000), start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                msg = f"Line {number} of {path.name} is not JSON ({error.msg}); each line must be an object."
                raise CurvesError(msg) from None
            if not isinstance(row, dict):
                msg = f'Line {number} of {path.name} is not a JSON object such as {{"run": 1, …}}.'
                raise CurvesError(msg)
            for key, value in row.items():
                columns[key] = columns.get(key, False) or isinstance(value, list)
    if not columns:
        msg = f"{path.name} is empty: it needs a JSON object on each line."
        raise CurvesError(msg)
    return columns


def _json_load(path: Path, wanted: Wanted) -> pl.DataFrame:
    import polars as pl

    return pl.read_ndjson(path, schema=wanted.schema())


def _parquet_columns(path: Path) -> dict[str, bool]:
    import polars as pl

    schema = pl.read_parquet_schema(path)
    return {name: isinstance(dtype, pl.List | pl.Array) for name, dtype in schema.items()}


def _parquet_load(path: Path, wanted: Wanted) -> pl.DataFrame:
    import polars as pl

    return pl.read_parquet(path, columns=[*wanted.names, *wanted.numbers])


FORMATS: dict[str, Format] = {
    "CSV": Format(
        lambda path: _csv_columns(path, _separator(path, "CSV")),
        lambda path, wanted: _csv_load(path, wanted, _separator(path, "CSV")),
    ),
    "TSV": Format(
        lambda path: _csv_columns(path, "\t"),
        lambda path, wanted: _csv_load(path, wanted, "\t"),
    ),
    "JSON lines": Format(_json_columns, _json_load),
    "Parquet": Format(_parquet_columns, _parquet_load),
}

"""Tables with a row per run and step (long form), or a row per run (wide form)."""

from __future__ import annotations

import gzip
import zlib
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.data.alignment import Unaligned
from curvewise.data.display import Display
from curvewise.data.frames import (
    WideTable,
    long_table,
    natural_order,
    rows_by_task,
    score_numbers,
)
from curvewise.data.steps import as_steps
from curvewise.errors import CurvesError
from curvewise.readers.request import RunsByTask
from curvewise.readers.tables.columns import (
    ColumnsToRead,
    missing_column_error,
    recognised,
    step_columns,
    unknown_column_error,
)
from curvewise.text import did_you_mean, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import polars as pl

    from curvewise.data.selection import Columns, Selection
    from curvewise.data.validation import Names
    from curvewise.readers.tables.formats import Format

__all__ = ["columns_of", "read_table", "read_table_of_tasks"]


def read_table(path: Path, table_format: Format, selection: Selection) -> Unaligned:
    """Read a table in long form, or in wide form when its columns are steps."""
    loaded = _load(path, table_format, selection)
    return _runs(loaded.frame, loaded)


def read_table_of_tasks(
    path: Path,
    table_format: Format,
    selection: Selection,
    task: str,
    keep: str | None = None,
) -> RunsByTask:
    """Read a table that holds several tasks, told apart by the column ``task``.

    Return a function for each task that returns its runs, in natural order. With ``keep``
    only that task; raise if there is none of that name.
    """
    import narwhals as nw

    loaded = _load(path, table_format, selection, task)
    algorithm = str(loaded.selection.columns.algorithm)
    table = nw.from_native(loaded.frame, eager_only=True)
    parts = rows_by_task(table, task, algorithm, selection.only or None)
    if keep is not None:
        if keep not in parts:
            columns = columns_of(path, table_format)
            close = did_you_mean(keep, [*parts, *columns])
            msg = f"No task or column is called {keep!r}; {close}"
            raise CurvesError(msg)
        parts = {keep: parts[keep]}

    def runs_of_task(name: str) -> Unaligned:
        part = parts[name]
        own = replace(loaded.selection, only=part.only)
        return _runs(loaded.frame[part.rows], loaded._replace(selection=own))

    found = RunsByTask(
        {
            name: partial(runs_of_task, name)
            for name, part in parts.items()
            if part.only != []
        }
    )
    found.without = tuple(name for name in parts if name not in found)
    return found


def columns_of(path: Path, table_format: Format) -> dict[str, bool]:
    """Return the columns of a table, and whether they hold lists."""
    with _explained(path, table_format):
        columns: dict[str, bool] = table_format.module.columns(path)
        return columns


@contextmanager
def _explained(path: Path, table_format: Format) -> Iterator[None]:
    """Turn what goes wrong while a table is read into a sentence."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, gzip.BadGzipFile, zlib.error, EOFError) as error:
        lines = str(error).strip().splitlines()
        reason = lines[0].rstrip(".") if lines else "no data"
        msg = (
            f"{path.name} cannot be read as {table_format.name}: {reason}. Write the file "
            "again."
        )
        raise CurvesError(msg) from None
    except UnicodeDecodeError:
        msg = f"{path.name} is not text in UTF-8. Save it with that encoding."
        raise CurvesError(msg) from None
    except OSError as error:
        msg = f"{path.name} cannot be read: {error.strerror or error}."
        raise CurvesError(msg) from None


class _Loaded(NamedTuple):
    """A table as it was read, and which of its columns is what."""

    frame: pl.DataFrame
    selection: Selection
    # The step of each column in wide form; nothing in long form.
    steps: dict[str, float]
    source: str
    display: Display


def _load(
    path: Path, table_format: Format, selection: Selection, task: str | None = None
) -> _Loaded:
    """Read the columns that are needed, and no others."""
    reader = table_format.module
    with _explained(path, table_format):
        holds_lists: dict[str, bool] = reader.columns(path)
        if task is not None and task not in holds_lists:
            raise unknown_column_error(task, list(holds_lists))
        for column in selection.where:
            if column not in holds_lists:
                raise unknown_column_error(column, list(holds_lists))
        others = [column for column in holds_lists if column != task]
        columns = recognised(selection.columns, others)
        steps = _wide_steps(columns, others)
        to_read = _columns_to_read(columns, holds_lists, steps)
        added = [*selection.where, *([] if task is None else [task])]
        texts = [name for name in added if name not in to_read.numbers]
        to_read = to_read._replace(names=list(dict.fromkeys([*to_read.names, *texts])))
        frame: pl.DataFrame = reader.load(path, to_read)
    if frame.height == 0:
        msg = f"{path.name} has a header but no rows; it needs a row per run and step."
        raise CurvesError(msg)
    frame = _rows_where(frame, selection.where)
    source = columns.described()
    if selection.where:
        source += "; only " + ", ".join(
            f"{column}={value!r}" for column, value in selection.where.items()
        )
    if steps:
        used = {*to_read.names, *to_read.numbers}
        unused = [repr(column) for column in holds_lists if column not in used]
        shown = f"; not used: {', '.join(unused)}" if unused else ""
        source = f"wide form, {len(steps)} steps, {source}{shown}"
    if to_read.lists:
        frame, columns = _unrolled(frame, columns, to_read.lists)
        source = f"one row per run, {columns.described()}"
    everyone: tuple[str, ...] = ()
    if selection.only:
        everyone = tuple(natural_order(set(_names(frame, columns.algorithm))))
    names = {"step_name": columns.step, "score_name": columns.score}
    return _Loaded(
        frame,
        replace(selection, columns=columns),
        steps,
        f"{path.name}: {source}",
        Display(
            everyone=everyone, **{part: name for part, name in names.items() if name}
        ),
    )


def _rows_where(frame: pl.DataFrame, where: Mapping[str, str]) -> pl.DataFrame:
    """Keep the rows with these values; raise if there are none."""
    import polars as pl

    for column, value in where.items():
        texts = frame[column].cast(pl.String).str.strip_chars()
        is_kept = texts == value
        number = _number(value)
        if number is not None:
            # 3 and 3.0 are the same number.
            is_kept = is_kept | (texts.cast(pl.Float64, strict=False) == number)
        is_kept = is_kept.fill_null(value=False)
        if not is_kept.any():
            there = natural_order({text for text in texts.to_list() if text is not None})
            msg = (
                f"No row has {value!r} in column {column!r}; {did_you_mean(value, there)}"
            )
            raise CurvesError(msg)
        frame = frame.filter(is_kept)
    return frame


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _runs(frame: pl.DataFrame, loaded: _Loaded) -> Unaligned:
    """Take the runs of a table, or of the part of it that is ``frame``."""
    selection = loaded.selection
    table = (
        _from_wide(frame, selection, loaded.steps)
        if loaded.steps
        else long_table(frame, selection)
    )
    return Unaligned(table, selection, loaded.source, loaded.display)


def _wide_steps(columns: Columns, available: list[str]) -> dict[str, float]:
    """Return the step of each column if the table has a row per run, else nothing."""
    if columns.step is not None or columns.score is not None:
        return {}
    taken = set(columns)
    return step_columns([column for column in available if column not in taken])


def _columns_to_read(
    columns: Columns, holds_lists: dict[str, bool], steps: dict[str, float]
) -> ColumnsToRead:
    """Decide what to read; raise if the table lacks a part."""
    measures = [column for column in (columns.step, columns.score) if column]
    lists = frozenset(column for column in measures if holds_lists[column])
    needed = ["algorithm"]
    if not steps:
        needed += ["score"] if lists else ["score", "run", "step"]
    for part in needed:
        if getattr(columns, part) is None:
            raise missing_column_error(
                part, [name for name in holds_lists if name not in set(columns)]
            )
    if lists and lists != set(measures):
        (other,) = set(measures) - lists
        msg = (
            f"Column {min(lists)!r} holds a list in each row, but {other!r} a single value. "
            "A row with a whole curve needs lists of scores and of steps, or no column of "
            "steps; average several evaluations at one step first."
        )
        raise CurvesError(msg)
    names = (columns.algorithm, columns.run, columns.block)
    texts = [column for column in names if column and column not in measures]
    return ColumnsToRead(list(dict.fromkeys(texts)), list(steps) or measures, lists)


def _from_wide(
    frame: pl.DataFrame, selection: Selection, steps: dict[str, float]
) -> WideTable:
    """Take runs × steps from a table with a row per run and a column per step."""
    import narwhals as nw

    columns = selection.columns
    labels = _names(frame, columns.algorithm)
    ordered = sorted(steps, key=lambda column: steps[column])
    values = as_steps(np.array([steps[column] for column in ordered]))
    repeated = values[1:][np.diff(values) == 0]
    if repeated.size:
        msg = f"Two columns are both step {step_text(repeated[0])}. Drop one of them."
        raise CurvesError(msg)
    inside = np.flatnonzero(selection.keeps_steps(values))
    rows = selection.keeps_algorithms(labels)
    table = nw.from_native(frame, eager_only=True)
    cells = [score_numbers(table[ordered[place]]) for place in inside]
    scores = np.column_stack([values for values, _ in cells])
    missing = [
        np.zeros(len(frame), dtype=np.bool_) if gaps is None else gaps
        for _, gaps in cells
    ]
    return WideTable(
        scores[rows],
        labels[rows].tolist(),
        values[inside],
        None if columns.run is None else _names(frame, columns.run)[rows].tolist(),
        None if columns.block is None else _names(frame, columns.block)[rows].tolist(),
        precision=float(np.finfo(np.float64).eps),
        is_missing=np.column_stack(missing)[rows],
    )


def _names(frame: pl.DataFrame, column: str | None) -> Names:
    """Return a column as text without spaces around it; raise if a cell is empty."""
    import polars as pl

    series = frame[str(column)].cast(pl.String)
    if series.null_count():
        row = int(series.is_null().arg_max() or 0) + 1
        msg = (
            f"Column {column!r} is empty in {plural(series.null_count(), 'row')}, the first "
            f"being data row {row}. Fill it in, or drop these rows."
        )
        raise CurvesError(msg)
    return np.array([name.strip() for name in series.to_list()], dtype=object)


def _unrolled(
    frame: pl.DataFrame, columns: Columns, lists: frozenset[str]
) -> tuple[pl.DataFrame, Columns]:
    """Turn rows that hold a whole curve into a row per step."""
    import polars as pl

    lengths = frame.select(pl.col(sorted(lists)).list.len().fill_null(0))
    uneven = lengths.select(
        (pl.min_horizontal(pl.all()) != pl.max_horizontal(pl.all()))
        | (pl.max_horizontal(pl.all()) == 0)
    ).to_series()
    if uneven.any():
        row = int(uneven.arg_max() or 0)
        found = " and ".join(
            f"{plural(lengths[column][row], 'value')} in {column!r}"
            for column in lengths.columns
        )
        msg = f"Data row {row + 1} has {found}; each run needs a score at each step."
        raise CurvesError(msg)
    if columns.run is None:
        columns = columns._replace(run="run")
        frame = frame.with_row_index("run")
    if columns.step is None:
        columns = columns._replace(step="step")
        n_steps = pl.col(str(columns.score)).list.len()
        frame = frame.with_columns(pl.int_ranges(n_steps).alias("step"))
    return frame.explode([str(columns.step), str(columns.score)]), columns

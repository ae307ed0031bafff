"""Tables with a row per run and step (long form), or a row per run (wide form)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.data.alignment import Unaligned
from curvewise.data.display import Display
from curvewise.data.frames import (
    WideTable,
    long_table,
    rows_by_task,
)
from curvewise.data.name_columns import names_and_codes, names_of_rows
from curvewise.data.names import natural_order
from curvewise.data.numbers import number_of, score_numbers
from curvewise.data.steps import check_exact
from curvewise.data.validation import increasing_steps
from curvewise.errors import CurvesError
from curvewise.readers.failures import explained
from curvewise.readers.request import RunsByTask
from curvewise.readers.tables.columns import (
    ColumnsToRead,
    missing_column_error,
    recognised,
    step_columns,
    unknown_column_error,
)
from curvewise.text import did_you_mean, encodable, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy.typing as npt
    import polars as pl

    from curvewise.data.selection import Columns, Selection
    from curvewise.data.validation import Names
    from curvewise.kernels import Floats
    from curvewise.readers.tables.formats import Format

__all__ = ["columns_of", "read_table", "read_table_of_tasks"]


def read_table(path: Path, table_format: Format, selection: Selection) -> Unaligned:
    """Read a table in long form, or in wide form when its columns are steps."""
    loaded = _load(path, table_format, selection)
    with explained(path, table_format.name):
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
        with explained(path, table_format.name):
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
    with explained(path, table_format.name):
        columns: dict[str, bool] = table_format.module.columns(path)
        return columns


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
    with explained(path, table_format.name):
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
            msg = (
                f"{path.name} has a header but no rows; it needs a row per run and step."
            )
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
            everyone = tuple(
                natural_order(set(_names(frame, columns.algorithm, "algorithm")))
            )
    names = {"step_name": columns.step, "score_name": columns.score}
    return _Loaded(
        frame,
        replace(selection, columns=columns),
        steps,
        f"{encodable(path.name)}: {source}",
        Display(
            everyone=everyone, **{part: name for part, name in names.items() if name}
        ),
    )


def _rows_where(frame: pl.DataFrame, where: Mapping[str, str]) -> pl.DataFrame:
    """Keep the rows with these values; raise if there are none."""
    import narwhals as nw

    for column, value in where.items():
        texts = names_of_rows(nw.from_native(frame[column], series_only=True))
        number = number_of(value)
        # 3 and 3.0 are the same number.
        kept = {
            text
            for text in set(texts)
            if text is not None and (text == value or number_of(text) == number)
        }
        if not kept:
            there = natural_order({text for text in texts if text is not None})
            msg = (
                f"No row has {value!r} in column {column!r}; {did_you_mean(value, there)}"
            )
            raise CurvesError(msg)
        frame = frame.filter([text in kept for text in texts])
    return frame


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
    columns = selection.columns
    labels = _names(frame, columns.algorithm, "algorithm")
    ordered = sorted(steps, key=lambda column: steps[column])
    values = np.array([steps[column] for column in ordered])
    check_exact(float(np.abs(values).max(initial=0.0)))
    repeated = values[1:][values[1:] == values[:-1]]
    if repeated.size:
        msg = f"Two columns are both step {step_text(repeated[0])}. Drop one of them."
        raise CurvesError(msg)
    values = increasing_steps(values, len(values))
    inside = np.flatnonzero(selection.keeps_steps(values))
    rows = selection.keeps_algorithms(labels)
    scores, is_missing = _cells(frame[[ordered[place] for place in inside.tolist()]])
    return WideTable(
        scores[rows],
        labels[rows].tolist(),
        values[inside],
        _kept(frame, columns.run, "run", rows),
        _kept(frame, columns.block, "block", rows),
        precision=float(np.finfo(np.float64).eps),
        is_missing=None if is_missing is None else is_missing[rows],
    )


def _cells(frame: pl.DataFrame) -> tuple[Floats, npt.NDArray[np.bool_] | None]:
    """Return the scores in all columns as numbers, and mark the cells without any."""
    import narwhals as nw
    import polars as pl

    if all(dtype == pl.Float64 for dtype in frame.dtypes):  # at once: there may be many
        has_gaps = any(frame.null_count().row(0))
        gaps = frame.select(pl.all().is_null()).to_numpy() if has_gaps else None
        return frame.to_numpy(), gaps
    table = nw.from_native(frame, eager_only=True)
    cells = [score_numbers(table[column]) for column in frame.columns]
    none = np.zeros(len(frame), dtype=np.bool_)
    missing = [none if gaps is None else gaps for _, gaps in cells]
    return np.column_stack([scores for scores, _ in cells]), np.column_stack(missing)


def _names(frame: pl.DataFrame, column: str | None, what: str) -> Names:
    """Return a column as names; raise if a cell is empty."""
    import narwhals as nw

    series = nw.from_native(frame[str(column)], series_only=True)
    names, codes = names_and_codes(series, what)
    return np.array(names, dtype=object)[codes]


def _kept(
    frame: pl.DataFrame, column: str | None, what: str, rows: npt.NDArray[np.bool_]
) -> list[str] | None:
    """Return the names on some rows, None without such a column."""
    if column is None:
        return None
    kept: list[str] = _names(frame, column, what)[rows].tolist()
    return kept


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

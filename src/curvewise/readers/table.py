"""Tables with a row per run and step, or a row per run."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise.curves import Curves
from curvewise.errors import CurvesError, counted, nearest
from curvewise.frames import check_names, natural_order, numbers
from curvewise.readers import delimited, json_lines, parquet
from curvewise.readers.columns import Wanted, missing, recognised, step_columns
from curvewise.steps import as_steps, in_window, step_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

    from curvewise.readers.columns import Columns

__all__ = ["read_table", "read_tasks"]

FORMATS = {
    "CSV": delimited,
    "TSV": delimited,
    "JSON lines": json_lines,
    "Parquet": parquet,
}


def read_table(path: Path, kind: str, named: Columns, **options: Any) -> Curves:
    """Read a table in long form, or in wide form when its columns are steps.

    ``options`` are those of `readers.read`: only, start, stop, higher_is_better.
    """
    loaded = _load(path, kind, named, None)
    return _curves(loaded.frame, loaded, **options)


def read_tasks(
    path: Path, kind: str, named: Columns, task: str, **options: Any
) -> dict[str, Curves]:
    """Read a table that holds several tasks, told apart by a column."""
    loaded = _load(path, kind, named, task)
    tasks = _named(loaded.frame, task)
    found = {}
    for name in natural_order(set(tasks)):
        try:
            found[name] = _curves(loaded.frame.filter(tasks == name), loaded, **options)
        except CurvesError as error:
            msg = f"Task {name!r}: {error}"
            raise CurvesError(msg) from None
    return found


class _Loaded(NamedTuple):
    """A table as it was read, and which of its columns is what."""

    frame: pl.DataFrame
    columns: Columns
    steps: dict[str, float]
    wanted: Wanted
    source: str


def _load(path: Path, kind: str, named: Columns, task: str | None) -> _Loaded:
    import polars as pl

    try:
        holds_lists = FORMATS[kind].columns(path)
        if task is not None and task not in holds_lists:
            msg = f"No column is called {task!r}; {nearest(task, list(holds_lists))}"
            raise CurvesError(msg)
        others = [column for column in holds_lists if column != task]
        columns = recognised(named, others)
        steps = _wide_steps(columns, others)
        wanted = _wanted(columns, holds_lists, steps)
        if task is not None:
            wanted = wanted._replace(names=list(dict.fromkeys([*wanted.names, task])))
        frame = FORMATS[kind].load(path, wanted)
    except (pl.exceptions.PolarsError, gzip.BadGzipFile, zlib.error, EOFError) as error:
        reason = (
            str(error).strip().splitlines()[0].rstrip(".") if str(error) else "no data"
        )
        msg = f"{path.name} cannot be read as {kind}: {reason}. Write it anew."
        raise CurvesError(msg) from None
    except UnicodeDecodeError:
        msg = f"{path.name} is not text in UTF-8. Save it with that encoding."
        raise CurvesError(msg) from None
    except OSError as error:
        msg = f"{path.name} cannot be read: {error.strerror or error}."
        raise CurvesError(msg) from None
    if frame.height == 0:
        msg = f"{path.name} has a header and no rows; it needs a row per run and step."
        raise CurvesError(msg)
    source = f"{path.name}: {columns.described()}"
    if steps:
        used = {*wanted.names, *wanted.numbers}
        ignored = [repr(column) for column in holds_lists if column not in used]
        shown = f"; not used: {', '.join(ignored)}" if ignored else ""
        source = (
            f"{path.name}: wide form, {len(steps)} steps, {columns.described()}{shown}"
        )
    if wanted.lists:
        frame, columns = _unrolled(frame, columns, wanted.lists)
        source = f"{path.name}: a run to a row, {columns.described()}"
    return _Loaded(frame, columns, steps, wanted, source)


def _curves(
    frame: pl.DataFrame,
    loaded: _Loaded,
    *,
    only: Sequence[str] | None = None,
    start: float | None = None,
    stop: float | None = None,
    higher_is_better: bool = True,
) -> Curves:
    columns, source = loaded.columns, loaded.source
    if loaded.steps:
        return _from_wide(
            frame,
            columns,
            loaded.steps,
            only,
            start,
            stop,
            source,
            higher=higher_is_better,
        )
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


def _wanted(
    columns: Columns, holds_lists: dict[str, bool], steps: dict[str, float]
) -> Wanted:
    """Decide what to read; refuse a table that lacks a part."""
    measures = [column for column in (columns.step, columns.score) if column]
    lists = frozenset(column for column in measures if holds_lists[column])
    needed = ["algorithm"]
    if not steps:
        needed += ["score"] if lists else ["score", "run", "step"]
    for part in needed:
        if getattr(columns, part) is None:
            raise missing(
                part, [name for name in holds_lists if name not in set(columns)]
            )
    if lists and lists != set(measures):
        (other,) = set(measures) - lists
        msg = (
            f"Column {min(lists)!r} holds a list in each row and {other!r} a single value. A "
            "row that holds a whole curve needs lists of both or no step at all; several "
            "evaluations of one step must be averaged first."
        )
        raise CurvesError(msg)
    names = (columns.algorithm, columns.run, columns.block)
    texts = [column for column in names if column and column not in measures]
    return Wanted(list(dict.fromkeys(texts)), list(steps) or measures, lists)


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
    import narwhals as nw

    labels = _named(frame, columns.algorithm)
    ordered = sorted(steps, key=lambda column: steps[column])
    values = as_steps(np.array([steps[column] for column in ordered]))
    repeated = values[1:][np.diff(values) == 0]
    if repeated.size:
        msg = f"Two columns stand for step {step_text(repeated[0])}. Drop one of them."
        raise CurvesError(msg)
    inside = np.flatnonzero(in_window(values, start, stop))
    rows = np.ones(frame.height, dtype=np.bool_)
    if only:
        check_names(only, list(dict.fromkeys(labels)))
        rows = np.isin(labels, list(only))
    table = nw.from_native(frame, eager_only=True)
    scores = np.column_stack([numbers(table[ordered[place]]) for place in inside])
    return Curves(
        scores[rows],
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
    import polars as pl

    series = frame[str(column)].cast(pl.String)
    if series.null_count():
        row = int(series.is_null().arg_max() or 0) + 1
        msg = (
            f"Column {column!r} is empty in {counted(series.null_count(), 'row')}, the first "
            f"being data row {row}. Fill it in or drop the rows."
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
        held = " and ".join(f"{lengths[c][row]} in {c!r}" for c in lengths.columns)
        msg = f"Data row {row + 1} has {held}: each run needs a score for each step."
        raise CurvesError(msg)
    if columns.run is None:
        columns = columns._replace(run="run")
        frame = frame.with_row_index("run")
    if columns.step is None:
        columns = columns._replace(step="step")
        n_steps = pl.col(str(columns.score)).list.len()
        frame = frame.with_columns(pl.int_ranges(n_steps).alias("step"))
    return frame.explode([str(columns.step), str(columns.score)]), columns

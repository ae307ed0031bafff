"""Long tables, one row per run and step, become arrays of runs × steps.

Any frame that narwhals supports can be read. The table is not pivoted by the frame library:
names become small integers and the scores are scattered into an array, in time and memory
proportional to the number of rows.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from curvewise.data.long_records import Records
from curvewise.data.selection import check_algorithms
from curvewise.data.steps import MAX_STEP, as_steps
from curvewise.data.validation import numbered
from curvewise.errors import CurvesError
from curvewise.text import did_you_mean, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import narwhals as nw

    from curvewise.data.run_log import RunLog
    from curvewise.data.selection import Selection
    from curvewise.kernels import Floats, Integers

__all__ = [
    "BLANK_CELLS",
    "TaskRows",
    "WideTable",
    "frame_of",
    "long_table",
    "names_in",
    "natural_order",
    "numbers",
    "rows_by_task",
    "score_numbers",
]

Integers32 = npt.NDArray[np.int32]

# What people write where there is no score: such cells are missing rather than wrong.
BLANK_CELLS = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "."})


@dataclass(frozen=True)
class WideTable:
    """Scores as runs × steps.

    Those of a long table are in natural order, whatever the order of its rows.

    Attributes
    ----------
    scores : array, (n_runs, n_steps)
    labels : sequence of str, (n_runs,)
        The algorithm of each run.
    steps : array, (n_steps,)
    runs, blocks : sequence of str, (n_runs,), or None
        The name and the block of each run, where the table has them.
    precision : float
        The machine epsilon of the type that scores were stored in.
    is_missing : array of bool, (n_runs, n_steps), or None
        The cells without a score, where there are any.
    """

    scores: Floats
    labels: Sequence[str]
    steps: np.ndarray[Any, Any]
    runs: Sequence[str] | None
    blocks: Sequence[str] | None
    precision: float
    is_missing: npt.NDArray[np.bool_] | None = None

    def logs(self) -> list[RunLog]:
        """Return a log per run, of the scores that are there."""
        n_runs, n_steps = self.scores.shape
        names = self.runs
        if names is None:
            names = numbered(np.array(self.labels, dtype=object)).tolist()
        records = Records(
            np.repeat(np.arange(n_runs, dtype=np.int32), n_steps),
            np.tile(self.steps, n_runs),
            self.scores.ravel(),
            self.labels,
            names,
            self.blocks,
            self.precision,
        )
        if self.is_missing is not None:
            records = records.where(~self.is_missing.ravel())
        return records.logs(None)


def natural_order(names: Iterable[str]) -> list[str]:
    """Sort names as people do, ``run 2`` before ``run 10``.

    >>> natural_order(["run 10", "run 2", "-1", "0.5"])
    ['-1', '0.5', 'run 2', 'run 10']
    """

    def key(name: str) -> tuple[int, float, list[tuple[int, int, str]], str]:
        try:
            return 0, float(name), [], name
        except ValueError:
            # Numbers of any length: the longer one is the larger one.
            parts = [
                (0, len(part.lstrip("0")), part.lstrip("0"))
                if part.isdecimal()
                else (1, 0, part)
                for part in re.split(r"(\d+)", name)
            ]
            return 1, 0.0, parts, name

    return sorted(names, key=key)


def long_table(frame: Any, selection: Selection) -> WideTable | list[RunLog]:
    """Turn a long table into runs × steps, or into a log per run if their steps differ.

    All columns but that of the block must be named in the selection. Rows without a score are
    no records, and count as nothing.

    Raises
    ------
    CurvesError
        If a cell is missing or is no number, or a run has several scores at a step and nothing
        was said about them.
    """
    columns = selection.columns
    named = [*columns[:4]] + ([] if columns.block is None else [columns.block])
    table = frame_of(frame, [str(name) for name in named])
    algorithm_codes, algorithms = _coded(table[str(columns.algorithm)], "algorithm")
    run_codes, runs = _coded(table[str(columns.run)], "run")
    block_codes, blocks = (
        (None, None) if columns.block is None else _coded(table[columns.block], "block")
    )
    score_values, is_missing = score_numbers(table[str(columns.score)])
    step_values = _step_values(table[str(columns.step)], is_missing)
    precision = _precision(table[str(columns.score)])
    del table  # and below: tables of ten million rows should not be in memory twice

    # Names are coded in natural order, so sorted keys put the runs into that order too.
    keys = algorithm_codes.astype(np.int64) * len(runs) + run_codes
    del algorithm_codes, run_codes
    keep = None
    if selection.only:
        keep = selection.keeps_algorithms(algorithms)[keys // len(runs)]
        if not keep.all():
            keys, step_values, score_values = (
                keys[keep],
                step_values[keep],
                score_values[keep],
            )
            is_missing = None if is_missing is None else is_missing[keep]
            block_codes = None if block_codes is None else block_codes[keep]
    rows, keys = _compact(keys)
    records = Records(
        rows,
        step_values,
        score_values,
        [algorithms[key // len(runs)] for key in keys.tolist()],
        [runs[key % len(runs)] for key in keys.tolist()],
        None,
        precision,
    )
    if block_codes is not None and blocks is not None:
        records = replace(records, blocks=_run_blocks(records, block_codes, blocks))
    if is_missing is not None:
        records = records.where(~is_missing)
        if not len(records.scores):
            return records.logs(None)
    inside = None
    if selection.start is not None or selection.stop is not None:
        inside = selection.keeps_steps(records.steps)
    windowed = records if inside is None else records.where(inside)
    if not selection.alignment.asks_for_steps:
        places, steps = _compact(windowed.steps)
        scores = _scattered(windowed, places, len(steps))
        if scores is not None:
            return WideTable(
                scores, records.labels, steps, records.runs, records.blocks, precision
            )
    if selection.duplicates is None:
        windowed.check_repeats()
    return records.logs(selection.duplicates)


def names_in(frame: Any, column: str) -> tuple[str, ...]:
    """Return the names in a column of a table, in natural order; raise if a cell is empty."""
    return tuple(_coded(frame_of(frame, [column])[column], "algorithm")[1])


class TaskRows(NamedTuple):
    """The rows of a task in a table, and which of the algorithms to keep it has."""

    rows: Integers
    only: list[str] | None


def rows_by_task(
    table: nw.DataFrame[Any], task: str, algorithm: str, only: Sequence[str] | None
) -> dict[str, TaskRows]:
    """Tell the rows of each task apart, in natural order of their names.

    Without ``only`` all algorithms are kept. With it a task keeps those of them that it has,
    which may be none; one that no task has is refused.
    """
    codes, names = _coded(table[task], "task")
    order = np.argsort(codes, kind="stable")
    rows = dict(
        zip(names, np.split(order, np.bincount(codes).cumsum()[:-1]), strict=True)
    )
    if only is None:
        return {name: TaskRows(own, None) for name, own in rows.items()}
    whose, algorithms = _coded(table[algorithm], "algorithm")
    check_algorithms(only, algorithms)
    have = {
        name: {algorithms[code] for code in np.unique(whose[own]).tolist()}
        for name, own in rows.items()
    }
    return {
        name: TaskRows(own, [one for one in only if one in have[name]])
        for name, own in rows.items()
    }


def frame_of(frame: Any, columns: list[str]) -> nw.DataFrame[Any]:
    """Return some columns of a frame of any library; raise if one does not exist."""
    import narwhals as nw

    try:
        table = nw.from_native(frame)
        available = table.collect_schema().names()
    except (TypeError, nw.exceptions.NarwhalsError, ValueError):
        msg = (
            f"A {type(frame).__name__} is not a table that curvewise can read. Give a "
            "pandas, polars or pyarrow frame with a name for each column; for arrays use "
            "Curves.from_dict."
        )
        raise CurvesError(msg) from None
    for column in columns:
        if column not in available:
            listed = did_you_mean(str(column), map(str, available))
            msg = f"No column is called {column!r}; {listed}"
            raise CurvesError(msg)
    table = table.select(list(dict.fromkeys(columns)))
    table = table.collect() if isinstance(table, nw.LazyFrame) else table
    if len(table) == 0:
        msg = "The table has no rows; it needs one row per run and step."
        raise CurvesError(msg)
    return table


def _coded(series: nw.Series[Any], what: str) -> tuple[Integers32, list[str]]:
    """Return the names in natural order, and the place of each row's name among them."""
    import narwhals as nw

    missing = series.is_null()
    if series.dtype.is_float():
        missing = missing | series.is_nan()
    if missing.any():
        rows = np.flatnonzero(missing.to_numpy())
        msg = (
            f"The {what} is missing in {plural(len(rows), 'row')}, the first being data "
            f"row {rows[0] + 1} (column {series.name!r}). Fill it in, or drop these rows."
        )
        raise CurvesError(msg)
    values = series.unique().to_list()
    names = [_name(value) for value in values]
    order = {name: place for place, name in enumerate(natural_order(set(names)))}
    codes = series.replace_strict(
        values, [order[name] for name in names], return_dtype=nw.Int32
    )
    return codes.to_numpy(), list(order)


def _name(value: object) -> str:
    # Frame libraries turn whole numbers into floats in a column with gaps.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def numbers(series: nw.Series[Any]) -> Floats:
    """Return a column as numbers; cells that are missing or not numbers become NaN."""
    import narwhals as nw

    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        values = series.cast(nw.Float64).to_numpy()
        return np.asarray(values, dtype=np.float64)

    def number(value: object) -> float:
        try:
            # float() accepts 1_000, which in data is rather a name or a slip.
            return math.nan if "_" in str(value) else float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return math.nan

    return np.array([number(value) for value in series.to_list()], dtype=np.float64)


def score_numbers(
    series: nw.Series[Any],
) -> tuple[Floats, npt.NDArray[np.bool_] | None]:
    """Return a column of scores as numbers, and mark the cells without a score, if any.

    A NaN that was written as such is a score. Frames of pandas cannot tell it from an empty
    cell, for which it is taken there.

    Raises
    ------
    CurvesError
        If a cell holds something else than a number.
    """
    import narwhals as nw

    values = numbers(series)
    is_missing = None
    if series.null_count():
        is_missing = np.array(series.is_null().to_numpy(), dtype=np.bool_)
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return values, is_missing
    is_missing = (
        np.zeros(len(values), dtype=np.bool_) if is_missing is None else is_missing
    )
    for row in np.flatnonzero(np.isnan(values) & ~is_missing).tolist():
        text = str(series[row]).strip().lower()
        if text not in BLANK_CELLS:
            msg = (
                f"Scores must be numbers; column {series.name!r} has {series[row]!r} in data "
                f"row {row + 1}. Name another column as the score, or mend the cell."
            )
            raise CurvesError(msg)
        is_missing[row] = text != "nan"
    return values, is_missing if is_missing.any() else None


def _precision(series: nw.Series[Any]) -> float:
    import narwhals as nw

    stored = np.float32 if series.dtype == nw.Float32 else np.float64
    return float(np.finfo(stored).eps)


def _step_values(
    series: nw.Series[Any], is_missing: npt.NDArray[np.bool_] | None
) -> np.ndarray[Any, Any]:
    """Return the steps as numbers; those of rows without a score do not matter."""
    values = numbers(series)
    if is_missing is not None:
        values = np.where(is_missing & ~np.isfinite(values), 0.0, values)
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        msg = (
            f"Steps must be numbers; column {series.name!r} has no number in "
            f"{plural(bad.size, 'row')}, the first being data row {bad[0] + 1} "
            f"({series[int(bad[0])]!r}). Name another column as the step, or fix or drop "
            "these rows."
        )
        raise CurvesError(msg)
    if np.abs(values).max() >= MAX_STEP:
        msg = (
            f"Steps as large as {np.abs(values).max():.4g} are too large to be exact. "
            "Subtract the first step from all of them, or count in a larger unit."
        )
        raise CurvesError(msg)
    return as_steps(values)


def _compact(values: np.ndarray[Any, Any]) -> tuple[Integers32, np.ndarray[Any, Any]]:
    """Return the rank of each value among the distinct values, and these in order."""
    low = values.min()
    span = int(values.max() - low) + 1
    if np.issubdtype(values.dtype, np.integer) and span <= 4 * len(values) + 1024:
        # Marking the values that occur is several times faster than sorting them.
        offsets = values - low
        seen = np.zeros(span, dtype=np.bool_)
        seen[offsets] = True
        places = np.cumsum(seen, dtype=np.int32) - np.int32(1)
        return places[offsets], np.flatnonzero(seen) + low
    distinct, numbers = np.unique(values, return_inverse=True)
    return numbers.astype(np.int32), distinct


def _scattered(records: Records, places: Integers32, n_steps: int) -> Floats | None:
    """Put each score into its run and step; return None unless each has one score."""
    size = len(records.labels) * n_steps
    if len(records.scores) != size:
        return None  # runs × steps may be far larger than the table
    cells = records.rows.astype(np.int64)
    cells *= n_steps
    cells += places
    scores = np.empty(size)
    filled = np.zeros(size, dtype=np.bool_)
    scores[cells] = records.scores
    filled[cells] = True
    return scores.reshape(-1, n_steps) if filled.all() else None


def _run_blocks(records: Records, codes: Integers32, blocks: list[str]) -> list[str]:
    """Return the block of each run; raise if a run lies in several."""
    rows = records.rows
    of_run = np.zeros(len(records.labels), dtype=np.int32)
    of_run[rows] = codes
    conflicts = np.flatnonzero(of_run[rows] != codes)
    if conflicts.size:
        run = int(rows[conflicts[0]])
        both = blocks[codes[conflicts[0]]], blocks[of_run[run]]
        msg = (
            f"A run belongs to one block, but run {records.runs[run]!r} of "
            f"{records.labels[run]!r} is in {both[0]!r} and {both[1]!r}. Choose as the block a "
            "column that is the same on all rows of a run: a shared seed, a fold, a task."
        )
        raise CurvesError(msg)
    return [blocks[code] for code in of_run.tolist()]

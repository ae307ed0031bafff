"""Long tables, one row per run and step, become arrays of runs × steps.

Any frame that narwhals supports can be read. The table is not pivoted by the frame library:
names become small integers and the scores are scattered into an array, in time and memory
proportional to the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise.data.long_records import Records
from curvewise.data.name_columns import first_rows, names_and_codes
from curvewise.data.numbers import score_numbers, step_numbers
from curvewise.data.selection import check_algorithms
from curvewise.data.steps import as_steps
from curvewise.data.validation import numbered
from curvewise.errors import CurvesError
from curvewise.text import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    import narwhals as nw
    import numpy.typing as npt

    from curvewise.data.run_log import RunLog
    from curvewise.data.selection import Selection
    from curvewise.kernels import Floats, Integers

__all__ = [
    "TaskRows",
    "WideTable",
    "frame_of",
    "long_table",
    "names_in",
    "rows_by_task",
]


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
    score_values, is_missing = score_numbers(table[str(columns.score)])
    step_values = step_numbers(table[str(columns.step)], is_missing)
    precision = _precision(table[str(columns.score)])
    stretches, runs = _runs(table, selection)
    del table  # tables of ten million rows should not be in memory twice
    if selection.only:
        keep = selection.keeps_algorithms([label for label, _, _ in runs])
        is_kept = keep[stretches.runs]
        if not is_kept.all():
            rows = np.repeat(is_kept, stretches.lengths)
            step_values, score_values = step_values[rows], score_values[rows]
            is_missing = None if is_missing is None else is_missing[rows]
            stretches = Stretches(stretches.runs[is_kept], stretches.lengths[is_kept])
            # Runs keep their order; those that are left out leave no number behind.
            stretches = stretches._replace(runs=(np.cumsum(keep) - 1)[stretches.runs])
            runs = [run for run, kept in zip(runs, keep, strict=True) if kept]
    labels, names, blocks = zip(*runs, strict=True)
    run_blocks = None if columns.block is None else blocks
    asks_for_window = selection.start is not None or selection.stop is not None
    if not (
        asks_for_window or selection.alignment.asks_for_steps or is_missing is not None
    ):
        order = stretches.alike(step_values)
        if order is not None:
            scores = score_values.reshape(len(runs), -1)
            if (np.diff(order) < 0).any():
                scores = scores[order]
            steps = as_steps(step_values[: scores.shape[1]])
            return WideTable(scores, labels, steps, names, run_blocks, precision)
    records = Records(
        np.repeat(stretches.runs.astype(np.int32), stretches.lengths),
        as_steps(step_values),
        score_values,
        labels,
        names,
        run_blocks,
        precision,
    )
    if is_missing is not None:
        records = records.where(~is_missing)
        if not len(records.scores):
            return records.logs(None)
    windowed = records
    if asks_for_window:
        windowed = records.where(selection.keeps_steps(records.steps))
    if not selection.alignment.asks_for_steps:
        places, steps = _compact(windowed.steps)
        found = _scattered(windowed, places, len(steps))
        if found is not None:
            return WideTable(found, labels, steps, names, run_blocks, precision)
    if selection.duplicates is None:
        windowed.check_repeats()
    return records.logs(selection.duplicates)


class Stretches(NamedTuple):
    """Rows of one run that follow one another: the place of the run, and how many they are."""

    runs: Integers
    lengths: Integers

    def alike(self, steps: np.ndarray[Any, Any]) -> Integers | None:
        """Return the order of the stretches by run if each is a run with the same steps.

        None if a run is in several stretches, or steps differ or do not increase.
        """
        length = int(self.lengths[0])
        if (self.lengths != length).any():
            return None
        order = np.argsort(self.runs)
        if (np.diff(self.runs[order]) == 0).any():
            return None
        table = steps.reshape(-1, length)
        if (np.diff(table[0]) <= 0).any() or not all(
            np.array_equal(own, table[0]) for own in table
        ):
            return None
        return order


def _runs(
    table: nw.DataFrame[Any], selection: Selection
) -> tuple[Stretches, list[tuple[str, str, str]]]:
    """Tell runs apart: return where their rows are, and the algorithm, name and block of each.

    Runs come in natural order of algorithms, then of their names. Raise CurvesError if a run
    lies in several blocks.
    """
    columns = selection.columns
    parts = {"algorithm": columns.algorithm, "run": columns.run, "block": columns.block}
    series = {what: table[name] for what, name in parts.items() if name is not None}
    # Few names on many rows: where rows of a run stand together, only the first is looked at.
    starts = first_rows(series.values())
    coded = {what: names_and_codes(own, what, starts) for what, own in series.items()}
    algorithms, algorithm_codes = coded["algorithm"]
    runs, run_codes = coded["run"]
    # Names are coded in natural order, so sorted keys put the runs into that order too.
    keys = algorithm_codes.astype(np.int64) * len(runs) + run_codes
    places, distinct = _compact(keys)
    rows = places.astype(np.int64)
    lengths = np.diff(starts, append=len(table))
    blocks = [""] * len(distinct)
    labels = [algorithms[key // len(runs)] for key in distinct.tolist()]
    names = [runs[key % len(runs)] for key in distinct.tolist()]
    if "block" in coded:
        blocks = _run_blocks(rows, *coded["block"], labels, names)
    found = list(zip(labels, names, blocks, strict=True))
    return Stretches(rows, lengths), found


def names_in(frame: Any, column: str) -> tuple[str, ...]:
    """Return the names in a column of a table, in natural order; raise if a cell is empty."""
    series = frame_of(frame, [column])[column]
    return tuple(names_and_codes(series, "algorithm", first_rows([series])).names)


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
    names, codes = names_and_codes(table[task], "task")
    order = np.argsort(codes, kind="stable")
    rows = dict(
        zip(names, np.split(order, np.bincount(codes).cumsum()[:-1]), strict=True)
    )
    if only is None:
        return {name: TaskRows(own, None) for name, own in rows.items()}
    algorithms, whose = names_and_codes(table[algorithm], "algorithm")
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


def _precision(series: nw.Series[Any]) -> float:
    import narwhals as nw

    stored = np.float32 if series.dtype == nw.Float32 else np.float64
    return float(np.finfo(stored).eps)


def _compact(
    values: np.ndarray[Any, Any],
) -> tuple[npt.NDArray[np.int32], np.ndarray[Any, Any]]:
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


def _scattered(
    records: Records, places: npt.NDArray[np.int32], n_steps: int
) -> Floats | None:
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


def _run_blocks(
    rows: Integers,
    blocks: list[str],
    codes: Integers,
    labels: Sequence[str],
    names: Sequence[str],
) -> list[str]:
    """Return the block of each run; raise if a run lies in several."""
    of_run = np.zeros(len(labels), dtype=np.int64)
    of_run[rows] = codes
    conflicts = np.flatnonzero(of_run[rows] != codes)
    if conflicts.size:
        run = int(rows[conflicts[0]])
        both = blocks[codes[conflicts[0]]], blocks[of_run[run]]
        msg = (
            f"A run belongs to one block, but run {names[run]!r} of {labels[run]!r} is in "
            f"{both[0]!r} and {both[1]!r}. Choose as the block a column that is the same on all "
            "rows of a run: a shared seed, a fold, a task."
        )
        raise CurvesError(msg)
    return [blocks[code] for code in of_run.tolist()]

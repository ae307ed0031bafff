"""Long tables, one row per run and step, become arrays of runs × steps.

Any frame that narwhals supports can be read. The table is not pivoted by the frame library:
names become small integers and the scores are scattered into an array, in time and memory
proportional to the number of rows.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from curvewise.data.steps import MAX_STEP, as_steps
from curvewise.errors import CurvesError
from curvewise.text import argument, did_you_mean, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import narwhals as nw

    from curvewise.data.selection import Selection
    from curvewise.kernels import Floats, Integers

__all__ = ["WideTable", "natural_order", "numbers", "wide_table"]

Integers32 = npt.NDArray[np.int32]


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
    """

    scores: Floats
    labels: Sequence[str]
    steps: np.ndarray[Any, Any]
    runs: Sequence[str] | None
    blocks: Sequence[str] | None
    precision: float


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


def wide_table(frame: Any, selection: Selection) -> WideTable:
    """Turn a long table into runs × steps; raise if rows are missing, repeated or bad.

    All columns but that of the block must be named in the selection.
    """
    columns = selection.columns
    named = [*columns[:4]] + ([] if columns.block is None else [columns.block])
    table = _table(frame, [str(name) for name in named])
    algorithm_codes, algorithms = _coded(table[str(columns.algorithm)], "algorithm")
    run_codes, runs = _coded(table[str(columns.run)], "run")
    block_codes, blocks = (
        (None, None) if columns.block is None else _coded(table[columns.block], "block")
    )
    step_values = _step_values(table[str(columns.step)])
    score_values = numbers(table[str(columns.score)])
    precision = _precision(table[str(columns.score)])
    del table  # and below: tables of ten million rows should not be in memory twice

    if not selection.keeps_everything:
        keep = selection.keeps_algorithms(algorithms)[algorithm_codes]
        keep &= selection.keeps_steps(step_values)
        algorithm_codes, run_codes = algorithm_codes[keep], run_codes[keep]
        step_values, score_values = step_values[keep], score_values[keep]
        block_codes = None if block_codes is None else block_codes[keep]

    # Names are coded in natural order, so sorted keys put the runs into that order too.
    rows, keys = _compact(algorithm_codes.astype(np.int64) * len(runs) + run_codes)
    labels = [algorithms[key // len(runs)] for key in keys.tolist()]
    run_names = [runs[key % len(runs)] for key in keys.tolist()]
    del algorithm_codes, run_codes
    places, steps = _compact(step_values)
    del step_values
    scores = _scattered(rows, places, score_values, labels, run_names, steps)
    run_blocks = None
    if block_codes is not None and blocks is not None:
        run_blocks = _run_blocks(rows, block_codes, labels, run_names, blocks)
    return WideTable(scores, labels, steps, run_names, run_blocks, precision)


def _table(frame: Any, columns: list[str]) -> nw.DataFrame[Any]:
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
    return (
        str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    )


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


def _precision(series: nw.Series[Any]) -> float:
    import narwhals as nw

    stored = np.float32 if series.dtype == nw.Float32 else np.float64
    return float(np.finfo(stored).eps)


def _step_values(series: nw.Series[Any]) -> np.ndarray[Any, Any]:
    values = numbers(series)
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


def _scattered(
    rows: Integers32,
    places: Integers32,
    values: Floats,
    labels: list[str],
    runs: list[str],
    steps: np.ndarray[Any, Any],
) -> Floats:
    """Put each score into its run and step; raise if some cells are empty or given twice."""
    n_runs, n_steps = len(labels), len(steps)
    cells = rows.astype(np.int64)
    cells *= n_steps
    cells += places
    if len(values) == n_runs * n_steps:
        scores = np.empty(n_runs * n_steps)
        filled = np.zeros(n_runs * n_steps, dtype=np.bool_)
        scores[cells] = values
        filled[cells] = True
        if filled.all():
            return scores.reshape(n_runs, n_steps)

    # Something does not fit. Runs × steps may be far larger than the table here, so sort
    # the rows that exist to find out what.
    distinct, counts = np.unique(cells, return_counts=True)
    repeated = distinct[counts > 1]
    if repeated.size:
        run, step = divmod(int(repeated[0]), n_steps)
        n_repeated = int(counts.sum() - len(distinct))
        msg = (
            f"{plural(n_repeated, 'row')} {'repeats' if n_repeated == 1 else 'repeat'} a run "
            f"and step: run {runs[run]!r} of {labels[run]!r} has "
            f"{counts[counts > 1][0]} scores at step {step_text(steps[step])}. Average or "
            "drop repeated rows, choose one task or metric if the table holds several, or "
            "name the column that tells the runs apart as the run."
        )
        raise CurvesError(msg)
    per_run = np.bincount(distinct // n_steps, minlength=n_runs)
    per_step = np.bincount(distinct % n_steps, minlength=n_steps)
    raise CurvesError(_uneven(per_run, per_step, labels, runs, steps, distinct))


def _uneven(
    per_run: Integers,
    per_step: Integers,
    labels: list[str],
    runs: list[str],
    steps: np.ndarray[Any, Any],
    cells: Integers,
) -> str:
    """Say which runs lack steps, and which steps all runs have."""
    n_runs, n_steps = len(labels), len(steps)
    short = np.flatnonzero(per_run < n_steps)
    run = int(short[0])
    has = np.isin(np.arange(n_steps), cells[cells // n_steps == run] % n_steps)
    gap = steps[np.flatnonzero(~has)[0]]
    msg = (
        f"Some of the {n_steps} steps are missing in {len(short)} of {plural(n_runs, 'run')}: "
        f"run {runs[run]!r} of {labels[run]!r} has {per_run[run]} and none at step "
        f"{step_text(gap)}"
    )
    others = [f"run {runs[r]!r} of {labels[r]!r}" for r in short[1:4]]
    if others:
        more = f" and {len(short) - 4} more" if len(short) > 4 else ""
        msg += f"; also incomplete: {', '.join(others)}{more}"
    msg += ". Every run needs a score at the same steps: "
    shared = np.flatnonzero(per_step == n_runs)
    if shared.size > 1 and shared[-1] - shared[0] + 1 == shared.size:
        low, high = (steps[place].item() for place in shared[[0, -1]])
        msg += (
            f"all runs have steps {step_text(low)} to {step_text(high)}. Keep these with "
            f"{argument('start', low)} and {argument('stop', high)}, or drop the incomplete "
            "runs."
        )
    else:
        msg += "drop the incomplete runs, or bring all runs to common steps first."
    return msg


def _run_blocks(
    rows: Integers32,
    codes: Integers32,
    labels: list[str],
    runs: list[str],
    blocks: list[str],
) -> list[str]:
    """Return the block of each run; raise if a run lies in several."""
    of_run = np.zeros(len(labels), dtype=np.int32)
    of_run[rows] = codes
    conflicts = np.flatnonzero(of_run[rows] != codes)
    if conflicts.size:
        run = int(rows[conflicts[0]])
        both = blocks[codes[conflicts[0]]], blocks[of_run[run]]
        msg = (
            f"A run belongs to one block, but run {runs[run]!r} of {labels[run]!r} is in "
            f"{both[0]!r} and {both[1]!r}. Choose as the block a column that is the same on "
            "all rows of a run: a shared seed, a fold, a task."
        )
        raise CurvesError(msg)
    return [blocks[code] for code in of_run.tolist()]

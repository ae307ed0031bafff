"""Long tables in, arrays out: one row per run and step becomes runs × steps.

Any frame narwhals knows will do. The table is never pivoted in the frame library: names
become small integers and the scores are scattered into an array, in time and memory
proportional to the rows.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from curvewise.errors import CurvesError, counted, nearest
from curvewise.steps import as_steps, in_window, step_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import narwhals as nw

    from curvewise.kernels import Floats, Integers

__all__ = [
    "Matrix",
    "check_names",
    "matrix_from_long",
    "natural_order",
    "numbers",
]

Integers32 = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Matrix:
    """What a table of curves comes down to, in an order its rows do not decide."""

    scores: Floats
    labels: list[str]
    runs: list[str]
    steps: np.ndarray[Any, Any]
    blocks: list[str] | None
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


def matrix_from_long(
    frame: Any,
    *,
    algorithm: str,
    run: str,
    step: str,
    score: str,
    block: str | None = None,
    only: Sequence[str] | None = None,
    start: float | None = None,
    stop: float | None = None,
) -> Matrix:
    """Scatter a long table into runs × steps, or say which rows do not fit."""
    columns = [algorithm, run, step, score] + ([] if block is None else [block])
    table = _table(frame, columns)
    algorithm_codes, algorithms = _coded(table[algorithm], "algorithm")
    run_codes, runs = _coded(table[run], "run")
    block_codes, blocks = (None, None) if block is None else _coded(table[block], "block")
    step_values = _step_values(table[step])
    score_values = numbers(table[score])
    precision = _precision(table[score])
    del table

    keep = _kept(algorithm_codes, algorithms, step_values, only, start, stop)
    if keep is not None:
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
    return Matrix(scores, labels, run_names, steps, run_blocks, precision)


def _table(frame: Any, columns: list[str]) -> nw.DataFrame[Any]:
    import narwhals as nw

    try:
        table = nw.from_native(frame)
        available = table.collect_schema().names()
    except (TypeError, nw.exceptions.NarwhalsError, ValueError):
        msg = (
            f"A {type(frame).__name__} is not a table curvewise can read: give a pandas, "
            "polars or pyarrow frame with a name for each column, or use Curves.from_dict "
            "for arrays."
        )
        raise CurvesError(msg) from None
    for column in columns:
        if column not in available:
            listed = nearest(str(column), map(str, available))
            msg = f"No column is called {column!r}; {listed}"
            raise CurvesError(msg)
    table = table.select(list(dict.fromkeys(columns)))
    table = table.collect() if isinstance(table, nw.LazyFrame) else table
    if len(table) == 0:
        msg = "The table has no rows; it needs one row per run and step."
        raise CurvesError(msg)
    return table


def _coded(series: nw.Series[Any], what: str) -> tuple[Integers32, list[str]]:
    """Replace names by their places in natural order."""
    import narwhals as nw

    missing = series.is_null()
    if series.dtype.is_float():
        missing = missing | series.is_nan()
    if missing.any():
        rows = np.flatnonzero(missing.to_numpy())
        msg = (
            f"The {what} is missing in {counted(len(rows), 'row')}, the first being data "
            f"row {rows[0] + 1} (column {series.name!r}). Fill it in or drop the rows."
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
    # Whole numbers arrive as floats when a frame library had to make room for gaps.
    return (
        str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    )


def numbers(series: nw.Series[Any]) -> Floats:
    """Return a column as numbers; what is missing or is no number becomes NaN."""
    import narwhals as nw

    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        values = series.cast(nw.Float64).to_numpy()
        return np.asarray(values, dtype=np.float64)

    def number(value: object) -> float:
        try:
            # Python would read 1_000 as a number; people who write data do not.
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
            f"Steps must be numbers; column {series.name!r} has none in "
            f"{counted(bad.size, 'row')}, the first being data row {bad[0] + 1} "
            f"({series[int(bad[0])]!r}). Name another column as the step, or mend the rows."
        )
        raise CurvesError(msg)
    if np.abs(values).max() >= 2**53:
        msg = (
            f"Steps as large as {np.abs(values).max():.4g} cannot be told apart. Subtract "
            "the first step from all of them, or count in a larger unit."
        )
        raise CurvesError(msg)
    return as_steps(values)


def _kept(
    codes: Integers32,
    algorithms: list[str],
    steps: np.ndarray[Any, Any],
    only: Sequence[str] | None,
    start: float | None,
    stop: float | None,
) -> np.ndarray[Any, Any] | None:
    """Mark the rows of the wanted algorithms and steps; None when all are wanted."""
    if not only and start is None and stop is None:
        return None
    keep = np.ones(len(codes), dtype=np.bool_)
    if only:
        check_names(only, algorithms)
        wanted = np.isin(np.array(algorithms, dtype=object), list(only))
        keep &= wanted[codes]
    inside = in_window(steps, start, stop)
    keep &= inside
    return keep


def check_names(wanted: Iterable[str], algorithms: Sequence[str]) -> None:
    """Refuse names that no algorithm has."""
    for name in wanted:
        if name not in algorithms:
            msg = f"No algorithm is called {name!r}; {nearest(str(name), algorithms)}"
            raise CurvesError(msg)


def _compact(values: np.ndarray[Any, Any]) -> tuple[Integers32, np.ndarray[Any, Any]]:
    """Give the distinct values numbers in rising order, from 0."""
    low = values.min()
    span = int(values.max() - low) + 1
    if np.issubdtype(values.dtype, np.integer) and span <= 4 * len(values) + 1024:
        # A table of marks is several times faster than sorting ten million rows.
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

    # Something does not fit. Runs × steps may be far larger than the table here, so what
    # is wrong is found by sorting the rows that exist.
    distinct, counts = np.unique(cells, return_counts=True)
    repeated = distinct[counts > 1]
    if repeated.size:
        run, step = divmod(int(repeated[0]), n_steps)
        msg = (
            f"{counted(int(counts.sum() - len(distinct)), 'row')} with a run and step already "
            f"given: run {runs[run]!r} of {labels[run]!r} has "
            f"{counts[counts > 1][0]} scores at step {step_text(steps[step])}. Average or drop "
            "repeated rows, pick one task or metric if the table holds several, or name "
            "the column that tells the runs apart as the run."
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
    """Say which runs lack steps, and which steps all runs share."""
    n_runs, n_steps = len(labels), len(steps)
    short = np.flatnonzero(per_run < n_steps)
    run = int(short[0])
    has = np.isin(np.arange(n_steps), cells[cells // n_steps == run] % n_steps)
    gap = steps[np.flatnonzero(~has)[0]]
    msg = (
        f"{len(short)} of {counted(n_runs, 'run')} lack some of the {n_steps} steps: run "
        f"{runs[run]!r} of {labels[run]!r} has {per_run[run]} and none at step {step_text(gap)}"
    )
    others = [f"{runs[r]!r} of {labels[r]!r}" for r in short[1:4]]
    if others:
        more = f" and {len(short) - 4} more" if len(short) > 4 else ""
        msg += f"; likewise run {', '.join(others)}{more}"
    shared = np.flatnonzero(per_step == n_runs)
    msg += ". Every run needs a score at the same steps: "
    if shared.size > 1 and shared[-1] - shared[0] + 1 == shared.size:
        low, high = step_text(steps[shared[0]]), step_text(steps[shared[-1]])
        msg += (
            f"all runs share the steps {low} to {high} (start={low}, stop={high}; "
            f"--from {low} --to {high}), or drop the runs named."
        )
    else:
        msg += "drop the runs named, or bring the runs to common steps first."
    return msg


def _run_blocks(
    rows: Integers32,
    codes: Integers32,
    labels: list[str],
    runs: list[str],
    blocks: list[str],
) -> list[str]:
    of_run = np.zeros(len(labels), dtype=np.int32)
    of_run[rows] = codes
    torn = np.flatnonzero(of_run[rows] != codes)
    if torn.size:
        run = int(rows[torn[0]])
        both = blocks[codes[torn[0]]], blocks[of_run[run]]
        msg = (
            f"A run belongs to one block, but run {runs[run]!r} of {labels[run]!r} lies in "
            f"{both[0]!r} and {both[1]!r}. Name as the block a column that is the same on "
            "all rows of a run: a shared seed, a fold, a task."
        )
        raise CurvesError(msg)
    return [blocks[code] for code in of_run.tolist()]

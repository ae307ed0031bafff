"""A single file that holds all runs, and says whose they are: a table, or arrays."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

from curvewise.data.checks import check_exact
from curvewise.data.curves import Display, Unaligned, increasing_steps
from curvewise.data.tables import (
    WideTable,
    check_columns,
    check_points,
    grouped,
    long_table,
    names_and_codes,
    names_of_rows,
    natural_order,
    number_of,
    rows_by_task,
    score_numbers,
)
from curvewise.errors import CurvesError, refuse
from curvewise.readers import Naming, RunsByTask
from curvewise.readers.table_formats import format_by_name, format_of
from curvewise.readers.walk import DOUBLE, explained
from curvewise.text import argument, did_you_mean, encodable, plural, step_text, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from curvewise.data.tables import Columns, Names, Selection
    from curvewise.kernels import Booleans, Floats
    from curvewise.readers import Request
    from curvewise.readers.table_formats import Format


USUAL_NAMES = {
    "algorithm": words("algorithm algo agent method model"),
    "run": words("run seed fold trial"),
    "step": words("step steps timestep timesteps iteration epoch level"),
    "score": words("score scores return reward accuracy value"),
}
# What training tools call them, in plain form (see `_plain`). Steps stand in the order of how
# much they tell: amounts of training since the start before counters of batches and episodes.
TOTAL_STEPS = words(
    """totaltimesteps totalenvinteracts totalenvsteps timestepssofar numenvstepssampledlifetime
    timestepstotal totalsteps numstepstotal cumsteps cumulativesteps cumulativetimesteps envsteps
    envstep environmentsteps environmentstep numenvsteps numtimesteps actorsteps totalframes
    numframes frames frame globalstep globalsteps"""
)
COUNTERS = words(
    """trainstep trainsteps trainingstep trainingsteps gradientsteps numsteps nsteps learnersteps
    evaluatorsteps iterations iter iters itr trainingiteration update updates nupdates epochs
    episode episodes episodessofar numepisodes generation gen round rounds trainsize trainsizes
    samples tokens batch batches index"""
)
NAMES_OF_TOOLS = {
    "algorithm": words(
        """algoname algorithmname agentname methodname modelname expname optimizer group condition
        variant name"""
    ),
    "run": ("runid",),
    "step": (*TOTAL_STEPS, *USUAL_NAMES["step"], *COUNTERS),
    "score": words(
        """r episodereturn episodicreturn episodereward eprewmean eprewardmean episodereturnmean
        episoderewardmean meanreward meanreturn averagereturn averageepret averagetestepret
        returnaverage totalreward cumulativereward acc loss"""
    ),
}
EVALUATION = re.compile(r"(?:val|valid|validation|eval|evaluation|test)[_/ .-]\S", re.IGNORECASE)
TASKS = words("task env envid envname environment game dataset problem")
METRICS = words("metric variable measure tag name key")
VALUES = ("value", "values", "score", "scores")
# Time since the start first, then time stamps, which also count while a run is paused.
TIMES = words(
    """timetotals timeelapsed elapsed elapsedtime elapsedseconds runtime cumtimes relativetime
    relativetimeprocess time walltime seconds timestamp wallclock wallclocktime datetime date
    createdat"""
)
# Parts of a name before the last slash under which a counter is a duration or a rate.
GROUPS_OF_DURATIONS = {"timers", "timer", "perf", "profile", "profiling", "system"}
STEP_COLUMN = re.compile(
    r"(?:(?P<word>step|iteration|iter|epoch|timestep|level|t|x)(?P<separator>[ _:=-]*?))?"
    r"(?P<step>[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)",
    re.IGNORECASE,
)


class ColumnsToRead(NamedTuple):
    """The columns to read: those of names, those of numbers, and which of them hold lists."""

    names: list[str]
    numbers: list[str]
    lists: frozenset[str] = frozenset()

    def schema(self) -> dict[str, pl.DataType]:
        """Return the type of each column; cells that do not fit it become null."""
        import polars as pl

        number = pl.Float64()
        types: dict[str, pl.DataType] = {name: pl.String() for name in self.names}
        for column in self.numbers:
            types[column] = pl.List(number) if column in self.lists else number
        return types


def recognised(named: Columns, available: list[str]) -> Columns:
    """Add the columns that the caller did not name, where usual names tell them.

    Raises if a named column does not exist, or if several could be the same part.
    """
    check_columns(named, available)
    # A block may also be what tells the runs apart, such as a shared seed.
    taken = {column for column in named._replace(block=None) if column is not None}
    words = [column for column in worded(available) if column not in taken]
    parts = [part for part in USUAL_NAMES if getattr(named, part) is None]
    return named._replace(**{part: usual_column(part, words) for part in parts})


def worded(available: Iterable[str]) -> list[str]:
    """Return the columns that are not steps of a wide table, of which there may be many.

    >>> worded(["agent", "0", "step_100", "step"])
    ['agent', 'step']
    """
    return [column for column in available if not STEP_COLUMN.fullmatch(column.strip())]


def step_names(available: Sequence[str]) -> list[str]:
    """Return the columns that may count steps, those that tell most about training first.

    >>> step_names(["epoch", "loss", "time/total_timesteps", "_step"])
    ['time/total_timesteps', '_step', 'epoch']
    """
    return _by_rank(available, NAMES_OF_TOOLS["step"])


def time_names(available: Sequence[str]) -> list[str]:
    """Return the columns that may hold time stamps, or the time since the start.

    >>> time_names(["Time", "loss", "_timestamp", "time/fps"])
    ['Time', '_timestamp']
    """
    return _by_rank(available, TIMES)


def task_column(available: Sequence[str]) -> str | None:
    """Return the column that tells tasks apart, by its usual names; None if there is none."""
    return next(iter(_by_rank(available, TASKS)), None)


def is_long_over_metrics(columns: Columns, available: Sequence[str]) -> bool:
    """Whether a table has a row for each metric: a column with its name, one with its value."""
    taken = set(columns)
    names = _by_rank([name for name in available if name not in taken], METRICS)
    return bool(names) and columns.score is not None and _plain(columns.score) in VALUES


def _by_rank(available: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the columns with one of some names, in the order of the names."""
    rank = {name: place for place, name in enumerate(names)}
    plain = {column: _plain(column) for column in worded(available)}
    found = [column for column in plain if plain[column] in rank]
    return sorted(found, key=lambda column: (rank[plain[column]], column.count("/")))


def _plain(column: str) -> str:
    """Return the last part of a name in letters and digits only, in lower case.

    >>> [_plain(name) for name in ("_step", "Diagnostics/CumSteps", "timers/step")]
    ['step', 'cumsteps', '']
    """
    group, _, name = column.strip().rpartition("/")
    if group.rpartition("/")[2].lower() in GROUPS_OF_DURATIONS:
        return ""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def usual_column(part: str, available: list[str]) -> str | None:
    """Return the one column with a usual name, by preference the name of the part.

    Names that only training tools use count where there is no other.
    """
    usual = [column for column in available if column.strip().lower() in USUAL_NAMES[part]]
    candidates = usual or [own for own in available if _is_named_by_a_tool(part, own)]
    own = [column for column in candidates if column.strip().lower() == part]
    if len(own) == 1:
        return own[0]
    if len(candidates) > 1:
        quoted = " and ".join(map(repr, candidates))
        refuse(
            f"The columns {quoted} could each be the {part}. Choose one, for example with "
            f"{argument(part, candidates[0])}."
        )
    return candidates[0] if candidates else None


def _is_named_by_a_tool(part: str, column: str) -> bool:
    """Whether training tools call the part so."""
    if part == "score" and EVALUATION.match(column.strip()):
        return not _plain(column).endswith(("step", "steps", "time"))
    return _plain(column) in NAMES_OF_TOOLS[part]


def refuse_part(part: str, available: list[str]) -> NoReturn:
    """Raise for a part that none of the remaining columns is usually called."""
    usual = "/".join(USUAL_NAMES[part])
    if not available:
        none = f"There is no column left that could be the {part}"
        refuse(f"{none}. Add one, usually called {usual}.")
    refuse(
        f"Which column is the {part}? None of the remaining columns has a usual name "
        f"({usual}); {did_you_mean('', available)} Name the column with "
        f"{argument(part, 'COLUMN')}."
    )


def step_columns(available: list[str]) -> dict[str, float]:
    """Return the columns of a wide table that are steps, such as ``200`` or ``step_200``.

    A dash between a word and a number is a sign if other columns with the word do without it,
    as in ``t-1, t0, t1``. It separates the two if all have one, and the numbers increase.

    >>> step_columns(["algorithm", "t=-1", "t=0"]), step_columns(["step-10", "step-20"])
    ({'t=-1': -1.0, 't=0': 0.0}, {'step-10': 10.0, 'step-20': 20.0})

    Raises
    ------
    CurvesError
        If all have a dash, and the numbers do not increase: dashes may be signs.
    """
    matches = {column: STEP_COLUMN.fullmatch(column.strip()) for column in available}
    found = {column: match for column, match in matches.items() if match}
    steps = {column: float(match["step"]) for column, match in found.items()}
    texts = [match["step"] for match in found.values()]
    check_points(np.array([*steps.values()]), lambda: texts, "The names of columns")
    by_word = grouped(((found[column]["word"] or "").lower(), column) for column in found)
    for columns in by_word.values():
        dashed = [column for column in columns if _is_dashed(found[column])]
        sizes = [abs(steps[column]) for column in dashed]
        if len(dashed) < len(columns):
            sizes = [-size for size in sizes]
        elif any(first >= second for first, second in pairwise(sizes)):
            size = step_text(sizes[0])
            refuse(
                f"Is {dashed[0]!r} the step {size} or -{size}? Write columns of steps as "
                f"numbers only, or with a sign of equality: 't={size}' or 't=-{size}'."
            )
        steps |= zip(dashed, sizes, strict=True)
    return steps


def _is_dashed(match: re.Match[str]) -> bool:
    """Whether a single dash, which may be a sign, stands between a word and a number."""
    if match["word"] is None:
        return False
    if match["step"].startswith("-"):
        return match["separator"] == ""
    return match["separator"].strip() == "-"


def read_table(path: Path, table_format: Format, selection: Selection) -> Unaligned:
    """Read a table in long form, or in wide form when its columns are steps."""
    loaded = _load(path, table_format, selection)
    with explained(path, table_format.name):
        return _runs(loaded.frame, loaded)


def read_table_of_tasks(
    path: Path, table_format: Format, selection: Selection, task: str, keep: str | None = None
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
            refuse(f"No task or column is called {keep!r}; {close}")
        parts = {keep: parts[keep]}

    def runs_of_task(name: str) -> Unaligned:
        part = parts[name]
        own = replace(loaded.selection, only=part.only)
        with explained(path, table_format.name):
            return _runs(loaded.frame[part.rows], loaded._replace(selection=own))

    found = RunsByTask(
        {name: partial(runs_of_task, name) for name, part in parts.items() if part.only != []}
    )
    found.without = tuple(name for name in parts if name not in found)
    return found


def columns_of(path: Path, table_format: Format) -> dict[str, bool]:
    """Return the columns of a table, and whether they hold lists."""
    with explained(path, table_format.name):
        columns: dict[str, bool] = table_format.columns(path)
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
    with explained(path, table_format.name):
        holds_lists: dict[str, bool] = table_format.columns(path)
        check_columns([task, *selection.where], list(holds_lists))
        others = [column for column in holds_lists if column != task]
        columns = recognised(selection.columns, others)
        steps = _wide_steps(columns, others)
        to_read = _columns_to_read(columns, holds_lists, steps)
        added = [*selection.where, *([] if task is None else [task])]
        texts = [name for name in added if name not in to_read.numbers]
        to_read = to_read._replace(names=list(dict.fromkeys([*to_read.names, *texts])))
        frame: pl.DataFrame = table_format.load(path, to_read)
        if frame.height == 0:
            refuse(f"{path.name} has a header but no rows; it needs a row per run and step.")
        frame = _rows_where(frame, selection.where)
        source = columns.described()
        if selection.where:
            kept = [f"{column}={value!r}" for column, value in selection.where.items()]
            source += f"; only {', '.join(kept)}"
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
            everyone = tuple(natural_order(set(_names(frame, columns.algorithm, "algorithm"))))
    return _Loaded(
        frame,
        replace(selection, columns=columns),
        steps,
        f"{encodable(path.name)}: {source}{selection.direction}",
        Display(columns.step or "step", columns.score or "score", everyone),
    )


def _rows_where(frame: pl.DataFrame, where: Mapping[str, str]) -> pl.DataFrame:
    """Keep the rows with these values; raise if there are none."""
    import narwhals as nw

    for column, value in where.items():
        texts = names_of_rows(nw.from_native(frame[column], series_only=True))
        number = number_of(value)
        there = {text for text in texts if text is not None}
        # 3 and 3.0 are the same number.
        kept = {text for text in there if text == value or number_of(text) == number}
        if not kept:
            close = did_you_mean(value, natural_order(there))
            refuse(f"No row has {value!r} in column {column!r}; {close}")
        frame = frame.filter([text in kept for text in texts])
    return frame


def _runs(frame: pl.DataFrame, loaded: _Loaded) -> Unaligned:
    """Take the runs of a table, or of the part of it that is ``frame``."""
    own, steps = loaded.selection, loaded.steps
    table = _from_wide(frame, own, steps) if steps else long_table(frame, own)
    return Unaligned(table, own, loaded.source, loaded.display)


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
            refuse_part(part, [name for name in holds_lists if name not in set(columns)])
    if lists and lists != set(measures):
        (other,) = set(measures) - lists
        refuse(
            f"Column {min(lists)!r} holds a list in each row, but {other!r} a single value. "
            "A row with a whole curve needs lists of scores and of steps, or no column of "
            "steps; average several evaluations at one step first."
        )
    names = (columns.algorithm, columns.run, columns.block)
    texts = [column for column in names if column and column not in measures]
    return ColumnsToRead(list(dict.fromkeys(texts)), list(steps) or measures, lists)


def _from_wide(frame: pl.DataFrame, selection: Selection, steps: dict[str, float]) -> WideTable:
    """Take runs × steps from a table with a row per run and a column per step."""
    columns = selection.columns
    labels = _names(frame, columns.algorithm, "algorithm")
    ordered = sorted(steps, key=lambda column: steps[column])
    values = np.array([steps[column] for column in ordered])
    check_exact(float(np.abs(values).max(initial=0.0)))
    repeated = values[1:][values[1:] == values[:-1]]
    if repeated.size:
        refuse(f"Two columns are both step {step_text(repeated[0])}. Drop one of them.")
    values = increasing_steps(values, len(values))
    inside = np.flatnonzero(selection.keeps_steps(values))
    rows = selection.keeps_algorithms(labels)
    scores, is_missing = _cells(frame[[ordered[place] for place in inside.tolist()]])
    return WideTable(
        scores[rows],
        values[inside],
        labels[rows].tolist(),
        None if columns.run is None else _names(frame, columns.run, "run")[rows].tolist(),
        None if columns.block is None else _names(frame, columns.block, "block")[rows].tolist(),
        precision=DOUBLE,
        is_missing=None if is_missing is None else is_missing[rows],
    )


def _cells(frame: pl.DataFrame) -> tuple[Floats, Booleans | None]:
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
            f"{plural(lengths[column][row], 'value')} in {column!r}" for column in lengths.columns
        )
        refuse(f"Data row {row + 1} has {found}; each run needs a score at each step.")
    if columns.run is None:
        columns = columns._replace(run="run")
        frame = frame.with_row_index("run")
    if columns.step is None:
        columns = columns._replace(step="step")
        n_steps = pl.col(str(columns.score)).list.len()
        frame = frame.with_columns(pl.int_ranges(n_steps).alias("step"))
    return frame.explode([str(columns.step), str(columns.score)]), columns


def is_single_table(path: Path, request: Request) -> bool:
    """Whether a path is a file that holds all runs and says whose they are.

    That is an archive of arrays, or a table with a column for the algorithm and one for the
    score or for each step. A file of such a format that is no log either counts as well, so
    that what it lacks is said. One that is empty, missing or unreadable is refused here.
    """
    found = format_by_name(path)
    if found is None or os.path.isdir(path):  # noqa: PTH112 (it never raises)
        return False
    if glob.has_magic(str(path)) and not os.path.lexists(path):
        return False
    format_of(path)  # raises if the file cannot be read
    return found.columns is None or _tells_all(path, found, request) or not _is_log(path)


def _tells_all(path: Path, table_format: Format, request: Request) -> bool:
    """Whether a table says of which algorithm a run is, and what its scores are."""
    available = list(columns_of(path, table_format))
    named = request.algorithm, request.run, request.step, request.score
    try:
        if request.columns.algorithm is None:
            usual_column("algorithm", worded(available))
    except CurvesError:
        return True  # several could be; reading the table will tell
    try:
        # Without the block: one that is misspelt is no reason to look for logs.
        columns = recognised(request.columns._replace(block=None), available)
    except CurvesError:
        return any(named)
    if columns.algorithm is None:
        return False
    if request.score is None and is_long_over_metrics(columns, available):
        return False
    taken = set(columns)
    left = [name for name in available if name not in taken]
    return columns.score is not None or not left or bool(step_columns(left))


def _is_log(path: Path) -> bool:
    """Whether a file is a training log with something in it."""
    from curvewise.readers.scan import Logs

    try:
        return bool(Logs.found([path], Naming()).scan().metrics)
    except CurvesError:
        return False


def read_single_table(path: Path, request: Request) -> RunsByTask:
    """Return a function for each task of a table that reads its runs.

    None is the task where nothing tells any.

    Raises
    ------
    CurvesError
        If it cannot be told what is what. The functions raise it if runs do not fit together.
    """
    found = format_of(path)
    if found.columns is None:
        if request.task is not None:
            refuse(
                f"{path.name} has no column of tasks: a file in the format {found.name} "
                "holds one task."
            )
        selection = request.selection(metric="")
        return RunsByTask({None: partial(found.load, path, selection)})
    available = list(columns_of(path, found))
    task = request.task if request.task in available else None
    columns = recognised(request.columns, [name for name in available if name != task])
    selection = request.selection(columns.score or "")
    taken = set(columns)
    task = task or task_column([name for name in available if name not in taken])
    if task is None:
        check_columns([request.task], available)
        return RunsByTask({None: partial(read_table, path, found, selection)})
    keep = None if request.task in {None, task} else request.task
    return read_table_of_tasks(path, found, selection, task, keep)

"""The table of one run: which of its columns count the steps, and the metrics at them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

import numpy as np

from curvewise.readers.logged import DOUBLE, LoggedRun, NoSuchStepsError, Series
from curvewise.readers.tables.columns import step_names, time_names
from curvewise.text import argument, did_you_mean, plural, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers
    from curvewise.readers.logged import Wanted

    # Times in seconds, and which rows have one.
    _Seconds = tuple[Floats, npt.NDArray[np.bool_]]

__all__ = [
    "ROW",
    "TIME",
    "Layout",
    "RunTable",
    "is_needed",
    "run_of_table",
    "steps_to_choose",
]

ROW, TIME = "row", "time"
# Without these a mean over episodes is NaN as long as none has ended.
OF_EPISODES = re.compile(r"ep(?:isod|_?rew|_?ret|_?len)|return|reward", re.IGNORECASE)
INDEX = re.compile(r"(?:unnamed: \d+)?", re.IGNORECASE)
# Time stamps count from 1970, in seconds or smaller parts; what is less is a duration.
MIN_TIMESTAMP = 1e8
UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
DATES = ("%Y-%m-%d_%H-%M-%S", "%Y/%m/%d %H:%M:%S", "%d.%m.%Y %H:%M:%S")

# How often steps of a resumed run go back, by rows; in a table without order they do more often.
MAX_SHARE_BACK = 0.2


def steps_to_choose() -> str:
    """Say what can be compared where logs tell nothing but the time."""
    return (
        "These logs count no steps, they only tell the time. Choose what is compared: "
        f"{argument('x', TIME)} takes the seconds since each run began, by which runs on a "
        f"slower machine are behind; {argument('x', ROW)} takes the number of the record, if "
        "all runs were logged equally often."
    )


class RunTable(Protocol):
    """Rows of one run, in the order in which they were written."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    @property
    def notes(self) -> list[str]:
        """What was left out when it was read."""

    @property
    def sessions(self) -> Integers | None:
        """Which session wrote each row, where that is known."""

    def numbers(self, column: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return a column as numbers, and which of its cells hold one."""

    def texts(self, column: str) -> list[str]:
        """Return a column as text."""

    def n_words(self, column: str) -> int:
        """Return how many cells of a column hold something that is no number."""


@dataclass(frozen=True)
class Layout:
    """What is known about the columns of a logger.

    Attributes
    ----------
    steps : tuple of str
        The columns that count steps, the usual one first. Others are recognised by their names.
    is_sure : bool
        Whether the first of them that is there counts steps whatever it holds.
    ignored : callable
        Whether a column is never a metric.
    of_episodes : bool
        Whether each row is an episode.
    precision : float
        The machine epsilon of the type in which the logger keeps numbers.
    """

    steps: tuple[str, ...] = ()
    is_sure: bool = True
    ignored: Callable[[str], bool] = lambda _: False
    of_episodes: bool = False
    precision: float = DOUBLE


def is_needed(wanted: Wanted, layout: Layout, prefix: str = "") -> Callable[[str], bool]:
    """Return a function that tells whether a column is to be read: a metric or steps."""
    known: dict[str, bool] = {}

    def needed(column: str) -> bool:
        if column not in known:
            known[column] = (
                f"{prefix}{column}" in wanted
                or column in layout.steps
                or bool(step_names([column]) or time_names([column]))
                or (wanted.x is not None and _is_called(column, wanted.x))
            )
        return known[column]

    return needed


def run_of_table(
    table: RunTable, wanted: Wanted, layout: Layout, *, name: str, prefix: str = ""
) -> LoggedRun:
    """Return the metrics of a table at its steps.

    A record is a row with a number in the column of the metric and in that of the steps.
    Columns that count steps or tell the time are not metrics, nor are those of words.

    Parameters
    ----------
    table : RunTable
        With at least the columns that `is_needed` asks for.
    wanted : Wanted
    layout : Layout
    name : str
        The name of the file, for messages.
    prefix : str
        What is put before the names of metrics.

    Raises
    ------
    NoSuchStepsError
        If the table does not have the steps that are wanted.
    """
    columns = [column for column in table.columns if not INDEX.fullmatch(column)]
    axes = _axes(table, columns, layout)
    x, steps, has_step = _chosen(table, columns, axes, wanted.x, name)
    notes = list(table.notes)
    if x == ROW and wanted.x is None and table.n_rows:
        notes.append(f"{name} has no column of steps: its rows are counted")
    lost = np.zeros(table.n_rows, dtype=bool)
    told = _sessions(steps, has_step)
    series = {}
    for column in columns:
        metric = f"{prefix}{column}"
        if column in axes.all or metric not in wanted or layout.ignored(column):
            continue
        scores, present = table.numbers(column)
        n_words = table.n_words(column)
        if present.sum() <= n_words:
            continue
        if n_words:
            notes.append(
                f"{plural(n_words, 'cell')} of the column {printable(column)!r} "
                f"{'is' if n_words == 1 else 'are'} no number and "
                f"{'was' if n_words == 1 else 'were'} left out"
            )
        early = _before_first_episode(column, scores, present)
        if early.any():
            rows = "row" if early.sum() == 1 else f"{early.sum()} rows"
            notes.append(
                f"{column} has no value in the first {rows}, before an episode had ended"
            )
        lost |= present & ~has_step
        kept = present & has_step & ~early
        sessions = None if table.sessions is None else table.sessions[kept]
        if (
            sessions is None
            and (np.diff(told[kept])[np.diff(steps[kept]) == 0] > 0).any()
        ):
            sessions = told[kept]
        series[metric] = Series(
            steps[kept],
            scores[kept],
            sessions,
            of_episodes=layout.of_episodes,
            precision=layout.precision,
        )
    if lost.any():
        n_lost = int(lost.sum())
        notes.append(
            f"{plural(n_lost, 'row')} without a number in {x!r} "
            f"{'was' if n_lost == 1 else 'were'} left out"
        )
    others = tuple(other for other in axes.offered if other != x)
    return LoggedRun(series, x, others, notes=notes)


@dataclass(frozen=True)
class _Axes:
    """The columns that can be steps; ``offered`` also has what every table can offer."""

    steps: list[str]
    times: dict[str, _Seconds]
    default: str

    @property
    def all(self) -> set[str]:
        return {*self.steps, *self.times}

    @property
    def offered(self) -> list[str]:
        return [*self.steps, *([TIME] if self.times else []), ROW]


def _sessions(steps: Floats, has_step: npt.NDArray[np.bool_]) -> Integers:
    """Return for each row how often steps went back before it, if they did so only now and then.

    A run that is resumed at the step of its last evaluation writes that step again. The steps of
    the evaluations do not go back then, but those of the rows between them do, which tells that
    the later evaluation holds.
    """
    rows = np.flatnonzero(has_step)
    falls = rows[1:][np.diff(steps[rows]) < 0]
    begins = np.zeros(len(steps), dtype=np.int64)
    if len(falls) <= max(1, MAX_SHARE_BACK * len(rows)):
        begins[falls] = 1
    return np.cumsum(begins)


def _axes(table: RunTable, columns: Sequence[str], layout: Layout) -> _Axes:
    """Find the columns that count steps, and the one to use if none is asked for.

    A column with the name of a counter may hold something else, such as the length of each
    episode. A counter falls only when the run is resumed, and then others fall with it; rows of
    training and of evaluation, told by the counters they have, may each count on their own. One
    that never changes could not fall, so says nothing of the others, and is not used by default.
    """
    known = [column for column in layout.steps if column in columns]
    named = [column for column in step_names(columns) if column not in known]
    counters = {column: table.numbers(column) for column in [*known, *named]}
    kinds = _kinds_of_rows([present for _, present in counters.values()])
    values, falls = {}, {}
    for column, (numbers, present) in counters.items():
        kept = present & np.isfinite(numbers)
        values[column] = numbers[kept]
        if kept.any() or not table.n_rows:
            parts = [numbers[kept & kind] for kind in kinds] or [values[column]]
            falls[column] = sum(int(np.count_nonzero(np.diff(p) < 0)) for p in parts)
    sure = known[:1] if layout.is_sure else []
    moving = {column for column in falls if np.unique(values[column]).size > 1}
    fewest = min((falls[column] for column in moving), default=0)
    steps = [
        column
        for column, n_falls in falls.items()
        if column in sure or (n_falls <= fewest and _counts(values[column], n_falls))
    ]
    seconds = {column: _seconds(table, column) for column in time_names(columns)}
    times = {
        column: found
        for column, found in seconds.items()
        if column not in steps and found[1].any()
    }
    usual = sorted(steps, key=lambda column: column not in moving)
    by_time = [TIME for time, has_time in times.values() if _rises(time[has_time])][:1]
    return _Axes(steps, times, [*usual, *by_time, ROW][0])


def _kinds_of_rows(
    present: Sequence[npt.NDArray[np.bool_]],
) -> list[npt.NDArray[np.bool_]]:
    """Return the rows of each kind: those that have the same of some columns."""
    if not present or all(rows.all() for rows in present):
        return []
    _, kind = np.unique(np.stack(present), axis=1, return_inverse=True)
    kind = kind.ravel()  # NumPy 2.0.0 alone gives it two dimensions
    return [kind == each for each in range(kind.max(initial=-1) + 1)]


def _counts(values: Floats, n_falls: int) -> bool:
    """Whether values rarely fall, or are those of a counter out of order: each only once."""
    return n_falls <= 1 + values.size // 4 or np.unique(values).size == values.size


def _rises(times: Floats) -> bool:
    """Whether times are those of a clock, not durations of their own."""
    return _counts(times, int(np.count_nonzero(np.diff(times) < 0)))


def _chosen(
    table: RunTable, columns: Sequence[str], axes: _Axes, asked: str | None, name: str
) -> tuple[str, Floats, npt.NDArray[np.bool_]]:
    """Return what counts as the step, the steps, and which rows have one."""
    x = axes.default if asked is None else asked
    exact = [column for column in columns if column == x]
    alike = [column for column in columns if _is_called(column, x)]
    column = next(iter(exact or [c for c in alike if c in axes.all] or alike), None)
    if column is None and x.lower() == TIME and axes.times:
        column = next(iter(axes.times))
    if column in axes.times:
        return TIME, *axes.times[column]
    if column is not None:
        numbers, present = table.numbers(column)
        if present.any() or not table.n_rows:
            return column, numbers, present & np.isfinite(numbers)
    elif x.lower() == ROW:
        return ROW, np.arange(table.n_rows, dtype=np.float64), np.ones(table.n_rows, bool)
    msg = (
        f"{name} has no steps called {x!r}; {did_you_mean(x, axes.offered)} Choose with "
        f"{argument('x', axes.offered[0])}."
    )
    raise NoSuchStepsError(msg)


def _is_called(column: str, x: str) -> bool:
    """Whether a column is meant by a name: in any case, or by the part after the slash."""
    lowered, meant = column.lower(), x.strip().lower()
    return meant in {lowered, lowered.rpartition("/")[2]}


def _seconds(table: RunTable, column: str) -> _Seconds:
    """Return a column of times in seconds, and which rows have one.

    Time stamps count from the first of them; what is already a duration stays as it is.
    """
    values, present = table.numbers(column)
    if not present.any():
        values = np.array([_timestamp(text) for text in table.texts(column)], np.float64)
    present = np.isfinite(values)
    if present.any():
        size = np.median(values[present])
        values = values / next((unit for least, unit in UNITS if size > least), 1.0)
        if size > MIN_TIMESTAMP:
            values = values - values[present][0]
            values = np.round(values, 6)  # what the time stamps hold at best
    return values, present


def _timestamp(text: str) -> float:
    """Return a time stamp in seconds since 1970, NaN if it is none; UTC if it does not say.

    >>> _timestamp("1970-01-01T00:01:00Z"), _timestamp("1970-01-01_00-00-05")
    (60.0, 5.0)
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        for form in DATES:
            try:
                moment = datetime.strptime(text, form)
            except ValueError:
                continue
            break
        else:
            return float("nan")
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _before_first_episode(
    column: str, scores: Floats, present: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Return the rows where a mean over episodes is NaN because none had ended."""
    early = np.zeros(len(scores), dtype=bool)
    if OF_EPISODES.search(column):
        numbers = np.flatnonzero(present & ~np.isnan(scores))
        first = numbers[0] if numbers.size else len(scores)
        early[:first] = present[:first]
    return early

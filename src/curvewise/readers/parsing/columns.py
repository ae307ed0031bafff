"""The table of one run: which of its columns count the steps, and the metrics at them."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.tables import PLAIN_NUMBERS, check_points
from curvewise.errors import refuse
from curvewise.readers.tables import step_names, time_names
from curvewise.readers.walk import DOUBLE, SINGLE, LoggedRun, NoSuchStepsError, Series
from curvewise.text import argument, did_you_mean, plural, printable, shown_value, words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.readers.parsing.json_files import JsonRecords
    from curvewise.readers.parsing.text_tables import LogTable
    from curvewise.readers.walk import Wanted

    # Rows of one run, in the order in which they were written.
    RunTable = LogTable | JsonRecords
    # Times in seconds, and which rows have one.
    _Seconds = tuple[Floats, Booleans]


# Names that scores usually have, where they must be told from names of algorithms and runs.

# Words of names such as val_loss, eval/mean_reward, multi_logloss, ndcg@5, top1_acc.
WORDS = {
    *words(
        "loss losses acc accuracy error err score scores return returns reward rewards auc rmse mse "
        "mae mape f1 precision recall perplexity ppl bleu map iou dice lr entropy crossentropy kl "
        "logloss merror mlogloss ndcg r2 l1 l2 nll success regret rmsle gamma poisson quantile huber "
        "aucpr binary multi multiclass"
    )
}
# What a file of numbers may call them, in the plural or not.
NAMED = re.compile(r"(return|reward|score|accuracy|loss|error|regret)(?:e?s)?", re.IGNORECASE)
# Words beside it that say which data or which mean it is of.
BESIDE = words(
    "train training val valid validation dev test eval evaluation mean avg average total episode "
    "episodic ep"
)
# training, valid_0, validation_1, eval, dtest, learn: what people and libraries call data sets.
DATASET = re.compile(
    r"(?:^|[^a-z])d?(?:train(?:ing)?|learn|val|valid|validation|dev|eval|evaluation|test|"
    r"h[eo]ld[ _-]?out|oob|unseen)"
    r"(?:set|data)?(?:$|[^a-z])",
    re.IGNORECASE,
)
RUN = re.compile(r"(?:seed|run|trial|fold|rep|repeat|s|r)?[ _=-]*\d+", re.IGNORECASE)


def is_score_name(name: str) -> bool:
    """Whether a name has a word that is usual in names of scores.

    >>> [is_score_name(name) for name in ("val_loss", "valid_1-l2", "ppo", "seed3")]
    [True, True, False, False]
    """
    return not WORDS.isdisjoint(re.split(r"[^a-z0-9]+", name.lower()))


def is_nothing_but_a_score(name: str) -> bool:
    """Whether a name can only be that of a score, and not of what has to do with it.

    >>> [is_nothing_but_a_score(name) for name in ("val_loss", "huber_loss", "mse")]
    [True, False, False]
    """
    rest = [word for word in re.split(r"[^a-z]+", name.lower()) if word not in BESIDE]
    return len(rest) == 1 and NAMED.fullmatch(rest[0]) is not None


def is_data_set(name: str) -> bool:
    """Whether a name is that of data to train or to evaluate on.

    >>> [is_data_set(name) for name in ("train", "valid_0", "dtest", "ppo")]
    [True, True, True, False]
    """
    return DATASET.search(name) is not None


def is_run_name(name: str) -> bool:
    """Whether a name is that of a run: a number, alone or after a word such as "seed"."""
    return RUN.fullmatch(name.strip()) is not None


def score_name_in(stem: str) -> str:
    """Return what the name of a file calls the scores in it, or "score".

    >>> score_name_in("returns"), score_name_in("test_losses_ppo"), score_name_in("ppo")
    ('return', 'loss', 'score')
    """
    matches = map(NAMED.fullmatch, re.split(r"[^A-Za-z]+", stem))
    return next((match[1].lower() for match in matches if match), "score")


# The table of one run: which of its columns count the steps, and the metrics at them.

ROW, TIME = "row", "time"
# Without these a mean over episodes is NaN as long as none has ended.
OF_EPISODES = re.compile(r"ep(?:isod|_?rew|_?ret|_?len)|return|reward", re.IGNORECASE)
INDEX = re.compile(r"(?:unnamed: \d+)?", re.IGNORECASE)
# Time stamps count from 1970, in seconds or smaller parts; what is less is a duration.
MIN_TIMESTAMP = 1e8
UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
DATES = ("%Y-%m-%d_%H-%M-%S", "%Y/%m/%d %H:%M:%S", "%d.%m.%Y %H:%M:%S")

# 0,5 and 1'000, 85% and 3.2 s, (1+2j); not what is a number, or a date.
NEARLY_NUMBER = re.compile(
    r"[-+]?\d+(?:[,'’_\s]\d+)+(?:\.\d*)?|[-+]?[\d.,]+ ?(?:%|[a-z]{1,2})|\(?[-+]?\d[-+.\de]*j\)?",
    re.IGNORECASE,
)

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


@dataclass(frozen=True)
class Layout:
    """What is known about the columns of the tables of a logger.

    Attributes
    ----------
    logger : str
        Its name, if it is a known one.
    steps : tuple of str
        The columns that count steps, the usual one first. Others are recognised by their names.
    marks : tuple of str
        The columns that tell it: they are all there. By default the first of the steps.
    episodes : str
        A column that is there if each row is an episode.
    precision : float
        The machine epsilon of the type in which the logger keeps numbers.
    n_sampled : int
        How many rows it writes where it samples a longer log; 0 if it never does.
    is_sure : bool
        Whether the first of the steps that is there counts them whatever it holds.
    ignored : callable
        Whether a column is never a metric.
    """

    logger: str = ""
    steps: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    episodes: str = ""
    precision: float = DOUBLE
    n_sampled: int = 0
    is_sure: bool = True
    ignored: Callable[[str], bool] = lambda _: False


# Columns are told by the usual names.
USUAL = Layout()


def _logger(name: str, steps: str, marks: str = "", **about: Any) -> Layout:
    """Return the layout of a logger, its columns listed with commas."""
    return Layout(name, tuple(steps.split(", ")), tuple(filter(None, marks.split(", "))), **about)


_BASELINES, _RETURN = "OpenAI baselines", "episode_return"
# The first whose marks are all there. Other tables are taken by the usual names.
LOGGERS = (
    _logger("Stable-Baselines3", "time/total_timesteps, time/iterations, time/episodes"),
    _logger(_BASELINES, "misc/total_timesteps, misc/serial_timesteps, misc/nupdates"),
    _logger(_BASELINES, "total_timesteps, serial_timesteps, nupdates", "total_timesteps, nupdates"),
    _logger(
        _BASELINES, "TimestepsSoFar, EpisodesSoFar, ItersSoFar", "TimestepsSoFar, EpisodesSoFar"
    ),
    _logger(_BASELINES, "total/steps, total/epochs, total/episodes", "total/steps, total/episodes"),
    _logger("Spinning Up", "TotalEnvInteracts, Epoch", precision=SINGLE),
    _logger("garage", "TotalEnvSteps, Iteration"),
    _logger("rlkit", "exploration/num steps total, Epoch, epoch"),
    _logger("rlpyt", "Diagnostics/CumSteps, Diagnostics/Iteration, Diagnostics/CumCompletedTrajs"),
    _logger(
        "Acme",
        "actor_steps, learner_steps, evaluator_steps, actor_episodes, evaluator_episodes",
        episodes=_RETURN,
    ),
    _logger(
        "Acme", "steps, episodes", f"episode_length, {_RETURN}, episodes, steps", episodes=_RETURN
    ),
    _logger("Weights & Biases", "_step", "_step, _timestamp", n_sampled=500),
    _logger(
        "TensorBoard's page", "Step", "Wall time, Step, Value", precision=SINGLE, n_sampled=1_000
    ),
    _logger("Lightning", "step, epoch", "step, epoch", precision=SINGLE),
    _logger("Keras", "epoch", "epoch, val_loss", precision=SINGLE),
)


def layout_of(header: Sequence[str]) -> Layout:
    """Return the layout of the logger that writes such a header, else one of the usual names."""
    names = set(header)
    known = (each for each in LOGGERS if names.issuperset(each.marks or each.steps[:1]))
    return next(known, USUAL)


def is_needed(wanted: Wanted, layout: Layout = USUAL, prefix: str = "") -> Callable[[str], bool]:
    """Return a function that tells whether a column is to be read: a metric or steps."""
    known: dict[str, bool] = {}

    def needed(column: str) -> bool:
        if column not in known:
            known[column] = (
                f"{prefix}{column}" in wanted
                or column in (*layout.steps, layout.episodes)
                or bool(step_names([column]) or time_names([column]))
                or (wanted.x is not None and _is_called(column, wanted.x))
            )
        return known[column]

    return needed


def run_of_table(
    table: RunTable, wanted: Wanted, layout: Layout = USUAL, *, name: str, prefix: str = ""
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
    for column in step_names(columns):
        _check_written(table, column, name)
    axes = _axes(table, columns, layout)
    x, steps, has_step = _chosen(table, columns, axes, wanted.x, name)
    notes = list(table.notes)
    if x == ROW and wanted.x is None and table.n_rows:
        notes.append(f"{name} has no column of steps: its rows are counted")
    lost = np.zeros(table.n_rows, dtype=bool)
    told, of_episodes = _sessions(steps, has_step), layout.episodes in columns
    series = {}
    for column in columns:
        metric = f"{prefix}{column}"
        if column in axes.all or metric not in wanted or layout.ignored(column):
            continue
        scores, present = table.numbers(column)
        n_words = table.n_words(column)
        if wanted.metrics is not None or is_score_name(column):
            _check_written(table, column, name, n_allowed=int(present.sum()) - 1)
        if present.sum() <= n_words:
            continue
        if n_words:
            are, were = ("is", "was") if n_words == 1 else ("are", "were")
            where = f"{plural(n_words, 'cell')} of the column {printable(column)!r}"
            notes.append(f"{where} {are} no number and {were} left out")
        early = _before_first_episode(column, scores, present)
        if early.any():
            rows = "row" if early.sum() == 1 else f"{early.sum()} rows"
            notes.append(f"{column} has no value in the first {rows}, before an episode had ended")
        lost |= present & ~has_step
        kept = present & has_step & ~early
        sessions = table.sessions
        if sessions is None and (np.diff(told[kept])[np.diff(steps[kept]) == 0] > 0).any():
            sessions = told
        records = Series(steps, scores, sessions, of_episodes, layout.precision)
        series[metric] = records.rows(kept)
    if n_lost := int(lost.sum()):
        were = "was" if n_lost == 1 else "were"
        notes.append(f"{plural(n_lost, 'row')} without a number in {x!r} {were} left out")
    others = tuple(other for other in axes.offered if other != x)
    return LoggedRun(series, x, others, notes=notes)


def _check_written(table: RunTable, column: str, name: str, n_allowed: int = 0) -> None:
    """Raise CurvesError if numbers of a column are written so that they cannot be read.

    That is so if more cells than are allowed are no numbers, and one of them is one with commas,
    a percent sign or the like.
    """
    where = f"Column {printable(column)!r} of {name}"
    check_points(table.numbers(column)[0], partial(table.texts, column), where)
    if table.n_words(column) > n_allowed:
        for text in filter(NEARLY_NUMBER.fullmatch, table.texts(column)):
            refuse(f"{where} has {shown_value(text)}, which is not a number. {PLAIN_NUMBERS}")


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


def _sessions(steps: Floats, has_step: Booleans) -> Integers:
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
        column: found for column, found in seconds.items() if column not in steps and found[1].any()
    }
    usual = sorted(steps, key=lambda column: column not in moving)
    clocks = [time[has_time] for time, has_time in times.values()]
    # Durations of their own are no clock.
    by_time = [TIME for clock in clocks if _counts(clock, int((np.diff(clock) < 0).sum()))][:1]
    return _Axes(steps, times, [*usual, *by_time, ROW][0])


def _kinds_of_rows(present: Sequence[Booleans]) -> list[Booleans]:
    """Return the rows of each kind: those that have the same of some columns."""
    if not present or all(rows.all() for rows in present):
        return []
    _, kind = np.unique(np.stack(present), axis=1, return_inverse=True)
    kind = kind.ravel()  # NumPy 2.0.0 alone gives it two dimensions
    return [kind == each for each in range(kind.max(initial=-1) + 1)]


def _counts(values: Floats, n_falls: int) -> bool:
    """Whether values rarely fall, or are those of a counter out of order: each only once."""
    return n_falls <= 1 + values.size // 4 or np.unique(values).size == values.size


def _chosen(
    table: RunTable, columns: Sequence[str], axes: _Axes, asked: str | None, name: str
) -> tuple[str, Floats, Booleans]:
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
    for form in (None, *DATES):
        with suppress(ValueError):
            moment = datetime.strptime(text, form) if form else datetime.fromisoformat(text)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return np.nan


def _before_first_episode(column: str, scores: Floats, present: Booleans) -> Booleans:
    """Return the rows where a mean over episodes is NaN because none had ended."""
    if not OF_EPISODES.search(column):
        return np.zeros(len(scores), dtype=bool)
    return present & ~np.logical_or.accumulate(present & ~np.isnan(scores))

"""Which column is what: named by the caller, or recognised by its usual name."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from curvewise.errors import CurvesError
from curvewise.text import argument, did_you_mean, step_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

    from curvewise.data.selection import Columns

__all__ = [
    "ColumnsToRead",
    "is_long_over_metrics",
    "missing_column_error",
    "recognised",
    "step_columns",
    "step_names",
    "task_column",
    "time_names",
    "unknown_column_error",
    "usual_column",
    "worded",
]

USUAL_NAMES = {
    "algorithm": ("algorithm", "algo", "agent", "method", "model"),
    "run": ("run", "seed", "fold", "trial"),
    "step": ("step", "steps", "timestep", "timesteps", "iteration", "epoch", "level"),
    "score": ("score", "scores", "return", "reward", "accuracy", "value"),
}
# What training tools call them, in plain form (see `_plain`). Steps stand in the order of how
# much they tell: amounts of training since the start before counters of batches and episodes.
TOTAL_STEPS = (
    *("totaltimesteps", "totalenvinteracts", "totalenvsteps", "timestepssofar"),
    *("numenvstepssampledlifetime", "timestepstotal", "totalsteps", "numstepstotal"),
    *("cumsteps", "cumulativesteps", "cumulativetimesteps", "envsteps", "envstep"),
    *("environmentsteps", "environmentstep", "numenvsteps", "numtimesteps", "actorsteps"),
    *("totalframes", "numframes", "frames", "frame", "globalstep", "globalsteps"),
)
COUNTERS = (
    *("trainstep", "trainsteps", "trainingstep", "trainingsteps", "gradientsteps"),
    *("numsteps", "nsteps", "learnersteps", "evaluatorsteps", "iterations", "iter"),
    *("iters", "itr", "trainingiteration", "update", "updates", "nupdates", "epochs"),
    *(
        "episode",
        "episodes",
        "episodessofar",
        "numepisodes",
        "generation",
        "gen",
        "round",
    ),
    *("rounds", "trainsize", "trainsizes", "samples", "tokens", "batch", "batches"),
    "index",
)
NAMES_OF_TOOLS = {
    "algorithm": (
        *("algoname", "algorithmname", "agentname", "methodname", "modelname"),
        *("expname", "optimizer", "group", "condition", "variant", "name"),
    ),
    "run": ("runid",),
    "step": (*TOTAL_STEPS, *USUAL_NAMES["step"], *COUNTERS),
    "score": (
        *("r", "episodereturn", "episodicreturn", "episodereward", "eprewmean"),
        *("eprewardmean", "episodereturnmean", "episoderewardmean", "meanreward"),
        *("meanreturn", "averagereturn", "averageepret", "averagetestepret"),
        *("returnaverage", "totalreward", "cumulativereward", "acc", "loss"),
    ),
}
EVALUATION = re.compile(
    r"(?:val|valid|validation|eval|evaluation|test)[_/ .-]\S", re.IGNORECASE
)
TASKS = ("task", "env", "envid", "envname", "environment", "game", "dataset", "problem")
METRICS = ("metric", "variable", "measure", "tag", "name", "key")
VALUES = ("value", "values", "score", "scores")
# Time since the start first, then time stamps, which also count while a run is paused.
TIMES = (
    *("timetotals", "timeelapsed", "elapsed", "elapsedtime", "elapsedseconds", "runtime"),
    *("cumtimes", "relativetime", "relativetimeprocess", "time", "walltime", "seconds"),
    *("timestamp", "wallclock", "wallclocktime", "datetime", "date", "createdat"),
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
    for column in named:
        if column is not None and column not in available:
            raise unknown_column_error(column, available)
    # A block may also be what tells the runs apart, such as a shared seed.
    taken = {column for column in named._replace(block=None) if column is not None}
    words = [column for column in worded(available) if column not in taken]
    found = {
        part: usual_column(part, words)
        for part in USUAL_NAMES
        if getattr(named, part) is None
    }
    return named._replace(**found)


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
    candidates = [
        column for column in available if column.strip().lower() in USUAL_NAMES[part]
    ] or [column for column in available if _is_named_by_a_tool(part, column)]
    own = [column for column in candidates if column.strip().lower() == part]
    if len(own) == 1:
        return own[0]
    if len(candidates) > 1:
        quoted = " and ".join(map(repr, candidates))
        msg = (
            f"The columns {quoted} could each be the {part}. Choose one, for example with "
            f"{argument(part, candidates[0])}."
        )
        raise CurvesError(msg)
    return candidates[0] if candidates else None


def _is_named_by_a_tool(part: str, column: str) -> bool:
    """Whether training tools call the part so."""
    if part == "score" and EVALUATION.match(column.strip()):
        return not _plain(column).endswith(("step", "steps", "time"))
    return _plain(column) in NAMES_OF_TOOLS[part]


def unknown_column_error(column: str, available: list[str]) -> CurvesError:
    """Return the error for a column that was named and does not exist."""
    return CurvesError(
        f"No column is called {column!r}; {did_you_mean(column, available)}"
    )


def missing_column_error(part: str, available: list[str]) -> CurvesError:
    """Return the error for a part that none of the remaining columns is usually called."""
    usual = "/".join(USUAL_NAMES[part])
    if not available:
        return CurvesError(
            f"There is no column left that could be the {part}. Add one, usually called {usual}."
        )
    return CurvesError(
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
    by_word: dict[str, list[str]] = {}
    for column, match in found.items():
        by_word.setdefault((match["word"] or "").lower(), []).append(column)
    for columns in by_word.values():
        dashed = [column for column in columns if _is_dashed(found[column])]
        sizes = [abs(steps[column]) for column in dashed]
        if len(dashed) < len(columns):
            sizes = [-size for size in sizes]
        elif any(first >= second for first, second in pairwise(sizes)):
            size = step_text(sizes[0])
            msg = (
                f"Is {dashed[0]!r} the step {size} or -{size}? Write columns of steps as "
                f"numbers only, or with a sign of equality: 't={size}' or 't=-{size}'."
            )
            raise CurvesError(msg)
        steps |= zip(dashed, sizes, strict=True)
    return steps


def _is_dashed(match: re.Match[str]) -> bool:
    """Whether a single dash, which may be a sign, stands between a word and a number."""
    if match["word"] is None:
        return False
    if match["step"].startswith("-"):
        return match["separator"] == ""
    return match["separator"].strip() == "-"

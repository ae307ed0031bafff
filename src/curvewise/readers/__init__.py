"""Files and folders in, Curves out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_args

from curvewise.data.checks import as_names, check_choice, check_kind, check_names
from curvewise.data.curves import better_higher
from curvewise.data.tables import AlignmentOptions, Columns, Selection, SelectionOptions
from curvewise.data.tasks import BASELINE, CANDIDATE, Missing, Tasks, each_task, side_by_side
from curvewise.errors import refuse
from curvewise.readers.walk import files_given
from curvewise.text import argument, in_python, listed, plural, shown_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from curvewise.data.curves import Curves, Unaligned
    from curvewise.data.points import Duplicates
    from curvewise.data.tables import How, Policy


PathLike = str | os.PathLike[str]
# The arguments that are names of columns, keys, tasks or metrics.
NAMES = (
    *("task", "metric", "x", "group_by", "run_by"),
    *("algorithm", "run", "step", "score", "block"),
)


class RunsByTask(dict["str | None", "Callable[[], Unaligned]"]):
    """A function for each task that reads its runs; None is the task of runs without one.

    ``without`` names the tasks in which none of the algorithms to keep was found.
    """

    without: tuple[str, ...] = ()


def as_paths(path: PathLike | Sequence[PathLike]) -> list[PathLike]:
    """Return one path, or several, as a list; raise CurvesError if there is none."""
    given: Any = path
    try:
        paths = [given] if isinstance(given, str | os.PathLike) else list(given)
    except TypeError:
        paths = [given]
    for each in paths:
        if not isinstance(each, str | os.PathLike):
            refuse(f"Name files or folders to read; {shown_value(each)} is not the name of one.")
    if not paths:
        refuse("There is nothing to read: name a file or a folder.")
    for each in paths:
        if str(each) == "":
            refuse("The name of a file or folder to read is empty; for this folder write a dot.")
        if "\0" in str(each):
            refuse(f"{shown_value(str(each))} has a null character, which no name of a file has.")
    return paths


@dataclass(frozen=True)
class Naming:
    """What runs are told apart by, and what their steps are, where the caller says so.

    Attributes
    ----------
    group_by, run_by : str, optional
        A key of the configuration, a part of the path, or a pattern with named parts.
    task : str, optional
        The task to keep, or what tells tasks apart.
    block : str, optional
        What runs of different algorithms share.
    x : str, optional
        What the steps are.
    tables_are_tasks : bool
        Whether tables that lie side by side, and hold several algorithms each, are tasks if
        nothing else tells any.
    """

    group_by: str | None = None
    run_by: str | None = None
    task: str | None = None
    block: str | None = None
    x: str | None = None
    tables_are_tasks: bool = False


class Options(SelectionOptions, total=False):
    """The arguments of `read`, but for the path and the task."""

    metric: str | None
    x: str | None
    group_by: str | None
    run_by: str | None
    algorithm: str | None
    run: str | None
    step: str | None
    score: str | None
    higher_is_better: bool | None
    where: Mapping[str, str] | None


class Request(SimpleNamespace):
    """The arguments of `read`, but for the path; those that are not given, as `read` has them."""

    def __init__(self, **given: Any) -> None:
        defaults = read.__kwdefaults__ or {}
        for unknown in given.keys() - defaults.keys():
            msg = f"read() got an unexpected keyword argument {unknown!r}"
            raise TypeError(msg)
        super().__init__(**{**defaults, **given, "only": as_names("only", given.get("only"))})
        # Values that cannot be used are refused before anything is read.
        check_names(**{option: getattr(self, option) for option in NAMES})
        example = "a mapping from columns to values, such as {'game': 'pong'}"
        check_kind("where", self.where, Mapping, example)
        self.selection(metric="")

    def with_options(self, **others: Any) -> Request:
        """Return the same request with other values of some arguments."""
        return Request(**{**vars(self), **others})

    @property
    def columns(self) -> Columns:
        """The columns of a table, as far as they are named."""
        return Columns(
            self.algorithm or self.group_by,
            self.run or self.run_by,
            self.step or self.x,
            self.score or self.metric,
            self.block,
        )

    @property
    def naming(self) -> Naming:
        """What runs in logs are told apart by."""
        return Naming(
            self.group_by or self.algorithm,
            self.run_by or self.run,
            self.task,
            self.block,
            self.x or self.step,
        )

    def selection(self, metric: str) -> Selection:
        """Return which part of a metric is read, and how runs are brought to common steps."""
        return Selection(
            self.columns,
            self.only,
            self.start,
            self.stop,
            better_higher(self.higher_is_better, metric),
            AlignmentOptions(self.align, self.n_steps, self.short, self.reason, self.min_steps),
            self.duplicates,
            {str(column): str(value) for column, value in (self.where or {}).items()},
        )


def read(
    path: PathLike | Sequence[PathLike],
    *,
    metric: str | None = None,
    x: str | None = None,
    group_by: str | None = None,
    run_by: str | None = None,
    task: str | None = None,
    algorithm: str | None = None,
    run: str | None = None,
    step: str | None = None,
    score: str | None = None,
    block: str | None = None,
    only: Sequence[str] | None = None,
    start: float | None = None,
    stop: float | None = None,
    align: How = "linear",
    n_steps: int | None = None,
    short: Policy = "refuse",
    reason: str | None = None,
    min_steps: int | None = None,
    duplicates: Duplicates | None = None,
    higher_is_better: bool | None = None,
    where: Mapping[str, str] | None = None,
) -> Curves:
    """Read curves from a table, or from training logs.

    A table is a file: CSV, TSV, Parquet and JSON lines with a row per run and step (long
    form) or a row per run and a column per step (wide form), or NPZ with a runs × steps array
    per algorithm. Training logs are folders, files and patterns; their formats are recognised
    by what they hold, and `scan` lists what is there. ``Curves.source`` says what was read,
    and ``Curves.preparation`` what was done to bring runs to common steps.

    Parameters
    ----------
    path : path, or several
        A table; or files, folders with all below them, patterns such as ``runs/*ppo*``.
    metric : str, optional
        The metric to compare, where there are several. By default the only one, or the one that
        stands out: evaluation before training, returns and accuracies before losses.
    x : str, optional
        What counts as training, where a log has several: a column, "epoch", "time".
    group_by : str, optional
        What tells algorithms apart: a key of the configuration, a part of the path, several
        joined by commas, or a pattern such as ``'{task}/{algorithm}/seed{run}'``.
    run_by : str, optional
        What tells runs apart; as ``group_by``.
    task : str, optional
        The task to keep; or the column or key that tells tasks apart.
    algorithm : str, optional
        The column with the algorithm. Columns of a table that are not named are recognised by
        their usual names, such as ``agent``, ``seed``, ``epoch``, ``return``.
    run : str, optional
        The column that tells the runs apart.
    step : str, optional
        The column with the amount of training.
    score : str, optional
        The column with the score.
    block : str, optional
        The column, or key, of what runs of different algorithms share (seed, fold, task); runs
        are then shuffled only within it.
    only : sequence of str, optional
        The algorithms to keep.
    start : float, optional
        The first step to keep; to be chosen before looking.
    stop : float, optional
        The last step to keep; to be chosen before looking.
    align : "linear", "previous" or "bins"
        How runs that were logged at different steps are brought to common ones. It is the
        ``how`` of `align`.
    n_steps, short, reason, min_steps
        As in `align`.
    duplicates : "mean" or "last", optional
        What holds where a table has several scores of a run at one step: their mean, or the
        last. Refused by default. Logs tell: the later record of a resumed run, the mean of
        several episodes.
    higher_is_better : bool, optional
        Which scores are better. By default higher ones, unless the score is called a loss or an
        error.
    where : mapping from column to value, optional
        The rows of a table to keep: those with these values, such as
        ``{"game": "pong", "sticky": "0.25"}``.

    Returns
    -------
    Curves

    Raises
    ------
    CurvesError
        If there is nothing to read, if it cannot be told what is what, or if runs do not fit
        together.
    OptionError
        If an argument has a value that cannot be used.
    """
    options = {**locals()}
    del options["path"]
    found = runs_by_task(path, Request(**options))
    if len(found) > 1:
        refuse(_several(found))
    (runs_of_task,) = found.values()
    return runs_of_task().curves()


def read_tasks(
    path: PathLike | Sequence[PathLike],
    *,
    task: str | None = None,
    missing: Missing = "keep",
    **options: Unpack[Options],
) -> Tasks:
    """Read the curves of several tasks from a table, or from training logs.

    Parameters
    ----------
    path : path, or several
        As in `read`. Of several tables, in a folder or by their names, each is a task unless
        a column tells them apart.
    task : str, optional
        What tells the tasks apart: the column of a table, the key of a configuration, a part
        of the path. By default what usually does, such as ``env_id`` or ``game``. The name of
        a task keeps that one.
    missing : "keep", "refuse" or "drop"
        What happens to a task that lacks an algorithm that others have, or that ``only``
        names: as in `Tasks`.
    **options
        All others as in `read`. Each task is brought to common steps by itself.

    Returns
    -------
    Tasks
        A mapping from task to Curves, in natural order of the names.

    Raises
    ------
    CurvesError, OptionError
        As in `read` and `Tasks`, and if nothing tells tasks apart.
    """
    check_choice("missing", missing, get_args(Missing))
    found = runs_by_task(path, Request(task=task, **options), tables_are_tasks=True)
    name_it = f"Name the column or the key that does with {argument('task', 'NAME')}."
    if list(found) == [None]:
        refuse(f"Nothing tells tasks apart here. {name_it}")
    if None in found:
        refuse(f"Nothing tells the task of some runs, but that of others. {name_it}")
    tables = each_task(
        {str(name): runs for name, runs in found.items()}, lambda runs: runs().curves()
    )
    return Tasks(
        tables, algorithms=options.get("only") or None, missing=missing, without=found.without
    )


def read_all(
    path: PathLike | Sequence[PathLike], *, task: str | None = None, **options: Unpack[Options]
) -> dict[str, Curves]:
    """Read the curves of every task there is, one or several, as `read_tasks` tells them apart.

    Curves that nothing tells a task of are those of the task "".
    """
    found = runs_by_task(path, Request(task=task, **options), tables_are_tasks=True)
    if None in found and len(found) > 1:
        refuse(_several(found))
    return each_task(
        {str(name or ""): runs for name, runs in found.items()}, lambda runs: runs().curves()
    )


@files_given()
def runs_by_task(
    path: PathLike | Sequence[PathLike], request: Request, *, tables_are_tasks: bool = False
) -> RunsByTask:
    """Return a function for each task that reads its runs, from a table or from logs."""
    paths = as_paths(path)
    if len(paths) == 1:
        from curvewise.readers.tables import is_single_table, read_single_table

        only = Path(paths[0])
        if is_single_table(only, request):
            return read_single_table(only, request)
    if request.where:
        refuse(
            f"{argument('where')} chooses rows of a table, and these are training logs. Name "
            f"fewer folders, or choose with {argument('task')} and {argument('only')}.",
            "where",
        )
    from curvewise.readers.points import read_logs
    from curvewise.readers.scan import Logs

    naming = replace(request.naming, tables_are_tasks=tables_are_tasks)
    return read_logs(Logs.found(paths, naming), request)


def _several(tasks: RunsByTask) -> str:
    """Say that there are several tasks, and how to choose one."""
    names = [name for name in tasks if name is not None]
    others = "" if None not in tasks else ", and runs without a task"
    which = argument("task", names[0])
    return (
        f"There {'is' if len(names) == 1 else 'are'} {plural(len(names), 'task')}: "
        f"{listed(names, 8)}{others}. Choose "
        f"one, as in {which}{in_python(', or read each with read_tasks()')}."
    )


def read_sides(
    baseline: PathLike | Unaligned,
    candidate: PathLike | Unaligned,
    *,
    names: Mapping[str, str | None] | None = None,
    task: str | None = None,
    **options: Unpack[Options],
) -> dict[str | None, Curves]:
    """Read the runs of a baseline and of a candidate, each from a place of its own.

    Parameters
    ----------
    baseline, candidate : path or Unaligned
        A table or training logs, as `read` takes them, or runs that were read before.
    names : mapping from role to algorithm, optional
        The algorithm that is the "baseline", and the "candidate", where a path holds several.
    task, **options
        As in `read`; the same for both. All runs are aligned together.

    Returns
    -------
    dict from task to Curves
        Of the algorithms "baseline" and "candidate"; None is the task where nothing tells any.

    Raises
    ------
    CurvesError, OptionError
        As in `read`, and if a path holds several algorithms, or not the tasks of the other.
    """
    request = Request(task=task, **options)
    names = names or {}
    found = {}
    for role, side in ((BASELINE, baseline), (CANDIDATE, candidate)):
        name = names.get(role)
        own = request if name is None else request.with_options(only=[name])
        found[role] = _tasks(side, own)
    if all(len(tasks) == 1 for tasks in found.values()):
        # Where nothing tells the task of one, it is that of the other.
        known = next((name for own in found.values() for name in own if name), None)
        for role, tasks in found.items():
            if None in tasks:
                found[role] = RunsByTask({known: tasks[None]})
    for role, other in ((BASELINE, CANDIDATE), (CANDIDATE, BASELINE)):
        missing = [str(name) for name in found[role] if name not in found[other]]
        if missing:
            refuse(
                f"The {role} has runs of {listed(missing, 6)}, and the {other} has none. "
                "Compare tasks that both were trained on."
            )
    pairs = {name: (runs, found[CANDIDATE][name]) for name, runs in found[BASELINE].items()}
    curves = {name: side_by_side(own(), its()) for name, (own, its) in pairs.items()}
    sides = [side for side in (baseline, candidate) if isinstance(side, str | os.PathLike)]
    is_same = len(sides) == 2 and len({*map(os.path.realpath, sides)}) == 1
    if is_same and names.get(BASELINE) == names.get(CANDIDATE):
        refuse(
            f"Baseline and candidate are the same runs, those of {str(baseline)!r}. Name another "
            "place for one of them."
        )
    return curves


def _tasks(side: PathLike | Unaligned, request: Request) -> RunsByTask:
    from curvewise.data.curves import Unaligned

    if isinstance(side, Unaligned):
        return RunsByTask({None: lambda: side})
    return runs_by_task(side, request)

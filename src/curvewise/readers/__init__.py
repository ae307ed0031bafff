"""Files and folders in, Curves out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from curvewise.data.choices import check_choice
from curvewise.data.tasks import Missing, Tasks, each_task
from curvewise.errors import CurvesError, OptionError
from curvewise.readers.request import Request, as_paths
from curvewise.text import argument, in_python, listed, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from curvewise.data.alignment_options import How, Policy
    from curvewise.data.curves import Curves
    from curvewise.data.records import Duplicates
    from curvewise.readers.request import Options, PathLike, RunsByTask

__all__ = ["read", "read_all", "read_tasks", "runs_by_task"]

MAX_NAMED = 8  # tasks that a message lists


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
        What is compared, where there are several. By default the only one, or the one that
        stands out: evaluation before training, returns and accuracies before losses.
    x : str, optional
        What counts as training, where logs offer several: a column, "epoch", "time".
    group_by, run_by : str, optional
        What tells algorithms, and runs, apart, where the default is not meant: a key of the
        configuration, a part of the path, several joined by commas, or a pattern such as
        ``{task}/{algorithm}/seed{run}``.
    task : str, optional
        The task to keep, where there are several; or the column or key that tells them apart.
    algorithm, run, step, score : str, optional
        The columns of a table. Those not named are recognised by their usual names, such as
        ``agent``, ``seed``, ``epoch``, ``return``.
    block : str, optional
        The column, or the key, of what runs of different algorithms share: a seed, a fold.
    only : sequence of str, optional
        The algorithms to keep.
    start, stop : float, optional
        The first and the last step to keep.
    align, n_steps, short, reason, min_steps
        How runs that differ in their steps or in length are brought to common steps; see
        `align`, where ``align`` is called ``how``.
    duplicates : "mean" or "last", optional
        What holds where a table has several scores of a run at one step; refused by default.
        Logs tell: the later record of a resumed run, the mean of several episodes.
    higher_is_better : bool, optional
        By default True, unless the name of the score is that of a loss or an error.
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
    request = Request(
        task=task,
        metric=metric,
        x=x,
        group_by=group_by,
        run_by=run_by,
        algorithm=algorithm,
        run=run,
        step=step,
        score=score,
        block=block,
        only=only,
        start=start,
        stop=stop,
        align=align,
        n_steps=n_steps,
        short=short,
        reason=reason,
        min_steps=min_steps,
        duplicates=duplicates,
        higher_is_better=higher_is_better,
        where=where,
    )
    found = runs_by_task(path, request)
    if len(found) > 1:
        raise CurvesError(_several(found))
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
        msg = f"Nothing tells tasks apart here. {name_it}"
        raise CurvesError(msg)
    if None in found:
        msg = f"Nothing tells the task of some runs, but that of others. {name_it}"
        raise CurvesError(msg)
    tables = each_task(
        {str(name): runs for name, runs in found.items()}, lambda runs: runs().curves()
    )
    return Tasks(
        tables,
        algorithms=options.get("only") or None,
        missing=missing,
        without=found.without,
    )


def read_all(
    path: PathLike | Sequence[PathLike],
    *,
    task: str | None = None,
    **options: Unpack[Options],
) -> dict[str, Curves]:
    """Read the curves of every task there is, one or several, as `read_tasks` tells them apart.

    Curves that nothing tells a task of are those of the task "".
    """
    found = runs_by_task(path, Request(task=task, **options), tables_are_tasks=True)
    if None in found and len(found) > 1:
        raise CurvesError(_several(found))
    return each_task(
        {str(name or ""): runs for name, runs in found.items()},
        lambda runs: runs().curves(),
    )


def runs_by_task(
    path: PathLike | Sequence[PathLike],
    request: Request,
    *,
    tables_are_tasks: bool = False,
) -> RunsByTask:
    """Return a function for each task that reads its runs, from a table or from logs."""
    paths = as_paths(path)
    if len(paths) == 1:
        from curvewise.readers.tables.single_table import (
            is_single_table,
            read_single_table,
        )

        only = Path(paths[0])
        if is_single_table(only, request):
            return read_single_table(only, request)
    if request.where:
        msg = (
            f"{argument('where')} chooses rows of a table, and these are training logs. Name "
            f"fewer folders, or choose with {argument('task')} and {argument('only')}."
        )
        raise OptionError(msg, option="where")
    from curvewise.readers.log_curves import read_logs
    from curvewise.readers.scanning import Logs

    naming = replace(request.naming, tables_are_tasks=tables_are_tasks)
    return read_logs(Logs.found(paths, naming), request)


def _several(tasks: RunsByTask) -> str:
    """Say that there are several tasks, and how to choose one."""
    names = [name for name in tasks if name is not None]
    others = "" if None not in tasks else ", and runs without a task"
    which = argument("task", names[0])
    return (
        f"There {'is' if len(names) == 1 else 'are'} {plural(len(names), 'task')}: "
        f"{listed(names, MAX_NAMED)}{others}. Choose "
        f"one, as in {which}{in_python(', or read each with read_tasks()')}."
    )

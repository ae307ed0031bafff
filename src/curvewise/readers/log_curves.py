"""Curves from training logs: one metric of all runs, brought to common steps."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from curvewise.data.alignment import Unaligned
from curvewise.data.display import Display
from curvewise.data.names import natural_order
from curvewise.data.selection import check_algorithms
from curvewise.errors import CurvesError
from curvewise.readers.naming.metric_choice import MetricChoice, lower_is_better
from curvewise.readers.parsing.run_columns import TIME, steps_to_choose
from curvewise.readers.request import RunsByTask
from curvewise.text import argument, call, listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from curvewise.data.run_log import RunLog
    from curvewise.data.selection import Selection
    from curvewise.readers.request import Request
    from curvewise.readers.scanning import Logs, ReadRuns

__all__ = ["read_logs"]

MAX_FORMATS = 3  # that a line names
MAX_TASKS = 6


def read_logs(logs: Logs, request: Request) -> RunsByTask:
    """Read one metric of the runs in logs, for each task.

    Returns
    -------
    dict from task to a function that returns its runs
        In natural order; None is the task of runs that have none.

    Raises
    ------
    CurvesError
        If runs cannot be told apart.
    OptionError
        If there is no such metric.
    """
    found, choice = _chosen(logs, request)
    if found.axes == [TIME] and request.naming.x is None:
        raise CurvesError(steps_to_choose())
    better = request.higher_is_better
    if better is None and found.lower_is_better is not None:
        better = not found.lower_is_better
    elif better is None:
        better = not lower_is_better(choice.name)
    selection = request.selection(higher_is_better=better)
    everyone = natural_order({algorithm for _, algorithm, _ in found.formats})
    display = Display(listed(found.axes, 2), choice.name, tuple(everyone))
    tasks: dict[str | None, list[RunLog]] = {}
    for log in found.logs:
        tasks.setdefault(log.task, []).append(log)
    kept = {task: _of_algorithms(own, request.only) for task, own in tasks.items()}
    order = _in_natural_order(tasks)
    _check_metric(kept, choice.name)
    by_task = RunsByTask(
        {
            task: partial(
                Unaligned,
                kept[task],
                selection,
                _source(logs, found, kept[task], choice, selection),
                display,
            )
            for task in order
            if kept[task]
        }
    )
    by_task.without = tuple(str(task) for task in order if not kept[task])
    return by_task


def _check_metric(tasks: Mapping[str | None, list[RunLog]], metric: str) -> None:
    """Raise if nothing was logged of a metric in one of several tasks, but in others."""
    lacking = [
        "the runs without a task" if task is None else f"task {task!r}"
        for task, logs in tasks.items()
        if logs and not any(log.n_points for log in logs)
    ]
    if lacking and len(lacking) < len(tasks):
        msg = (
            f"Nothing was logged of {metric!r} in {listed(lacking, MAX_TASKS)}. Choose what all "
            f"have with {argument('metric', 'NAME')}, or leave the others out: name fewer files "
            f"or folders, or one task with {argument('task', 'NAME')}."
        )
        raise CurvesError(msg)


def _in_natural_order(tasks: Iterable[str | None]) -> list[str | None]:
    """Return the tasks in natural order, that of runs without one first."""
    there = set(tasks)
    named = natural_order(task for task in there if task is not None)
    return [*([None] if None in there else []), *named]


def _chosen(logs: Logs, request: Request) -> tuple[ReadRuns, MetricChoice]:
    """Read the metric that is asked for, or the one that stands out, of the runs to keep."""
    metric = request.metric or request.score
    if metric is not None:
        # Where all is well, nothing but what is asked for is read.
        found = _with_algorithms(logs.read(metric), request.only)
        kept = _of_algorithms(found.logs, request.only)
        names = {log.metric for log in kept if log.n_points}
        have = {log.algorithm for log in kept if log.n_points}
        if len(names) == 1 and have == {log.algorithm for log in kept}:
            return found, MetricChoice(names.pop())
    scan = logs.scan()
    scan.check()
    choice = scan.choose_metric(metric, request.only)
    return _with_algorithms(logs.read(choice.name), request.only), choice


def _with_algorithms(found: ReadRuns, only: Sequence[str] | None) -> ReadRuns:
    """Return the runs, all of them; raise if there is no algorithm of a name to keep."""
    check_algorithms(only or (), list(dict.fromkeys(log.algorithm for log in found.logs)))
    return found


def _of_algorithms(logs: list[RunLog], only: Sequence[str] | None) -> list[RunLog]:
    """Return the runs of the algorithms to keep."""
    return [log for log in logs if log.algorithm in only] if only else logs


def _source(
    logs: Logs,
    found: ReadRuns,
    of_task: list[RunLog],
    choice: MetricChoice,
    selection: Selection,
) -> str:
    """Say in one line what was read, from where, and what it was told by."""
    formats = Counter(
        name
        for log in of_task
        for name in found.formats[log.task, log.algorithm, log.run]
    )
    kinds = listed([name for name, _ in formats.most_common()], MAX_FORMATS)
    metric = f"metric {choice.name!r}"
    if choice.reason:
        metric += f" ({choice.reason})"
    parts = [
        f"{plural(len(of_task), 'run')} ({kinds})",
        metric if selection.higher_is_better else f"{metric}, lower is better",
        f"steps in {listed([repr(x) for x in found.axes], 2)}",
        found.explanation,
        *found.notes,
    ]
    if logs.skipped:
        parts.append(f"{plural(len(logs.skipped), 'log')} skipped (why: {call('scan')})")
    return f"{logs.place}: {'; '.join(parts)}"

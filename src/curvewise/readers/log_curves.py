"""Curves from training logs: one metric of all runs, brought to common steps."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from curvewise.data.alignment import curves_of
from curvewise.data.frames import natural_order
from curvewise.data.selection import check_algorithms
from curvewise.errors import CurvesError
from curvewise.readers.naming.metric_choice import (
    MetricChoice,
    choose_metric,
    lower_is_better,
)
from curvewise.readers.parsing.run_columns import ROW, TIME
from curvewise.text import argument, call, listed, plural

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.data.run_log import RunLog
    from curvewise.data.selection import Selection
    from curvewise.readers.request import Request
    from curvewise.readers.scanning import Logs, ReadRuns

__all__ = ["read_logs"]

MAX_FORMATS = 3  # that a line names


def read_logs(logs: Logs, request: Request) -> dict[str | None, Curves]:
    """Read one metric of the runs in logs, as curves for each task.

    Returns
    -------
    dict from task to Curves
        In natural order; None is the task of runs that have none.

    Raises
    ------
    CurvesError
        If runs cannot be told apart, or not be brought to common steps.
    OptionError
        If there is no such metric.
    """
    found, choice = _chosen(logs, request.metric or request.score)
    if found.axes == [TIME] and request.naming.x is None:
        msg = (
            "These logs count no steps, they only tell the time. Choose what is compared: "
            f"{argument('x', TIME)} takes the seconds since each run began, by which runs on a "
            f"slower machine are behind; {argument('x', ROW)} takes the number of the record, if "
            "all runs were logged equally often."
        )
        raise CurvesError(msg)
    better = request.higher_is_better
    if better is None:
        better = not lower_is_better(choice.name)
    selection = request.selection(higher_is_better=better)
    tasks: dict[str | None, list[RunLog]] = {}
    for log in found.logs:
        tasks.setdefault(log.task, []).append(log)
    curves = {}
    for task in _in_natural_order(tasks):
        of_task = tasks[task]
        if request.only:
            check_algorithms(
                request.only, list(dict.fromkeys(log.algorithm for log in of_task))
            )
            of_task = [log for log in of_task if log.algorithm in request.only]
        try:
            curves[task] = curves_of(
                of_task, selection, _source(logs, found, of_task, choice, selection)
            )
        except CurvesError as error:
            if len(tasks) == 1:
                raise
            msg = f"Task {task!r}: {error}"
            raise CurvesError(msg) from None
    return curves


def _in_natural_order(tasks: dict[str | None, list[RunLog]]) -> list[str | None]:
    """Return the tasks in natural order, that of runs without one first."""
    named = natural_order(task for task in tasks if task is not None)
    return [*([None] if None in tasks else []), *named]


def _chosen(logs: Logs, metric: str | None) -> tuple[ReadRuns, MetricChoice]:
    """Read the metric that is asked for, or the one that stands out."""
    if metric is not None:
        # Where all is well, nothing but what is asked for is read.
        found = logs.read(metric)
        names = {log.metric for log in found.logs if log.n_points}
        have = {log.algorithm for log in found.logs if log.n_points}
        if len(names) == 1 and have == {log.algorithm for log in found.logs}:
            return found, MetricChoice(names.pop())
    scan = logs.scan()
    scan.check()
    points = {
        name: [
            run.metrics[name].n_points if name in run.metrics else 0 for run in scan.runs
        ]
        for name in scan.metrics
    }
    choice = choose_metric(points, [run.algorithm for run in scan.runs], metric)
    return logs.read(choice.name), choice


def _source(
    logs: Logs,
    found: ReadRuns,
    of_task: list[RunLog],
    choice: MetricChoice,
    selection: Selection,
) -> str:
    """Say in one line what was read, from where, and what it was told by."""
    formats = Counter(name for names in found.formats for name in names)
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

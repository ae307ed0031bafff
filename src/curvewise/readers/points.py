"""What was read of runs becomes points, and one metric of all runs becomes curves."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.curves import Display, Unaligned
from curvewise.data.points import RunLog, one_score_per_step
from curvewise.data.tables import check_algorithms, grouped, natural_order
from curvewise.errors import CurvewiseWarning, refuse
from curvewise.readers import RunsByTask
from curvewise.readers.naming.metric import MetricChoice
from curvewise.readers.parsing.columns import TIME, steps_to_choose
from curvewise.text import argument, call, listed, plural, printable, step_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from curvewise.data.points import Settled
    from curvewise.data.tables import Selection
    from curvewise.readers import Request
    from curvewise.readers.naming.identity import Who
    from curvewise.readers.recognise import FoundRun
    from curvewise.readers.scan import Logs, ReadRuns


MAX_NAMED = 3  # metrics or steps that a note names
RESUMED = "resumed at"


def logs_of(run: FoundRun, who: Who, metric: str | None) -> list[RunLog]:
    """Return what was read of a run, metric by metric; one without points if there is none."""
    found = settled_metrics(run)
    about: dict[str, Any] = {"task": who.task, "block": who.block}
    about |= {"status": run.logged.status, "notes": tuple(run.logged.notes)}
    if not found:
        nothing = np.zeros(0)
        return [RunLog(who.algorithm, who.run, metric or "", nothing, nothing, **about)]
    return [
        RunLog(
            *(who.algorithm, who.run, name, points.steps, points.scores),
            of_episodes=run.logged.series[name].of_episodes,
            precision=run.logged.series[name].precision,
            **about,
        )
        for name, points in found.items()
    ]


def settled_metrics(run: FoundRun) -> dict[str, Settled]:
    """Settle which records of each metric hold, and note in the run what became of others.

    Records with a non-finite step are dropped.
    """
    found, notes = {}, []
    for metric, series in run.logged.series.items():
        placed = np.isfinite(series.steps)
        kept = series.rows(placed)
        found[metric] = one_score_per_step(kept.steps, kept.scores, kept.sessions)
        if not placed.all():
            n_lost = plural(int((~placed).sum()), "record")
            notes.append((f"{n_lost} without a finite step left out", metric))
        notes += [(note, metric) for note in (*_divergence(found[metric]), *found[metric].notes)]
    # Metrics are named where not all have the note: each may have steps of its own.
    run.note(
        note if len(metrics) == len(found) else f"{listed(metrics, MAX_NAMED)}: {note}"
        for note, metrics in grouped(notes).items()
    )
    # Neither this nor the reader has said it, with what became of the records before.
    if not any(RESUMED in note for note in run.logged.notes):
        run.note(_continuations(run))
    return found


def _continuations(run: FoundRun) -> list[str]:
    """Say at which steps a run was resumed that wrote no step again."""
    begins: dict[int, float] = {}
    for series in run.logged.series.values():
        if series.sessions is None:
            continue
        for row in np.flatnonzero(np.diff(series.sessions)) + 1:
            session, step = int(series.sessions[row]), float(series.steps[row])
            if np.isfinite(step):
                begins[session] = min(step, begins.get(session, np.inf))
    if not begins:
        return []
    at = listed([*map(step_text, sorted(begins.values()))], MAX_NAMED)
    return [f"{RESUMED} {'step' if len(begins) == 1 else 'steps'} {at}; nothing superseded"]


def _divergence(points: Settled) -> list[str]:
    """Say from where on scores are NaN or infinite, if they are at the end."""
    finite = np.isfinite(points.scores)
    if not len(finite) or finite[-1]:
        return []
    first = int(np.flatnonzero(finite)[-1]) + 1 if finite.any() else 0
    return [f"NaN or infinite from step {step_text(points.steps[first])} on"]


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
    if losses := logs.losses():
        msg = " ".join(["Left out, while the other runs are read:", *losses])
        warnings.warn(printable(msg), CurvewiseWarning, stacklevel=4)
    if found.axes == [TIME] and request.naming.x is None:
        refuse(steps_to_choose())
    selection = request.selection(choice.name)
    if request.higher_is_better is None and found.lower_is_better is not None:
        selection = replace(selection, higher_is_better=not found.lower_is_better)
    everyone = natural_order({algorithm for _, algorithm, _ in found.formats})
    display = Display(listed(found.axes, 2), choice.name, tuple(everyone))
    tasks = grouped((log.task, log) for log in found.logs)
    kept = {task: _of_algorithms(own, request.only) for task, own in tasks.items()}
    named = natural_order(task for task in tasks if task is not None)
    order = [*({None} & tasks.keys()), *named]
    _check_metric(kept, choice.name)
    by_task = RunsByTask()
    for task in order:
        if own := kept[task]:
            source = _source(logs, found, own, choice, selection)
            by_task[task] = partial(Unaligned, own, selection, source, display)
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
        refuse(
            f"Nothing was logged of {metric!r} in {listed(lacking, 6)}. Choose what all "
            f"have with {argument('metric', 'NAME')}, or leave the others out: name fewer files "
            f"or folders, or one task with {argument('task', 'NAME')}."
        )


def _chosen(logs: Logs, request: Request) -> tuple[ReadRuns, MetricChoice]:
    """Read the metric that is asked for, or the one that stands out, of the runs to keep."""
    metric = request.metric or request.score
    if metric is not None:
        # Where all is well, nothing but what is asked for is read.
        found = _read(logs, metric, request.only)
        kept = _of_algorithms(found.logs, request.only)
        names = {log.metric for log in kept if log.n_points}
        have = {log.algorithm for log in kept if log.n_points}
        if len(names) == 1 and have == {log.algorithm for log in kept}:
            return found, MetricChoice(names.pop())
    scan = logs.scan()
    scan.check()
    choice = scan.choose_metric(metric, request.only)
    return _read(logs, choice.name, request.only), choice


def _read(logs: Logs, metric: str, only: Sequence[str] | None) -> ReadRuns:
    """Read all runs; raise if there is no algorithm of a name to keep."""
    found = logs.read(metric)
    check_algorithms(only or (), list(dict.fromkeys(log.algorithm for log in found.logs)))
    return found


def _of_algorithms(logs: list[RunLog], only: Sequence[str] | None) -> list[RunLog]:
    """Return the runs of the algorithms to keep."""
    return [log for log in logs if log.algorithm in only] if only else logs


def _source(
    logs: Logs, found: ReadRuns, of_task: list[RunLog], choice: MetricChoice, selection: Selection
) -> str:
    """Say in one line what was read, from where, and what it was told by."""
    formats = Counter(
        name for log in of_task for name in found.formats[log.task, log.algorithm, log.run]
    )
    kinds = listed([name for name, _ in formats.most_common()], 3)
    metric = f"metric {choice.name!r}" + (f" ({choice.reason})" if choice.reason else "")
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

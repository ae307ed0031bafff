"""Scan as tables: the algorithms with their runs, and the metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.data.names import natural_order
from curvewise.errors import CurvesError
from curvewise.rendering.tables import Table
from curvewise.text import argument, listed, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from curvewise.readers.scan import Scan, ScannedRun

__all__ = ["algorithm_table", "metric_table"]

MAX_NAMED = 6  # names of runs or axes that a cell or a note holds
MAX_METRICS = 40  # rows of the table of metrics
MIN_SHARE = 0.9  # of the longest run, for one that does not end early

# The last step of each metric on its axis in any run; under None, that of the longest run.
_Ends = dict[tuple[str, str] | None, float]


def algorithm_table(scan: Scan) -> Table:
    """Lay the runs of each algorithm out, with what is not whole; of several tasks, of each."""
    has_tasks = len(scan.tasks) > 1
    groups: dict[tuple[str | None, str], list[ScannedRun]] = {}
    for run in scan.runs:
        key = (run.task if has_tasks else None, run.algorithm)
        groups.setdefault(key, []).append(run)
    ends_of: dict[str | None, _Ends] = {}
    for (task, _), runs in groups.items():
        _add_ends(ends_of.setdefault(task, {}), runs)
    rows = []
    for (task, algorithm), members in groups.items():
        named = {run.run: run for run in members}
        runs = [named[name] for name in natural_order(named)]
        ends = [run.last_step for run in runs if run.last_step is not None]
        points = [run.n_points for run in runs if run.metrics]
        row = (
            algorithm,
            f"{len(runs)}",
            _range(points),
            _range(ends),
            listed([run.run for run in runs], MAX_NAMED),
            _not_whole(runs, ends_of[task]),
        )
        rows.append(((task or "",) if has_tasks else ()) + row)
    header = ("algorithm", "runs", "points", "last step", "run names", "incomplete")
    return Table(
        (("task",) if has_tasks else ()) + header,
        tuple(rows),
        n_text_columns=2 if has_tasks else 1,
    )


def metric_table(scan: Scan) -> Table:
    """Lay the metrics out, the one that is compared by default first."""
    chosen, notes = _default_metric(scan)
    metrics = sorted(scan.metrics.values(), key=lambda own: own.name != chosen)
    rows = tuple(
        (
            metric.name,
            f"{metric.n_runs}",
            _range(metric.n_points),
            f"{step_text(metric.first)} to {step_text(metric.last)}",
            listed(metric.x, 2),
        )
        for metric in metrics[:MAX_METRICS]
    )
    more = len(metrics) - MAX_METRICS
    if more > 0:
        notes.insert(0, f"and {plural(more, 'metric')} more")
    if scan.other_x:
        others = listed(scan.other_x, MAX_NAMED)
        notes.append(f"Steps can also be counted in {others}, by {argument('x')}.")
    header = ("metric", "runs", "points", "steps", "counted in")
    return Table(header, rows, notes=tuple(notes))


def _default_metric(scan: Scan) -> tuple[str | None, list[str]]:
    """Return the metric that is compared by default, if there is one, and what to say."""
    if scan.ambiguity:
        return None, []
    try:
        chosen = scan.choose_metric()
    except CurvesError:
        asked = argument("metric")
        return None, [f"None stands out: say which one to compare by {asked}."]
    return chosen.name, [f"Compared by default: {chosen.name} ({chosen.reason})."]


def _range(values: Iterable[float]) -> str:
    """Write the smallest and the largest of some numbers, or the one there is."""
    found = sorted(set(values))
    if not found:
        return ""
    ends = list(dict.fromkeys([step_text(found[0]), step_text(found[-1])]))
    return " to ".join(ends)


def _add_ends(ends: _Ends, runs: list[ScannedRun]) -> None:
    """Put in where the longest run ends, and where each metric does in the run it is longest."""
    for run in runs:
        found: _Ends = {(name, s.x): s.last for name, s in run.metrics.items()}
        if run.last_step is not None:
            found[None] = run.last_step
        for what, last in found.items():
            ends[what] = max(ends.get(what, last), last)


def _ends_early(run: ScannedRun, last_step: float, ends: _Ends) -> bool:
    """Whether a run ends before nine tenths of the longest, and most of its metrics do.

    Metrics are looked at, too, because one of them may be counted in something else.
    """
    early = [
        span.last < MIN_SHARE * ends[name, span.x] for name, span in run.metrics.items()
    ]
    return last_step < MIN_SHARE * ends[None] and 2 * sum(early) >= len(early)


def _not_whole(runs: list[ScannedRun], ends: _Ends) -> str:
    """Say which runs failed, are empty or end early."""
    found = []
    for run in runs:
        if run.last_step is None:
            how = "unreadable" if run.status == "unreadable" else "empty"
            failed = run.status not in {"", "empty", "unreadable"}
            status = f" ({run.status})" if failed else ""
            found.append(f"{run.run} is {how}{status}")
        elif _ends_early(run, run.last_step, ends) or run.status:
            status = f" ({run.status})" if run.status else ""
            found.append(f"{run.run} ends at {step_text(run.last_step)}{status}")
    return listed(found, 3)

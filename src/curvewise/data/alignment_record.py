"""What `align` did, put on record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.grids import inside
from curvewise.data.preparation import AlgorithmLogs, Preparation, RunExtent
from curvewise.kernels.failures import failure_pvalue
from curvewise.text import plural, step_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.data.alignment_options import AlignmentOptions
    from curvewise.data.grids import Grid, Range
    from curvewise.data.short_runs import UsableRun

__all__ = ["algorithm_logs", "is_interpolated", "recorded"]

# A step in a gap of more than so many times the median spacing of the run is reported.
MAX_GAP = 3.0


def algorithm_logs(runs: Sequence[UsableRun]) -> tuple[AlgorithmLogs, ...]:
    """Return how many runs each algorithm has, how many are short, and how often they log."""
    groups: dict[str, list[UsableRun]] = {}
    for run in runs:
        groups.setdefault(run.log.algorithm, []).append(run)
    found = []
    for name, own in groups.items():
        spacings = [run.spacing for run in own if run.spacing is not None]
        median = float(np.median(spacings)) if spacings else None
        n_short = sum(run.is_short for run in own)
        found.append(AlgorithmLogs(name, len(own), n_short, median))
    return tuple(found)


def recorded(
    runs: Sequence[UsableRun],
    kept: Sequence[UsableRun],
    grid: Grid,
    within: Range,
    options: AlignmentOptions,
    worst: float | None,
    window: tuple[float, float],
) -> Preparation | None:
    """Record what was done; None if all runs had the same steps, and nothing was."""
    short = [run for run in runs if run.is_short]
    scored = [run for run in kept if len(run.steps)]
    shown = [run.steps[inside(run.steps, *window)] for run in scored]
    n_cut = sum(
        bool(own.min() < within.low or own.max() > within.high)
        for own in shown
        if len(own)
    )
    notes = tuple(_notes(runs, kept, grid))
    is_common = grid.kind == "common" and not n_cut
    if is_common and not short and not notes:
        return None
    logs = algorithm_logs(runs)
    pvalue = None
    if short and len(logs) > 1:
        n_short, n_runs = [own.n_short for own in logs], [own.n_runs for own in logs]
        pvalue = failure_pvalue(n_short, n_runs)
    first = max(window[0], min(float(run.steps[0]) for run in scored))
    last = max(run.end for run in scored)
    return Preparation(
        how="" if is_common else options.how,
        grid=grid.kind,
        grid_run="" if grid.run is None else _name(grid.run),
        n_steps=len(grid.steps),
        first=float(grid.steps[0]),
        last=float(grid.steps[-1]),
        n_runs=len(kept),
        n_points=sum(map(len, shown)),
        n_interpolated=sum(is_interpolated(grid, run) for run in scored),
        n_cut=n_cut,
        n_filled=len(short) if options.short in {"worst", "carry"} else 0,
        n_dropped=len(runs) - len(kept),
        coverage=(within.high - within.low) / (last - first) if last > first else 1.0,
        begins_with=_name(within.begins_with),
        ends_with=_name(within.ends_with),
        algorithms=logs,
        short=options.short if short else "",
        fill=worst,
        reason=options.reason or "" if short else "",
        failure_pvalue=pvalue,
        runs=tuple(_extent(run) for run in runs),
        notes=notes,
    )


def _name(run: UsableRun) -> str:
    return f"{run.log.algorithm}/{run.log.run}"


def is_interpolated(grid: Grid, run: UsableRun) -> bool:
    """Tell whether a run has values between its logged steps."""
    if grid.kind == "bins":
        return False
    reached = grid.steps[~grid.beyond(run.end)]
    return not bool(np.isin(reached, run.steps).all())


def _extent(run: UsableRun) -> RunExtent:
    n_points = len(run.steps)
    return RunExtent(
        run.log.algorithm,
        run.log.run,
        float(run.steps[0]) if n_points else None,
        float(run.steps[-1]) if n_points else None,
        n_points,
        float(np.diff(run.steps).max()) if n_points > 1 else None,
        run.is_short,
    )


def _notes(
    runs: Sequence[UsableRun], kept: Sequence[UsableRun], grid: Grid
) -> Iterator[str]:
    """Say what was left out or mended when runs were read, and where steps lie in gaps."""
    for run in runs:
        for note in run.log.notes:
            yield f"{run.where}: {note}"
        if run.n_holes:
            are = "was" if run.n_holes == 1 else "were"
            yield (
                f"{run.where}: {plural(run.n_holes, 'score')} that {are} not finite left out"
            )
    if grid.kind != "bins":
        yield from _gap_note(kept, grid)


def _gap_note(kept: Sequence[UsableRun], grid: Grid) -> Iterator[str]:
    """Say once how many runs have common steps in gaps of their logs, and where the widest is."""
    found = []
    for run in kept:
        spacing = run.spacing
        if spacing is None:
            continue
        between = grid.steps[~np.isin(grid.steps, run.steps) & ~grid.beyond(run.end)]
        after = np.clip(np.searchsorted(run.steps, between), 1, len(run.steps) - 1)
        gaps = run.steps[after] - run.steps[after - 1]
        n_inside = int(np.sum(gaps > MAX_GAP * spacing))
        if n_inside:
            found.append((float(gaps.max()), n_inside, run, int(after[np.argmax(gaps)])))
    if not found:
        return
    _, n_inside, run, after_gap = max(found, key=lambda each: each[0])
    widest = (
        f"the widest from step {step_text(run.steps[after_gap - 1])} to "
        f"{step_text(run.steps[after_gap])}"
    )
    if len(found) == 1:
        lie = "lies" if n_inside == 1 else "lie"
        yield f"{run.where}: {plural(n_inside, 'common step')} {lie} in gaps of its log, {widest}"
    else:
        yield (
            f"common steps of {plural(len(found), 'run')} lie in gaps of their logs, {widest} "
            f"({run.where})"
        )

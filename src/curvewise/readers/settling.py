"""Records of a run become points: one score per step of each metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.records import settled
from curvewise.data.run_log import RunLog
from curvewise.text import listed, plural, step_text

if TYPE_CHECKING:
    from curvewise.data.records import Settled
    from curvewise.readers.finding import FoundRun
    from curvewise.readers.naming.identity import Who

__all__ = ["logs_of", "settled_metrics"]

MAX_METRICS = 3  # that a note names
MAX_STEPS = 3  # that a note names
RESUMED = "resumed at"


def logs_of(run: FoundRun, who: Who, metric: str | None) -> list[RunLog]:
    """Return what was read of a run, metric by metric; one without points if there is none."""
    found = settled_metrics(run)
    about: dict[str, Any] = {
        "task": who.task,
        "block": who.block,
        "status": run.logged.status,
        "notes": tuple(run.logged.notes),
    }
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

    A record whose step is not a finite number is none.
    """
    found = {}
    about: dict[str, list[str]] = {}
    for metric, series in run.logged.series.items():
        steps, scores, sessions = series.steps, series.scores, series.sessions
        notes: list[str] = []
        placed = np.isfinite(steps)
        if not placed.all():
            n_lost = plural(int((~placed).sum()), "record")
            notes.append(f"{n_lost} without a finite step left out")
            steps, scores = steps[placed], scores[placed]
            sessions = None if sessions is None else sessions[placed]
        found[metric] = settled(steps, scores, sessions)
        notes += _divergence(found[metric])
        for note in (*notes, *found[metric].notes):
            about.setdefault(note, []).append(metric)
    # Metrics are named where not all have the note: each may have steps of its own.
    run.note(
        note if len(metrics) == len(found) else f"{listed(metrics, MAX_METRICS)}: {note}"
        for note, metrics in about.items()
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
    at = listed([step_text(step) for step in sorted(begins.values())], MAX_STEPS)
    steps = "step" if len(begins) == 1 else "steps"
    return [f"{RESUMED} {steps} {at}; nothing superseded"]


def _divergence(points: Settled) -> list[str]:
    """Say from where on scores are NaN or infinite, if they are at the end."""
    finite = np.isfinite(points.scores)
    if not len(finite) or finite[-1]:
        return []
    first = int(np.flatnonzero(finite)[-1]) + 1 if finite.any() else 0
    return [f"NaN or infinite from step {step_text(points.steps[first])} on"]

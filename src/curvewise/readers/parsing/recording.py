"""Records of metrics as a log is read: series, sessions, the axis that is wanted."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.readers.logged import NoSuchStepsError, Series
from curvewise.text import argument, did_you_mean, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats
    from curvewise.readers.logged import LoggedRun, Wanted

__all__ = ["Recorder", "chosen_x", "over_metric", "resumed"]


class Recorder:
    """Collects records, metric by metric, in the order in which they were written."""

    def __init__(self) -> None:
        self._steps: dict[str, array[float]] = {}
        self._scores: dict[str, array[float]] = {}

    def add(self, metric: str, step: float, score: float) -> None:
        """Add a record of a metric; one whose step is not finite is none."""
        if not math.isfinite(step):
            return
        if metric not in self._steps:
            self._steps[metric], self._scores[metric] = array("d"), array("d")
        self._steps[metric].append(step)
        self._scores[metric].append(score)

    def series(self) -> dict[str, Series]:
        """Return what was collected."""
        return {
            metric: Series(np.array(steps), np.array(self._scores[metric]))
            for metric, steps in self._steps.items()
        }


def chosen_x(wanted: Wanted, offered: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return what counts as the step, and what else could.

    Parameters
    ----------
    wanted : Wanted
    offered : sequence of str
        What the log has, the usual one first.

    Raises
    ------
    NoSuchStepsError
        If the log does not have what is wanted.
    """
    x = offered[0] if wanted.x is None else wanted.x
    if x not in offered:
        msg = (
            f"The log has no {x!r} to count steps in: {did_you_mean(x, offered)} "
            f"Choose with {argument('x')}."
        )
        raise NoSuchStepsError(msg)
    return x, tuple(name for name in offered if name != x)


def resumed(parts: Sequence[LoggedRun]) -> LoggedRun:
    """Return one run of its sessions in order: one part for each.

    Settings and status are those of the last session, as far as it has any.
    """
    *_, last = parts
    if len(parts) == 1:
        return last
    found: dict[str, list[tuple[int, Series]]] = {}
    for session, part in enumerate(parts):
        for metric, series in part.series.items():
            own = replace(series, x=series.x or part.x)
            found.setdefault(metric, []).append((session, own))
    last.series = {metric: _in_sessions(pieces) for metric, pieces in found.items()}
    last.config = {key: part.config[key] for part in parts for key in part.config}
    last.notes = list(dict.fromkeys(note for part in parts for note in part.notes))
    axes = dict.fromkeys(x for part in parts for x in (part.x, *part.other_x))
    last.other_x = tuple(x for x in axes if x != last.x)
    return last


def _in_sessions(pieces: Sequence[tuple[int, Series]]) -> Series:
    """Return the records of several sessions as one series."""
    (_, first), *_ = pieces
    return replace(
        first,
        steps=np.concatenate([series.steps for _, series in pieces]),
        scores=np.concatenate([series.scores for _, series in pieces]),
        sessions=np.concatenate(
            [np.full(len(series.steps), session) for session, series in pieces]
        ),
    )


def over_metric(run: LoggedRun, x: str) -> LoggedRun:
    """Return a run whose steps are the values of one of its metrics.

    A record stands at the value that the metric has at its step, in its session; records at
    steps where it has none are left out, and that is noted.
    """
    axis = run.series.get(x, Series(np.zeros(0), np.zeros(0)))
    series, n_lost = {}, 0
    for metric, records in run.series.items():
        if metric == x:
            continue
        values = _looked_up(axis, records)
        kept = np.isfinite(values)
        n_lost += int((~kept).sum())
        sessions = None if records.sessions is None else records.sessions[kept]
        series[metric] = replace(
            records,
            steps=values[kept],
            scores=records.scores[kept],
            sessions=sessions,
            x="",
        )
    if n_lost:
        run.notes.append(f"{plural(n_lost, 'record')} at steps without {x!r} left out")
    others = tuple(other for other in (run.x, *run.other_x) if other != x)
    return replace(run, series=series, x=x, other_x=others)


def _looked_up(axis: Series, records: Series) -> Floats:
    """Return the last value that one series has at each step of another, NaN if there is none."""
    last = dict(zip(_keys(axis), axis.scores.tolist(), strict=True))
    return np.array([last.get(key, np.nan) for key in _keys(records)], dtype=np.float64)


def _keys(series: Series) -> list[tuple[int, float]]:
    """Return the session and the step of each record."""
    sessions = [0] * len(series.steps) if series.sessions is None else series.sessions
    return list(zip(map(int, sessions), series.steps.tolist(), strict=True))

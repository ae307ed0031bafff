"""Records of metrics as a log is read: numbers out of JSON, series, the axis that is wanted."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.logged import Series
from curvewise.text import argument, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.readers.logged import LoggedRun, Wanted

__all__ = ["Recorder", "chosen_x", "number", "resumed"]

# How loggers write what JSON has no numbers for, in lower case.
NOT_FINITE = {"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"}


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


def number(value: Any) -> float | None:
    """Return a value of a JSON document as a number, or None if it is none.

    "NaN" and "Infinity" are numbers also when they are written as text; true and false, and
    texts with other numbers, are not.

    >>> number(3), number("NaN"), number("-Infinity"), number("3"), number(True), number(None)
    (3.0, nan, -inf, None, None, None)
    """
    if isinstance(value, str) and value.strip().lower() in NOT_FINITE:
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def chosen_x(wanted: Wanted, offered: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return what counts as the step, and what else could.

    Parameters
    ----------
    wanted : Wanted
    offered : sequence of str
        What the log has, the usual one first.

    Raises
    ------
    CurvesError
        If the log does not have what is wanted.
    """
    x = offered[0] if wanted.x is None else wanted.x
    if x not in offered:
        msg = (
            f"The log has no {x!r} to count steps in: {did_you_mean(x, offered)} "
            f"Choose with {argument('x')}."
        )
        raise CurvesError(msg)
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
            found.setdefault(metric, []).append((session, series))
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

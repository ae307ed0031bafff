"""Records of a log, as they were written, become one score per step: `settled`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.errors import CurvesError
from curvewise.text import listed, plural, step_text

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers

__all__ = ["Duplicates", "Settled", "settled"]

Duplicates = Literal["mean", "last"]

# A run that was resumed goes back now and then, a table without order at every other record.
MIN_TIMES_BACK, MIN_SHARE_BACK = 2, 0.2
MAX_NAMED = 3  # steps that a note lists


@dataclass(frozen=True, eq=False)
class Settled:
    """One score per step, and what became of the other records.

    Attributes
    ----------
    steps, scores : array, (n_points,)
        Increasing steps, each once, and their scores; NaN where NaN was logged.
    n_superseded : int
        Records that do not hold, since the run was resumed at their step or before it.
    n_averaged : int
        Steps with several different scores, of which the mean was taken.
    resumed_at : tuple of float
        The steps from which on a resumed run wrote records again.
    """

    steps: Floats
    scores: Floats
    n_superseded: int = 0
    n_averaged: int = 0
    resumed_at: tuple[float, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done, in words without the name of the run; nothing if nothing was."""
        notes = []
        superseded = ""
        if self.n_superseded:
            superseded = f"{plural(self.n_superseded, 'record')} superseded"
        if self.resumed_at:
            at = listed([step_text(step) for step in self.resumed_at], MAX_NAMED)
            steps = "step" if len(self.resumed_at) == 1 else "steps"
            notes.append(f"resumed at {steps} {at}; {superseded}")
        elif superseded:
            notes.append(f"{superseded} by later ones at the same step")
        if self.n_averaged:
            notes.append(
                f"{plural(self.n_averaged, 'step')} logged several times: their mean"
            )
        return tuple(notes)


def settled(
    steps: npt.ArrayLike,
    scores: npt.ArrayLike,
    sessions: npt.ArrayLike | None = None,
    duplicates: Duplicates | None = None,
) -> Settled:
    """Settle which records of a log hold, where steps go back or come twice.

    A run that is resumed begins a new session, which holds from its first step on: what earlier
    sessions wrote at that step or later is void. A session ends where ``sessions`` changes, and
    wherever steps go back. Inside a session, records of one step are several observations, whose
    mean is taken; if they are the same, they are one. A NaN is a score like any other. Steps that
    are all different and go back at every other record are not a resumed run but a table without
    order, and are sorted.

    Parameters
    ----------
    steps, scores : array_like, (n_records,)
        In the order in which they were written.
    sessions : array_like, (n_records,), optional
        What wrote each record, where the log tells.
    duplicates : "mean" or "last", optional
        What holds for records of one step whatever the session: their mean, or the record that
        was written last.

    Returns
    -------
    Settled

    Raises
    ------
    CurvesError
        If a step is not a finite number.
    """
    at = np.asarray(steps, dtype=np.float64)
    values = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(at).all():
        msg = "Some steps are not finite numbers, so records cannot be put in order."
        raise CurvesError(msg)
    if not len(at):
        return Settled(at, values)
    if duplicates is not None:
        order = np.argsort(at, kind="stable")
        at, values = at[order], values[order]
        return _last_of_each(at, values) if duplicates == "last" else _means(at, values)
    is_back = at[1:] < at[:-1]
    if sessions is None and _is_unordered(at, is_back):
        order = np.argsort(at)
        return Settled(at[order], values[order])
    begins = is_back
    if sessions is not None:
        of = np.asarray(sessions)
        begins = begins | (of[1:] != of[:-1])
    if not begins.any():
        return _means(at, values)
    firsts = np.flatnonzero(begins) + 1
    holds, resumed_at = _holding(at, firsts)
    n_superseded = int(len(at) - holds.sum())
    return _means(at[holds], values[holds], n_superseded, resumed_at)


def _is_unordered(steps: Floats, is_back: npt.NDArray[np.bool_]) -> bool:
    n_back = int(is_back.sum())
    if n_back < MIN_TIMES_BACK or n_back <= MIN_SHARE_BACK * len(steps):
        return False
    return len(np.unique(steps)) == len(steps)


def _holding(
    steps: Floats, firsts: Integers
) -> tuple[npt.NDArray[np.bool_], tuple[float, ...]]:
    """Mark the records before the first step of every later session.

    ``firsts`` are the places at which sessions begin, but for the first one. Also return the
    first steps of those that made earlier records void.
    """
    starts = steps[firsts]
    # Steps do not go back inside a session, so its last record is its furthest.
    furthest = np.maximum.accumulate(steps[firsts - 1])
    earliest_later = np.append(np.minimum.accumulate(starts[::-1])[::-1], np.inf)
    sessions = np.zeros(len(steps), dtype=np.intp)
    sessions[firsts] = 1
    holds = steps < earliest_later[np.cumsum(sessions)]
    return holds, tuple(starts[starts <= furthest].tolist())


def _means(
    steps: Floats,
    scores: Floats,
    n_superseded: int = 0,
    resumed_at: tuple[float, ...] = (),
) -> Settled:
    """Take the mean of the records of each step; steps must not decrease."""
    is_new = np.append(True, steps[1:] != steps[:-1])
    if is_new.all():
        return Settled(steps, scores, n_superseded, 0, resumed_at)
    firsts = np.flatnonzero(is_new)
    counts = np.diff(np.append(firsts, len(steps)))
    found = scores[firsts]
    several = np.logical_or.reduceat(_differ(scores, np.repeat(found, counts)), firsts)
    with np.errstate(invalid="ignore"):  # infinite scores of both signs have no mean
        means = np.add.reduceat(scores, firsts) / counts
    found = np.where(several, means, found)
    return Settled(steps[firsts], found, n_superseded, int(several.sum()), resumed_at)


def _last_of_each(steps: Floats, scores: Floats) -> Settled:
    """Keep the last record of each step; steps must not decrease."""
    is_last = np.append(steps[1:] != steps[:-1], True)
    kept = scores[is_last]
    differs = _differ(
        scores, np.repeat(kept, np.diff(np.flatnonzero(is_last), prepend=-1))
    )
    return Settled(steps[is_last], kept, int(differs.sum()))


def _differ(scores: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """Mark the scores that are not the same; NaN is the same as NaN."""
    return (scores != others) & ~(np.isnan(scores) & np.isnan(others))

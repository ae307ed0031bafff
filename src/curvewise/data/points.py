"""Records of a run become points: one score per step, and steps as numbers."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from curvewise.data.checks import MAX_STEP, as_float, check_flags
from curvewise.errors import refuse
from curvewise.text import capitalised, listed, plural, shown_value, step_text

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Array, Booleans, Floats, Integers


# Beyond it neighbouring whole numbers are the same number in double precision.
# How far numbers drift from what they stand for by rounding, in relation to their size.
ROUNDING = 8 * float(np.finfo(np.float64).eps)
# The size of what rounding leaves in place of 0, in relation to the step beside it.
MAX_NOISE = 1e-9


def in_window(steps: Array, start: float | None, stop: float | None) -> Array:
    """Mark the steps from start to stop, both included; raise if there are none."""
    limits: dict[str, object] = {"start": start, "stop": stop}
    for name, value in limits.items():
        if value is not None and math.isnan(as_float(value)):
            refuse(f"The {name} of a window must be a step, a number, not {shown_value(value)}.")
    start, stop = (None if end is None else as_float(end) for end in (start, stop))
    inside = np.ones(len(steps), dtype=np.bool_)
    if start is not None:
        inside &= steps >= start - _slack(steps, float(start))
    if stop is not None:
        inside &= steps <= stop + _slack(steps, float(stop))
    if not inside.any():
        asked = " ".join(
            f"{word} {step_text(value)}"
            for word, value in (("from", start), ("to", stop))
            if value is not None
        )
        if start is not None and stop is not None and start > stop:
            refuse(f"The window {asked} ends before it begins. Swap the two steps.")
        refuse(
            f"No step lies in the window {asked}; the steps range from "
            f"{step_text(steps.min())} to {step_text(steps.max())}. Choose a window inside "
            "the range of steps."
        )
    return inside


def _slack(steps: Array, limit: float) -> float:
    """Return how far from a limit a step may lie to be the limit, but for rounding.

    0.1 + 0.2 must match a step of 0.3, and 0 the step that rounding has left in its place. Whole
    numbers are exact, and other steps never count, however large they are.
    """
    if not math.isfinite(limit):
        return 0.0
    if limit.is_integer() and np.issubdtype(steps.dtype, np.integer):
        return 0.0
    if limit:
        return ROUNDING * abs(limit)
    sizes = np.abs(steps)
    nearest = float(sizes.min(initial=math.inf))
    next_one = float(sizes[sizes > nearest].min(initial=math.inf))
    if not math.isfinite(next_one):
        return 0.0
    is_rounded = nearest <= ROUNDING * sizes.max() and nearest <= MAX_NOISE * next_one
    return nearest if is_rounded else 0.0


def trapezoids(steps: Array) -> Floats:
    """Return the weights that turn scores into the area under them, by trapezoids.

    >>> trapezoids(np.array([0, 1, 3])).tolist()
    [0.5, 1.5, 1.0]
    """
    gaps = np.diff(steps.astype(np.float64))
    return np.asarray((np.append(gaps, 0.0) + np.append(0.0, gaps)) / 2)


def cut(
    steps: Floats, scores: Floats, start: float | None, stop: float | None
) -> tuple[Floats, Floats]:
    """Return a log between two steps, with its scores at these on the lines it crosses them.

    >>> cut(np.array([0.0, 10, 20]), np.array([0.0, 1, 3]), None, 15)
    (array([ 0., 10., 15.]), array([0., 1., 2.]))
    """
    ends = -np.inf if start is None else start, np.inf if stop is None else stop
    if not len(steps) or (ends[0] <= steps[0] and steps[-1] <= ends[1]):
        return steps, scores
    low, high = max(ends[0], steps[0]), min(ends[1], steps[-1])
    kept = np.union1d(steps[(steps > low) & (steps < high)], (low, high)[: 2 * (low <= high)])
    return kept, np.interp(kept, steps, scores)


Duplicates = Literal["mean", "last"]

# A run that was resumed goes back now and then, a table without order at every other record.
MIN_TIMES_BACK, MIN_SHARE_BACK = 2, 0.2


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
            at = listed([step_text(step) for step in self.resumed_at], 3)
            steps = "step" if len(self.resumed_at) == 1 else "steps"
            notes.append(f"resumed at {steps} {at}; {superseded}")
        elif superseded:
            notes.append(f"{superseded} by later ones at the same step")
        if self.n_averaged:
            notes.append(f"{plural(self.n_averaged, 'step')} logged several times: their mean")
        return tuple(notes)


def one_score_per_step(
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
        refuse("Some steps are not finite numbers, so records cannot be put in order.")
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


def _is_unordered(steps: Floats, is_back: Booleans) -> bool:
    n_back = int(is_back.sum())
    if n_back < MIN_TIMES_BACK or n_back <= MIN_SHARE_BACK * len(steps):
        return False
    return len(np.unique(steps)) == len(steps)


def _holding(steps: Floats, firsts: Integers) -> tuple[Booleans, tuple[float, ...]]:
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
    steps: Floats, scores: Floats, n_superseded: int = 0, resumed_at: tuple[float, ...] = ()
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
    differs = _differ(scores, np.repeat(kept, np.diff(np.flatnonzero(is_last), prepend=-1)))
    return Settled(steps[is_last], kept, int(differs.sum()))


def _differ(scores: Floats, others: Floats) -> Booleans:
    """Mark the scores that are not the same; NaN is the same as NaN."""
    return (scores != others) & ~(np.isnan(scores) & np.isnan(others))


@dataclass(frozen=True, eq=False)
class RunLog:
    """One metric of one run, as it was logged: its own steps, its own length.

    `align` brings run logs to common steps and returns `Curves`.

    Attributes
    ----------
    algorithm, run, metric : str
    steps : array_like, (n_points,)
        Increasing, each once.
    scores : array_like, (n_points,)
        NaN or infinite where training diverged.
    task, block : str, optional
        What the run was trained on; what it shares with runs of other algorithms.
    of_episodes : bool
        Whether each point is an episode, so that steps are wherever episodes ended.
    status : str
        How the run ended, where the log tells: "failed", "killed", "running", "pruned".
    notes : tuple of str
        What was left out or mended when it was read, in a sentence each.
    precision : float
        The machine epsilon of the type that scores were stored in.

    Examples
    --------
    >>> RunLog("PPO", "1", "return", [0, 500, 1000], [1.0, 8.0, 9.5])
    RunLog('PPO', '1', 'return': 3 points, steps 0 to 1000)
    """

    algorithm: str
    run: str
    metric: str
    steps: Floats
    scores: Floats
    _: KW_ONLY
    task: str | None = None
    block: str | None = None
    of_episodes: bool = False
    status: str = ""
    notes: tuple[str, ...] = field(default=())
    precision: float = float(np.finfo(np.float64).eps)

    if TYPE_CHECKING:
        # What may be given, where attributes are arrays.
        def __init__(
            self,
            algorithm: str,
            run: str,
            metric: str,
            steps: npt.ArrayLike,
            scores: npt.ArrayLike,
            *,
            task: str | None = None,
            block: str | None = None,
            of_episodes: bool = False,
            status: str = "",
            notes: tuple[str, ...] = (),
            precision: float = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_flags(of_episodes=self.of_episodes)
        steps = _numbers(self.steps, f"The steps of {self.where}")
        scores = _numbers(self.scores, f"The scores of {self.where}")
        if len(steps) != len(scores):
            refuse(
                f"{capitalised(self.where)} has {plural(len(steps), 'step')} but "
                f"{plural(len(scores), 'score')}; give a step for each score."
            )
        if not np.isfinite(steps).all():
            refuse(f"The steps of {self.where} must be finite numbers.")
        falls = np.flatnonzero(np.diff(steps) <= 0)
        if falls.size and np.abs(steps[falls]).max() >= MAX_STEP:
            refuse(
                f"The steps of {self.where} go beyond 2^53, where neighbouring numbers cannot be "
                "told apart. Count them from the start of the run."
            )
        if falls.size:
            refuse(
                f"The steps of {self.where} must increase, but {step_text(steps[falls[0] + 1])} "
                f"comes after {step_text(steps[falls[0]])}. Sort them, and give each once."
            )
        for name, values in (("steps", steps), ("scores", scores)):
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @property
    def where(self) -> str:
        """The run in words, for messages."""
        return f"run {self.run!r} of {self.algorithm!r}"

    @property
    def n_points(self) -> int:
        """How many points there are; a run can be empty."""
        return len(self.steps)

    def __repr__(self) -> str:
        names = f"{self.algorithm!r}, {self.run!r}, {self.metric!r}"
        if not self.n_points:
            return f"RunLog({names}: no points)"
        ends = f"{step_text(self.steps[0])} to {step_text(self.steps[-1])}"
        return f"RunLog({names}: {plural(self.n_points, 'point')}, steps {ends})"


def _numbers(values: Any, what: str) -> Floats:
    """Return a copy of values as a vector of numbers; raise if they are none."""
    try:
        given = np.asarray(values)
        with np.errstate(over="ignore"):  # what is too large for a double is infinite
            array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        refuse(f"{what} must be numbers.")
    if given.dtype.kind in "mM":
        refuse(f"{what} are dates or times. Give numbers, such as seconds since the run began.")
    if array.ndim != 1:
        refuse(f"{what} must be a sequence of numbers, not an array of {array.ndim} dimensions.")
    return array

"""How long runs take to reach a threshold, where some never do: times as survival data.

A run that has not reached the threshold by its last step is censored there: it would have taken
longer. Who is compared with whom is asked by scores of single runs (Savage 1956; Prentice 1978),

    s_j = δ_j − Σ d_e / r_e    over the times e ≤ t_j at which runs reach it,

where δ_j is 1 for a run that reaches it, d_e runs reach it at e, and r_e had not before. They
depend on no label, and their sum over the runs of an algorithm is the numerator of the log-rank
test; so that shuffling whole runs among algorithms gives an exact log-rank test, as long as how
long a run was trained does not depend on its algorithm. A high score is an early one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova.thresholds import EPSILON

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers

__all__ = [
    "SurvivalCurve",
    "Times",
    "kaplan_meier",
    "log_rank_scores",
    "median_times",
    "score_noise",
    "times_to_threshold",
]

# A share of runs that is this close to one half is one half, but for rounding.
HALF_SLACK = 1e-9


class Times(NamedTuple):
    """When each run reaches a threshold, or until when it has not.

    Attributes
    ----------
    steps : array, (n_runs,)
        The first step at the threshold; of a run that is censored its last step.
    reached : array of bool, (n_runs,)
        False for a run that is censored.
    """

    steps: Floats
    reached: npt.NDArray[np.bool_]

    @property
    def reaching(self) -> Floats:
        """The step at which each run reaches it; infinite for never."""
        return np.where(self.reached, self.steps, np.inf)

    def of(self, rows: npt.NDArray[np.bool_] | Integers) -> Times:
        """Return the times of some runs, or of all in another order."""
        return Times(self.steps[rows], self.reached[rows])

    def stretched(self, factors: Floats, horizon: float) -> Times:
        """Return the times if runs took ``factors`` times as long, up to a common end.

        Training that ends at ``horizon`` ends at that many times it for a run that is stretched,
        so all runs are censored at the first of these ends.
        """
        end = horizon * min(float(factors.min()), 1.0)
        with np.errstate(over="ignore"):  # what is infinite is beyond the end
            steps = self.steps * factors
        # A product that misses the end by rounding is at it.
        reached = self.reached & (steps <= end * (1 + 4 * EPSILON))
        return Times(np.minimum(steps, end), reached)


class SurvivalCurve(NamedTuple):
    """The share of runs that have not reached the threshold, after Kaplan & Meier (1958).

    Attributes
    ----------
    steps : array, (n_events,)
        The steps at which some run reaches it, increasing.
    shares : array, (n_events,)
        The share that has not reached it after each of them; 1 before the first.
    """

    steps: Floats
    shares: Floats

    def at(self, steps: Floats) -> Floats:
        """Return the share that has not reached it after each of these steps."""
        places = np.searchsorted(self.steps, steps, side="right")
        return np.append(1.0, self.shares)[places]

    @property
    def median(self) -> float:
        """The first step by which half of the runs have reached it; infinite for never."""
        halved = self.shares <= 0.5 + HALF_SLACK
        return float(self.steps[np.argmax(halved)]) if halved.any() else math.inf

    def restricted_mean(self, horizon: float) -> float:
        """Return the mean time to it, runs that have not reached it by then counting as ``horizon``."""
        within = self.steps < horizon
        places = np.append(self.steps[within], horizon)
        # Up to the first step of all there is nobody who has reached it.
        return float(places[0] + np.diff(places) @ self.shares[within])


def times_to_threshold(
    scores: Floats,
    steps: Floats,
    threshold: float,
    *,
    hold: int = 1,
    ends: Floats | None = None,
) -> Times:
    """Return when each run is first at or above a threshold, and stays there.

    Parameters
    ----------
    scores : array, (n_runs, n_steps)
        Higher is better.
    steps : array, (n_steps,)
    threshold : float
    hold : int
        At how many consecutive steps, the first of them included, a run must be there. A run
        that is there at its last steps only, and at fewer of them, is censored.
    ends : array, (n_runs,), optional
        The last step of each run; scores beyond it are not its own. All steps by default.

    >>> times_to_threshold(np.array([[0, 2, 1, 3, 3], [0, 0, 0, 0, 1.0]]), np.arange(5.0), 2)
    Times(steps=array([1., 4.]), reached=array([ True, False]))
    """
    last = (
        np.full(len(scores), steps[-1]) if ends is None else np.minimum(ends, steps[-1])
    )
    there = (scores >= threshold) & (steps <= last[:, None])
    n_places = max(scores.shape[1] - hold + 1, 0)
    held = np.ones((len(scores), n_places), dtype=np.bool_)
    for later in range(hold if n_places else 0):
        held &= there[:, later : later + n_places]
    reached = np.asarray(held.any(axis=1))
    first = steps[np.argmax(held, axis=1)] if n_places else last
    return Times(np.where(reached, first, last).astype(np.float64), reached)


def log_rank_scores(times: Times) -> Floats:
    """Return the log-rank score of each run; (n_runs,). They sum to 0.

    >>> log_rank_scores(Times(np.array([1.0, 2.0, 2.0]), np.array([True, True, False])))
    array([ 0.66666667,  0.16666667, -0.83333333])
    """
    events, n_events, n_at_risk = _events(times, np.ones((1, len(times.steps))))
    hazards = np.append(0.0, np.cumsum(n_events[0] / n_at_risk[0]))
    return times.reached - hazards[np.searchsorted(events, times.steps, side="right")]


def score_noise(scores: Floats) -> float:
    """Return how far rounding can move a sum of log-rank scores."""
    return 8 * EPSILON * len(scores) * float(np.abs(scores).sum())


def kaplan_meier(times: Times) -> SurvivalCurve:
    """Return the share of runs that have not reached the threshold, as a step function.

    >>> kaplan_meier(Times(np.array([1.0, 2.0, 3.0]), np.array([True, False, True])))
    SurvivalCurve(steps=array([1., 3.]), shares=array([0.66666667, 0.        ]))
    """
    events, shares = _survival(times, np.ones((1, len(times.steps))))
    return SurvivalCurve(events, shares[0])


def median_times(times: Times, counts: Floats) -> Floats:
    """Return the medians of many samples of the runs; infinite where half never reach it.

    ``counts`` says how often each run is in each sample, (n_samples, n_runs). NaN for an empty
    sample.
    """
    events, shares = _survival(times, counts)
    never = np.ones((len(counts), 1), dtype=np.bool_)
    halved = np.hstack([shares <= 0.5 + HALF_SLACK, never])
    medians = np.append(events, np.inf)[np.argmax(halved, axis=1)]
    return np.where(counts.any(axis=1), medians, np.nan)


def _events(times: Times, counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the steps at which runs reach it, and how many do, and had not before, at each.

    The numbers are (n_samples, n_events). A run that is censored at a step has not reached it
    before.
    """
    events = np.unique(times.steps[times.reached])
    at = (times.steps[:, None] == events) & times.reached[:, None]
    before = times.steps[:, None] >= events
    return events, counts @ at.astype(np.float64), counts @ before.astype(np.float64)


def _survival(times: Times, counts: Floats) -> tuple[Floats, Floats]:
    events, n_events, n_at_risk = _events(times, counts)
    # Where nobody is left, nothing changes.
    remaining = 1 - n_events / np.maximum(n_at_risk, 1)
    return events, np.cumprod(remaining, axis=1, dtype=np.float64)

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

from curvewise.kernels.anova import EPSILON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Booleans, Floats, Integers


# A share of runs that is this close to one half is one half, but for rounding.
HALF_SLACK = 1e-9
PEAK_SHARE = 20  # of how many points one is averaged to find the peak of a run
# Ratios of times at which p is looked at; of more, evenly many are left out.
MAX_EDGES = 512


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
    reached: Booleans

    @property
    def reaching(self) -> Floats:
        """The step at which each run reaches it; infinite for never."""
        return np.where(self.reached, self.steps, np.inf)

    def of(self, rows: Booleans | Integers) -> Times:
        """Return the times of some runs, or of all in another order."""
        return Times(self.steps[rows], self.reached[rows])

    def stretched(self, factors: Floats, horizon: float) -> Times:
        """Return the times if runs took ``factors`` times as long, up to a common end.

        Training that ends at ``horizon`` ends at that many times it for a run that is stretched,
        so all runs are censored at the first of these ends, unless none was.
        """
        end = horizon * min(float(factors.min()), 1.0)
        if self.reached.all():
            end = math.inf
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


def rising_fit(steps: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Return the centres and values of the blocks of a rising fit to a run, up to its peak.

    Isotonic regression with equal weights: of scores that rise, each is a block of its own. Its
    peak is where a twentieth of the points, in a row, have the highest mean; what is lost after
    it does not undo a score once held.

    >>> rising_fit(np.arange(5.0), np.array([0, 3, 1, 4, 0.0]))
    (array([0. , 1.5, 3. ]), array([0., 2., 4.]))
    """
    n_last = max(len(scores) // PEAK_SHARE, 1)
    sums = np.cumsum(np.append(0.0, scores))
    means = sums[n_last:] - sums[:-n_last] if n_last > 1 else scores
    stop = int(np.argmax(means)) + n_last
    blocks: list[tuple[float, float, int]] = []
    for step, score in zip(steps[:stop].tolist(), scores[:stop].tolist(), strict=True):
        own = (step, score, 1)
        while blocks and blocks[-1][1] * own[2] > own[1] * blocks[-1][2]:
            before = blocks.pop()
            own = (own[0] + before[0], own[1] + before[1], own[2] + before[2])
        blocks.append(own)
    x, y, counts = np.array(blocks).T
    return x / counts, y / counts


def time_to_threshold(
    steps: Floats, scores: Floats, threshold: float, *, hold: int = 1, slack: float = 0.0
) -> float:
    """Return when a run is at or above a threshold; infinite for never.

    That is where its rising fit crosses it, on a line between the centres of two blocks, or its
    first step. With ``hold`` it is where its scores cross it before so many in a row that are
    there. A score that misses the threshold by ``slack`` is there.

    >>> time_to_threshold(np.array([0, 10, 20.0]), np.array([0, 1, 3.0]), 2)
    15.0
    """
    if not len(steps):
        return math.inf
    first = float(steps[0])
    if hold == 1:
        steps, scores = rising_fit(steps, scores)
    there = scores >= threshold - slack
    (held,) = np.nonzero(np.convolve(there, np.ones(hold))[hold - 1 :] == hold)
    if not len(held) or held[0] == 0:
        return first if len(held) else math.inf
    before, at = held[0] - 1, held[0]
    missed = (scores[at] - threshold) / (scores[at] - scores[before])
    return float(steps[at] - max(missed, 0.0) * (steps[at] - steps[before]))


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


def time_edges(ours: Times, others: Times, horizon: float) -> Floats:
    """Return the factors by which the times of others change their order with ours."""
    mine, theirs = (np.append(own.steps, horizon) for own in (ours, others))
    edges = np.unique(np.divide.outer(mine[mine > 0], theirs[theirs > 0]))
    if len(edges) <= MAX_EDGES:
        return edges
    places = np.linspace(0, len(edges) - 1, MAX_EDGES).round().astype(np.int64)
    return np.asarray(edges[places])


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


# --- Do algorithms differ in how many of their runs fail?
#
# The exact test of counts.
#
# Freeman & Halton (1951), Biometrika 38: of all tables with these numbers of runs and this number
# of failures, those that are no more probable than the one observed count. For two algorithms it is
# Fisher's exact test. Shuffling whole runs among algorithms gives the same p, since a failure goes
# with its run.

# Log-probabilities closer than this are the same: tables that tie must count as ties.
TIE = 1e-9
# How many different probabilities of tables are kept apart. Beyond it neighbours are taken for
# the least probable of them, so that p errs upwards.
MAX_DISTINCT = 600_000


def failure_pvalue(n_failed: Sequence[int], n_runs: Sequence[int]) -> float:
    """Return the exact p of "failing has nothing to do with the algorithm".

    Parameters
    ----------
    n_failed, n_runs : sequence of int, (n_algorithms,)
        How many runs of each algorithm failed, of how many.

    >>> round(failure_pvalue([3, 0], [4, 4]), 4)
    0.1429
    """
    total, n_all = sum(n_failed), sum(n_runs)
    if total in {0, n_all}:
        return 1.0
    logs = np.array([math.lgamma(k + 1) for k in range(max(n_runs) + 1)])
    # The logarithms of n choose 0, 1, …, n.
    weights = [logs[n] - logs[: n + 1] - logs[n::-1] for n in n_runs]
    observed = sum(float(own[k]) for own, k in zip(weights, n_failed, strict=True))
    tie = TIE * max(1.0, abs(observed))
    most = max(1_000, MAX_DISTINCT // (total + 1))
    # Shares are binomial probabilities, since numbers of ways overflow. For each number of
    # failures so far: sums of log-weights, and the probability of each.
    log_odds, log_rest = math.log(total / (n_all - total)), math.log1p(-total / n_all)
    states: dict[int, tuple[Floats, Floats]] = {0: (np.zeros(1), np.ones(1))}
    n_left = n_all
    for n, own in zip(n_runs, weights, strict=True):
        n_left -= n
        shares = np.exp(own + np.arange(n + 1) * log_odds + n * log_rest)
        grown: dict[int, list[tuple[Floats, Floats]]] = {}
        for failed, (sums, before) in states.items():
            # Those that come later can have no more failures than runs.
            for k in range(max(0, total - failed - n_left), min(n, total - failed) + 1):
                grown.setdefault(failed + k, []).append((sums + own[k], before * shares[k]))
        states = {failed: _merged(parts, tie, most) for failed, parts in grown.items()}
    sums, found = states[total]
    extreme = float(found[sums <= observed + tie].sum())
    return min(1.0, extreme / float(found.sum()))


def _merged(parts: list[tuple[Floats, Floats]], tie: float, most: int) -> tuple[Floats, Floats]:
    """Add up the shares of sums that tie; of more than ``most``, those of neighbours too."""
    sums, shares = (np.concatenate(values) for values in zip(*parts, strict=True))
    order = np.argsort(sums)
    sums, shares = sums[order], shares[order]
    firsts = np.flatnonzero(np.append(True, np.diff(sums) > tie))
    if len(firsts) > most:
        cells = np.floor((sums - sums[0]) * (most / (sums[-1] - sums[0])))
        firsts = np.flatnonzero(np.append(True, np.diff(cells) > 0))
    return sums[firsts], np.add.reduceat(shares, firsts)

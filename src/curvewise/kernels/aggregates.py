"""Aggregates of the scores of many tasks, and how far chance moves them.

Scores have a row for each run and a column for each step; ``tasks`` has the number of each run's
task. Every task weighs the same, whatever its number of runs, and runs of a task are told apart
by chance only: the standard error is that of a stratified sample. Nothing is resampled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from curvewise.kernels import Floats, Integers

__all__ = [
    "STATISTICS",
    "Spread",
    "StratifiedRuns",
    "gap",
    "interquartile_mean",
    "quartiles",
    "spread_of",
    "t_quantiles",
]

QUARTER = 0.25
# A sum of weights that rounding moved must still be seen to be a quarter.
SLACK = 1e-9


class Spread(NamedTuple):
    """The standard error of an aggregate at each step, and its degrees of freedom.

    Where runs of the same task do not vary, the error is 0 and the degrees of freedom NaN.
    """

    error: Floats
    df: Floats


@dataclass(frozen=True, eq=False)
class StratifiedRuns:
    """The runs of one algorithm on all tasks.

    Attributes
    ----------
    scores : array, (n_runs, n_steps)
    tasks : array, (n_runs,)
        The number of each run's task, from 0 on; each has two runs or more.
    """

    scores: Floats
    tasks: Integers

    @property
    def sizes(self) -> Integers:
        """The number of runs of each task."""
        return np.bincount(self.tasks)

    @property
    def weights(self) -> Floats:
        """The weight of each run: every task has the same, whatever its number of runs."""
        sizes = self.sizes
        return np.asarray(1.0 / (len(sizes) * sizes[self.tasks]))

    def task_sums(self, values: Floats) -> Floats:
        """Return the sum of the values of each task's runs: (n_tasks, n_steps)."""
        sums = np.zeros((len(self.sizes), values.shape[1]))
        np.add.at(sums, self.tasks, values)
        return sums

    def mean(self, values: Floats) -> Floats:
        """Return the mean over tasks of the means of their runs, at each step."""
        return np.asarray((self.task_sums(values) / self.sizes[:, None]).mean(axis=0))

    def residuals(self, influences: Floats) -> Floats:
        """Return how far each run is from the mean of its task.

        Scaled so that the sum of their squares is the squared standard error of the aggregate:
        (ψ − ψ̄) √(n / (n − 1)) / (T n) for a task of n runs, one of T.
        """
        sizes = self.sizes
        means = self.task_sums(influences) / sizes[:, None]
        centred = influences - means[self.tasks]
        # Runs that are the same up to rounding do not vary.
        least = 64 * np.finfo(np.float64).eps * np.abs(influences).max(axis=0)
        centred[np.abs(centred) <= least] = 0.0
        scale = np.sqrt(sizes / (sizes - 1)) / (len(sizes) * sizes)
        return np.asarray(centred * scale[self.tasks, None])

    def squares(self, residuals: Floats) -> tuple[Floats, Integers]:
        """Return each task's part of the squared standard error, and its degrees of freedom."""
        return self.task_sums(residuals**2), self.sizes - 1


def quartiles(scores: Floats, weights: Floats) -> Floats:
    """Return the first and third quartile of weighted scores, at each step: (2, n_steps).

    Between two scores they are interpolated: a score stands at the middle of its weight
    (Hazen's rule, for equal weights).

    >>> quartiles(np.array([[4.0], [1.0], [3.0], [2.0]]), np.full(4, 0.25)).ravel().tolist()
    [1.5, 3.5]
    """
    order = np.argsort(scores, axis=0)
    ranked = np.take_along_axis(scores, order, axis=0)
    heavy = weights[order]
    middles = np.cumsum(heavy, axis=0) - heavy / 2
    at = np.array([QUARTER, 1 - QUARTER])
    found = [
        np.interp(at, middle, own)
        for middle, own in zip(middles.T, ranked.T, strict=True)
    ]
    return np.asarray(np.array(found).T)


def interquartile_mean(scores: Floats, weights: Floats) -> Floats:
    """Return the mean of what is left when a quarter of the weight is cut off at either end.

    Whole runs are cut, as many as a quarter covers: of N runs of equal weight ⌊N / 4⌋, as by
    `scipy.stats.trim_mean`.

    >>> interquartile_mean(np.array([[0.0], [1.0], [2.0], [90.0]]), np.full(4, 0.25)).tolist()
    [1.5]
    """
    order = np.argsort(scores, axis=0, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=0)
    heavy = weights[order]
    below = np.cumsum(heavy, axis=0)
    above = np.cumsum(heavy[::-1], axis=0)[::-1]
    kept = heavy * ((below > QUARTER + SLACK) & (above > QUARTER + SLACK))
    return np.asarray((ranked * kept).sum(axis=0) / kept.sum(axis=0))


def gap(scores: Floats, gamma: float) -> Floats:
    """Return how far each score is below ``gamma``; 0 for those above it."""
    return np.maximum(gamma - scores, 0.0)


class Statistic(NamedTuple):
    """An aggregate: its value at each step, and the influence of each run on it."""

    value: Callable[[StratifiedRuns, float], Floats]
    influences: Callable[[StratifiedRuns, float], Floats]


def _clipped(runs: StratifiedRuns, _: float) -> Floats:
    """Return twice the scores, clipped at their quartiles."""
    low, high = quartiles(runs.scores, runs.weights)
    return np.asarray(2 * np.clip(runs.scores, low, high))


STATISTICS: dict[str, Statistic] = {
    "iqm": Statistic(
        lambda runs, _: interquartile_mean(runs.scores, runs.weights), _clipped
    ),
    "mean": Statistic(
        lambda runs, _: runs.mean(runs.scores), lambda runs, _: runs.scores
    ),
    "gap": Statistic(
        lambda runs, gamma: runs.mean(gap(runs.scores, gamma)),
        lambda runs, gamma: gap(runs.scores, gamma),
    ),
}


def spread_of(parts: Sequence[tuple[Floats, Integers]]) -> Spread:
    """Return the standard error and degrees of freedom of a sum of independent strata.

    ``parts`` has for each algorithm the squared standard errors of its tasks, (n_tasks, n_steps),
    and their degrees of freedom. Those of the whole are Satterthwaite's (1946).
    """
    variance = sum(np.sum(squares, axis=0) for squares, _ in parts)
    # Divided by the whole first, so that squares of small numbers do not vanish.
    whole = np.where(variance > 0, variance, 1.0)
    shares = sum(
        np.sum((squares / whole) ** 2 / df[:, None], axis=0) for squares, df in parts
    )
    df = np.where(variance > 0, 1 / np.where(variance > 0, shares, 1.0), np.nan)
    return Spread(np.sqrt(variance), np.asarray(df))


def t_quantiles(normal_quantile: float, df: Floats) -> Floats:
    """Return Student's quantiles that have the tail of a normal one; 0 without variation.

    >>> t_quantiles(1.96, np.array([4.0, 1e6, np.nan])).round(3).tolist()
    [2.777, 1.96, 0.0]
    """
    from scipy.special import ndtr, stdtrit

    known = np.where(np.isnan(df), 1.0, df)
    return np.where(np.isnan(df), 0.0, -stdtrit(known, ndtr(-normal_quantile)))

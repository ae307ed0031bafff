"""What is known of two algorithms on many tasks: as a whole, anywhere, on at least so many, on each."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from curvewise.inference.effects import Interval, json_ready
from curvewise.kernels.pvalues import clopper_pearson

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.preparation import Preparation

__all__ = ["Anywhere", "AtLeast", "OnTheWhole", "TaskDifference"]

# What of a task depends on the score that short runs were filled with.
IN_SCORE_UNITS = ("difference", "interval", "hedges_g", "standardised")


def _record(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields as JSON-ready data; an unbounded end is None."""
    return {
        name: [json_ready(end) for end in value]
        if isinstance(value, tuple)
        else json_ready(value)
        for name, value in values.items()
    }


@dataclass(frozen=True)
class OnTheWhole:
    """Is one algorithm better on the tasks as a whole?

    Attributes
    ----------
    statistic : float
        V of van Elteren (1960), above 0 where runs of ``a`` win more often than not.
    pvalue : float
        The share of relabellings inside tasks with |V| at least as large. Never 0.
    probability : float
        How often a run of ``a`` is better than one of ``b``, by their means over training, on
        average over tasks, weighted as in V; ties count half.
    interval : Interval
        Of the probability, at confidence 1 − alpha. It leaves out ½ exactly if p is at most
        alpha.
    mean_probability : float
        The plain mean over tasks; the same as ``probability`` where all tasks have as many
        runs.
    exact : bool
        Whether p is that of all relabellings.
    n_shuffles : int or None
        How many were visited of too many.
    smallest_pvalue : float
        The smallest p that these runs, or shuffles, could have given.
    pvalue_adjusted : float or None
        Adjusted by Holm's method for the other pairs, where there are any.
    """

    statistic: float
    pvalue: float
    probability: float
    interval: Interval
    mean_probability: float
    exact: bool
    n_shuffles: int | None
    smallest_pvalue: float
    alpha: float
    pvalue_adjusted: float | None = None

    @property
    def significant(self) -> bool:
        """Whether p, adjusted where there are other pairs, is at most alpha."""
        return _final(self) <= self.alpha

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {**_record(vars(self)), "significant": self.significant}


@dataclass(frozen=True)
class Anywhere:
    """Do the algorithms differ on any task?

    Attributes
    ----------
    statistic : float
        The share of variation that the algorithms explain on a task, summed over tasks.
    pvalue : float
        The share of relabellings inside tasks with a sum at least as large. Never 0.
    n_extreme, n_shuffles : int
        How many of the relabellings that were visited.
    exact : bool
        Whether all relabellings were visited.
    smallest_pvalue : float
        The smallest p that these runs, or shuffles, could have given.
    pvalue_adjusted : float or None
        Adjusted by Holm's method for the other pairs, where there are any.
    """

    statistic: float
    pvalue: float
    n_extreme: int
    exact: bool
    n_shuffles: int
    smallest_pvalue: float
    alpha: float
    pvalue_adjusted: float | None = None

    @property
    def significant(self) -> bool:
        """Whether p, adjusted where there are other pairs, is at most alpha."""
        return _final(self) <= self.alpha

    @property
    def pvalue_interval(self) -> Interval:
        """Where p would be if every relabelling were visited, with 95 % confidence."""
        if self.exact:
            return Interval(self.pvalue, self.pvalue)
        return Interval(*clopper_pearson(self.n_extreme, self.n_shuffles, 0.95))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            **_record(vars(self)),
            "pvalue_interval": list(self.pvalue_interval),
            "significant": self.significant,
        }


def _final(found: OnTheWhole | Anywhere) -> float:
    return found.pvalue if found.pvalue_adjusted is None else found.pvalue_adjusted


@dataclass(frozen=True)
class AtLeast:
    """On how many tasks the algorithms differ, and on how many each is better, at least.

    Attributes
    ----------
    differ : int
        With confidence 1 − alpha the curves differ on so many tasks, or more.
    a_better, b_better : int
        With confidence 1 − alpha for both together, ``a`` has the better mean over training on
        so many tasks, or more, and ``b`` on so many. Together they are never more than
        ``differ``.
    n_tasks : int
    """

    differ: int
    a_better: int
    b_better: int
    n_tasks: int

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON-ready data."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class TaskDifference:
    """Two algorithms on one task.

    Attributes
    ----------
    n_runs : (int, int)
        Of ``a`` and of ``b``.
    difference : float
        The curve mean of ``a`` minus that of ``b``, in units of the task's score.
    interval : Interval
        All differences that the test of height on this task alone does not reject at alpha.
    hedges_g : float or None
        The difference in standard deviations of runs, corrected for few runs.
    standardised : Interval or None
        The interval in the same units, turned so that above 0 ``a`` is better: what can be
        compared across tasks.
    probability : float
        How often a run of ``a`` is better than one of ``b``; ties count half.
    better : str or None
        The algorithm with the better mean, whether significantly or not.
    pvalue, pvalue_height : float
        Do the curves differ at all; do they differ in height. As `compare` gives them.
    pvalue_adjusted, pvalue_height_adjusted : float
        The same, adjusted for the number of tasks.
    pvalue_a_better, pvalue_b_better : float
        One-sided: is the mean of ``a``, or of ``b``, the better one.
    exact : bool
        Whether the p of any difference is that of all relabellings.
    smallest_pvalue : float
        The smallest p that so many runs could have given on this task.
    """

    a: str
    b: str
    n_runs: tuple[int, int]
    difference: float
    interval: Interval
    hedges_g: float | None
    standardised: Interval | None
    probability: float
    better: str | None
    pvalue: float
    pvalue_height: float
    pvalue_a_better: float
    pvalue_b_better: float
    exact: bool
    smallest_pvalue: float
    alpha: float
    pvalue_adjusted: float = 1.0
    pvalue_height_adjusted: float = 1.0
    preparation: Preparation | None = None

    @property
    def differs(self) -> bool:
        """Whether the curves are said to differ on this task, after adjustment."""
        return self.pvalue_adjusted <= self.alpha

    @property
    def winner(self) -> str | None:
        """The algorithm that is said to be better: heights differ, and so do the curves."""
        height = self.pvalue_height_adjusted <= self.alpha
        return self.better if height and self.differs else None

    def standardised_lead(self, *, higher_is_better: bool) -> float:
        """Return how far ``a`` is ahead of ``b``, in standard deviations of runs.

        Infinite where the runs of neither vary; 0 where the means are the same.
        """
        if self.hedges_g is not None:
            return self.hedges_g if higher_is_better else -self.hedges_g
        if self.better is None:
            return 0.0
        return math.inf if self.better == self.a else -math.inf

    def reversed(self) -> TaskDifference:
        """Return the same with the algorithms in the other order."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            n_runs=self.n_runs[::-1],
            difference=0.0 - self.difference,
            interval=_turned(self.interval),
            hedges_g=None if self.hedges_g is None else 0.0 - self.hedges_g,
            standardised=None
            if self.standardised is None
            else _turned(self.standardised),
            probability=1 - self.probability,
            pvalue_a_better=self.pvalue_b_better,
            pvalue_b_better=self.pvalue_a_better,
        )

    def preparation_dict(self) -> dict[str, Any] | None:
        """Return how the runs became curves as JSON-ready data, and what depends on it."""
        if self.preparation is None:
            return None
        done = self.preparation.to_dict()
        if not self.preparation.quotes_scores:
            done["depends_on_fill"] = list(IN_SCORE_UNITS)
        return done

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; an unbounded end is None."""
        return {
            **_record(vars(self)),
            "differs": self.differs,
            "winner": self.winner,
            "preparation": self.preparation_dict(),
        }


def _turned(interval: Interval) -> Interval:
    return Interval(0.0 - interval.high, 0.0 - interval.low)

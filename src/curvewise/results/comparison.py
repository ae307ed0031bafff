"""What `compare` found."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from curvewise.results.anova_table import AnovaTable
from curvewise.results.effects import json_ready
from curvewise.results.shown import Shown
from curvewise.tables import Table, number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.results.effects import Effect, ErrorTerm, Interval, Spread

__all__ = ["AlgorithmSummary", "Comparison", "Difference"]


@dataclass(frozen=True)
class Difference:
    """How far apart the curve means of two algorithms are, ``a`` minus ``b``.

    Attributes
    ----------
    value : float
        In units of the score; within blocks when there are blocks.
    interval : Interval
        All shifts the shuffle test does not reject at ``1 - confidence``. Where spreads
        may differ: the value ± a quantile of the shuffled |t| times its standard error.
    hedges_g : float
        In standard deviations of the curve means, corrected for few runs.
    probability_of_superiority : float
        How often a run of ``a`` is better than a run of ``b``; ties count half.
    """

    a: str
    b: str
    value: float
    interval: Interval
    confidence: float
    hedges_g: float | None
    probability_of_superiority: float

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as JSON-ready data; an unbounded end is None."""
        return {
            **{name: json_ready(value) for name, value in vars(self).items()},
            "interval": [json_ready(self.interval.low), json_ready(self.interval.high)],
        }


@dataclass(frozen=True)
class AlgorithmSummary:
    """One algorithm: how many runs, their mean over training, and its spread."""

    name: str
    n_runs: int
    mean: float
    standard_deviation: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as JSON-ready data."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class Comparison(Shown):
    """Do the curves differ, in height or in shape? What `compare` found.

    Attributes
    ----------
    overall, algorithm, interaction : Effect
        Do they differ at all; in height; in shape (None with a single step).
    table : AnovaTable
        Sums of squares, F and p by source.
    error : "split" or "pooled"
        The error term of ``algorithm``, ``interaction`` and ``table``; the effects under
        either term are in ``effects``.
    spread : "equal" or "unequal"
        Whether algorithms were taken to vary equally from run to run. If not, F is of
        Welch's kind, and ``effects`` has the split error term only.
    exact : bool
        Whether every distinct relabelling was visited.
    n_relabellings : int
        How many distinct relabellings there are.
    n_shuffles : int
        How many relabellings were visited.
    smallest_pvalue : float
        The smallest p these runs could have given.
    difference : Difference or None
        Two algorithms only.
    engine : str
        What did the counting: NumPy or compiled code, shuffling or enumerating.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number and mattered.
    warnings : tuple of str
        What a reader must know before believing the rest.
    """

    algorithms: tuple[AlgorithmSummary, ...]
    n_steps: int
    first_step: float
    last_step: float
    n_blocks: int | None
    even_blocks: bool
    higher_is_better: bool
    effects: Mapping[ErrorTerm, Mapping[str, Effect]] = field(repr=False)
    ss: Mapping[str, float] = field(repr=False)
    df: Mapping[str, int] = field(repr=False)
    difference: Difference | None
    error: ErrorTerm
    alpha: float
    exact: bool
    n_relabellings: int
    n_shuffles: int
    engine: str
    seed: int | None
    warnings: tuple[str, ...]
    source: str = ""
    spread: Spread = "equal"

    @property
    def overall(self) -> Effect:
        """Do the algorithms differ at all?"""
        return self.effects[self.error]["overall"]

    @property
    def algorithm(self) -> Effect:
        """Do the algorithms differ in height?"""
        return self.effects[self.error]["algorithm"]

    @property
    def interaction(self) -> Effect | None:
        """Do the algorithms differ in shape? None when there is a single step."""
        return self.effects[self.error].get("interaction")

    @cached_property
    def table(self) -> AnovaTable:
        """Sums of squares, F and p by source."""
        return AnovaTable.from_sums(
            self.ss, self.df, self.error, self.effects[self.error], self.spread
        )

    @property
    def smallest_pvalue(self) -> float:
        """The smallest p that this many runs, or shuffles, could be trusted to give."""
        by_runs = 1 / self.n_relabellings
        return by_runs if self.exact else max(by_runs, 1 / (1 + self.n_shuffles))

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the null distributions as JSON-ready data.

        What is infinite, such as F without error, is None.
        """
        return {
            "question": "compare",
            "source": self.source,
            "algorithms": [summary.to_dict() for summary in self.algorithms],
            "n_steps": self.n_steps,
            "first_step": self.first_step,
            "last_step": self.last_step,
            "n_blocks": self.n_blocks,
            "even_blocks": self.even_blocks,
            "higher_is_better": self.higher_is_better,
            "error": self.error,
            "spread": self.spread,
            "alpha": self.alpha,
            "exact": self.exact,
            "n_relabellings": self.n_relabellings,
            "n_shuffles": self.n_shuffles,
            "engine": self.engine,
            "smallest_pvalue": self.smallest_pvalue,
            "seed": self.seed,
            **{
                name: effect.to_dict()
                for name, effect in self.effects[self.error].items()
            },
            "effects": {
                error: {name: effect.to_dict() for name, effect in effects.items()}
                for error, effects in self.effects.items()
            },
            "table": self.table.to_dict(),
            "difference": None if self.difference is None else self.difference.to_dict(),
            "warnings": list(self.warnings),
        }

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: algorithms, ANOVA, effects."""
        return [_algorithms_table(self), self.table.table(), _effects_table(self)]


def _algorithms_table(comparison: Comparison) -> Table:
    summaries = comparison.algorithms
    rows = tuple(
        (
            summary.name,
            str(summary.n_runs),
            number_text(summary.mean),
            ""
            if summary.standard_deviation is None
            else number_text(summary.standard_deviation),
        )
        for summary in summaries
    )
    return Table(("algorithm", "runs", "mean over training", "SD of runs"), rows)


def _effects_table(comparison: Comparison) -> Table:
    effects = comparison.effects[comparison.error]
    meaning = {"overall": "at all", "algorithm": "in height", "interaction": "in shape"}
    rows = []
    for name, effect in effects.items():
        low, high = effect.pvalue_interval
        interval = (
            "exact" if effect.exact else f"{p_text(low) if low else 0} to {p_text(high)}"
        )
        rows.append(
            (
                meaning[name],
                number_text(effect.statistic),
                number_text(effect.critical_value)
                if comparison.smallest_pvalue <= comparison.alpha
                else "none",
                p_text(effect.pvalue),
                interval,
                number_text(effect.effect_size),
            )
        )
    header = ("differ", "F", f"critical F at {comparison.alpha:g}", "p")
    return Table((*header, "95% interval of p", "partial ω²"), tuple(rows))

"""Every answer, as frozen data. Nothing here is rounded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from curvewise.kernels.pvalues import clopper_pearson, f_survival
from curvewise.tables import Table, column_texts, html_text, number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.kernels import Floats

__all__ = [
    "AnovaRow",
    "AnovaTable",
    "Comparison",
    "Difference",
    "Effect",
    "EffectName",
    "ErrorTerm",
    "Interval",
]

EffectName = Literal["overall", "algorithm", "interaction"]
ErrorTerm = Literal["split", "pooled"]

ERROR_TERMS: dict[ErrorTerm, str] = {
    "split": "split (algorithm against curves, interaction against residual)",
    "pooled": "pooled (both against curves and residual together, as in the papers)",
}


class Interval(NamedTuple):
    """Two ends, both included."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Effect:
    """One effect: its F, and where that falls among the F of shuffled tables.

    Attributes
    ----------
    name : "overall", "algorithm" or "interaction"
    statistic : float
        F; infinite when there is an effect and no error at all.
    df : (int, int)
        Degrees of freedom of the effect and of its error.
    pvalue : float
        The share of relabellings with an F at least as large. Never 0.
    critical_value : float
        What F must exceed to be significant at ``alpha``.
    effect_size : float
        Partial ω²; may be slightly negative when there is no effect.
    null_distribution : array
        F of the relabellings, a million at most.
    """

    name: EffectName
    statistic: float
    df: tuple[int, int]
    pvalue: float
    n_extreme: int
    n_shuffles: int
    exact: bool
    alpha: float
    critical_value: float
    null_distribution: Floats = field(repr=False)

    @property
    def significant(self) -> bool:
        """Whether p is at most alpha."""
        return self.pvalue <= self.alpha

    @property
    def effect_size(self) -> float:
        """Partial ω²: the share of variation an effect explains beyond chance."""
        if math.isinf(self.statistic):
            return 1.0
        df_effect, df_error = self.df
        excess = df_effect * (self.statistic - 1)
        return excess / (excess + df_effect + df_error + 1)

    @cached_property
    def pvalue_parametric(self) -> float:
        """The p of the conventional F test, which takes all scores for independent."""
        return f_survival(self.statistic, self.df)

    @cached_property
    def pvalue_interval(self) -> Interval:
        """Where p would be if every relabelling were visited, with 95 % confidence."""
        if self.exact:
            return Interval(self.pvalue, self.pvalue)
        return Interval(*clopper_pearson(self.n_extreme, self.n_shuffles, 0.95))

    @property
    def pvalue_error(self) -> float:
        """The standard error that sampling adds to p; 0 when exact."""
        if self.exact:
            return 0.0
        return math.sqrt(self.pvalue * (1 - self.pvalue) / self.n_shuffles)

    def to_dict(self) -> dict[str, Any]:
        """Return the effect as JSON-ready data, without the null distribution."""
        return {
            "statistic": _json(self.statistic),
            "df": list(self.df),
            "pvalue": self.pvalue,
            "pvalue_interval": list(self.pvalue_interval),
            "pvalue_parametric": self.pvalue_parametric,
            "significant": self.significant,
            "critical_value": _json(self.critical_value),
            "effect_size": self.effect_size,
            "n_extreme": self.n_extreme,
        }


@dataclass(frozen=True)
class AnovaRow:
    """One source of variation; what does not apply to it is None."""

    source: str
    df: int
    ss: float
    ms: float | None = None
    statistic: float | None = None
    pvalue: float | None = None
    pvalue_parametric: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON-ready data."""
        return {name: _json(value) for name, value in vars(self).items()}


@dataclass(frozen=True)
class AnovaTable(Mapping[str, AnovaRow]):
    """Sums of squares by source, laid out as in Piater & Cohen.

    Looked up by source: ``table["algorithm"].ss``.
    """

    rows: tuple[AnovaRow, ...]
    error: ErrorTerm

    @classmethod
    def from_sums(
        cls,
        ss: Mapping[str, float],
        df: Mapping[str, int],
        error: ErrorTerm,
        effects: Mapping[str, Effect] | None = None,
    ) -> AnovaTable:
        """Go from sums of squares and degrees of freedom to mean squares, F and p."""
        against = {
            "training": "residual",
            "algorithm": "curves",
            "interaction": "residual",
        }
        if error == "pooled":
            against = dict.fromkeys(against, "error")
        means = {
            source: ss[source] / df[source] if df[source] else None
            for source in ss
            if source != "total"
        }

        def row(source: str) -> AnovaRow:
            mean = means.get(source)
            noise = means.get(against.get(source, ""))
            effect = (effects or {}).get(source)
            if effect is not None:
                statistic: float | None = effect.statistic
            elif mean is None or noise is None:
                statistic = None
            elif noise == 0:
                statistic = math.inf if mean > 0 else 0.0
            else:
                statistic = mean / noise
            parametric = None
            # Shuffling curves among algorithms says nothing of training, and nobody
            # doubts it: as in the papers, it has an F and no p.
            if statistic is not None and source != "training":
                parametric = f_survival(statistic, (df[source], df[against[source]]))
            return AnovaRow(
                source,
                df[source],
                ss[source],
                mean,
                statistic,
                effect.pvalue if effect is not None else None,
                parametric,
            )

        return cls(tuple(row(source) for source in ss), error)

    def __getitem__(self, source: str) -> AnovaRow:
        for row in self.rows:
            if row.source == source:
                return row
        raise KeyError(source)

    def __iter__(self) -> Iterator[str]:
        return (row.source for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON-ready data."""
        return {"error": self.error, "rows": [row.to_dict() for row in self.rows]}

    def table(self) -> Table:
        """Return the table as text, ready to be laid out."""
        shown = {"error": "error (pooled)", "curves": "error: curves"}
        shown["residual"] = "error: residual"

        def p(value: float | None) -> str:
            return "" if value is None else p_text(value)

        ss = column_texts([row.ss for row in self.rows])
        ms = column_texts([row.ms for row in self.rows])
        f = column_texts([row.statistic for row in self.rows])
        rows = tuple(
            (
                shown.get(row.source, row.source),
                str(row.df),
                ss[place],
                ms[place],
                f[place],
                p(row.pvalue),
                p(row.pvalue_parametric),
            )
            for place, row in enumerate(self.rows)
        )
        header = ("source", "df", "SS", "MS", "F", "p", "p by F test")
        notes = (
            f"Error term: {ERROR_TERMS[self.error]}.",
            "p by F test: conventional; it fails when scores along a curve are dependent.",
        )
        return Table(header, rows, notes=notes)

    def __str__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table().html()


@dataclass(frozen=True)
class Difference:
    """How far apart the curve means of two algorithms are, ``a`` minus ``b``.

    Attributes
    ----------
    value : float
        In units of the score; within blocks when there are blocks.
    interval : Interval
        All shifts the shuffle test does not reject at ``1 - confidence``.
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
            **{name: _json(value) for name, value in vars(self).items()},
            "interval": [_json(self.interval.low), _json(self.interval.high)],
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
class Comparison:
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
    warnings : tuple of str
        What a reader must know before believing the rest.
    """

    algorithms: tuple[AlgorithmSummary, ...]
    n_steps: int
    first_step: float
    last_step: float
    n_blocks: int | None
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
    seed: int | None
    warnings: tuple[str, ...]
    source: str = ""

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
            self.ss, self.df, self.error, self.effects[self.error]
        )

    @property
    def smallest_pvalue(self) -> float:
        """The smallest p that this many runs or shuffles could have given."""
        if self.exact:
            return 1 / self.n_relabellings
        return 1 / (1 + self.n_shuffles)

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
            "higher_is_better": self.higher_is_better,
            "error": self.error,
            "alpha": self.alpha,
            "exact": self.exact,
            "n_relabellings": self.n_relabellings,
            "n_shuffles": self.n_shuffles,
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

    def __str__(self) -> str:
        parts = [table.text() for table in self.tables()]
        parts += [f"Warning: {warning}" for warning in self.warnings]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        warnings = "".join(
            f"<p><strong>Warning:</strong> {html_text(w)}</p>" for w in self.warnings
        )
        return "".join(table.html() for table in self.tables()) + warnings


def _algorithms_table(comparison: Comparison) -> Table:
    summaries = comparison.algorithms
    means = column_texts([summary.mean for summary in summaries])
    spreads = column_texts([summary.standard_deviation for summary in summaries])
    rows = tuple(
        (summary.name, str(summary.n_runs), means[place], spreads[place])
        for place, summary in enumerate(summaries)
    )
    return Table(("algorithm", "runs", "mean over training", "SD of runs"), rows)


def _effects_table(comparison: Comparison) -> Table:
    effects = comparison.effects[comparison.error]
    meaning = {"overall": "at all", "algorithm": "in height", "interaction": "in shape"}
    rows = []
    for name, effect in effects.items():
        low, high = effect.pvalue_interval
        interval = "exact" if effect.exact else f"{p_text(low)} to {p_text(high)}"
        rows.append(
            (
                meaning[name],
                number_text(effect.statistic),
                number_text(effect.critical_value),
                p_text(effect.pvalue),
                interval,
                number_text(effect.effect_size),
            )
        )
    header = ("differ", "F", f"critical F at {comparison.alpha:g}", "p")
    return Table((*header, "95 % interval of p", "partial ω²"), tuple(rows))


def _json(value: Any) -> Any:
    """Replace what JSON has no word for: an infinite number becomes None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

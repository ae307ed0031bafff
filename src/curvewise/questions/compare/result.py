"""What `compare` and `compare_many` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

from curvewise.inference.effects import EFFECTS, Interval, json_ready
from curvewise.inference.families import ADJUSTMENTS, adjusted
from curvewise.inference.phrases import p_cell
from curvewise.inference.result import Result
from curvewise.inference.sampling import Sampled
from curvewise.questions.compare.anova_table import AnovaTable
from curvewise.rendering.tables import Table
from curvewise.text import number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Center, Effect, ErrorTerm, Spread
    from curvewise.inference.sampling import Sampling
    from curvewise.kernels import Floats

__all__ = ["AlgorithmSummary", "Comparison", "Comparisons", "Difference"]


# What stands after "in height" where height is not the mean.
HEIGHTS = {"trimmed": " (typical run)", "ranks": " (ranks)"}


@dataclass(frozen=True)
class Difference:
    """How far apart the curve means of two algorithms are, ``a`` minus ``b``.

    Of typical runs, where these are compared: the difference of trimmed means or, by ranks, the
    median of all differences between a run of ``a`` and one of ``b``.

    Attributes
    ----------
    value : float
        In units of the score; within blocks when there are blocks.
    interval : Interval
        All shifts the shuffle test does not reject at ``1 - confidence``. Where spreads
        may differ: the value ± a quantile of the drawn ``|t|`` times its standard error.
    hedges_g : float or None
        In standard deviations of the curve means, corrected for few runs; of means only.
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

    def reversed(self) -> Difference:
        """Return the difference as seen from ``b``."""
        low, high = self.interval
        return Difference(
            self.b,
            self.a,
            0.0 - self.value,
            Interval(0.0 - high, 0.0 - low),
            self.confidence,
            None if self.hedges_g is None else 0.0 - self.hedges_g,
            1 - self.probability_of_superiority,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as JSON-ready data; an unbounded end is None."""
        return {
            **{name: json_ready(value) for name, value in vars(self).items()},
            "interval": [json_ready(self.interval.low), json_ready(self.interval.high)],
        }


@dataclass(frozen=True)
class AlgorithmSummary:
    """One algorithm: how many runs, their mean over training, and its spread.

    ``typical`` is the trimmed mean, where typical runs are compared by it.
    """

    name: str
    n_runs: int
    mean: float
    standard_deviation: float | None
    typical: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as JSON-ready data."""
        values = dict(vars(self))
        if self.typical is None:
            del values["typical"]
        return values


@dataclass(frozen=True, eq=False)
class Comparison(Sampled, Result):
    """Do the curves differ, in height or in shape? What `compare` found.

    Attributes
    ----------
    overall, algorithm, interaction : Effect
        Do they differ at all; in height; in shape (None with a single step).
    table : AnovaTable
        Sums of squares, F and p by source.
    conventional : AnovaTable
        The same with the pooled error term and the p of the conventional F test alone.
    error : "split" or "pooled"
        The error term of ``algorithm``, ``interaction`` and ``table``; the effects under
        either term are in ``effects``.
    spread : "equal" or "unequal"
        Whether algorithms were taken to vary equally from run to run. If not, F is of
        Welch's kind, and ``effects`` has the split error term only.
    center : "mean", "trimmed" or "ranks"
        What of an algorithm's runs its height was: their mean, the typical run or their ranks.
        If not the mean, ``effects`` has the split error term only, and ``table``, which is of
        means, no p of height.
    sampling : Sampling
        How relabellings were visited; its attributes (``exact``, ``n_relabellings``,
        ``n_shuffles``, ``engine``, ``seed``, ``smallest_pvalue``) are those of the result.
    difference : Difference or None
        Two algorithms only.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    most_striking : Interval or None
        The step at which the algorithms differ most, compared with the spread of runs there;
        two steps where, of more than 512, neighbouring ones are averaged. With the combined
        overall test only.
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
    sampling: Sampling
    caveats: tuple[Caveat, ...]
    source: str = ""
    spread: Spread = "equal"
    most_striking: Interval | None = None
    center: Center = "mean"
    preparation: Preparation | None = None
    in_score_units: ClassVar[tuple[str, ...]] = (
        "algorithms.mean",
        "algorithms.standard_deviation",
        "algorithms.typical",
        "table.ss",
        "conventional",
        "difference.value",
        "difference.interval",
        "difference.hedges_g",
    )

    def with_nulls_of(self, again: Callable[[], Comparison]) -> Comparison:
        """Return the same as one of many, whose null distributions would fill a memory.

        ``again`` makes the same comparison; it is called if a null distribution is asked for, of
        which 1,000 quantiles are kept then.
        """
        effects = {
            error: {
                name: replace(effect, null=partial(_thinned_null, again, error, name))
                for name, effect in own.items()
            }
            for error, own in self.effects.items()
        }
        return replace(self, effects=effects)

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
        effects = dict(self.effects[self.error])
        if self.center != "mean":
            del effects["algorithm"]
        return AnovaTable.from_sums(
            self.ss, self.df, self.error, effects, self.spread, self.center
        )

    @cached_property
    def conventional(self) -> AnovaTable:
        """The table of the conventional F test: pooled error, parametric p."""
        return AnovaTable.from_sums(self.ss, self.df, "pooled")

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
            "center": self.center,
            "alpha": self.alpha,
            **self.sampling.to_dict(),
            **{
                name: effect.to_dict()
                for name, effect in self.effects[self.error].items()
            },
            "effects": {
                error: {name: effect.to_dict() for name, effect in effects.items()}
                for error, effects in self.effects.items()
            },
            "table": self.table.to_dict(),
            "conventional": self.conventional.to_dict(),
            "difference": None if self.difference is None else self.difference.to_dict(),
            "most_striking": self.most_striking and list(self.most_striking),
            **self.shared_dict(),
        }

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: algorithms, ANOVA, effects."""
        return [_algorithms_table(self), self.table.table(), _effects_table(self)]


@dataclass(frozen=True, eq=False)
class Comparisons(Result, Mapping[str, Comparison]):
    """One comparison a table, looked up by its name, with p adjusted across the tables.

    Attributes
    ----------
    pvalues_adjusted : mapping from effect to mapping from table to p
        Adjusted over all tables, for each effect.
    at_least : mapping from effect to int
        With confidence 1 - alpha so many tables differ, or more; if the tables are independent.
    adjust : "bh", "holm" or "bonferroni"
        How p was adjusted. "bh" keeps the expected share of false alarms among the tables that
        are named at alpha, the others the chance of any false alarm.
    alpha : float
    caveats : tuple of Caveat
        What a reader must know before believing the rest, with the tables it is about.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    """

    comparisons: Mapping[str, Comparison]
    pvalues_adjusted: Mapping[str, Mapping[str, float]]
    at_least: Mapping[str, int]
    adjust: str
    alpha: float
    caveats: tuple[Caveat, ...]
    seed: int | None = None

    def __getitem__(self, name: str) -> Comparison:
        return self.comparisons[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def significant(self, effect: str = "overall") -> tuple[str, ...]:
        """Return the tables in which an effect is significant after adjustment."""
        adjusted = self.pvalues_adjusted[effect]
        return tuple(name for name, pvalue in adjusted.items() if pvalue <= self.alpha)

    @property
    def smallest_pvalue(self) -> float:
        """The smallest adjusted p these runs could give, if all tables were that clear."""
        smallest = {name: found.smallest_pvalue for name, found in self.items()}
        return min(adjusted(smallest, self.adjust).values())

    @property
    def smallest_pvalue_alone(self) -> float:
        """The smallest adjusted p of a table that stands out alone."""
        smallest = min(found.smallest_pvalue for found in self.values())
        return min(1.0, len(self) * smallest)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "question": "compare_many",
            "adjust": self.adjust,
            "alpha": self.alpha,
            "seed": self.seed,
            "smallest_pvalue": self.smallest_pvalue,
            "smallest_pvalue_alone": self.smallest_pvalue_alone,
            "at_least": dict(self.at_least),
            "pvalues_adjusted": {
                key: dict(value) for key, value in self.pvalues_adjusted.items()
            },
            "comparisons": {name: found.to_dict() for name, found in self.items()},
            **self.shared_dict(),
        }

    def table(self) -> Table:
        """Return F and p of every table, ready to be laid out."""
        rows = []
        for name, found in self.items():
            cells = [name]
            for effect in EFFECTS:
                value = found.effects[found.error].get(effect)
                if value is None:
                    cells += ["", "", ""]
                    continue
                cells += [
                    f"{value.symbol} = {number_text(value.statistic)}",
                    p_text(value.pvalue),
                    p_text(self.pvalues_adjusted[effect][name]),
                ]
            rows.append(tuple(cells))
        header = ["table"]
        for words in EFFECTS.values():
            header += [words.noun, "p", "adjusted"]
        how = ADJUSTMENTS[self.adjust].label
        note = f"Adjusted by {how} over {len(self)} tables, for each effect."
        return Table(tuple(header), tuple(rows), notes=(note,))

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: a row for every comparison."""
        return [self.table()]


def _algorithms_table(comparison: Comparison) -> Table:
    # The best one first.
    sign = -1 if comparison.higher_is_better else 1
    summaries = sorted(comparison.algorithms, key=lambda summary: sign * summary.mean)
    rows = tuple(
        (
            summary.name,
            str(summary.n_runs),
            number_text(summary.mean),
            ""
            if summary.standard_deviation is None
            else number_text(summary.standard_deviation),
            *(() if summary.typical is None else (number_text(summary.typical),)),
        )
        for summary in summaries
    )
    header = ("algorithm", "runs", "mean over training", "SD of runs")
    typical = comparison.center == "trimmed"
    return Table((*header, "typical run") if typical else header, rows)


def _effects_table(comparison: Comparison) -> Table:
    effects = comparison.effects[comparison.error]
    rows = []
    for effect in effects.values():
        low, high = effect.pvalue_interval
        interval = (
            "exact" if effect.exact else f"{p_text(low) if low else 0} to {p_text(high)}"
        )
        rows.append(
            (
                EFFECTS[effect.name].how + HEIGHTS.get(effect.center, ""),
                f"{effect.symbol} = {number_text(effect.statistic)}",
                number_text(effect.critical_value)
                if comparison.smallest_pvalue <= comparison.alpha
                else "none",
                p_cell(effect),
                interval,
                number_text(effect.effect_size),
            )
        )
    header = ("differ", "statistic", f"critical at {comparison.alpha:g}", "p")
    notes = []
    if comparison.center == "trimmed":
        notes.append(
            "D is the difference of trimmed means: of the typical run, after a fifth of the "
            "runs is cut off at either end, in every relabelling."
            if len(comparison.algorithms) == 2
            else "D is the root mean squared difference of trimmed means: of the typical run, "
            "after a fifth of the runs is cut off at either end, in every relabelling."
        )
    if comparison.center == "ranks":
        notes.append("F of height is that of the ranks of runs by their mean score.")
    components = comparison.overall.components
    if components is not None:
        parts = ", ".join(f"{name} {z:.2f}" for name, z in components.items())
        notes.append(
            "C combines these looks, each in standard deviations above the mean of shuffled "
            f"curves: {parts}."
        )
    columns = (*header, "95% interval of p", "partial ω²")
    return Table(columns, tuple(rows), notes=tuple(notes))


def _thinned_null(again: Callable[[], Comparison], error: ErrorTerm, name: str) -> Floats:
    return again().effects[error][name].with_thinned_null().null_distribution

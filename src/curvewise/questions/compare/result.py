"""What `compare` and `compare_many` found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from curvewise.inference.caveats import (
    Caveat,
    InfiniteF,
    PooledErrorMisleads,
    TooFewForTypicalRuns,
    coarse_scores,
    different_spread,
    few_for_ranks,
    prepared,
    single_runs_and_steps,
    stray_runs,
    too_few,
    uneven_blocks,
    welch_with_few_runs,
)
from curvewise.inference.result import EFFECTS, PARTS, Family, Interval, Result, f_statistic, p_cell
from curvewise.inference.work import ADJUSTMENTS, Sampled, adjusted
from curvewise.kernels.invert import n_alike
from curvewise.kernels.pvalues import f_survival
from curvewise.records import INLINE, UNTOLD, Record, told
from curvewise.rendering.tables import Table
from curvewise.text import argument, column_texts, number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Bounded, Center, Effect, EffectName, ErrorTerm, Spread
    from curvewise.inference.work import Sampling
    from curvewise.kernels import Floats
    from curvewise.records import As, Count, Extended, Keywords, Probability
    from curvewise.shuffling.visit import Layout

    Effects = Annotated[
        Mapping[str, Effect],
        As(Mapping[EffectName, Effect]),
        Keywords({"required": ["overall", "algorithm"]}),
    ]
    ByErrorTerm = Annotated[Mapping[ErrorTerm, Effects], Keywords({"required": ["split"]})]


ERROR_TERMS: dict[ErrorTerm, str] = {
    "split": "split (algorithm against curves, interaction against residual)",
    "pooled": "pooled (both against curves and residual together, as in the papers)",
}


@dataclass(frozen=True)
class AnovaRow(Record):
    """One source of variation; what does not apply to it is None."""

    source: str
    df: Count
    ss: Extended
    ms: float | None = None
    statistic: float | None = None
    pvalue: Probability | None = None
    pvalue_parametric: Probability | None = None


@dataclass(frozen=True)
class AnovaTable(Record, Mapping[str, AnovaRow]):
    """Sums of squares by source, laid out as in Piater & Cohen.

    Looked up by source: ``table["algorithm"].ss``.
    """

    error: ErrorTerm
    rows: tuple[AnovaRow, ...]
    spread: Spread = field(default="equal", metadata=UNTOLD)
    center: Center = field(default="mean", metadata=UNTOLD)

    @classmethod
    def from_sums(
        cls,
        ss: Mapping[str, float],
        df: Mapping[str, int],
        error: ErrorTerm,
        effects: Mapping[str, Effect] | None = None,
        spread: Spread = "equal",
        center: Center = "mean",
    ) -> AnovaTable:
        """Go from sums of squares and degrees of freedom to mean squares, F and p."""
        against = {"training": "residual", "algorithm": "curves", "interaction": "residual"}
        if error == "pooled":
            against = dict.fromkeys(against, "error")
        means = {
            source: ss[source] / df[source] if df[source] else None
            for source in ss
            if source != "total"
        }

        def row(source: str) -> AnovaRow:
            mean, noise = means.get(source), means.get(against.get(source, ""))
            effect = (effects or {}).get(source)
            statistic = pvalue = parametric = None
            if effect is not None:
                statistic, pvalue = effect.statistic, effect.pvalue
                parametric = effect.pvalue_parametric
            elif mean is not None and noise is not None:
                statistic = f_statistic(mean, noise, (1, 1))
                # Shuffling curves among algorithms says nothing of training, and nobody
                # doubts it: as in the papers, it has an F and no p.
                if source != "training":
                    parametric = f_survival(statistic, (df[source], df[against[source]]))
            own = df[source], ss[source], mean, statistic, pvalue, parametric
            return AnovaRow(source, *own)

        return cls(error, tuple(row(source) for source in ss), spread, center)

    def __getitem__(self, source: str) -> AnovaRow:
        return {row.source: row for row in self.rows}[source]

    def __iter__(self) -> Iterator[str]:
        return (row.source for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def table(self) -> Table:
        """Return the table as text, ready to be laid out."""
        shown = {
            "error": "error (pooled)",
            "curves": "error: curves",
            "residual": "error: residual",
        }

        def numbers(field: str) -> Callable[[AnovaRow], str]:
            cells = column_texts([getattr(row, field) for row in self.rows])
            return lambda row: cells[self.rows.index(row)]

        def p(value: float | None) -> str:
            return "" if value is None else p_text(value)

        notes = [f"Error term: {ERROR_TERMS[self.error]}."]
        if self.spread == "unequal":
            notes.append(
                "F and p allow for unequal spread: each algorithm is weighed by its own "
                "variance (Welch), so F is not a ratio of the MS shown."
            )
            notes.append("p by F test: Welch's, on approximate degrees of freedom.")
        else:
            notes.append(
                "p by F test: parametric, and invalid when the scores of a run are correlated."
            )
        if self.center != "mean":
            notes.append(
                "This table is of means. Height was tested by "
                + ("typical runs" if self.center == "trimmed" else "ranks")
                + ", and has its p below."
            )
        if self.error == "split":
            notes.append("The conventional F test, as in the papers, divides by the pooled error.")
        return Table.of(
            self.rows,
            ("source", lambda row: shown.get(row.source, row.source)),
            ("df", lambda row: str(row.df)),
            ("SS", numbers("ss")),
            ("MS", numbers("ms")),
            ("F", numbers("statistic")),
            ("p", lambda row: p(row.pvalue)),
            ("p by F test", lambda row: p(row.pvalue_parametric)),
            notes=tuple(notes),
        )

    def __str__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table().html()


# What stands after "in height" where height is not the mean.
HEIGHTS = {"trimmed": " (typical run)", "ranks": " (ranks)"}


@dataclass(frozen=True)
class Difference(Record):
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
    value: Extended
    interval: Interval
    confidence: Probability
    hedges_g: float | None
    probability_of_superiority: Probability

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


@dataclass(frozen=True)
class AlgorithmSummary(Record):
    """One algorithm: how many runs, their mean over training, and its spread.

    ``typical`` is the trimmed mean, where typical runs are compared by it.
    """

    name: str
    n_runs: Count
    mean: float
    standard_deviation: float | None
    typical: float | None = field(default=None, metadata={"unless": None})


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparison(Sampled, Result, question="compare"):
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
    period : str
        What all steps are: "over training", or the part of it that was read.
    """

    source: str = ""
    algorithms: tuple[AlgorithmSummary, ...]
    n_steps: Count
    first_step: float
    last_step: float
    n_blocks: Count | None
    even_blocks: bool
    higher_is_better: bool
    error: ErrorTerm
    spread: Spread = "equal"
    center: Center = "mean"
    alpha: Probability
    sampling: Sampling = field(metadata=INLINE)
    effects: ByErrorTerm = field(repr=False)
    ss: Mapping[str, float] = field(repr=False, metadata=UNTOLD)
    df: Mapping[str, int] = field(repr=False, metadata=UNTOLD)
    difference: Difference | None
    most_striking: Bounded | None = None
    period: str = field(default="over training", repr=False, metadata=UNTOLD)
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
    @told(after="sampling")
    def overall(self) -> Effect:
        """Do the algorithms differ at all? Claim nothing else unless this is significant."""
        return self.effects[self.error]["overall"]

    @property
    @told(after="overall")
    def algorithm(self) -> Effect:
        """Do the algorithms differ in height?"""
        return self.effects[self.error]["algorithm"]

    @property
    @told(after="algorithm", unless=None)
    def interaction(self) -> Effect | None:
        """Do the algorithms differ in shape? None when there is a single step."""
        return self.effects[self.error].get("interaction")

    @cached_property
    @told(after="effects")
    def table(self) -> AnovaTable:
        """Sums of squares, F and p by source."""
        effects = dict(self.effects[self.error])
        if self.center != "mean":
            del effects["algorithm"]
        return AnovaTable.from_sums(self.ss, self.df, self.error, effects, self.spread, self.center)

    @cached_property
    @told(after="table")
    def conventional(self) -> AnovaTable:
        """The table of the conventional F test: pooled error, parametric p."""
        return AnovaTable.from_sums(self.ss, self.df, "pooled")

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: algorithms, ANOVA, effects."""
        return [_algorithms_table(self), self.table.table(), _effects_table(self)]


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparisons(Family[str, Comparison], question="compare_many", members="comparisons"):
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

    adjust: str
    alpha: Probability
    seed: int | None = None
    at_least: Mapping[str, Count]
    pvalues_adjusted: Mapping[str, Mapping[str, Probability]]
    comparisons: Mapping[str, Comparison]

    def significant(self, effect: str = "overall") -> tuple[str, ...]:
        """Return the tables in which an effect is significant after adjustment."""
        adjusted = self.pvalues_adjusted[effect]
        return tuple(name for name, pvalue in adjusted.items() if pvalue <= self.alpha)

    @property
    @told(after="seed")
    def smallest_pvalue(self) -> Probability:
        """The smallest adjusted p these runs could give, if all tables were that clear."""
        smallest = {name: found.smallest_pvalue for name, found in self.items()}
        return min(adjusted(smallest, self.adjust).values())

    @property
    @told(after="smallest_pvalue")
    def smallest_pvalue_alone(self) -> Probability:
        """The smallest adjusted p of a table that stands out alone."""
        smallest = min(found.smallest_pvalue for found in self.values())
        return min(1.0, len(self) * smallest)

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
    return Table.of(
        summaries,
        ("algorithm", lambda own: own.name),
        ("runs", lambda own: str(own.n_runs)),
        (f"mean {comparison.period}", lambda own: number_text(own.mean)),
        (
            "SD of runs",
            lambda own: (
                "" if own.standard_deviation is None else number_text(own.standard_deviation)
            ),
        ),
        ("typical run", lambda own: None if own.typical is None else number_text(own.typical)),
    )


def _effects_table(comparison: Comparison) -> Table:
    decidable = comparison.smallest_pvalue <= comparison.alpha

    def interval(effect: Effect) -> str:
        low, high = effect.pvalue_interval
        return "exact" if effect.exact else f"{p_text(low) if low else 0} to {p_text(high)}"

    notes = []
    if comparison.center == "trimmed":
        kind = "" if len(comparison.algorithms) == 2 else "root mean squared "
        notes.append(
            f"D is the {kind}difference of trimmed means: of the typical run, after a fifth of "
            "the runs is cut off at either end, in every relabelling."
        )
    if comparison.center == "ranks":
        notes.append("F of height is that of the ranks of runs by their mean score.")
    components = comparison.overall.components
    if components:
        parts = ", ".join(f"{name} {z:.2f}" for name, z in components.items())
        notes.append(
            "C combines these looks, each in standard deviations above the mean of shuffled "
            f"curves: {parts}."
        )
    return Table.of(
        comparison.effects[comparison.error].values(),
        ("differ", lambda own: EFFECTS[own.name].how + HEIGHTS.get(own.center, "")),
        ("statistic", lambda own: f"{own.symbol} = {number_text(own.statistic)}"),
        (
            f"critical at {comparison.alpha:g}",
            lambda own: number_text(own.critical_value) if decidable else "none",
        ),
        ("p", p_cell),
        ("95% interval of p", interval),
        ("partial ω²", lambda own: number_text(own.effect_size)),
        notes=tuple(notes),
    )


def _thinned_null(again: Callable[[], Comparison], error: ErrorTerm, name: str) -> Floats:
    return again().effects[error][name].with_thinned_null().null_distribution


def is_claimed(comparison: Comparison, name: EffectName) -> bool:
    """Tell whether an effect is claimed: behind the overall test, and not by pooling alone."""
    return comparison.overall.significant and holds(comparison, name)


def holds(comparison: Comparison, name: EffectName) -> bool:
    """Tell whether an effect is significant, and with its own error term too."""
    effects = comparison.effects
    return (
        name in effects[comparison.error]
        and effects[comparison.error][name].significant
        and effects["split"][name].significant
    )


def is_undecidable(comparison: Comparison) -> bool:
    """Tell whether no data could have been significant with so few runs or shuffles."""
    return comparison.smallest_pvalue > comparison.alpha


def in_what(comparison: Comparison) -> str:
    """Say that what was found may be the spread, where spreads differ."""
    doubted = any(caveat.doubts_means for caveat in comparison.caveats)
    return " in mean or in spread" if doubted else ""


class TooManyTables(Caveat):
    """No adjusted p of a table can be as small as alpha, though its own p could."""

    n_tables: int
    smallest_pvalue: float
    alpha: float
    adjust: str

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        return (
            f"The smallest p possible, adjusted for {self.n_tables} tables by "
            f"{ADJUSTMENTS[self.adjust].label}, is {p_text(self.smallest_pvalue)}, which is "
            f"above alpha = {self.alpha:g}: no table can be named. Use more runs, or "
            f"{argument('adjust', 'bh')}."
        )


def comparison_caveats(
    curves: Curves,
    layout: Layout,
    effects: Mapping[ErrorTerm, Mapping[str, Effect]],
    sampling: Sampling,
    *,
    error: ErrorTerm,
    spread: Spread,
) -> Iterator[Caveat]:
    """Yield every caveat that applies, the gravest first."""
    equal, height = spread == "equal", effects["split"]["algorithm"]
    alpha, center = height.alpha, height.center
    yield from too_few(curves, sampling, alpha)
    yield from prepared(curves)
    yield from single_runs_and_steps(curves)
    for name in PARTS:
        if name in effects[error] and math.isinf(effects[error][name].statistic):
            yield InfiniteF(name)
    yield from _pooled_error_misleads(effects, error)
    yield from different_spread(curves, layout) if equal else welch_with_few_runs(curves)
    yield from uneven_blocks(curves)
    yield from coarse_scores(curves)
    # Other centres than the mean take the spreads to be equal.
    if center == "mean" and equal:
        yield from stray_runs(curves)
    yield from few_for_ranks(curves, center)
    if center == "trimmed" and len(curves.algorithms) == 2:
        smallest = n_alike(np.array(curves.sizes)) / sampling.n_relabellings
        if sampling.smallest_by_runs <= alpha < smallest:
            yield TooFewForTypicalRuns(curves.sizes, smallest, alpha)


def _pooled_error_misleads(
    effects: Mapping[ErrorTerm, Mapping[str, Effect]], error: ErrorTerm
) -> Iterator[Caveat]:
    """Warn where the pooled error term lets one effect pass for the other."""
    if error != "pooled" or "interaction" not in effects["split"]:
        return
    pairs: tuple[tuple[EffectName, EffectName], ...] = (
        ("interaction", "algorithm"),
        ("algorithm", "interaction"),
    )
    for name, other in pairs:
        own, pooled = effects["split"][name], effects["pooled"][name]
        other_differs = effects["split"][other].significant
        if pooled.significant and (other_differs or not own.significant):
            yield PooledErrorMisleads(name, other, other_differs, pooled.pvalue, own.pvalue)

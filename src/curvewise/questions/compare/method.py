"""Do the curves differ at all? The combined statistic, shuffled: four looks in one test."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, get_args

import numpy as np

from curvewise.errors import refuse
from curvewise.inference.asking import check_variation
from curvewise.inference.result import Effect, EffectName, ErrorTerm, Interval, f_statistic
from curvewise.inference.two_groups import TRIMMED_LIMITS, Extremes, RunNumbers
from curvewise.kernels.anova import EPSILON, MIN_GROUPS_ADDED_UP, Design, effect_ratio, rounding
from curvewise.kernels.combined import COMPONENTS, CombinedDesign, Scales
from curvewise.kernels.compiling import compiling_repays
from curvewise.kernels.invert import (
    between_of_halves,
    can_be_halved,
    halving_repays_compiling,
    shift_interval,
    trimmed_f,
    trimmed_spread,
)
from curvewise.kernels.pvalues import TIE, critical_value, hedges_correction, pvalue, upper_quantile
from curvewise.kernels.relabel import BATCH, RandomDraws
from curvewise.kernels.welch import WelchDesign, f_at
from curvewise.questions.compare.result import Difference
from curvewise.shuffling.visit import MAX_KEPT_BATCHES, Limits, Statistic
from curvewise.text import argument

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Center, Spread
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova import Totals
    from curvewise.kernels.compiled_kernels import Counter
    from curvewise.kernels.relabel import Relabellings
    from curvewise.shuffling.visit import Counts, Layout, Measured, Plan

    HeightCounter = Callable[[Layout, Design], tuple[int, int] | None]


# --- The randomized ANOVA: the statistic that is shuffled, and the effects from its counts.
#
# Small work is done in NumPy at once. Large work is counted by compiled code, which takes a second
# to import; both count the same relabellings the same way.

# Which of the five statistics of `kernels.anova` is which effect.
ROWS: dict[ErrorTerm, dict[EffectName, int]] = {
    "split": {"overall": 0, "algorithm": 1, "interaction": 2},
    "pooled": {"overall": 0, "algorithm": 3, "interaction": 4},
}
COMBINED_ROW = 5
# Those that are ratios of one sum of squares to what is left of its own total, and of which.
OWN_PARTS = {1: 0, 2: 1}
LIMITS = Limits(exact=1_000_000_000)
# With many runs, where NumPy is slow, some thousands of values have to do.
MIN_KEPT_BATCHES, MAX_KEPT_RUNS_TIMES_BATCHES = 4, 2_560
# Seconds for a sum over a run's column: in NumPy, by matrix products of each group or by adding
# up; and in compiled code. Relabelling a run takes as long as some of them.
SUM_BY_PRODUCT, SUM_IN_NUMPY, SUM_COMPILED, SUMS_TO_RELABEL = 0.1e-9, 1e-9, 0.15e-9, 20


@dataclass(frozen=True, eq=False)
class Overall(Statistic):
    """How many relabellings are as extreme, by five F and by the combined statistic.

    Kept are SS_alg and SS_int; for two algorithms the sums of curve means and memberships over the
    first; and last the combined statistic, or the looks that it is made of.

    Attributes
    ----------
    design : Design
    deciders : tuple of int
        The counts that decide when to stop: those of `ROWS`, and `COMBINED_ROW`.
    combined : CombinedDesign, optional
        For the combined statistic; without it, F is all that is looked at.
    scales, least : Scales, float
        Of the combined statistic, and what it must reach to count. Without scales its looks are
        kept, to learn them from, and it is not counted.
    compiled : bool
        Whether compiled code counts, and helps with what is kept; it changes no digit.
    """

    design: Design
    deciders: tuple[int, ...] = tuple(range(5))
    combined: CombinedDesign | None = None
    scales: Scales | None = None
    least: float = 0.0
    compiled: bool = False

    chunk = 16

    @property
    def n_kept(self) -> int:  # type: ignore[override]
        """How many batches are kept of a larger number."""
        return MAX_KEPT_BATCHES if self.combined else n_kept_of_f(self.design)

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch."""
        if self.compiled and not keep:
            return (self._counter(labels),), ()
        between = self.design.between(labels, compiled=self.compiled)
        counts, kept = self.design.extreme_rule.n_extreme(between), [between]
        if keep and self.design.contrast is not None:
            kept.append(((labels == 0).astype(np.float64) @ self.design.contrast).T)
        if self.combined is not None:
            kept.append(self.combined.values(labels, between=between, compiled=self.compiled))
        if self.scales is not None:
            kept[-1] = self.scales.statistic(kept[-1])
            counts = np.append(counts, np.count_nonzero(kept[-1] >= self.least))
        return (counts,), tuple(kept) if keep else ()

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts of the effects that are reported."""
        return counts[0][list(self.deciders)]

    def whole(self, relabellings: Relabellings) -> Measured | None:
        """Count and keep all relabellings of two algorithms at once."""
        if not can_be_halved(relabellings):
            return None
        between, contrasts = between_of_halves(self.design, relabellings.labels)
        kept = [between, contrasts]
        if self.combined is not None:
            compiled = halving_repays_compiling(relabellings.count, self._n_columns)
            labels = relabellings.labels
            kept.append(self.combined.every_value(labels, between, compiled=compiled))
        return (self.design.extreme_rule.n_extreme(between),), tuple(kept)

    def compiled_for(self, n_batches: int) -> Overall | None:
        """Return the statistic in compiled code, if so many batches are counted sooner by it."""
        n_groups = len(self.design.factor) + 1
        in_numpy = SUM_IN_NUMPY
        if self.design.sizes is None or n_groups < MIN_GROUPS_ADDED_UP:
            in_numpy = n_groups * SUM_BY_PRODUCT
        n_runs = len(self.design.coordinates)
        relabelling = SUMS_TO_RELABEL * SUM_IN_NUMPY
        n_each = n_batches * BATCH * n_runs
        seconds = n_each * (relabelling + self._n_columns * in_numpy)
        if not compiling_repays(seconds, n_each * self._n_columns * SUM_COMPILED):
            return None
        # Loaded here, it also serves the relabellings that are kept.
        import curvewise.kernels.compiled_kernels  # noqa: F401

        return replace(self, compiled=True)

    @property
    def _n_columns(self) -> int:
        n_columns = self.design.coordinates.shape[1]
        return n_columns + (self.combined.columns.shape[1] if self.combined else 0)

    @cached_property
    def _counter(self) -> Counter:
        from curvewise.kernels.compiled_kernels import NO_LOOKS, Counter, Looks

        if self.combined is None or self.scales is None:
            return Counter(self.design, np.empty((len(self.design.coordinates), 0)), NO_LOOKS)
        looks = Looks.of(self.combined, self.scales, self.least)
        return Counter(self.design, self.combined.columns, looks)


def n_kept_of_f(design: Design) -> int:
    """Return how many batches of F are kept of a larger number."""
    fewer = MAX_KEPT_RUNS_TIMES_BATCHES // len(design.coordinates)
    return max(MIN_KEPT_BATCHES, min(MAX_KEPT_BATCHES, fewer))


def anova_effects(
    design: Design,
    found: Counts,
    layout: Layout,
    *,
    alpha: float,
    height_counter: HeightCounter | None,
    is_combined: bool = False,
    errors: tuple[ErrorTerm, ...] = get_args(ErrorTerm),
) -> dict[ErrorTerm, dict[str, Effect]]:
    """Return every effect with each of the error terms.

    ``height_counter`` is `exact_height`, or counts as that does, to replace the sampled p of
    height by the exact one. With ``is_combined`` the overall F of the split error term is only
    reported: where no other is asked for, it has no critical value. Null distributions are made
    when they are asked for.
    """
    between = found.kept[0]
    df, ss = design.df, design.ss
    own = {"algorithm": "curves", "interaction": "residual"}
    heights = None
    if height_counter is not None and not found.exact:
        heights = height_counter(layout, design)

    def effect(name: EffectName, error: ErrorTerm) -> Effect:
        parts = ("algorithm", "interaction") if name == "overall" else (name,)
        against = own.get(name, "error") if error == "split" else "error"
        effect_df = sum(df[part] for part in parts), df[against]
        statistic = f_statistic(sum(ss[part] for part in parts), ss[against], effect_df)
        row = ROWS[error][name]
        null_of = partial(_null, design.totals, row, effect_df, statistic)
        null: Floats | Callable[[], Floats] = partial(null_of, between)
        critical = math.nan
        if row in OWN_PARTS:
            # The larger the sum of squares, the larger F, also when rounded: so the F of a
            # quantile is the quantile of F.
            quantile = np.zeros((2, 1))
            quantile[OWN_PARTS[row]] = critical_value(between[OWN_PARTS[row]], alpha)
            critical = float(null_of(quantile)[0])
        elif not is_combined or len(errors) > 1:
            null = null_of(between)
        counted = heights if name == "algorithm" and error == "split" else None
        of = found, name, statistic, effect_df, null, row
        return effect_of(*of, alpha=alpha, critical=critical, counted=counted)

    names = [name for name in get_args(EffectName) if name == "overall" or df[name]]
    # The overall effect has one error only.
    overall = effect("overall", errors[0])
    return {
        error: {name: overall if name == "overall" else effect(name, error) for name in names}
        for error in errors
    }


def effect_of(
    found: Counts,
    name: EffectName,
    statistic: float,
    df: tuple[float, float],
    null: Floats | Callable[[], Floats],
    row: int = 0,
    *,
    alpha: float,
    critical: float = math.nan,
    counted: tuple[int, int] | None = None,
) -> Effect:
    """Return an effect; ``row`` is where it was counted.

    ``critical`` is its critical value where the null distribution is not made yet. An exact count,
    of the extreme and of all, may replace what was visited.
    """
    n_extreme, n_visited = counted or (int(found.counts[0][row]), found.n_visited)
    exact = found.exact or counted is not None
    if isinstance(null, np.ndarray):
        null.setflags(write=False)
        critical = critical_value(null, alpha)
    return Effect(
        name=name,
        statistic=statistic,
        df=df,
        pvalue=float(pvalue(n_extreme, n_visited, exact=exact)),
        n_extreme=n_extreme,
        n_shuffles=n_visited,
        exact=exact,
        alpha=alpha,
        critical_value=critical,
        null=null,
    )


def _null(
    totals: Totals, row: int, df: tuple[int, int], statistic: float, between: Floats
) -> Floats:
    """Return the F of relabellings, for one of the five statistics."""
    null = effect_ratio(between, totals, row) * (df[1] / df[0])
    # Where a tie is only rounded apart, the null distribution says that it is a tie.
    if math.isfinite(statistic):
        apart = null - statistic
        ties = np.abs(apart, out=apart) <= 1e-9 * statistic
        null[ties] = statistic
    null.setflags(write=False)
    return null


def exact_height(layout: Layout, design: Design) -> tuple[int, int] | None:
    """Count the relabellings as extreme in height, and all, where that takes no time.

    For two algorithms without blocks the heights alone can be counted far beyond what can
    be visited.
    """
    from curvewise.kernels.invert import MAX_SUBSET_RUNS, count_heights

    labels = layout.labels
    one_block = layout.blocks.min() == layout.blocks.max()
    if labels.max() > 1 or not one_block or len(labels) > MAX_SUBSET_RUNS:
        return None
    n_first = int(np.sum(labels == 0))
    heights = design.factor[0, 0] * design.coordinates[:, 0]
    count = count_heights(heights, n_first, float(design.extreme_rule.bounds[1]))
    mirrored = 2 if 2 * n_first == len(labels) else 1
    return count // mirrored, math.comb(len(labels), n_first) // mirrored


# --- Do the curves differ at all?

# Every step of every relabelling is looked at, in NumPy.
COMBINED_LIMITS = Limits(shuffles=2**20)
MAX_EXACT_STEPS_TIMES_RELABELLINGS = 2_000_000_000
MAX_SCALED_BY_ALL = 16 * BATCH  # relabellings; of more, a batch has to do


def combined_design(design: Design, layout: Layout) -> CombinedDesign:
    """Prepare the combined statistic of a table."""
    noises = layout.noise, layout.step_noise
    return CombinedDesign.of(design, layout.scores, layout.blocks, noises)


def label_blind(layout: Layout) -> list[Integers]:
    """Return relabellings that do not depend on which was observed, to learn scales from.

    All of them where they are few, else some drawn from a stream of their own.
    """
    every = layout.restriction.every()
    if every.count <= MAX_SCALED_BY_ALL:
        return [every.batch(number) for number in range(-(-every.count // BATCH))]
    return [layout.restriction.drawn(BATCH, seed=0).batch(0)]


def label_blind_scales(combined: CombinedDesign, layout: Layout) -> Scales:
    """Learn the scales of the combined statistic."""
    values = [combined.values(batch) for batch in label_blind(layout)]
    return Scales.of(np.concatenate(values, axis=1))


def least_to_count(combined: CombinedDesign, scales: Scales, labels: Integers) -> float:
    """Return what the statistic of a relabelling must reach to count as extreme."""
    reached = scales.statistic(combined.values(labels[None, :], observed=True))[0]
    return float(reached - TIE * max(abs(reached), 1.0))


def visit_combined(
    design: Design,
    layout: Layout,
    work: Work,
    *,
    deciders: tuple[int, ...],
    levels: tuple[float, ...],
) -> tuple[Counts, Callable[[Effect], Effect], tuple[int, int]]:
    """Shuffle F and the combined statistic: all relabellings where they are few, else a sample.

    Returns the counts of F; what turns the overall effect by F into that by the combined
    statistic; and the first and last step of where the curves differ most.

    In one visit where both are asked for as many; else in one for each. A sample of the combined
    statistic has at most 2²⁰ shuffles; it is taken also where all relabellings are asked for and
    are too many to look at every step of each.
    """
    plan = work.plan(layout.restriction, levels=levels, limits=LIMITS)
    combined = combined_design(design, layout)
    n_exact = MAX_EXACT_STEPS_TIMES_RELABELLINGS // combined.columns.shape[1]
    few = layout.restriction.count <= min(COMBINED_LIMITS.exact, n_exact)
    n_shuffles = work.n_shuffles
    if isinstance(n_shuffles, int):
        n_shuffles = min(n_shuffles, COMBINED_LIMITS.shuffles)
    asked = replace(work, exact=work.exact if few else False, n_shuffles=n_shuffles)
    own = asked.plan(layout.restriction, levels=levels, limits=COMBINED_LIMITS)
    if own.keeps_all:
        # The scales of all relabellings depend on neither the order nor the names of runs.
        found = visited = work.visit(plan, Overall(design, deciders, combined))
        looks = found.kept[-1]
        scales = Scales.of(looks)
        null = scales.statistic(looks)
        least = least_to_count(combined, scales, layout.labels)
        n_extreme = np.count_nonzero(null >= least)
    else:
        scales = label_blind_scales(combined, layout)
        least = least_to_count(combined, scales, layout.labels)
        both = Overall(design, (COMBINED_ROW,), combined, scales, least)
        if plan.rule is None and (plan.exact, plan.n_shuffles) == (own.exact, own.n_shuffles):
            found = visited = work.visit(plan, both)
        else:
            found = work.visit(plan, Overall(design, deciders))
            visited = work.visit(own, both)
        null, n_extreme = visited.kept[-1], visited.counts[0][COMBINED_ROW]
    if found is visited:
        n_kept = found.n_visited if plan.keeps_all else n_kept_of_f(design) * BATCH
        found = replace(found, kept=tuple(part[:, :n_kept] for part in found.kept[:-1]))
    observed = combined.values(layout.labels[None, :])
    statistic = float(scales.statistic(observed)[0])
    scores = zip(COMPONENTS, scales.scores(observed)[:, 0].tolist(), scales.used, strict=True)
    # Ties look like ties.
    null = np.where((null >= least) & (null < statistic), statistic, null)
    components = {name: z for name, z, used in scores if used}

    counts = replace(visited, counts=(np.array([n_extreme]),))

    def effect(of_f: Effect) -> Effect:
        effect = effect_of(counts, "overall", statistic, of_f.df, null, alpha=of_f.alpha)
        return replace(effect, f_value=of_f.statistic, components=components)

    return found, effect, combined.most_striking(layout.labels)


# --- Height of typical runs: the shuffle test of trimmed means, or of the ranks of runs.
#
# Tukey & McLaughlin (1963), Sankhyā A 25; Wilcoxon (1945), Biometrics Bulletin 1; Kruskal & Wallis
# (1952), JASA 47; Hodges & Lehmann (1963), Annals of Mathematical Statistics 34.


def with_typical_height(
    effects: dict[ErrorTerm, dict[str, Effect]],
    layout: Layout,
    work: Work,
    center: Center,
    *,
    levels: tuple[float, ...],
) -> tuple[dict[ErrorTerm, dict[str, Effect]], Plan | None]:
    """Shuffle the trimmed means, or the ranks, of curve means, and put that for height.

    Returns the effects, and the plan of the relabellings that were visited; of means, which were
    shuffled already, None.
    """
    if center == "mean":
        return effects, None
    runs, alpha = RunNumbers.of(layout), effects["split"]["algorithm"].alpha
    if center == "trimmed":
        height, plan = _trimmed_height(layout, runs, work, alpha=alpha, levels=levels)
    else:
        # Ranks are scores of a single step. Many of their sums of squares tie.
        ranks = runs.ranks()[:, None]
        noise = rounding(ranks, EPSILON)
        design = Design.from_scores(ranks, layout.labels, layout.blocks, noise)
        plan = work.plan(layout.restriction, levels=levels, limits=LIMITS)
        found = work.visit(plan, Overall(design, (ROWS["split"]["algorithm"],)))
        counter = exact_height if work.exact is None else None
        own = anova_effects(design, found, layout, alpha=alpha, height_counter=counter)
        height, plan = replace(own["split"]["algorithm"], center=center), found.plan
    return {"split": {**effects["split"], "algorithm": height}}, plan


def _trimmed_height(
    layout: Layout, runs: RunNumbers, work: Work, *, alpha: float, levels: tuple[float, ...]
) -> tuple[Effect, Plan]:
    plan = work.plan(layout.restriction, levels=levels, limits=TRIMMED_LIMITS)
    spread_of = partial(_spread_row, runs.numbers)
    observed = float(spread_of(runs.labels[None, :])[0, 0])
    # What rounding can set apart is a tie, and looks like one.
    found = work.visit(plan, Extremes(spread_of, observed - 2 * runs.tie))
    observed = observed if observed > runs.tie else 0.0
    null = found.kept[0][0].copy()
    null[np.abs(null - observed) <= 2 * runs.tie] = observed
    null *= layout.unit
    between, within, df = trimmed_f(runs.numbers, runs.labels)
    between, within = (part if part > runs.tie**2 else 0.0 for part in (between, within))
    effect = replace(
        effect_of(found, "algorithm", observed * layout.unit, df, null, alpha=alpha),
        f_value=f_statistic(between, within, df),
        center="trimmed",
    )
    return effect, found.plan


def _spread_row(numbers: Floats, labels: Integers) -> Floats:
    return trimmed_spread(labels, numbers)[None]


def typical_difference(
    difference: Difference, layout: Layout, height: Effect, plan: Plan
) -> Difference:
    """Return the difference of typical runs, with the shifts that their test does not reject.

    By ranks it is the median of all differences between a run of one and of the other. There is
    no Hedges' g of it.
    """
    runs, center = RunNumbers.of(layout), height.center
    low, high = runs.ends(center, plan, height.pvalue, height.alpha)
    return replace(
        difference,
        value=runs.shift(center) * layout.unit,
        interval=Interval(low * layout.unit, high * layout.unit),
        hedges_g=None,
    )


# --- The test of means where algorithms may differ in spread: Welch-type, by random draws.
#
# Shuffled curves mix the spreads, so curves are not shuffled here: tables of equal means are drawn,
# each algorithm with its own spread. Krishnamoorthy, Lu & Mathew (2007), Computational Statistics &
# Data Analysis 51; Konietschke, Bathke, Harrar & Pauly (2015), Journal of Multivariate Analysis
# 140.

WELCH_LIMITS = Limits(shuffles=2**22)  # "auto" and "precise" give up after a minute or two


@dataclass(frozen=True, eq=False)
class WelchStatistic(Statistic):
    """The p of Welch-type F of drawn tables: how many are as small as the observed.

    Three statistics, in the order of `EffectName`; their p are kept. ``limits`` is the largest p
    that counts, ``statistics`` and ``df`` are those observed.
    """

    design: WelchDesign
    limits: Floats
    statistics: Floats
    df: Floats
    single_step: bool

    @classmethod
    def of(cls, design: Design, layout: Layout) -> WelchStatistic:
        """Compute the observed statistics."""
        welch = WelchDesign.of(design, layout.labels, layout.noise)
        observed = welch.observed()
        df = np.stack([welch.df_effect, observed.df_error[:, 0]], axis=1)
        limits = welch.pvalues(observed, sign=-1.0)[:, 0] * (1 + 1e-9)
        single_step = layout.scores.shape[1] == 1
        return cls(welch, limits, observed.statistics[:, 0], df, single_step)

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme draws of a batch, of which ``labels`` are the words; keep their p."""
        pvalues = self.design.pvalues(self.design.drawn(labels))
        counts = np.sum(pvalues <= self.limits[:, None], axis=1)
        return (counts,), ((pvalues,) if keep else ())

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts of the effects that are reported."""
        return counts[0][:2] if self.single_step else counts[0]


def check_unequal(curves: Curves, *, error: str, exact: bool | None) -> None:
    """Raise where unequal spread cannot be allowed for."""
    unequal, equal = argument("spread", "unequal"), argument("spread", "equal")
    if error == "pooled":
        refuse(
            f"{unequal} needs {argument('error', 'split')}; the pooled error term assumes "
            "equal spread.",
            option="spread",
        )
    if exact:
        refuse(
            f"{unequal} draws tables at random and has no exact p. Leave "
            f"{argument('exact', value=True)} out.",
            option="exact",
        )
    if curves.blocks is not None:
        refuse(
            "Unequal spread cannot be allowed for within blocks: a block holds too few runs "
            f"of an algorithm to tell its spread. Use {equal} to shuffle within blocks, or "
            "leave the blocks out if runs do not really share them."
        )
    for name, size in zip(curves.algorithms, curves.sizes, strict=True):
        if size == 1:
            refuse(
                f"{name!r} has a single run, so its spread is unknown and cannot be allowed "
                f"for. Add runs, leave {name!r} out, or use {equal}."
            )


def compare_unequal(
    curves: Curves,
    layout: Layout,
    design: Design,
    work: Work,
    *,
    error: ErrorTerm,
    alpha: float,
    levels: tuple[float, ...],
) -> tuple[Counts, dict[ErrorTerm, dict[str, Effect]]]:
    """Draw the Welch-type statistics; return the counts, and the effects from them."""
    check_unequal(curves, error=error, exact=work.exact)
    check_variation(curves, sum(design.totals))
    welch = WelchStatistic.of(design, layout)
    draws = RandomDraws(layout.labels, layout.blocks, welch.design.width)
    plan = work.plan(draws, levels=levels, limits=WELCH_LIMITS)
    found = work.visit(plan, welch)
    return found, {"split": welch_effects(welch, found, alpha=alpha)}


def welch_effects(statistic: WelchStatistic, found: Counts, *, alpha: float) -> dict[str, Effect]:
    """Return the effects, without shape where there is a single step.

    Null distributions have the F of the draws kept, each taken to the degrees of freedom
    of the observed F by way of its p, so that a larger one is a more extreme one.
    """
    effects: dict[str, Effect] = {}
    for row, name in enumerate(get_args(EffectName)[: 2 if statistic.single_step else 3]):
        pvalues, value = found.kept[0][row], float(statistic.statistics[row])
        df_effect, df_error = statistic.df[row].tolist()
        null = f_at(pvalues, (df_effect, df_error))
        # What counts as extreme must not look smaller, and a tie must look like one. Where p is
        # too small to be told from 0, so is how extreme a draw is.
        counts = pvalues <= statistic.limits[row]
        tied = np.isclose(null, value, rtol=1e-9, atol=0)
        null[tied | (counts & ((null < value) | (pvalues == 0)))] = value
        effects[name] = effect_of(found, name, value, (df_effect, df_error), null, row, alpha=alpha)
    return effects


def studentised_interval(
    value: float, heights: Floats, labels: Integers, effect: Effect, found: Counts
) -> Interval:
    """Return the difference ± a quantile of the drawn |t| times its standard error.

    ``heights`` are the curve means, ``effect`` is that of height. Zero lies outside exactly
    when height is significant.
    """
    quantile = upper_quantile(effect.null_distribution, effect.alpha)
    if found.n_visited > len(effect.null_distribution):
        # Of many draws only some are kept, but p is that of all.
        if effect.significant:
            quantile = min(quantile, effect.statistic * (1 - 1e-6))
        else:
            quantile = max(quantile, effect.statistic)
    if math.isinf(quantile):
        return Interval(-math.inf, math.inf)
    groups = [heights[labels == group] for group in (0, 1)]
    error = math.sqrt(sum(float(np.var(group, ddof=1)) / len(group) for group in groups))
    margin = math.sqrt(quantile) * error
    # An end a rounding error away from zero is at it.
    low, high = (
        0.0 if abs(end) <= 1e-9 * abs(value) else end for end in (value - margin, value + margin)
    )
    return Interval(low, high)


# --- Effect sizes of two algorithms: difference, Hedges' g, probability of superiority.


def measure_difference(
    curves: Curves,
    layout: Layout,
    design: Design,
    found: Counts,
    height: Effect,
    spread: Spread = "equal",
) -> Difference:
    """Return the difference of curve means with its interval, and effect sizes.

    The interval holds all shifts that the shuffle test does not reject, none at all exactly if
    ``height`` is not significant; with unequal ``spread`` it is `studentised_interval`.
    """
    contrast, unit = design.contrast, layout.unit
    assert contrast is not None  # noqa: S101 (asked only of two algorithms)
    # Within blocks, where there are blocks: the least-squares estimate of a shift.
    lead, membership = contrast[layout.labels == 0].sum(axis=0)
    value = float(lead / membership)
    slack = 2 * layout.noise / math.sqrt(curves.scores.size)
    means = curves.scores.mean(axis=1) / unit
    if spread == "equal":
        shuffled, likeness = found.kept[1] / membership
        # Ties are those of the test of height: SS_alg is k times membership times D².
        tie = 2 * layout.noise / math.sqrt(curves.n_steps * float(membership))
        low, high = shift_interval(
            value,
            shuffled,
            likeness,
            height.alpha,
            exact=found.plan.keeps_all,
            tie=tie,
            rejected=height.significant,
        )
        # Zero is the one shift that readers look for: an end a rounding error away is at it.
        interval = Interval(*(0.0 if abs(x) <= slack else x * unit for x in (low, high)))
    value = 0.0 if abs(value) <= slack else value
    if spread == "unequal":
        heights = layout.scores.mean(axis=1) * unit
        interval = studentised_interval(value * unit, heights, layout.labels, height, found)
    a, b = curves.algorithms
    return Difference(
        a=a,
        b=b,
        value=value * unit,
        interval=interval,
        confidence=1 - height.alpha,
        hedges_g=_hedges_g(value, contrast, curves, slack),
        probability_of_superiority=_superiority(curves, means, slack),
    )


def _hedges_g(value: float, contrast: Floats, curves: Curves, slack: float) -> float | None:
    """Return the difference in standard deviations of curve means, if these exist.

    Within blocks, where there are blocks: those of what blocks leave.
    """
    n_blocks = 1 if curves.blocks is None else len(set(curves.blocks))
    df = curves.n_runs - 2 - (n_blocks - 1)
    residuals = contrast[:, 0] - value * contrast[:, 1]
    scale = math.sqrt(float(residuals @ residuals) / df) if df > 0 else 0.0
    if df < 2 or scale <= slack:
        return None
    return hedges_correction(df) * value / scale


def _superiority(curves: Curves, means: Floats, slack: float) -> float:
    """Return how often a run of the first algorithm is the better one; ties half."""
    first, second = np.flatnonzero(curves.codes == 0), np.flatnonzero(curves.codes == 1)
    pairs = np.ones((len(first), len(second)), dtype=np.bool_)
    if curves.blocks is not None:
        pairs = curves.blocks[first][:, None] == curves.blocks[second]
    differences = means[first][:, None] - means[second]
    sign = np.where(np.abs(differences) <= slack, 0.0, np.sign(differences))
    if not curves.higher_is_better:
        sign = -sign
    return float(np.mean((1 + sign[pairs]) / 2))

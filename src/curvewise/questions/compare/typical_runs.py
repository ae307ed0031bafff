"""Height of typical runs: the shuffle test of trimmed means, or of the ranks of runs.

Tukey & McLaughlin (1963), Sankhyā A 25; Wilcoxon (1945), Biometrics Bulletin 1; Kruskal & Wallis
(1952), JASA 47; Hodges & Lehmann (1963), Annals of Mathematical Statistics 34.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.centers import (
    TRIMMED_LIMITS,
    RunNumbers,
    TrimmedSpread,
    check_center,
    check_center_alone,
)
from curvewise.inference.effects import Effect, Interval, f_statistic
from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.thresholds import EPSILON, rounding
from curvewise.kernels.centers import trimmed_f, trimmed_spread
from curvewise.kernels.pvalues import critical_value, pvalue
from curvewise.questions.compare.randomized_anova import (
    RandomizedAnova,
    anova_effects,
    anova_limits,
    exact_height,
)

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.effects import Center, ErrorTerm, Spread
    from curvewise.inference.work import Work
    from curvewise.questions.compare.result import AlgorithmSummary, Difference
    from curvewise.shuffling.layout import Layout
    from curvewise.shuffling.plan import Plan

__all__ = [
    "check_typical",
    "typical_difference",
    "typical_height",
    "with_typical_scores",
]


def check_typical(
    curves: Curves, center: Center, *, error: ErrorTerm, spread: Spread
) -> None:
    """Raise where height cannot be asked of typical runs."""
    check_center(curves, center)
    if error == "pooled":
        check_center_alone(center, "error", "pooled", "split")
    if spread == "unequal":
        check_center_alone(center, "spread", "unequal", "equal")


def typical_height(
    layout: Layout,
    work: Work,
    center: Center,
    *,
    alpha: float,
    levels: tuple[float, ...],
) -> tuple[Effect, Plan]:
    """Shuffle the trimmed means, or the ranks, of curve means.

    Returns the effect, and the plan of the relabellings that were visited.
    """
    runs = RunNumbers.of(layout)
    if center == "trimmed":
        return _trimmed_height(layout, runs, work, alpha=alpha, levels=levels)
    # Ranks are scores of a single step. Many of their sums of squares tie.
    ranks = runs.ranks()[:, None]
    noise = rounding(ranks, EPSILON)
    design = Design.from_scores(ranks, layout.labels, layout.blocks, noise)
    plan = work.plan(layout.restriction, levels=levels, limits=anova_limits(layout))
    found = work.visit(plan, RandomizedAnova(design, "split", ("algorithm",)))
    counter = exact_height if work.exact is None else None
    effects = anova_effects(design, found, layout, alpha=alpha, height_counter=counter)
    return replace(effects["split"]["algorithm"], center=center), found.plan


def _trimmed_height(
    layout: Layout,
    runs: RunNumbers,
    work: Work,
    *,
    alpha: float,
    levels: tuple[float, ...],
) -> tuple[Effect, Plan]:
    plan = work.plan(layout.restriction, levels=levels, limits=TRIMMED_LIMITS)
    statistic = TrimmedSpread.of(runs)
    found = work.visit(plan, statistic)
    observed = float(trimmed_spread(runs.labels[None, :], runs.numbers)[0])
    observed = observed if observed > runs.tie else 0.0
    null = found.kept[0].copy()
    # What counts as a tie looks like one.
    null[np.abs(null - observed) <= 2 * runs.tie] = observed
    null *= layout.unit
    null.setflags(write=False)
    between, within, df = trimmed_f(runs.numbers, runs.labels)
    floor = runs.tie**2
    n_extreme = int(found.counts[0][0])
    effect = Effect(
        name="algorithm",
        statistic=observed * layout.unit,
        df=df,
        pvalue=pvalue(n_extreme, found.n_visited, exact=found.exact),
        n_extreme=n_extreme,
        n_shuffles=found.n_visited,
        exact=found.exact,
        alpha=alpha,
        critical_value=critical_value(null, alpha),
        null=null,
        f_value=f_statistic(
            between if between > floor else 0.0, within if within > floor else 0.0, df
        ),
        center="trimmed",
    )
    return effect, found.plan


def typical_difference(
    difference: Difference, layout: Layout, height: Effect, plan: Plan
) -> Difference:
    """Return the difference of typical runs, with the shifts that their test does not reject.

    By ranks it is the median of all differences between a run of one and of the other. There is
    no Hedges' g of it.
    """
    runs, center = RunNumbers.of(layout), height.center
    ends = runs.ends(center, plan, height.pvalue, height.alpha)
    return replace(
        difference,
        value=runs.shift(center) * layout.unit,
        interval=Interval(*(end * layout.unit for end in ends)),
        hedges_g=None,
    )


def with_typical_scores(
    summaries: tuple[AlgorithmSummary, ...], curves: Curves
) -> tuple[AlgorithmSummary, ...]:
    """Give each algorithm the trimmed mean of its runs."""
    from curvewise.kernels.centers import trimmed_means

    means = trimmed_means(curves.codes[None, :], curves.scores.mean(axis=1))[:, 0]
    return tuple(
        replace(summary, typical=float(mean))
        for summary, mean in zip(summaries, means, strict=True)
    )

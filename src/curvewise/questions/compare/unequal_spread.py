"""The test of means where algorithms may differ in spread: Welch-type, by random draws.

Shuffled curves mix the spreads, so curves are not shuffled here: tables of equal means are drawn,
each algorithm with its own spread. Krishnamoorthy, Lu & Mathew (2007), Computational Statistics &
Data Analysis 51; Konietschke, Bathke, Harrar & Pauly (2015), Journal of Multivariate Analysis 140.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from curvewise.errors import CurvesError, OptionError
from curvewise.inference.effects import Effect, EffectName, Interval
from curvewise.inference.requirements import check_variation
from curvewise.kernels.anova.welch import WelchDesign, f_at
from curvewise.kernels.bootstrap.draws import RandomDraws
from curvewise.kernels.pvalues import critical_value, pvalue, upper_quantile
from curvewise.shuffling.plan import Limits
from curvewise.shuffling.visiting import Statistic
from curvewise.text import argument

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.effects import ErrorTerm
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.design import Design
    from curvewise.shuffling.layout import Layout
    from curvewise.shuffling.tally import Measured
    from curvewise.shuffling.visiting import Counts

__all__ = [
    "WELCH_LIMITS",
    "WelchStatistic",
    "check_unequal",
    "compare_unequal",
    "studentised_interval",
    "welch_effects",
]

WELCH_LIMITS = Limits(
    shuffles=2**22
)  # "auto" and "precise" give up after a minute or two


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
        msg = (
            f"{unequal} needs {argument('error', 'split')}; the pooled error term assumes "
            "equal spread."
        )
        raise OptionError(msg, option="spread")
    if exact:
        msg = (
            f"{unequal} draws tables at random and has no exact p. Leave "
            f"{argument('exact', value=True)} out."
        )
        raise OptionError(msg, option="exact")
    if curves.blocks is not None:
        msg = (
            "Unequal spread cannot be allowed for within blocks: a block holds too few runs "
            f"of an algorithm to tell its spread. Use {equal} to shuffle within blocks, or "
            "leave the blocks out if runs do not really share them."
        )
        raise CurvesError(msg)
    for name, size in zip(curves.algorithms, curves.sizes, strict=True):
        if size == 1:
            msg = (
                f"{name!r} has a single run, so its spread is unknown and cannot be allowed "
                f"for. Add runs, leave {name!r} out, or use {equal}."
            )
            raise CurvesError(msg)


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


def welch_effects(
    statistic: WelchStatistic, found: Counts, *, alpha: float
) -> dict[str, Effect]:
    """Return the effects, without shape where there is a single step.

    Null distributions have the F of the draws kept, each taken to the degrees of freedom
    of the observed F by way of its p, so that a larger one is a more extreme one.
    """
    null = _null(found.kept[0], statistic)
    (n_extreme,) = found.counts
    return {
        name: Effect(
            name=name,
            statistic=float(statistic.statistics[row]),
            df=(float(statistic.df[row, 0]), float(statistic.df[row, 1])),
            pvalue=float(pvalue(int(n_extreme[row]), found.n_visited, exact=found.exact)),
            n_extreme=int(n_extreme[row]),
            n_shuffles=found.n_visited,
            exact=found.exact,
            alpha=alpha,
            critical_value=critical_value(null[row], alpha),
            null=null[row],
        )
        for row, name in enumerate(get_args(EffectName))
        if not (statistic.single_step and name == "interaction")
    }


def _null(pvalues: Floats, statistic: WelchStatistic) -> Floats:
    """Return, for each draw, the F that has its p on the observed df."""
    null = np.empty_like(pvalues)
    observed = zip(statistic.statistics, statistic.limits, strict=True)
    for row, (value, limit) in enumerate(observed):
        null[row] = f_at(pvalues[row], (statistic.df[row, 0], statistic.df[row, 1]))
        # What counts as extreme must not look smaller, and a tie must look like one.
        counts = pvalues[row] <= limit
        tied = np.isclose(null[row], value, rtol=1e-9, atol=0)
        tied |= counts & (null[row] < value)
        # Where p is too small to be told from 0, so is how extreme a draw is.
        tied |= counts & (pvalues[row] == 0)
        null[row][tied] = value
    null.setflags(write=False)
    return null


def studentised_interval(
    value: float,
    heights: Floats,
    labels: Integers,
    effect: Effect,
    found: Counts,
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
        0.0 if abs(end) <= 1e-9 * abs(value) else end
        for end in (value - margin, value + margin)
    )
    return Interval(low, high)

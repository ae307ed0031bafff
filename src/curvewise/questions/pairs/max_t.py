"""Every two algorithms held against the largest pair of each shuffle (max-t)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.effects import EFFECTS
from curvewise.inference.requirements import check_variation
from curvewise.kernels.adjustments import MaxCounts
from curvewise.kernels.anova.design import Design
from curvewise.kernels.contrasts import (
    Fit,
    adding_repays_compiling,
    pair_maxima,
    pair_parts,
    pair_ratios,
)
from curvewise.kernels.pvalues import pvalue
from curvewise.shuffling.layout import Layout
from curvewise.shuffling.plan import Limits
from curvewise.shuffling.stopping import FIRST_LOOK
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import ErrorTerm
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.shuffling.tally import Measured

__all__ = ["max_t_adjusted"]

MAX_SHUFFLES = 2**20  # of "auto" and "precise"


@dataclass(frozen=True, eq=False)
class LargestPair(Statistic):
    """The largest ratio of any pair, overall, in height and in shape, for each shuffle.

    ``values`` are shuffled: the residuals of the fit, or the runs themselves. ``kept`` are the
    pairs that are looked at.
    """

    values: Floats
    fit: Fit
    kept: Integers
    pooled: bool
    observed: tuple[MaxCounts, ...]  # one for each effect
    compiled_sums: bool = False  # whether to load compiled code, which changes no digit

    chunk = 4

    def n_kept(self, n_runs: int) -> int:  # noqa: ARG002
        """Keep nothing."""
        return 0

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count, for each effect and pair, the shuffles whose largest ratio is as large."""
        largest = pair_maxima(
            self.values,
            self.fit,
            labels,
            self.kept,
            pooled=self.pooled,
            compiled=self.compiled_sums,
        )
        counts = [c.count(row) for c, row in zip(self.observed, largest, strict=True)]
        return (np.stack(counts),), ()

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts of the clearest pair of each effect: does any pair differ?"""
        return counts[0].min(axis=1)


def max_t_adjusted(
    curves: Curves,
    own: Mapping[str, Mapping[tuple[str, str], float]],
    work: Work,
    *,
    error: ErrorTerm,
    alpha: float,
) -> dict[str, dict[tuple[str, str], float]]:
    """Hold every pair against the largest of all pairs, for each shuffle of the residuals.

    With few runs, shuffled residuals of shapes alone raise some false alarms too many where all
    algorithms are alike. The shuffled curves themselves raise none too many there, so the largest
    of all pairs must stand out among those as well. ``own`` has the p of each pair alone, for
    each effect: it is of another distribution, so the larger of the two is returned.
    """
    names = list(own["overall"])
    layout = Layout.of(curves)
    design = Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)
    check_variation(curves, sum(design.totals))
    fit = Fit.of(design.coordinates, layout.labels, layout.blocks, layout.noise)
    every = {pair: place for place, pair in enumerate(combinations(curves.algorithms, 2))}
    kept = np.array([every[pair] for pair in names])
    pooled = error == "pooled"
    parts = pair_parts(fit.estimates[None], fit.factor)
    ratios = pair_ratios(parts, fit.errors[None], pooled=pooled)[:, 0, kept]
    limits = Limits(shuffles=MAX_SHUFFLES)
    plan = work.plan(layout.restriction, levels=(alpha,), limits=limits)
    n_first = plan.n_shuffles if plan.rule is None else min(plan.n_shuffles, FIRST_LOOK)
    compiled = adding_repays_compiling(2 * n_first, fit.values, len(curves.algorithms))

    def pvalues(values: Floats, observed: Floats) -> Floats:
        counts = tuple(MaxCounts.of(row) for row in observed)
        statistic = LargestPair(values, fit, kept, pooled, counts, compiled)
        found = work.visit(plan, statistic)
        return pvalue(found.counts[0], found.n_visited, exact=False)

    of_residuals = pvalues(fit.residuals, ratios)
    of_curves = pvalues(fit.values, ratios.max(axis=1, keepdims=True))
    adjusted = np.maximum(of_residuals, of_curves)
    return {
        name: {
            pair: max(p, own[name][pair])
            for pair, p in zip(names, row.tolist(), strict=True)
            if pair in own[name]
        }
        for name, row in zip(EFFECTS, adjusted, strict=True)
    }

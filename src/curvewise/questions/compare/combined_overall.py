"""Do the curves differ at all? The combined statistic, shuffled: four looks in one test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.adjustments import TIE
from curvewise.kernels.anova.combined import COMPONENTS, CombinedDesign, Scales
from curvewise.kernels.anova.costs import shuffle_costs
from curvewise.kernels.anova.halving import can_be_halved, halving_repays_compiling
from curvewise.kernels.anova.sums import MIN_GROUPS_ADDED_UP
from curvewise.kernels.compiling import compiling_repays
from curvewise.kernels.pvalues import critical_value, pvalue
from curvewise.kernels.relabelling.streams import BATCH
from curvewise.shuffling.plan import Limits
from curvewise.shuffling.stopping import FIRST_LOOK
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from curvewise.inference.effects import Effect
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.design import Design
    from curvewise.kernels.relabelling.restriction import Relabellings
    from curvewise.shuffling.layout import Layout
    from curvewise.shuffling.plan import Plan
    from curvewise.shuffling.tally import Measured
    from curvewise.shuffling.visiting import Counts

__all__ = [
    "CombinedCounts",
    "CombinedValues",
    "combined_design",
    "combined_overall",
    "label_blind_scales",
    "least_to_count",
]

# Every step of every relabelling is looked at, in NumPy.
LIMITS = Limits(shuffles=2**20)
MAX_EXACT_STEPS_TIMES_RELABELLINGS = 2_000_000_000
MAX_SCALED_BY_ALL = 16 * BATCH  # relabellings; of more, a batch has to do


def combined_design(design: Design, layout: Layout) -> CombinedDesign:
    """Prepare the combined statistic of a table."""
    noises = layout.noise, layout.step_noise
    return CombinedDesign.of(design, layout.scores, layout.blocks, noises)


def label_blind_scales(combined: CombinedDesign, layout: Layout) -> Scales:
    """Learn the scales from relabellings that do not depend on which was observed.

    All of them where they are few, else some drawn from a stream of their own.
    """
    every = layout.restriction.every()
    if every.count <= MAX_SCALED_BY_ALL:
        batches = [every.batch(number) for number in range(-(-every.count // BATCH))]
    else:
        batches = [layout.restriction.drawn(BATCH, seed=0).batch(0)]
    values = [combined.values(batch) for batch in batches]
    return Scales.of(np.concatenate(values, axis=1))


def least_to_count(combined: CombinedDesign, scales: Scales, labels: Integers) -> float:
    """Return what the statistic of a relabelling must reach to count as extreme."""
    reached = scales.statistic(combined.values(labels[None, :], observed=True))[0]
    return float(reached - TIE * max(abs(reached), 1.0))


@dataclass(frozen=True, eq=False)
class CombinedValues(Statistic):
    """What the combined statistic is made of, kept of every relabelling; (4, n).

    ``between`` has the sums of squares of all relabellings of two algorithms, where
    `RandomizedAnova` has visited them.
    """

    combined: CombinedDesign
    between: Floats | None = None

    chunk = 16
    min_batches_for_single_blas = 4

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Keep the values of a batch; count nothing."""
        return (), (self.combined.values(labels),)

    def whole(self, relabellings: Relabellings) -> Measured | None:
        """Keep the values of all relabellings of two algorithms at once."""
        if not can_be_halved(relabellings):
            return None
        return (), (self.combined.every_value(relabellings.labels, self.between),)


@dataclass(frozen=True, eq=False)
class CombinedCounts(Statistic):
    """How many relabellings have a combined statistic of at least ``least``; it is kept."""

    combined: CombinedDesign
    scales: Scales
    least: float

    chunk = 16
    min_batches_for_single_blas = 4

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the relabellings of a batch that are as large; keep the statistic."""
        values = self.scales.statistic(self.combined.values(labels))
        counts = np.array([np.sum(values >= self.least)])
        return (counts,), ((values,) if keep else ())


def combined_overall(
    design: Design,
    layout: Layout,
    work: Work,
    of_f: Effect,
    visited: Counts,
    *,
    levels: tuple[float, ...],
) -> tuple[Effect, tuple[int, int]]:
    """Shuffle the combined statistic: all relabellings where they are few, else a sample.

    Returns the overall effect, with what F says of it taken from ``of_f``, and the first and
    last step of where the curves differ most. ``visited`` is what `RandomizedAnova` found. A sample has at most 2²⁰ shuffles; it is taken
    also where all relabellings are asked for and are too many to look at every step of each.
    """
    combined = combined_design(design, layout)
    count = layout.restriction.count
    n_exact = MAX_EXACT_STEPS_TIMES_RELABELLINGS // combined.columns.shape[1]
    exact = work.exact if count <= min(LIMITS.exact, n_exact) else False
    n_shuffles = work.n_shuffles
    if isinstance(n_shuffles, int):
        n_shuffles = min(n_shuffles, LIMITS.shuffles)
    asked = replace(work, exact=exact, n_shuffles=n_shuffles)
    plan = asked.plan(layout.restriction, levels=levels, limits=LIMITS)
    combined = replace(combined, compiled=_repays_compiling(combined, layout, plan))
    if plan.keeps_all:
        # The scales of all relabellings depend on neither the order nor the names of runs.
        between = visited.kept[0] if visited.plan.keeps_all else None
        found = asked.visit(plan, CombinedValues(combined, between))
        scales = Scales.of(found.kept[0])
        least = least_to_count(combined, scales, layout.labels)
        null = scales.statistic(found.kept[0])
        n_extreme = int(np.sum(null >= least))
    else:
        scales = label_blind_scales(combined, layout)
        least = least_to_count(combined, scales, layout.labels)
        found = asked.visit(plan, CombinedCounts(combined, scales, least))
        null = found.kept[0].copy()
        n_extreme = int(found.counts[0][0])
    observed = combined.values(layout.labels[None, :])
    effect = replace(
        of_f,
        statistic=float(scales.statistic(observed)[0]),
        f_value=of_f.statistic,
        pvalue=pvalue(n_extreme, found.n_visited, exact=found.exact),
        n_extreme=n_extreme,
        n_shuffles=found.n_visited,
        exact=found.exact,
        components={
            name: float(z)
            for name, z, used in zip(
                COMPONENTS, scales.scores(observed)[:, 0], scales.used, strict=True
            )
            if used
        },
    )
    return _with_null(effect, null, least), combined.most_striking(layout.labels)


def _repays_compiling(combined: CombinedDesign, layout: Layout, plan: Plan) -> bool:
    """Tell whether sums over many algorithms, or of two halves, are many enough to be compiled."""
    sizes = combined.design.sizes
    n_columns = combined.columns.shape[1] + combined.design.coordinates.shape[1]
    if plan.keeps_all and can_be_halved(plan.relabellings):
        return halving_repays_compiling(plan.relabellings.count, n_columns)
    if sizes is None or len(sizes) < MIN_GROUPS_ADDED_UP:
        return False
    drawn = layout.restriction.drawn(plan.n_shuffles, plan.key)
    n_visited = drawn.count if plan.rule is None else min(drawn.count, FIRST_LOOK)
    cost = shuffle_costs(drawn, n_columns, sizes)
    return compiling_repays(n_visited * cost.in_numpy, n_visited * cost.compiled)


def _with_null(effect: Effect, null: Floats, least: float) -> Effect:
    """Give an effect its null distribution, in which ties look like ties."""
    null[(null >= least) & (null < effect.statistic)] = effect.statistic
    critical = critical_value(null, effect.alpha)
    null.setflags(write=False)
    return replace(effect, null=null, critical_value=critical)

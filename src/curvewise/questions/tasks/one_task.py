"""Two algorithms on one task: what `compare` says, and which of them is better."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.centers import RunNumbers
from curvewise.inference.diagnostics import prepared
from curvewise.inference.effects import Interval
from curvewise.inference.requirements import check_design
from curvewise.kernels.anova.subset_sums import MAX_SUBSET_RUNS, count_above
from curvewise.kernels.pvalues import pvalue
from curvewise.kernels.tasks.placements import winning_probability
from curvewise.kernels.tasks.shares import MAX_LISTED, TaskShares
from curvewise.kernels.tasks.van_elteren import strata_of
from curvewise.questions.compare.question import compare_curves, layout_and_design
from curvewise.questions.tasks.anywhere import LIMITS
from curvewise.questions.tasks.evidence import TaskDifference
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.work import Work
    from curvewise.kernels import Integers
    from curvewise.kernels.tasks.shares import Listed
    from curvewise.kernels.tasks.van_elteren import Stratum
    from curvewise.shuffling.layout import Layout
    from curvewise.shuffling.tally import Measured

__all__ = ["OneTask", "compare_task"]


@dataclass(frozen=True, eq=False)
class OneTask:
    """The curves of two algorithms on one task, as they are shuffled.

    Attributes
    ----------
    shares : TaskShares
        The first algorithm is ``a``.
    strata : list of Stratum
        Ranks of the runs, the best run highest.
    listed : Listed or None
        All relabellings, where they are few.
    varies : bool
        Whether any two runs (of a block) differ.
    """

    curves: Curves
    layout: Layout
    shares: TaskShares
    strata: list[Stratum]
    listed: Listed | None
    varies: bool

    @classmethod
    def of(cls, curves: Curves) -> OneTask:
        """Lay out the runs of two algorithms, and rank them by their mean over training.

        Raises where their blocks leave nothing to compare; equal scores are no reason.
        """
        check_design(curves, may_be_equal=True)
        layout, design = layout_and_design(curves)
        labels, blocks = layout.labels, layout.blocks
        ranks = RunNumbers.of(layout).ranks()
        if not curves.higher_is_better:
            ranks = np.bincount(blocks)[blocks] + 1 - ranks
        shares = TaskShares(design, labels, blocks, layout.noise)
        few = shares.restriction.count <= MAX_LISTED
        return cls(
            curves,
            layout,
            shares,
            strata_of(ranks, labels, blocks),
            shares.listed() if few else None,
            sum(design.totals) > 0,
        )


def compare_task(
    task: OneTask, work: Work, *, alpha: float, levels: tuple[float, ...]
) -> tuple[TaskDifference, tuple[Caveat, ...]]:
    """Compare two algorithms on a task; p is not adjusted yet.

    Where all runs are the same, the task says nothing: every p is 1.
    """
    curves = task.curves
    a, b = curves.algorithms
    sizes = (curves.sizes[0], curves.sizes[1])
    probability = winning_probability(task.strata)
    smallest = 1 / task.shares.restriction.count
    if not task.varies:
        # Every other difference would be rejected, where the runs suffice for any.
        end = 0.0 if smallest <= alpha else math.inf
        none = TaskDifference(
            a=a,
            b=b,
            n_runs=sizes,
            difference=0.0,
            interval=Interval(0.0 - end, end),
            hedges_g=None,
            standardised=None,
            probability=probability,
            better=None,
            pvalue=1.0,
            pvalue_height=1.0,
            pvalue_a_better=1.0,
            pvalue_b_better=1.0,
            exact=True,
            smallest_pvalue=smallest,
            alpha=alpha,
            preparation=curves.preparation,
        )
        return none, tuple(prepared(curves))
    found = compare_curves(
        curves,
        work,
        error="split",
        alpha=alpha,
        levels=levels,
        laid_out=(task.layout, task.shares.design),
    )
    difference = found.difference
    assert difference is not None  # noqa: S101 (there are two algorithms)
    sign = 1.0 if curves.higher_is_better else -1.0
    up, down = _one_sided(task, work, levels)
    value, g = sign * difference.value, difference.hedges_g
    standardised = None
    if g is not None and difference.value != 0:
        ends = sorted(g / difference.value * sign * end for end in difference.interval)
        standardised = Interval(*ends)
    own = TaskDifference(
        a=a,
        b=b,
        n_runs=sizes,
        difference=difference.value,
        interval=difference.interval,
        hedges_g=g,
        standardised=standardised,
        probability=probability,
        better=a if value > 0 else b if value < 0 else None,
        pvalue=found.overall.pvalue,
        pvalue_height=found.algorithm.pvalue,
        pvalue_a_better=up if sign > 0 else down,
        pvalue_b_better=down if sign > 0 else up,
        exact=found.overall.exact,
        smallest_pvalue=found.smallest_pvalue,
        alpha=alpha,
        preparation=curves.preparation,
    )
    return own, found.caveats


def _one_sided(
    task: OneTask, work: Work, levels: tuple[float, ...]
) -> tuple[float, float]:
    """Return the one-sided p of a higher, and of a lower, mean score of the first algorithm."""
    shares, listed = task.shares, task.listed
    if listed is not None:
        return listed.n_up / listed.n_all, listed.n_down / listed.n_all
    tie = 2 * shares.noise
    one_block = shares.blocks.min() == shares.blocks.max()
    if one_block and len(shares.labels) <= MAX_SUBSET_RUNS:
        n_first = int(np.sum(shares.labels == 0))
        leads = shares.design.factor[0, 0] * shares.design.coordinates[:, 0]
        least = shares.lead - tie, -shares.lead - tie
        counts = [
            count_above(sign * leads, n_first, own)
            for sign, own in zip((1, -1), least, strict=True)
        ]
        return counts[0] / shares.n_labellings, counts[1] / shares.n_labellings
    plan = work.sampled().plan(shares.restriction, levels=levels, limits=LIMITS)
    found = work.visit(plan, Tails(shares, shares.lead, tie))
    up, down = pvalue(found.counts[0], found.n_visited, exact=False).tolist()
    return up, down


@dataclass(frozen=True, eq=False)
class Tails(Statistic):
    """How many relabellings have a lead of at least the observed one, and of at most that."""

    shares: TaskShares
    lead: float
    tie: float

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count both tails of a batch."""
        leads = self.shares.leads(labels)
        counts = leads >= self.lead - self.tie, leads <= self.lead + self.tie
        return (np.sum(counts, axis=1),), ()

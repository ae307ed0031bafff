"""Do two algorithms differ on any task? Shares of variation, summed over tasks."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.asking import asked_of, check_design
from curvewise.inference.caveats import prepared
from curvewise.inference.result import Interval
from curvewise.inference.two_groups import RunNumbers
from curvewise.inference.work import LIMITS
from curvewise.kernels.invert import MAX_SUBSET_RUNS, agreeing, count_above
from curvewise.kernels.pvalues import TIE, pvalue
from curvewise.kernels.relabel import Products, WithinBlocks
from curvewise.kernels.tasks import (
    MAX_LISTED,
    TaskShares,
    exact_pvalue,
    probability_interval,
    smallest_pvalue,
    strata_of,
    van_elteren,
    winning_probability,
)
from curvewise.questions.compare.ask import compare, compare_curves, layout_and_design
from curvewise.questions.tasks.result import Anywhere, OnTheWhole, TaskDifference
from curvewise.shuffling.visit import MAX_IN_NUMPY, Reached

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.relabel import Restriction
    from curvewise.kernels.tasks import Stratum


def judge_anywhere(tasks: Sequence[OneTask], work: Work, alpha: float) -> tuple[Anywhere, Anywhere]:
    """Test the sums of shares over all tasks: of heights, and of whole curves.

    All relabellings are visited where they are few, else a sample, also where all are asked for
    and there are more than ten million. The order of the tasks decides which shuffles a sample
    has.
    """
    observed = np.sum([own.shares.observed for own in tasks], axis=0)
    slack = np.sum([own.shares.slack for own in tasks], axis=0)
    least = observed - 2 * slack - TIE * observed
    listed = [own.listed.shares for own in tasks if own.listed is not None]
    restriction: Restriction
    if len(listed) == len(tasks):
        counts = tuple(own.shape[1] for own in listed)
        restriction, starts = Products(counts), np.cumsum([0, *counts[:-1]])
        sums = partial(_listed_sums, np.concatenate(listed, axis=1), starts)
    else:
        shares = tuple(own.shares for own in tasks)
        restriction, sums = _together(shares), partial(_shuffled_sums, shares)
    if work.exact and restriction.count > MAX_IN_NUMPY:
        work = replace(work, exact=False)
    plan = work.plan(restriction, levels=(alpha,), limits=LIMITS)
    found = work.visit(plan, Reached(sums, least))
    by_runs = float(np.exp(-np.sum([math.log(own.shares.restriction.count) for own in tasks])))
    smallest = by_runs if found.exact else max(by_runs, 1 / (1 + found.n_visited))
    heights, curves = (
        Anywhere(
            statistic=float(value),
            pvalue=pvalue(int(count), found.n_visited, exact=found.exact),
            n_extreme=int(count),
            exact=found.exact,
            n_shuffles=found.n_visited,
            smallest_pvalue=smallest,
            alpha=alpha,
        )
        for value, count in zip(observed, found.counts[0], strict=True)
    )
    return heights, curves


def _together(tasks: Sequence[TaskShares]) -> WithinBlocks:
    """Return the relabellings of the runs of all tasks, put after each other."""
    starts = np.cumsum([0, *(int(own.blocks.max()) + 1 for own in tasks)])
    blocks = [own.blocks + start for own, start in zip(tasks, starts[:-1], strict=True)]
    return WithinBlocks(np.concatenate([own.labels for own in tasks]), np.concatenate(blocks))


def _listed_sums(shares: Floats, starts: Integers, ranks: Integers) -> Floats:
    """Add up shares that were listed, those of a task from its start; a row for each effect."""
    return np.asarray(shares[:, ranks + starts].sum(axis=2))


def _shuffled_sums(tasks: Sequence[TaskShares], labels: Integers) -> Floats:
    """Add up shares of tasks with too many relabellings to be listed."""
    ends = np.cumsum([len(own.labels) for own in tasks])
    parts = zip(tasks, np.split(labels, ends[:-1], axis=1), strict=True)
    return np.asarray(np.sum([own.shares(part) for own, part in parts], axis=0))


# --- Is one algorithm better on the tasks as a whole?
#
# The test of van Elteren.

V_TIE = 1e-9  # V that differ by less are equal but for rounding
# An interval that its test moves to one side of a half ends this far from it.
LEAST_LEAD = 0.001


def judge_on_the_whole(tasks: Sequence[Sequence[Stratum]], work: Work, alpha: float) -> OnTheWhole:
    """Test V over all tasks, and estimate how often a run of the first algorithm wins.

    p is exact wherever the distribution of V can be worked out, unless the work is to be
    sampled; the order of the tasks decides which shuffles a sample has.
    """
    strata = [stratum for own in tasks for stratum in own]
    statistic, by_runs = van_elteren(strata), smallest_pvalue(strata)
    p = None if work.exact is False else exact_pvalue(strata)
    exact, n_shuffles, smallest = p is not None, None, by_runs
    if p is None:
        labels = np.concatenate([np.where(own.first, 0, 1) for own in strata])
        blocks = np.repeat(np.arange(len(strata)), [len(own.first) for own in strata])
        plan = work.plan(WithinBlocks(labels, blocks), levels=(alpha,), limits=LIMITS)
        scores = np.concatenate([own.doubled / (2 * (len(own.first) + 1)) for own in strata])
        expected = sum(own.sizes[0] for own in strata) / 2
        least = abs(statistic) - V_TIE * max(abs(statistic), 1.0)
        sums = partial(_rank_sums, scores, expected)
        found = work.visit(plan, Reached(sums, np.array([least])))
        exact = found.exact
        p = pvalue(int(found.counts[0][0]), found.n_visited, exact=exact)
        if not exact:
            n_shuffles = found.n_visited
            smallest = max(by_runs, 1 / (1 + n_shuffles))
    probability = winning_probability(strata)
    beside = 0.5 + LEAST_LEAD * np.array([-1.0, 1.0])
    ends = agreeing(
        probability_interval(strata, alpha), probability, 0.5, beside, rejected=p <= alpha
    )
    return OnTheWhole(
        statistic=statistic,
        pvalue=p,
        probability=probability,
        interval=Interval(*ends),
        mean_probability=float(np.mean([winning_probability(own) for own in tasks])),
        exact=exact,
        n_shuffles=n_shuffles,
        smallest_pvalue=smallest,
        alpha=alpha,
    )


def _rank_sums(scores: Floats, expected: float, labels: Integers) -> Floats:
    """Return how far the sums of the first algorithm's scores are from what is expected: |V|.

    Scores are the ranks of all runs, each divided by N + 1 of its stratum.
    """
    return np.abs((labels == 0).astype(np.float64) @ scores - expected)[None]


# --- Two algorithms on one task: what `compare` says, and which of them is better.


class OneTask:
    """The curves of two algorithms on one task, as they are shuffled.

    Attributes
    ----------
    curves : Curves
    layout : Layout
    shares : TaskShares
        The first algorithm is ``a``.
    strata : list of Stratum
        Ranks of the runs, the best run highest.
    listed : Listed or None
        All relabellings, where they are few.
    varies : bool
        Whether any two runs (of a block) differ.
    """

    def __init__(self, curves: Curves) -> None:
        """Lay out the runs of two algorithms, and rank them by their mean over training.

        Raises where their blocks leave nothing to compare; equal scores are no reason.
        """
        check_design(curves, may_be_equal=True)
        self.curves = curves
        self.layout, design = layout_and_design(curves)
        labels, blocks = self.layout.labels, self.layout.blocks
        ranks = RunNumbers.of(self.layout).ranks()
        if not curves.higher_is_better:
            ranks = np.bincount(blocks)[blocks] + 1 - ranks
        self.shares = TaskShares(design, labels, blocks, self.layout.noise)
        self.strata = strata_of(ranks, labels, blocks)
        few = self.shares.restriction.count <= MAX_LISTED
        self.listed = self.shares.listed() if few else None
        self.varies = sum(design.totals) > 0


def compare_task(
    task: OneTask, work: Work, *, alpha: float, levels: tuple[float, ...]
) -> tuple[TaskDifference, tuple[Caveat, ...]]:
    """Compare two algorithms on a task; p is not adjusted yet.

    Where all runs are the same, the task says nothing: every p is 1.
    """
    curves = task.curves
    a, b = curves.algorithms
    smallest = 1 / task.shares.restriction.count
    # Where no run differs every other difference is rejected, if the runs suffice for any.
    end = 0.0 if smallest <= alpha else math.inf
    given = TaskDifference(
        a=a,
        b=b,
        n_runs=(curves.sizes[0], curves.sizes[1]),
        interval=Interval(0.0 - end, end),
        probability=winning_probability(task.strata),
        smallest_pvalue=smallest,
        alpha=alpha,
        preparation=curves.preparation,
        period=curves.period,
    )
    if not task.varies:
        return given, tuple(prepared(curves))
    asked = asked_of(compare, curves=curves, alpha=alpha)
    laid_out = task.layout, task.shares.design
    found = compare_curves(asked, work, levels=levels, laid_out=laid_out)
    difference = found.difference
    assert difference is not None  # noqa: S101 (there are two algorithms)
    sign = 1.0 if curves.higher_is_better else -1.0
    up, down = _one_sided(task, work, levels)[:: int(sign)]
    value, g = sign * difference.value, difference.hedges_g
    standardised = None
    if g is not None and difference.value != 0:
        ends = sorted(g / difference.value * sign * end for end in difference.interval)
        standardised = Interval(*ends)
    own = replace(
        given,
        difference=difference.value,
        interval=difference.interval,
        hedges_g=g,
        standardised=standardised,
        better=a if value > 0 else b if value < 0 else None,
        pvalue=found.overall.pvalue,
        pvalue_height=found.algorithm.pvalue,
        pvalue_a_better=up,
        pvalue_b_better=down,
        exact=found.overall.exact,
        smallest_pvalue=found.smallest_pvalue,
    )
    return own, found.caveats


def _one_sided(task: OneTask, work: Work, levels: tuple[float, ...]) -> tuple[float, float]:
    """Return the one-sided p of a higher, and of a lower, mean score of the first algorithm."""
    shares, listed = task.shares, task.listed
    if listed is not None:
        return listed.up, listed.down
    tie = 2 * shares.noise
    least = shares.lead - tie, -shares.lead - tie
    one_block = shares.blocks.min() == shares.blocks.max()
    if one_block and len(shares.labels) <= MAX_SUBSET_RUNS:
        n_first = int(np.sum(shares.labels == 0))
        leads = shares.design.factor[0, 0] * shares.design.coordinates[:, 0]
        up, down = count_above(leads, n_first, least[0]), count_above(-leads, n_first, least[1])
        return up / shares.n_labellings, down / shares.n_labellings
    plan = work.sampled().plan(shares.restriction, levels=levels, limits=LIMITS)
    found = work.visit(plan, Reached(partial(_both_leads, shares), np.array(least)))
    pvalues = pvalue(found.counts[0], found.n_visited, exact=False)
    return float(pvalues[0]), float(pvalues[1])


def _both_leads(shares: TaskShares, labels: Integers) -> Floats:
    leads = shares.leads(labels)
    return np.stack([leads, -leads])

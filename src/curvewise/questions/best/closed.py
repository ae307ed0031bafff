"""The leader against each other algorithm, by closed testing over the sets that hold both.

If an algorithm is the best, then it and those that are as good are alike, whoever they are; the
others are worse. So it is ruled out if every set of algorithms that holds it and the leader is found
not to be alike: by how far the leader is ahead of it, or by how far all heights of the set are apart.
The runs of each set are shuffled among its algorithms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.effects import Interval
from curvewise.inference.families import tag_of
from curvewise.kernels.adjustments import MaxCounts
from curvewise.kernels.anova.sums import group_squares
from curvewise.kernels.contrasts import largest_welch_t, student_t
from curvewise.kernels.partitions import connected_groups
from curvewise.kernels.pvalues import pvalue, upper_quantile
from curvewise.kernels.relabelling.side_by_side import SideBySide
from curvewise.questions.best.max_t import largest_leads
from curvewise.questions.best.ranking import Gap, Ranking
from curvewise.shuffling.plan import Limits
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.contrasts import Fit
    from curvewise.questions.contrast.result import Contrast
    from curvewise.shuffling.layout import Layout
    from curvewise.shuffling.tally import Measured

__all__ = ["LeadsInSets", "RivalSet", "closed_gaps"]

MAX_SHUFFLES = 2**20  # of "auto" and "precise"
MAX_KEPT_BATCHES = 16  # several values are kept of every set


@dataclass(frozen=True, eq=False)
class RivalSet:
    """Algorithms taken to be alike: the leader, and two or more others.

    Attributes
    ----------
    layout : Layout
    fit : Fit
        Of the heights; its residuals are the heights themselves, since those are shuffled.
    others : array of int
        The codes, in this set, of those that do not lead.
    own_spread : bool
        Whether a lead is measured against the variances of the two; without blocks, if all have
        two runs or more. Else it is measured against the error of all.
    leads, errors : array, (n_others,)
        How much better the leader is than each, and the standard error of that.
    counters : tuple of MaxCounts
        What counts as a lead as large, one for each of the others.
    bound : float
        What counts as a sum of squares as large.
    tag : int
        A number that only these algorithms have.
    """

    layout: Layout
    fit: Fit
    others: Integers
    own_spread: bool
    leads: Floats
    errors: Floats
    counters: tuple[MaxCounts, ...]
    bound: float
    tag: int

    @classmethod
    def of(cls, ranking: Ranking, names: Sequence[str], leader: str) -> RivalSet:
        """Lay out the algorithms of a set."""
        names = sorted(names)
        own = Ranking.of(ranking.curves.select(*names))
        fit, first = own.fit, names.index(leader)
        others = np.array([code for code in range(len(names)) if code != first])
        unit_vectors = np.eye(len(names))
        lengths = fit.directions(unit_vectors[first] - unit_vectors[others])[1]
        leads = fit.estimates[first, 0] - fit.estimates[others, 0]
        variances = fit.errors[0] / fit.df * lengths**2
        sizes = np.bincount(own.layout.labels)
        own_spread = ranking.curves.blocks is None and bool(sizes.min() > 1)
        if own_spread:
            groups = [fit.values[own.layout.labels == i, 0] for i in range(len(names))]
            each = np.array([group.var(ddof=1) / len(group) for group in groups])
            variances = each[first] + each[others]
        t = student_t(leads, variances, 1)
        noise = own.layout.noise / math.sqrt(ranking.curves.n_steps)
        observed = group_squares(own.layout.labels[None, :], fit.values, fit.factor)
        return cls(
            own.layout,
            replace(fit, residuals=fit.values),
            others,
            own_spread,
            leads * own.layout.unit,
            np.sqrt(variances) * own.layout.unit,
            tuple(MaxCounts.of(t[i : i + 1]) for i in range(len(t))),
            max(math.sqrt(float(observed[0, 0])) - 2 * noise, 0.0) ** 2,
            tag_of(names),
        )

    @property
    def n_runs(self) -> int:
        """How many runs the algorithms have together."""
        return len(self.layout.labels)

    def least_leads(self, largest: Floats, alpha: float) -> Floats:
        """Return the smallest lead over each that is not rejected; (n_others,).

        ``largest`` has the largest lead over each in shuffles; (n_others, n_shuffles).
        """
        quantiles = np.array([upper_quantile(row, alpha) for row in largest])
        # Without error there is nothing to be unsure of.
        margins = np.zeros_like(quantiles)
        np.multiply(quantiles, self.errors, out=margins, where=self.errors > 0)
        return np.asarray(self.leads - margins)

    def largest(self, labels: Integers) -> Floats:
        """Return the largest lead of any over each of the others; (n_others, n_shuffles)."""
        if self.own_spread:
            return largest_welch_t(self.fit.values[:, 0], labels)[self.others]
        return largest_leads(self.fit, labels)[self.others]


@dataclass(frozen=True, eq=False)
class LeadsInSets(Statistic):
    """How many shuffles of each set have a lead, or heights apart, as large; leads are kept.

    Counted are the leads over each algorithm that does not lead, the heights, and all shuffles.

    Attributes
    ----------
    sets : tuple of RivalSet
        Whose labels come side by side.
    holding : array, (n_sets, n_others)
        The place of each algorithm among the others of a set; -1 where it is not in the set.
    open : array of bool, (n_others,)
        The algorithms that more shuffles can still rule out.
    """

    sets: tuple[RivalSet, ...]
    holding: Integers
    open: np.ndarray[tuple[int], np.dtype[np.bool_]]

    chunk = 1

    @property
    def restriction(self) -> SideBySide:
        """The relabellings of every set by itself."""
        return SideBySide(
            tuple(each.layout.restriction for each in self.sets),
            tuple(each.tag for each in self.sets),
        )

    def n_kept(self, n_runs: int) -> int:  # noqa: ARG002
        """Return how many batches are kept of a larger number."""
        return MAX_KEPT_BATCHES

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the shuffles with a lead, or heights apart, as large; keep the leads."""
        ends = np.cumsum([each.n_runs for each in self.sets])[:-1]
        leads = np.zeros(self.holding.shape, dtype=np.int64)
        heights = np.zeros(len(self.sets), dtype=np.int64)
        kept = []
        for row, (each, own) in enumerate(
            zip(self.sets, np.split(labels, ends, axis=1), strict=True)
        ):
            largest = each.largest(own)
            counts = [c.count(t)[0] for c, t in zip(each.counters, largest, strict=True)]
            inside = self.holding[row] >= 0
            leads[row, inside] = np.array(counts)[self.holding[row, inside]]
            squares = group_squares(own, each.fit.values, each.fit.factor)[0]
            heights[row] = np.sum(squares >= each.bound)
            kept.append(largest)
        return (leads, heights, np.array([len(labels)])), tuple(kept) if keep else ()

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the largest count of each algorithm that is open, by lead and by height."""
        largest = np.concatenate([row[self.open] for row in self.largest(*counts[:2])])
        return largest if len(largest) else counts[2]

    def largest(self, leads: Integers, heights: Integers) -> tuple[Integers, Integers]:
        """Return the largest counts of the sets that hold each algorithm; (n_others,) each."""
        by_height = np.where(self.holding >= 0, heights[:, None], 0)
        return leads.max(axis=0), by_height.max(axis=0)


def closed_gaps(
    ranking: Ranking,
    tests: Mapping[str, Contrast],
    work: Work,
    *,
    alpha: float,
) -> dict[str, Gap]:
    """Return how far each algorithm is from the leader, with the larger p of all sets.

    ``tests`` has the two-sided comparison of the leader with each algorithm that it can be
    compared with: the set of these two alone. Only sets that such comparisons connect are
    visited. Of the p by leads and the p by heights, the smaller one counts.
    """
    curves = ranking.curves
    leader = curves.algorithms[ranking.order[0]]
    sign = 1 if curves.higher_is_better else -1
    own = np.array([test.pvalue for test in tests.values()])
    # Where blocks hold different algorithms, two of them alone may be in another order.
    own[[sign * test.value <= 0 for test in tests.values()]] = 1.0
    low = np.array([min(sign * end for end in test.interval) for test in tests.values()])
    names = list(tests)
    every = [
        group
        for group in connected_groups([(0, place + 1) for place in range(len(names))])
        if len(group) > 2
    ]
    by_lead = by_height = own
    bounds = low
    if every:
        called = [leader, *names]
        sets = tuple(
            RivalSet.of(ranking, [called[i] for i in group], leader) for group in every
        )
        holding = np.full((len(sets), len(names)), -1)
        for row, group in enumerate(every):
            others = sorted(called[i] for i in group[1:])
            holding[row, [i - 1 for i in group[1:]]] = [
                others.index(called[i]) for i in group[1:]
            ]
        is_open = own <= alpha if work.n_shuffles == "auto" else own < 1
        statistic = LeadsInSets(sets, holding, is_open)
        limits = Limits(shuffles=MAX_SHUFFLES)
        plan = work.sampled().plan(statistic.restriction, levels=(alpha,), limits=limits)
        found = work.visit(plan, statistic)
        counts = statistic.largest(found.counts[0], found.counts[1])
        by_lead, by_height = (
            np.maximum(own, pvalue(count, found.n_visited, exact=False))
            for count in counts
        )
        bounds = low.copy()
        for each, places, largest in zip(sets, holding, found.kept, strict=True):
            inside = places >= 0
            least = each.least_leads(largest, alpha)[places[inside]]
            bounds[inside] = np.minimum(bounds[inside], least)
    adjusted = np.minimum(by_lead, by_height)
    gaps = {}
    for place, (name, test) in enumerate(tests.items()):
        far = max(sign * end for end in test.interval)
        # By heights alone, there is no other bound than that of the two.
        near = min(bounds[place], 0.0)
        if adjusted[place] <= alpha:
            near = bounds[place] if bounds[place] > 0 else low[place]
        ends = sorted(0.0 - sign * float(end) for end in (near, far))
        gaps[name] = Gap(0.0 - test.value, Interval(*ends), float(adjusted[place]))
    return gaps

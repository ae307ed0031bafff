"""The leader against each other algorithm, by closed testing over the sets that hold both.

If an algorithm is the best, then it and those that are as good are alike, whoever they are; the
others are worse. So it is ruled out if every set of algorithms that holds it and the leader is found
not to be alike: by how far the leader is ahead of it, or by how far all heights of the set are apart.
The runs of each set are shuffled among its algorithms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.inference.result import Interval
from curvewise.inference.two_groups import RunNumbers
from curvewise.inference.work import LIMITS, AlikeSet, LargestOf, OfAlikeSets, tag_of
from curvewise.kernels.anova import group_squares
from curvewise.kernels.contrasts import (
    Fit,
    GroupMoments,
    connected_groups,
    shuffled_pair_t,
    student_t,
)
from curvewise.kernels.invert import trimmed_means
from curvewise.kernels.pvalues import UpperTail, least_maximum, pvalue
from curvewise.shuffling.visit import Layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Center
    from curvewise.inference.work import Work
    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.questions.contrast.result import Contrast
    from curvewise.shuffling.visit import Measured


# --- The algorithms by their mean over training, and how far each is from the leader.


class Gap(NamedTuple):
    """An algorithm's mean minus the leader's, its interval, and the adjusted p."""

    difference: float
    interval: Interval
    pvalue_adjusted: float


@dataclass(frozen=True, eq=False)
class Ranking:
    """The algorithms by their mean over training, the best first."""

    curves: Curves
    layout: Layout
    fit: Fit  # of the means, with the sign changed where lower is better
    order: tuple[int, ...]
    center: Center = "mean"

    @classmethod
    def of(cls, curves: Curves, center: Center = "mean") -> Ranking:
        """Fit the algorithms to the means, within blocks where there are blocks.

        With another centre than the mean, that is what they are ordered by.
        """
        layout, fit, noise = fitted_heights(curves)
        if center != "mean":
            return cls(curves, layout, fit, _ranked_by(layout, center, curves), center)
        return cls(curves, layout, fit, _ranked(fit.estimates[:, 0], 2 * noise))

    @property
    def signed_unit(self) -> float:
        """What takes a lead in units of the layout to scores as they were given."""
        return self.layout.unit * (1 if self.curves.higher_is_better else -1)

    def means(self) -> dict[str, float]:
        """Return the mean of each algorithm, adjusted where blocks hold different ones.

        With another centre: the trimmed mean, or the mean rank of its runs among all runs (of a
        block), the lowest score first.
        """
        curves = self.curves
        if self.center != "mean":
            return self._centers()
        heights = curves.scores.mean(axis=1)
        means = [heights[curves.codes == code].mean() for code in range(len(curves.algorithms))]
        if not curves.has_even_blocks:
            estimates = self.fit.estimates[:, 0] * self.signed_unit
            sizes = np.array(curves.sizes)
            means = list(heights.mean() + estimates - estimates @ sizes / sizes.sum())
        return {name: float(mean) for name, mean in zip(curves.algorithms, means, strict=True)}

    def _centers(self) -> dict[str, float]:
        curves, layout = self.curves, self.layout
        runs = RunNumbers.of(layout)
        if self.center == "trimmed":
            heights = curves.scores.mean(axis=1)
            centers = trimmed_means(curves.codes[None, :], heights)[:, 0]
        else:
            ranks = np.bincount(layout.labels, weights=runs.ranks())
            centers = ranks / np.bincount(layout.labels)
        return dict(zip(curves.algorithms, centers.tolist(), strict=True))


def fitted_heights(curves: Curves) -> tuple[Layout, Fit, float]:
    """Lay out the curves, and fit the algorithms to their means; return also what is rounding.

    The sign is changed where lower is better.
    """
    layout = Layout.of(curves)
    noise = layout.noise / math.sqrt(curves.n_steps)
    means = layout.scores.mean(axis=1, keepdims=True)
    means = means if curves.higher_is_better else -means
    # Within blocks, so that none leads by having run in the easier ones.
    return layout, Fit.of(means, layout.labels, layout.blocks, noise), noise


def _ranked_by(layout: Layout, center: Center, curves: Curves) -> tuple[int, ...]:
    """Order by trimmed mean, or by mean rank (in blocks: fitted), the best first."""
    runs = RunNumbers.of(layout)
    if center == "trimmed":
        estimates, noise = runs.trimmed(), runs.tie
    else:
        fit = Fit.of(runs.ranks()[:, None], layout.labels, layout.blocks)
        estimates, noise = fit.estimates[:, 0], 1e-9
    return _ranked(estimates if curves.higher_is_better else -estimates, noise)


def _ranked(estimates: Floats, noise: float) -> tuple[int, ...]:
    """Order by estimate, the largest first; what rounding alone sets apart keeps its order.

    >>> _ranked(np.array([1.0, 3.0, 3.0 + 1e-12]), 1e-9)
    (1, 2, 0)
    """
    order = np.argsort(-estimates, kind="stable")
    is_lower = np.diff(estimates[order]) < -noise
    group = np.concatenate([[0], np.cumsum(is_lower)])
    return tuple(order[np.lexsort([order, group])].tolist())


# --- The lead over each algorithm, held against the largest lead over it in each shuffle (max-t).


def largest_leads(fit: Fit, labels: Integers) -> Floats:
    """Return the largest t of any group less each group; (n_groups, n_shuffles).

    The residuals of the fit are shuffled.
    """
    n_groups = len(fit.estimates)
    first, second = np.triu_indices(n_groups, 1)
    t = shuffled_pair_t(fit, labels)
    return np.stack(
        [np.vstack([t[second == code], -t[first == code]]).max(axis=0) for code in range(n_groups)]
    )


def max_t_gaps(
    ranking: Ranking, work: Work, *, alpha: float, levels: tuple[float, ...]
) -> Callable[[float], dict[str, Gap]]:
    """Hold the lead over an algorithm against the largest lead over it in each shuffle.

    The truly best is dropped only if another leads it by more than any would by chance. Returns
    what gives the gaps with the intervals of a level up to alpha; "auto" settles p against the
    ``levels``.
    """
    fit, curves, unit = ranking.fit, ranking.curves, ranking.signed_unit
    leader, *others = ranking.order
    unit_vectors, lengths = np.eye(len(fit.estimates)), np.ones(len(fit.estimates))
    lengths[others] = fit.directions(unit_vectors[leader] - unit_vectors[others])[1]
    leads: Floats = fit.estimates[leader, 0] - fit.estimates[:, 0]
    t = student_t(leads / lengths, fit.errors[:1], fit.df)
    plan = work.plan(ranking.layout.restriction, levels=levels, limits=LIMITS)
    found = work.visit(plan, LargestOf.against(t[:, None], partial(largest_leads, fit)))
    pvalues = pvalue(found.counts[0][:, 0], found.n_visited, exact=False)
    (largest,) = found.kept
    tails = {code: UpperTail.of(largest[code], alpha) for code in others}
    error = math.sqrt(float(fit.errors[0]) / fit.df)

    def gaps_at(level: float) -> dict[str, Gap]:
        gaps = {}
        for code, tail in tails.items():
            margin = tail.quantile(level) * float(lengths[code]) * error if error else 0.0
            lead = float(leads[code])
            ends = sorted((0.0 - (lead - margin) * unit, -math.inf * unit))
            gaps[curves.algorithms[code]] = Gap(
                0.0 - lead * unit, Interval(*ends), float(pvalues[code])
            )
        return gaps

    return gaps_at


# --- The leader against each other algorithm, by closed testing over the sets that hold both.

MAX_AT_ONCE = 5  # sets that are measured at once: of more, less stays in the cache


@dataclass(frozen=True, eq=False)
class RivalSet(AlikeSet):
    """Algorithms taken to be alike: the leader, and two or more others.

    Attributes
    ----------
    fit : Fit
        Of the heights; its residuals are the heights themselves, since those are shuffled.
    others : array of int
        The codes, in this set, of those that do not lead.
    own_spread : bool
        Whether a lead is measured against the variances of the two; without blocks, if all have
        two runs or more. Else it is measured against the error of all.
    leads, errors : array, (n_others,)
        How much better the leader is than each, and the standard error of that.
    least : array, (n_others,)
        The smallest t of a lead that counts as large as that over each.
    bound : float
        What counts as a sum of squares as large.
    """

    fit: Fit
    others: Integers
    own_spread: bool
    leads: Floats
    errors: Floats
    least: Floats
    bound: float

    @classmethod
    def of(cls, ranking: Ranking, names: Sequence[str], leader: str) -> RivalSet:
        """Lay out the algorithms of a set."""
        names = sorted(names)
        layout, fit, noise = fitted_heights(ranking.curves.select(*names))
        first = names.index(leader)
        others = np.array([code for code in range(len(names)) if code != first])
        unit_vectors = np.eye(len(names))
        lengths = fit.directions(unit_vectors[first] - unit_vectors[others])[1]
        leads = fit.estimates[first, 0] - fit.estimates[others, 0]
        variances = fit.errors[0] / fit.df * lengths**2
        moments = GroupMoments.of(fit.values[:, 0], layout.labels[None, :])
        own_spread = ranking.curves.blocks is None and bool(moments.sizes.min() > 1)
        if own_spread:
            each = moments.squares[:, 0] / (moments.sizes * (moments.sizes - 1))
            variances = each[first] + each[others]
        t = student_t(leads, variances, 1)
        observed = float(moments.between(fit.factor)[0])
        return cls(
            layout,
            tag_of(names),
            replace(fit, residuals=fit.values),
            others,
            own_spread,
            leads * layout.unit,
            np.sqrt(variances) * layout.unit,
            least_maximum(t),
            max(math.sqrt(observed) - 2 * noise, 0.0) ** 2,
        )

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many runs each algorithm has."""
        return tuple(np.bincount(self.layout.labels).tolist())

    def least_leads(self, tails: Sequence[UpperTail], alpha: float) -> Floats:
        """Return the smallest lead over each that is not rejected; (n_others,).

        ``tails`` are those of the largest lead over each in shuffles.
        """
        quantiles = np.array([tail.quantile(alpha) for tail in tails])
        # Without error there is nothing to be unsure of.
        margins = np.zeros_like(quantiles)
        np.multiply(quantiles, self.errors, out=margins, where=self.errors > 0)
        return np.asarray(self.leads - margins)

    def measured(self, labels: Integers) -> tuple[Floats, Floats]:
        """Return the largest lead of any over each of the others, and the spread of heights.

        The leads are (n_others, n_shuffles), the sums of squares between algorithms
        (n_shuffles,).
        """
        if self.own_spread:
            return next(_measured_by_own_spread([self], [labels]))
        squares = group_squares(labels, self.fit.values, self.fit.factor)[0]
        return largest_leads(self.fit, labels)[self.others], squares


def _measured_by_own_spread(
    sets: Sequence[RivalSet], labels: Sequence[Integers]
) -> Iterator[tuple[Floats, Floats]]:
    """Measure several sets of the same sizes at once, which is quicker than one by one."""
    moments = GroupMoments.of_sets([each.fit.values[:, 0] for each in sets], labels)
    largest = moments.largest_welch_t()
    squares = moments.between(sets[0].fit.factor)
    start = 0
    for each, own in zip(sets, labels, strict=True):
        stop = start + len(own)
        yield largest[each.others, start:stop], squares[start:stop]
        start = stop


@dataclass(frozen=True, eq=False)
class LeadsInSets(OfAlikeSets[RivalSet]):
    """How many shuffles of each set have a lead, or heights apart, as large; leads are kept.

    Counted are the leads over each algorithm that does not lead, the heights, and all shuffles.

    Attributes
    ----------
    holding : array, (n_sets, n_others)
        The place of each algorithm among the others of a set; -1 where it is not in the set.
    open : array of bool, (n_others,)
        The algorithms that more shuffles can still rule out.
    """

    holding: Integers
    open: Booleans

    n_kept = 16  # several values are kept of every set

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the shuffles with a lead, or heights apart, as large; keep the leads."""
        leads = np.zeros(self.holding.shape, dtype=np.int64)
        heights = np.zeros(len(self.sets), dtype=np.int64)
        kept = []
        for row, (largest, squares) in enumerate(self._measured(labels)):
            each = self.sets[row]
            inside = self.holding[row] >= 0
            as_large = largest >= each.least[:, None]
            # Row by row, which is quicker than along an axis.
            counts = np.array([np.count_nonzero(own) for own in as_large])
            leads[row, inside] = counts[self.holding[row, inside]]
            heights[row] = np.count_nonzero(squares >= each.bound)
            kept.append(largest)
        return (leads, heights, np.array([len(labels)])), tuple(kept) if keep else ()

    def _measured(self, labels: Integers) -> Iterator[tuple[Floats, Floats]]:
        """Measure every set, those of the same sizes a few at a time."""
        parts = self.split(labels)
        for _, alike in groupby(range(len(parts)), lambda row: self.sets[row].sizes):
            rows = list(alike)
            for place in range(0, len(rows), MAX_AT_ONCE):
                some = rows[place : place + MAX_AT_ONCE]
                sets, own = [self.sets[row] for row in some], [parts[row] for row in some]
                if sets[0].own_spread:
                    yield from _measured_by_own_spread(sets, own)
                else:
                    yield from map(RivalSet.measured, sets, own)

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
    tests: Mapping[str, Callable[[float], Contrast]],
    work: Work,
    *,
    alpha: float,
    levels: tuple[float, ...],
) -> Callable[[float], dict[str, Gap]]:
    """Return what gives, for a level up to alpha, how far each algorithm is from the leader.

    ``tests`` has the two-sided comparison of the leader with each algorithm that it can be
    compared with, at a level: the set of these two alone. Only sets that such comparisons
    connect are visited, and the largest p of all counts. Of the p by leads and the p by heights,
    the smaller one counts. "auto" settles them against the ``levels``.
    """
    curves = ranking.curves
    leader = curves.algorithms[ranking.order[0]]
    sign = 1 if curves.higher_is_better else -1
    alone = [test(alpha) for test in tests.values()]
    own = np.array([test.pvalue for test in alone])
    # Where blocks hold different algorithms, two of them alone may be in another order.
    own[[sign * test.value <= 0 for test in alone]] = 1.0
    names = list(tests)
    every = [
        group
        for group in connected_groups([(0, place + 1) for place in range(len(names))])
        if len(group) > 2
    ]
    adjusted = own
    sets: tuple[RivalSet, ...] = ()
    holding = np.full((len(every), len(names)), -1)
    tails: list[list[UpperTail]] = []
    if every:
        called = [leader, *names]
        sets = tuple(RivalSet.of(ranking, [called[i] for i in group], leader) for group in every)
        for row, group in enumerate(every):
            others = sorted(called[i] for i in group[1:])
            holding[row, [i - 1 for i in group[1:]]] = [others.index(called[i]) for i in group[1:]]
        is_open = own <= alpha if work.n_shuffles == "auto" else own < 1
        statistic = LeadsInSets(sets, holding, is_open)
        plan = work.sampled().plan(statistic.restriction, levels=levels, limits=LIMITS)
        found = work.visit(plan, statistic)
        by_lead, by_height = (
            np.maximum(own, pvalue(count, found.n_visited, exact=False))
            for count in statistic.largest(found.counts[0], found.counts[1])
        )
        adjusted = np.minimum(by_lead, by_height)
        tails = [[UpperTail.of(row, alpha) for row in largest] for largest in found.kept]

    def gaps_at(level: float) -> dict[str, Gap]:
        judged = [test(level) for test in tests.values()]
        low = np.array([min(sign * end for end in test.interval) for test in judged])
        bounds = low.copy()
        for each, places, own_tails in zip(sets, holding, tails, strict=True):
            inside = places >= 0
            least = each.least_leads(own_tails, level)[places[inside]]
            bounds[inside] = np.minimum(bounds[inside], least)
        gaps = {}
        for place, (name, test) in enumerate(zip(names, judged, strict=True)):
            far = max(sign * end for end in test.interval)
            # By heights alone, there is no other bound than that of the two.
            near = min(bounds[place], 0.0)
            if adjusted[place] <= level:
                near = bounds[place] if bounds[place] > 0 else low[place]
            ends = sorted(0.0 - sign * float(end) for end in (near, far))
            gaps[name] = Gap(0.0 - test.value, Interval(*ends), float(adjusted[place]))
        return gaps

    return gaps_at

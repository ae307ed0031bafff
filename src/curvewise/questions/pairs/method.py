"""Which algorithms differ, and which may be the best: one family of tests for both.

A partition says which algorithms are alike: those in one group. If it is true, the runs of each
group can be shuffled among its algorithms. Two algorithms differ if every partition that has them
in one group is rejected; then the chance of any false claim is at most alpha, whichever
partition is true (Marcus, Peritz & Gabriel 1976). An algorithm may be the best unless it differs
from the one with the best mean, so what is said of the best cannot contradict what is said of pairs.

With more algorithms than closed testing can go through, every pair is held against the largest pair
of each shuffle (max-t).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from curvewise.errors import CurvesError
from curvewise.inference.asking import check_design, check_variation
from curvewise.inference.result import EFFECTS
from curvewise.inference.work import LIMITS, AlikeSet, LargestOf, OfAlikeSets, tag_of
from curvewise.kernels.combined import COMPONENTS, MeanDesign, Scales
from curvewise.kernels.contrasts import (
    Fit,
    adding_repays_compiling,
    connected_groups,
    pair_maxima,
    pair_parts,
    pair_ratios,
    partitions,
)
from curvewise.kernels.invert import (
    MAX_SUBSET_RUNS,
    GroupSums,
    count_far,
    counting_repays_compiling,
)
from curvewise.kernels.pvalues import TIE, pvalue
from curvewise.questions.compare.ask import layout_and_design
from curvewise.questions.compare.method import combined_design, exact_height, label_blind
from curvewise.shuffling.visit import FIRST_LOOK, MAX_FREE, track_items

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.result import ErrorTerm
    from curvewise.inference.work import Work
    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.kernels.anova import Design
    from curvewise.kernels.combined import CombinedDesign
    from curvewise.shuffling.visit import Layout, Measured

    Names = tuple[str, str]
    Pvalues = Mapping[str, Mapping[Names, float]]  # by effect and pair


# --- Closed testing over partitions.

Number = TypeVar("Number", "Integers", "Floats")
HEIGHT = list(EFFECTS).index("algorithm")


class Parts(NamedTuple):
    """What relabellings of a group add to the statistics of a partition.

    Attributes
    ----------
    sums : array, (n_effects, n_relabellings)
    lead : array, (n_relabellings,)
        What it adds to the sum of height if the best algorithm of all is in this group.
    best : array, (n_relabellings,)
        The best mean of the group.
    """

    sums: Floats
    lead: Floats
    best: Floats


@dataclass(frozen=True, eq=False)
class AlikeGroup(AlikeSet):
    """Algorithms taken to be alike, and what they add to the statistics of a partition.

    Attributes
    ----------
    means, mean_scales : MeanDesign, Scales
        Of the mean of each run over training.
    level : float
        The mean of all runs of the group.
    combined, scales : CombinedDesign or None, Scales or None
        The looks of the combined statistic of `compare`, where whole curves are asked about.
    """

    means: MeanDesign
    mean_scales: Scales
    level: float
    combined: CombinedDesign | None = None
    scales: Scales | None = None

    @classmethod
    def of(cls, curves: Curves, names: Sequence[str], levels: Floats, *, whole: bool) -> AlikeGroup:
        """Lay out the curves of some algorithms; the order of the names changes nothing.

        ``levels`` has a number of each run of the curves, by which groups are compared. Without
        ``whole`` curves, the mean of each run is all that is looked at.
        """
        layout, design = layout_and_design(curves.select(*sorted(names)))
        sign = 1.0 if curves.higher_is_better else -1.0
        numbers = sign * layout.unit * layout.scores.mean(axis=1)
        noise = layout.unit * layout.noise / math.sqrt(curves.n_steps)
        means = MeanDesign.of(numbers, layout.labels, layout.blocks, noise)
        batches = label_blind(layout)
        values = np.concatenate([means.values(batch)[0] for batch in batches], axis=1)
        level = float(levels[np.isin(curves.labels, list(names))].mean())
        own = layout, tag_of(names), means, Scales.of(values), level
        if not whole:
            return cls(*own)
        combined = combined_design(design, layout)
        looks = np.concatenate([combined.values(batch) for batch in batches], axis=1)
        return cls(*own, combined, Scales.of(looks))

    def parts(self, labels: Integers, *, observed: bool = False) -> Parts:
        """Return what each relabelling adds: exp(2 z) of its looks, by effect.

        That weighs groups by how unusual their differences are among shuffled curves, whatever the
        spread of their runs. Overall it is the sum of all looks, whose logarithm is the
        statistic of `compare`. ``observed`` takes off what may be rounding.
        """
        values, best = self.means.values(labels, observed=observed)
        height, lead = self.mean_scales.weights(values)
        sums = height[None]
        if self.combined is not None and self.scales is not None:
            weights = self.scales.weights(self.combined.values(labels, observed=observed))
            shape = weights[COMPONENTS.index("shape")]
            sums = np.stack([weights.sum(axis=0), height, shape])
        return Parts(sums, lead, best + self.level)


def partition_sums(parts: Sequence[Parts], alone: float, noise: float, sign: float) -> Floats:
    """Return the statistics of a partition, of every relabelling; (n_effects, n_relabellings).

    To the sum of height comes the lead of the group that has the best mean of all, unless an
    algorithm that stands ``alone`` is better. Where rounding decides who is the best, it is
    the largest lead, or with ``sign`` -1, for what was observed, the smallest.
    """
    sums = parts[0].sums.copy()
    for part in parts[1:]:
        sums += part.sums
    best = np.maximum(np.max([part.best for part in parts], axis=0), alone)
    unknown = -np.inf if sign > 0 else np.inf
    leads = [np.where(part.best >= best - noise, part.lead, unknown) for part in parts]
    leads.append(np.where(alone >= best - noise, 0.0, unknown))
    sums[HEIGHT if len(sums) > 1 else 0] += (
        np.max(leads, axis=0) if sign > 0 else np.min(leads, axis=0)
    )
    return sums


@dataclass(frozen=True, eq=False)
class PartitionSums(OfAlikeSets[AlikeGroup]):
    """The statistics of each partition; how many relabellings are as extreme.

    Counted for each partition and effect; and all relabellings, too.

    Attributes
    ----------
    partitions : tuple of tuple of int
        The groups of each partition, by their place.
    alone : tuple of float
        The best mean of the algorithms that stand alone in each partition.
    noise : float
        How far rounding can move a mean.
    bounds : array, (n_partitions, n_effects)
        What counts as extreme.
    joining : array, (n_partitions, n_pairs)
        Which partitions have the two algorithms of a pair in one group.
    known : array, (n_effects, n_pairs)
        The largest p of each pair that other visits have given.
    alpha : float or None
        A pair whose known p is larger needs no more shuffles; None if p itself is wanted.
    """

    partitions: tuple[tuple[int, ...], ...]
    alone: tuple[float, ...]
    noise: float
    bounds: Floats
    joining: Booleans
    known: Floats
    alpha: float | None

    n_kept = 0

    @classmethod
    def of(
        cls,
        groups: Sequence[AlikeGroup],
        chosen: Sequence[tuple[int, ...]],
        alone: Sequence[float],
        joining: Booleans,
        known: Floats,
        alpha: float | None,
    ) -> PartitionSums:
        """Keep the groups that these partitions have, and sum up what was observed."""
        places = sorted({place for partition in chosen for place in partition})
        kept = tuple(groups[place] for place in places)
        renamed = {place: number for number, place in enumerate(places)}
        own = tuple(tuple(renamed[place] for place in partition) for partition in chosen)
        noise = 4 * max(group.means.noise for group in groups)
        observed = [group.parts(group.layout.labels[None, :], observed=True) for group in kept]
        bounds = [
            partition_sums([observed[i] for i in partition], single, noise, -1.0)[:, 0]
            for partition, single in zip(own, alone, strict=True)
        ]
        some = (1 - TIE) * np.array(bounds), joining, known, alpha
        return cls(kept, own, tuple(alone), noise, *some)

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count the relabellings that are as extreme, and all of them."""
        parts = [group.parts(own) for group, own in zip(self.sets, self.split(labels), strict=True)]
        counts = [
            np.sum(
                partition_sums([parts[i] for i in partition], single, self.noise, 1.0)
                >= bounds[:, None],
                axis=1,
            )
            for partition, single, bounds in zip(
                self.partitions, self.alone, self.bounds, strict=True
            )
        ]
        return (np.array(counts), np.array([len(labels)])), ()

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return, for each pair and effect, the count of the partition with the largest p.

        Where p is known to be larger than that by far, no more shuffles are needed.
        """
        n_visited = int(counts[1][0])
        largest = self.largest(counts[0])
        is_open = self.known < 2 * pvalue(largest, n_visited, exact=False)
        if self.alpha is not None:
            is_open &= self.known <= self.alpha
        is_open &= self.joining.any(axis=0)
        return largest[is_open] if is_open.any() else np.array([n_visited])

    def largest(self, values: Number) -> Number:
        """Return the largest value of the partitions that join each pair; (n_effects, n_pairs)."""
        joined = self.joining[:, None, :] * values[:, :, None]
        return np.asarray(joined.max(axis=0))


def closed_adjusted(
    curves: Curves, own: Pvalues, work: Work, *, levels: tuple[float, ...]
) -> tuple[Pvalues, bool]:
    """Return, for each effect and pair, the largest p of a partition that joins the pair.

    Also returned is whether any of these p comes from shuffles drawn at random here.
    ``own`` has the p of each pair alone, for each effect: that of the partition in which all
    others stand alone. Groups are those that the pairs connect, so a group that no test could
    tell apart, such as two single runs, is in no partition. "auto" settles p against the
    ``levels``, of which the first is alpha.
    """
    whole = curves.n_steps > 1 and len(own) > 1
    names = list(EFFECTS) if whole else ["algorithm"]
    pairs = list(own["algorithm"])
    # By name, so that the order of the algorithms changes no digit.
    ordered = sorted(curves.algorithms)
    codes = [{ordered.index(name) for name in pair} for pair in pairs]
    every = connected_groups((min(pair), max(pair)) for pair in codes)
    # Every pair alone is in `own`.
    chosen = [own for own in partitions(every) if len(own) > 1 or len(own[0]) > 2]
    known = np.array([[own[name].get(pair, 0.0) for pair in pairs] for name in names])
    if not chosen:
        return _by_effect(own, names, known), False
    joining = np.array([[any(pair <= {*group} for group in p) for pair in codes] for p in chosen])
    heights = run_levels(curves)
    means = np.array([heights[curves.labels == name].mean() for name in ordered])
    alone = [
        max((means[i] for i in range(len(ordered)) if i not in set().union(*p)), default=-math.inf)
        for p in chosen
    ]
    groups = [
        AlikeGroup.of(curves, [ordered[i] for i in each], heights, whole=whole) for each in every
    ]
    place = {group: number for number, group in enumerate(every)}
    by_place = [tuple(place[group] for group in partition) for partition in chosen]
    sizes = [math.prod(groups[i].layout.restriction.count for i in p) for p in by_place]
    few = np.array([size * len(chosen) <= MAX_FREE for size in sizes], dtype=np.bool_)
    few &= work.exact is not False
    settled = levels[0] if work.n_shuffles == "auto" else None

    def largest(rows: Integers, *, exact: bool) -> Floats:
        """Visit the relabellings of some partitions together."""
        some = [by_place[row] for row in rows], [alone[row] for row in rows]
        statistic = PartitionSums.of(groups, *some, joining[rows], known, settled)
        planned = replace(work, exact=exact)
        plan = planned.plan(statistic.restriction, levels=levels, limits=LIMITS)
        found = work.visit(plan, statistic)
        pvalues = pvalue(found.counts[0], found.n_visited, exact=exact)
        return np.maximum(known, statistic.largest(pvalues))

    for row in track_items(np.flatnonzero(few).tolist()):
        known = largest(np.array([row]), exact=True)
    if not few.all():
        known = largest(np.flatnonzero(~few), exact=False)
    return _by_effect(own, names, known), not few.all()


def can_be_compared(curves: Curves) -> bool:
    """Tell whether shuffling could tell the algorithms apart."""
    try:
        check_design(curves, may_be_equal=True)
    except CurvesError:
        return False
    return True


def run_levels(curves: Curves) -> Floats:
    """Return the mean of each run over training, less the mean of its block; higher is better."""
    levels = curves.scores.mean(axis=1) * (1 if curves.higher_is_better else -1)
    for block in set(curves.blocks) if curves.blocks is not None else ():
        levels[curves.blocks == block] -= levels[curves.blocks == block].mean()
    return levels


def _by_effect(own: Pvalues, names: Sequence[str], adjusted: Floats) -> Pvalues:
    """Return p by effect and pair, of those that were tested; (n_effects, n_pairs).

    With a single step, the curves differ if their heights do.
    """
    rows = dict(zip(names, adjusted.tolist(), strict=True))
    return {
        name: {
            pair: max(p, own[name][pair])
            for pair, p in zip(own["algorithm"], rows.get(name, rows["algorithm"]), strict=True)
            if pair in own[name]
        }
        for name in own
    }


# --- Every two algorithms held against the largest pair of each shuffle (max-t).


def max_t_adjusted(
    curves: Curves,
    own: Pvalues,
    work: Work,
    *,
    levels: tuple[float, ...],
    error: ErrorTerm = "split",
) -> Pvalues:
    """Hold every pair against the largest of all pairs, for each shuffle of the residuals.

    With few runs, shuffled residuals of shapes alone raise some false alarms too many where all
    algorithms are alike. The shuffled curves themselves raise none too many there, so the largest
    of all pairs must stand out among those as well. ``own`` has the p of each pair alone, for
    each effect: it is of another distribution, so the larger of the two is returned.
    """
    layout, design = layout_and_design(curves)
    check_variation(curves, sum(design.totals))
    fit = Fit.of(design.coordinates, layout.labels, layout.blocks, layout.noise)
    every = list(combinations(curves.algorithms, 2))
    kept = np.array([every.index(pair) for pair in own["algorithm"]])
    pooled = error == "pooled"
    parts = pair_parts(fit.estimates[None], fit.factor)
    ratios = pair_ratios(parts, fit.errors[None], pooled=pooled)[:, 0, kept]
    plan = work.plan(layout.restriction, levels=levels, limits=LIMITS)
    n_first = plan.n_shuffles if plan.rule is None else min(plan.n_shuffles, FIRST_LOOK)
    compiled = adding_repays_compiling(2 * n_first, fit.values, len(curves.algorithms))

    def pvalues(values: Floats, observed: Floats) -> Floats:
        maxima = partial(pair_maxima, values, fit, kept=kept, pooled=pooled, compiled=compiled)
        found = work.visit(plan, LargestOf.against(observed, maxima))
        return pvalue(found.counts[0], found.n_visited, exact=False)

    of_residuals = pvalues(fit.residuals, ratios)
    of_curves = pvalues(fit.values, ratios.max(axis=1, keepdims=True))
    alone = [[own[name].get(pair, 0.0) for pair in own["algorithm"]] for name in EFFECTS]
    return _by_effect(own, list(EFFECTS), np.maximum(np.maximum(of_residuals, of_curves), alone))


# --- The exact p of height of every pair, from sorted sums that an algorithm's pairs share.

MAX_KEPT_SUMS = 2**25  # of all algorithms: 256 megabytes


@dataclass(frozen=True, eq=False)
class SharedHeights:
    """Counts as `exact_height` does, for any two algorithms of the curves.

    The sums of an algorithm are made for the first of its pairs, and kept while there is room.
    """

    curves: Curves
    _kept: dict[str, GroupSums] = field(default_factory=dict)

    def of(self, pair: tuple[str, str], layout: Layout, design: Design) -> tuple[int, int] | None:
        """Count the relabellings of a pair that are as extreme in height, and all of them."""
        n_runs, n_first = len(layout.labels), int((layout.labels == 0).sum())
        n_larger = max(n_first, n_runs - n_first)
        bound = float(design.extreme_rule.bounds[1])
        countable = self.curves.blocks is None and bound > 0 and 2 * n_larger <= MAX_SUBSET_RUNS
        if not countable or not counting_repays_compiling(2**n_larger):
            return exact_height(layout, design)
        # A height is the root of the number of steps times the mean of a curve.
        scale = design.factor[0, 0] * math.sqrt(layout.scores.shape[1]) / layout.unit
        first, second = (self._sums(name) for name in pair)
        count = count_far(first, second, math.sqrt(bound) / float(scale))
        if count is None:
            return exact_height(layout, design)
        mirrored = 2 if 2 * n_first == n_runs else 1
        return count // mirrored, math.comb(n_runs, n_first) // mirrored

    def _sums(self, name: str) -> GroupSums:
        if name in self._kept:
            return self._kept[name]
        made = GroupSums.of(self.curves.scores[self.curves.labels == name])
        every = (*self._kept.values(), made)
        if sum(2 ** (len(sums.by_size) - 1) for sums in every) <= MAX_KEPT_SUMS:
            self._kept[name] = made
        return made

"""Every two algorithms by closed testing over partitions of all of them.

A partition says which algorithms are alike: those in one group. If it is true, the runs of each
group can be shuffled among its algorithms. A pair differs if every partition that has the two in
one group is rejected; then the chance of any false claim is at most alpha, whichever partition is
true (Marcus, Peritz & Gabriel 1976).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from curvewise.inference.effects import EFFECTS
from curvewise.inference.families import tag_of
from curvewise.kernels.adjustments import TIE
from curvewise.kernels.anova.combined import COMPONENTS
from curvewise.kernels.anova.design import Design
from curvewise.kernels.partitions import connected_groups, partitions
from curvewise.kernels.pvalues import pvalue
from curvewise.kernels.relabelling.side_by_side import SideBySide
from curvewise.questions.compare.combined_overall import (
    combined_design,
    label_blind_scales,
)
from curvewise.shuffling.layout import Layout
from curvewise.shuffling.parallel import track_items
from curvewise.shuffling.plan import MAX_FREE, Limits
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.combined import CombinedDesign, Scales
    from curvewise.shuffling.tally import Measured

    Names = tuple[str, str]

Number = TypeVar("Number", "Integers", "Floats")

__all__ = ["AlikeGroup", "PartitionSums", "closed_adjusted"]

MAX_SHUFFLES = 2**20  # of "auto" and "precise"


@dataclass(frozen=True, eq=False)
class AlikeGroup:
    """Algorithms taken to be alike, and what they add to the statistics of a partition.

    Attributes
    ----------
    layout : Layout
    tag : int
        A number that only these algorithms have.
    combined : CombinedDesign
        The looks of the combined statistic of `compare`.
    scales : Scales
        Those of the looks.
    """

    layout: Layout
    tag: int
    combined: CombinedDesign
    scales: Scales

    @classmethod
    def of(cls, curves: Curves, names: Sequence[str]) -> AlikeGroup:
        """Lay out the curves of some algorithms; the order of the names changes nothing."""
        names = sorted(names)
        layout = Layout.of(curves.select(*names))
        design = Design.from_scores(
            layout.scores, layout.labels, layout.blocks, layout.noise
        )
        combined = combined_design(design, layout)
        return cls(layout, tag_of(names), combined, label_blind_scales(combined, layout))

    @property
    def n_runs(self) -> int:
        """How many runs the algorithms have together."""
        return len(self.layout.labels)

    def parts(self, labels: Integers, *, observed: bool = False) -> Floats:
        """Return what each relabelling adds, overall, in height and in shape; (3, n).

        That is exp(2 z) of the look at height or at shape, which weighs groups by how unusual
        their differences are among shuffled curves, whatever the spread of their runs; and
        overall the sum of all looks, whose logarithm is the statistic of `compare`.
        ``observed`` takes off what may be rounding.
        """
        weights = self.scales.weights(self.combined.values(labels, observed=observed))
        looks = (COMPONENTS.index("height"), COMPONENTS.index("shape"))
        return np.stack([weights.sum(axis=0), *(weights[look] for look in looks)])


@dataclass(frozen=True, eq=False)
class PartitionSums(Statistic):
    """The sum over the groups of each partition; how many relabellings are as extreme.

    Counted for each partition, overall, in height and in shape; and all relabellings, too.

    Attributes
    ----------
    groups : tuple of AlikeGroup
        Whose labels come side by side.
    partitions : tuple of tuple of int
        The groups of each partition, by their place.
    bounds : array, (n_partitions, 3)
        What counts as extreme.
    joining : array, (n_partitions, n_pairs)
        Which partitions have the two algorithms of a pair in one group.
    known : array, (3, n_pairs)
        The largest p of each pair that other visits have given.
    alpha : float or None
        A pair whose known p is larger needs no more shuffles; None if p itself is wanted.
    """

    groups: tuple[AlikeGroup, ...]
    partitions: tuple[tuple[int, ...], ...]
    bounds: Floats
    joining: np.ndarray[tuple[int, int], np.dtype[np.bool_]]
    known: Floats
    alpha: float | None

    chunk = 1
    min_batches_for_single_blas = 1

    @classmethod
    def of(
        cls,
        groups: Sequence[AlikeGroup],
        chosen: Sequence[tuple[int, ...]],
        joining: np.ndarray[tuple[int, int], np.dtype[np.bool_]],
        known: Floats,
        alpha: float | None,
    ) -> PartitionSums:
        """Keep the groups that these partitions have, and sum up what was observed."""
        places = sorted({place for partition in chosen for place in partition})
        kept = tuple(groups[place] for place in places)
        renamed = {place: number for number, place in enumerate(places)}
        observed = [
            group.parts(group.layout.labels[None, :], observed=True)[:, 0]
            for group in kept
        ]
        own = tuple(tuple(renamed[place] for place in partition) for partition in chosen)
        bounds = [np.sum([observed[i] for i in partition], axis=0) for partition in own]
        return cls(kept, own, (1 - TIE) * np.array(bounds), joining, known, alpha)

    @property
    def restriction(self) -> SideBySide:
        """The relabellings of every group by itself."""
        return SideBySide(
            tuple(group.layout.restriction for group in self.groups),
            tuple(group.tag for group in self.groups),
        )

    def n_kept(self, n_runs: int) -> int:  # noqa: ARG002
        """Keep nothing."""
        return 0

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count the relabellings that are as extreme, and all of them."""
        ends = np.cumsum([group.n_runs for group in self.groups])[:-1]
        sums = [
            group.parts(own)
            for group, own in zip(
                self.groups, np.split(labels, ends, axis=1), strict=True
            )
        ]
        counts = np.empty(self.bounds.shape, dtype=np.int64)
        for number, (first, *others) in enumerate(self.partitions):
            total = sums[first]
            for place in others:
                total = total + sums[place]
            counts[number] = np.sum(total >= self.bounds[number][:, None], axis=1)
        return (counts, np.array([len(labels)])), ()

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
        """Return the largest value of the partitions that join each pair; (3, n_pairs)."""
        joined = self.joining[:, None, :] * values[:, :, None]
        return np.asarray(joined.max(axis=0))


def closed_adjusted(
    curves: Curves,
    own: Mapping[str, Mapping[Names, float]],
    work: Work,
    *,
    alpha: float,
) -> tuple[dict[str, dict[Names, float]], bool]:
    """Return, for each effect and pair, the largest p of a partition that joins the pair.

    Also returned is whether any of these p comes from shuffles drawn at random here.
    ``own`` has the p of each pair alone, for each effect: that of the partition in which all
    others stand alone. Groups are those that the pairs connect, so a group that no test could
    tell apart, such as two single runs, is in no partition.
    """
    pairs = list(own["overall"])
    # By name, so that the order of the algorithms changes no digit.
    ordered = sorted(curves.algorithms)
    codes = [(ordered.index(min(pair)), ordered.index(max(pair))) for pair in pairs]
    every = connected_groups(codes)
    chosen = [
        partition
        for partition in partitions(every)
        if len(partition) > 1 or len(partition[0]) > 2
    ]
    joining = np.array(
        [[any({*pair} <= {*group} for group in p) for pair in codes] for p in chosen]
    )
    groups = [AlikeGroup.of(curves, [ordered[i] for i in each]) for each in every]
    place = {group: number for number, group in enumerate(every)}
    by_place = [tuple(place[group] for group in partition) for partition in chosen]
    sizes = [math.prod(groups[i].layout.restriction.count for i in p) for p in by_place]
    few = np.array([size * len(chosen) <= MAX_FREE for size in sizes], dtype=np.bool_)
    few &= work.exact is not False
    known = np.array([[own[name].get(pair, 0.0) for pair in pairs] for name in EFFECTS])

    def largest(rows: Integers) -> Floats:
        """Visit the relabellings of some partitions together."""
        statistic = PartitionSums.of(
            groups,
            [by_place[row] for row in rows],
            joining[rows],
            known,
            alpha if work.n_shuffles == "auto" else None,
        )
        exact = bool(few[rows[0]])
        restriction, limits = statistic.restriction, Limits(shuffles=MAX_SHUFFLES)
        plan = replace(work, exact=exact).plan(
            restriction, levels=(alpha,), limits=limits
        )
        found = work.visit(plan, statistic)
        pvalues = pvalue(found.counts[0], found.n_visited, exact=exact)
        return np.maximum(known, statistic.largest(pvalues))

    for row in track_items(np.flatnonzero(few).tolist()):
        known = largest(np.array([row]))
    if not few.all():
        known = largest(np.flatnonzero(~few))
    adjusted: dict[str, dict[Names, float]] = {
        name: {
            pair: float(p)
            for pair, p in zip(pairs, row, strict=True)
            if pair in own[name]
        }
        for name, row in zip(EFFECTS, known, strict=True)
    }
    return adjusted, not few.all()

"""The exact p of height of every pair, from sorted sums that an algorithm's pairs share."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from curvewise.kernels.anova.subset_sums import (
    MAX_SUBSET_RUNS,
    GroupSums,
    count_far,
    counting_repays_compiling,
)
from curvewise.questions.compare.randomized_anova import exact_height

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.kernels.anova.design import Design
    from curvewise.shuffling.layout import Layout

__all__ = ["SharedHeights"]

MAX_KEPT_SUMS = 2**25  # of all algorithms: 256 megabytes


@dataclass(frozen=True, eq=False)
class SharedHeights:
    """Counts as `exact_height` does, for any two algorithms of the curves.

    The sums of an algorithm are made for the first of its pairs, and kept while there is room.
    """

    curves: Curves
    _kept: dict[str, GroupSums] = field(default_factory=dict)

    def of(
        self, pair: tuple[str, str], layout: Layout, design: Design
    ) -> tuple[int, int] | None:
        """Count the relabellings of a pair that are as extreme in height, and all of them."""
        n_runs, n_first = len(layout.labels), int((layout.labels == 0).sum())
        n_larger = max(n_first, n_runs - n_first)
        bound = float(design.extreme_rule.bounds[1])
        if (
            self.curves.blocks is not None
            or bound <= 0
            or 2 * n_larger > MAX_SUBSET_RUNS
            or not counting_repays_compiling(2**n_larger)
        ):
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
        own = self.curves.codes == self.curves.algorithms.index(name)
        made = GroupSums.of(self.curves.scores[own])
        n_kept = sum(2 ** (len(sums.by_size) - 1) for sums in self._kept.values())
        if n_kept + 2 ** (len(made.by_size) - 1) <= MAX_KEPT_SUMS:
            self._kept[name] = made
        return made

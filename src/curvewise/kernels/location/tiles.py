"""Lᵀ S of long curves in tiles: some steps of some relabellings at a time, in any order of steps.

A tile stays in the cache while it is worked on. It is cheaper to compute it again, for another
order of the steps, than to keep all of them: there is one number for each step and relabelling.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.location.profiles import StepDesign

__all__ = ["MAX_RELABELLINGS", "Tiles"]

MAX_RELABELLINGS = 128  # of a tile
MAX_SUMS = 2**16  # of a tile: one per group, step and relabelling


@dataclass(frozen=True, eq=False)
class Tiles:
    """The relabellings of a batch in parts, and which runs they put into each group."""

    design: StepDesign
    parts: list[slice]
    chosen: list[Floats]  # (n_groups − 1, n_runs, n_relabellings) of each part

    @classmethod
    def of(cls, design: StepDesign, labels: Integers) -> Tiles:
        """Cut relabellings, (n_relabellings, n_runs), into parts."""
        starts = range(0, len(labels), MAX_RELABELLINGS)
        parts = [
            slice(start, min(start + MAX_RELABELLINGS, len(labels))) for start in starts
        ]
        return cls(design, parts, [design.chosen(labels[part]) for part in parts])

    def means(self) -> list[Floats]:
        """Return the means over all steps, (n_groups − 1, n_relabellings), of each part."""
        heights = self.design.means[None, :]
        return [self.design.combined(heights, chosen)[:, 0] for chosen in self.chosen]

    def along(self, order: Integers | None = None) -> Iterator[tuple[slice, int, Floats]]:
        """Yield which steps these are, the number of a part, and its Lᵀ S at these steps.

        Steps come as they are, or in an ``order``, of which the slice is then a part. The array,
        (n_groups − 1, n_steps, n_relabellings), is used again for later tiles.
        """
        n_groups, n_steps = len(self.design.factor), self.design.n_steps
        n_parts = -(-n_steps * n_groups * MAX_RELABELLINGS // MAX_SUMS)
        edges = np.linspace(0, n_steps, min(n_parts, n_steps) + 1).astype(np.int64)
        rooms: dict[tuple[int, ...], Floats] = {}
        for start, stop in pairwise(edges.tolist()):
            steps = slice(start, stop)
            columns = self.design.columns(steps if order is None else order[steps])
            for number, chosen in enumerate(self.chosen):
                shape = n_groups, columns.shape[1], chosen.shape[2]
                if shape not in rooms:
                    rooms[shape] = np.empty(shape)
                yield steps, number, self.design.combined(columns.T, chosen, rooms[shape])

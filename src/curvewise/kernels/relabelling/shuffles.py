"""Random relabellings, the same for every caller whatever the portions they are drawn in.

Batch b under a seed is drawn from a stream of its own, so shuffle s is the same for every
chunk size, thread count, process, kernel and machine.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.kernels.codes import distinct
from curvewise.kernels.relabelling.cache import cached_batch, shape_of
from curvewise.kernels.relabelling.masks import MaskRule
from curvewise.kernels.relabelling.streams import (
    BATCH,
    random_halves,
    stream_key,
)

if TYPE_CHECKING:
    from curvewise.kernels import Integers

__all__ = ["DrawPlan", "Shuffles"]

COMPILED = "curvewise.kernels.relabelling.compiled_draws"


@dataclass(frozen=True, eq=False)
class DrawPlan:
    """In which order runs are drawn: block by block, for one algorithm after the other.

    Runs and algorithms are lined up, block after block. ``template`` is the algorithm at
    each place, the largest of a block last: once the others have their runs, it receives
    those that are left, so that no draw is spent on it. ``runs`` are the runs at each place
    before any is drawn; ``first`` and ``last`` say, for each draw, which place is filled and
    where its block ends. A draw swaps the run at its place with one from there to the end
    of the block (Fisher & Yates).
    """

    template: Integers
    runs: Integers
    first: Integers
    last: Integers

    @classmethod
    def of(cls, labels: Integers, blocks: Integers) -> DrawPlan:
        """Plan the draws of each block."""
        template, runs, first, last = [], [], [], []
        start = 0
        for block in distinct(blocks):
            inside = np.flatnonzero(blocks == block)
            counts = np.bincount(labels[inside])
            groups = np.flatnonzero(counts)
            sizes = counts[groups]
            order = np.argsort(sizes, kind="stable")
            template.append(np.repeat(groups[order], sizes[order]))
            runs.append(inside)
            n_draws = len(inside) - int(sizes[order[-1]])
            first.append(np.arange(start, start + n_draws))
            last.append(np.full(n_draws, start + len(inside)))
            start += len(inside)
        return cls(
            *(
                np.concatenate(part).astype(np.int64)
                for part in (template, runs, first, last)
            )
        )

    def draw(self, seed: int, batch: int, count: int) -> Integers:
        """Return the labels of the first ``count`` shuffles of a batch; (count, n_runs)."""
        n_draws, n_runs = len(self.first), len(self.runs)
        halves = random_halves(stream_key(seed, batch), count, n_draws)
        # 32 bits times how many runs there are to choose from: the bits above the lowest 32 are
        # the choice, with chances that are equal to within a part in 2³² of that number.
        choices = (halves * (self.last - self.first).astype(np.uint64)) >> np.uint64(32)
        others = self.first + choices.astype(np.int64)
        # A place is a row, so that each draw swaps a row with single numbers of later rows.
        order = np.repeat(self.runs, count)
        rows = order.reshape(n_runs, count)
        shuffles = np.arange(count)
        for place, other in zip(self.first, others.T * count + shuffles, strict=True):
            taken = order[other]
            order[other] = rows[place]
            rows[place] = taken
        labels = np.empty(count * n_runs, dtype=np.int64)
        labels[rows.T + n_runs * shuffles[:, None]] = self.template
        return labels.reshape(count, n_runs)


@dataclass(frozen=True, eq=False)
class Shuffles:
    """``count`` random relabellings of the runs, shuffled inside their blocks."""

    labels: Integers = field(repr=False)
    blocks: Integers = field(repr=False)
    count: int
    seed: int

    @cached_property
    def shape(self) -> tuple[Any, ...]:
        """All that a shuffle depends on besides the seed."""
        return shape_of(self.labels, self.blocks)

    @cached_property
    def masks(self) -> MaskRule | None:
        """The rule that draws relabellings as bits; None where runs are drawn one by one."""
        if self.labels.max() > 1 or self.blocks.min() != self.blocks.max():
            return None
        return MaskRule.of(len(self.labels), int(np.sum(self.labels == 0)))

    @cached_property
    def draw_plan(self) -> DrawPlan:
        """How runs are drawn one by one, where there is no rule for bits."""
        return DrawPlan.of(self.labels, self.blocks)

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch of shuffles; (BATCH or fewer, n_runs)."""
        # A whole batch is always drawn, so that asking for fewer changes none of them.
        labels = cached_batch((self.seed, number, self.shape), partial(self.draw, number))
        return labels[: self.count - number * BATCH]

    def draw(self, number: int) -> Integers:
        """Draw a batch, the last one whole as well, and keep nothing; (BATCH, n_runs)."""
        if sys.modules.get(COMPILED) is not None:
            # Already there, it is faster; the labels are the same.
            from curvewise.kernels.relabelling.compiled_draws import draw_labels

            return draw_labels(self, number)
        if self.masks is not None:
            return self.masks.labels(self.masks.draw(self.seed, number, BATCH))
        return self.draw_plan.draw(self.seed, number, BATCH)

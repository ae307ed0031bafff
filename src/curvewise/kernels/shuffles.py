"""Random relabellings, the same ones whoever draws them and in whatever portions.

Batch b under a seed is drawn from a stream of its own, so shuffle s is the same for every
chunk size, thread count, process, kernel and machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.kernels.masks import MaskRule
from curvewise.kernels.memory import recalled, shape_of
from curvewise.kernels.streams import BATCH, stream_key, words

if TYPE_CHECKING:
    from curvewise.kernels import Integers

__all__ = ["Deck", "Shuffles"]


@dataclass(frozen=True, eq=False)
class Deck:
    """The runs as they are dealt: block by block, to one algorithm after the other.

    ``template`` is the algorithm that receives each place, the largest of a block last:
    once the others have their runs, it receives what is left. ``runs`` are the runs before
    any is dealt, in the order of their blocks; ``first`` and ``last`` say, for each draw,
    which place is filled and where its block ends.
    """

    template: Integers
    runs: Integers
    first: Integers
    last: Integers

    @classmethod
    def of(cls, labels: Integers, blocks: Integers) -> Deck:
        """Prepare the deal of each block."""
        template, runs, first, last = [], [], [], []
        start = 0
        for block in np.unique(blocks):
            inside = np.flatnonzero(blocks == block)
            groups, sizes = np.unique(labels[inside], return_counts=True)
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

    def deal(self, seed: int, batch: int, count: int) -> Integers:
        """Return the labels of the first ``count`` shuffles of a batch."""
        n_draws = len(self.first)
        drawn = words(stream_key(seed, batch), 0, count * n_draws).reshape(count, n_draws)
        # 53 bits of each word, as a number from 0 up to 1.
        chance = (drawn >> np.uint64(11)).astype(np.float64) * 2.0**-53
        order = np.tile(self.runs, (count, 1))
        rows = np.arange(count)
        for draw, (place, end) in enumerate(zip(self.first, self.last, strict=True)):
            other = place + (chance[:, draw] * (end - place)).astype(np.int64)
            taken = order[rows, other]
            order[rows, other] = order[:, place]
            order[:, place] = taken
        labels = np.empty_like(order)
        labels[rows[:, None], order] = self.template
        return labels


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
        """How relabellings are drawn as bits, if they are."""
        if self.labels.max() > 1 or self.blocks.min() != self.blocks.max():
            return None
        return MaskRule.of(len(self.labels), int(np.sum(self.labels == 0)))

    @cached_property
    def deck(self) -> Deck:
        """How relabellings are dealt, if they are not drawn as bits."""
        return Deck.of(self.labels, self.blocks)

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch of shuffles; (BATCH or fewer, n_runs)."""
        # A whole batch is always drawn, so that asking for fewer changes none of them.
        labels = recalled((self.seed, number, self.shape), partial(self._draw, number))
        return labels[: self.count - number * BATCH]

    def _draw(self, number: int) -> Integers:
        if self.masks is not None:
            return self.masks.labels(self.masks.draw(self.seed, number, BATCH))
        return self.deck.deal(self.seed, number, BATCH)

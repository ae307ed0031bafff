"""Several sets of runs, each relabelled by itself, their labels side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.relabelling.cache import cached_batch
from curvewise.kernels.relabelling.streams import BATCH, stream_key

if TYPE_CHECKING:
    from curvewise.kernels import Integers
    from curvewise.kernels.relabelling.enumeration import Enumeration
    from curvewise.kernels.relabelling.restriction import Relabellings, WithinBlocks
    from curvewise.kernels.relabelling.shuffles import Shuffles

__all__ = ["SideBySide"]


@dataclass(frozen=True, eq=False)
class SideBySide:
    """The relabellings of several sets of runs, independently of each other.

    ``tags`` are numbers, one for each set; with the seed they determine how the set is
    shuffled, whatever other sets there are. A set may share runs with another one.
    """

    sets: tuple[WithinBlocks, ...]
    tags: tuple[int, ...]
    unit: str = "shuffle"

    @property
    def count(self) -> int:
        """How many distinct relabellings of all sets together there are."""
        return math.prod(each.count for each in self.sets)

    def every(self) -> ProductOfSets:
        """Return all of them."""
        return ProductOfSets(tuple(each.every() for each in self.sets))

    def drawn(self, count: int, seed: int) -> ShuffledSets:
        """Return ``count`` of them at random, the same ones for the same seed."""
        keys = (int(stream_key(seed ^ tag, 0)) for tag in self.tags)
        return ShuffledSets(
            tuple(
                each.drawn(count, key) for each, key in zip(self.sets, keys, strict=True)
            )
        )


class _Sets:
    """Relabellings of several sets, whose runs stand side by side."""

    sets: tuple[Relabellings, ...]

    @cached_property
    def labels(self) -> Integers:
        """The observed labels of all sets; (n_runs of all sets,)."""
        return np.concatenate([each.labels for each in self.sets])

    @cached_property
    def blocks(self) -> Integers:
        """The block of each run, counted in its set; (n_runs of all sets,)."""
        return np.concatenate([each.blocks for each in self.sets])


@dataclass(frozen=True, eq=False)
class ShuffledSets(_Sets):
    """Random relabellings of several sets, each from a stream of its own."""

    sets: tuple[Shuffles, ...] = field(repr=False)

    @property
    def count(self) -> int:
        """How many relabellings there are in all batches."""
        return self.sets[0].count

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch; (BATCH or fewer, n_runs of all sets)."""
        labels = [
            cached_batch(
                ("of a set", each.seed, number, each.shape),
                partial(_by_run, each, number),
            )
            for each in self.sets
        ]
        # The labels of a set are one piece of memory, which is quick to copy and to look up.
        return np.concatenate(labels).T[: self.count - number * BATCH]


def _by_run(shuffles: Shuffles, number: int) -> Integers:
    """Draw a batch, a run a row, in as few bytes as possible: batches of many sets are large."""
    return np.ascontiguousarray(shuffles.draw(number).T, dtype=np.int8)


@dataclass(frozen=True, eq=False)
class ProductOfSets(_Sets):
    """Every relabelling of one set with every one of the others."""

    sets: tuple[Enumeration, ...] = field(repr=False)

    @cached_property
    def count(self) -> int:
        """The number of distinct relabellings."""
        return math.prod(each.count for each in self.sets)

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch; (BATCH or fewer, n_runs of all sets)."""
        ranks = np.arange(number * BATCH, min((number + 1) * BATCH, self.count))
        parts = []
        for each in self.sets:
            ranks, own = np.divmod(ranks, each.count)
            parts.append(each.ranked(own))
        return np.hstack(parts)

"""Relabellings of several tables at once: any of one table goes with any of another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.relabelling.cache import cached_batch
from curvewise.kernels.relabelling.streams import (
    BATCH,
    random_words,
    stream_key,
    unit_interval,
)

if TYPE_CHECKING:
    from curvewise.kernels import Integers

__all__ = ["Products"]


@dataclass(frozen=True)
class _Ranks:
    """Batches of ranks, (BATCH or fewer, n_tables): which relabelling each table has."""

    counts: tuple[int, ...]
    count: int
    seed: int | None  # None for all of them, in order

    @property
    def labels(self) -> Integers:
        """One place for each table."""
        return np.zeros(len(self.counts), dtype=np.int64)

    @property
    def blocks(self) -> Integers:
        """Every table is shuffled by itself."""
        return np.arange(len(self.counts))

    def batch(self, number: int) -> Integers:
        """Return the ranks of one batch."""
        left = self.count - number * BATCH
        if self.seed is None:
            return self._in_order(number)[:left]
        key = ("products", self.seed, number, self.counts)
        return cached_batch(key, partial(self._at_random, number))[:left]

    def _in_order(self, number: int) -> Integers:
        ranks = np.arange(number * BATCH, min((number + 1) * BATCH, self.count))
        places = []
        for count in self.counts:
            ranks, place = np.divmod(ranks, count)
            places.append(place)
        return np.stack(places, axis=1)

    def _at_random(self, number: int) -> Integers:
        assert self.seed is not None  # noqa: S101 (asked only of those with a seed)
        n_tables = len(self.counts)
        words = random_words(stream_key(self.seed, number), 0, BATCH * n_tables)
        chances = unit_interval(words).reshape(BATCH, n_tables)
        return (chances * np.array(self.counts)).astype(np.int64)


@dataclass(frozen=True)
class Products:
    """The relabellings of several tables, each table's by its rank among ``counts``."""

    counts: tuple[int, ...]
    unit: str = "shuffle"

    @property
    def count(self) -> int:
        """How many distinct relabellings are allowed, the observed one among them."""
        return math.prod(self.counts)

    def every(self) -> _Ranks:
        """Return all of them."""
        return _Ranks(self.counts, self.count, None)

    def drawn(self, count: int, seed: int) -> _Ranks:
        """Return ``count`` of them at random, the same ones for the same seed."""
        return _Ranks(self.counts, count, seed)

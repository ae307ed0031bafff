"""Relabellings inside batches: those of a batch never change when later batches come."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.requirements import random_keys
from curvewise.kernels.relabelling.restriction import WithinBlocks
from curvewise.kernels.relabelling.streams import BATCH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Integers

__all__ = ["all_relabellings", "drawn_relabellings"]


def drawn_relabellings(
    batches: Sequence[Integers], n_shuffles: int, seed: int
) -> tuple[list[Integers], int]:
    """Return the labels of the runs so far at each look, and which row was observed.

    ``batches`` has the labels, 0 or 1, of the runs of each batch. The first row is what was
    observed, the others are drawn; the part of a batch comes from a stream of its own, and is
    the same at all later looks; (n_shuffles + 1, n_runs so far).
    """
    looks: list[Integers] = []
    for number, labels in enumerate(batches):
        (key,) = random_keys([seed, number], 1)
        drawn = WithinBlocks(labels, np.zeros_like(labels)).drawn(n_shuffles, key)
        own = [drawn.batch(part) for part in range(-(-n_shuffles // BATCH))]
        looks.append(np.hstack([*looks[-1:], np.vstack([labels, *own])]))
    return looks, 0


def all_relabellings(batches: Sequence[Integers]) -> tuple[list[Integers], int]:
    """Return all labels of the runs so far at each look, and which of the last was observed.

    Each of a look is followed by as many of the next one as there are ways to label the next
    batch, so that those of the last look that it begins stand next to each other.
    """
    looks: list[Integers] = []
    observed, before = 0, np.empty((1, 0), dtype=np.int64)
    for labels in batches:
        chosen = list(combinations(range(len(labels)), int(np.sum(labels == 0))))
        own = np.ones((len(chosen), len(labels)), dtype=np.int64)
        np.put_along_axis(own, np.array(chosen, dtype=np.int64), 0, axis=1)
        place = int(np.flatnonzero((own == labels).all(axis=1))[0])
        observed = observed * len(own) + place
        before = np.hstack(
            [np.repeat(before, len(own), axis=0), np.tile(own, (len(before), 1))]
        )
        looks.append(before)
    return looks, observed

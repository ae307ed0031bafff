"""Random relabellings, the same ones whoever draws them and in whatever portions.

Shuffles come in batches of a fixed size. Batch b under a seed is drawn from a stream of
its own, keyed by (seed, b), so shuffle s is the same for every chunk size, thread count,
process and machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Integers

__all__ = ["BATCH", "Shuffles"]

BATCH = 1_024


@dataclass(frozen=True, eq=False)
class Shuffles:
    """``count`` random relabellings of the runs, shuffled inside their blocks."""

    labels: Integers = field(repr=False)
    blocks: Integers = field(repr=False)
    count: int
    seed: int

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch of shuffles; (BATCH or fewer, n_runs)."""
        stream = np.random.Generator(
            np.random.Philox(key=np.array([self.seed, number], dtype=np.uint64))
        )
        relabelled = np.empty((BATCH, len(self.labels)), dtype=np.int64)
        for block in np.unique(self.blocks):
            inside = np.flatnonzero(self.blocks == block)
            copies = np.tile(self.labels[inside], (BATCH, 1))
            relabelled[:, inside] = stream.permuted(copies, axis=1)
        # A whole batch is always drawn, so that asking for fewer changes none of them.
        return relabelled[: self.count - number * BATCH]

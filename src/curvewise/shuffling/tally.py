"""What finished chunks of work gave: counts added up, and values kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = ["Measured", "Tally"]

# Counts that are added up, and values that are joined along their last axis.
Measured = tuple[tuple["Integers", ...], tuple["Floats", ...]]


@dataclass
class Tally:
    """Counts of the chunks done so far, and what is kept of each, by its first item.

    Integers add up to the same whatever their order, and what is kept is joined in the order of
    the chunks: so no number of jobs changes a digit.
    """

    done: set[tuple[int, int]] = field(default_factory=set)
    counts: list[Integers] = field(default_factory=list)
    kept: dict[int, tuple[Floats, ...]] = field(default_factory=dict)

    def add(self, chunk: range, measured: Measured) -> None:
        """Add what a chunk gave."""
        counts, kept = measured
        if not self.counts:
            self.counts = [np.array(part) for part in counts]
        else:
            for total, part in zip(self.counts, counts, strict=True):
                np.add(total, part, out=total)
        if kept:
            self.kept[chunk.start] = kept
        self.done.add((chunk.start, chunk.stop))

    def joined(self) -> tuple[Floats, ...]:
        """Return what was kept, in order."""
        parts = [self.kept[start] for start in sorted(self.kept)]
        return tuple(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))

"""Random words in batches, in the place of relabellings: for tests that draw tables anew.

A draw is a row of 64-bit words, the same for every caller whatever the portions they are drawn
in. What is made of the words is the business of the statistic.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import OptionError
from curvewise.kernels.relabelling.streams import (
    BATCH,
    random_words,
    stream_key,
    unit_interval,
)

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = ["N_STREAMS", "RandomDraws", "Words", "chances"]

N_STREAMS = 2**63  # seeds, and with them different sets of draws


@dataclass(frozen=True, eq=False)
class Words:
    """``count`` rows of ``width`` random words; ``labels`` and ``blocks`` are as observed."""

    labels: Integers = field(repr=False)
    blocks: Integers = field(repr=False)
    count: int
    seed: int
    width: int

    def batch(self, number: int) -> Integers:
        """Return the words of one batch; (BATCH or fewer, width)."""
        words = random_words(stream_key(self.seed, number), 0, BATCH * self.width)
        rows = words.view(np.int64).reshape(BATCH, self.width)
        return rows[: self.count - number * BATCH]


@dataclass(frozen=True, eq=False)
class RandomDraws:
    """Draws that cannot be enumerated, in the form of a `Restriction`."""

    labels: Integers = field(repr=False)
    blocks: Integers = field(repr=False)
    width: int
    count: int = N_STREAMS
    unit: str = "draw"

    def every(self) -> Words:
        """Refuse: there is no list of all draws."""
        msg = "Random draws cannot be listed one by one."
        raise OptionError(msg, option="exact")

    def drawn(self, count: int, seed: int) -> Words:
        """Return ``count`` draws, the same ones for the same seed."""
        return Words(self.labels, self.blocks, count, seed, self.width)


def chances(words: Integers) -> Floats:
    """Turn words into numbers between 0 and 1, neither of them included."""
    return np.minimum(unit_interval(words.view(np.uint64)) + 2.0**-54, 1 - 2.0**-53)

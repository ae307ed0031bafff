"""Two algorithms' relabellings as bits: a run is in the first group if its bit is set.

A random word seldom has just the right number of bits. So all but a few bits are drawn
freely, and the last few are looked up among those that complete the number: of the
completions there are at most as many as the table's fullest row, and a number beyond those
there are is drawn again. Every labelling has the same chance. Of 2 × 10 runs 70 % of the
candidates serve, three to a word; of 2 × 20 runs half of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.streams import stream_key, words

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Integers
    from curvewise.kernels.streams import Words

__all__ = ["MaskRule"]

# A table of 2⁹ completions stays in the nearest cache, and its rows nearly fill 2⁷.
N_LOOKED_UP = 9
MOST_RUNS = 60


@dataclass(frozen=True, eq=False)
class MaskRule:
    """How masks of ``n_runs`` bits, ``n_first`` of them set, are made from words."""

    n_runs: int
    n_first: int
    n_free: int  # bits that are drawn
    n_index: int  # bits that choose the completion
    per_word: int  # candidates in a word
    starts: Integers  # where, for 0, 1, … free bits set, their completions begin
    counts: Integers  # and how many there are
    completions: Words

    @classmethod
    def of(cls, n_runs: int, n_first: int) -> MaskRule | None:
        """Return the rule, or None where too few words would serve."""
        if n_runs > MOST_RUNS:
            return None
        looked_up = min(N_LOOKED_UP, n_runs)
        n_free = n_runs - looked_up
        fullest = math.comb(looked_up, looked_up // 2)
        n_index = max((fullest - 1).bit_length(), 1)
        per_word = 64 // (n_free + n_index)
        served = per_word * math.comb(n_runs, n_first) / 2 ** (n_free + n_index)
        if served < 1 / 16:
            return None
        numbers = np.arange(2**looked_up, dtype=np.uint64)
        n_bits = np.bitwise_count(numbers)
        lacking = n_first - np.arange(n_free + 1)
        order = np.argsort(n_bits, kind="stable")
        # Numbers that complete nothing may point beyond the last completion.
        completions = np.zeros(2**looked_up + 2**n_index, dtype=np.uint64)
        completions[: 2**looked_up] = numbers[order] << np.uint64(n_free)
        return cls(
            n_runs,
            n_first,
            n_free,
            n_index,
            per_word,
            np.searchsorted(n_bits[order], np.clip(lacking, 0, looked_up)).astype(
                np.int64
            ),
            np.array([np.sum(n_bits == lack) for lack in lacking], dtype=np.int64),
            completions,
        )

    def draw(self, seed: int, batch: int, count: int) -> Words:
        """Return the first ``count`` masks of a batch."""
        key = stream_key(seed, batch)
        found: list[Words] = []
        n_found = start = 0
        while n_found < count:
            masks = self._served(words(key, start, count))
            found.append(masks)
            n_found += len(masks)
            start += count
        return np.concatenate(found)[:count]

    def _served(self, drawn: Words) -> Words:
        width = self.n_free + self.n_index
        shifts = np.arange(self.per_word, dtype=np.uint64) * np.uint64(width)
        candidates = ((drawn[:, None] >> shifts) & np.uint64(2**width - 1)).ravel()
        free = candidates & np.uint64(2**self.n_free - 1)
        index = (candidates >> np.uint64(self.n_free)).astype(np.int64)
        n_set = np.bitwise_count(free)
        serves = index < self.counts[n_set]
        place = self.starts[n_set[serves]] + index[serves]
        return free[serves] | self.completions[place]

    def labels(self, masks: Words) -> Integers:
        """Turn masks into labels, 0 for the first group and 1 for the second."""
        bits: npt.NDArray[np.uint64] = np.arange(self.n_runs, dtype=np.uint64)
        return 1 - ((masks[:, None] >> bits) & np.uint64(1)).astype(np.int64)

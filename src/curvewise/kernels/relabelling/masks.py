"""Random relabellings of two algorithms as bits: a run is in the smaller group if its bit is set.

A random word seldom has just the right number of bits set. So a candidate of n_free + n_index
bits is cut from a word: its lower bits are the free bits of the mask, and its upper bits are
an index into a table of completions, the values of the last N_LOOKED_UP bits that bring the
number of set bits to the size of that group. How many completions there are depends on how many
free bits are set; an index beyond them is rejected, and the next candidate is taken. Each mask is
made by exactly one candidate, so every labelling has the same chance. Of 2 × 10 runs 70 % of
the candidates are accepted, and a word has three of them; of 2 × 20 runs half are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.relabelling.streams import random_words, stream_key

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Integers
    from curvewise.kernels.relabelling.streams import RandomWords

__all__ = ["MaskRule"]

# A table of 2⁹ completions stays in the nearest cache, and its largest class nearly fills
# an index of 7 bits: 126 of the 128 values are used.
N_LOOKED_UP = 9
MAX_RUNS_IN_MASK = 60
MIN_ACCEPTED_PER_WORD = 1 / 16  # below this, drawing runs one by one is faster


@dataclass(frozen=True, eq=False)
class MaskRule:
    """How masks of ``n_runs`` bits, ``n_set`` of them set, are made from random words.

    ``marked`` is the label of the runs whose bits are set: that of the smaller group, so that
    masks do not depend on which group comes first.
    """

    n_runs: int
    n_set: int
    marked: int
    n_free: int  # bits that are drawn
    n_index: int  # bits that choose the completion
    per_word: int  # candidates in a word
    starts: Integers  # where, for 0, 1, … free bits set, their completions begin
    counts: Integers  # and how many there are
    completions: RandomWords

    @classmethod
    def of(cls, n_runs: int, n_first: int) -> MaskRule | None:
        """Return the rule for so many runs of the first group.

        None where too few candidates would be accepted.
        """
        marked = 0 if 2 * n_first <= n_runs else 1
        n_set = min(n_first, n_runs - n_first)
        if n_runs > MAX_RUNS_IN_MASK:
            return None
        looked_up = min(N_LOOKED_UP, n_runs)
        n_free = n_runs - looked_up
        # The index must reach the last of the most frequent completions.
        largest_class = math.comb(looked_up, looked_up // 2)
        n_index = max((largest_class - 1).bit_length(), 1)
        per_word = 64 // (n_free + n_index)
        accepted = per_word * math.comb(n_runs, n_set) / 2 ** (n_free + n_index)
        if accepted < MIN_ACCEPTED_PER_WORD:
            return None
        numbers = np.arange(2**looked_up, dtype=np.uint64)
        n_bits = np.bitwise_count(numbers)
        n_missing = n_set - np.arange(n_free + 1)
        # Sorted by their number of bits, the completions of one class are neighbours.
        order = np.argsort(n_bits, kind="stable")
        # Compiled code reads the table before it knows whether the index is accepted, so
        # the table is longer than there are completions.
        completions = np.zeros(2**looked_up + 2**n_index, dtype=np.uint64)
        completions[: 2**looked_up] = numbers[order] << np.uint64(n_free)
        starts = np.searchsorted(n_bits[order], np.clip(n_missing, 0, looked_up))
        return cls(
            n_runs,
            n_set,
            marked,
            n_free,
            n_index,
            per_word,
            starts.astype(np.int64),
            # None where more bits are set than wanted, or more are missing than looked up.
            np.array([np.sum(n_bits == n) for n in n_missing], dtype=np.int64),
            completions,
        )

    def draw(self, seed: int, batch: int, count: int) -> RandomWords:
        """Return the first ``count`` masks of a batch."""
        key = stream_key(seed, batch)
        found: list[RandomWords] = []
        n_found = start = 0
        while n_found < count:
            masks = self._accepted(random_words(key, start, count))
            found.append(masks)
            n_found += len(masks)
            start += count
        return np.concatenate(found)[:count]

    def _accepted(self, words: RandomWords) -> RandomWords:
        """Return the masks of the accepted candidates, in the order of the words."""
        # A word holds several candidates, the first in its lowest bits.
        width = self.n_free + self.n_index
        shifts = np.arange(self.per_word, dtype=np.uint64) * np.uint64(width)
        candidates = ((words[:, None] >> shifts) & np.uint64(2**width - 1)).ravel()
        free = candidates & np.uint64(2**self.n_free - 1)
        index = (candidates >> np.uint64(self.n_free)).astype(np.int64)
        n_set = np.bitwise_count(free)
        accepted = index < self.counts[n_set]
        # Completions are stored shifted by n_free, so that a bitwise or puts them in place.
        place = self.starts[n_set[accepted]] + index[accepted]
        return free[accepted] | self.completions[place]

    def labels(self, masks: RandomWords) -> Integers:
        """Turn masks into labels, 0 for the first group and 1 for the second."""
        bits: npt.NDArray[np.uint64] = np.arange(self.n_runs, dtype=np.uint64)
        is_set = ((masks[:, None] >> bits) & np.uint64(1)).astype(np.int64)
        return is_set if self.marked == 1 else 1 - is_set

"""Random words by number: the same ones in NumPy and in compiled code.

SplitMix64 (Steele, Lea & Flood 2014): word j of a stream is a mixing function of key plus j
times a constant, so words can be had in any order and in any number at a time. Shuffles come
in batches of a fixed size; batch b under a seed has a stream of its own.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = [
    "BATCH",
    "GOLDEN_GAMMA",
    "MIX_FACTOR_1",
    "MIX_FACTOR_2",
    "RandomWords",
    "random_halves",
    "random_words",
    "stream_key",
    "unit_interval",
]

BATCH = 1_024  # shuffles
# The constants of SplitMix64: the increment of the counter, and the factors of the mixing.
GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_FACTOR_2 = np.uint64(0x94D049BB133111EB)

RandomWords = npt.NDArray[np.uint64]


def _mixed(values: RandomWords) -> RandomWords:
    values = (values ^ (values >> np.uint64(30))) * MIX_FACTOR_1
    values = (values ^ (values >> np.uint64(27))) * MIX_FACTOR_2
    return values ^ (values >> np.uint64(31))


def stream_key(seed: int, batch: int) -> np.uint64:
    """Return the key of the stream of one batch."""
    number = np.array([batch], dtype=np.uint64)
    # The batch is mixed before it meets the seed, so that neighbouring seeds and batches
    # do not share streams.
    return np.uint64(
        _mixed(np.array([seed], dtype=np.uint64) ^ _mixed(number * GOLDEN_GAMMA))[0]
    )


def random_words(key: np.uint64, start: int, count: int) -> RandomWords:
    """Return ``count`` words of a stream, from number ``start`` on."""
    numbers = np.arange(start + 1, start + count + 1, dtype=np.uint64)
    return _mixed(key + numbers * GOLDEN_GAMMA)


def random_halves(key: np.uint64, n_rows: int, n_each: int) -> RandomWords:
    """Return rows of numbers of 32 bits: the halves of words, the lower one first.

    A row begins with a new word, so an odd number leaves half a word unused.
    """
    n_words = -(-n_each // 2)
    words = random_words(key, 0, n_rows * n_words)
    halves = np.stack([words & np.uint64(2**32 - 1), words >> np.uint64(32)], axis=1)
    return halves.reshape(n_rows, 2 * n_words)[:, :n_each]


def unit_interval(words: RandomWords) -> npt.NDArray[np.float64]:
    """Turn words into numbers from 0 up to, and without, 1: 53 bits are all a float holds."""
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53

"""Random words that anyone can draw: the same ones in NumPy and in compiled code.

SplitMix64 (Steele, Lea & Flood 2014): word j of a stream is a mixing function of key plus j
times a constant, so words can be had in any order and in any number at a time. Shuffles come
in batches of a fixed size; batch b under a seed has a stream of its own.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["BATCH", "FIRST", "GOLDEN", "SECOND", "Words", "stream_key", "words"]

BATCH = 1_024
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)

Words = npt.NDArray[np.uint64]


def _mixed(values: Words) -> Words:
    values = (values ^ (values >> np.uint64(30))) * FIRST
    values = (values ^ (values >> np.uint64(27))) * SECOND
    return values ^ (values >> np.uint64(31))


def stream_key(seed: int, batch: int) -> np.uint64:
    """Return the key of the stream of one batch."""
    place = np.array([batch], dtype=np.uint64)
    return np.uint64(
        _mixed(np.array([seed], dtype=np.uint64) ^ _mixed(place * GOLDEN))[0]
    )


def words(key: np.uint64, start: int, count: int) -> Words:
    """Return some words of a stream, from number ``start`` on."""
    places = np.arange(start + 1, start + count + 1, dtype=np.uint64)
    return _mixed(key + places * GOLDEN)

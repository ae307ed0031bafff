"""Random streams: one for each purpose and place, shared with no other."""

from __future__ import annotations

import zlib

import numpy as np

__all__ = ["stream"]


def stream(seed: int, purpose: str, *places: int) -> np.random.Generator:
    """Return the random numbers of a purpose, such as "piater1997: training", at a place.

    NumPy takes no notice of zeros at the end of a seed: [7, 0] is 7. Hence the 1. The seed
    itself is left to the curves that are stored.
    """
    return np.random.default_rng([seed, zlib.crc32(purpose.encode()), *places, 1])

"""Independent random streams, one for each purpose and position."""

from __future__ import annotations

import zlib

import numpy as np

__all__ = ["stream"]


def stream(seed: int, purpose: str, *positions: int) -> np.random.Generator:
    """Return the generator of a purpose, such as "piater1997: training", at a position.

    NumPy ignores trailing zeros of a seed, so that [7, 0] equals 7; the final 1 keeps
    positions 0 distinct. No stream equals ``default_rng(seed)`` itself, which made the
    stored curves.
    """
    return np.random.default_rng([seed, zlib.crc32(purpose.encode()), *positions, 1])

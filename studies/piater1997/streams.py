"""Random streams: one for each purpose and place, so that no two share a number."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

__all__ = ["Purpose", "stream"]


class Purpose(IntEnum):
    """What random numbers are drawn for; the last word of a stream's seed."""

    TRAINING = 0
    DEALING = 1
    SHUFFLING = 2
    POWER = 3
    PICTURE = 4


def stream(purpose: Purpose, seed: int, *places: int) -> np.random.Generator:
    """Return the random numbers of one purpose at one place.

    NumPy takes no notice of zeros at the end of a seed: [1997, 0] is 1997. Only training
    has the purpose 0, so no other stream is one of its own.
    """
    return np.random.default_rng([seed, *places, purpose])

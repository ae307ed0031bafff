"""What claims and tables share: the level, the band, ranges of numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from studies.piater1998.closed_form import ALPHA, N_SPLITS

__all__ = ["BAND", "NOMINAL", "span", "told"]

NOMINAL = ALPHA * N_SPLITS
BAND = 60  # within which a closed form is said to predict a count

Floats = npt.NDArray[np.float64]


def span(values: Floats, form: str = ".0f") -> str:
    """Return the least and the greatest of some numbers, or one if they look alike."""
    low, high = format(values.min(), form), format(values.max(), form)
    return low if low == high else f"{low} to {high}"


def told(count: int, thing: str) -> str:
    """Return how many things there are, in words that fit the number."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"

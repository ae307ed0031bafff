"""Text and constants shared by the claims, tables and pictures."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from studies.piater1998.closed_form import ALPHA, N_SPLITS

__all__ = ["NOMINAL", "TOLERANCE", "plural", "span"]

NOMINAL = ALPHA * N_SPLITS  # rejections of a test that keeps its level
TOLERANCE = 60  # a closed form predicts a count if it is at most this far from it

Floats = npt.NDArray[np.float64]


def span(values: Floats, form: str = ".0f") -> str:
    """Return "lowest to highest", or one number if both are formatted alike."""
    low, high = format(values.min(), form), format(values.max(), form)
    return low if low == high else f"{low} to {high}"


def plural(count: int, thing: str) -> str:
    """Return the count with its noun, plural unless the count is 1."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"

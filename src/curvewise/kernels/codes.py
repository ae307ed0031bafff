"""Codes: small non-negative integers that stand for the names of algorithms and blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Integers

__all__ = ["distinct"]


def distinct(codes: Integers) -> Integers:
    """Return the codes that occur, in rising order.

    The same as `numpy.unique`, which imports masked arrays and so takes longer, the first time,
    than a comparison takes to run.

    >>> distinct(np.array([2, 0, 2, 5])).tolist()
    [0, 2, 5]
    """
    return np.flatnonzero(np.bincount(codes))

"""p-values adjusted for how many of them were looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = ["holm"]


def holm(pvalues: Floats) -> Floats:
    """Adjust so that the chance of any false alarm stays at alpha (Holm 1979).

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(pvalues, kind="stable")
    factors = np.arange(len(pvalues), 0, -1)
    stepped = np.maximum.accumulate(np.minimum(pvalues[order] * factors, 1.0))
    adjusted = np.empty_like(stepped)
    adjusted[order] = stepped
    return adjusted

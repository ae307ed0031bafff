"""Millions of ANOVAs of two halves of one set of curves, as matrix products.

The studies of error rates test the same curves in thousands of splits. Whatever the split,
shuffling it gives the same relabellings of the same curves, so F of many relabellings is one
matrix product. `tests/studies/test_anovas.py` holds this to `curvewise.compare`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Ratios", "f_ratios", "random_halves"]

Floats = npt.NDArray[np.float64]


class Ratios(NamedTuple):
    """F of every relabelling: both effects, by the papers' pooled and the split error."""

    algorithm_pooled: Floats
    interaction_pooled: Floats
    algorithm_split: Floats
    interaction_split: Floats


def random_halves(n_runs: int, count: int, rng: np.random.Generator) -> Floats:
    """Return ``count`` random choices of half of the runs, as rows of 0 and 1."""
    order = np.argsort(rng.random((count, n_runs)), axis=1)
    return np.asarray((order < n_runs // 2).astype(np.float64))


def f_ratios(curves: Floats, halves: Floats) -> Ratios:
    """Return F of the runs chosen against the others, for each row of ``halves``."""
    n_runs, n_steps = curves.shape
    deviations = curves - curves.mean(axis=0)
    heights = deviations.mean(axis=1)
    n_first = halves.sum(axis=1)
    scale = 1 / n_first + 1 / (n_runs - n_first)
    sums = halves @ deviations
    both = np.einsum("ij,ij->i", sums, sums) * scale
    algorithm = sums.sum(axis=1) ** 2 / n_steps * scale
    interaction = both - algorithm
    total = float(np.sum(deviations**2))
    total_heights = n_steps * float(np.sum(heights**2))
    spare = n_runs - 2
    pooled = (total - both) / (n_steps * spare)
    curves_ms = (total_heights - algorithm) / spare
    residual = (total - total_heights - interaction) / (spare * (n_steps - 1))
    return Ratios(
        algorithm / pooled,
        interaction / (n_steps - 1) / pooled,
        algorithm / curves_ms,
        interaction / (n_steps - 1) / residual,
    )

"""Millions of ANOVAs of two halves of one set of curves, as matrix products.

The studies of error rates test the same curves in thousands of splits. Whatever the split,
shuffling it gives the same relabellings of the same curves, so F of many relabellings is one
matrix product. `tests/studies/test_anovas.py` holds this to `curvewise.compare`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Ratios", "f_ratios", "f_ratios_along", "random_halves"]

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


def f_ratios_along(
    curves: Floats, change: Floats, factors: Sequence[float], halves: Floats
) -> Floats:
    """Return the pooled F of ``curves + factor * change``; (effects, factors, halves).

    All sums are linear in the factor and all squares quadratic, so that one more factor
    costs no matrix product.
    """
    n_runs, n_steps = curves.shape
    start, slope = curves - curves.mean(axis=0), change - change.mean(axis=0)
    n_first = halves.sum(axis=1)
    scale = 1 / n_first + 1 / (n_runs - n_first)
    at_start, sloping = halves @ start, halves @ slope
    factor = np.asarray(factors, dtype=np.float64)[:, None]

    def square(first: Floats, second: Floats, subscripts: str) -> Floats:
        """Return the sum of squares of ``first + factor * second``."""
        parts = (first, first), (first, second), (second, second)
        constant, linear, quadratic = (np.einsum(subscripts, *part) for part in parts)
        return np.asarray(constant + factor * (2 * linear + factor * quadratic))

    total = square(start, slope, "ij,ij->")
    both = square(at_start, sloping, "ij,ij->i") * scale
    heights = at_start.sum(axis=1) + factor * sloping.sum(axis=1)
    algorithm = heights**2 / n_steps * scale
    pooled = (total - both) / (n_steps * (n_runs - 2))
    return np.array([algorithm, (both - algorithm) / (n_steps - 1)]) / pooled

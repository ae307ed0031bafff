"""F ratios of many relabellings of one set of curves, as one matrix product.

The studies of error rates test the same curves in thousands of random splits and shuffles.
Each of them only changes which curves belong to the first group, so F of all of them follows
from the product of a 0/1 matrix with the curves. `tests/studies/test_anovas.py` checks the
results against `curvewise.compare`.
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
    """F of each relabelling, for both effects and for the pooled and the split error term."""

    algorithm_pooled: Floats
    interaction_pooled: Floats
    algorithm_split: Floats
    interaction_split: Floats


def random_halves(n_runs: int, count: int, rng: np.random.Generator) -> Floats:
    """Return ``count`` random choices of half of the runs: rows of 0 and 1, 1 for chosen."""
    order = np.argsort(rng.random((count, n_runs)), axis=1)
    return np.asarray((order < n_runs // 2).astype(np.float64))


def f_ratios(curves: Floats, halves: Floats) -> Ratios:
    """Return F of the chosen runs against the others, for each row of ``halves``."""
    n_runs, n_steps = curves.shape
    deviations = curves - curves.mean(axis=0)
    heights = deviations.mean(axis=1)
    n_first = halves.sum(axis=1)
    scale = 1 / n_first + 1 / (n_runs - n_first)
    group_sums = halves @ deviations
    ss_effects = np.einsum("ij,ij->i", group_sums, group_sums) * scale
    ss_algorithm = group_sums.sum(axis=1) ** 2 / n_steps * scale
    ss_interaction = ss_effects - ss_algorithm
    ss_total = float(np.sum(deviations**2))
    ss_heights = n_steps * float(np.sum(heights**2))
    df_curves = n_runs - 2
    ms_pooled = (ss_total - ss_effects) / (n_steps * df_curves)
    ms_curves = (ss_heights - ss_algorithm) / df_curves
    ms_residual = (ss_total - ss_heights - ss_interaction) / (df_curves * (n_steps - 1))
    return Ratios(
        ss_algorithm / ms_pooled,
        ss_interaction / (n_steps - 1) / ms_pooled,
        ss_algorithm / ms_curves,
        ss_interaction / (n_steps - 1) / ms_residual,
    )


def f_ratios_along(
    curves: Floats, change: Floats, factors: Sequence[float], halves: Floats
) -> Floats:
    """Return the pooled F of ``curves + factor * change``; (effects, factors, halves).

    Group sums are linear in the factor and their squares quadratic, so the matrix products
    are computed once for all factors.
    """
    n_runs, n_steps = curves.shape
    start, slope = curves - curves.mean(axis=0), change - change.mean(axis=0)
    n_first = halves.sum(axis=1)
    scale = 1 / n_first + 1 / (n_runs - n_first)
    start_sums, slope_sums = halves @ start, halves @ slope
    factor = np.asarray(factors, dtype=np.float64)[:, None]

    def sum_of_squares(first: Floats, second: Floats, subscripts: str) -> Floats:
        """Return the sum of squares of ``first + factor * second``."""
        parts = (first, first), (first, second), (second, second)
        constant, linear, quadratic = (np.einsum(subscripts, *part) for part in parts)
        return np.asarray(constant + factor * (2 * linear + factor * quadratic))

    ss_total = sum_of_squares(start, slope, "ij,ij->")
    ss_effects = sum_of_squares(start_sums, slope_sums, "ij,ij->i") * scale
    heights = start_sums.sum(axis=1) + factor * slope_sums.sum(axis=1)
    ss_algorithm = heights**2 / n_steps * scale
    ms_pooled = (ss_total - ss_effects) / (n_steps * (n_runs - 2))
    return np.array([ss_algorithm, (ss_effects - ss_algorithm) / (n_steps - 1)]) / ms_pooled

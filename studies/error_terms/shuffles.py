"""The shuffle test of two algorithms with equal numbers of runs, for both error terms."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from studies.anovas import Ratios, f_ratios, random_halves

__all__ = ["ALPHA", "EFFECTS", "ERRORS", "Design", "all_halves", "p_values", "shuffled_halves"]

Floats = npt.NDArray[np.float64]

ALPHA = 0.05
ERRORS = ("pooled", "split")
EFFECTS = ("algorithm", "interaction")
TIE_TOLERANCE = 1e-9  # relative: equal F may differ by rounding
ZERO_TOLERANCE = 1e-12  # absolute: F of equal means may exceed 0 by rounding


class Design(NamedTuple):
    """Two algorithms with ``n_runs`` runs each; ``n_shuffles`` 0 means all relabellings."""

    n_runs: int
    n_steps: int
    n_shuffles: int

    @property
    def attained(self) -> float:
        """The largest attainable level that does not exceed alpha."""
        if self.n_shuffles:
            return float(np.floor(ALPHA * (1 + self.n_shuffles) + TIE_TOLERANCE)) / (
                1 + self.n_shuffles
            )
        n_distinct = comb(2 * self.n_runs, self.n_runs) // 2
        return float(np.floor(ALPHA * n_distinct)) / n_distinct


def all_halves(n_runs: int) -> Floats:
    """Return all choices of ``n_runs`` out of twice as many runs, the observed one first."""
    chosen = list(combinations(range(2 * n_runs), n_runs))
    halves = np.zeros((len(chosen), 2 * n_runs))
    np.put_along_axis(halves, np.array(chosen), 1.0, axis=1)
    return halves


def shuffled_halves(design: Design, rng: np.random.Generator) -> Floats:
    """Return the observed choice of half of the runs, followed by random ones."""
    observed = np.repeat([[1.0, 0.0]], design.n_runs, axis=1)
    return np.vstack([observed, random_halves(2 * design.n_runs, design.n_shuffles, rng)])


def p_values(curves: Floats, halves: Floats) -> Ratios:
    """Return p of both effects for both error terms; the first row of halves is observed.

    With all relabellings p is exact; with z random ones it is (1 + count) / (1 + z).
    """
    ratios = f_ratios(curves, halves)
    return Ratios(*(np.mean(f >= f[0] * (1 - TIE_TOLERANCE) - ZERO_TOLERANCE) for f in ratios))

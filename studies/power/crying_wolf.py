"""How often common tests find a difference where there is none, and how well `calibrate()` tells.

Smooth curves of 30 steps. Half of ten runs against the other half is an experiment of 5 + 5 runs, so
that the mean rate of ten runs is the true one of such experiments; the standard deviation between
data sets is what one set of runs cannot know.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw
from studies.store import load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["N_RUNS", "crying_wolf", "smooth_curves"]

N_STEPS = 30
N_RUNS = (5, 6, 10, 20)
N_SPLITS = 1_000
LENGTH, OFFSET = 0.075, 0.55  # of the smooth part, and how much of the spread the rest is


def smooth_curves(rng: np.random.Generator, n_runs: int) -> npt.NDArray[np.float64]:
    """Smooth Gaussian process with an offset of the whole run, of variance 1."""
    at = np.arange(1, N_STEPS + 1) / N_STEPS
    covariance = np.exp(-0.5 * ((at[:, None] - at) / LENGTH) ** 2)
    root = np.linalg.cholesky(covariance + 1e-8 * np.eye(N_STEPS))
    curves = rng.normal(size=(n_runs, N_STEPS)) @ root.T
    return np.sqrt(1 - OFFSET**2) * curves + OFFSET * rng.normal(size=(n_runs, 1))


def crying_wolf(n_sets: int, seed: int) -> dict[str, Any]:
    """Return, for each number of runs and procedure, the mean rate and its deviation."""

    def cell(n_runs: int) -> dict[str, list[float]]:
        rates: dict[str, list[float]] = {}
        for number in range(n_sets):
            rng = stream(seed, f"power: wolf {n_runs}", number)
            curves = cw.Curves(smooth_curves(rng, n_runs), ["A"] * n_runs)
            found = cw.calibrate(curves, n_splits=N_SPLITS, rng=number)
            for row in found.rows:
                rates.setdefault(row.procedure, []).append(row.rate)
        return {
            procedure: [float(np.mean(own)), float(np.std(own, ddof=1))]
            for procedure, own in rates.items()
        }

    return {
        str(n_runs): load_or_compute(
            f"power/wolf {n_runs}", {"seed": seed, "n_sets": n_sets}, partial(cell, n_runs)
        )
        for n_runs in N_RUNS
    }

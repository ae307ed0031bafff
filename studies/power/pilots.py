"""How well pilots tell the power for height, and what they promise where nothing differs.

Curves of two algorithms, with heights of standard deviation 1 and some noise at each step; an
experiment of ten runs each, which finds the stated lift in `TRUE_POWER` of all cases.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.store import load_or_compute
from studies.streams import stream

__all__ = ["N_PILOTS", "TRUE_POWER", "pilot_powers"]

Floats = npt.NDArray[np.float64]

N_PILOTS = (3, 5, 10)  # of each algorithm
N_RUNS, N_STEPS, STEP_NOISE = 10, 4, 0.3
LIFT, TRUE_POWER = 0.96, 0.53  # in standard deviations of curve means; by noncentral t
N_EXPERIMENTS, N_SHUFFLES = 200, 99
# How far a simulated end of a range may be off.
SLACK = 0.035


def pilot_powers(n_sets: int, seed: int) -> dict[int, dict[str, float]]:
    """Return what pilots say on average, by how many there are of each algorithm."""
    return {
        n_pilots: load_or_compute(
            f"power/pilots {n_pilots}",
            {"seed": seed, "n_sets": n_sets},
            partial(_cell, n_pilots, n_sets, seed),
        )
        for n_pilots in N_PILOTS
    }


def _cell(n_pilots: int, n_sets: int, seed: int) -> dict[str, float]:
    sd = float(np.sqrt(1 + STEP_NOISE**2 / N_STEPS))
    lift = cw.scenario("lift", LIFT * sd)
    labels = np.repeat(["A", "B"], n_pilots)
    asked: dict[str, Any] = {"n_runs": N_RUNS, "n_experiments": N_EXPERIMENTS}
    estimates, widths, holds, observed, bootstrapped = [], [], [], [], []
    for number in range(n_sets):
        rng = stream(seed, f"power: pilots {n_pilots}", number)
        heights = rng.normal(size=(2 * n_pilots, 1))
        scores = heights + STEP_NOISE * rng.normal(size=(2 * n_pilots, N_STEPS))
        pilots = cw.Curves(scores, labels)
        stated = cw.estimate_power(
            pilots, effect=lift, n_shuffles=N_SHUFFLES, rng=rng, **asked
        ).algorithm
        low, high = stated.range[0, 0].tolist()
        estimates.append(float(stated.power[0, 0]))
        widths.append(high - low)
        holds.append(low - SLACK <= TRUE_POWER <= high + SLACK)
        seen = cw.estimate_power(pilots, effect="observed", n_shuffles=N_SHUFFLES, rng=rng, **asked)
        observed.append(float(seen.algorithm.power[0, 0]))
        bootstrapped.append(_bootstrapped(scores.mean(axis=1), n_pilots, rng))
    return {
        "estimate": float(np.mean(estimates)),
        "holds": float(np.mean(holds)),
        "width": float(np.mean(widths)),
        "observed": float(np.mean(observed)),
        "bootstrapped": float(np.mean(bootstrapped)),
    }


def _bootstrapped(means: Floats, n_pilots: int, rng: np.random.Generator) -> float:
    """Return the power that pilots promise if they are drawn again as they are, by t tests."""
    from scipy.special import stdtrit

    drawn = rng.integers(n_pilots, size=(2, N_EXPERIMENTS, N_RUNS))
    first, second = means[drawn[0]], means[n_pilots + drawn[1]]
    gap = first.mean(axis=1) - second.mean(axis=1)
    variance = (first.var(axis=1, ddof=1) + second.var(axis=1, ddof=1)) / N_RUNS
    critical = float(stdtrit(2 * N_RUNS - 2, 0.975))
    return float(np.mean(gap**2 >= critical**2 * variance))

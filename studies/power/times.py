"""How often a difference in times to a threshold is found, by the log-rank test and by others.

Times are exponential or lognormal, and training ends at a horizon. Beside the test of
`transfer()`: Wilcoxon's with the worst rank for who never gets there, a shuffle test of mean times
with the horizon for who never does, and Welch's t of those who do.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw
from studies.store import load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["SCENARIOS", "TESTS", "times_powers"]

TESTS = ("log-rank", "worst rank (Wilcoxon)", "mean, never = horizon", "Welch t, never left out")
N_RUNS = (5, 10)
ALPHA = 0.05
N_SHUFFLES = 399
# Of the first algorithm and the second: distribution, scale and share that never gets there;
# the spread of logarithms, and the horizon.
Scenario = tuple[str, tuple[float, float], tuple[float, float], float, float]
SCENARIOS: dict[str, Scenario] = {
    "same, 28 % never get there": ("exponential", (1, 1), (0, 0), 0, -math.log(0.28)),
    "twice as fast (exponential times)": (*("exponential", (0.5, 1), (0, 0), 0), -math.log(0.28)),
    "40 % less time (lognormal times)": ("lognormal", (0.6, 1), (0, 0), 0.6, 2.0),
    "as fast, 10 % against 55 % never": ("lognormal", (1, 1), (0.1, 0.55), 0.5, 5.0),
    "fast but 40 % never, slow but sure": ("lognormal", (1, 2), (0.4, 0), 0.3, 5.0),
}


def draw_times(
    rng: np.random.Generator, name: str, n_runs: int
) -> tuple[npt.NDArray[np.float64], float]:
    """Return the times of n + n runs, infinite for never, and the horizon."""
    kind, scales, nevers, spread, horizon = SCENARIOS[name]
    drawn = (
        rng.exponential(size=2 * n_runs)
        if kind == "exponential"
        else np.exp(spread * rng.normal(size=2 * n_runs))
    )
    times = drawn * np.repeat(scales, n_runs)
    times[rng.random(2 * n_runs) < np.repeat(nevers, n_runs)] = np.inf
    times[times > horizon] = np.inf
    return times, horizon


def as_curves(times: npt.NDArray[np.float64], horizon: float) -> cw.Curves:
    """Return curves that jump from 0 to 1 at these times."""
    finite = times[np.isfinite(times)]
    steps = np.unique([*finite, horizon])
    scores = (steps >= times[:, None]).astype(float)
    return cw.Curves(scores, np.repeat(["A", "B"], len(times) // 2), steps)


def pvalues(times: npt.NDArray[np.float64], horizon: float, seed: int) -> list[float]:
    """Return the p of each of TESTS."""
    from scipy.stats import mannwhitneyu, ttest_ind

    n_runs = len(times) // 2
    if not np.isfinite(times).any():
        return [1.0] * len(TESTS)
    found = cw.transfer(
        as_curves(times, horizon),
        control="A",
        experimental="B",
        threshold=1.0,
        n_resamples=0,
        exact=False,
        n_shuffles=N_SHUFFLES,
        rng=seed,
    )
    worst = np.where(np.isfinite(times), times, 10 * horizon)
    ended = np.minimum(times, horizon)
    means = cw.Curves(ended[:, None], np.repeat(["A", "B"], n_runs))
    shuffled = cw.contrast(means, {"A": 1, "B": -1}, n_shuffles=N_SHUFFLES, rng=seed)
    halves = [own[np.isfinite(own)] for own in (times[:n_runs], times[n_runs:])]
    enough = min(map(len, halves)) > 1
    return [
        found.survival.pvalue or 1.0,
        float(mannwhitneyu(worst[:n_runs], worst[n_runs:]).pvalue),
        shuffled.pvalue,
        float(ttest_ind(*halves, equal_var=False).pvalue) if enough else 1.0,
    ]


def times_powers(n_sets: int, seed: int) -> dict[str, Any]:
    """Return, for each scenario and number of runs, how often each test finds a difference."""

    def cell(name: str, n_runs: int) -> list[float]:
        rates = np.zeros(len(TESTS))
        for number in range(n_sets):
            rng = stream(seed, f"power: times {name} {n_runs}", number)
            found = pvalues(*draw_times(rng, name, n_runs), seed=number)
            rates += np.array(found) <= ALPHA
        return (rates / n_sets).tolist()

    return {
        name: {
            str(n_runs): load_or_compute(
                f"power/times {place} {n_runs}",
                {"seed": seed, "n_sets": n_sets},
                partial(cell, name, n_runs),
            )
            for n_runs in N_RUNS
        }
        for place, name in enumerate(SCENARIOS)
    }

"""Processes: kinds of run-to-run variation, each a function that draws curves.

To add a process, write a function (generator, algorithm of each run, number of steps) ->
scores and give it a row in `PROCESSES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PROCESSES", "Process", "Reference"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Example = Literal["tictactoe", "atari"]

N_REFERENCE_RUNS = 40_000
RHO = 0.9
REAL_SPREADS = np.array([1.0, 1.0, 2.0, 4.0, 8.0, 10.0])  # about those of Atari agents


class Reference(NamedTuple):
    """What very many runs of a process tell: the mean curve, and the unit of effects.

    The unit is the spread of the scores at a step, as a standard deviation by the quartiles,
    averaged over steps; the standard deviation itself where the quartiles coincide.
    """

    mean: Floats
    unit: float


@dataclass(frozen=True)
class Process:
    """One kind of variation from run to run.

    Attributes
    ----------
    name : str
    family : str
        The group of processes in which the picture counts it.
    draw : function
        (generator, algorithm of each run, number of steps) -> scores, one row for each run.
    exchangeable : bool
        Whether runs of all algorithms vary alike, so that shuffling them is exact.
    dtype : type
        The type in which the scores are handed over.
    """

    name: str
    family: str
    draw: Callable[[np.random.Generator, Codes, int], Floats]
    exchangeable: bool = True
    dtype: type = np.float64

    def reference(self, n_steps: int) -> Reference:
        """Return the mean curve and unit of the first algorithm's runs."""
        return _reference(self.name, n_steps)


@lru_cache(maxsize=64)
def _reference(name: str, n_steps: int) -> Reference:
    rng = stream(0, f"calibration: reference of {name}", n_steps)
    codes = np.zeros(N_REFERENCE_RUNS + 1, dtype=np.int64)
    codes[-1] = 1
    scores = PROCESSES[name].draw(rng, codes, n_steps)[:-1]
    low, high = np.quantile(scores, [0.25, 0.75], axis=0)
    unit = float(np.mean(high - low)) / 1.349
    if unit == 0:
        unit = float(np.mean(scores.std(axis=0)))
    return Reference(scores.mean(axis=0), unit)


def autoregressive(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """AR(1) with correlation .9 between neighbouring steps, and variance 1."""
    curves = rng.normal(size=(len(codes), n_steps))
    for step in range(1, n_steps):
        curves[:, step] *= np.sqrt(1 - RHO**2)
        curves[:, step] += RHO * curves[:, step - 1]
    return curves


def smooth(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Smooth Gaussian process, and an offset of the whole run."""
    at = np.arange(n_steps) / n_steps
    covariance = np.exp(-0.5 * ((at[:, None] - at) / 0.15) ** 2)
    root = np.linalg.cholesky(covariance + 1e-8 * np.eye(n_steps))
    curves = rng.normal(size=(len(codes), n_steps)) @ root.T
    return 0.7 * curves + 0.7 * rng.normal(size=(len(codes), 1))


def white(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Independent normal scores."""
    return rng.normal(size=(len(codes), n_steps))


def random_walk(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Random walk of normal steps."""
    return rng.normal(size=(len(codes), n_steps)).cumsum(axis=1)


def long_memory(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Fractionally integrated noise with d = .4, from a moving average of 200 terms."""
    n_terms = 200
    lags = np.arange(1, n_terms)
    weights = np.concatenate([[1.0], np.cumprod((lags - 1 + 0.4) / lags)])
    noise = rng.normal(size=(len(codes), n_steps + n_terms - 1))
    windows = np.lib.stride_tricks.sliding_window_view(noise, n_terms, axis=1)
    return np.asarray(windows @ weights[::-1])


def heavy_runs(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """AR(1) whose scale is drawn for each run, so that scores follow t with 2 df."""
    scale = np.sqrt(2 / rng.chisquare(2, size=(len(codes), 1)))
    return scale * autoregressive(rng, codes, n_steps)


def log_normal(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Exponential of AR(1) curves."""
    return np.exp(autoregressive(rng, codes, n_steps))


def cauchy_walk(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Random walks of Cauchy steps around Cauchy heights."""
    heights = rng.standard_cauchy((len(codes), 1))
    return heights + rng.standard_cauchy((len(codes), n_steps)).cumsum(axis=1)


def failing(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Rising curves, of which one in five stays at the floor."""
    at = np.arange(1, n_steps + 1) / n_steps
    curves = 6 * (1 - np.exp(-4 * at)) + autoregressive(rng, codes, n_steps)
    stuck = rng.random((len(codes), 1)) < 0.2
    return np.where(stuck, 0.1 * rng.normal(size=curves.shape), curves)


def reinforcement(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Random onset and asymptote, noise that grows with the score; one run in ten fails."""
    at = np.arange(1, n_steps + 1) / n_steps
    onset = rng.uniform(0.1, 0.5, size=(len(codes), 1))
    asymptote = rng.normal(1.0, 0.2, size=(len(codes), 1))
    asymptote = np.where(rng.random((len(codes), 1)) < 0.1, 0.0, asymptote)
    level = asymptote / (1 + np.exp(-(at - onset) / 0.06))
    noise = autoregressive(rng, codes, n_steps)
    return level + (0.02 + 0.15 * np.abs(level)) * noise


def random_onset(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Sigmoids that begin to rise at a random step."""
    at = np.arange(1, n_steps + 1) / n_steps
    onset = rng.uniform(0.1, 0.9, size=(len(codes), 1))
    return 1 / (1 + np.exp(-(at - onset) / 0.05)) + 0.05 * white(rng, codes, n_steps)


def growing_spread(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """AR(1) whose spread grows tenfold along training."""
    return np.linspace(0.2, 2, n_steps) * autoregressive(rng, codes, n_steps)


def binomial(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Games won out of 100, by runs of different skill that improve."""
    at = np.arange(1, n_steps + 1) / n_steps
    skill = rng.normal(0, 0.5, size=(len(codes), 1)) + 3 * at - 1.5
    return rng.binomial(100, 1 / (1 + np.exp(-skill))).astype(float)


def integer_ties(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Few different whole numbers, sums of zeros and ones: many relabellings tie."""
    return rng.integers(0, 2, size=(len(codes), n_steps)).cumsum(axis=1).astype(float)


def zero_inflated(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Rewards that are 0 in most episodes, in some runs more often than in others."""
    chance = rng.beta(2, 4, size=(len(codes), 1))
    rewards = rng.exponential(size=(len(codes), n_steps))
    return np.where(rng.random((len(codes), n_steps)) < chance, rewards, 0.0)


def large_offset(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """AR(1) about a million, which single precision rounds to sixteenths."""
    return 1e6 + 10 * autoregressive(rng, codes, n_steps)


def real_curves(example: Example, rng: np.random.Generator, codes: Codes, k: int) -> Floats:
    """Draw curves of an embedded example, about the mean of their own algorithm.

    Neighbouring steps are averaged into ``k``, or into as many as there are, the last one
    held. Each drawn curve gets a little noise, so that two draws of one do not tie.
    """
    pool = _residuals(example, k)
    spread = float(pool.std())
    drawn = pool[rng.integers(len(pool), size=len(codes))]
    return drawn + 0.02 * spread * rng.normal(size=drawn.shape)


@lru_cache(maxsize=8)
def _residuals(example: Example, n_steps: int) -> Floats:
    curves = cw.load_example(example)
    parts = np.array_split(np.arange(curves.n_steps), min(n_steps, curves.n_steps))
    binned = np.stack([curves.scores[:, part].mean(axis=1) for part in parts], axis=1)
    binned = np.pad(binned, ((0, 0), (0, n_steps - len(parts))), mode="edge")
    rows = []
    for name in curves.algorithms:
        own = binned[curves.labels == name]
        centred = own - own.mean(axis=0)
        # Each agent to the same spread, or one would decide everything.
        rows.append(centred / centred.std())
    return np.concatenate(rows)


def atari(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Residual curves of DQN and Rainbow on Montezuma's Revenge."""
    return real_curves("atari", rng, codes, n_steps)


def tictactoe(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """Residual curves of TD(0) learning tic-tac-toe."""
    return real_curves("tictactoe", rng, codes, n_steps)


def last_spread_3(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """AR(1); runs of the last algorithm vary three times as much."""
    spread = np.where(codes == codes.max(), 3.0, 1.0)
    return spread[:, None] * autoregressive(rng, codes, n_steps)


def first_spread_3(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """AR(1); runs of the first algorithm vary three times as much."""
    spread = np.where(codes == 0, 3.0, 1.0)
    return spread[:, None] * autoregressive(rng, codes, n_steps)


def first_spread_5(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """AR(1); runs of the first algorithm vary five times as much."""
    spread = np.where(codes == 0, 5.0, 1.0)
    return spread[:, None] * autoregressive(rng, codes, n_steps)


def real_spreads(rng: np.random.Generator, codes: Codes, n_steps: int) -> Floats:
    """AR(1); algorithms vary as 1, 1, 2, 4, 8, 10."""
    return REAL_SPREADS[codes][:, None] * autoregressive(rng, codes, n_steps)


GAUSSIAN, HEAVY = "Gaussian", "heavy tails"
LEARNING, COUNTS = "failing and late runs", "counts and ties"
REAL, UNEQUAL = "real curves", "unequal spread"

PROCESSES: dict[str, Process] = {
    process.name: process
    for process in (
        Process("AR(1)", GAUSSIAN, autoregressive),
        Process("smooth", GAUSSIAN, smooth),
        Process("white", GAUSSIAN, white),
        Process("random walk", GAUSSIAN, random_walk),
        Process("long memory", GAUSSIAN, long_memory),
        Process("growing spread", GAUSSIAN, growing_spread),
        Process("t2 run scale", HEAVY, heavy_runs),
        Process("log-normal", HEAVY, log_normal),
        Process("Cauchy walk", HEAVY, cauchy_walk),
        Process("failing runs", LEARNING, failing),
        Process("RL", LEARNING, reinforcement),
        Process("random onset", LEARNING, random_onset),
        Process("100 games", COUNTS, binomial),
        Process("integer ties", COUNTS, integer_ties),
        Process("zero inflation", COUNTS, zero_inflated),
        Process("float32 offset", COUNTS, large_offset, dtype=np.float32),
        Process("Atari", REAL, atari),
        Process("tic-tac-toe", REAL, tictactoe),
        Process("last spread × 3", UNEQUAL, last_spread_3, exchangeable=False),
        Process("first spread × 3", UNEQUAL, first_spread_3, exchangeable=False),
        Process("first spread × 5", UNEQUAL, first_spread_5, exchangeable=False),
        Process("spreads 1 to 10", UNEQUAL, real_spreads, exchangeable=False),
    )
}

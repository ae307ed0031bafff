"""Logs of two algorithms that are alike in truth: curves that rise, at any schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import curvewise as cw

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["GAPS", "LAST", "SCHEDULES", "Floats", "curve", "gapped_logs", "logs_on"]

Floats = npt.NDArray[np.float64]

LAST = 100_000
N_RUNS = 10


def curve(
    rng: np.random.Generator, *, noise: float = 0.05, level: float | None = None
) -> Callable[[Floats], Floats]:
    """Return a curve that rises to a level at a rate of its own, with noise of its own."""
    top = 1 + 0.2 * rng.normal() if level is None else level
    rate = 30_000 * np.exp(0.2 * rng.normal())
    knots = 0.02 * rng.normal(size=101).cumsum()

    def scores(steps: Floats) -> Floats:
        rise = top * (1 - np.exp(-steps / rate))
        wander = np.interp(steps, np.linspace(0, LAST, 101), knots)
        return np.asarray(rise + wander + noise * rng.normal(size=len(steps)))

    return scores


def _every(spacing: float, last: float = LAST) -> Floats:
    return np.arange(spacing, last + 1, spacing, dtype=np.float64)


def _jittered(rng: np.random.Generator) -> Floats:
    steps = _every(5_000)
    return np.sort(steps + rng.uniform(-1_500, 1_500, size=len(steps)))


def _episodes(rng: np.random.Generator, length: float) -> Floats:
    n_episodes = int(LAST / length)
    lengths = rng.uniform(0.7 * length, 1.3 * length, size=n_episodes)
    return np.asarray(np.cumsum(lengths))


# The steps of a run, by whether it is of A or of B.
SCHEDULES: dict[str, Callable[[np.random.Generator, bool], Floats]] = {
    "same steps": lambda _rng, _is_a: _every(5_000),
    "jittered": lambda rng, _is_a: _jittered(rng),
    "mixed at random": lambda rng, _is_a: _every(rng.choice([1_000, 5_000, 10_000])),
    "A every 1,000, B every 10,000": lambda _rng, is_a: _every(1_000 if is_a else 10_000),
    "A every 1,000, B every 20,000": lambda _rng, is_a: _every(1_000 if is_a else 20_000),
    "episodes: A 200 steps, B 1,500": lambda rng, is_a: _episodes(rng, 200 if is_a else 1_500),
    "B stopped at 60%": lambda _rng, is_a: _every(5_000, LAST if is_a else 0.6 * LAST),
}


# The chance that a score of A, and one of B, is missing.
GAPS: dict[str, tuple[float, float]] = {
    "none": (0, 0),
    "1% of all": (0.01, 0.01),
    "5% of all": (0.05, 0.05),
    "20% of all": (0.2, 0.2),
    "20% of A's, 1% of B's": (0.2, 0.01),
    "30% of A's, none of B's": (0.3, 0),
    "the third of all of A's, none of B's": (0, 0),
}


def gapped_logs(gaps: str, rng: np.random.Generator) -> list[cw.RunLog]:
    """Return ten runs of A and ten of B on the same steps, alike but for scores that are missing."""
    logs = []
    for log in logs_on("same steps", rng):
        is_missing = rng.random(log.n_points) < GAPS[gaps][log.algorithm == "B"]
        is_missing[2] |= gaps.startswith("the third") and log.algorithm == "A"
        steps, scores = log.steps[~is_missing], log.scores[~is_missing]
        logs.append(cw.RunLog(log.algorithm, log.run, log.metric, steps, scores))
    return logs


def logs_on(schedule: str, rng: np.random.Generator) -> list[cw.RunLog]:
    """Return ten runs of A and ten of B, alike but for the schedule."""
    of_episodes = schedule.startswith("episodes")
    logs = []
    for name in "AB":
        for run in range(N_RUNS):
            steps = SCHEDULES[schedule](rng, name == "A")
            scores = curve(rng, noise=0.3 if of_episodes else 0.05)(steps)
            log = cw.RunLog(name, str(run), "score", steps, scores, of_episodes=of_episodes)
            logs.append(log)
    return logs

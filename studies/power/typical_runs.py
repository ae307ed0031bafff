"""Typical runs: power and intervals of the mean, the trimmed mean and ranks, where runs fail.

A pure shift of the first of two algorithms of 30 steps, in standard deviations of a score.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw
from studies.power.first_test import autoregressive, reinforcement
from studies.store import load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.power.first_test import Floats

__all__ = ["CENTERS", "KINDS", "typical_runs_powers"]

CENTERS = ("mean", "trimmed", "ranks")
SHIFTS = {5: 1.5, 10: 1.0}  # by the number of runs
N_SHUFFLES = 199
N_STEPS = 30


def normal(rng: np.random.Generator, n_runs: int) -> Floats:
    """AR(1) with correlation .9, and variance 1."""
    return autoregressive(rng, n_runs)[:, :N_STEPS]


def heavy(rng: np.random.Generator, n_runs: int) -> Floats:
    """Divide each such curve by the root of a χ² with 2 df."""
    return normal(rng, n_runs) / np.sqrt(rng.chisquare(2, size=(n_runs, 1)))


def failing(rng: np.random.Generator, n_runs: int) -> Floats:
    """Lower one in eight of such curves by 3.5."""
    return normal(rng, n_runs) - 3.5 * (rng.random((n_runs, 1)) < 1 / 8)


# Each kind with the unit of its shift: the standard deviation of a score, where there is one.
KINDS: dict[str, tuple[Callable[[np.random.Generator, int], Floats], float]] = {
    "normal": (normal, 1.0),
    "heavy (run scale t₂)": (heavy, 1.0),
    "1 run in 8 fails": (failing, 1.0),
    "RL": (reinforcement, 0.35),
}


def typical_runs_powers(n_sets: int, seed: int) -> dict[str, Any]:
    """Return power, and coverage and median width of intervals, by kind, runs and center."""

    def cell(kind: str, n_runs: int) -> dict[str, dict[str, float]]:
        draw, deviation = KINDS[kind]
        shift = SHIFTS[n_runs] * deviation
        found = np.zeros((3, len(CENTERS)))
        widths = np.zeros((n_sets, len(CENTERS)))
        labels = np.repeat(["A", "B"], n_runs)
        for number in range(n_sets):
            rng = stream(seed, f"power: typical runs of {kind}", n_runs, number)
            scores = draw(rng, 2 * n_runs)
            scores[:n_runs] += shift
            for place, center in enumerate(CENTERS):
                compared = cw.compare(
                    cw.Curves(scores, labels),
                    center=center,  # type: ignore[arg-type]
                    overall="F",
                    exact=n_runs <= 5,
                    n_shuffles=N_SHUFFLES,
                    rng=number,
                )
                assert compared.difference is not None  # noqa: S101
                low, high = compared.difference.interval
                found[0, place] += compared.algorithm.significant
                found[1, place] += low <= shift <= high
                widths[number, place] = (high - low) / deviation
        powers, covers = found[:2] / n_sets
        return {
            center: {
                "power": float(powers[place]),
                "coverage": float(covers[place]),
                "width": float(np.median(widths[:, place])),
            }
            for place, center in enumerate(CENTERS)
        }

    return {
        f"{kind}, {n_runs} runs": load_or_compute(
            f"power/typical-runs {kind.split(' (')[0].replace(' ', '-')} {n_runs}",
            {"seed": seed, "n_sets": n_sets},
            partial(cell, kind, n_runs),
        )
        for n_runs in SHIFTS
        for kind in KINDS
    }

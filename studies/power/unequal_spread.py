"""What allowing for unequal spread costs and gains: rates by `spread=` for equal and moved means.

Curves are AR(1); of a skewed design, each run has an exponential offset besides, of
three times their standard deviation.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import curvewise as cw
from studies.power.first_test import autoregressive
from studies.store import load_or_compute
from studies.streams import stream

__all__ = ["DESIGNS", "EFFECTS", "unequal_spread_powers"]

EFFECTS = ("overall", "algorithm", "interaction")
N_SHUFFLES = 299
REAL = [1.0, 1.0, 2.0, 4.0, 8.0, 10.0]  # about those of Atari agents
# Runs of each algorithm, spreads, and by how much the first is moved, in standard deviations of a
# score of spread 1: half of it at all steps, and as much again as training goes on.
DESIGNS: dict[str, tuple[int, list[float], float]] = {
    "6 × 5, equal spreads, equal means": (5, [1.0] * 6, 0.0),
    "6 × 5, spreads 1 1 2 4 8 10, equal means": (5, REAL, 0.0),
    "6 × 10, spreads 1 1 2 4 8 10, equal means": (10, REAL, 0.0),
    "6 × 5, one spread of 8, equal means": (5, [1.0] * 5 + [8.0], 0.0),
    "5 + 5, spreads 1 8, equal means": (5, [1.0, 8.0], 0.0),
    "6 × 5, skewed, spreads 1 1 2 4 8 10, equal means": (5, REAL, 0.0),
    "5 + 5, skewed, spreads 1 8, equal means": (5, [1.0, 8.0], 0.0),
    "20 + 20, skewed, spreads 1 8, equal means": (20, [1.0, 8.0], 0.0),
    "6 × 5, equal spreads, one moved": (5, [1.0] * 6, 1.5),
    "6 × 5, spreads 1 1 2 4 8 10, one moved": (5, REAL, 2.5),
    "5 + 5, equal spreads, one moved": (5, [1.0] * 2, 1.5),
}


def unequal_spread_powers(n_sets: int, seed: int) -> dict[str, Any]:
    """Return, for each design and `spread=`, how often each effect is found."""

    def cell(name: str) -> dict[str, list[float]]:
        n_runs, spreads, size = DESIGNS[name]
        labels = np.repeat(list("ABCDEF"[: len(spreads)]), n_runs)
        found = {"equal": np.zeros(3), "unequal": np.zeros(3)}
        for number in range(n_sets):
            rng = stream(seed, f"power: spread {name}", number)
            scores = autoregressive(rng, len(labels))
            if "skewed" in name:
                scores += 3 * (rng.exponential(size=(len(labels), 1)) - 1)
            scores *= np.repeat(spreads, n_runs)[:, None]
            scores[:n_runs] += size * (1 + np.linspace(-1, 1, scores.shape[1]) / 2)
            curves = cw.Curves(scores, labels)
            for spread, rates in found.items():
                compared = cw.compare(
                    curves,
                    spread=spread,  # type: ignore[arg-type]
                    exact=False,
                    n_shuffles=N_SHUFFLES,
                    rng=number,
                )
                own = compared.effects["split"]
                rates += [own[effect].significant for effect in EFFECTS]
        return {spread: (rates / n_sets).tolist() for spread, rates in found.items()}

    return {
        name: load_or_compute(
            f"power/spread {name.replace(' ', '-').replace(',', '')}",
            {"seed": seed, "n_sets": n_sets},
            partial(cell, name),
        )
        for name in DESIGNS
    }

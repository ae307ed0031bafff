"""Pairs by closed testing: false claims, and how many of the true differences are found.

Five algorithms of five runs, normal heights in units of their standard deviation; one step, so
that the three effects are one.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

import curvewise as cw
from studies.store import load_or_compute
from studies.streams import stream

__all__ = ["closed_pairs_powers"]

NAMES = "ABCDE"
N_RUNS, N_SHUFFLES = 5, 499
ADJUSTMENTS = ("closed", "holm", "max-t")
# Heights of the algorithms, and their spreads.
DESIGNS: dict[str, tuple[list[float], list[float]]] = {
    "0 0 0 0 0": ([0, 0, 0, 0, 0], [1, 1, 1, 1, 1]),
    "0 0 0 3 3": ([0, 0, 0, 3, 3], [1, 1, 1, 1, 1]),
    "0 0 0 0 3": ([0, 0, 0, 0, 3], [1, 1, 1, 1, 1]),
    "0 1 2 3 4": ([0, 1, 2, 3, 4], [1, 1, 1, 1, 1]),
    "all equal, two with spread × 3": ([0, 0, 0, 0, 0], [1, 1, 1, 3, 3]),
}


def closed_pairs_powers(n_sets: int, seed: int) -> dict[str, Any]:
    """Return, for each design and adjustment, the rate of false claims and the share found."""

    def cell(name: str, adjust: str) -> dict[str, float | None]:
        heights, spreads = (np.array(part, dtype=float) for part in DESIGNS[name])
        level = dict(zip(NAMES, heights.tolist(), strict=True))
        differ = {(a, b) for a, b in combinations(NAMES, 2) if level[a] != level[b]}
        n_false = n_found = 0
        labels = np.repeat(list(NAMES), N_RUNS)
        for number in range(n_sets):
            rng = stream(seed, f"power: pairs {name}", number)
            noise = rng.normal(size=len(labels))
            scores = np.repeat(heights, N_RUNS) + np.repeat(spreads, N_RUNS) * noise
            pairs = cw.compare_pairs(
                cw.Curves(scores[:, None], labels),
                adjust=adjust,  # type: ignore[arg-type]
                n_shuffles=N_SHUFFLES,
                rng=rng,
            )
            found = {(pair.a, pair.b) for pair in pairs.significant("algorithm")}
            n_false += bool(found - differ)
            n_found += len(found & differ)
        share = n_found / (n_sets * len(differ)) if differ else None
        return {"false": n_false / n_sets, "found": share}

    return {
        name: {
            adjust: load_or_compute(
                f"power/pairs {name.replace(' ', '')} {adjust}",
                {"seed": seed, "n_sets": n_sets},
                lambda name=name, adjust=adjust: cell(name, adjust),
            )
            for adjust in ADJUSTMENTS
        }
        for name in DESIGNS
    }

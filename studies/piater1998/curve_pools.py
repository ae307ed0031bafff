"""The curves that are split: cross validations of C4.5, and TD learners of tic-tac-toe."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.sources import td_tictactoe
from studies.sources.cross_validation import domain, learning_curves
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["SOURCES", "cross_validations", "rl_pools", "stored_rl_curves"]

SOURCES = {
    "chess_numeric": "chess (numbers)",
    "chess_nominal": "chess (names)",
    "tictactoe": "tic-tac-toe",
    "rl": "RL",
}

Floats = npt.NDArray[np.float64]


def cross_validations(name: str, seed: int, indices: Iterable[int]) -> Floats:
    """Run cross validations of a domain, each with other folds; (indices, 20, 20).

    Index 0 uses the seed itself: with seed 1998, it is the stored cross validation.
    """
    task = domain(name)

    def curves(index: int) -> Floats:
        if index == 0:
            rng = np.random.default_rng(seed)
        else:
            rng = stream(seed, "piater1998: cross validation", index)
        return learning_curves(task, rng)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return np.array(list(threads.map(curves, indices)))


def rl_pools(rng: np.random.Generator, n_pools: int) -> Floats:
    """Train ten new learners for each pool, with learning rate A1 of the 1997 report."""
    rates = [td_tictactoe.LEARNING_RATES["A1"]] * (10 * n_pools)
    curves = td_tictactoe.learning_curves(rates, rng)
    return curves.reshape(n_pools, 10, -1)


def stored_rl_curves() -> Floats:
    """Return the ten curves of A1 from the example embedded in the package."""
    curves = cw.load_example("tictactoe")
    chosen = np.asarray(curves.labels) == "A1"
    return np.asarray(curves.scores[chosen], dtype=np.float64)

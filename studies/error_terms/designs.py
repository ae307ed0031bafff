"""What is varied: designs, curves, draws, the effect that is there, and how much is run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from studies.error_terms.shuffles import EFFECTS, Design
from studies.sources.td_tictactoe import STEPS

__all__ = [
    "ADDED",
    "DESIGNS",
    "DOMAINS",
    "DRAWS",
    "FALSE",
    "FULL",
    "KINDS",
    "LIMIT_SIZES",
    "PAPERS_SHUFFLES",
    "QUICK",
    "RUNS_DESIGN",
    "SHIFT",
    "TRUE",
    "Scale",
]

DESIGNS = {
    "10 + 10 runs, 8 steps": Design(10, 8, 999),
    "5 + 5 runs, 20 steps": Design(5, 20, 0),
}
RUNS_DESIGN = "10 + 10 runs, 8 steps"  # the one whose number of runs is varied
DOMAINS = {
    "chess_numeric": "chess, numbers",
    "chess_nominal": "chess, names",
    "td": "TD(0), A1",
}
DRAWS = {"disjoint": False, "overlapping": True}
PAPERS_SHUFFLES = 499  # the paper has 500; with one less, p can be .05
KINDS = ("parallel", "crossing")
ADDED = {"parallel": "parallel shift", "crossing": "crossing of mean zero"}
# What is there, and with it what is not: the effect that would be a false alarm.
FALSE = {
    "parallel": "interaction",
    "crossing": "algorithm",
    "a": "interaction",
    "b": "algorithm",
}
TRUE = {kind: EFFECTS[effect == "algorithm"] for kind, effect in FALSE.items()}
SHIFT = 2.0  # in SDs of a score: the size in both forms at which rates are told
LIMIT_SIZES = np.linspace(0, 4, 41)


class Scale(NamedTuple):
    """How much is computed."""

    n_sets: int
    sizes: tuple[float, ...]
    factors: tuple[int, ...]
    n_runs: tuple[int, ...]
    n_td_runs: int
    td_steps: tuple[int, ...]


FULL = Scale(
    n_sets=2_000,
    sizes=(0, 0.25, 0.5, 1, 1.5, SHIFT, 3, 4),
    factors=tuple(range(11)),
    n_runs=(5, 10, 20, 40, 80),
    n_td_runs=100,
    td_steps=STEPS,
)
QUICK = Scale(
    n_sets=100,
    sizes=(0, 0.5, 1, SHIFT, 4),
    factors=(0, 2, 5, 10),
    n_runs=(5, 40),
    n_td_runs=40,
    td_steps=STEPS[:4],
)

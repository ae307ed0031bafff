"""The designs, kinds of curves, effects and sizes of the experiments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from studies.error_terms.shuffles import EFFECTS, Design
from studies.sources.td_tictactoe import STEPS

__all__ = [
    "ABSENT_EFFECT",
    "ADDED",
    "DESIGNS",
    "DOMAINS",
    "DRAWS",
    "FULL",
    "KINDS",
    "LIMIT_SIZES",
    "N_SHUFFLES_PAPERS",
    "PRESENT_EFFECT",
    "QUICK",
    "RUNS_DESIGN",
    "SHIFT",
    "Scale",
]

DESIGNS = {"10 + 10 runs, 8 steps": Design(10, 8, 999), "5 + 5 runs, 20 steps": Design(5, 20, 0)}
RUNS_DESIGN = "10 + 10 runs, 8 steps"  # the number of runs is varied in this design
DOMAINS = {"chess_numeric": "chess, numbers", "chess_nominal": "chess, names", "td": "TD(0), A1"}
DRAWS = {"disjoint": False, "overlapping": True}
N_SHUFFLES_PAPERS = 499  # the paper has 500; with 499, p can be exactly .05
KINDS = ("parallel", "crossing")
ADDED = {"parallel": "parallel shift", "crossing": "crossing of mean zero"}
# For each kind of change: the effect that is absent, so that finding it is a false alarm.
ABSENT_EFFECT = {
    "parallel": "interaction",
    "crossing": "algorithm",
    "a": "interaction",
    "b": "algorithm",
}
PRESENT_EFFECT = {kind: EFFECTS[effect == "algorithm"] for kind, effect in ABSENT_EFFECT.items()}
SHIFT = 2.0  # in SDs of a score: a size of both forms, for which rates are reported
LIMIT_SIZES = np.linspace(0, 4, 41)


class Scale(NamedTuple):
    """The amount of computation: numbers of data sets, sizes, factors and runs."""

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

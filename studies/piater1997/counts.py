"""Exact counts c(m, l): how many ways there are to deal l runs to each of m algorithms."""

from __future__ import annotations

import math

import numpy as np

import curvewise as cw
from studies.report import Claim, Sheet, judged

__all__ = ["counts_claim", "counts_sheet"]

DESIGNS = ((2, 5), (2, 6), (2, 7), (2, 10), (3, 3), (3, 4), (4, 2), (4, 3))
NAMED = ((2, 7), (3, 4), (4, 3))
MANY = 1000


def counts_claim() -> Claim:
    """Ask whether the three counts the report names are above 1000."""
    ours = {each: _relabellings(*each) for each in DESIGNS}
    same = [each for each in DESIGNS if ours[each] == _recurrence(*each)]
    return Claim(
        "Section 3",
        f"c(2,7), c(3,4) and c(4,3) exceed {MANY}",
        f"all greater than {MANY}",
        ", ".join(f"c({m},{runs}) = {ours[m, runs]:,}" for m, runs in NAMED),
        judged(len(same) == len(DESIGNS) and all(ours[each] > MANY for each in NAMED)),
        "By compare(...).n_relabellings. Agrees if it also equals the report's recurrence: "
        f"it does in {len(same)} of the {len(DESIGNS)} designs below.",
    )


def counts_sheet() -> Sheet:
    """Return the counts beside the report's recurrence."""
    return Sheet(
        "Distinct ways to deal the runs among the algorithms",
        ("algorithms m", "runs each l", "n_relabellings", "the report's recurrence"),
        tuple(
            (
                str(m),
                str(runs),
                f"{_relabellings(m, runs):,}",
                f"{_recurrence(m, runs):,}",
            )
            for m, runs in DESIGNS
        ),
    )


def _relabellings(n_algorithms: int, n_runs: int) -> int:
    # Scores do not matter to the count, but there must be some.
    scores = np.random.default_rng(0).random((n_algorithms * n_runs, 2))
    labels = [f"A{place // n_runs + 1}" for place in range(len(scores))]
    curves = cw.Curves(scores, labels)
    return cw.compare(curves, exact=False, n_shuffles=1, rng=0).n_relabellings


def _recurrence(n_algorithms: int, n_runs: int) -> int:
    if n_algorithms == 1:
        return 1
    ways = math.comb(n_algorithms * n_runs, n_runs)
    return ways * _recurrence(n_algorithms - 1, n_runs) // n_algorithms

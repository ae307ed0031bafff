"""The numbers c(m, l) of ways to assign l runs to each of m algorithms."""

from __future__ import annotations

import math

import numpy as np

import curvewise as cw
from studies.report import Claim, Table, judge

__all__ = ["counts_claim", "counts_table"]

DESIGNS = ((2, 5), (2, 6), (2, 7), (2, 10), (3, 3), (3, 4), (4, 2), (4, 3))
NAMED_DESIGNS = ((2, 7), (3, 4), (4, 3))
CLAIMED_MINIMUM = 1000


def counts_claim() -> Claim:
    """Judge whether the three counts named in the report exceed 1000."""
    ours = {each: _n_relabellings(*each) for each in DESIGNS}
    equal = [each for each in DESIGNS if ours[each] == _recurrence(*each)]
    return Claim(
        "Section 3",
        f"c(2,7), c(3,4) and c(4,3) exceed {CLAIMED_MINIMUM}",
        f"all greater than {CLAIMED_MINIMUM}",
        ", ".join(f"c({m},{runs}) = {ours[m, runs]:,}" for m, runs in NAMED_DESIGNS),
        judge(
            len(equal) == len(DESIGNS)
            and all(ours[each] > CLAIMED_MINIMUM for each in NAMED_DESIGNS)
        ),
        "By compare(...).n_relabellings. Agrees if it also equals the report's recurrence: "
        f"it does in {len(equal)} of the {len(DESIGNS)} designs below.",
    )


def counts_table() -> Table:
    """Return the counts beside those of the report's recurrence."""
    return Table(
        "Distinct ways to deal the runs among the algorithms",
        ("algorithms m", "runs each l", "n_relabellings", "the report's recurrence"),
        tuple(
            (str(m), str(runs), f"{_n_relabellings(m, runs):,}", f"{_recurrence(m, runs):,}")
            for m, runs in DESIGNS
        ),
    )


def _n_relabellings(n_algorithms: int, n_runs: int) -> int:
    # The count depends on the design only, so any scores will do.
    scores = np.random.default_rng(0).random((n_algorithms * n_runs, 2))
    labels = [f"A{index // n_runs + 1}" for index in range(len(scores))]
    curves = cw.Curves(scores, labels)
    return cw.compare(curves, exact=False, n_shuffles=1, rng=0).n_relabellings


def _recurrence(n_algorithms: int, n_runs: int) -> int:
    if n_algorithms == 1:
        return 1
    ways = math.comb(n_algorithms * n_runs, n_runs)
    return ways * _recurrence(n_algorithms - 1, n_runs) // n_algorithms

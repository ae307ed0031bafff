"""Do algorithms differ in how many of their runs fail? The exact test of counts.

Freeman & Halton (1951), Biometrika 38: of all tables with these numbers of runs and this number
of failures, those that are no more probable than the one observed count. For two algorithms it
is Fisher's exact test. Shuffling whole runs among algorithms gives the same p, since a failure
goes with its run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats

__all__ = ["failure_pvalue"]

# Log-probabilities closer than this are the same: tables that tie must count as ties.
TIE = 1e-9
# How many different probabilities of tables are kept apart. Beyond it neighbours are taken for
# the least probable of them, so that p errs upwards.
MAX_DISTINCT = 600_000


def failure_pvalue(n_failed: Sequence[int], n_runs: Sequence[int]) -> float:
    """Return the exact p of "failing has nothing to do with the algorithm".

    Parameters
    ----------
    n_failed, n_runs : sequence of int, (n_algorithms,)
        How many runs of each algorithm failed, of how many.

    >>> round(failure_pvalue([3, 0], [4, 4]), 4)
    0.1429
    """
    total = sum(n_failed)
    weights = [_log_combinations(n) for n in n_runs]
    observed = sum(float(own[k]) for own, k in zip(weights, n_failed, strict=True))
    all_ways = float(_log_combinations(sum(n_runs))[total])
    # For each number of failures so far: sums of log-weights, and the share of ways to them.
    states: dict[int, tuple[Floats, Floats]] = {0: (np.zeros(1), np.ones(1))}
    most = max(1_000, MAX_DISTINCT // (total + 1))
    tie = TIE * max(1.0, abs(observed))
    n_left = sum(n_runs)
    for own in weights:
        n_left -= len(own) - 1
        grown: dict[int, list[tuple[Floats, Floats]]] = {}
        for failed, (sums, shares) in states.items():
            # Those that come later can have no more failures than runs.
            for k in range(
                max(0, total - failed - n_left), min(len(own), total - failed + 1)
            ):
                # Shares are scaled at every step, since numbers of ways overflow.
                grown.setdefault(failed + k, []).append(
                    (sums + own[k], shares * math.exp(own[k] - own.max()))
                )
        states = {failed: _merged(parts, tie, most) for failed, parts in grown.items()}
    sums, shares = states[total]
    extreme = float(shares[sums <= observed + tie].sum())
    scale = sum(float(own.max()) for own in weights) - all_ways
    return min(1.0, extreme * math.exp(scale))


def _log_combinations(n: int) -> Floats:
    """Return the logarithms of n choose 0, 1, …, n."""
    logs = np.array([math.lgamma(k + 1) for k in range(n + 1)])
    return logs[n] - logs - logs[::-1]


def _merged(
    parts: list[tuple[Floats, Floats]], tie: float, most: int
) -> tuple[Floats, Floats]:
    """Add up the shares of sums that tie; of more than ``most``, those of neighbours too."""
    sums, shares = (np.concatenate(values) for values in zip(*parts, strict=True))
    order = np.argsort(sums)
    sums, shares = sums[order], shares[order]
    firsts = np.flatnonzero(np.append(True, np.diff(sums) > tie))
    if len(firsts) > most:
        cells = np.floor((sums - sums[0]) * (most / (sums[-1] - sums[0])))
        firsts = np.flatnonzero(np.append(True, np.diff(cells) > 0))
    return sums[firsts], np.add.reduceat(shares, firsts)

"""An exact group-sequential test: relabellings are removed look by look, the largest first.

Relabellings g of the runs, the observed one among them, are the same at every look: each look
adds a batch of runs, and with it the part of g in that batch. By look b a share α u_b of them may
have been removed, where u_1 ≤ … ≤ u_K = 1 says how much of α is spent by then. At look b those
with the largest statistic go, of what is left, in whole groups of ties; what does not fit is
left to later looks. The null hypothesis is rejected when the observed one goes.

Given each batch as a set of runs without labels, the observed relabelling is as likely as any
other, and which are removed does not depend on which it is: so it is removed by look b with a
probability of at most α u_b, whatever the statistic, with ties and with any number of
relabellings. The sequential p is the smallest α from which on the test rejects (Liu & Anderson
2008); it never rises from one look to the next.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats, Integers


# Up to alpha every level is tried at which one more relabelling may go; beyond, levels that are
# so many times the one before.
COARSE_STEP = 1.02
# A quota that is a whole number but for rounding.
ALMOST = 1e-9


def spent_shares(spending: str, n_looks: int, alpha: float) -> Floats:
    """Return which share of alpha is spent by each look: u_1 ≤ … ≤ u_K = 1.

    "linear" spends the same at every look; "obf" little at first, as the boundaries of O'Brien &
    Fleming do (Lan & DeMets 1983).

    >>> spent_shares("linear", 4, 0.05).tolist()
    [0.25, 0.5, 0.75, 1.0]
    >>> spent_shares("obf", 4, 0.05).round(4).tolist()
    [0.0018, 0.1115, 0.4725, 1.0]
    """
    times = np.arange(1, n_looks + 1) / n_looks
    if spending == "linear":
        return times
    from scipy.special import ndtr, ndtri

    shares = 2 * ndtr(ndtri(alpha / 2) / np.sqrt(times)) / alpha
    shares[-1] = 1.0
    return np.asarray(shares)


class Ranking(NamedTuple):
    """Relabellings by their statistic at one look, the largest first, in groups of ties."""

    order: Integers
    ends: Integers  # where each group of ties ends
    n_observed: int  # how many are at least as large as the observed one

    @classmethod
    def of(cls, values: Floats, tolerance: float, observed: int) -> Ranking:
        """Rank; neighbours that differ by no more than ``tolerance`` are tied."""
        order = np.argsort(-values, kind="stable")
        falls = np.flatnonzero(-np.diff(values[order]) > tolerance) + 1
        ends = np.append(falls, len(values))
        place = int(np.flatnonzero(order == observed)[0])
        return cls(order, ends, int(ends[np.searchsorted(ends, place, side="right")]))


def sequential_pvalues(
    rankings: Sequence[Ranking], shares: Floats, observed: int, alpha: float
) -> list[float]:
    """Return the sequential p at each look so far.

    Parameters
    ----------
    rankings : sequence of Ranking
        One for each look so far, of the same relabellings.
    shares : array
        Which share of alpha is spent by each look.
    observed : int
        Which relabelling is the observed one.
    alpha : float
        Up to here p is exact; beyond, it is rounded up by at most 2 %.
    """
    n_looks, size = len(rankings), len(rankings[0].order)
    levels = _levels(shares[:n_looks], size, alpha)
    quotas = np.floor(levels[:, None] * shares[:n_looks] * size + ALMOST).astype(np.int64)
    # From where on all levels reject by a look for certain: there is room for all that are as
    # large as the observed one, whatever was removed before.
    too_little = np.diff(quotas, axis=1, prepend=0) < [own.n_observed for own in rankings]
    places = np.arange(1, len(levels) + 1)[:, None]
    certain = np.minimum.accumulate(np.max(places * too_little, axis=0)).tolist()
    pvalues: list[float] = []
    place = len(levels) - 1
    # From the largest level down: each look is settled by the first that does not reject by it.
    while len(pvalues) < n_looks:
        place = min(place, certain[len(pvalues)] - 1)
        rejected = n_looks if place < 0 else _look_of_rejection(rankings, quotas[place], observed)
        above = float(levels[min(place + 1, len(levels) - 1)])
        pvalues += [above] * (rejected - len(pvalues))
        place -= 1
    return pvalues


def rejected_by(
    rankings: Sequence[Ranking], shares: Floats, observed: int, alpha: float
) -> int | None:
    """Return the look, from 1, at which the test at this alpha rejects; None if it does not."""
    size = len(rankings[0].order)
    quotas = np.floor(alpha * shares[: len(rankings)] * size + ALMOST).astype(np.int64)
    look = _look_of_rejection(rankings, quotas, observed)
    return None if look == len(rankings) else look + 1


def _levels(shares: Floats, size: int, alpha: float) -> Floats:
    """Return the levels at which some look may remove one more, and some beyond them; rising."""
    fine = [np.arange(1, math.floor(alpha * u * size) + 1) / (u * size) for u in shares]
    n_coarse = math.ceil(math.log(1 / alpha) / math.log(COARSE_STEP))
    coarse = np.geomspace(alpha, 1.0, n_coarse + 1)
    return np.unique(np.round(np.concatenate([*fine, coarse]), 14))


def _look_of_rejection(rankings: Sequence[Ranking], quotas: Integers, observed: int) -> int:
    """Return at which look, from 0, the observed relabelling is removed; else their number.

    ``quotas`` says how many may have been removed by each look.
    """
    removed = np.zeros(len(rankings[0].order), dtype=np.bool_)
    n_removed = 0
    for look, (ranking, quota) in enumerate(zip(rankings, quotas.tolist(), strict=True)):
        # A group that ends beyond the quota cannot fit.
        ends = ranking.ends[: np.searchsorted(ranking.ends, quota, side="right")]
        if len(ends) == 0:
            continue
        counts = n_removed + np.cumsum(~removed[ranking.order[: ends[-1]]])[ends - 1]
        n_groups = int(np.searchsorted(counts, quota, side="right"))
        if n_groups:
            removed[ranking.order[: ends[n_groups - 1]]] = True
            n_removed = int(counts[n_groups - 1])
        if removed[observed]:
            return look
    return len(rankings)

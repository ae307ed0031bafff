"""How often the tests find a difference that is there: Figure 6.

Ten of twenty curves are drawn, and independently ten of the same curves changed by
M_case(L, f). The listing of the paper makes one null distribution for all draws, without
saying from which curves; its section 4 shuffles each draw. `power` follows section 4, and
`one_distribution` the listing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from studies.anovas import f_ratios, random_halves
from studies.piater1998.closed_form import critical_f
from studies.piater1998.type_one import ROUNDING, rejects
from studies.sources.modifications import CASES, modified

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TESTS", "one_distribution", "power"]

TESTS = ("conventional", "shuffle", "shuffle, split error")
N_DRAWN = 10

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def power(
    curves: Floats,
    factors: Sequence[float],
    rng: np.random.Generator,
    *,
    n_draws: int,
    n_shuffles: int = 500,
    disjoint: bool = False,
) -> Floats:
    """Return the share of draws in which each test rejects; (cases, factors, tests, effects).

    Cases and factors share draws and shuffles. With ``disjoint`` no run is in both draws.
    """
    changed = np.array([modified(curves, case, factors) for case in CASES])
    n_rejected = np.zeros((*changed.shape[:2], len(TESTS), 2))
    observed_half = np.repeat([1.0, 0.0], N_DRAWN)
    critical = critical_f(2 * N_DRAWN, curves.shape[1])
    for _ in range(n_draws):
        first, second = _draws(len(curves), rng, disjoint=disjoint)
        halves = np.vstack([observed_half, random_halves(2 * N_DRAWN, n_shuffles, rng)])
        for index in np.ndindex(changed.shape[:2]):
            pool = np.concatenate([curves[first], changed[index][second]])
            ratios = np.array(f_ratios(pool, halves))
            as_large = ratios[:, 1:] >= ratios[:, :1] * ROUNDING
            rejected_by_shuffling = rejects(as_large.sum(axis=1), n_shuffles)
            n_rejected[index] += [
                ratios[:2, 0] > critical,
                rejected_by_shuffling[:2],
                rejected_by_shuffling[2:],
            ]
    return n_rejected / n_draws


def one_distribution(
    curves: Floats,
    case: str,
    factor: float,
    rng: np.random.Generator,
    *,
    n_runs: int,
    n_draws: int = 100,
    n_shuffles: int = 500,
) -> Floats:
    """Return the share of rejections with one null distribution per run of draws; (effects,).

    The null distribution comes from random pairs of tens of all forty curves, original and
    changed.
    """
    changed = modified(curves, case, factor)
    everything = np.concatenate([curves, changed])
    observed_half = np.repeat([[1.0, 0.0]], N_DRAWN, axis=1)
    n_rejected = np.zeros(2)

    def ratios(pool: Floats) -> Floats:
        return np.array(f_ratios(pool, observed_half)[:2])[:, 0]

    for _ in range(n_runs):
        tens = (rng.choice(len(everything), 2 * N_DRAWN, replace=False) for _ in range(n_shuffles))
        shuffled = np.array([ratios(everything[ten]) for ten in tens])
        for _ in range(n_draws):
            first, second = _draws(len(curves), rng, disjoint=False)
            observed = ratios(np.concatenate([curves[first], changed[second]]))
            as_large = shuffled >= observed * ROUNDING
            n_rejected += rejects(as_large.sum(axis=0), n_shuffles)
    return n_rejected / (n_runs * n_draws)


def _draws(n_curves: int, rng: np.random.Generator, *, disjoint: bool) -> tuple[Integers, Integers]:
    """Draw the indices of ten curves, and of ten curves to be changed."""
    order = rng.permutation(n_curves)
    if disjoint:
        return order[:N_DRAWN], order[N_DRAWN : 2 * N_DRAWN]
    return order[:N_DRAWN], rng.permutation(n_curves)[:N_DRAWN]

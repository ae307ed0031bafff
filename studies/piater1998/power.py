"""How often the tests find a difference that was made: Figure 6.

Ten of twenty curves are drawn, and independently ten of the same curves changed by
M_case(L, f). By its listing the paper makes one distribution for all draws, and does not say
from which curves; here every draw is shuffled itself, as its section 4 has it, and
`one_distribution` is by the listing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from studies.anovas import f_ratios, random_halves
from studies.piater1998.closed_form import conventional
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

    The pools have draws and shuffles in common. With ``disjoint`` no run is in both draws.
    """
    changed = np.array([modified(curves, case, factors) for case in CASES])
    n_rejected = np.zeros((*changed.shape[:2], len(TESTS), 2))
    drawn_as = np.repeat([1.0, 0.0], N_DRAWN)
    critical = conventional(2 * N_DRAWN, curves.shape[1])
    for _ in range(n_draws):
        first, second = _draws(len(curves), rng, disjoint=disjoint)
        halves = np.vstack([drawn_as, random_halves(2 * N_DRAWN, n_shuffles, rng)])
        for place in np.ndindex(changed.shape[:2]):
            pool = np.concatenate([curves[first], changed[place][second]])
            ratios = np.array(f_ratios(pool, halves))
            reached = ratios[:, 1:] >= ratios[:, :1] * ROUNDING
            few = rejects(reached.sum(axis=1), n_shuffles)
            n_rejected[place] += [ratios[:2, 0] > critical, few[:2], few[2:]]
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
    """Return the shares of rejections, (effects,), by one distribution for all draws of a run.

    The distribution is that of two random tens of all forty curves, old and changed.
    """
    changed = modified(curves, case, factor)
    everything = np.concatenate([curves, changed])
    drawn_as = np.repeat([[1.0, 0.0]], N_DRAWN, axis=1)
    n_rejected = np.zeros(2)

    def ratios(pool: Floats) -> Floats:
        return np.array(f_ratios(pool, drawn_as)[:2])[:, 0]

    for _ in range(n_runs):
        tens = (
            rng.choice(len(everything), 2 * N_DRAWN, replace=False)
            for _ in range(n_shuffles)
        )
        shuffled = np.array([ratios(everything[ten]) for ten in tens])
        for _ in range(n_draws):
            first, second = _draws(len(curves), rng, disjoint=False)
            observed = ratios(np.concatenate([curves[first], changed[second]]))
            reached = shuffled >= observed * ROUNDING
            n_rejected += rejects(reached.sum(axis=0), n_shuffles)
    return n_rejected / (n_runs * n_draws)


def _draws(
    n_curves: int, rng: np.random.Generator, *, disjoint: bool
) -> tuple[Integers, Integers]:
    """Draw ten curves, and ten to be changed."""
    order = rng.permutation(n_curves)
    if disjoint:
        return order[:N_DRAWN], order[N_DRAWN : 2 * N_DRAWN]
    return order[:N_DRAWN], rng.permutation(n_curves)[:N_DRAWN]

"""Rejections of a true null hypothesis: Figures 3, 4 and 5.

Curves are pooled and split in two at random, so that neither effect exists. Each split is
tested by the conventional F test and by shuffling, both with the papers' pooled error term.
All counts are per `N_SPLITS` splits, at a level of .05.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from studies.anovas import f_ratios, f_ratios_along, random_halves
from studies.piater1998.closed_form import ALPHA, N_SPLITS, critical_f
from studies.sources.modifications import CASES, modified

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["N_SHUFFLES_MODIFIED", "N_SHUFFLES_ONE", "one_learner", "rejects", "with_modified"]

N_SHUFFLES_ONE, N_SHUFFLES_MODIFIED = 500, 400  # of Figure 4 and of Figure 5
# A shuffled F this close below the observed one counts as equal: rounding explains it.
ROUNDING = 1 - 1e-9

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


def rejects(n_as_large: Integers, n_shuffles: int) -> Booleans:
    """Return whether p = (count + 1) / (shuffles + 1) is at most .05.

    With 400 or 500 shuffles this rejects exactly where the paper's p is below .05.
    """
    return (n_as_large + 1) / (n_shuffles + 1) <= ALPHA


def one_learner(
    pools: Floats, rng: np.random.Generator, n_shuffles: int = N_SHUFFLES_ONE
) -> Integers:
    """Count rejections in `N_SPLITS` splits of each pool; (pools, tests, effects).

    The first test is the conventional one (Figure 3), the second shuffling (Figure 4). The
    null distribution of a pool does not depend on the split, so its splits share shuffles.
    """
    counts = np.empty((len(pools), 2, 2), dtype=np.int64)
    for index, pool in enumerate(pools):
        halves = random_halves(len(pool), N_SPLITS + n_shuffles, rng)
        ratios = np.array(f_ratios(pool, halves)[:2])
        observed, shuffled = ratios[:, :N_SPLITS], np.sort(ratios[:, N_SPLITS:])
        critical = critical_f(*pool.shape)
        counts[index, 0] = (observed > critical[:, None]).sum(axis=1)
        for effect in range(2):
            below = np.searchsorted(shuffled[effect], observed[effect] * ROUNDING)
            counts[index, 1, effect] = rejects(n_shuffles - below, n_shuffles).sum()
    return counts


def with_modified(
    curves: Floats,
    factors: Sequence[float],
    rng: np.random.Generator,
    *,
    n_repetitions: int,
    n_shuffles: int = N_SHUFFLES_MODIFIED,
    n_splits: int = N_SPLITS,
) -> Integers:
    """Count rejections as in Figure 5; (cases, factors, repetitions, tests, effects).

    A pool holds the curves and M_case(curves, f). Each split has its own shuffles; cases and
    factors share them, so that differences between them are due to the modification.
    """
    pool = np.concatenate([curves, curves])
    n_runs, n_steps = pool.shape
    changes = [
        np.concatenate([np.zeros_like(curves), modified(curves, case, 1) - curves])
        for case in CASES
    ]
    critical = critical_f(n_runs, n_steps)[:, None, None]
    counts = np.zeros((len(CASES), len(factors), n_repetitions, 2, 2), dtype=np.int64)
    n_at_once = 50  # splits whose shuffles fit into the cache
    for repetition in range(n_repetitions):
        for start in range(0, n_splits, n_at_once):
            n_here = min(n_at_once, n_splits - start)
            halves = random_halves(n_runs, n_here * (1 + n_shuffles), rng)
            for index, change in enumerate(changes):
                ratios = f_ratios_along(pool, change, factors, halves)
                observed, shuffled = ratios[..., :n_here], ratios[..., n_here:]
                by_split = shuffled.reshape(*observed.shape, n_shuffles)
                as_large = by_split >= (observed * ROUNDING)[..., None]
                rejected_by_shuffling = rejects(as_large.sum(axis=-1), n_shuffles)
                for test, rejected in enumerate((observed > critical, rejected_by_shuffling)):
                    counts[index, :, repetition, test] += rejected.sum(axis=-1).T
    return counts

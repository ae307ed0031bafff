"""Rejections of a true null hypothesis: Figures 3, 4 and 5, and a closed form for them.

Curves are thrown into a pool and split in two at random, so that neither effect exists.
Each split is tested by the conventional F test and by shuffling, both by the papers' pooled
error term. All counts are per `N_SPLITS` splits, at a level of .05.

The closed form: let S be the covariance of the pool, mse = tr S / k its mean over the k
steps, and H = I - 11ᵀ/k. By random splits the mean square of the algorithm is on average
d_alg = (1ᵀS1 / k) / mse times that of the error, and that of the interaction
d_int = (tr HSH / (k - 1)) / mse times. The F test takes both for 1; it also takes the
interaction to have k - 1 degrees of freedom, but ν = (tr HSH)² / tr((HSH)²) describe it.

It treats splits as continuous. Where a pool consists of two very different kinds of curves,
a split is little more than the number of each kind in a half; `predicted_by_kind` takes
that number for what it is, and the closed form for the rest. It was added after the first
form had been held against the counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

import curvewise as cw
from studies.anovas import f_ratios, random_halves
from studies.sources import td_tictactoe
from studies.sources.cross_validation import domain, learning_curves, stored_curves
from studies.sources.modifications import CASES, modified

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ALPHA",
    "EFFECTS",
    "N_SPLITS",
    "Prediction",
    "conventional",
    "fresh_pools",
    "modified_pools",
    "one_learner",
    "predicted",
    "predicted_by_kind",
    "rejects",
    "rl_pools",
    "shuffled_pools",
    "stored_rl_curves",
]

ALPHA = 0.05
N_SPLITS = 1000
EFFECTS = ("algorithm", "interaction")
# The papers' F of both effects, and of a shuffle that does as much but for rounding.
POOLED = slice(0, 2)
ROUNDING = 1 - 1e-9

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


class Prediction(NamedTuple):
    """The closed form for one pool; the rejections are per `N_SPLITS` splits."""

    d_algorithm: float
    d_interaction: float
    nu: float
    algorithm: float
    interaction: float


def predicted(pool: Floats) -> Prediction:
    """Return how often the conventional test should reject in splits of a pool."""
    from scipy.special import chdtrc

    n_runs, n_steps = pool.shape
    covariance = np.cov(pool, rowvar=False)
    centring = np.eye(n_steps) - 1 / n_steps
    shapes = centring @ covariance @ centring
    mse = np.trace(covariance) / n_steps
    d_algorithm = float(covariance.sum() / n_steps / mse)
    d_interaction = float(np.trace(shapes) / (n_steps - 1) / mse)
    nu = float(np.trace(shapes) ** 2 / np.sum(shapes**2))
    algorithm, interaction = conventional(n_runs, n_steps)
    return Prediction(
        d_algorithm,
        d_interaction,
        nu,
        N_SPLITS * float(chdtrc(1, algorithm / d_algorithm)),
        N_SPLITS * float(chdtrc(nu, nu * interaction / d_interaction)),
    )


def predicted_by_kind(old: Floats, changed: Floats) -> tuple[float, float]:
    """Return the rejections, both effects, to be expected in halves of two kinds of curves.

    Given how many changed curves are in the first half, the difference of the halves has a
    mean and a covariance. The algorithm's part of it is taken for normal, and the square of
    the interaction's for a multiple of χ² with its mean and variance.
    """
    from scipy.special import chdtrc, comb, ndtr

    n_old, n_steps = old.shape
    pool = np.concatenate([old, changed])
    n_error = n_steps * (2 * n_old - 2)
    critical = conventional(*pool.shape)
    total = float(np.sum((pool - pool.mean(axis=0)) ** 2))
    within = np.cov(old, rowvar=False) + np.cov(changed, rowvar=False)
    apart = (changed - old).mean(axis=0)
    centring = np.eye(n_steps) - 1 / n_steps
    expected = np.zeros(2)
    for n_changed in range(1, n_old):  # all of one kind in a half: hardly ever
        chance = comb(n_old, n_changed) ** 2 / comb(2 * n_old, n_old)
        mean = (2 * n_changed / n_old - 1) * apart
        covariance = within * 4 * n_changed * (n_old - n_changed) / n_old**3
        shapes, turned = centring @ covariance @ centring, centring @ mean
        # SS of an effect is n/2 times its part of the squared difference of the halves.
        ss = (
            n_old
            / 2
            * np.array(
                [
                    (covariance.sum() + mean.sum() ** 2) / n_steps,
                    np.trace(shapes) + turned @ turned,
                ]
            )
        )
        # F exceeds c if its SS exceeds c df (total - other SS) / (n_error + c df).
        weight = critical * [1, n_steps - 1]
        needed = weight * (total - ss[::-1]) / (n_error + weight)
        bound = np.sqrt(needed[0] * 2 / n_old * n_steps)
        spread = np.sqrt(covariance.sum())
        algorithm = ndtr((-bound - mean.sum()) / spread)
        algorithm += ndtr((mean.sum() - bound) / spread)
        variance = 2 * np.sum(shapes**2) + 4 * turned @ shapes @ turned
        df = 2 * ss[1] ** 2 / (variance * (n_old / 2) ** 2)
        interaction = chdtrc(df, df * needed[1] / ss[1])
        expected += chance * np.array([algorithm, interaction])
    return N_SPLITS * float(expected[0]), N_SPLITS * float(expected[1])


def conventional(n_runs: int, n_steps: int) -> Floats:
    """Return the critical values of F for both effects of two groups, pooled error."""
    from scipy.special import fdtri

    n_error = n_steps * (n_runs - 2)
    return np.array([fdtri(df, n_error, 1 - ALPHA) for df in (1, n_steps - 1)])


def rejects(n_as_large: Integers, n_shuffles: int) -> Booleans:
    """Tell whether so few shuffles reach F that p, counting F itself, is at most .05.

    With 400 or 500 shuffles this rejects exactly where the paper's p is below .05.
    """
    return (n_as_large + 1) / (n_shuffles + 1) <= ALPHA


def one_learner(
    pools: Sequence[Floats], rng: np.random.Generator, n_shuffles: int = 500
) -> Integers:
    """Count rejections in `N_SPLITS` splits of each pool; (pools, tests, effects).

    The tests are the conventional one, Figure 3, and shuffling, Figure 4. Shuffling a pool
    gives the same distribution whatever the split, so the splits of a pool share shuffles.
    """
    counts = np.empty((len(pools), 2, 2), dtype=np.int64)
    for place, pool in enumerate(pools):
        halves = random_halves(len(pool), N_SPLITS + n_shuffles, rng)
        ratios = np.array(f_ratios(pool, halves)[POOLED])
        observed, shuffled = ratios[:, :N_SPLITS], np.sort(ratios[:, N_SPLITS:])
        critical = conventional(*pool.shape)
        counts[place, 0] = (observed > critical[:, None]).sum(axis=1)
        for effect in range(2):
            below = np.searchsorted(shuffled[effect], observed[effect] * ROUNDING)
            counts[place, 1, effect] = rejects(n_shuffles - below, n_shuffles).sum()
    return counts


def rl_pools(rng: np.random.Generator, n_pools: int) -> Floats:
    """Train ten fresh learners for each pool, at the first rate of the report of 1997."""
    rates = [td_tictactoe.LEARNING_RATES["A1"]] * (10 * n_pools)
    curves = td_tictactoe.learning_curves(rates, rng)
    return curves.reshape(n_pools, 10, -1)


def fresh_pools(name: str, rng: np.random.Generator, n_pools: int) -> Floats:
    """Return the stored cross validation of a domain, and others with fresh folds."""
    if n_pools == 1:
        return stored_curves(name)[None]
    task = domain(name)
    fresh = [learning_curves(task, rng) for _ in range(n_pools - 1)]
    return np.array([stored_curves(name), *fresh])


def stored_rl_curves() -> Floats:
    """Return the ten curves of the first learning rate that are embedded in the package."""
    curves = cw.load_example("tictactoe")
    chosen = np.asarray(curves.labels) == "A1"
    return np.asarray(curves.scores[chosen], dtype=np.float64)


def modified_pools(curves: Floats, factors: Sequence[float]) -> Floats:
    """Return curves together with M_case(curves, f); (cases, factors, runs, steps)."""
    return np.array(
        [
            [
                np.concatenate([curves, changed])
                for changed in modified(curves, case, factors)
            ]
            for case in CASES
        ]
    )


def shuffled_pools(
    pools: Floats,
    rng: np.random.Generator,
    *,
    n_repetitions: int,
    n_shuffles: int = 400,
    n_splits: int = N_SPLITS,
) -> Integers:
    """Count rejections as in Figure 5; (cases, factors, repetitions, tests, effects).

    Every split has shuffles of its own. The pools have splits and shuffles in common, so
    that what differs between them is not chance.
    """
    n_runs, n_steps = pools.shape[-2:]
    critical = conventional(n_runs, n_steps)[:, None]
    counts = np.zeros((*pools.shape[:2], n_repetitions, 2, 2), dtype=np.int64)
    n_at_once = 50  # splits whose shuffles fit into the cache
    for repetition in range(n_repetitions):
        for start in range(0, n_splits, n_at_once):
            n_here = min(n_at_once, n_splits - start)
            halves = random_halves(n_runs, n_here * (1 + n_shuffles), rng)
            for place in np.ndindex(pools.shape[:2]):
                ratios = np.array(f_ratios(pools[place], halves)[POOLED])
                observed, shuffled = ratios[:, :n_here], ratios[:, n_here:]
                least = observed * ROUNDING
                reached = shuffled.reshape(2, n_here, n_shuffles) >= least[..., None]
                few = rejects(reached.sum(axis=2), n_shuffles)
                counts[(*place, repetition)] += [
                    (observed > critical).sum(axis=1),
                    few.sum(axis=1),
                ]
    return counts

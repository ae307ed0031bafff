"""How often the conventional test must reject a true null hypothesis, in closed form.

Let S be the covariance of a pool of curves, mse = tr S / k its mean over the k steps, and
H = I - 11ᵀ/k. By random splits the mean square of the algorithm is on average
d_alg = (1ᵀS1 / k) / mse times that of the error, and that of the interaction
d_int = (tr HSH / (k - 1)) / mse times. The F test takes both for 1; it also takes the
interaction to have k - 1 degrees of freedom, but ν = (tr HSH)² / tr((HSH)²) describe it.

It treats splits as continuous. Where a pool consists of two very different kinds of curves,
a split is little more than the number of each kind in a half; `predicted_by_kind` takes
that number for what it is, and the closed form for the rest. It was added after the first
form had been held against the counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "ALPHA",
    "N_SPLITS",
    "Prediction",
    "conventional",
    "predicted",
    "predicted_by_kind",
]

ALPHA = 0.05
N_SPLITS = 1000

Floats = npt.NDArray[np.float64]


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

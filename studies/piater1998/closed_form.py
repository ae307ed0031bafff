"""The rate at which the conventional test rejects a true null hypothesis, in closed form.

Let S be the covariance of a pool of curves, mse = tr S / k its mean over the k steps, and
H = I - 11ᵀ/k. Over random splits, the mean square of the algorithm is on average
d_alg = (1ᵀS1 / k) / mse times that of the error, and that of the interaction
d_int = (tr HSH / (k - 1)) / mse times. The F test assumes that both factors are 1, and that
the interaction has k - 1 degrees of freedom, where ν = (tr HSH)² / tr((HSH)²) would fit.

This treats splits as continuous. Where a pool consists of two very different kinds of
curves, the number of each kind in a half nearly determines the split; `predict_by_kind`
sums over that number and uses the closed form for what remains. It was added after the
first form had been compared with the counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["ALPHA", "N_SPLITS", "Prediction", "critical_f", "predict", "predict_by_kind"]

ALPHA = 0.05
N_SPLITS = 1000

Floats = npt.NDArray[np.float64]


class Prediction(NamedTuple):
    """The closed form for one pool; rejections are counts per `N_SPLITS` splits."""

    d_algorithm: float
    d_interaction: float
    nu: float
    algorithm: float
    interaction: float


def predict(pool: Floats) -> Prediction:
    """Return the expected rejections of the conventional test in splits of a pool."""
    from scipy.special import chdtrc

    n_runs, n_steps = pool.shape
    covariance = np.cov(pool, rowvar=False)
    centring = np.eye(n_steps) - 1 / n_steps
    shapes = centring @ covariance @ centring
    mse = np.trace(covariance) / n_steps
    d_algorithm = float(covariance.sum() / n_steps / mse)
    d_interaction = float(np.trace(shapes) / (n_steps - 1) / mse)
    nu = float(np.trace(shapes) ** 2 / np.sum(shapes**2))
    algorithm, interaction = critical_f(n_runs, n_steps)
    return Prediction(
        d_algorithm,
        d_interaction,
        nu,
        N_SPLITS * float(chdtrc(1, algorithm / d_algorithm)),
        N_SPLITS * float(chdtrc(nu, nu * interaction / d_interaction)),
    )


def predict_by_kind(old: Floats, changed: Floats) -> tuple[float, float]:
    """Return the expected rejections, of both effects, in splits of two kinds of curves.

    Given the number of changed curves in the first half, the difference of the halves has a
    mean and a covariance. Its mean over steps is approximated by a normal distribution, the
    sum of squares of its shape by a multiple of χ² with the same mean and variance.
    """
    from scipy.special import chdtrc, comb, ndtr

    n_old, n_steps = old.shape
    pool = np.concatenate([old, changed])
    n_error = n_steps * (2 * n_old - 2)
    critical = critical_f(*pool.shape)
    total = float(np.sum((pool - pool.mean(axis=0)) ** 2))
    within = np.cov(old, rowvar=False) + np.cov(changed, rowvar=False)
    mean_change = (changed - old).mean(axis=0)
    centring = np.eye(n_steps) - 1 / n_steps
    expected = np.zeros(2)
    for n_changed in range(1, n_old):  # halves of one kind only are too rare to matter
        probability = comb(n_old, n_changed) ** 2 / comb(2 * n_old, n_old)
        mean = (2 * n_changed / n_old - 1) * mean_change
        covariance = within * 4 * n_changed * (n_old - n_changed) / n_old**3
        shapes, mean_shape = centring @ covariance @ centring, centring @ mean
        # SS of an effect is n/2 times its part of the squared difference of the half means.
        ss = (
            n_old
            / 2
            * np.array(
                [
                    (covariance.sum() + mean.sum() ** 2) / n_steps,
                    np.trace(shapes) + mean_shape @ mean_shape,
                ]
            )
        )
        # F exceeds c if its SS exceeds c df (total - other SS) / (n_error + c df).
        weight = critical * [1, n_steps - 1]
        needed = weight * (total - ss[::-1]) / (n_error + weight)
        limit = np.sqrt(needed[0] * 2 / n_old * n_steps)
        sd = np.sqrt(covariance.sum())
        algorithm = ndtr((-limit - mean.sum()) / sd)
        algorithm += ndtr((mean.sum() - limit) / sd)
        variance = 2 * np.sum(shapes**2) + 4 * mean_shape @ shapes @ mean_shape
        df = 2 * ss[1] ** 2 / (variance * (n_old / 2) ** 2)
        interaction = chdtrc(df, df * needed[1] / ss[1])
        expected += probability * np.array([algorithm, interaction])
    return N_SPLITS * float(expected[0]), N_SPLITS * float(expected[1])


def critical_f(n_runs: int, n_steps: int) -> Floats:
    """Return the critical F of both effects for two groups, with the pooled error term."""
    from scipy.special import fdtri

    n_error = n_steps * (n_runs - 2)
    return np.array([fdtri(df, n_error, 1 - ALPHA) for df in (1, n_steps - 1)])

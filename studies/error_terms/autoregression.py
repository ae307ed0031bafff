"""AR(1) curves, the effects added to them, and limiting false-alarm rates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from studies.error_terms.shuffles import ALPHA

__all__ = ["CORRELATION", "autoregressive", "limiting_rates", "profile", "weighted_tail"]

Floats = npt.NDArray[np.float64]

CORRELATION = 0.9


def autoregressive(rng: np.random.Generator, n_runs: int, n_steps: int) -> Floats:
    """Return AR(1) curves of variance 1, with `CORRELATION` between neighbouring steps."""
    noise = rng.normal(size=(n_runs, n_steps))
    curves = noise.copy()
    for step in range(1, n_steps):
        fresh = np.sqrt(1 - CORRELATION**2) * noise[:, step]
        curves[:, step] = CORRELATION * curves[:, step - 1] + fresh
    return curves


def profile(kind: str, n_steps: int) -> Floats:
    """Return the effect that is added to one algorithm, scaled to root mean square 1.

    "parallel" is constant over steps; "crossing" is a straight line with mean zero, which
    leaves the height of a curve unchanged.
    """
    if kind == "parallel":
        return np.ones(n_steps)
    line = np.linspace(-1.0, 1.0, n_steps)
    return np.asarray(line / np.sqrt(np.mean(line**2)))


def limiting_rates(kind: str, n_steps: int, sizes: npt.ArrayLike) -> Floats:
    """Return the false-alarm rates of the pooled error term as the number of runs grows.

    In the limit, a shuffled table has 1 + size²/4 times the error mean square of the observed
    one, so the critical value is too small by this factor. The sum of squares of the absent
    effect is a sum of χ² variables, weighted by the eigenvalues of the covariance of its
    projection.
    """
    from scipy.optimize import brentq

    steps = np.arange(n_steps)
    covariance = CORRELATION ** np.abs(steps[:, None] - steps)
    mean = np.full((n_steps, n_steps), 1 / n_steps)
    projection = np.eye(n_steps) - mean if kind == "parallel" else mean
    weights = np.linalg.eigvalsh(projection @ covariance @ projection)
    critical = brentq(lambda value: float(weighted_tail(value, weights)) - ALPHA, 1e-6, 100)
    error_inflation = 1 + np.asarray(sizes, dtype=np.float64) ** 2 / 4
    return weighted_tail(critical / error_inflation, weights)


def weighted_tail(values: npt.ArrayLike, weights: Floats) -> Floats:
    """Return P(Σ w_i χ²_1 > value) by the series of Davies (1973, Biometrika 60, 415–417).

    Accurate to four digits with two weights or more, to three with one.

    >>> weighted_tail([3.841, 5.991], np.ones(2)).round(3)
    array([0.147, 0.05 ])
    """
    total = weights.sum()
    indices = np.arange(20_000) + 0.5
    t = 0.05 * indices
    scaled = 2 * t[:, None] * weights / total
    angle = np.arctan(scaled).sum(axis=1) / 2
    size = np.exp(-np.log1p(scaled**2).sum(axis=1) / 4)
    waves = np.sin(angle - np.asarray(values)[..., None] / total * t)
    return np.asarray(0.5 + waves @ (size / indices) / np.pi)

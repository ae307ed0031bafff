"""AR(1) curves, what is added to them, and what the pooled term does to very many of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from studies.error_terms.shuffles import ALPHA

__all__ = ["CORRELATION", "autoregressive", "limits", "profile", "weighted_tail"]

Floats = npt.NDArray[np.float64]

CORRELATION = 0.9


def autoregressive(rng: np.random.Generator, n_runs: int, n_steps: int) -> Floats:
    """Return AR(1) curves: `CORRELATION` between neighbouring steps, variance 1."""
    noise = rng.normal(size=(n_runs, n_steps))
    curves = noise.copy()
    for step in range(1, n_steps):
        fresh = np.sqrt(1 - CORRELATION**2) * noise[:, step]
        curves[:, step] = CORRELATION * curves[:, step - 1] + fresh
    return curves


def profile(kind: str, n_steps: int) -> Floats:
    """Return what is added to one algorithm, with root mean square 1.

    "parallel" is the same at every step; "crossing" is a straight line through zero in the
    middle, which changes no curve's mean.
    """
    if kind == "parallel":
        return np.ones(n_steps)
    line = np.linspace(-1.0, 1.0, n_steps)
    return np.asarray(line / np.sqrt(np.mean(line**2)))


def limits(kind: str, n_steps: int, sizes: npt.ArrayLike) -> Floats:
    """Return the false alarms of the pooled term for AR(1) curves and very many runs.

    A shuffled table holds 1 + size²/4 times the error of the observed one, so its critical
    value is as many times too small. The sum of squares of the effect that is not there
    is a sum of χ² weighted by the eigenvalues of its part of the covariance.
    """
    from scipy.optimize import brentq

    steps = np.arange(n_steps)
    covariance = CORRELATION ** np.abs(steps[:, None] - steps)
    mean = np.full((n_steps, n_steps), 1 / n_steps)
    part = np.eye(n_steps) - mean if kind == "parallel" else mean
    weights = np.linalg.eigvalsh(part @ covariance @ part)
    critical = brentq(
        lambda value: float(weighted_tail(value, weights)) - ALPHA, 1e-6, 100
    )
    too_much = 1 + np.asarray(sizes, dtype=np.float64) ** 2 / 4
    return weighted_tail(critical / too_much, weights)


def weighted_tail(values: npt.ArrayLike, weights: Floats) -> Floats:
    """Return P(Σ w_i χ²_1 > value), by the sum of Davies (1973, Biometrika 60, 415–417).

    With two weights or more it is right to four digits; with one, to three.

    >>> weighted_tail([3.841, 5.991], np.ones(2)).round(3)
    array([0.147, 0.05 ])
    """
    total = weights.sum()
    places = np.arange(20_000) + 0.5
    t = 0.05 * places
    turned = 2 * t[:, None] * weights / total
    angle = np.arctan(turned).sum(axis=1) / 2
    size = np.exp(-np.log1p(turned**2).sum(axis=1) / 4)
    waves = np.sin(angle - np.asarray(values)[..., None] / total * t)
    return np.asarray(0.5 + waves @ (size / places) / np.pi)

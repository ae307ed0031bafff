"""Curves with known truths, for tests of the statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise import Curves

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from curvewise.kernels import Floats


def autoregressive(rng: np.random.Generator, n_runs: int, n_steps: int) -> Floats:
    """AR(1) with correlation .9 between neighbouring steps, and variance 1."""
    noise = rng.normal(size=(n_runs, n_steps))
    curves = noise.copy()
    for step in range(1, n_steps):
        curves[:, step] = 0.9 * curves[:, step - 1] + np.sqrt(1 - 0.81) * noise[:, step]
    return curves


def random_walk(rng: np.random.Generator, n_runs: int, n_steps: int) -> Floats:
    return rng.normal(size=(n_runs, n_steps)).cumsum(axis=1)


def heavy_tailed(rng: np.random.Generator, n_runs: int, n_steps: int) -> Floats:
    """Random walks of Cauchy steps around Cauchy heights."""
    heights = rng.standard_cauchy((n_runs, 1))
    return heights + rng.standard_cauchy((n_runs, n_steps)).cumsum(axis=1)


def integer_tied(rng: np.random.Generator, n_runs: int, n_steps: int) -> Floats:
    """Few different whole numbers, so that many relabellings tie."""
    return rng.integers(0, 2, size=(n_runs, n_steps)).cumsum(axis=1).astype(float)


NULLS: dict[str, Callable[[np.random.Generator, int, int], Floats]] = {
    "AR(1)": autoregressive,
    "random walk": random_walk,
    "heavy-tailed": heavy_tailed,
    "integer-tied": integer_tied,
}


def some_curves(
    seed: int, sizes: Sequence[int] = (5, 4), n_steps: int = 6, **options: object
) -> Curves:
    """AR(1) curves of algorithms A, B, …"""
    scores = autoregressive(np.random.default_rng(seed), sum(sizes), n_steps)
    names = "ABCDEFGH"[: len(sizes)]
    return Curves(scores, np.repeat(list(names), sizes), **options)  # type: ignore[arg-type]

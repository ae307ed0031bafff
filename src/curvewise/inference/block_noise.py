"""Noise for simulated blocks with one run of each algorithm, such as pairs with the same seed.

Write e_ba for what its algorithm's mean curve leaves of the run of algorithm a in block b, of B
blocks and m algorithms. Runs of a block may correlate. Where all algorithms vary alike, the noise
of a block is its mean u plus deviations from it, whose covariance is that of all contrasts t
between the runs of a block together, with (B − 1)(m − 1) degrees of freedom:

    gaussian:  Σ_b g_b ū_b / √(B − 1),  and for each contrast  Σ_bc g_bc t_bc / √((B − 1)(m − 1))
    resample:  e_J √(B / (B − 1)),  J drawn at random, its curves given to algorithms at random

So the algorithms of a block are exchangeable where there is no effect. Where each algorithm has
noise of its own, whole blocks are drawn as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, get_args

import numpy as np

from curvewise.data.choices import check_choice
from curvewise.errors import CurvesError
from curvewise.inference.noise import (
    NoiseKind,
    check_pilots,
    check_spread,
    in_order,
    residuals_of,
)
from curvewise.kernels.anova.thresholds import rounding
from curvewise.text import argument

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats

__all__ = ["BlockNoise", "block_noise"]


@dataclass(frozen=True, eq=False)
class BlockNoise:
    """Noise of blocks with one run of each algorithm, as pilot blocks show it.

    Attributes
    ----------
    residuals : array, (n_blocks, n_algorithms, n_steps)
        What the mean curves of the algorithms leave of the pilots.
    kind : "gaussian" or "resample"
    pool : bool
        Whether all algorithms vary alike.
    """

    residuals: Floats = field(repr=False)
    kind: NoiseKind = "gaussian"
    pool: bool = True

    @property
    def n_steps(self) -> int:
        """The number of steps of a run."""
        return self.residuals.shape[2]

    @property
    def df(self) -> int:
        """How many runs' worth is known about differences between the runs of a block."""
        n_blocks, n_algorithms, _ = self.residuals.shape
        return (n_blocks - 1) * (n_algorithms - 1 if self.pool else 1)

    @property
    def height_sd(self) -> float:
        """The standard deviation of curve means, that of the algorithms together."""
        n_blocks, n_algorithms, _ = self.residuals.shape
        heights = self.residuals.mean(axis=2)
        return math.sqrt(float(np.sum(heights**2)) / ((n_blocks - 1) * n_algorithms))

    def of_heights(self) -> BlockNoise:
        """Return the noise of curve means; drawn alike."""
        return replace(self, residuals=self.residuals.mean(axis=2, keepdims=True))

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        """Return the noise of ``n`` blocks, one after the other; (n, n_algorithms × n_steps)."""
        n_blocks, n_algorithms, _ = self.residuals.shape
        if self.kind == "resample":
            numbers = rng.random((n, 1 + n_algorithms))
            drawn = self.residuals[(numbers[:, 0] * n_blocks).astype(np.int64)]
            if self.pool:
                order = np.argsort(numbers[:, 1:], axis=1)
                drawn = np.take_along_axis(drawn, order[:, :, None], axis=1)
            return drawn.reshape(n, -1) * math.sqrt(n_blocks / (n_blocks - 1))
        if not self.pool:
            flat = self.residuals.reshape(n_blocks, -1)
            return rng.standard_normal((n, n_blocks)) @ flat / math.sqrt(n_blocks - 1)
        basis = _contrasts(n_algorithms)
        of_pilots = np.einsum("ac,bah->bch", basis, self.residuals)
        n_contrasts = len(of_pilots) * (n_algorithms - 1)
        numbers = rng.standard_normal((n, n_blocks + (n_algorithms - 1) * n_contrasts))
        means = numbers[:, :n_blocks] @ self.residuals.mean(axis=1)
        weights = numbers[:, n_blocks:].reshape(n, n_algorithms - 1, n_contrasts)
        contrasts = weights @ of_pilots.reshape(n_contrasts, -1)
        deviations = np.einsum("ac,nch->nah", basis, contrasts) / math.sqrt(self.df)
        drawn = means[:, None] / math.sqrt(n_blocks - 1) + deviations
        return drawn.reshape(n, -1)


def _contrasts(n_algorithms: int) -> Floats:
    """Return orthonormal contrasts; (n_algorithms, n_algorithms − 1)."""
    first = np.column_stack([np.ones(n_algorithms), np.eye(n_algorithms)[:, 1:]])
    return np.asarray(np.linalg.qr(first)[0][:, 1:])


def block_noise(
    pilots: Curves, kind: NoiseKind = "gaussian", *, pool: bool = True
) -> BlockNoise:
    """Return the noise of blocks with one run of each algorithm, as pilots in blocks show it.

    Raises where the pilots are not in such blocks, are too few to tell, or do not vary.
    """
    check_choice("noise", kind, get_args(NoiseKind))
    if pilots.blocks is None or not np.all(pilots.block_counts == 1):
        msg = (
            "To plan blocks, such as pairs of runs with the same seed, every block of the pilots "
            "must hold one run of each algorithm. Name the column of blocks with "
            f"{argument('block')}, or plan without them: leave {argument('blocks')} out."
        )
        raise CurvesError(msg)
    check_pilots(pilots, kind, pool=pool)
    residuals = residuals_of(pilots)
    check_spread(pilots, residuals)
    blocks = list(dict.fromkeys(pilots.blocks))
    place = np.array([blocks.index(name) for name in pilots.blocks])
    side_by_side = np.empty((len(blocks), len(pilots.algorithms), pilots.n_steps))
    side_by_side[place, pilots.codes] = residuals
    within = side_by_side - side_by_side.mean(axis=1, keepdims=True)
    if float(np.linalg.norm(within)) <= rounding(pilots.scores, pilots.precision):
        msg = (
            "The runs of every block differ in the same way, so that nothing is known about how "
            "such differences vary. Check that the algorithms were trained apart."
        )
        raise CurvesError(msg)
    flat = in_order(side_by_side.reshape(len(blocks), -1))
    return BlockNoise(flat.reshape(side_by_side.shape), kind, pool)

"""Sums of squares of a table of curves, and of every shuffled table.

Write X for the curves with their step means (or block mean curves) taken off, and S_i
for the sum of X over the runs of algorithm i. Then, per shuffle,

    SS_alg + SS_int = Σ_i |S_i|² / n_i,    SS_alg = Σ_i (S_i · 1)² / (k n_i),

and Σ X² never changes. Only inner products of curves matter, so X is rotated once onto
a coordinate along the constant curve, the height, and at most n more, the shape: the
cost of a shuffle does not grow with the number of steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = [
    "TIE",
    "Strata",
    "Totals",
    "centred",
    "f_ratio",
    "group_squares",
    "rotated",
    "shares",
    "strata",
]

# Shares of variation closer than this are one value seen through rounding. A share is at
# most 1 and is computed to about n ulp, so this also holds for tables of many runs.
TIE = 1e-11


class Strata(NamedTuple):
    """What shuffling leaves alone: the sums of squares around it, and its two strata."""

    training: float
    blocks: float
    blocks_by_training: float
    heights: float  # SS_alg + SS_curves
    shapes: float  # SS_int + SS_residual
    total: float


class Totals(NamedTuple):
    """The variation that algorithms and runs share out between them."""

    heights: float
    shapes: float


def centred(scores: Floats, blocks: Integers) -> Floats:
    """Take its block's mean curve off every curve."""
    deviations = scores - scores.mean(axis=0)
    for block in np.unique(blocks):
        rows = blocks == block
        # Taken off what is already centred, so that a large offset costs no digits.
        deviations[rows] -= deviations[rows].mean(axis=0)
    return deviations


def strata(scores: Floats, blocks: Integers) -> Strata:
    """Split the total variation into training, blocks, curve heights and curve shapes."""
    n_runs, n_steps = scores.shape
    deviations = scores - scores.mean()
    step_means = deviations.mean(axis=0)
    around_steps = deviations - step_means
    within = centred(scores, blocks)
    block_curves = around_steps - within
    block_heights = block_curves.mean(axis=1)
    heights = within.mean(axis=1)
    shapes = within - heights[:, None]
    total = float(np.sum(deviations**2))
    # What is left of equal numbers after subtraction is rounding, not variation.
    floor = total * 1e-26

    def variation(deviations: Floats) -> float:
        ss = float(np.sum(deviations**2))
        return ss if ss > floor else 0.0

    return Strata(
        training=n_runs * variation(step_means - step_means.mean()),
        blocks=n_steps * variation(block_heights),
        blocks_by_training=variation(block_curves - block_heights[:, None]),
        heights=n_steps * variation(heights),
        shapes=variation(shapes),
        total=total,
    )


def rotated(deviations: Floats) -> Floats:
    """Express curves by their height and at most n coordinates of shape.

    Inner products, and so all sums of squares, are kept. The first column is the height.
    """
    n_steps = deviations.shape[1]
    heights = deviations.mean(axis=1, keepdims=True)
    # The triangular factor of the transposed shapes has the same inner products.
    triangle = np.asarray(np.linalg.qr((deviations - heights).T, mode="r"))
    return np.hstack([heights * np.sqrt(n_steps), triangle.T])


def group_squares(labels: Integers, coordinates: Floats, sizes: Integers) -> Floats:
    """Return SS_alg and SS_int of each relabelling; shape (2, n_relabellings).

    ``labels`` is (n_relabellings, n_runs); the coordinates are those of `rotated`.
    """
    squares = np.zeros((len(labels), coordinates.shape[1]))
    last = np.zeros_like(squares)
    for group in range(len(sizes) - 1):
        sums = (labels == group).astype(np.float64) @ coordinates
        squares += sums**2 / sizes[group]
        last -= sums  # centred curves sum to zero, so the last group needs no product
    squares += last**2 / sizes[-1]
    return np.stack([squares[:, 0], squares[:, 1:].sum(axis=1)])


def shares(between: Floats, totals: Totals) -> Floats:
    """Return each effect as a share of itself plus its error; shape (5, ...).

    In the order overall, algorithm and interaction by their own strata, algorithm and
    interaction by the pooled error. A share rises with its F, never leaves [0, 1] and
    needs no division by an error that may be zero, so shares are what is counted.
    """
    algorithm, interaction = between
    total = totals.heights + totals.shapes
    error = total - algorithm - interaction
    return np.stack(
        [
            _share(algorithm + interaction, total),
            _share(algorithm, totals.heights),
            _share(interaction, totals.shapes),
            _share(algorithm, algorithm + error),
            _share(interaction, interaction + error),
        ]
    )


def _share(part: Floats, whole: Floats | float) -> Floats:
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), np.shape(part))
    out = np.zeros(np.shape(part))
    np.divide(part, whole, out=out, where=whole > 0)
    return np.clip(out, 0.0, 1.0)


def f_ratio(share: Floats, df: tuple[int, int]) -> Floats:
    """Turn the share of an effect into its F; infinite when no error is left."""
    share = np.asarray(share, dtype=np.float64)
    rest = 1.0 - share
    out = np.full(share.shape, np.inf)
    np.divide(share * df[1], rest * df[0], out=out, where=rest > TIE)
    return out

"""How much the runs of each group vary, and in how many directions.

Write S for the covariance of a group of n runs, ν = n − 1, and Σ for what S estimates. With few
runs S has fewer directions than Σ: (tr S)² / tr S² is at most ν. Without that bias,

    A = ν² / ((ν − 1)(ν + 2)) (tr S² − (tr S)² / ν)  estimates tr Σ²,
    B = (tr S)² − 2 A / ν                            estimates (tr Σ)²

for normal curves (Bai & Saranadasa 1996), and B / A is the number of directions f. A group's own
B / A is noisy, so the smaller of it and that of all groups together is taken, times ν / (ν + 1),
and not less than 1.

Whether groups differ in spread is asked by the test of Bartlett (1937) of tr S on ν f degrees of
freedom each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.pvalues import chi_squared_survival

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats

__all__ = ["Spreads", "equal_spread_pvalue", "n_directions", "spreads"]

MAX_DIRECTIONS = 1e4  # beyond this a sum of squares is as good as constant


class Spreads(NamedTuple):
    """For each group: tr S, the directions f, and tr S² / (tr S)² − 1 / ν; (n_groups,)."""

    variances: Floats
    directions: Floats
    unevenness: Floats


def spreads(residuals: Sequence[Floats]) -> Spreads:
    """Return the spreads of groups; ``residuals`` are runs less the mean of their group.

    Each group has two runs or more. One that does not vary has one direction.
    """
    freedom = np.array([len(group) - 1 for group in residuals], dtype=np.float64)
    totals = np.array([np.sum(group**2) for group in residuals])
    varies = totals > 0
    # Of curves in units of their own spread, so that no scale is too large or too small.
    units = np.sqrt(np.where(varies, totals, 1.0))
    shares = np.array(
        [_squared(group / unit) for group, unit in zip(residuals, units, strict=True)]
    )
    unevenness = np.maximum(shares - 1 / freedom, 0.0) * varies
    # A single difference of two runs says nothing about directions: it counts as one.
    many = freedom > 1
    divisor = np.where(many, (freedom - 1) * (freedom + 2), 1.0)
    own = np.where(many, freedom**2 * unevenness / divisor, freedom / (freedom + 2))
    total = 1 - 2 * own / freedom
    weights = freedom * varies
    pooled = _ratio(np.sum(weights * total), np.sum(weights * own))
    directions = np.minimum(_ratio(total, own), pooled) * freedom / (freedom + 1)
    directions = np.where(varies, np.clip(directions, 1.0, MAX_DIRECTIONS), 1.0)
    return Spreads(totals / freedom, directions, unevenness)


def equal_spread_pvalue(residuals: Sequence[Floats]) -> float:
    """Return the p of the hypothesis that all groups vary alike, if curves are normal.

    ``residuals`` are as `spreads` takes them, of two groups or more. It is 0 where some vary and
    others do not, and 1 where none does.
    """
    variances, directions, _ = spreads(residuals)
    if variances.min() <= 0:
        return float(variances.max() <= 0)
    df = np.array([len(group) - 1 for group in residuals]) * directions
    total, more = float(df.sum()), len(residuals) - 1
    pooled = float(np.sum(df * variances)) / total
    statistic = float(np.sum(df * np.log(pooled / variances)))
    correction = 1 + (float(np.sum(1 / df)) - 1 / total) / (3 * more)
    return chi_squared_survival(max(statistic, 0.0) / correction, more)


def n_directions(vectors: Floats) -> float:
    """Return (tr V)² / tr V² of vectors that are centred; 1 where they do not vary."""
    total = float(np.sum(vectors**2))
    return total**2 / _squared(vectors) if total > 0 else 1.0


def _squared(vectors: Floats) -> float:
    """Return tr (XᵀX)², by the smaller of the two products."""
    wide = len(vectors) < vectors.shape[1]
    return float(np.sum((vectors @ vectors.T if wide else vectors.T @ vectors) ** 2))


def _ratio(above: Floats | float, below: Floats | float) -> Floats:
    above, below = np.asarray(above, dtype=np.float64), np.asarray(below)
    ratio = np.full_like(above, MAX_DIRECTIONS)
    np.divide(above, below, out=ratio, where=below > above / MAX_DIRECTIONS)
    return ratio

"""How far apart two algorithms are, in words a reader can weigh."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.pvalues import hedges_correction
from curvewise.kernels.shifts import shift_interval
from curvewise.results import Difference, Interval

if TYPE_CHECKING:
    from curvewise.curves import Curves
    from curvewise.kernels import Floats, Integers
    from curvewise.shuffling import Visited

__all__ = ["measure_difference"]


def measure_difference(
    curves: Curves,
    contrast: Floats,
    member: Integers,
    visited: Visited,
    *,
    unit: float,
    noise: float,
    alpha: float,
) -> Difference:
    """Return the difference of curve means with its interval, and effect sizes.

    ``contrast`` holds the centred curve means and memberships, in the order of
    ``member``, which is 0 for the first algorithm; ``unit`` is what they were divided by,
    and ``noise`` how far rounding can move the table.
    """
    # Within blocks, where there are blocks: the least-squares estimate of a shift.
    height, membership = contrast[member == 0].sum(axis=0)
    value = float(height / membership)
    low, high = shift_interval(
        value,
        visited.contrast[:, 0] / membership,
        visited.contrast[:, 1] / membership,
        alpha,
        exact=visited.keeps_all,
    )
    # Zero is the one shift that readers look for: an end a rounding error away is at it.
    slack = 2 * noise / math.sqrt(curves.scores.size)
    value, low, high = (0.0 if abs(x) <= slack else x for x in (value, low, high))
    a, b = curves.algorithms
    means = curves.scores.mean(axis=1) / unit
    return Difference(
        a=a,
        b=b,
        value=value * unit,
        interval=Interval(low * unit, high * unit),
        confidence=1 - alpha,
        hedges_g=_hedges_g(value, contrast, curves, slack),
        probability_of_superiority=_superiority(curves, means, slack),
    )


def _hedges_g(
    value: float, contrast: Floats, curves: Curves, slack: float
) -> float | None:
    """Return the difference in standard deviations of curve means, if these exist.

    Within blocks, where there are blocks: those of what blocks leave.
    """
    n_blocks = 1 if curves.blocks is None else len(set(curves.blocks))
    df = curves.n_runs - 2 - (n_blocks - 1)
    rest = contrast[:, 0] - value * contrast[:, 1]
    scale = math.sqrt(float(rest @ rest) / df) if df > 0 else 0.0
    if df < 2 or scale <= slack:
        return None
    return hedges_correction(df) * value / scale


def _superiority(curves: Curves, means: Floats, slack: float) -> float:
    """Return how often a run of the first algorithm is the better one; ties half."""
    first, second = np.flatnonzero(curves.codes == 0), np.flatnonzero(curves.codes == 1)
    pairs = np.ones((len(first), len(second)), dtype=np.bool_)
    if curves.blocks is not None:
        pairs = curves.blocks[first][:, None] == curves.blocks[second]
    apart = means[first][:, None] - means[second]
    ahead = np.where(np.abs(apart) <= slack, 0.0, np.sign(apart))
    if not curves.higher_is_better:
        ahead = -ahead
    return float(np.mean((1 + ahead[pairs]) / 2))

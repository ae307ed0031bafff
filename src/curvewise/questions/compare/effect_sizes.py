"""Effect sizes of two algorithms: difference, Hedges' g, probability of superiority."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.effects import Interval
from curvewise.kernels.inversion import shift_interval
from curvewise.kernels.pvalues import hedges_correction
from curvewise.questions.compare.result import Difference

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.effects import Effect
    from curvewise.kernels import Floats
    from curvewise.kernels.anova.design import Design
    from curvewise.shuffling.layout import Layout
    from curvewise.shuffling.visiting import Counts

__all__ = ["measure_difference"]


def measure_difference(
    curves: Curves,
    layout: Layout,
    design: Design,
    found: Counts | None,
    *,
    height: Effect,
) -> Difference:
    """Return the difference of curve means with its interval, and effect sizes.

    The interval holds all shifts that the shuffle test does not reject, none at all exactly if
    ``height`` is not significant; without the shuffles it is unbounded.
    """
    contrast, unit = design.contrast, layout.unit
    assert contrast is not None  # noqa: S101 (asked only of two algorithms)
    # Within blocks, where there are blocks: the least-squares estimate of a shift.
    lead, membership = contrast[layout.labels == 0].sum(axis=0)
    value = float(lead / membership)
    slack = 2 * layout.noise / math.sqrt(curves.scores.size)
    low, high = -math.inf, math.inf
    if found is not None:
        shuffled, likeness = found.kept[1] / membership
        # Ties are those of the test of height: SS_alg is k times membership times D².
        tie = 2 * layout.noise / math.sqrt(curves.n_steps * float(membership))
        low, high = shift_interval(
            value,
            shuffled,
            likeness,
            height.alpha,
            exact=found.plan.keeps_all,
            tie=tie,
            rejected=height.significant,
        )
    # Zero is the one shift that readers look for: an end a rounding error away is at it.
    value, low, high = (0.0 if abs(x) <= slack else x for x in (value, low, high))
    a, b = curves.algorithms
    means = curves.scores.mean(axis=1) / unit
    return Difference(
        a=a,
        b=b,
        value=value * unit,
        interval=Interval(low * unit, high * unit),
        confidence=1 - height.alpha,
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
    residuals = contrast[:, 0] - value * contrast[:, 1]
    scale = math.sqrt(float(residuals @ residuals) / df) if df > 0 else 0.0
    if df < 2 or scale <= slack:
        return None
    return hedges_correction(df) * value / scale


def _superiority(curves: Curves, means: Floats, slack: float) -> float:
    """Return how often a run of the first algorithm is the better one; ties half."""
    first, second = np.flatnonzero(curves.codes == 0), np.flatnonzero(curves.codes == 1)
    pairs = np.ones((len(first), len(second)), dtype=np.bool_)
    if curves.blocks is not None:
        pairs = curves.blocks[first][:, None] == curves.blocks[second]
    differences = means[first][:, None] - means[second]
    sign = np.where(np.abs(differences) <= slack, 0.0, np.sign(differences))
    if not curves.higher_is_better:
        sign = -sign
    return float(np.mean((1 + sign[pairs]) / 2))

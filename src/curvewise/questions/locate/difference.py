"""The difference of two algorithms: its band, and where they are known to change places."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.effects import Interval
from curvewise.kernels.location.bands import (
    band_ends,
    critical_t,
    sign_changes,
    zero_crossing,
)
from curvewise.kernels.pvalues import upper_quantile
from curvewise.questions.locate.result import Band, Crossing

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.questions.locate.scan import Reference
    from curvewise.shuffling.visiting import Counts

__all__ = ["crossings_of", "difference_band"]


def difference_band(
    curves: Curves,
    reference: Reference,
    found: Counts,
    pvalues: Floats,
    unit: float,
    alpha: float,
    *,
    decidable: bool,
) -> Band | None:
    """Return the band of the difference; None unless there are two algorithms.

    ``pvalues`` are those of each step, adjusted for all steps: the band leaves 0 out where
    they are at most alpha, and nowhere else. Scores were divided by ``unit``. Without enough
    relabellings for a p of alpha (not ``decidable``) it has no ends.
    """
    if reference.difference is None:
        return None
    (largest,), df = found.kept, reference.design.df[1]
    exact = found.plan.keeps_all
    critical = math.inf
    if decidable:
        critical = max(
            critical_t(upper_quantile(roots, alpha, exact=exact), df) for roots in largest
        )
    difference = reference.difference.values * unit
    errors = reference.difference.errors * unit
    low, high = band_ends(difference, errors, critical, pvalues <= alpha)
    first, second = curves.algorithms
    return Band(first, second, difference, low, high, 1 - alpha)


def crossings_of(
    band: Band | None, steps: Floats, *, higher_is_better: bool
) -> tuple[Crossing, ...]:
    """Return every change of places that a band proves, in order.

    The band lies on one side of 0 at the last step before it, on the other at the first step
    after it.
    """
    if band is None:
        return ()
    signs = (band.low > 0).astype(np.int64) - (band.high < 0)
    crossings = []
    for first, last in sign_changes(signs):
        inside = slice(first, last + 1)
        before, after = band.a, band.b
        if (signs[first] > 0) != higher_is_better:
            before, after = after, before
        crossings.append(
            Crossing(
                zero_crossing(band.difference[inside], steps[inside]),
                Interval(float(steps[first]), float(steps[last])),
                before,
                after,
                band.confidence,
            )
        )
    return tuple(crossings)

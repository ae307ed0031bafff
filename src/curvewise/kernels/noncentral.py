"""Student's t with an effect: power, limits of a standardised difference, spread at its worst.

SciPy's special functions are imported by the functions that need them, as in `pvalues`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "noncentral_limit",
    "noncentral_quantile",
    "noncentral_survival",
    "spread_factor",
    "t_quantile",
]

MAX_SUMMED = 400  # degrees of freedom; with more, the normal approximation is as good
N_HALVINGS = 100  # of an interval: more than double precision can tell


def t_quantile(probability: float, df: float) -> float:
    """Return the value that Student's t stays below with this probability."""
    from scipy.special import stdtrit

    return float(stdtrit(df, probability))


def noncentral_survival(t: float, df: float, effect: float) -> float:
    """Return the probability that noncentral t exceeds ``t``; ``effect`` is its noncentrality.

    >>> round(noncentral_survival(1.7056, 26, math.sqrt(7)), 3)
    0.824
    """
    from scipy.special import nctdtr, ndtr

    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    if df <= MAX_SUMMED:
        # Mirrored, so that small chances of the upper tail are not lost in one minus them.
        found = (
            float(nctdtr(df, -effect, -t)) if t > 0 else 1 - float(nctdtr(df, effect, t))
        )
        if math.isfinite(found):
            return min(max(found, 0.0), 1.0)
    # Abramowitz & Stegun (1964), 26.7.10: near for many degrees of freedom, where the sums of
    # SciPy take long; and far out, where they give up.
    t_scaled = t * (1 - 1 / (4 * df))
    return float(ndtr((effect - t_scaled) / math.sqrt(1 + t * t / (2 * df))))


def noncentral_quantile(probability: float, df: float, effect: float) -> float:
    """Return the value that noncentral t stays below with this probability."""
    reach = abs(effect) * 4 + 1_000.0
    return _crossing(
        lambda t: noncentral_survival(t, df, effect) - (1 - probability), -reach, reach
    )


def noncentral_limit(t: float, df: float, probability: float) -> float:
    """Return the effect with which noncentral t exceeds ``t`` with this probability.

    The lower limit of an effect at a level is that of ``probability`` equal to the level, and
    the upper limit that of one minus it.
    """
    if math.isinf(t):
        return t
    reach = abs(t) * 4 + 100.0
    return -_crossing(
        lambda effect: noncentral_survival(t, df, -effect) - probability, -reach, reach
    )


def spread_factor(df: float, confidence: float) -> float:
    """Return by what a standard deviation may be too small, with this confidence.

    >>> round(spread_factor(8, 0.8), 3)
    1.32
    """
    from scipy.special import gammaincinv

    return math.sqrt(df / (2 * float(gammaincinv(df / 2, 1 - confidence))))


def _crossing(falls: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function crosses zero."""
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        if falls(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2

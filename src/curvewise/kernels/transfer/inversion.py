"""The ratios of two means that the shuffle test does not reject, and intervals that obey a test.

Multiply every run of the control by ρ and shuffle. With a and b the observed means, and with P
and Q what the experimental and the control runs add to the difference of a relabelling at
ρ = 1, the relabelling is at least as extreme as the observed one if

    |P + ρ Q| ≥ |a − ρ b|,    that is if    (P − a + ρ (Q + b)) (P + a + ρ (Q − b)) ≥ 0,

which can change only at the two roots (a − P) / (b + Q) and (a + P) / (b − Q). It holds at the
observed ratio, whose right side is 0; from there p(ρ) is followed upwards and downwards to where
it first falls to α (Fieller 1954, with shuffles in place of Student's t).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.pvalues import n_allowed

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = ["ratio_interval"]

# A contribution that differs from the observed one by less than this share equals it.
TOLERANCE = 1e-9


def ratio_interval(
    observed: tuple[float, float],
    shuffled: tuple[Floats, Floats],
    alpha: float,
    *,
    exact: bool,
) -> tuple[float, float]:
    """Return the ends of the ratios around the observed one whose p is above ``alpha``.

    ``observed`` are the means a and b of the experimental condition and the control, b above
    0; ``shuffled`` the P and Q of each relabelling: of all of them when ``exact``, the
    observed one included, else of a sample without it. Infinite where the relabellings are too
    few to reject any ratio.
    """
    a, b = observed
    p, q = shuffled
    ratio = a / b
    allowed = n_allowed(len(p), alpha, exact=exact)
    if allowed < 0:
        return -math.inf, math.inf
    roots = np.array([_root(a - p, b + q, b), _root(a + p, b - q, b)])
    # One factor is 0 whatever the ratio: the observed labels, or their mirror image.
    scale = TOLERANCE * (abs(a) + b)
    for sign in (-1, 1):
        is_same = (np.abs(p + sign * a) <= scale) & (np.abs(q - sign * b) <= scale)
        roots[:, is_same] = np.nan
    roots.sort(axis=0)
    # Between its roots, which enclose the observed ratio, or outside them, which do not.
    is_between = np.abs(q) < b * (1 - TOLERANCE)
    ends = []
    for side in (-1, 1):
        near, far = roots if side > 0 else -roots[::-1]
        start = side * ratio
        # Outside two roots ahead a relabelling stops counting, and then counts again.
        leaves = np.where(
            is_between,
            far,
            np.where(near > start, near, np.where(far > start, far, np.inf)),
        )
        enters = np.where(~is_between & (near > start), far, np.inf)
        ends.append(side * _first_below(leaves, enters, allowed))
    return min(ends[0], ratio), max(ends[1], ratio)


def _root(numerator: Floats, denominator: Floats, scale: float) -> Floats:
    """Divide; NaN, which sorts last, where the denominator is 0 but for rounding."""
    roots = np.full_like(numerator, np.nan)
    usable = np.abs(denominator) > TOLERANCE * scale
    np.divide(numerator, denominator, out=roots, where=usable)
    return roots


def _first_below(leaves: Floats, enters: Floats, allowed: int) -> float:
    """Return where the number of relabellings that count first falls to ``allowed``.

    All count at first; each leaves at one point, and may enter again at a later one.
    """
    is_leave, is_enter = np.isfinite(leaves), np.isfinite(enters)
    places = np.concatenate([enters[is_enter], leaves[is_leave]])
    changes = np.ones(len(places), dtype=np.int64)
    changes[int(is_enter.sum()) :] = -1
    # Stable, so that of equal places the entering ones come first: ends belong to intervals.
    order = np.argsort(places, kind="stable")
    counts = len(leaves) + np.cumsum(changes[order])
    is_below = counts <= allowed
    return float(places[order][np.argmax(is_below)]) if is_below.any() else math.inf

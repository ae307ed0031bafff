"""The shifts of one algorithm against another that the shuffle test does not reject.

Subtract δ from every run of the first of two algorithms and shuffle. A relabelling is then at
least as extreme as the observed one if |D* − δ c| ≥ |D − δ|, where D is the observed
difference, D* that of the relabelling, and c ∈ [−1, 1] the likeness of the two labellings. The left minus the right side, squared, is a parabola in δ with the roots
(D − D*)/(1 − c) and (D + D*)/(1 + c), so the relabelling counts exactly between them, and
both enclose D. The interval of δ with p > α can be read off the sorted roots.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.pvalues import n_allowed

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = ["agreeing", "lowest_shift", "shift_interval"]

# Labellings whose likeness differs from ±1 by less than this are the same partition.
LIKENESS_TOLERANCE = 1e-9
COMPILED = "curvewise.kernels.compiled_inversion"


def shift_interval(
    observed: float,
    shuffled: Floats,
    likeness: Floats,
    alpha: float,
    *,
    exact: bool,
    tie: float = 0.0,
    rejected: bool | None = None,
) -> tuple[float, float]:
    """Return the lowest and highest shift with a p-value above ``alpha``.

    ``shuffled`` has the difference of each relabelling and ``likeness`` its c: all of them
    when ``exact``, the observed one included, else a sample without it. Differences that are
    no farther apart than ``tie`` are equal. Infinite where the relabellings are too few to
    reject any shift. ``rejected`` says whether no shift at all is rejected, where that is known
    from more relabellings than these.
    """
    low, high = _enclosing_roots(observed, shuffled, likeness, tie)
    allowed = n_allowed(len(shuffled), alpha, exact=exact)
    if allowed < 0:
        return -math.inf, math.inf
    place = len(shuffled) - 1 - allowed
    lowest = np.partition(low, allowed)[allowed]
    highest = np.partition(high, place)[place]
    # Every pair of roots encloses the observed difference, and so must the interval,
    # whatever rounding does.
    ends = min(float(lowest), observed), max(float(highest), observed)
    if rejected is None:
        return ends
    holds_none = ends[0] <= 0.0 <= ends[1]
    candidates = np.append(low, high) if rejected and holds_none else np.empty(0)
    return agreeing(ends, observed, 0.0, candidates, rejected=rejected)


def lowest_shift(
    observed: float,
    shuffled: Floats,
    likeness: Floats,
    alpha: float,
    *,
    exact: bool,
    tie: float = 0.0,
) -> float:
    """Return the lowest shift with a one-sided p-value above ``alpha``.

    The alternative is a larger shift: a relabelling counts if D* − δ c ≥ D − δ, that is if
    δ ≥ (D − D*)/(1 − c). The arguments are those of `shift_interval`.
    """
    roots = _root(observed - shuffled, 1 - likeness, tie)
    roots[likeness > 1 - LIKENESS_TOLERANCE] = -np.inf
    allowed = n_allowed(len(shuffled), alpha, exact=exact)
    if allowed < 0:
        return -math.inf
    # Unlike the two-sided test, this one may reject the observed difference itself, when
    # alpha is above a half; so the result is not limited by it.
    return float(np.partition(roots, allowed)[allowed])


def _enclosing_roots(
    observed: float, shuffled: Floats, likeness: Floats, tie: float
) -> tuple[Floats, Floats]:
    """Return the lower and the higher root of each relabelling; compiled where that is loaded."""
    if sys.modules.get(COMPILED) is not None:
        from curvewise.kernels.compiled_inversion import enclosing_roots

        low, high = enclosing_roots(observed, shuffled, likeness, tie, LIKENESS_TOLERANCE)
        return np.asarray(low), np.asarray(high)
    same_sign = _root(observed - shuffled, 1 - likeness, tie)
    other_sign = _root(observed + shuffled, 1 + likeness, tie)
    # A relabelling that only swaps names has one root and counts for every shift.
    always = np.abs(likeness) > 1 - LIKENESS_TOLERANCE
    low = np.where(always, -np.inf, np.minimum(same_sign, other_sign))
    return low, np.where(always, np.inf, np.maximum(same_sign, other_sign))


def _root(numerator: Floats, denominator: Floats, tie: float) -> Floats:
    """Return the shift at which a relabelling ties; 0 where it does so without any."""
    roots = np.zeros_like(numerator)
    differs = (denominator > LIKENESS_TOLERANCE) & (np.abs(numerator) > tie)
    np.divide(numerator, denominator, out=roots, where=differs)
    return roots


def agreeing(
    ends: tuple[float, float],
    value: float,
    no_effect: float,
    candidates: Floats,
    *,
    rejected: bool,
) -> tuple[float, float]:
    """Return an interval that holds ``value``, and ``no_effect`` unless that is ``rejected``.

    An interval that leaves out what the test does not reject is stretched to it. One that
    holds what the test rejects ends on the side of the value instead: at the candidate
    nearest to ``no_effect`` there, or at the value.
    """
    low, high = min(ends[0], value), max(ends[1], value)
    if not rejected:
        return min(low, no_effect), max(high, no_effect)
    if low <= no_effect < value:
        beyond = candidates[(candidates > no_effect) & (candidates < value)]
        low = float(beyond.min(initial=value))
    if high >= no_effect > value:
        beyond = candidates[(candidates < no_effect) & (candidates > value)]
        high = float(beyond.max(initial=value))
    return low, high

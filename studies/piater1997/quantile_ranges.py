"""Quantile ranges of replications, verdicts based on them, and their text.

A published number agrees with the replications if it lies within the range of most of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.report import Verdict

__all__ = [
    "JointRanges",
    "QuantileRange",
    "frequency",
    "joint_ranges",
    "judge_frequency",
    "judge_replications",
    "quantile_range",
    "share",
    "short",
]

Floats = npt.NDArray[np.float64]

# A property of one draw is decided if at least, or at most, this fraction of draws has it.
MIN_NEARLY_ALWAYS, MAX_HARDLY_EVER = 0.9, 0.1
MAX_TAIL_PER_MILLE = 50  # the largest share cut off at each end of a range


class QuantileRange(NamedTuple):
    """The median of the replications, and the two quantiles around their middle part."""

    low: float
    median: float
    high: float

    def contains(self, value: float) -> bool:
        """Return whether a value lies within the range, ends included."""
        return self.low <= value <= self.high

    def text(self) -> str:
        """Return the ends as "low to high", rounded."""
        return f"{short(self.low)} to {short(self.high)}"


class JointRanges(NamedTuple):
    """Ranges of several numbers that most replications satisfy simultaneously.

    ``tail`` is the share cut off at each end of every range; ``inside`` marks the
    replications whose numbers all lie within their ranges.
    """

    tail: float
    ranges: tuple[QuantileRange, ...]
    inside: npt.NDArray[np.bool_]

    def text(self) -> str:
        """Return the quantiles at the ends of the ranges, in per cent."""
        return f"{100 * self.tail:g} % to {100 * (1 - self.tail):g} %"


def quantile_range(values: npt.ArrayLike, tail: float = 0.05) -> QuantileRange:
    """Return the median and the quantiles ``tail`` and ``1 - tail``."""
    # Round again: a quantile that equals one of the values must compare equal to it.
    quantiles = np.quantile(_without_rounding_error(values), [tail, 0.5, 1 - tail])
    low, median, high = _without_rounding_error(quantiles).tolist()
    return QuantileRange(low, median, high)


def joint_ranges(values: Sequence[npt.ArrayLike]) -> JointRanges:
    """Return ranges that at least 90 % of the replications satisfy in all numbers.

    With a range of 90 % for each number, many replications would miss at least one. Instead
    the same share is cut off at both ends of every range: the largest share, up to 5 %, for
    which 90 % of the replications have all their numbers inside.
    """
    ranges = (
        _ranges_leaving_out(tail / 1000, values) for tail in range(MAX_TAIL_PER_MILLE, -1, -1)
    )
    # The loop always finds one: with a share of 0 all replications are inside.
    return next(each for each in ranges if each.inside.mean() >= MIN_NEARLY_ALWAYS)


def _ranges_leaving_out(tail: float, values: Sequence[npt.ArrayLike]) -> JointRanges:
    ranges = tuple(quantile_range(each, tail) for each in values)
    inside = [
        (_without_rounding_error(each) >= ours.low) & (_without_rounding_error(each) <= ours.high)
        for each, ours in zip(values, ranges, strict=True)
    ]
    return JointRanges(tail, ranges, np.all(inside, axis=0))


def _without_rounding_error(values: npt.ArrayLike) -> Floats:
    """Round to six decimals, so that a constant with rounding errors has no width."""
    return np.asarray(values, dtype=np.float64).round(6)


def short(value: float) -> str:
    """Format a number with about three significant digits, thousands separated.

    >>> short(139019.3), short(490.6), short(0.25349)
    ('139,019', '491', '0.253')
    """
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def frequency(flags: npt.ArrayLike) -> str:
    """Return how many of the replications have a property, as text.

    >>> frequency([True, True, False, True])
    '3 of 4 replications (75 %)'
    """
    is_true = np.asarray(flags, dtype=np.bool_)
    return f"{is_true.sum()} of {is_true.size} replications ({share(is_true)})"


def share(flags: npt.ArrayLike) -> str:
    """Return the percentage of true values; a whole per cent is shown only if exact.

    >>> share([True, False]), share([True] * 269 + [False] * 31)
    ('50 %', '89.7 %')
    """
    is_true = np.asarray(flags, dtype=np.bool_)
    whole, remainder = divmod(100 * int(is_true.sum()), is_true.size)
    if not remainder:
        return f"{whole} %"
    text = f"{100 * is_true.mean():.1f}"
    return f"{100 * is_true.mean():.2f} %" if text.endswith(".0") else f"{text} %"


def judge_frequency(flags: npt.ArrayLike, *, rough: bool) -> Verdict:
    """Judge a property of one published draw by the fraction of replications that have it."""
    fraction = float(np.mean(np.asarray(flags, dtype=np.bool_)))
    if MAX_HARDLY_EVER < fraction < MIN_NEARLY_ALWAYS:
        return "cannot be known"
    return judge_replications(fraction >= MIN_NEARLY_ALWAYS, rough=rough)


def judge_replications(holds: object, *, rough: bool) -> Verdict:
    """Return a verdict; ``rough`` replications, which share runs, cannot refute a claim."""
    if holds:
        return "agrees"
    return "cannot be known" if rough else "differs"

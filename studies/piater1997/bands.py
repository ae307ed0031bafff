"""Where replications lie, how a published number is held against them, and how it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.report import Verdict

__all__ = [
    "Band",
    "JointBand",
    "band",
    "frequency",
    "joint_band",
    "settled",
    "share",
    "short",
    "weighed",
]

Floats = npt.NDArray[np.float64]

# A property of one draw is settled when nearly every draw, or hardly any, has it.
NEARLY_ALWAYS, HARDLY_EVER = 0.9, 0.1
LARGEST_TAIL = 50  # of 1000 replications, what a range may leave out on each side


class Band(NamedTuple):
    """Where the middle part of the replications lies, and their median."""

    low: float
    median: float
    high: float

    def holds(self, value: float) -> bool:
        """Say whether a value lies inside."""
        return self.low <= value <= self.high

    def text(self) -> str:
        """Return low to high, to the digits a reader can use."""
        return f"{short(self.low)} to {short(self.high)}"


class JointBand(NamedTuple):
    """Ranges of several numbers that honest replications keep to together.

    ``tail`` is the share left out on each side of every number; ``inside`` says which
    replications have all their numbers inside.
    """

    tail: float
    bands: tuple[Band, ...]
    inside: npt.NDArray[np.bool_]

    def text(self) -> str:
        """Say which part of the replications the ranges hold."""
        return f"{100 * self.tail:g} % to {100 * (1 - self.tail):g} %"


def band(values: npt.ArrayLike, tail: float = 0.05) -> Band:
    """Return the median and the quantiles that leave out a share on each side."""
    # Rounded again: a quantile that is one of the values must not fall beside it.
    quantiles = np.quantile(_clean(values), [tail, 0.5, 1 - tail])
    low, median, high = _clean(quantiles).tolist()
    return Band(low, median, high)


def joint_band(values: Sequence[npt.ArrayLike]) -> JointBand:
    """Return ranges of several numbers, wide enough for nearly all replications.

    Ranges of 90 % each would often be left by one number of many. So the same share is cut
    off on both sides of every number, the largest up to 5 % that leaves at least 90 % of the
    replications with all their numbers inside.
    """
    ranges = (_leaving_out(tail / 1000, values) for tail in range(LARGEST_TAIL, -1, -1))
    # There is one, for nothing lies outside the ranges that leave out nothing.
    return next(each for each in ranges if each.inside.mean() >= NEARLY_ALWAYS)


def _leaving_out(tail: float, values: Sequence[npt.ArrayLike]) -> JointBand:
    bands = tuple(band(each, tail) for each in values)
    inside = [
        (_clean(each) >= ours.low) & (_clean(each) <= ours.high)
        for each, ours in zip(values, bands, strict=True)
    ]
    return JointBand(tail, bands, np.all(inside, axis=0))


def _clean(values: npt.ArrayLike) -> Floats:
    """Drop what floating-point sums leave, so that a constant has no width."""
    return np.asarray(values, dtype=np.float64).round(6)


def short(value: float) -> str:
    """Write a number as the report's tables do, without digits that carry nothing.

    >>> short(139019.3), short(490.6), short(0.25349)
    ('139,019', '491', '0.253')
    """
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def frequency(which: npt.ArrayLike) -> str:
    """Say in how many replications something is so.

    >>> frequency([True, True, False, True])
    '3 of 4 replications (75 %)'
    """
    holds = np.asarray(which, dtype=np.bool_)
    return f"{holds.sum()} of {holds.size} replications ({share(holds)})"


def share(which: npt.ArrayLike) -> str:
    """Return in how many per cent something is so, never rounded to a whole one.

    >>> share([True, False]), share([True] * 269 + [False] * 31)
    ('50 %', '89.7 %')
    """
    holds = np.asarray(which, dtype=np.bool_)
    whole, rest = divmod(100 * int(holds.sum()), holds.size)
    if not rest:
        return f"{whole} %"
    text = f"{100 * holds.mean():.1f}"
    return f"{100 * holds.mean():.2f} %" if text.endswith(".0") else f"{text} %"


def settled(which: npt.ArrayLike, *, rough: bool) -> Verdict:
    """Judge a property of one draw by how often draws have it."""
    often = float(np.mean(np.asarray(which, dtype=np.bool_)))
    if HARDLY_EVER < often < NEARLY_ALWAYS:
        return "cannot be known"
    return weighed(often >= NEARLY_ALWAYS, rough=rough)


def weighed(holds: object, *, rough: bool) -> Verdict:
    """Return a verdict from replications; rough ones, that share runs, cannot refute."""
    if holds:
        return "agrees"
    return "cannot be known" if rough else "differs"

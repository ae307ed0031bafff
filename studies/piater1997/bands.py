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
# Shares of the replications a range may leave out on each side, largest first.
TAILS = np.arange(50, -1, -1) / 1000


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
    low, median, high = _quantiles(_clean(values), [tail, 0.5, 1 - tail])
    return Band(float(low), float(median), float(high))


def joint_band(values: Sequence[npt.ArrayLike]) -> JointBand:
    """Return ranges of several numbers, wide enough for nearly all replications.

    Ranges of 90 % each would often be left by one number of many. So the same share is cut
    off on both sides of every number, the largest up to 5 % that leaves at least 90 % of the
    replications with all their numbers inside.
    """
    clean = _clean(values)[:, None, :]  # (numbers, tails, replications)
    low = np.stack([_quantiles(each[0], TAILS) for each in clean])[..., None]
    high = np.stack([_quantiles(each[0], 1 - TAILS) for each in clean])[..., None]
    inside = np.all((clean >= low) & (clean <= high), axis=0)
    # The last tail is 0, which leaves nothing out.
    place = int(np.argmax(inside.mean(axis=1) >= NEARLY_ALWAYS))
    tail = float(TAILS[place])
    return JointBand(tail, tuple(band(each, tail) for each in values), inside[place])


def _clean(values: npt.ArrayLike | Sequence[npt.ArrayLike]) -> Floats:
    """Drop what floating-point sums leave, so that a constant has no width."""
    return np.round(np.asarray(values, dtype=np.float64), 6)


def _quantiles(clean: Floats, at: npt.ArrayLike) -> Floats:
    # Rounded again: a quantile that is one of the values must not fall beside it.
    return np.asarray(np.round(np.quantile(clean, at), 6))


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

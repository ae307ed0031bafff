"""Where replications lie, how a published number is held against them, and how it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from studies.report import Verdict

__all__ = ["Band", "band", "frequency", "settled", "short"]

# A property of one draw is settled when nearly every draw, or hardly any, has it.
NEARLY_ALWAYS, HARDLY_EVER = 0.9, 0.1


class Band(NamedTuple):
    """Where the middle 90 % of the replications lie, and their median."""

    low: float
    median: float
    high: float

    def holds(self, value: float) -> bool:
        """Say whether a value lies inside."""
        return self.low <= value <= self.high

    def text(self) -> str:
        """Return low to high, to the digits a reader can use."""
        return f"{short(self.low)} to {short(self.high)}"


def band(values: npt.ArrayLike) -> Band:
    """Return the 5 %, 50 % and 95 % quantiles, without what floating-point sums leave."""
    clean = np.round(np.asarray(values, dtype=np.float64), 6)
    low, median, high = np.quantile(clean, [0.05, 0.5, 0.95])
    return Band(float(low), float(median), float(high))


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
    return f"{holds.sum()} of {holds.size} replications ({100 * holds.mean():.0f} %)"


def settled(which: npt.ArrayLike) -> Verdict:
    """Judge a property of one draw by how often draws have it."""
    share = float(np.mean(np.asarray(which, dtype=np.bool_)))
    if share >= NEARLY_ALWAYS:
        return "agrees"
    return "differs" if share <= HARDLY_EVER else "cannot be known"

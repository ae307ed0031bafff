"""Text of rates and of differences of rates, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from studies.error_terms.rates import Interval, Rates

__all__ = ["cell", "difference", "number", "short", "signed", "span"]


def number(value: float) -> str:
    """Format a share with three decimals and no leading zero.

    >>> number(0.05), number(1)
    ('.050', '1.000')
    """
    return f"{value:.3f}".removeprefix("0")


def short(value: float) -> str:
    """Format a share with no leading and no trailing zeros.

    >>> short(0.05)
    '.05'
    """
    return number(value).rstrip("0")


def span(values: Iterable[float]) -> str:
    """Return the lowest and the highest of some shares, as text."""
    values = list(values)
    return f"{number(min(values))} to {number(max(values))}"


def cell(rates: Rates, effect: str, error: str, index: int) -> str:
    """Return the share of data sets in which an effect was found, with its interval."""
    low, high = rates.interval(effect, error)[index]
    share = rates.share(effect, error)[index]
    return f"{number(share)} [{number(low)}, {number(high)}]"


def signed(value: float) -> str:
    """Format a difference of two shares with its sign."""
    sign = "−" if round(value, 3) < 0 else "+"
    return f"{sign}{number(abs(value))}"


def difference(gain: float, interval: Interval) -> str:
    """Format a difference of two shares with its interval.

    >>> difference(-0.02, (-0.05, 0.01))
    '−.020 [−.050, +.010]'
    """
    low, high = interval
    return f"{signed(gain)} [{signed(low)}, {signed(high)}]"

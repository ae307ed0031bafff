"""Rates as text: a share or a difference, with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from studies.error_terms.rates import Interval, Rates

__all__ = ["cell", "difference", "number", "short", "signed", "span"]


def number(value: float) -> str:
    """Return a share without the zero before its point.

    >>> number(0.05), number(1)
    ('.050', '1.000')
    """
    return f"{value:.3f}".removeprefix("0")


def short(value: float) -> str:
    """Return a share without zeros at its end.

    >>> short(0.05)
    '.05'
    """
    return number(value).rstrip("0")


def span(values: Iterable[float]) -> str:
    """Return the least and the greatest of some shares."""
    values = list(values)
    return f"{number(min(values))} to {number(max(values))}"


def cell(rates: Rates, effect: str, error: str, place: int) -> str:
    """Return how often an effect was found at one of the sizes."""
    low, high = rates.interval(effect, error)[place]
    share = rates.share(effect, error)[place]
    return f"{number(share)} [{number(low)}, {number(high)}]"


def signed(value: float) -> str:
    """Return a difference of two shares with its sign."""
    sign = "−" if round(value, 3) < 0 else "+"
    return f"{sign}{number(abs(value))}"


def difference(gain: float, interval: Interval) -> str:
    """Return a difference of two shares, and between which others it is.

    >>> difference(-0.02, (-0.05, 0.01))
    '−.020 [−.050, +.010]'
    """
    low, high = interval
    return f"{signed(gain)} [{signed(low)}, {signed(high)}]"

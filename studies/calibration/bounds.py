"""Bounds of a rate, and what they say about a promise."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CONFIDENCE", "MAX_FALSE_PAGE", "Rate", "clopper_pearson", "exceeds"]

CONFIDENCE = 0.99
MAX_FALSE_PAGE = 0.05  # chance that any promise which is kept is said not to hold


class Rate(NamedTuple):
    """How many data sets a mistake was made in, of how many."""

    n_wrong: int
    n_sets: int

    @property
    def share(self) -> float:
        """The share of data sets."""
        return self.n_wrong / self.n_sets

    def __add__(self, other: object) -> Rate:
        """Return the rate over both."""
        if not isinstance(other, Rate):
            return NotImplemented
        return Rate(self.n_wrong + other.n_wrong, self.n_sets + other.n_sets)


def clopper_pearson(rate: Rate, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the exact bounds of a rate.

    >>> clopper_pearson(Rate(0, 10))
    (0.0, 0.411)
    """
    from scipy.special import betaincinv

    wrong, right = rate.n_wrong, rate.n_sets - rate.n_wrong
    tail = (1 - confidence) / 2
    low = betaincinv(wrong, right + 1, tail) if wrong else 0.0
    high = betaincinv(wrong + 1, right, 1 - tail) if right else 1.0
    return float(low), float(high)


def exceeds(rate: Rate, level: float, n_rates: int = 1) -> bool:
    """Return whether a rate, one of ``n_rates``, is too large for a true rate of ``level``.

    The chance that this is said of any of ``n_rates`` rates which are at most their level
    stays at `MAX_FALSE_PAGE`.

    >>> exceeds(Rate(70, 1_000), 0.05), exceeds(Rate(70, 1_000), 0.05, 100)
    (True, False)
    """
    from scipy.special import bdtrc

    chance = bdtrc(rate.n_wrong - 1, rate.n_sets, level) if rate.n_wrong else 1.0
    return bool(chance < MAX_FALSE_PAGE / n_rates)

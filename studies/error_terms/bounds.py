"""Bounds: when a count of false alarms is too high or too low to be due to chance."""

from __future__ import annotations

from studies.error_terms.shuffles import ALPHA

__all__ = ["MAX_FALSE_VERDICT", "MIN_LOSS", "is_above", "is_below"]

MIN_LOSS = 0.02  # smaller losses of power are not counted as losses
MAX_FALSE_VERDICT = 1e-4  # probability that chance alone moves any rate of a claim out of bounds


def is_above(count: int, n_sets: int, n_rates: int) -> bool:
    """Return whether a count, one of ``n_rates``, is too large for a test at level alpha.

    >>> is_above(85, 1_000, 1), is_above(75, 1_000, 1)
    (True, False)
    """
    from scipy.special import bdtrc

    return bool(count and bdtrc(count - 1, n_sets, ALPHA) < MAX_FALSE_VERDICT / n_rates)


def is_below(count: int, n_sets: int, n_rates: int, attained: float) -> bool:
    """Return whether a count, one of ``n_rates``, is too small for a test at ``attained``.

    >>> is_below(20, 1_000, 1, 0.05), is_below(30, 1_000, 1, 0.05)
    (True, False)
    """
    from scipy.special import bdtr

    return bool(bdtr(count, n_sets, attained) < MAX_FALSE_VERDICT / n_rates)

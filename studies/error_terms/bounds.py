"""When a count of false alarms is too many or too few for chance, and a loss worth naming."""

from __future__ import annotations

from studies.error_terms.shuffles import ALPHA

__all__ = ["MARGIN", "RARE", "above", "below"]

MARGIN = 0.02  # a loss of power below this is none worth naming
RARE = 1e-4  # the chance that any of the rates of a claim passes its bound without cause


def above(count: int, n_sets: int, n_rates: int) -> bool:
    """Is one of ``n_rates`` counts too large for a test that errs at alpha?

    >>> above(85, 1_000, 1), above(75, 1_000, 1)
    (True, False)
    """
    from scipy.special import bdtrc

    return bool(count and bdtrc(count - 1, n_sets, ALPHA) < RARE / n_rates)


def below(count: int, n_sets: int, n_rates: int, attained: float) -> bool:
    """Is one of ``n_rates`` counts too small for a test that errs at the level it attains?

    >>> below(20, 1_000, 1, 0.05), below(30, 1_000, 1, 0.05)
    (True, False)
    """
    from scipy.special import bdtr

    return bool(bdtr(count, n_sets, attained) < RARE / n_rates)

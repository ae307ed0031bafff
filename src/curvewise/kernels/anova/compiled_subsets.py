"""Counting sums of two sorted halves in compiled code: both are gone through once."""

from __future__ import annotations

from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["count_pairs"]


@njit(**OPTIONS)
def count_pairs(sums, others, limit, below):
    """Count the pairs of sorted numbers that make up ``limit`` or more; or less, if ``below``."""
    count, number, place = 0, 0, len(others)
    # The larger the one, the smaller the other that makes the limit. Which of the two comes next
    # cannot be foreseen, so there is no branch for it.
    while number < len(sums) and place > 0:
        least, other = limit - sums[number], others[place - 1]
        lowers = (other > least) if below else (other >= least)
        count += (place if below else len(others) - place) * (1 - lowers)
        place -= lowers
        number += 1 - lowers
    return count if below else count + len(others) * (len(sums) - number)

"""Counting sums of two sorted halves in compiled code: both are gone through once."""

from __future__ import annotations

import numpy as np

from curvewise.kernels.compiling import OPTIONS, njit

__all__ = ["count_pairs", "count_pairs_apart"]


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


@njit(**OPTIONS)
def count_pairs_apart(sums, others, limit, below):
    """Count as `count_pairs` does, and return how close any pair comes to the limit as well."""
    count, number, place, gap = 0, 0, len(others), np.inf
    while number < len(sums) and place > 0:
        # Of each number, those next to the limit are gone through.
        above = others[place - 1] - (limit - sums[number])
        lowers = (above > 0) if below else (above >= 0)
        gap = min(gap, abs(above))
        count += (place if below else len(others) - place) * (1 - lowers)
        place -= lowers
        number += 1 - lowers
    return (count if below else count + len(others) * (len(sums) - number)), gap

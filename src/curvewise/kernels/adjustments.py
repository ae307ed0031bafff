"""Adjustment of p-values for how many tests were made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.pvalues import pvalue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats, Integers

__all__ = [
    "TIE",
    "MaxCounts",
    "benjamini_hochberg",
    "bonferroni",
    "holm",
    "least_maximum",
    "max_adjusted",
    "n_different_at_least",
    "over_families",
]

TIE = 1e-9  # statistics that differ by less than this share are equal but for rounding


def holm(pvalues: Floats) -> Floats:
    """Adjust so that the chance of any false alarm stays at alpha (Holm 1979).

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(pvalues, kind="stable")
    factors = np.arange(len(pvalues), 0, -1)
    stepped = np.maximum.accumulate(np.minimum(pvalues[order] * factors, 1.0))
    adjusted = np.empty_like(stepped)
    adjusted[order] = stepped
    return adjusted


def bonferroni(pvalues: Floats) -> Floats:
    """Multiply each p-value by the number of tests, to 1 at most.

    >>> bonferroni(np.array([0.01, 0.5, 0.03])).tolist()
    [0.03, 1.0, 0.09]
    """
    return np.minimum(pvalues * len(pvalues), 1.0)


def benjamini_hochberg(pvalues: Floats) -> Floats:
    """Adjust so that the expected share of false alarms among those named stays at alpha.

    Benjamini & Hochberg (1995), for independent tests, or tests that depend positively.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(pvalues, kind="stable")
    factors = len(pvalues) / np.arange(1, len(pvalues) + 1)
    # From the largest down: none may be larger than a less striking one.
    stepped = np.minimum.accumulate((pvalues[order] * factors)[::-1])[::-1]
    adjusted = np.empty_like(stepped)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def over_families(families: Sequence[Floats]) -> list[Floats]:
    """Adjust p-values that hold inside families for how many families there are.

    Among the families in which any adjusted p is at most alpha, the expected share with a false
    alarm stays at alpha, if families are independent and p at most x has chance x of a false
    alarm in each; inside a family the tests may depend on each other in any way (Benjamini &
    Bogomolov 2014, with families selected by Benjamini & Hochberg 1995). Families of one test
    each are adjusted as by `benjamini_hochberg`.

    >>> first, second = over_families([np.array([0.01, 0.2]), np.array([0.03])])
    >>> first.round(3).tolist(), second.round(3).tolist()
    ([0.02, 0.2], [0.03])
    """
    smallest = np.sort([family.min(initial=1.0) for family in families])
    factors = len(families) / np.arange(1, len(families) + 1)

    def adjusted(pvalues: Floats) -> Floats:
        # With r families selected, each of them is tested at alpha r / n_families.
        levels = np.maximum(pvalues[:, None], smallest) * factors
        return np.minimum(levels.min(axis=1), 1.0)

    return [adjusted(family) for family in families]


def n_different_at_least(pvalues: Floats, alpha: float) -> int:
    """Return how many of several null hypotheses are false, with confidence 1 − alpha.

    Partial conjunction (Benjamini & Heller 2008): the hypothesis that fewer than v are false is
    tested by Fisher's combination of all but the v − 1 smallest p, for v = 1, 2, … until one is
    not rejected. The tests must be independent.

    >>> n_different_at_least(np.array([0.001, 0.002, 0.6, 0.9]), 0.05)
    2
    """
    from scipy.special import gammaincc

    logs = -np.log(np.sort(pvalues))
    count = 0
    for left_out in range(len(logs)):
        rest = logs[left_out:]
        # −2 Σ log p is χ² on twice as many degrees of freedom as there are p.
        if gammaincc(len(rest), float(rest.sum())) > alpha:
            break
        count += 1
    return count


def max_adjusted(observed: Floats, maxima: Floats, *, exact: bool) -> Floats:
    """Compare every statistic with the largest of each relabelling (Westfall & Young 1993).

    ``maxima`` has the largest statistic of the family for each relabelling; when not all
    are visited (``exact``) the observed one is added to them.

    >>> max_adjusted(np.array([3.0, 1.0]), np.array([0.5, 2.0, 1.0]), exact=False).tolist()
    [0.25, 0.75]
    """
    return pvalue(MaxCounts.of(observed).count(maxima), len(maxima), exact=exact)


def least_maximum(observed: Floats) -> Floats:
    """Return the smallest maximum that counts as large as each observed one, given rounding."""
    # Infinity less a share of it is not a number.
    return np.where(
        np.isinf(observed), observed, observed * (1 - TIE * np.sign(observed))
    )


@dataclass(frozen=True, eq=False)
class MaxCounts:
    """Observed statistics, prepared for counting the maxima of relabellings in batches.

    The counts of several batches add up to the count of `max_adjusted` over all of them.
    """

    thresholds: Floats  # sorted: the smallest maximum that counts, one for each statistic
    ranks: Integers  # where the threshold of each observed statistic is among the sorted

    @classmethod
    def of(cls, observed: Floats) -> MaxCounts:
        """Sort the observed statistics, an array of any shape, less what may be rounding."""
        least = least_maximum(observed)
        order = np.argsort(least, axis=None, kind="stable")
        ranks = np.empty(least.size, dtype=np.int64)
        ranks[order] = np.arange(least.size)
        return cls(least.ravel()[order], ranks.reshape(least.shape))

    def count(self, maxima: Floats) -> Integers:
        """Return for each observed statistic how many of the maxima are at least as large.

        The result has the shape of the observed statistics.

        >>> MaxCounts.of(np.array([3.0, 1.0])).count(np.array([0.5, 2.0, 1.0])).tolist()
        [0, 2]
        """
        # A maximum counts for every threshold up to it, so for those of rank < n_reached.
        n_reached = np.searchsorted(self.thresholds, maxima, side="right")
        per_number = np.bincount(n_reached, minlength=len(self.thresholds) + 1)
        n_above_rank = np.cumsum(per_number[:0:-1])[::-1]
        return n_above_rank[self.ranks].astype(np.int64, copy=False)

"""Differences between algorithms step by step, in every shuffled table.

Write X for the curves less the mean curve of their block, and S_h for the sums of column h
over the runs of each algorithm. Then

    A_h = S_hᵀ C⁻ S_h,    whose sum over the steps is SS_alg + SS_int,

and I_h is the same for curves less their own mean; its sum is SS_int. The sums of squares
between and within algorithms add up to a total at each step that shuffling does not change,
so the share R_h = A_h / total orders relabellings as F_h does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.sums import centred, group_factor
from curvewise.kernels.anova.thresholds import EPSILON, MIN_VARIATION_OVER_ROUNDING
from curvewise.kernels.codes import distinct

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = ["StepDesign", "cluster_masses", "f_ratios", "sums_of_squares"]

# A share of a total: where the error is less, it is rounding.
MIN_RESIDUAL_SHARE = 64 * EPSILON
MAX_SUMS_AT_ONCE = 2**18  # an array has one sum per group, step and relabelling
MIN_AT_ONCE, MAX_AT_ONCE = 8, 256  # relabellings
MAX_COLUMNS_AT_ONCE = 2**12  # of a table that is squared


@dataclass(frozen=True, eq=False)
class StepDesign:
    """A table of curves in the form that shuffling it step by step needs.

    Deviations are computed when they are asked for: long curves are kept once. The two rows of ``totals``, ``slack`` and the results of methods are those of A and of I.
    ``slack`` is how far rounding can move the root of a share, ``df`` the degrees of freedom
    of F at each step.
    """

    scores: Floats  # (n_runs, n_steps)
    blocks: Integers  # (n_runs,)
    means: Floats  # (n_runs,): of the deviations of each curve
    factor: Floats
    totals: Floats  # (2, n_steps)
    slack: Floats  # (2, n_steps)
    noise: Floats  # (n_steps,): how far rounding can move a column
    df: tuple[int, int]

    @classmethod
    def from_scores(
        cls, scores: Floats, labels: Integers, blocks: Integers, noise: Floats
    ) -> StepDesign:
        """Centre and sum up; ``noise`` is how far rounding can move each column; (n_steps,)."""
        n_runs, n_steps = scores.shape
        deviations = centred(scores, blocks)
        means = deviations.mean(axis=1)
        # Subtracting the mean of a curve adds what rounding did to that mean.
        noises = np.stack([noise, noise + np.sqrt(np.sum(noise**2)) / n_steps])
        less = 0.0, means[:, None]
        totals = np.stack([sums_of_squares(deviations, own) for own in less])
        totals[totals <= (MIN_VARIATION_OVER_ROUNDING * noises) ** 2] = 0.0
        if n_steps == 1:
            totals[1] = 0.0
        slack = np.zeros_like(totals)
        np.divide(2 * noises, np.sqrt(totals), out=slack, where=totals > 0)
        n_groups, n_blocks = int(labels.max()) + 1, len(distinct(blocks))
        df = n_groups - 1, n_runs - n_groups - (n_blocks - 1)
        factor = group_factor(labels, blocks)
        return cls(scores, blocks, means, factor, totals, slack, noise, df)

    @property
    def n_steps(self) -> int:
        """How many steps there are."""
        return self.scores.shape[1]

    def columns(self, steps: slice | Integers) -> Floats:
        """Return the curves less the mean curve of their block at some steps; (n_runs, …)."""
        return centred(self.scores[:, steps], self.blocks)

    @property
    def deviations(self) -> Floats:
        """All columns; (n_runs, n_steps)."""
        return self.columns(slice(None))

    @property
    def portion(self) -> int:
        """How many relabellings to work on at a time: a divisor of a batch."""
        fits = MAX_SUMS_AT_ONCE // (self.n_steps * len(self.factor))
        return 2 ** int(np.log2(np.clip(fits, MIN_AT_ONCE, MAX_AT_ONCE)))

    def chosen(self, labels: Integers) -> Floats:
        """Tell which runs are in each group but the last; (n_groups − 1, n_runs, n_relabellings)."""
        groups = np.arange(len(self.factor))[:, None, None]
        return np.equal(labels.T, groups).astype(np.float64)

    def combined(
        self, columns: Floats, chosen: Floats, out: Floats | None = None
    ) -> Floats:
        """Return Lᵀ S of some columns, (n_columns, n_runs), and chosen runs, as `sums` does."""
        combined = np.matmul(columns, chosen, out=out)
        for row in range(len(combined)):
            # L is lower triangular, so row i of Lᵀ S has only the sums of group i and later.
            combined[row] *= self.factor[row, row]
            for group in range(row + 1, len(combined)):
                combined[row] += self.factor[group, row] * combined[group]
        return combined

    def sums(self, labels: Integers) -> Floats:
        """Return Lᵀ S, whose squares add up to A; (n_groups − 1, n_steps, n_relabellings)."""
        return self.combined(self.deviations.T, self.chosen(labels))

    def profiles(self, sums: Floats) -> Floats:
        """Return A and I from Lᵀ S; (2, n_steps, n_relabellings)."""
        differences = np.zeros(sums.shape[1:])
        changes = np.zeros(sums.shape[1:])
        for group in sums:
            differences += group**2
            changes += (group - group.mean(axis=0)) ** 2
        return np.stack([differences, changes])

    def roots(self, profiles: Floats) -> Floats:
        """Return the root of R, the share of the total at each step; 0 without variation."""
        totals = self.totals[:, :, None]
        shares = np.zeros_like(profiles)
        np.divide(profiles, totals, out=shares, where=totals > 0)
        return np.sqrt(shares)


def sums_of_squares(table: Floats, less: Floats | float = 0.0) -> Floats:
    """Return the sum of squares of each column, of which ``less`` is first taken off."""
    totals = np.empty(table.shape[1])
    for start in range(0, len(totals), MAX_COLUMNS_AT_ONCE):
        part = slice(start, start + MAX_COLUMNS_AT_ONCE)
        totals[part] = np.sum((table[:, part] - less) ** 2, axis=0)
    return totals


def f_ratios(shares: Floats, df: tuple[int, int]) -> Floats:
    """Return F from shares of the total; very large, but finite, where there is no error."""
    residual_shares = np.maximum(1 - shares, MIN_RESIDUAL_SHARE)
    return shares / residual_shares * (df[1] / df[0])


def cluster_masses(ratios: Floats, threshold: float) -> Floats:
    """Sum F over clusters of neighbouring steps with F at or above a threshold.

    Returns, at each step, the sum from the beginning of its cluster up to there; 0 outside
    of clusters. Steps are the second axis from the last.
    """
    above = ratios >= threshold
    summed = np.cumsum(np.where(above, ratios, 0.0), axis=-2)
    # F is not negative, so the largest sum at a step outside of clusters is the last one.
    before = np.maximum.accumulate(np.where(above, 0.0, summed), axis=-2)
    return summed - before

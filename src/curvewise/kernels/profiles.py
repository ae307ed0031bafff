"""Differences between algorithms step by step, in every shuffled table.

Write X for the curves with their block's mean curve taken off, and S_h for the sums of
column h over the runs of each algorithm. Then

    A_h = S_hᵀ C⁻ S_h,    whose sum over the steps is SS_alg + SS_int,

and I_h is the same for curves with their own mean taken off; its sum is SS_int. What is
between algorithms and what is within them add up to a total at each step that shuffling
does not change, so the share R_h = A_h / total orders relabellings as F_h does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova import centred, group_factor

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = ["StepDesign", "cluster_masses", "f_ratios"]

# A column that varies by less, in units of what rounding can do, does not vary.
LEAST_VARIATION = 16.0
MOST_VALUES = 2**16  # of an array of one value per group, step and relabelling


@dataclass(frozen=True, eq=False)
class StepDesign:
    """A table of curves in the form that shuffling it step by step needs.

    The two rows of ``totals`` and of everything below are those of A and of I. ``slack`` is
    how far rounding can move the root of a share, ``df`` what F has at each step.
    """

    deviations: Floats  # (n_runs, n_steps)
    factor: Floats
    totals: Floats  # (2, n_steps)
    slack: Floats  # (2, n_steps)
    noise: Floats  # (n_steps,): how far rounding can move a column
    df: tuple[int, int]

    @classmethod
    def from_scores(
        cls, scores: Floats, labels: Integers, blocks: Integers, noise: Floats
    ) -> StepDesign:
        """Centre, and sum up; variation near ``noise``, by step, is no variation."""
        n_runs, n_steps = scores.shape
        deviations = centred(scores, blocks)
        shapes = deviations - deviations.mean(axis=1, keepdims=True)
        # Taking its own mean off a curve adds what rounding did to that mean.
        noises = np.stack([noise, noise + np.sqrt(np.sum(noise**2)) / n_steps])
        totals = np.stack([np.sum(deviations**2, axis=0), np.sum(shapes**2, axis=0)])
        totals[totals <= (LEAST_VARIATION * noises) ** 2] = 0.0
        if n_steps == 1:
            totals[1] = 0.0
        slack = np.zeros_like(totals)
        np.divide(2 * noises, np.sqrt(totals), out=slack, where=totals > 0)
        n_groups, n_blocks = int(labels.max()) + 1, len(np.unique(blocks))
        df = n_groups - 1, n_runs - n_groups - (n_blocks - 1)
        factor = group_factor(labels, blocks)
        return cls(deviations, factor, totals, slack, noise, df)

    @property
    def n_steps(self) -> int:
        """How many steps there are."""
        return self.deviations.shape[1]

    @property
    def portion(self) -> int:
        """How many relabellings fit in memory at a time: a divisor of a batch."""
        fits = MOST_VALUES // (self.n_steps * len(self.factor))
        return 2 ** int(np.clip(np.log2(max(fits, 1)), 4, 10))

    def sums(self, labels: Integers) -> Floats:
        """Return Lᵀ S, whose squares add up to A; (n_groups − 1, n_steps, n_relabellings)."""
        columns = self.deviations.T
        groups = [
            columns @ np.equal(labels.T, group).astype(np.float64)
            for group in range(len(self.factor))
        ]
        combined = np.empty((len(groups), *groups[0].shape))
        for row in range(len(groups)):
            # The triangle is lower, so Lᵀ reaches from each group to the later ones.
            np.multiply(groups[row], self.factor[row, row], out=combined[row])
            for group in range(row + 1, len(groups)):
                combined[row] += self.factor[group, row] * groups[group]
        return combined

    def profiles(self, sums: Floats) -> Floats:
        """Return A and I; (2, n_steps, n_relabellings)."""
        differences = np.zeros(sums.shape[1:])
        changes = np.zeros(sums.shape[1:])
        for group in sums:
            differences += group**2
            changes += (group - group.mean(axis=0)) ** 2
        return np.stack([differences, changes])

    def roots(self, profiles: Floats) -> Floats:
        """Return the root of the share of the total at each step, from 0 to 1."""
        totals = self.totals[:, :, None]
        shares = np.zeros_like(profiles)
        np.divide(profiles, totals, out=shares, where=totals > 0)
        return np.sqrt(shares)


def f_ratios(shares: Floats, df: tuple[int, int]) -> Floats:
    """Return F from shares of the total; what has no error has a very large F."""
    rest = np.maximum(1 - shares, 64 * np.finfo(np.float64).eps)
    return shares / rest * (df[1] / df[0])


def cluster_masses(ratios: Floats, threshold: float) -> Floats:
    """Sum F over neighbouring steps above a threshold; the sum so far, at each step.

    Steps are along the second axis from the last; below the threshold the sum is 0.
    """
    above = ratios >= threshold
    summed = np.cumsum(np.where(above, ratios, 0.0), axis=-2)
    before = np.maximum.accumulate(np.where(above, 0.0, summed), axis=-2)
    return summed - before

"""The difference between two mean curves: a band for all of it, and where it crosses zero.

The band is a studentised bootstrap: in each resample the largest |t| over the steps is
found, and the half-width of the band is that many standard errors that 1 − α of the resamples
do not exceed. A resample of few runs can have next to no spread at some step; its standard
error is therefore taken to be at least a third of the observed one. Measured, this keeps the
band at its level with five and ten runs, and finite with scores that tie.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.bootstrap.intervals import MIN_ERROR_SHARE
from curvewise.kernels.bootstrap.resamples import resample_counts, resampled_means
from curvewise.kernels.codes import distinct

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = ["BandFit", "DifferenceUnits", "fit_band", "zero_crossing"]

MAX_RESAMPLED_SCORES = 2**20  # in memory at a time


@dataclass(frozen=True, eq=False)
class DifferenceUnits:
    """The units of the bootstrap: runs of either algorithm, or blocks with a difference each.

    A unit adds to the difference with a sign of +1 and is subtracted with −1; units are
    drawn within their stratum.
    """

    values: Floats  # (n_units, n_steps)
    weights: Floats
    signs: Floats
    strata: Integers

    @classmethod
    def of(cls, scores: Floats, labels: Integers, blocks: Integers) -> DifferenceUnits:
        """Return the runs as units, or with blocks the blocks that have both algorithms."""
        names = distinct(blocks)
        if len(names) == 1:
            signs = np.where(labels == 0, 1.0, -1.0)
            return cls(scores, np.ones(len(scores)), signs, labels)
        values, weights = [], []
        for name in names:
            first = scores[(blocks == name) & (labels == 0)]
            second = scores[(blocks == name) & (labels == 1)]
            if len(first) and len(second):
                values.append(first.mean(axis=0) - second.mean(axis=0))
                weights.append(len(first) * len(second) / (len(first) + len(second)))
        n_units = len(values)
        return cls(
            np.array(values), np.array(weights), np.ones(n_units), np.zeros(n_units, int)
        )

    @property
    def min_stratum_size(self) -> int:
        """How many units the smallest stratum has."""
        return int(np.bincount(self.strata).min())

    def differences(self, counts: Floats) -> tuple[Floats, Floats]:
        """Return the mean difference and its standard error in each resample.

        ``counts`` is (n_resamples, n_units); both results are (n_resamples, n_steps).
        """
        n_steps = self.values.shape[1]
        mean, variance = (np.zeros((len(counts), n_steps)) for _ in range(2))
        for stratum in distinct(self.strata):
            rows = self.strata == stratum
            means, variances = resampled_means(
                self.values[rows], self.weights[rows], counts[:, rows]
            )
            mean += self.signs[rows][0] * means
            variance += variances
        return mean, np.sqrt(variance)


class BandFit(NamedTuple):
    """A band around the difference of two mean curves, and where it crosses zero."""

    difference: Floats
    errors: Floats  # standard errors; 0 where the difference does not vary
    critical: float  # the half-width of the band in standard errors
    crossing: float | None  # the step; None where the curves do not cross
    crossings: Floats  # of the resamples; infinite where they do not cross


def fit_band(
    units: DifferenceUnits, steps: Floats, alpha: float, n_resamples: int, seed: int
) -> BandFit:
    """Fit a band of confidence 1 − ``alpha``, and find where the mean curves cross.

    ``critical`` is infinite where there are too few resamples for ``alpha``.
    """
    observed, errors = (
        part[0] for part in units.differences(np.ones((1, len(units.values))))
    )
    errors[errors <= 1e-12 * np.abs(units.values).max(axis=0)] = 0.0
    crossing, direction = zero_crossing(observed, steps)
    counts = resample_counts(units.strata, n_resamples, seed)
    largest, crossings = [], []
    rows = max(MAX_RESAMPLED_SCORES // observed.size, 1)
    for start in range(0, n_resamples, rows):
        differences, resampled = units.differences(counts[start : start + rows])
        resampled = np.maximum(resampled, MIN_ERROR_SHARE * errors)
        ratios = np.zeros_like(differences)
        np.divide(np.abs(differences - observed), resampled, out=ratios, where=errors > 0)
        largest.append(ratios.max(axis=1))
        if crossing is not None:
            crossings.append(_crossings(differences, steps, direction))
    # As with a sampled p, the data count as one more resample.
    ranked = np.sort(np.concatenate(largest))
    place = math.ceil((1 - alpha) * (n_resamples + 1)) - 1
    critical = float(ranked[place]) if place < n_resamples else math.inf
    all_crossings = np.concatenate(crossings) if crossings else np.empty(0)
    return BandFit(observed, errors, critical, crossing, all_crossings)


def zero_crossing(difference: Floats, steps: Floats) -> tuple[float | None, float]:
    """Return the step that best separates two leads, and the sign of the difference before it.

    The area by which one curve leads before the step and the other after it is as large as
    possible; where curves cross once, that is where they cross. None if one curve leading
    throughout gives a larger area.
    """
    summed = np.concatenate([[0.0], np.cumsum(difference)])
    gains = 2 * summed - summed[-1]
    direction = 1.0 if gains.max() >= -gains.min() else -1.0
    step = _crossings(difference[None, :], steps, direction)[0]
    return (float(step), direction) if np.isfinite(step) else (None, direction)


def _crossings(differences: Floats, steps: Floats, direction: float) -> Floats:
    """Return the step at which each row best changes from sign ``direction`` to the other.

    Between two steps it is interpolated; infinite where the sign does not change.
    """
    n_rows, n_steps = differences.shape
    summed = np.zeros((n_rows, n_steps + 1))
    np.cumsum(differences, axis=1, out=summed[:, 1:])
    cuts = np.argmax(direction * summed, axis=1)
    crossings = np.where(cuts == 0, -np.inf, np.inf)
    inside = np.flatnonzero((cuts > 0) & (cuts < n_steps))
    before, after = cuts[inside] - 1, cuts[inside]
    left, right = differences[inside, before], differences[inside, after]
    share = np.divide(left, left - right, out=np.zeros_like(left), where=left != right)
    crossings[inside] = steps[before] + share * (steps[after] - steps[before])
    return crossings

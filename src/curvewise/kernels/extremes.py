"""When a relabelling is at least as extreme as what was observed.

For each of five statistics that is a linear condition on SS_alg and SS_int, since the sum
of an effect and its error never changes: overall, algorithm and interaction by their own
strata, algorithm and interaction by the pooled error, in this order throughout. No F is
divided out, so an error of zero needs no special care.

Ties must count, and equal decimals are rarely equal in binary. Rounding moves a table of
curves by a known distance at most, and the root of any of its sums of squares by no more
than that; what is nearer to a tie counts as one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = [
    "Limits",
    "Totals",
    "effect_ratios",
    "limits",
    "rounding",
    "step_rounding",
]

EPSILON = float(np.finfo(np.float64).eps)


class Totals(NamedTuple):
    """The variation that algorithms and runs share out between them."""

    heights: float
    shapes: float


class Limits(NamedTuple):
    """The conditions ``slopes @ (SS_alg, SS_int) >= bounds``, one a statistic."""

    slopes: Floats  # (5, 2)
    bounds: Floats  # (5,)

    def n_extreme(self, between: Floats) -> Integers:
        """Count the relabellings at least as extreme as the observed one; (5,)."""
        # Term by term: a matrix product could round the same row differently in
        # batches of different sizes.
        values = self.slopes[:, :1] * between[0] + self.slopes[:, 1:] * between[1]
        return np.sum(values >= self.bounds[:, None], axis=1)


def rounding(scores: Floats, precision: float) -> float:
    """Return how far rounding can move a table of scores, as a distance.

    Half a unit in the last place for each score as it was given, and a few more for the
    arithmetic.
    """
    largest = float(np.abs(scores).max())
    return math.sqrt(scores.size) * largest * (precision / 2 + 4 * EPSILON)


def step_rounding(scores: Floats, precision: float) -> Floats:
    """Return how far rounding can move each column of a table, as distances.

    A score is stored as finely as its own size allows, but the arithmetic is on all.
    """
    stored = np.abs(scores).max(axis=0) * (precision / 2)
    worked = 4 * EPSILON * float(np.abs(scores).max())
    return np.asarray(math.sqrt(len(scores)) * (stored + worked))


def limits(
    between: Floats, errors: tuple[float, float], totals: Totals, noise: float
) -> Limits:
    """Return the conditions under which a relabelling counts.

    ``between`` holds the observed SS_alg and SS_int, ``errors`` SS_curves and SS_residual.
    """
    algorithm, interaction = (float(value) for value in between)
    total, error = sum(totals), sum(errors)
    # The error of a shuffled table is the difference of larger numbers.
    cancelled = 64 * EPSILON * total + 4 * math.sqrt(error) * noise
    pooled = []
    for effect in (algorithm, interaction):
        least = _reduced(effect, noise)
        # F* >= F  <=>  effect* (effect + error) >= effect (effect* + error*)
        whole = least + error
        pooled.append(least / whole if whole > 0 else 0.0)
    by_algorithm, by_interaction = pooled
    slopes = [(1, 1), (1, 0), (0, 1), (1, by_algorithm), (by_interaction, 1)]
    bounds = [
        _reduced(algorithm + interaction, noise),
        _reduced(algorithm, noise),
        _reduced(interaction, noise),
        by_algorithm * max(total - cancelled, 0.0),
        by_interaction * max(total - cancelled, 0.0),
    ]
    return Limits(np.array(slopes, dtype=np.float64), np.array(bounds))


def _reduced(ss: float, noise: float) -> float:
    """Lower a sum of squares by as much as the rounding of two tables can explain."""
    return max(math.sqrt(ss) - 2 * noise, 0.0) ** 2


def effect_ratios(between: Floats, totals: Totals) -> Floats:
    """Return effect over error, without degrees of freedom; (5, n_relabellings)."""
    algorithm, interaction = between
    curves = np.maximum(totals.heights - algorithm, 0.0)
    residual = np.maximum(totals.shapes - interaction, 0.0)
    floor = 64 * EPSILON * np.array([totals.heights, totals.shapes])
    error = curves + residual
    return np.stack(
        [
            _ratio(algorithm + interaction, error, floor.sum()),
            _ratio(algorithm, curves, floor[0]),
            _ratio(interaction, residual, floor[1]),
            _ratio(algorithm, error, floor.sum()),
            _ratio(interaction, error, floor.sum()),
        ]
    )


def _ratio(effect: Floats, error: Floats, floor: float) -> Floats:
    """Divide; without error the ratio is infinite, and without effect zero."""
    ratios = np.where(effect > floor, np.inf, 0.0)
    np.divide(effect, error, out=ratios, where=error > floor)
    return ratios

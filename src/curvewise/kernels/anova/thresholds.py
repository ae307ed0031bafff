"""When a relabelling is at least as extreme as what was observed.

For each of five statistics that is a linear condition on SS_alg and SS_int, since the sum
of an effect and its error never changes. The statistics are overall, algorithm and
interaction by their own error terms, then algorithm and interaction by the pooled error, in
this order throughout. F is never computed, so an error of zero needs no special case.

Ties must count, and equal decimals are rarely equal in binary. Rounding moves a table of
curves by a known distance at most, and the root of any of its sums of squares by no more
than that; values that are nearer than this count as ties.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from curvewise.kernels import Floats, Integers

__all__ = [
    "ExtremeRule",
    "Totals",
    "effect_ratios",
    "extreme_rule",
    "rounding",
    "step_rounding",
]

EPSILON = float(np.finfo(np.float64).eps)
# A column whose variation is less than this many times what rounding can do does not vary.
MIN_VARIATION_OVER_ROUNDING = 16.0


class Totals(NamedTuple):
    """Total sums of squares of heights and of shapes.

    Each relabelling divides them between effect and error.
    """

    heights: float
    shapes: float


class ExtremeRule(NamedTuple):
    """The relabellings at least as extreme as the observed one, for each of five statistics.

    They are those with ``slopes @ (SS_alg, SS_int) >= bounds``.
    """

    slopes: Floats  # (5, 2)
    bounds: Floats  # (5,)

    def n_extreme(self, between: Floats) -> Integers:
        """Count the relabellings at least as extreme as the observed one; (5,).

        ``between`` has SS_alg and SS_int of each relabelling; (2, n_relabellings).
        """
        # Term by term: a matrix product could round the same row differently in
        # batches of different sizes.
        return np.array(
            [
                np.count_nonzero(_weighted(slopes, between) >= bound)
                for slopes, bound in zip(self.slopes, self.bounds, strict=True)
            ]
        )


def _weighted(slopes: Floats, between: Floats) -> Floats:
    """Return one of the statistics; slopes of 0 and 1 cost nothing, and change no digit."""
    of_height, of_shape = slopes
    if not of_shape:
        return np.asarray(of_height * between[0] if of_height != 1 else between[0])
    if not of_height:
        return np.asarray(of_shape * between[1] if of_shape != 1 else between[1])
    height = between[0] if of_height == 1 else of_height * between[0]
    shape = between[1] if of_shape == 1 else of_shape * between[1]
    return np.asarray(height + shape)


def rounding(scores: Floats, precision: float) -> float:
    """Return how far rounding can move a table of scores, as a distance.

    ``precision`` is the relative precision of the scores as given: half of it for the
    rounding of each score, and a few units in the last place for the arithmetic.
    """
    largest = float(np.abs(scores).max())
    return math.sqrt(scores.size) * largest * (precision / 2 + 4 * EPSILON)


def step_rounding(scores: Floats, precision: float) -> Floats:
    """Return how far rounding can move each column of a table, as distances; (n_steps,).

    Storing a score rounds it relative to its own column, but the arithmetic rounds relative
    to the largest score of all.
    """
    stored = np.abs(scores).max(axis=0) * (precision / 2)
    worked = 4 * EPSILON * float(np.abs(scores).max())
    return np.asarray(math.sqrt(len(scores)) * (stored + worked))


def extreme_rule(
    between: Floats, errors: tuple[float, float], totals: Totals, noise: float
) -> ExtremeRule:
    """Return which relabellings are at least as extreme as the observed one.

    ``between`` has the observed SS_alg and SS_int, ``errors`` SS_curves and SS_residual;
    ``noise`` is how far rounding can move the table.
    """
    algorithm, interaction = (float(value) for value in between)
    total, error = sum(totals), sum(errors)
    # The error of a shuffled table is total − effect, a difference of larger numbers, so
    # rounding can change it by this much.
    cancelled = 64 * EPSILON * total + 4 * math.sqrt(error) * noise
    pooled = []
    for effect in (algorithm, interaction):
        least = _reduced(effect, noise)
        # With * for the relabelling, and other* for the effect that is not tested,
        #     F* >= F  <=>  effect* (effect + error) >= effect (effect* + error*),
        # and effect* + error* = total − other*. So with share = effect / (effect + error)
        # the condition is effect* + share other* >= share total.
        whole = least + error
        pooled.append(least / whole if whole > 0 else 0.0)
    algorithm_share, interaction_share = pooled
    slopes = [(1, 1), (1, 0), (0, 1), (1, algorithm_share), (interaction_share, 1)]
    bounds = [
        _reduced(algorithm + interaction, noise),
        _reduced(algorithm, noise),
        _reduced(interaction, noise),
        algorithm_share * max(total - cancelled, 0.0),
        interaction_share * max(total - cancelled, 0.0),
    ]
    return ExtremeRule(np.array(slopes, dtype=np.float64), np.array(bounds))


def _reduced(ss: float, noise: float) -> float:
    """Lower a sum of squares by what rounding can do to the observed and a shuffled table."""
    return max(math.sqrt(ss) - 2 * noise, 0.0) ** 2


def effect_ratios(
    between: Floats, totals: Totals, rows: Iterable[int] = range(5)
) -> list[Floats]:
    """Return effect over error, without degrees of freedom, for the statistics asked for.

    Infinite where there is an effect and no error, and 0 where there is neither.
    """
    algorithm, interaction = between
    floor = 64 * EPSILON * np.array([totals.heights, totals.shapes])

    def ratio(row: int) -> Floats:
        if row == 1:
            return _ratio(algorithm, left(0), floor[0])
        if row == 2:
            return _ratio(interaction, left(1), floor[1])
        effect = {0: algorithm + interaction, 3: algorithm, 4: interaction}[row]
        return _ratio(effect, left(0) + left(1), floor.sum())

    def left(part: int) -> Floats:
        return np.maximum(totals[part] - between[part], 0.0)

    return [ratio(row) for row in rows]


def _ratio(effect: Floats, error: Floats, floor: float) -> Floats:
    """Divide; an error of at most ``floor`` is none: infinite then, or 0 without effect."""
    if error.min(initial=math.inf) > floor:
        return np.asarray(effect / error)
    ratios = np.where(effect > floor, np.inf, 0.0)
    np.divide(effect, error, out=ratios, where=error > floor)
    return ratios

"""The difference between two mean curves: a band for all of it, and where it crosses zero.

The band is D_h ± c se_h, with se_h the pooled standard error at the step. Its c is a quantile of
the largest |t| over the steps in shuffled tables: of the curves, as in the test at each step, or
of their residuals, whichever is larger. A large difference hides in shuffled curves as error, and
so makes their t small; in residuals there is no difference to hide. Residuals alone give
slightly too many misses where nothing differs.

With two algorithms the share R_h of the total is t_h² / (t_h² + df), so that quantiles of √R_h
are turned into quantiles of |t|.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.sums import centred
from curvewise.kernels.location.profiles import (
    MIN_RESIDUAL_SHARE,
    StepDesign,
    sums_of_squares,
)
from curvewise.kernels.location.scanning import largest_roots

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers

__all__ = ["Difference", "band_ends", "critical_t", "sign_changes", "zero_crossing"]

NEXT_TO_ZERO = float(np.finfo(np.float64).tiny)  # the end of a band that excludes 0 only


@dataclass(frozen=True, eq=False)
class Residuals(StepDesign):
    """The curves of two algorithms with their difference taken off, column by column.

    ``totals`` and the rest are of what is left; ``scores`` are the curves themselves.
    """

    contrast: (
        Floats  # (n_runs,): which runs are of the first, less the mean of their block
    )
    difference: Floats  # (n_steps,)
    is_rounding: npt.NDArray[np.bool_]  # (n_steps,): whether nothing else would be left

    def columns(self, steps: slice | Integers) -> Floats:
        """Return what is left at some steps."""
        left = super().columns(steps)
        left -= np.outer(self.contrast, self.difference[steps])
        left[:, self.is_rounding[steps]] = 0.0
        return centred(left, self.blocks)


@dataclass(frozen=True, eq=False)
class Difference:
    """The first mean curve less the second, compared within blocks, at each step."""

    values: Floats
    errors: Floats  # standard errors; 0 where runs of the same algorithm do not vary
    residuals: Residuals

    @classmethod
    def of(cls, design: StepDesign, labels: Integers, blocks: Integers) -> Difference:
        """Estimate the difference of two algorithms with the codes 0 and 1."""
        factor = float(design.factor[0, 0])
        sums, totals = design.sums(labels[None, :])[0, :, 0], design.totals[0]
        values = np.where(totals > 0, factor * sums, 0.0)
        first = (labels == 0).astype(np.float64)
        contrast = (
            first - (np.bincount(blocks, weights=first) / np.bincount(blocks))[blocks]
        )
        left = design.deviations
        left -= np.outer(contrast, values)
        # What is left is no more than rounding where it is next to nothing of the total.
        is_rounding = sums_of_squares(left) <= MIN_RESIDUAL_SHARE * totals
        is_rounding |= totals == 0
        left[:, is_rounding] = 0.0
        errors = factor * np.sqrt(sums_of_squares(left) / design.df[1])
        bare = StepDesign.from_scores(left, labels, blocks, design.noise)
        own = replace(bare, scores=design.scores)
        residuals = Residuals(
            **vars(own), contrast=contrast, difference=values, is_rounding=is_rounding
        )
        return cls(values, errors, residuals)

    def largest_roots(self, labels: Integers, *, compiled: bool) -> Floats:
        """Return the largest √R over the steps, in each relabelling of the residuals."""
        return largest_roots(self.residuals, labels, compiled=compiled)


def critical_t(root: float, df: int) -> float:
    """Return the |t| of a √R; infinite where no error is left.

    >>> critical_t(0.6, 16), critical_t(1.0, 16)
    (3.0, inf)
    """
    residual_share = 1 - root**2
    if residual_share <= MIN_RESIDUAL_SHARE:
        return math.inf
    return root * math.sqrt(df / residual_share)


def band_ends(
    difference: Floats, errors: Floats, critical: float, named: npt.NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return the lower and upper end of the band at each step.

    The band leaves 0 out where a step is ``named``, and only there: where ``critical``
    standard errors say otherwise, its end is moved to 0, or just beside it. An infinite
    ``critical`` gives a band without ends, except where nothing varies at all.
    """
    half = np.full_like(errors, math.inf)
    if math.isinf(critical):
        half[(errors == 0) & (difference == 0)] = 0.0
    else:
        half = critical * errors
    above, below = named & (difference > 0), named & (difference < 0)
    low, high = difference - half, difference + half
    low = np.where(above, np.maximum(low, NEXT_TO_ZERO), np.minimum(low, 0.0))
    high = np.where(below, np.minimum(high, -NEXT_TO_ZERO), np.maximum(high, 0.0))
    return low, high


def sign_changes(signs: Integers) -> list[tuple[int, int]]:
    """Return where a sign is followed by the other: the last place of one, the first of the other.

    A sign of 0 is not known, and neither continues nor ends a stretch of signs.

    >>> sign_changes(np.array([0, 1, 1, 0, -1, -1, 1]))
    [(2, 4), (5, 6)]
    """
    known = np.flatnonzero(signs)
    turns = np.flatnonzero(np.diff(signs[known]))
    return [(int(known[turn]), int(known[turn + 1])) for turn in turns]


def zero_crossing(difference: Floats, steps: Floats) -> float:
    """Return the step that best separates two leads, of a difference whose ends differ in sign.

    The area by which one curve leads before the step and the other after it is as large as
    possible; where curves cross once, that is where they cross. Between two steps it is
    interpolated.
    """
    ahead = difference if difference[0] > 0 else -difference
    # The last step cannot be part of the first lead, since its sign is the other one.
    before = int(np.argmax(np.cumsum(ahead[:-1])))
    left, right = ahead[before], ahead[before + 1]
    share = left / (left - right)
    return float(steps[before] + share * (steps[before + 1] - steps[before]))

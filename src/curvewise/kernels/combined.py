"""The combined statistic of "do they differ at all?": four looks at a table, put together.

Write X for the curves less the mean curve of their block. Each look is a share of a total that no
relabelling changes:

    r_all    = (SS_alg + SS_int) / Σ X²          all steps together
    r_height = SS_alg / SS of the heights        curve means
    r_shape  = SS_int / SS of the shapes         what is left of the curves
    r_step   = max_h A_h / Σ_runs X_h²           the most striking step

With z = ((r / √(1 − r))^¼ − mean) / sd, the statistic is C = log Σ exp(2 z). Mean and sd are
those of all relabellings, or of some that were drawn without looking at the labels; so they are
the same whichever labels were observed, and p is exact. The fourth root makes such ratios nearly
normal (Hawkins & Wixley 1986); the sum of exponentials is close to the largest z, and rewards
looks that agree.

The labels enter by way of shares only, and each share is moved by rounding no farther than its
slack. Observed shares are lowered by it and those of relabellings raised, so that ties count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova import (
    MIN_VARIATION_OVER_ROUNDING,
    centred,
    column_squares,
    factored_sums,
    group_factor,
    ratios,
)
from curvewise.kernels.contrasts import GroupMoments
from curvewise.kernels.invert import Halves, largest_of_halves

if TYPE_CHECKING:
    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.kernels.anova import Design


COMPONENTS = ("all steps", "height", "shape", "one step")
MAX_STEPS = 512  # of more, neighbouring ones are averaged for the most striking one
WEIGHT = 2.0  # of z in the exponent: between their mean and the largest
MAX_SHARE = 1 - 1e-12
MAX_EXPONENT = 700.0  # of which the exponential, a thousand times over, is a number
# Standard deviations below this are rounding: all relabellings give the same share.
MIN_DEVIATION = 1e-9
MAX_STATISTICS_AT_ONCE = 2**12  # relabellings whose looks stay in the cache
MAX_SUMS_AT_ONCE = 2**16  # an array has one sum per step and relabelling


@dataclass(frozen=True, eq=False)
class CombinedDesign:
    """A table of curves in the form that the combined statistic needs.

    Arrays of four are in the order of `COMPONENTS`.

    Attributes
    ----------
    design : Design
        For the first three shares.
    columns : array, (n_runs, n_columns)
        X at each step, or averaged over neighbouring steps, divided by the root of its sum of
        squares; 0 where it does not vary.
    edges : array, (n_columns + 1,)
        The first step of each column, and the number of steps.
    column_slack : array, (n_columns,)
        How far rounding can move the root of a share of a column.
    totals, slack : array, (3,)
        The total of each other share, and how far rounding can move the root of the share.
    """

    design: Design
    columns: Floats
    edges: Integers
    column_slack: Floats
    totals: Floats
    slack: Floats

    @classmethod
    def of(
        cls, design: Design, scores: Floats, blocks: Integers, noises: tuple[float, Floats]
    ) -> CombinedDesign:
        """Sum up; ``noises`` says how far rounding can move the table, and each step of it."""
        noise, step_noise = noises
        n_steps = scores.shape[1]
        n_columns = min(n_steps, MAX_STEPS)
        edges = np.arange(n_columns + 1) * n_steps // n_columns
        widths = np.diff(edges)
        columns = np.add.reduceat(centred(scores, blocks), edges[:-1], axis=1) / widths
        column_noise = np.add.reduceat(step_noise, edges[:-1]) / widths
        lengths = np.sqrt(np.sum(columns**2, axis=0))
        lengths[lengths <= MIN_VARIATION_OVER_ROUNDING * column_noise] = 0.0
        heights, shapes = design.totals
        totals = np.array([heights + shapes, heights, shapes])
        return cls(
            design,
            ratios(columns, lengths),
            edges,
            ratios(2 * column_noise, lengths),
            totals,
            ratios(2 * noise, np.sqrt(totals)),
        )

    def values(
        self,
        labels: Integers,
        *,
        between: Floats | None = None,
        observed: bool = False,
        compiled: bool = False,
    ) -> Floats:
        """Return (r / √(1 − r))^¼ of each relabelling; (4, n_relabellings).

        ``between`` is `Design.between` of them, where that is known. ``observed`` lowers the
        shares by what rounding can do, instead of raising them. ``compiled`` says whether to
        load compiled code, which changes no digit.
        """
        sign = -1.0 if observed else 1.0
        striking = np.empty(len(labels))
        for start in range(0, len(labels), self._portion):
            part = slice(start, start + self._portion)
            of_columns = self._column_roots(labels[part], compiled=compiled)
            of_columns += sign * self.column_slack
            np.max(of_columns, axis=1, out=striking[part])
        if between is None:
            between = self.design.between(labels, compiled=compiled)
        return self._values(between, striking, sign, compiled=compiled)

    def every_value(self, labels: Integers, between: Floats, *, compiled: bool) -> Floats:
        """Return the values of every relabelling of two groups; (4, n_relabellings).

        ``between`` is what `between_of_halves` gives of them.
        """
        columns = self.design.factor[0, 0] * self.columns
        halves = Halves.of(labels, columns, compiled=compiled)
        striking = largest_of_halves(halves, self.column_slack, compiled=compiled)
        return self._values(between, striking, 1.0, compiled=compiled)

    def _values(self, between: Floats, striking: Floats, sign: float, *, compiled: bool) -> Floats:
        """Put the four looks together; ``striking`` is the root of the last share."""
        weights = ratios(1.0, self.totals)
        if compiled:
            from curvewise.kernels.compiled_kernels import looks

            own = np.ascontiguousarray(between)
            return np.asarray(looks(own, striking, weights, sign * self.slack, MAX_SHARE))
        roots = np.empty((4, len(striking)))
        roots[0] = between[0] + between[1]
        roots[1:3] = between
        roots[:3] *= weights[:, None]
        np.sqrt(roots[:3], out=roots[:3])
        roots[:3] += sign * self.slack[:, None]
        roots[3] = striking
        shares = np.maximum(roots, 0.0, out=roots)
        shares *= shares
        return unfolded(shares)

    def most_striking(self, labels: Integers) -> tuple[int, int]:
        """Return the first and last step of the most striking column, under these labels."""
        column = int(np.argmax(self._column_roots(labels[None, :])[0]))
        return int(self.edges[column]), int(self.edges[column + 1]) - 1

    @property
    def _portion(self) -> int:
        """How many relabellings to work on at a time: a divisor of a batch."""
        fits = MAX_SUMS_AT_ONCE // self.columns.shape[1]
        return 2 ** int(np.clip(np.log2(max(fits, 1)), 4, 10))

    def _column_roots(self, labels: Integers, *, compiled: bool = False) -> Floats:
        """Return the root of the share at each column; (n_relabellings, n_columns)."""
        design = self.design
        if len(design.factor) == 1:
            (sums,) = factored_sums(labels, self.columns, design.factor)
            return np.abs(sums, out=sums)
        squares = column_squares(
            labels, self.columns, design.factor, design.sizes, compiled=compiled
        )
        return np.sqrt(squares, out=squares)


def unfolded(shares: Floats) -> Floats:
    """Return (r / √(1 − r))^¼ of shares, which are changed in place."""
    np.minimum(shares, MAX_SHARE, out=shares)
    return np.asarray(np.sqrt(np.sqrt(shares / np.sqrt(1 - shares))))


@dataclass(frozen=True, eq=False)
class MeanDesign:
    """One number for each run of some algorithms: two looks at how far their means are apart.

        r_means = SS between / SS of all
        r_lead  = max t² / (t² + df)        of the best algorithm over any other

    Attributes
    ----------
    numbers : array, (n_runs,)
        Less the mean of their block; higher is better.
    factor : array
        As of `group_factor`.
    total : float
        The sum of squares of the numbers.
    noise : float
        How far rounding can move a mean.
    own_spread : bool
        Whether t is that of Welch, by the variances of the two; else by the error of all.
    """

    numbers: Floats
    factor: Floats
    total: float
    noise: float
    own_spread: bool

    @classmethod
    def of(cls, numbers: Floats, labels: Integers, blocks: Integers, noise: float) -> MeanDesign:
        """Centre the numbers; ``noise`` is how far rounding can move them, as a distance."""
        numbers = centred(numbers[:, None], blocks)[:, 0]
        total = float(numbers @ numbers)
        if total <= noise**2:
            numbers, total = np.zeros_like(numbers), 0.0
        own_spread = len(np.unique(blocks)) == 1 and bool(np.bincount(labels).min() > 1)
        return cls(numbers, group_factor(labels, blocks), total, noise, own_spread)

    def values(self, labels: Integers, *, observed: bool = False) -> tuple[Floats, Floats]:
        """Return (r / √(1 − r))^¼ of both looks, (2, n), and the largest mean, (n,).

        ``observed`` lowers the shares by what rounding can do, instead of raising them.
        """
        sign = -1.0 if observed else 1.0
        moments = GroupMoments.of(self.numbers, labels)
        shares = np.zeros((2, len(labels)))
        means = moments.sums / moments.sizes[:, None]
        best = means.max(axis=0)
        if self.total > 0:
            apart = np.sqrt(moments.between(self.factor) / self.total)
            apart += sign * 2 * self.noise / math.sqrt(self.total)
            shares[0] = np.maximum(apart, 0.0) ** 2
            shares[1] = self._lead(moments, means, best, sign)
        return unfolded(shares), best

    def _lead(self, moments: GroupMoments, means: Floats, best: Floats, sign: float) -> Floats:
        """Return the largest share of the lead of the best; of several, that of the right side."""
        sizes = moments.sizes
        df = np.full(len(sizes), max(len(self.numbers) - len(sizes), 1) / 2)
        errors = moments.squares.sum(axis=0) / (2 * df[0]) / sizes[:, None]
        if self.own_spread:
            df, errors = sizes - 1, moments.squares / (sizes * (sizes - 1))[:, None]
            errors[errors <= moments.floors] = 0.0
        found = np.full(len(best), -np.inf if sign > 0 else np.inf)
        for group in range(len(sizes)):
            others = np.arange(len(sizes)) != group
            ahead = np.maximum(means[group] - means[others] + sign * 2 * self.noise, 0.0) ** 2
            spread = (df[group] + df[others])[:, None] * (errors[group] + errors[others])
            own = ratios(ahead, ahead + spread).max(axis=0)
            is_best = means[group] >= best - 2 * self.noise
            better = np.maximum(found, own) if sign > 0 else np.minimum(found, own)
            found = np.where(is_best, better, found)
        return found


class Scales(NamedTuple):
    """What z is made with, of each look; an inverse deviation of 0 leaves a look out.

    All relabellings agree on such a look: that of shape, where there is a single step.
    """

    means: Floats  # (4,)
    inverse_deviations: Floats  # (4,)

    @classmethod
    def of(cls, values: Floats) -> Scales:
        """Learn the scales from `CombinedDesign.values` of relabellings."""
        # Look by look, which stays in the cache.
        deviations = np.array([look.std() for look in values])
        deviations[deviations <= MIN_DEVIATION] = 0.0
        means = np.array([look.mean() for look in values])
        return cls(means, ratios(1.0, deviations))

    @property
    def used(self) -> Booleans:
        """Which looks are not left out; (4,)."""
        return np.asarray(self.inverse_deviations > 0)

    def scores(self, values: Floats) -> Floats:
        """Return z of each relabelling; (4, n_relabellings)."""
        scores = values - self.means[:, None]
        scores *= self.inverse_deviations[:, None]
        return scores

    def weights(self, values: Floats) -> Floats:
        """Return exp(2 z), and 0 for looks that are left out; (4, n_relabellings)."""
        exponents = self.scores(values)
        exponents *= WEIGHT
        np.minimum(exponents, MAX_EXPONENT, out=exponents)
        weights = np.exp(exponents, out=exponents)
        weights *= self.used[:, None]
        return weights

    def statistic(self, values: Floats) -> Floats:
        """Return C of each relabelling; (n_relabellings,)."""
        found = np.empty(values.shape[1])
        for start in range(0, len(found), MAX_STATISTICS_AT_ONCE):
            part = slice(start, start + MAX_STATISTICS_AT_ONCE)
            found[part] = log_sum(self.weights(values[:, part]))
        return found

    def least_roots(self, least: float) -> Floats:
        """Return the roots of shares of which one at least is reached if C is ``least``; (4,).

        Looks add up, so one of them must have its part of the sum. Infinite for those that are
        left out.
        """
        n_used = max(int(np.sum(self.used)), 1)
        score = (least - math.log(n_used)) / WEIGHT
        values = self.means + ratios(score, self.inverse_deviations)
        # With q = value⁴ = r / √(1 − r), r is the root of r² + q² r − q².
        q = np.maximum(values, 0.0) ** 4
        roots = np.sqrt(2 * q / (q + np.sqrt(q**2 + 4)))
        return np.where(self.used, roots, np.inf)


def log_sum(weights: Floats) -> Floats:
    """Return the logarithm of the sum over the first axis; 0 where there is nothing to sum."""
    sums = weights.sum(axis=0)
    return np.log(sums, out=np.zeros_like(sums), where=sums > 0)

"""Welch-type statistics, and tables of equal means drawn at random to compare them with.

For curves in some projection (their heights, their shapes, or both together) write x̄_i for
the mean of algorithm i, S_i for the covariance of its runs, and ω_i = n_i / tr S_i. Then

    Λ = Σ_i (1 − ω_i / Σω)² / (n_i − 1),
    F = Σ_i ω_i |x̄_i − x̄_ω|² / (m − 1) / (1 + 2 (m − 2) Λ / (m² − 1)),

with x̄_ω the mean weighted by ω, on (m − 1) f and f (m² − 1) / (3 Λ) degrees of freedom. For
heights, where f = 1, this is the test of Welch (1951), and of two algorithms his t, squared.
For shapes f is the number of directions that curves vary in, as Box (1954) counts them.

A draw has, for each algorithm, a mean and a spread as normal curves of its own covariance and
of mean zero would have: for heights those of Krishnamoorthy, Lu & Mathew (2007). For curves the
mean lies in the space of the algorithm's own residual curves, a random direction of them times
a random length; its squared length and tr S are multiples of chi-squared variables with as many
directions as `spreads` counts, so that few runs do not make curves look simpler than they are.

The second degrees of freedom differ between tables, so tables are not ordered by F but by the
p that F has on its own df (prepivoting: Beran 1988).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova import EPSILON
from curvewise.kernels.pvalues import chi_squared_survival
from curvewise.kernels.relabel import chances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova import Design


# --- How much the runs of each group vary, and in how many directions.
#
# Write S for the covariance of a group of n runs, ν = n − 1, and Σ for what S estimates. With few
# runs S has fewer directions than Σ: (tr S)² / tr S² is at most ν. Without that bias,
#
#     A = ν² / ((ν − 1)(ν + 2)) (tr S² − (tr S)² / ν)  estimates tr Σ²,
#     B = (tr S)² − 2 A / ν                            estimates (tr Σ)²
#
# for normal curves (Bai & Saranadasa 1996), and B / A is the number of directions f. A group's own
# B / A is noisy, so the smaller of it and that of all groups together is taken, times ν / (ν + 1),
# and not less than 1.
#
# Whether groups differ in spread is asked by the test of Bartlett (1937) of tr S on ν f degrees of
# freedom each.

MAX_DIRECTIONS = 1e4  # beyond this a sum of squares is as good as constant


class Spreads(NamedTuple):
    """For each group: tr S, the directions f, and tr S² / (tr S)² − 1 / ν; (n_groups,)."""

    variances: Floats
    directions: Floats
    unevenness: Floats


def spreads(residuals: Sequence[Floats]) -> Spreads:
    """Return the spreads of groups; ``residuals`` are runs less the mean of their group.

    Each group has two runs or more. One that does not vary has one direction.
    """
    freedom = np.array([len(group) - 1 for group in residuals], dtype=np.float64)
    totals = np.array([np.sum(group**2) for group in residuals])
    varies = totals > 0
    # Of curves in units of their own spread, so that no scale is too large or too small.
    units = np.sqrt(np.where(varies, totals, 1.0))
    shares = np.array(
        [_squared(group / unit) for group, unit in zip(residuals, units, strict=True)]
    )
    unevenness = np.maximum(shares - 1 / freedom, 0.0) * varies
    # A single difference of two runs says nothing about directions: it counts as one.
    many = freedom > 1
    divisor = np.where(many, (freedom - 1) * (freedom + 2), 1.0)
    own = np.where(many, freedom**2 * unevenness / divisor, freedom / (freedom + 2))
    total = 1 - 2 * own / freedom
    weights = freedom * varies
    pooled = _ratio(np.sum(weights * total), np.sum(weights * own))
    directions = np.minimum(_ratio(total, own), pooled) * freedom / (freedom + 1)
    directions = np.where(varies, np.clip(directions, 1.0, MAX_DIRECTIONS), 1.0)
    return Spreads(totals / freedom, directions, unevenness)


def equal_spread_pvalue(residuals: Sequence[Floats]) -> float:
    """Return the p of the hypothesis that all groups vary alike, if curves are normal.

    ``residuals`` are as `spreads` takes them, of two groups or more. It is 0 where some vary and
    others do not, and 1 where none does.
    """
    variances, directions, _ = spreads(residuals)
    if variances.min() <= 0:
        return float(variances.max() <= 0)
    df = np.array([len(group) - 1 for group in residuals]) * directions
    total, more = float(df.sum()), len(residuals) - 1
    pooled = float(np.sum(df * variances)) / total
    statistic = float(np.sum(df * np.log(pooled / variances)))
    correction = 1 + (float(np.sum(1 / df)) - 1 / total) / (3 * more)
    return chi_squared_survival(max(statistic, 0.0) / correction, more)


def n_directions(vectors: Floats) -> float:
    """Return (tr V)² / tr V² of vectors that are centred; 1 where they do not vary."""
    total = float(np.sum(vectors**2))
    return total**2 / _squared(vectors) if total > 0 else 1.0


def _squared(vectors: Floats) -> float:
    """Return tr (XᵀX)², by the smaller of the two products."""
    wide = len(vectors) < vectors.shape[1]
    return float(np.sum((vectors @ vectors.T if wide else vectors.T @ vectors) ** 2))


def _ratio(above: Floats | float, below: Floats | float) -> Floats:
    above, below = np.asarray(above, dtype=np.float64), np.asarray(below)
    ratio = np.full_like(above, MAX_DIRECTIONS)
    np.divide(above, below, out=ratio, where=below > above / MAX_DIRECTIONS)
    return ratio


# --- Welch-type statistics, and tables of equal means drawn at random to compare them with.

# The three statistics, in the order of `anova.thresholds`: overall, algorithm, interaction.
PROJECTIONS = (slice(None), slice(0, 1), slice(1, None))
# As far as the normal scores of 53 random bits go.
SCORES = np.linspace(-8.5, 8.5, 1_025)


class WelchRatios(NamedTuple):
    """F of tables, by how much rounding can have moved it, and its second df; (3, n)."""

    statistics: Floats
    slack: Floats
    df_error: Floats


@dataclass(frozen=True, eq=False)
class ChiSquared:
    """Chi-squared over its degrees of freedom, as a function of a normal score.

    ``roots`` are the cube roots of its quantiles at the scores of `SCORES`: between them they
    are nearly straight (Wilson & Hilferty 1931), so draws need no quantile of their own.
    """

    roots: Floats

    @classmethod
    @lru_cache(maxsize=128)
    def of(cls, df: float) -> ChiSquared:
        """Tabulate; with infinite ``df`` it is always 1."""
        from scipy.special import gammainccinv, gammaincinv, ndtr

        if not np.isfinite(df):
            return cls(np.ones_like(SCORES))
        low, high = np.split(ndtr(-np.abs(SCORES)), [len(SCORES) // 2])
        quantiles = [gammaincinv(df / 2, low), gammainccinv(df / 2, high)]
        return cls(np.cbrt(np.concatenate(quantiles) * (2 / df)))

    def at(self, scores: Floats) -> Floats:
        """Return the quantiles at normal scores."""
        return np.asarray(np.interp(scores, SCORES, self.roots)) ** 3


@dataclass(frozen=True, eq=False)
class WelchDesign:
    """Means and spreads of the groups, and what is needed to draw others.

    Groups are in the order of their first runs, so that names change no digit. ``within`` and
    the two after it are (n_groups, 3), for the three projections: sums of squares in the group,
    ``directions`` f of its spread, and ``lengths`` the degrees of freedom of the squared length
    of its mean, given the direction (infinite where that is fixed). ``contrasts`` are n − 1
    orthonormal contrasts of the runs of each group. ``dimensions`` is f of the degrees of
    freedom in each projection, and ``floors`` the sum of squares within a group that rounding
    can explain.
    """

    sizes: Integers
    means: Floats
    within: Floats
    contrasts: tuple[Floats, ...]
    directions: Floats
    lengths: Floats
    dimensions: Floats
    floors: Floats
    noise: float

    @classmethod
    def of(cls, design: Design, labels: Integers, noise: float) -> WelchDesign:
        """Take the coordinates of a design; ``noise`` is how far rounding can move them."""
        from scipy.linalg import helmert

        groups = [design.coordinates[labels == label] for label in dict.fromkeys(labels.tolist())]
        means = np.stack([group.mean(axis=0) for group in groups])
        residuals = [group - mean for group, mean in zip(groups, means, strict=True)]
        totals = [np.sum(design.coordinates[:, part] ** 2) for part in PROJECTIONS]
        floors = 64 * EPSILON * np.array(totals) + noise**2
        floors = np.where(floors > 0, floors, 1.0)
        sizes = np.array([len(group) for group in groups])
        parts = [
            _projected([own[:, part] for own in residuals], floor)
            for part, floor in zip(PROJECTIONS, floors, strict=True)
        ]
        within, directions, lengths = (
            np.stack(columns, axis=1) for columns in zip(*(part[:3] for part in parts), strict=True)
        )
        contrasts = tuple(helmert(len(own)) @ own for own in residuals)
        dimensions = np.array([part[3] for part in parts])
        spread = directions, lengths, dimensions
        return cls(sizes, means, within, contrasts, *spread, floors, noise)

    @property
    def df_effect(self) -> Floats:
        """The first degrees of freedom of the three statistics."""
        return (len(self.sizes) - 1) * self.dimensions

    @cached_property
    def tables(self) -> list[list[tuple[ChiSquared, ChiSquared]]]:
        """For each group and projection, how squared lengths and spreads are distributed."""
        return [
            [
                (ChiSquared.of(length), ChiSquared.of(f * (n - 1)))
                for length, f in zip(*own, strict=True)
            ]
            for n, *own in zip(self.sizes, self.lengths, self.directions, strict=True)
        ]

    @property
    def width(self) -> int:
        """How many random words a draw takes: n + 1 for a group of n runs."""
        return int(np.sum(self.sizes + 1))

    def observed(self) -> WelchRatios:
        """Return the statistics of the curves themselves; (3, 1)."""
        parts = [
            self._ratios(self.means[:, None, part], self.within[:, place, None], place)
            for place, part in enumerate(PROJECTIONS)
        ]
        return WelchRatios(*np.stack(parts, axis=1))

    def drawn(self, words: Integers) -> WelchRatios:
        """Return the statistics of draws under equal means; ``words`` is (n, width)."""
        from scipy.special import ndtri

        given = ndtri(chances(words))
        n_groups = len(self.sizes)
        means = np.empty((n_groups, len(words), self.means.shape[1]))
        factors = np.empty((3, n_groups, len(words)))
        within = np.empty((3, n_groups, len(words)))
        start = 0
        for group, contrasts in enumerate(self.contrasts):
            freedom = len(contrasts)
            normal = given[:, start : start + freedom]
            direction = normal / np.sqrt(np.sum(normal**2, axis=1, keepdims=True))
            means[group] = direction @ contrasts / np.sqrt(freedom + 1)
            of_length, of_spread = given[:, start + freedom : start + freedom + 2].T
            start += freedom + 2
            for place in range(3):
                length, spread = self.tables[group][place]
                factors[place, group] = np.sqrt(length.at(of_length))
                within[place, group] = self.within[group, place] * spread.at(of_spread)
        parts = [
            self._ratios(means[:, :, part] * factors[place, :, :, None], within[place], place)
            for place, part in enumerate(PROJECTIONS)
        ]
        return WelchRatios(*np.stack(parts, axis=1))

    def pvalues(self, ratios: WelchRatios, *, sign: float = 1.0) -> Floats:
        """Return the p of each F on its df, with F moved by its slack, up or down by ``sign``.

        A draw whose F is moved up, against an observed F moved down, counts if rounding may
        hide that it is as extreme.
        """
        from scipy.special import fdtrc

        moved = np.maximum(ratios.statistics + sign * ratios.slack, 0.0)
        return np.asarray(fdtrc(self.df_effect[:, None], ratios.df_error, moved))

    def _ratios(self, means: Floats, within: Floats, place: int) -> Floats:
        """Return F, slack and second df in one projection; (3, n).

        ``means`` is (n_groups, n, n_coordinates), ``within`` (n_groups, n).
        """
        n_groups, sizes, floor = len(self.sizes), self.sizes[:, None], self.floors[place]
        constant = within <= floor
        # A group without variation is given the least that can be distinguished from none.
        within = np.maximum(within, floor)
        weights = sizes * (sizes - 1) / within
        shares = weights / weights.sum(axis=0)
        centre = np.sum(shares[:, :, None] * means, axis=0)
        distances = np.sqrt(np.sum((means - centre) ** 2, axis=2))
        terms = weights * distances**2
        imbalance = np.sum((1 - shares) ** 2 / (sizes - 1), axis=0)
        correction = 1 + 2 * (n_groups - 2) * imbalance / (n_groups**2 - 1)
        statistics = terms.sum(axis=0) / ((n_groups - 1) * correction)
        # To first order: by how much rounding of each spread, and of each mean, changes F.
        of_spreads = terms * (floor + 4 * self.noise * np.sqrt(within)) / within
        step = 4 * (self.noise + np.sqrt(EPSILON * floor)) / np.sqrt(sizes)
        slack = np.sum(np.where(constant, 0.0, of_spreads) + weights * distances * step, axis=0)
        slack += 1e-12 * statistics
        # Two groups or more without variation, but with different means: F is infinite.
        differ = np.sum(np.where(constant, sizes * distances**2, 0.0), axis=0) > 4 * floor
        infinite = differ & (constant.sum(axis=0) > 1)
        statistics[infinite], slack[infinite] = np.inf, 0.0
        df_error = self.dimensions[place] * (n_groups**2 - 1) / (3 * imbalance)
        return np.stack([statistics, slack, df_error])


def _projected(residuals: list[Floats], floor: float) -> tuple[Floats, Floats, Floats, float]:
    """Return sums of squares, directions and lengths of the groups, and f of all runs."""
    # What rounding can explain is no variation.
    residuals = [own if np.sum(own**2) > floor else 0 * own for own in residuals]
    freedom = np.array([len(own) - 1 for own in residuals])
    variances, directions, unevenness = spreads(residuals)
    scale = np.sqrt(np.where(variances > 0, variances, 1.0))
    scaled = [own / unit for own, unit in zip(residuals, scale, strict=True)]
    # In units of tr S: a random direction alone gives the squared length this variance ...
    by_direction = 2 * unevenness * freedom / (freedom + 2)
    # ... and what is missing from 2 / f is made up by a random length.
    missing = (1 + 2 / directions) / (1 + by_direction) - 1
    lengths = np.full(len(residuals), np.inf)
    np.divide(2, missing, out=lengths, where=missing > 1e-9)
    return variances * freedom, directions, lengths, n_directions(np.concatenate(scaled))


def f_at(pvalues: Floats, df: tuple[float, float]) -> Floats:
    """Return the F that has each p on the degrees of freedom ``df``; infinite for p = 0."""
    from scipy.special import betaincinv

    share = np.asarray(betaincinv(df[1] / 2, df[0] / 2, pvalues))
    ratios = np.full_like(share, np.inf)
    np.divide(df[1] * (1 - share), df[0] * share, out=ratios, where=share > 0)
    return ratios

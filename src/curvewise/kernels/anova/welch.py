"""Welch-type statistics of shuffled tables: differences of means where spreads may differ.

For curves in some projection (their heights, their shapes, or both together) write x̄_i for
the mean of algorithm i, V_i for the covariance of its runs, and ω_i = n_i / tr V_i. Then

    Λ = Σ_i (1 − ω_i / Σω)² / (n_i − 1),
    F = Σ_i ω_i |x̄_i − x̄_ω|² / (m − 1) / (1 + 2 (m − 2) Λ / (m² − 1)),

with x̄_ω the mean weighted by ω, on (m − 1) f and f (m² − 1) / (3 Λ) degrees of freedom. For
heights, where f = 1, this is the test of Welch (1951), and of two algorithms his t, squared.
For shapes f is the number of directions that curves vary in, as Box (1954) counts them.

The second degrees of freedom differ between shuffled tables, so tables are not ordered by F
but by the p that F has on its own df (prepivoting: Beran 1988; Fogarty 2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova.thresholds import EPSILON

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.design import Design

__all__ = ["WelchDesign", "WelchRatios", "f_at"]

# The three statistics, in the order of `anova.thresholds`: overall, algorithm, interaction.
PROJECTIONS = (slice(None), slice(0, 1), slice(1, None))


class WelchRatios(NamedTuple):
    """F of relabellings, by how much rounding can have moved it, and its second df; (3, n)."""

    statistics: Floats
    slack: Floats
    df_error: Floats


@dataclass(frozen=True, eq=False)
class WelchDesign:
    """The curves in the form from which means and spreads of relabelled groups are summed.

    ``columns`` has the coordinates of `anova.sums.rotated`, and after them the squared
    length of each curve in the three projections. ``dimensions`` is f in each of them, and
    ``floors`` the sum of squares within a group that rounding can explain.
    """

    columns: Floats
    sizes: Integers
    dimensions: Floats
    floors: Floats
    noise: float

    @classmethod
    def of(cls, design: Design, labels: Integers, noise: float) -> WelchDesign:
        """Take the coordinates of a design; ``noise`` is how far rounding can move them."""
        parts = [design.coordinates[:, part] for part in PROJECTIONS]
        lengths = np.stack([np.sum(part**2, axis=1) for part in parts], axis=1)
        # The sum of squares of a group is a difference of numbers as large as the total.
        floors = 64 * EPSILON * lengths.sum(axis=0) + noise**2
        return cls(
            np.hstack([design.coordinates, lengths]),
            np.bincount(labels),
            np.array([_dimensions(part) for part in parts]),
            np.where(floors > 0, floors, 1.0),
            noise,
        )

    @property
    def df_effect(self) -> Floats:
        """The first degrees of freedom of the three statistics."""
        return (len(self.sizes) - 1) * self.dimensions

    def ratios(self, labels: Integers) -> WelchRatios:
        """Return the statistics of each relabelling; ``labels`` is (n, n_runs)."""
        sums = np.stack(
            [
                (labels == group).astype(np.float64) @ self.columns
                for group in range(len(self.sizes))
            ]
        )
        means = sums[:, :, :-3] / self.sizes[:, None, None]
        parts = [
            self._ratios(means[:, :, part], sums[:, :, place - 3], place)
            for place, part in enumerate(PROJECTIONS)
        ]
        return WelchRatios(*np.stack(parts, axis=1))

    def pvalues(self, ratios: WelchRatios, *, sign: float = 1.0) -> Floats:
        """Return the p of each F on its df, with F moved by its slack, up or down by ``sign``.

        A relabelling whose F is moved up, against an observed F moved down, counts if
        rounding may hide that it is as extreme.
        """
        from scipy.special import fdtrc

        moved = np.maximum(ratios.statistics + sign * ratios.slack, 0.0)
        return np.asarray(fdtrc(self.df_effect[:, None], ratios.df_error, moved))

    def _ratios(self, means: Floats, squares: Floats, place: int) -> Floats:
        """Return F, slack and second df in one projection; (3, n).

        ``means`` is (n_groups, n, n_coordinates), ``squares`` (n_groups, n).
        """
        n_groups, sizes, floor = len(self.sizes), self.sizes[:, None], self.floors[place]
        within = squares - sizes * np.sum(means**2, axis=2)
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
        slack = np.sum(
            np.where(constant, 0.0, of_spreads) + weights * distances * step, axis=0
        )
        slack += 1e-12 * statistics
        # Two groups or more without variation, but with different means: F is infinite.
        differ = np.sum(np.where(constant, sizes * distances**2, 0.0), axis=0) > 4 * floor
        infinite = differ & (constant.sum(axis=0) > 1)
        statistics[infinite], slack[infinite] = np.inf, 0.0
        df_error = self.dimensions[place] * (n_groups**2 - 1) / (3 * imbalance)
        return np.stack([statistics, slack, df_error])


def _dimensions(part: Floats) -> float:
    """Return in how many directions curves vary: (tr V)² / tr V², V over all runs.

    V must not depend on the labels, so that f is the same for every relabelling.
    """
    products = part @ part.T if len(part) < part.shape[1] else part.T @ part
    squared = float(np.sum(products**2))
    return float(np.trace(products)) ** 2 / squared if squared > 0 else 1.0


def f_at(pvalues: Floats, df: tuple[float, float]) -> Floats:
    """Return the F that has each p on the degrees of freedom ``df``; infinite for p = 0."""
    from scipy.special import betaincinv

    share = np.asarray(betaincinv(df[1] / 2, df[0] / 2, pvalues))
    ratios = np.full_like(share, np.inf)
    np.divide(df[1] * (1 - share), df[0] * share, out=ratios, where=share > 0)
    return ratios

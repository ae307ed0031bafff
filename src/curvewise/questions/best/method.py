"""The algorithms by their mean over training, the best first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.inference.two_groups import RunNumbers
from curvewise.kernels.contrasts import Fit
from curvewise.kernels.invert import trimmed_means
from curvewise.shuffling.visit import Layout

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.result import Center, Interval
    from curvewise.kernels import Floats


# --- The algorithms by their mean over training, and how far each is from the leader.


class Gap(NamedTuple):
    """An algorithm's mean minus the leader's, its interval, and the adjusted p."""

    difference: float
    interval: Interval
    pvalue_adjusted: float


@dataclass(frozen=True, eq=False)
class Ranking:
    """The algorithms by their mean over training, the best first."""

    curves: Curves
    layout: Layout
    fit: Fit  # of the means, with the sign changed where lower is better
    order: tuple[int, ...]
    center: Center = "mean"

    @classmethod
    def of(cls, curves: Curves, center: Center = "mean") -> Ranking:
        """Fit the algorithms to the means, within blocks where there are blocks.

        With another centre than the mean, that is what they are ordered by.
        """
        layout, fit, noise = fitted_heights(curves)
        if center != "mean":
            return cls(curves, layout, fit, _ranked_by(layout, center, curves), center)
        return cls(curves, layout, fit, _ranked(fit.estimates[:, 0], 2 * noise))

    @property
    def signed_unit(self) -> float:
        """What takes a lead in units of the layout to scores as they were given."""
        return self.layout.unit * (1 if self.curves.higher_is_better else -1)

    def means(self) -> dict[str, float]:
        """Return the mean of each algorithm, adjusted where blocks hold different ones.

        With another centre: the trimmed mean, or the mean rank of its runs among all runs (of a
        block), the lowest score first.
        """
        curves = self.curves
        if self.center != "mean":
            return self._centers()
        heights = curves.scores.mean(axis=1)
        means = [heights[curves.codes == code].mean() for code in range(len(curves.algorithms))]
        if not curves.has_even_blocks:
            estimates = self.fit.estimates[:, 0] * self.signed_unit
            sizes = np.array(curves.sizes)
            means = list(heights.mean() + estimates - estimates @ sizes / sizes.sum())
        return {name: float(mean) for name, mean in zip(curves.algorithms, means, strict=True)}

    def _centers(self) -> dict[str, float]:
        curves, layout = self.curves, self.layout
        runs = RunNumbers.of(layout)
        if self.center == "trimmed":
            heights = curves.scores.mean(axis=1)
            centers = trimmed_means(curves.codes[None, :], heights)[:, 0]
        else:
            ranks = np.bincount(layout.labels, weights=runs.ranks())
            centers = ranks / np.bincount(layout.labels)
        return dict(zip(curves.algorithms, centers.tolist(), strict=True))


def fitted_heights(curves: Curves) -> tuple[Layout, Fit, float]:
    """Lay out the curves, and fit the algorithms to their means; return also what is rounding.

    The sign is changed where lower is better.
    """
    layout = Layout.of(curves)
    noise = layout.noise / math.sqrt(curves.n_steps)
    means = layout.scores.mean(axis=1, keepdims=True)
    means = means if curves.higher_is_better else -means
    # Within blocks, so that none leads by having run in the easier ones.
    return layout, Fit.of(means, layout.labels, layout.blocks, noise), noise


def _ranked_by(layout: Layout, center: Center, curves: Curves) -> tuple[int, ...]:
    """Order by trimmed mean, or by mean rank (in blocks: fitted), the best first."""
    runs = RunNumbers.of(layout)
    if center == "trimmed":
        estimates, noise = runs.trimmed(), runs.tie
    else:
        fit = Fit.of(runs.ranks()[:, None], layout.labels, layout.blocks)
        estimates, noise = fit.estimates[:, 0], 1e-9
    return _ranked(estimates if curves.higher_is_better else -estimates, noise)


def _ranked(estimates: Floats, noise: float) -> tuple[int, ...]:
    """Order by estimate, the largest first; what rounding alone sets apart keeps its order.

    >>> _ranked(np.array([1.0, 3.0, 3.0 + 1e-12]), 1e-9)
    (1, 2, 0)
    """
    order = np.argsort(-estimates, kind="stable")
    is_lower = np.diff(estimates[order]) < -noise
    group = np.concatenate([[0], np.cumsum(is_lower)])
    return tuple(order[np.lexsort([order, group])].tolist())

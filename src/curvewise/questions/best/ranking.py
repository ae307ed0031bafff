"""The algorithms by their mean over training, and how far each is from the leader."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.contrasts import Fit
from curvewise.shuffling.layout import Layout

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.effects import Interval
    from curvewise.kernels import Floats

__all__ = ["Gap", "Ranking"]


@dataclass(frozen=True)
class Gap:
    """An algorithm's mean minus the leader's, its interval, and the adjusted p."""

    difference: float | None
    interval: Interval | None
    pvalue_adjusted: float | None


@dataclass(frozen=True, eq=False)
class Ranking:
    """The algorithms by their mean over training, the best first."""

    curves: Curves
    layout: Layout
    fit: Fit  # of the means, with the sign changed where lower is better
    order: tuple[int, ...]

    @classmethod
    def of(cls, curves: Curves) -> Ranking:
        """Fit the algorithms to the means, within blocks where there are blocks."""
        layout = Layout.of(curves)
        noise = layout.noise / math.sqrt(curves.n_steps)
        means = layout.scores.mean(axis=1, keepdims=True)
        means = means if curves.higher_is_better else -means
        # Within blocks, so that none leads by having run in the easier ones.
        fit = Fit.of(means, layout.labels, layout.blocks, noise)
        return cls(curves, layout, fit, _ranked(fit.estimates[:, 0], 2 * noise))

    @property
    def signed_unit(self) -> float:
        """What takes a lead in units of the layout to scores as they were given."""
        return self.layout.unit * (1 if self.curves.higher_is_better else -1)

    def means(self) -> dict[str, float]:
        """Return the mean of each algorithm, adjusted where blocks hold different ones."""
        curves = self.curves
        heights = curves.scores.mean(axis=1)
        means = [
            heights[curves.codes == code].mean() for code in range(len(curves.algorithms))
        ]
        if not curves.has_even_blocks:
            estimates = self.fit.estimates[:, 0] * self.signed_unit
            sizes = np.array(curves.sizes)
            means = list(heights.mean() + estimates - estimates @ sizes / sizes.sum())
        return {
            name: float(mean) for name, mean in zip(curves.algorithms, means, strict=True)
        }


def _ranked(estimates: Floats, noise: float) -> tuple[int, ...]:
    """Order by estimate, the largest first; what rounding alone sets apart keeps its order.

    >>> _ranked(np.array([1.0, 3.0, 3.0 + 1e-12]), 1e-9)
    (1, 2, 0)
    """
    order = np.argsort(-estimates, kind="stable")
    is_lower = np.diff(estimates[order]) < -noise
    group = np.concatenate([[0], np.cumsum(is_lower)])
    return tuple(order[np.lexsort([order, group])].tolist())

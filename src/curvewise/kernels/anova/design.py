"""A table of curves in the form that shuffling needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.sums import (
    centred,
    group_factor,
    group_squares,
    plain_sizes,
    rotated,
    strata,
)
from curvewise.kernels.anova.thresholds import Totals, extreme_rule
from curvewise.kernels.codes import distinct

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.thresholds import ExtremeRule

__all__ = ["Design"]


@dataclass(frozen=True, eq=False)
class Design:
    """Coordinates of the curves, the observed sums of squares, and what counts as extreme.

    ``factor`` and ``sizes`` are those of `group_factor` and `plain_sizes`. ``contrast`` holds,
    for two groups, the curve means and the membership of the first group, both centred as the
    curves are.
    """

    coordinates: Floats
    factor: Floats
    sizes: Integers | None
    totals: Totals
    extreme_rule: ExtremeRule
    contrast: Floats | None
    ss: dict[str, float]
    df: dict[str, int]

    @classmethod
    def from_scores(
        cls, scores: Floats, labels: Integers, blocks: Integers, noise: float = 0.0
    ) -> Design:
        """Centre, rotate and sum up; a sum of squares within ``noise``² is set to 0.

        ``noise`` is how far rounding can move the scores, as a distance.
        """
        n_runs, n_steps = scores.shape
        n_groups, n_blocks = int(labels.max()) + 1, len(distinct(blocks))
        member = (labels[:, None] == np.arange(n_groups - 1)).astype(np.float64)
        deviations = centred(scores, blocks)
        parts = strata(scores, deviations)
        coordinates = rotated(deviations)
        # Rounding in heights or shapes that do not vary must not enter any shuffle.
        heights = parts.heights if parts.heights > noise**2 else 0.0
        shapes = parts.shapes if parts.shapes > noise**2 else 0.0
        coordinates[:, 0] *= heights > 0
        coordinates[:, 1:] *= shapes > 0

        factor, sizes = group_factor(labels, blocks), plain_sizes(labels, blocks)
        between = group_squares(labels[None, :], coordinates, factor, sizes)[:, 0]
        between *= between > noise**2
        # The error is summed from residuals: as total − effect it would lose its digits when
        # there is little of it.
        effects = factor @ (factor.T @ (member.T @ coordinates))
        residuals = coordinates - centred(member, blocks) @ effects
        curves = float(np.sum(residuals[:, 0] ** 2))
        residual = float(np.sum(residuals[:, 1:] ** 2))
        curves, residual = (ss if ss > noise**2 else 0.0 for ss in (curves, residual))

        contrast = None
        if n_groups == 2:
            means = deviations.mean(axis=1, keepdims=True)
            contrast = np.hstack([means, centred(member, blocks)])
        algorithm, interaction = (float(value) for value in between)
        spare = n_runs - n_groups - (n_blocks - 1)
        # In the order of the papers' tables.
        rows: dict[str, tuple[float, int]] = {
            "interaction": (interaction, (n_groups - 1) * (n_steps - 1)),
            "algorithm": (algorithm, n_groups - 1),
            "training": (parts.training, n_steps - 1),
        }
        if n_blocks > 1:
            rows["blocks"] = parts.blocks, n_blocks - 1
            rows["blocks × training"] = (
                parts.blocks_by_training,
                (n_blocks - 1) * (n_steps - 1),
            )
        rows["curves"] = curves, spare
        rows["residual"] = residual, spare * (n_steps - 1)
        rows["error"] = curves + residual, spare * n_steps
        rows["total"] = parts.total, n_runs * n_steps - 1
        totals = Totals(heights, shapes)
        return cls(
            coordinates,
            factor,
            sizes,
            totals,
            extreme_rule(between, (curves, residual), totals, noise),
            contrast,
            ss={source: ss for source, (ss, _) in rows.items()},
            df={source: df for source, (_, df) in rows.items()},
        )

    def between(self, labels: Integers, *, compiled: bool = False) -> Floats:
        """Return SS_alg and SS_int of each relabelling, as `group_squares` does."""
        return group_squares(
            labels, self.coordinates, self.factor, self.sizes, compiled=compiled
        )

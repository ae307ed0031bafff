"""A table of curves in the form that shuffling needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova import Totals, centred, group_squares, rotated, strata

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = ["Design"]


@dataclass(frozen=True, eq=False)
class Design:
    """Coordinates of the curves, sizes of the groups, and the observed sums of squares.

    ``between`` holds SS_alg and SS_int as observed; ``contrast``, for two groups, the
    curve means and the membership of the first group, both centred as the curves are.
    """

    coordinates: Floats
    sizes: Integers
    totals: Totals
    between: Floats
    contrast: Floats | None
    ss: dict[str, float]
    df: dict[str, int]

    @classmethod
    def from_scores(cls, scores: Floats, labels: Integers, blocks: Integers) -> Design:
        """Centre, rotate and sum up."""
        sizes = np.bincount(labels)
        deviations = centred(scores, blocks)
        parts = strata(scores, blocks)
        coordinates = rotated(deviations)
        # A stratum without variation must not lend its rounding to any shuffle.
        coordinates[:, 0] *= parts.heights > 0
        coordinates[:, 1:] *= parts.shapes > 0
        between = group_squares(labels[None, :], coordinates, sizes)[:, 0]
        contrast = None
        if len(sizes) == 2:
            member = (labels == 0).astype(np.float64)[:, None]
            heights = deviations.mean(axis=1, keepdims=True)
            contrast = np.hstack([heights, centred(member, blocks)])

        algorithm, interaction = (float(value) for value in between)
        curves = max(parts.heights - algorithm, 0.0)
        residual = max(parts.shapes - interaction, 0.0)
        n_runs, n_steps = scores.shape
        n_groups, n_blocks = len(sizes), len(np.unique(blocks))
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
        return cls(
            coordinates,
            sizes,
            Totals(parts.heights, parts.shapes),
            between,
            contrast,
            ss={source: ss for source, (ss, _) in rows.items()},
            df={source: df for source, (_, df) in rows.items()},
        )

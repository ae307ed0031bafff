"""What a shuffle costs, in seconds of one core, in NumPy and in compiled code.

Measured, and good to within a factor of two or so from machine to machine; what decides between
engines is how the two compare, in which most of that cancels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from curvewise.kernels.anova.sums import MIN_GROUPS_ADDED_UP

if TYPE_CHECKING:
    from curvewise.kernels import Integers
    from curvewise.kernels.relabelling.shuffles import Shuffles

__all__ = ["ShuffleCosts", "shuffle_costs"]

NANOSECOND = 1e-9


class ShuffleCosts(NamedTuple):
    """Seconds to draw a shuffle and to find its sums of squares, in each engine."""

    in_numpy: float
    compiled: float


def shuffle_costs(
    shuffles: Shuffles, n_columns: int, sizes: Integers | None
) -> ShuffleCosts:
    """Return what a shuffle costs where columns are summed; ``sizes`` as of `plain_sizes`."""
    n_runs, n_groups = len(shuffles.labels), int(shuffles.labels.max()) + 1
    drawn = (8 if shuffles.masks is not None else 25) * n_runs
    added = n_runs * n_columns
    if sizes is not None and n_groups >= MIN_GROUPS_ADDED_UP:
        summed = 1.0 * added
    else:
        summed = 60 + 0.08 * n_groups * added
    compiled = 20.0 if shuffles.masks is not None else 4 * n_runs + 0.06 * added
    return ShuffleCosts(NANOSECOND * (drawn + summed), NANOSECOND * compiled)

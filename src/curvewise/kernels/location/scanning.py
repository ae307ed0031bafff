"""Every step of a portion of relabellings: what reaches the observed, and the largest of each.

Compiled code does the same in one pass for work that repays importing numba: `compiled_scan`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.location.nested import nested_maxima
from curvewise.kernels.location.profiles import cluster_masses, f_ratios

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.location.profiles import StepDesign

__all__ = ["Bars", "StepCounts", "largest_roots", "scan_steps"]


class Bars(NamedTuple):
    """What a relabelling must reach to count; rows are those of A and of I.

    Attributes
    ----------
    steps : array, (2, n_steps)
        The root of R at a step.
    nested : array, (2, n_steps)
        Its largest, for A, in windows to the end, and from the start.
    order : array, (2, n_steps)
        Steps from the most to the least striking.
    threshold : float
        F of steps that make a cluster.
    """

    steps: Floats
    nested: Floats
    order: Integers
    threshold: float


class StepCounts(NamedTuple):
    """How many relabellings reach the bars; (2, n_steps) each.

    ``stepdown`` is about the largest among the steps not more striking.
    """

    step: Integers
    stepdown: Integers
    nested: Integers

    @classmethod
    def none(cls, n_steps: int) -> StepCounts:
        """Begin at zero."""
        return cls(*np.zeros((3, 2, n_steps), dtype=np.int64))


def scan_steps(
    design: StepDesign, sums: Floats, bars: Bars, counts: StepCounts, *, compiled: bool
) -> Floats:
    """Scan Lᵀ S of some relabellings, as `StepDesign.sums` gives it; add to the counts.

    Returns, for each relabelling, the largest root of R and the largest sum of F over a
    cluster; (2, 2, n_relabellings), by effect in the second place. Roots of R are raised by how
    far rounding can move them.
    """
    _, n_steps, n_relabellings = sums.shape
    if compiled:
        from curvewise.kernels.location.compiled_scan import scan_steps as scan

        largest = np.zeros((2, 2, n_relabellings))
        roots = np.empty((2, n_steps, n_relabellings))
        arrays = design.totals, design.slack, bars.steps, bars.nested, bars.order
        ratio = design.df[1] / design.df[0]
        scan(sums, *arrays, bars.threshold, ratio, roots, *counts, largest)
        return largest
    roots = design.roots(design.profiles(sums))
    ratios = f_ratios(roots**2, design.df)
    masses = cluster_masses(ratios, bars.threshold).max(axis=1)
    roots += design.slack[:, :, None]
    at_least = bars.steps[:, :, None]
    counts.step[:] += np.sum(roots >= at_least, axis=-1)
    for effect, order in enumerate(bars.order):
        # The largest of this step and all less striking ones.
        so_far = np.maximum.accumulate(roots[effect, order[::-1]], axis=0)[::-1]
        counts.stepdown[effect, order] += np.sum(
            so_far >= at_least[effect, order], axis=-1
        )
    counts.nested[:] += np.sum(
        nested_maxima(roots[0]) >= bars.nested[:, :, None], axis=-1
    )
    return np.stack([roots.max(axis=1), masses])


def largest_roots(design: StepDesign, sums: Floats, *, compiled: bool) -> Floats:
    """Return the largest root of R of each relabelling, for A, raised as in `scan_steps`."""
    if compiled:
        from curvewise.kernels.location.compiled_scan import largest_roots as largest_of

        largest = np.zeros(sums.shape[2])
        largest_of(sums, design.totals, design.slack, largest)
        return largest
    roots = design.roots(design.profiles(sums))[0]
    return np.asarray((roots + design.slack[0, :, None]).max(axis=0))

"""Every step of some relabellings: what reaches the observed, and the largest of each.

Compiled code does the same tile by tile for work that repays importing numba: `compiled_scan`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.location.nested import nested_maxima
from curvewise.kernels.location.profiles import cluster_masses, f_ratios
from curvewise.kernels.location.tiles import MAX_RELABELLINGS, Tiles

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.location.profiles import StepDesign
    from curvewise.kernels.location.windows import PlaceSums

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
    design: StepDesign,
    labels: Integers,
    bars: Bars,
    counts: StepCounts,
    gathered: PlaceSums | None = None,
    *,
    compiled: bool,
) -> Floats:
    """Scan relabellings, (n_relabellings, n_runs); add to the counts, and gather sums of places.

    Returns, for each relabelling, the largest root of R and the largest sum of F over a
    cluster; (2, 2, n_relabellings), by effect in the second place. Roots of R are raised by how
    far rounding can move them.
    """
    if compiled:
        return _scan_tiles(design, labels, bars, counts, gathered)
    largest = []
    for start in range(0, len(labels), design.portion):
        sums = design.sums(labels[start : start + design.portion])
        largest.append(_scan_portion(design, sums, bars, counts))
        if gathered is not None:
            gathered.fill(start, sums)
    return np.concatenate(largest, axis=-1)


def _scan_portion(
    design: StepDesign, sums: Floats, bars: Bars, counts: StepCounts
) -> Floats:
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


def _scan_tiles(
    design: StepDesign,
    labels: Integers,
    bars: Bars,
    counts: StepCounts,
    gathered: PlaceSums | None,
) -> Floats:
    from curvewise.kernels.location.compiled_scan import (
        N_STATES,
        raise_largest,
        scan_steps,
    )

    tiles = Tiles.of(design, labels)
    means = tiles.means()
    shape = len(tiles.parts), 2, N_STATES, MAX_RELABELLINGS
    states, ratio = np.zeros(shape), design.df[1] / design.df[0]
    rows = design.totals, design.slack, bars.steps
    for steps, number, sums in tiles.along():
        state = states[number].reshape(2, -1)
        ends = bars.nested[1], bars.threshold, ratio, state, counts.step, counts.nested[1]
        scan_steps(sums, means[number], steps.start, *rows, *ends)
        if gathered is not None:
            gathered.add(steps, tiles.parts[number].start, sums)
    largest = np.concatenate(
        [
            state[:, :2, : part.stop - part.start]
            for state, part in zip(states, tiles.parts, strict=True)
        ],
        axis=-1,
    ).transpose(1, 0, 2)
    # The largest in windows to the end, and of a step and all less striking ones.
    backwards = np.arange(design.n_steps)[::-1]
    for effect, order, least, reaching in (
        (0, backwards, bars.nested[0], counts.nested[0]),
        (0, bars.order[0, ::-1], bars.steps[0], counts.stepdown[0]),
        (1, bars.order[1, ::-1], bars.steps[1], counts.stepdown[1]),
    ):
        states = np.zeros((len(tiles.parts), N_STATES * MAX_RELABELLINGS))
        for steps, number, sums in tiles.along(order):
            some = np.ascontiguousarray(order[steps])
            own = some, design.totals[effect], design.slack[effect], least
            raise_largest(sums, means[number], effect, *own, states[number], reaching)
    return np.ascontiguousarray(largest)


def largest_roots(design: StepDesign, labels: Integers, *, compiled: bool) -> Floats:
    """Return the largest root of R of each relabelling, for A, raised as in `scan_steps`."""
    if not compiled:
        return np.concatenate(
            [
                _largest_of(design, labels[start : start + design.portion])
                for start in range(0, len(labels), design.portion)
            ]
        )
    from curvewise.kernels.location.compiled_scan import N_STATES, raise_largest

    tiles = Tiles.of(design, labels)
    states = np.zeros((len(tiles.parts), N_STATES * MAX_RELABELLINGS))
    everything = np.arange(design.n_steps)
    nothing, unused = np.zeros((0, 0)), np.zeros(design.n_steps, dtype=np.int64)
    for steps, number, sums in tiles.along():
        rows = everything[steps], design.totals[0], design.slack[0], design.slack[0]
        raise_largest(sums, nothing, 0, *rows, states[number], unused)
    return np.asarray(states[:, :MAX_RELABELLINGS].ravel()[: len(labels)])


def _largest_of(design: StepDesign, labels: Integers) -> Floats:
    roots = design.roots(design.profiles(design.sums(labels)))[0]
    return np.asarray((roots + design.slack[0, :, None]).max(axis=0))

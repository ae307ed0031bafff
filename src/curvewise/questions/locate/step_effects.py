"""From counts over relabellings to effects at each step, regions, clusters and windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.effects import PARTS
from curvewise.kernels.location.profiles import (
    MIN_RESIDUAL_SHARE,
    cluster_masses,
    f_ratios,
)
from curvewise.kernels.location.windows import intervalwise
from curvewise.kernels.pvalues import pvalue
from curvewise.questions.locate.result import Cluster, Region, StepEffect
from curvewise.questions.locate.scan import ScanCounts, cluster_ends, stretches
from curvewise.questions.locate.windows import WindowTests

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.questions.locate.result import Adjustment
    from curvewise.questions.locate.scan import Reference
    from curvewise.questions.locate.shares import Share
    from curvewise.shuffling.layout import Layout
    from curvewise.shuffling.visiting import Counts

__all__ = ["StepPvalues", "step_effect", "window_tests"]


@dataclass(frozen=True, eq=False)
class StepPvalues:
    """P of every step, (2, n_steps); rows are those of A and of I.

    A change of the difference is claimed only behind a difference: in row 1 no p adjusted for
    all steps is smaller than the smallest in row 0.
    """

    single: Floats  # of a step chosen beforehand
    adjusted: Floats  # for all steps, as asked for
    stepdown: Floats  # for all steps, by steps down

    @classmethod
    def of(cls, reference: Reference, found: Counts, adjust: Adjustment) -> StepPvalues:
        """Turn counts into p."""
        counts = ScanCounts(*found.counts)
        single, largest, down = (
            pvalue(count, found.n_visited, exact=found.exact)
            for count in (counts.step, counts.single, counts.stepdown)
        )
        for row, order in enumerate(reference.order):
            # No step may have a smaller p than a more striking one.
            down[row, order] = np.maximum.accumulate(down[row, order])
        for pvalues in (largest, down):
            np.maximum(pvalues[1], pvalues[0].min(), out=pvalues[1])
        return cls(single, largest if adjust == "max-f" else down, down)


def step_effect(
    curves: Curves,
    layout: Layout,
    reference: Reference,
    found: Counts,
    pvalues: StepPvalues,
    tests: WindowTests | None,
    row: int,
    alpha: float,
    shares: Callable[[list[tuple[int, int]], Floats], list[Share]],
) -> StepEffect:
    """Return one effect at every step: row 0 is that of A, row 1 that of I.

    ``shares`` gives the shares of a profile that lie between some pairs of steps.
    """
    design, counts = reference.design, ScanCounts(*found.counts)

    # What is no more than rounding is nothing; without error F is infinite.
    statistic = np.where(reference.roots[row] > 0, reference.ratios[row], 0.0)
    statistic[reference.shares[row] >= 1 - MIN_RESIDUAL_SHARE] = np.inf
    profile = np.where(design.totals[row] > 0, reference.profiles[row], 0.0)
    profile = profile * layout.unit**2
    adjusted = pvalues.adjusted[row]
    intervalwise_p = None
    if tests is not None:
        by_place = intervalwise(np.where(tests.lengths > row, tests.pvalue[row], 0.0))
        lengths = np.diff(
            np.append(np.searchsorted(curves.steps, tests.starts), curves.n_steps)
        )
        intervalwise_p = np.repeat(by_place, lengths)
    n_clusters = counts.clusters_a if row == 0 else counts.clusters_i
    of_clusters = pvalue(n_clusters, found.n_visited, exact=found.exact)
    return StepEffect(
        name=PARTS[row],
        profile=profile,
        statistic=statistic,
        df=design.df,
        pvalue=pvalues.single[row],
        pvalue_adjusted=adjusted,
        pvalue_stepdown=pvalues.stepdown[row],
        pvalue_intervalwise=intervalwise_p,
        regions=_regions(
            curves, reference, layout, adjusted, statistic, alpha, row, profile, shares
        ),
        clusters=_clusters(curves, reference, row, of_clusters),
        cluster_threshold=reference.threshold,
    )


def _regions(
    curves: Curves,
    reference: Reference,
    layout: Layout,
    pvalues: Floats,
    statistic: Floats,
    alpha: float,
    row: int,
    profile: Floats,
    shares: Callable[[list[tuple[int, int]], Floats], list[Share]],
) -> tuple[Region, ...]:
    """Return every stretch of steps with p of at most alpha; who leads only for A."""
    ends = stretches(pvalues <= alpha)
    if not ends:
        return ()
    regions = []
    for (first, last), share in zip(ends, shares(ends, profile), strict=True):
        inside = slice(first, last + 1)
        leader, throughout = (
            _leader(curves, reference, layout, inside) if row == 0 else (None, True)
        )
        regions.append(
            Region(
                curves.steps[first].item(),
                curves.steps[last].item(),
                last - first + 1,
                float(statistic[inside].max()),
                float(pvalues[inside].min()),
                leader,
                throughout,
                share,
            )
        )
    return tuple(regions)


def _leader(
    curves: Curves, reference: Reference, layout: Layout, inside: slice
) -> tuple[str, bool]:
    """Name the algorithm with the best mean over some steps, compared within blocks.

    Also tell whether it is ahead at each of them.
    """
    scores = reference.design.columns(inside)
    factor = reference.design.factor
    sums = [scores[layout.labels == code].sum(axis=0) for code in range(len(factor))]
    # In centred curves the last algorithm is what the others are compared with.
    estimates = np.vstack(
        [factor @ (factor.T @ np.array(sums)), np.zeros(scores.shape[1])]
    )
    estimates = estimates if curves.higher_is_better else -estimates
    best = int(np.argmax(estimates.mean(axis=1)))
    throughout = bool((estimates[best] >= estimates.max(axis=0)).all())
    return curves.algorithms[best], throughout


def _clusters(
    curves: Curves, reference: Reference, row: int, pvalues: Floats
) -> tuple[Cluster, ...]:
    ratios = reference.ratios[row][:, None]
    ends, masses = cluster_ends(cluster_masses(ratios, reference.threshold)[:, 0])
    return tuple(
        Cluster(
            curves.steps[first].item(),
            curves.steps[last].item(),
            float(mass),
            float(value),
        )
        for (first, last), mass, value in zip(ends, masses, pvalues, strict=True)
    )


def window_tests(
    curves: Curves,
    reference: Reference,
    found: Counts,
    step_pvalues: Floats,
    alpha: float,
) -> WindowTests | None:
    """Return every window with its p, if windows were looked at.

    ``step_pvalues`` are those of differences at each step, adjusted for all steps.
    """
    windows, counts = reference.windows, ScanCounts(*found.counts)
    if windows is None:
        return None
    shares = np.zeros_like(windows.totals)
    np.divide(windows.observed, windows.totals, out=shares, where=windows.totals > 0)
    statistic = f_ratios(shares, reference.design.df)
    statistic[shares >= 1 - MIN_RESIDUAL_SHARE] = np.inf
    del shares  # there is one for each window
    # A window of one step has a height and no shape.
    has_effect = windows.lengths[None] > np.array([0, 1])[:, None, None]
    usable = has_effect & (windows.scales > 0)
    planned = pvalue(counts.windows, found.n_visited, exact=found.exact)
    planned[~has_effect] = 1.0
    adjusted = pvalue(counts.any_window, found.n_visited, exact=found.exact)
    adjusted = adjusted.reshape(windows.totals.shape)
    adjusted[~usable] = 1.0
    score = windows.scores
    score[~usable] = -np.inf
    starts = windows.places.starts
    stops = starts + windows.places.lengths - 1
    return WindowTests(
        starts=curves.steps[starts],
        stops=curves.steps[stops],
        lengths=windows.lengths,
        statistic=statistic,
        pvalue=planned,
        pvalue_adjusted=adjusted,
        score=score,
        df=reference.design.df,
        alpha=alpha,
        steps=curves.steps,
        step_pvalues=step_pvalues,
    )

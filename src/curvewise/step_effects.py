"""From counts over relabellings to effects at each step, regions, clusters and windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.kernels.adjustments import max_adjusted
from curvewise.kernels.profiles import cluster_masses, f_ratios
from curvewise.kernels.windows import intervalwise
from curvewise.results.location import (
    Cluster,
    Region,
    StepEffect,
)
from curvewise.results.windows import WindowTests

if TYPE_CHECKING:
    from curvewise.curves import Curves
    from curvewise.kernels import Floats, Integers
    from curvewise.layout import Layout
    from curvewise.results.location import (
        Adjustment,
    )
    from curvewise.scanning import Scan, Watch

__all__ = ["NAMES", "shuffle_pvalues", "step_effect", "window_tests"]

NAMES = ("algorithm", "interaction")
LEAST_ERROR = 64 * float(np.finfo(np.float64).eps)  # of a total: less is rounding


def step_effect(
    curves: Curves,
    layout: Layout,
    watch: Watch,
    found: Scan,
    tests: WindowTests | None,
    row: int,
    adjust: Adjustment,
    alpha: float,
    *,
    exact: bool,
) -> StepEffect:
    """Return one effect at every step: row 0 is that of A, row 1 that of I."""
    design = watch.design
    profiles = design.profiles(design.sums(layout.labels[None, :]))
    ratios = f_ratios(design.roots(profiles)[row] ** 2, design.df)
    statistic = np.where(watch.roots[row] > 0, ratios[:, 0], 0.0)
    single = max_adjusted(watch.roots[row], found.maxima[row], exact=exact)
    down = _stepped(
        shuffle_pvalues(found.n_stepdown[row], found.count, exact=exact), watch.order[row]
    )
    adjusted = single if adjust == "max-f" else down
    intervalwise_p = None
    if tests is not None:
        by_place = intervalwise(np.where(tests.lengths > row, tests.pvalue[row], 0.0))
        lengths = np.diff(
            np.append(np.searchsorted(curves.steps, tests.starts), curves.n_steps)
        )
        intervalwise_p = np.repeat(by_place, lengths)
    name = NAMES[row]
    # What is no more than rounding is nothing; without error F is infinite.
    profile = np.where(design.totals[row] > 0, profiles[row, :, 0], 0.0)
    sure = design.roots(profiles)[row, :, 0] ** 2 >= 1 - LEAST_ERROR
    statistic = np.where(sure, np.inf, statistic)
    return StepEffect(
        name=name,
        profile=profile * layout.unit**2,
        statistic=statistic,
        df=design.df,
        pvalue=shuffle_pvalues(found.n_extreme[row], found.count, exact=exact),
        pvalue_adjusted=adjusted,
        pvalue_stepdown=down,
        pvalue_intervalwise=intervalwise_p,
        regions=_regions(
            curves, watch, layout, adjusted, statistic, alpha, with_leader=row == 0
        ),
        clusters=_clusters(
            curves, ratios, watch.threshold, found.masses[row], exact=exact
        ),
        cluster_threshold=watch.threshold,
    )


def shuffle_pvalues(n_extreme: Integers, count: int, *, exact: bool) -> Floats:
    """Return the share of relabellings as extreme, the observed one included."""
    added = 0 if exact else 1
    return (n_extreme + added) / (count + added)


def _stepped(pvalues: Floats, order: Integers) -> Floats:
    """Let no step have a smaller p than a more striking one."""
    stepped = np.empty_like(pvalues)
    stepped[order] = np.maximum.accumulate(pvalues[order])
    return stepped


def _stretches(inside: np.ndarray[Any, Any]) -> list[tuple[int, int]]:
    """Return the first and last index of every stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], inside.astype(np.int8), [0]])))
    return [(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)]


def _regions(
    curves: Curves,
    watch: Watch,
    layout: Layout,
    pvalues: Floats,
    statistic: Floats,
    alpha: float,
    *,
    with_leader: bool,
) -> tuple[Region, ...]:
    regions = []
    for first, last in _stretches(pvalues <= alpha):
        held = slice(first, last + 1)
        regions.append(
            Region(
                curves.steps[first].item(),
                curves.steps[last].item(),
                last - first + 1,
                float(statistic[held].max()),
                float(pvalues[held].min()),
                *(_leader(curves, watch, layout, held) if with_leader else (None, True)),
            )
        )
    return tuple(regions)


def _leader(
    curves: Curves, watch: Watch, layout: Layout, held: slice
) -> tuple[str, bool]:
    """Name the algorithm with the best mean over some steps, compared within blocks.

    Also tell whether it is ahead at each of them.
    """
    scores = watch.design.deviations[:, held]
    factor = watch.design.factor
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
    curves: Curves, ratios: Floats, threshold: float, masses: Floats, *, exact: bool
) -> tuple[Cluster, ...]:
    running = cluster_masses(ratios, threshold)[:, 0]
    stretches = _stretches(running > 0)
    observed = np.array([running[last] for _, last in stretches])
    pvalues = max_adjusted(observed, masses, exact=exact)
    return tuple(
        Cluster(
            curves.steps[first].item(),
            curves.steps[last].item(),
            float(mass),
            float(pvalue),
        )
        for (first, last), mass, pvalue in zip(stretches, observed, pvalues, strict=True)
    )


def window_tests(
    curves: Curves, watch: Watch, found: Scan, alpha: float, *, exact: bool
) -> WindowTests | None:
    """Return every window with its p, if windows were watched."""
    windows = watch.windows
    if windows is None:
        return None
    shares = np.zeros_like(windows.totals)
    np.divide(windows.observed, windows.totals, out=shares, where=windows.totals > 0)
    held = windows.lengths[None] > np.array([0, 1])[:, None, None]
    adjusted = max_adjusted(windows.scores.ravel(), found.largest, exact=exact)
    adjusted = adjusted.reshape(windows.totals.shape)
    usable = held & (windows.scales > 0)
    starts = windows.places.starts
    stops = starts + windows.places.lengths - 1
    return WindowTests(
        starts=curves.steps[starts],
        stops=curves.steps[stops],
        lengths=windows.lengths,
        statistic=np.where(
            shares >= 1 - LEAST_ERROR, np.inf, f_ratios(shares, watch.design.df)
        ),
        pvalue=np.where(
            held, shuffle_pvalues(found.n_windows, found.count, exact=exact), 1.0
        ),
        pvalue_adjusted=np.where(usable, adjusted, 1.0),
        score=np.where(usable, windows.scores, -np.inf),
        df=watch.design.df,
        alpha=alpha,
    )

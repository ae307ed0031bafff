"""What in the curves calls for a caveat: few runs, unequal spread, blocks, how they were made.

Caveats are many small classes, and most curves call for none: they are imported where one is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.sampling import Sampling
from curvewise.kernels.anova.spreads import equal_spread_pvalue
from curvewise.kernels.anova.sums import centred, strata
from curvewise.kernels.anova.thresholds import rounding
from curvewise.kernels.pvalues import t_survival
from curvewise.kernels.relabelling.enumeration import n_relabellings
from curvewise.shuffling.layout import Layout
from curvewise.shuffling.stopping import MAX_SHUFFLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat, DifferentSpread
    from curvewise.inference.effects import Center
    from curvewise.kernels import Floats, Integers

__all__ = [
    "MIN_VALUES_TO_REPEAT",
    "coarse_scores",
    "different_spread",
    "few_for_ranks",
    "identical_runs",
    "prepared",
    "runs_are_alike",
    "single_runs",
    "single_runs_and_steps",
    "spread_caveat",
    "stray_runs",
    "too_few",
    "too_few_for_max_t",
    "too_few_shuffles",
    "uneven_blocks",
    "welch_with_few_runs",
]

# How far rounding may move heights, compared with how far apart they are.
MAX_ROUNDING_SHARE = 0.02
MIN_SPREAD_RATIO = 1.5  # of standard deviations, for spreads that are worth a warning
# Runs below which skewed runs were found to mislead the Welch-type test (docs/method.md).
MIN_RUNS_FOR_WELCH = 20
# Runs from which ranks were found to lose little power (docs/method.md).
MIN_RUNS_FOR_RANKS = 8
# What makes a run stray: so many standard deviations from the median of its algorithm, as the
# median distance tells them; which of a few normal runs happens too often by chance, so that its
# t, against the runs that are nearer, must be significant as well, adjusted for all runs.
MIN_RUNS_TO_STRAY, MIN_STRAY_DISTANCE, MAX_STRAY_PVALUE = 5, 3.5, 0.025
NORMAL_MAD = 0.6745  # of a standard deviation
# Scores that take fewer values, such as successes and failures, may be the same by chance.
MIN_VALUES_TO_REPEAT = 4


def too_few(curves: Curves, sampling: Sampling, alpha: float) -> Iterator[Caveat]:
    """Warn if nothing could be significant, for lack of runs or of shuffles."""
    smallest = sampling.smallest_by_runs
    if smallest > alpha:
        n_enough = n_blocks = None
        if curves.blocks is None:
            n_enough = _enough_runs(len(curves.algorithms), alpha)
        elif (curves.block_counts == curves.block_counts[0]).all():
            n_blocks = _enough_blocks(curves.block_counts[0], alpha)
        from curvewise.inference.caveats import TooFewRuns

        yield TooFewRuns(curves.sizes, smallest, alpha, n_enough, n_blocks)
    if not sampling.exact:
        yield from too_few_shuffles(sampling.n_shuffles, alpha)


def too_few_shuffles(n_shuffles: int | str, alpha: float) -> Iterator[Caveat]:
    """Warn if nothing could be significant for lack of shuffles; "auto" draws enough."""
    if isinstance(n_shuffles, int) and 1 / (1 + n_shuffles) > alpha:
        from curvewise.inference.caveats import TooFewShuffles

        yield TooFewShuffles(n_shuffles, alpha)


def too_few_for_max_t(
    curves: Curves, n_shuffles: int | str, alpha: float
) -> Iterator[Caveat]:
    """Warn if max-t, which shuffles the runs of all algorithms together, can find nothing."""
    # "auto" and "precise" shuffle often enough.
    most = n_shuffles if isinstance(n_shuffles, int) else MAX_SHUFFLES
    n_all = Layout.of(curves).restriction.count
    sampling = Sampling(exact=False, n_relabellings=n_all, n_shuffles=most)
    return too_few(curves, sampling, alpha)


def _enough_runs(n_algorithms: int, alpha: float) -> int:
    """Return the fewest runs of each algorithm with which p can be as small as alpha."""
    n_runs = 2
    while True:
        labels = np.repeat(np.arange(n_algorithms), n_runs)
        if 1 / n_relabellings(labels, np.zeros_like(labels)) <= alpha:
            return n_runs
        n_runs += 1


def _enough_blocks(counts: Integers, alpha: float) -> int:
    """Return the fewest blocks with these runs of each algorithm that let p reach alpha."""
    n_blocks = 2
    while True:
        labels = np.tile(np.repeat(np.arange(len(counts)), counts), n_blocks)
        blocks = np.repeat(np.arange(n_blocks), counts.sum())
        if 1 / n_relabellings(labels, blocks) <= alpha:
            return n_blocks
        n_blocks += 1


def identical_runs(curves: Curves) -> Iterator[Caveat]:
    """Warn if runs have the same scores at every step, unless these take a few values only."""
    first: dict[bytes, int] = {}
    again = []
    for row, scores in enumerate(curves.scores):
        place = first.setdefault(scores.tobytes(), row)
        if place != row and len(np.unique(scores)) >= MIN_VALUES_TO_REPEAT:
            again.append((row, place))
    if again:
        from curvewise.inference.caveats import IdenticalRuns

        run, other = ((curves.labels[row], curves.runs[row]) for row in again[0])
        yield IdenticalRuns(run, other, len(again))


def runs_are_alike(curves: Curves) -> bool:
    """Tell whether all runs (of a block) have the same curve, but for rounding."""
    layout = Layout.of(curves)
    within = centred(layout.scores, layout.blocks)
    parts = strata(layout.scores, within)
    return max(parts.heights, parts.shapes) <= layout.noise**2


def prepared(curves: Curves) -> Iterator[Caveat]:
    """Warn of runs that are there twice, and of what was done to runs before."""
    yield from identical_runs(curves)
    done = curves.preparation
    if done is None:
        return
    from curvewise.data.preparation import schedules_differ
    from curvewise.inference import preparation_caveats as about

    logs = done.algorithms
    names = tuple(own.name for own in logs)
    if done.short:
        n_short = tuple(own.n_short for own in logs)
        n_runs = tuple(own.n_runs for own in logs)
        yield about.RunsFailed(names, n_short, n_runs, done.failure_pvalue)
        if done.fill is not None:
            yield about.FilledWithWorst(sum(n_short), done.fill)
        if done.short == "carry":
            yield about.CarriedOn(sum(n_short))
        if done.short == "drop":
            yield about.RunsDropped(sum(n_short), done.reason)
    if schedules_differ(logs):
        spacings = {own.name: own.spacing for own in logs if own.spacing is not None}
        yield about.SchedulesDiffer(tuple(spacings), tuple(spacings.values()))
    if done.covers_less:
        bounds = done.first, done.last, done.begins_with, done.ends_with
        yield about.RangeCoversLess(done.coverage, *bounds)


def coarse_scores(curves: Curves) -> Iterator[Caveat]:
    """Warn where the rounding of the scores hides differences between heights."""
    means = curves.scores.mean(axis=1)
    spread = math.sqrt(curves.n_steps * float(np.sum((means - means.mean()) ** 2)))
    share = 2 * rounding(curves.scores, curves.precision) / spread if spread > 0 else 0.0
    if share > MAX_ROUNDING_SHARE and curves.precision > np.finfo(np.float64).eps:
        from curvewise.inference.caveats import CoarseScores

        yield CoarseScores(math.floor(-math.log10(curves.precision)), share)


def single_runs(curves: Curves) -> Iterator[Caveat]:
    """Warn of algorithms with one run."""
    for name, size in zip(curves.algorithms, curves.sizes, strict=True):
        if size == 1:
            from curvewise.inference.caveats import SingleRun

            yield SingleRun(name)


def single_runs_and_steps(curves: Curves) -> Iterator[Caveat]:
    """Warn of algorithms with one run, and of curves with one step."""
    yield from single_runs(curves)
    if curves.n_steps == 1:
        from curvewise.inference.caveats import SingleStep

        yield SingleStep()


def different_spread(curves: Curves, layout: Layout | None = None) -> Iterator[Caveat]:
    """Warn where runs of one algorithm vary more than those of another."""
    caveat = spread_caveat(curves, layout)
    if caveat is not None:
        yield caveat


def spread_caveat(curves: Curves, layout: Layout | None = None) -> DifferentSpread | None:
    """Return the warning that spreads differ, where that can be told; else None.

    A difference in spread can pass for one between means. Spreads are compared by the test of
    Bartlett (1937), at .05 each, of curve means and of whole curves; and the largest standard
    deviation must be `MIN_SPREAD_RATIO` times the smallest. Curve means are quoted if they tell,
    since tables show their standard deviations. Single runs are left out, and within blocks
    nothing is said.
    """
    if curves.blocks is not None:
        return None
    layout = layout or Layout.of(curves)
    groups = {
        code: layout.scores[layout.labels == code]
        for code, size in enumerate(curves.sizes)
        if size > 1
    }
    if len(groups) < 2:
        return None
    least = (16 * layout.noise) ** 2 / curves.n_runs
    heights = [group.mean(axis=1, keepdims=True) for group in groups.values()]
    for of, parts in (("curve means", heights), ("whole curves", list(groups.values()))):
        residuals = [part - part.mean(axis=0) for part in parts]
        # What rounding can explain is no variation.
        residuals = [own if np.sum(own**2) > least else 0 * own for own in residuals]
        found = _widest_pair(residuals)
        if found is not None:
            from curvewise.inference.caveats import DifferentSpread

            wide, narrow, ratio = found
            codes = list(groups)
            return DifferentSpread(
                curves.algorithms[codes[wide]],
                curves.algorithms[codes[narrow]],
                ratio,
                of,
                (len(residuals[wide]), len(residuals[narrow])),
            )
    return None


def _widest_pair(residuals: list[Floats]) -> tuple[int, int, float] | None:
    """Return who varies most and who least, and by which factor, if spreads differ."""
    spread = [
        math.sqrt(float(np.sum(own**2)) / (len(own) - 1) / own.shape[1])
        for own in residuals
    ]
    wide, narrow = int(np.argmax(spread)), int(np.argmin(spread))
    if spread[wide] < MIN_SPREAD_RATIO * spread[narrow] or spread[wide] == 0:
        return None
    if equal_spread_pvalue(residuals) > 0.05:
        return None
    ratio = spread[wide] / spread[narrow] if spread[narrow] > 0 else math.inf
    return wide, narrow, ratio


def welch_with_few_runs(curves: Curves) -> Iterator[Caveat]:
    """Warn that with few runs the Welch-type test relies on runs being roughly normal."""
    if min(curves.sizes) < MIN_RUNS_FOR_WELCH:
        from curvewise.inference.caveats import WelchIsApproximate

        yield WelchIsApproximate(min(curves.sizes))


def few_for_ranks(curves: Curves, center: Center) -> Iterator[Caveat]:
    """Warn that few runs have few different ranks."""
    if center == "ranks" and min(curves.sizes) < MIN_RUNS_FOR_RANKS:
        from curvewise.inference.caveats import FewRunsForRanks

        yield FewRunsForRanks(min(curves.sizes), MIN_RUNS_FOR_RANKS)


def stray_runs(curves: Curves) -> Iterator[Caveat]:
    """Advise typical runs for the next experiment, where some runs are far from the others.

    See docs/method.md for how often that happens by chance.
    """
    if curves.blocks is not None or min(curves.sizes) < MIN_RUNS_TO_STRAY:
        return
    means = curves.scores.mean(axis=1)
    noise = rounding(curves.scores, curves.precision) / math.sqrt(curves.scores.size)
    strays = {}
    for code, name in enumerate(curves.algorithms):
        own = means[curves.codes == code]
        distances = np.abs(own - _median(own))
        scale = _median(distances) / NORMAL_MAD
        if scale <= 16 * noise:
            continue  # most runs are the same: there is nothing to measure distances by
        is_far = distances > MIN_STRAY_DISTANCE * scale
        near = own[~is_far]
        error = float(near.std(ddof=1)) * math.sqrt(1 + 1 / len(near))
        pvalues = [
            2 * t_survival(abs(float(run - near.mean())) / error, len(near) - 1)
            for run in own[is_far]
        ]
        n_stray = sum(p * curves.n_runs <= MAX_STRAY_PVALUE for p in pvalues)
        if n_stray:
            strays[name] = n_stray
    if strays:
        from curvewise.inference.caveats import StrayRuns

        yield StrayRuns(tuple(strays), tuple(strays.values()))


def _median(values: Floats) -> float:
    """Return the median; np.median imports masked arrays, which cost a tenth of a start."""
    ranked = np.sort(values)
    return float(ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2


def uneven_blocks(curves: Curves) -> Iterator[Caveat]:
    """Warn of blocks that hold one algorithm, or the algorithms in different proportions."""
    if curves.blocks is None or curves.has_even_blocks:
        return
    from curvewise.inference.caveats import BlocksOfOneAlgorithm, UnevenBlocks

    names = list(dict.fromkeys(curves.blocks))
    n_held = (curves.block_counts > 0).sum(axis=1)
    alone = tuple(name for name, n in zip(names, n_held, strict=True) if n == 1)
    if alone:
        yield BlocksOfOneAlgorithm(alone, len(names))
    yield UnevenBlocks()

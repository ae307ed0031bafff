"""What in the curves calls for a caveat: too few runs, single runs, unequal spread, blocks.

Caveats are many small classes, and most curves call for none: they are imported where one is.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.effects import f_statistic
from curvewise.inference.sampling import Sampling
from curvewise.kernels.anova.thresholds import rounding
from curvewise.kernels.pvalues import f_survival, t_survival
from curvewise.kernels.relabelling.enumeration import n_relabellings
from curvewise.shuffling.layout import Layout
from curvewise.shuffling.stopping import MAX_SHUFFLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Center
    from curvewise.kernels import Floats

__all__ = [
    "different_spread",
    "few_for_ranks",
    "single_runs_and_steps",
    "spread_and_runs",
    "stray_runs",
    "too_few",
    "too_few_for_max_t",
    "uneven_blocks",
    "welch_with_few_runs",
]

MIN_SPREAD_RATIO = 2.0  # of standard deviations, for spreads that are worth a warning
# By how much the variance of a difference may be mistaken before it matters.
MAX_VARIANCE_RATIO = 1.5
# Runs from which the median finds the spread; with fewer only a stricter F test does.
MIN_RUNS_FOR_MEDIANS = 8
# Runs from which ranks were found to lose little power (docs/method.md).
MIN_RUNS_FOR_RANKS = 8
# What makes a run stray: so many standard deviations from the median of its algorithm, as the
# median distance tells them; which of a few normal runs happens too often by chance, so that its
# t, against the runs that are nearer, must be significant as well, adjusted for all runs.
MIN_RUNS_TO_STRAY, MIN_STRAY_DISTANCE, MAX_STRAY_PVALUE = 5, 3.5, 0.025
NORMAL_MAD = 0.6745  # of a standard deviation
# Runs from which the Welch-type test was found to come near alpha (docs/method.md).
MIN_RUNS_FOR_WELCH = 10


def too_few(curves: Curves, sampling: Sampling, alpha: float) -> Iterator[Caveat]:
    """Warn if nothing could be significant, for lack of runs or of shuffles."""
    smallest = sampling.smallest_by_runs
    if smallest > alpha:
        n_enough = None
        if curves.blocks is None:
            n_enough = _enough_runs(len(curves.algorithms), alpha)
        from curvewise.inference.caveats import TooFewRuns

        yield TooFewRuns(curves.sizes, smallest, alpha, n_enough)
    if not sampling.exact and 1 / (1 + sampling.n_shuffles) > alpha:
        from curvewise.inference.caveats import TooFewShuffles

        yield TooFewShuffles(sampling.n_shuffles, alpha)


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


def single_runs_and_steps(curves: Curves) -> Iterator[Caveat]:
    """Warn of algorithms with one run, and of curves with one step."""
    for name, size in zip(curves.algorithms, curves.sizes, strict=True):
        if size == 1:
            from curvewise.inference.caveats import SingleRun

            yield SingleRun(name)
    if curves.n_steps == 1:
        from curvewise.inference.caveats import SingleStep

        yield SingleStep()


def different_spread(curves: Curves) -> Iterator[Caveat]:
    """Warn where runs of one algorithm vary much more than those of another.

    For questions that look at single steps, at many algorithms or for the best, this can
    pass for a difference between means even with equally many runs. How far each run is
    from its algorithm's median curve tells, by Welch's test of the logarithms.
    """
    if curves.blocks is not None:
        return
    groups = {}
    least = (16 * rounding(curves.scores, curves.precision)) ** 2 / curves.n_runs
    for code, name in enumerate(curves.algorithms):
        runs = curves.scores[curves.codes == code]
        if len(runs) > 2:
            squares = np.sum((runs - np.median(runs, axis=0)) ** 2, axis=1)
            if squares.min() > least:
                groups[name] = np.log(squares)
    found = []
    for a, b in combinations(groups, 2):
        wide, narrow = sorted((a, b), key=lambda name: -groups[name].mean())
        ratio = math.exp((groups[wide].mean() - groups[narrow].mean()) / 2)
        if ratio > MIN_SPREAD_RATIO:
            found.append((ratio, wide, narrow))
    n_pairs = math.comb(len(groups), 2)
    for ratio, wide, narrow in sorted(found, reverse=True):
        if n_pairs * _welch_pvalue(groups[wide], groups[narrow]) < 0.05:
            from curvewise.inference.caveats import DifferentSpread

            yield DifferentSpread(wide, narrow, ratio)
            return


def _welch_pvalue(first: Floats, second: Floats) -> float:
    errors = [float(group.var(ddof=1)) / len(group) for group in (first, second)]
    if sum(errors) == 0:
        return 0.0
    t = abs(float(first.mean() - second.mean())) / math.sqrt(sum(errors))
    parts = sum(
        error**2 / (len(group) - 1)
        for error, group in zip(errors, (first, second), strict=True)
    )
    return 2 * t_survival(t, sum(errors) ** 2 / parts)


def spread_and_runs(curves: Curves) -> Iterator[Caveat]:
    """Warn where a difference in spread can pass for one in the mean, or hide one.

    The shuffle test takes the variance of a difference of two means from the pooled runs.
    With equally many runs that is right whatever the spreads; else it matters by how much
    it is wrong, and whether chance alone could make the spreads differ so much.
    """
    if curves.blocks is not None or len(set(curves.sizes)) == 1 or min(curves.sizes) < 2:
        return
    means = curves.scores.mean(axis=1)
    groups = [means[curves.codes == code] for code in range(len(curves.algorithms))]
    pairs = list(combinations(range(len(groups)), 2))
    ratios = [_variance_ratio(groups[a], groups[b]) for a, b in pairs]
    ratio, (a, b) = max(zip(ratios, pairs, strict=True), key=lambda x: abs(np.log(x[0])))
    if 1 / MAX_VARIANCE_RATIO <= ratio <= MAX_VARIANCE_RATIO:
        return
    if not _differ_in_spread(groups[a], groups[b], len(pairs)):
        return
    wide, narrow = (a, b) if groups[a].std(ddof=1) > groups[b].std(ddof=1) else (b, a)
    from curvewise.inference.caveats import SpreadAndRunsDiffer

    yield SpreadAndRunsDiffer(
        curves.algorithms[wide],
        curves.algorithms[narrow],
        (float(groups[wide].std(ddof=1)), float(groups[narrow].std(ddof=1))),
        (len(groups[wide]), len(groups[narrow])),
        ratio,
    )


def _variance_ratio(first: Floats, second: Floats) -> float:
    """Return the true variance of the difference of means, divided by the pooled estimate."""
    n_first, n_second = len(first), len(second)
    variances = first.var(ddof=1), second.var(ddof=1)
    pooled = np.average(variances, weights=(n_first - 1, n_second - 1))
    largest = max(np.abs(first).max(), np.abs(second).max())
    if pooled <= (8 * np.finfo(np.float64).eps * largest) ** 2:
        return 1.0  # what there is of it is rounding
    own = variances[0] / n_first + variances[1] / n_second
    return float(own / (pooled * (1 / n_first + 1 / n_second)))


def _differ_in_spread(first: Floats, second: Floats, n_pairs: int) -> bool:
    """Tell whether spreads differ detectably: by distances from the median, if that can be.

    The F test of variances takes heavy tails for spread, but the test of Brown & Forsythe
    (1974) finds next to nothing in a handful of runs; there F must be clearer instead.
    """
    if min(len(first), len(second)) < MIN_RUNS_FOR_MEDIANS:
        wide, narrow = sorted((first, second), key=np.var, reverse=True)
        df = len(wide) - 1, len(narrow) - 1
        ratio = f_statistic(float(wide.var(ddof=1)), float(narrow.var(ddof=1)), (1, 1))
        return 2 * n_pairs * f_survival(ratio, df) < 0.01
    distances = [np.abs(group - np.median(group)) for group in (first, second)]
    grand = np.concatenate(distances).mean()
    between = sum(len(group) * (group.mean() - grand) ** 2 for group in distances)
    within = sum(float(np.sum((group - group.mean()) ** 2)) for group in distances)
    df = 1, len(first) + len(second) - 2
    return n_pairs * f_survival(f_statistic(float(between), within, df), df) < 0.05


def welch_with_few_runs(curves: Curves) -> Iterator[Caveat]:
    """Warn that the Welch-type test is approximate with few runs."""
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
        distances = np.abs(own - np.median(own))
        scale = float(np.median(distances)) / NORMAL_MAD
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

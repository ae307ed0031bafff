"""What a reader must know before believing a comparison, in plain sentences."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.enumeration import n_relabellings as count_relabellings
from curvewise.kernels.extremes import rounding
from curvewise.kernels.pvalues import f_survival
from curvewise.results import f_statistic
from curvewise.tables import number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from curvewise.curves import Curves
    from curvewise.kernels import Floats, Integers
    from curvewise.results import Effect, ErrorTerm
    from curvewise.results.effects import Spread

__all__ = [
    "cautions",
    "differing_spread",
    "has_even_blocks",
    "too_few",
    "unequal_spread",
]

LEAST_RATIO = 2.0  # of standard deviations, for spreads that are worth a warning
ASPECTS: dict[str, str] = {"algorithm": "height", "interaction": "shape"}
# By how much the variance of a difference may be mistaken before it matters.
TOLERABLE = 1.5
# Runs from which the median finds the spread; with fewer only a stricter F test does.
ENOUGH_FOR_MEDIANS = 8
# Runs from which the Welch-type test was found to come near alpha (docs/method.md).
ENOUGH_FOR_WELCH = 10


def cautions(
    curves: Curves,
    effects: Mapping[ErrorTerm, Mapping[str, Effect]],
    n_relabellings: int,
    *,
    error: ErrorTerm,
    spread: Spread = "equal",
    alpha: float,
) -> tuple[str, ...]:
    """Collect every warning that applies, the gravest first."""
    some = effects[error]["overall"]
    return (
        *too_few(curves, n_relabellings, some.n_shuffles, alpha, exact=some.exact),
        *_single_runs(curves),
        *_single_step(curves),
        *_without_error(effects[error]),
        *_mixed_up(effects, error),
        *(unequal_spread(curves) if spread == "equal" else _approximate(curves)),
        *_uneven_blocks(curves),
    )


def too_few(
    curves: Curves, n_relabellings: int, n_shuffles: int, alpha: float, *, exact: bool
) -> tuple[str, ...]:
    """Say so if nothing could be significant, for lack of runs or of shuffles."""
    return (
        *_too_few_runs(curves, n_relabellings, alpha),
        *(() if exact else _too_few_shuffles(n_shuffles, alpha)),
    )


def _too_few_runs(curves: Curves, n_relabellings: int, alpha: float) -> Iterator[str]:
    if 1 / n_relabellings <= alpha:
        return
    sizes = " + ".join(map(str, curves.sizes))
    remedy = "More runs are needed"
    if curves.blocks is None:
        remedy += f": {_enough(len(curves.algorithms), alpha)} of each algorithm would do"
    yield (
        f"With {sizes} runs the smallest p possible is {p_text(1 / n_relabellings)}, "
        f"which is above alpha = {alpha:g}: no data could be significant. {remedy}."
    )


def _too_few_shuffles(n_shuffles: int, alpha: float) -> Iterator[str]:
    if 1 / (1 + n_shuffles) <= alpha:
        return
    yield (
        f"{n_shuffles:,} shuffles cannot give a p below "
        f"{p_text(1 / (1 + n_shuffles))}, which is above alpha = {alpha:g}: nothing "
        f"can be significant. Use at least {math.ceil(1 / alpha) - 1:,}."
    )


def _enough(n_algorithms: int, alpha: float) -> int:
    """Return the fewest runs of each algorithm with which p can be as small as alpha."""
    n_runs = 2
    while True:
        labels = np.repeat(np.arange(n_algorithms), n_runs)
        if 1 / count_relabellings(labels, np.zeros_like(labels)) <= alpha:
            return n_runs
        n_runs += 1


def _single_runs(curves: Curves) -> Iterator[str]:
    for name, size in zip(curves.algorithms, curves.sizes, strict=True):
        if size == 1:
            yield (
                f"{name} has a single run: how much its runs vary is not known, and is "
                "taken to be as in the other algorithms."
            )


def _single_step(curves: Curves) -> Iterator[str]:
    if curves.n_steps == 1:
        yield "There is a single step, so curves have no shape: only height is compared."


def _without_error(effects: Mapping[str, Effect]) -> Iterator[str]:
    for name, effect in effects.items():
        if math.isinf(effect.statistic) and name in ASPECTS:
            yield (
                f"All runs of an algorithm have the same {ASPECTS[name]}, so F is infinite. "
                "Check that the runs are separate runs; p is still valid."
            )


def _mixed_up(
    effects: Mapping[ErrorTerm, Mapping[str, Effect]], error: ErrorTerm
) -> Iterator[str]:
    """Warn where the pooled error term lets one effect pass for the other."""
    if error != "pooled" or "interaction" not in effects["split"]:
        return
    pairs: tuple[tuple[str, str], ...] = (
        ("interaction", "algorithm"),
        ("algorithm", "interaction"),
    )
    for name, other in pairs:
        own, pooled = effects["split"][name], effects["pooled"][name]
        if not pooled.significant or not (
            effects["split"][other].significant or not own.significant
        ):
            continue
        enough = ""
        if effects["split"][other].significant:
            enough = f", and here the {ASPECTS[other]} differs enough for that"
        yield (
            f"With the pooled error term a difference in {ASPECTS[other]} can pass for one "
            f"in {ASPECTS[name]}{enough}: p for {ASPECTS[name]} is {p_text(pooled.pvalue)} "
            f"pooled and {p_text(own.pvalue)} with its own error term. Believe the latter "
            '(error="split").'
        )


def differing_spread(curves: Curves) -> Iterator[str]:
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
            far = np.sum((runs - np.median(runs, axis=0)) ** 2, axis=1)
            if far.min() > least:
                groups[name] = np.log(far)
    found = []
    for a, b in combinations(groups, 2):
        wide, narrow = sorted((a, b), key=lambda name: -groups[name].mean())
        ratio = math.exp((groups[wide].mean() - groups[narrow].mean()) / 2)
        if ratio > LEAST_RATIO:
            found.append((ratio, wide, narrow))
    n_pairs = math.comb(len(groups), 2)
    for ratio, wide, narrow in sorted(found, reverse=True):
        if n_pairs * _welch_pvalue(groups[wide], groups[narrow]) < 0.05:
            yield (
                f"Runs of {wide} vary about {ratio:.1f} times as much as those of {narrow}. "
                "Shuffling takes curves that do not differ to have the same spread as well, so "
                "what is found here may be a difference in spread; compare() with "
                'spread="unequal" (--spread unequal) asks about means only.'
            )
            return


def _welch_pvalue(first: Floats, second: Floats) -> float:
    from scipy.special import stdtr

    errors = [group.var(ddof=1) / len(group) for group in (first, second)]
    if sum(errors) == 0:
        return 0.0
    t = abs(first.mean() - second.mean()) / math.sqrt(sum(errors))
    parts = sum(
        error**2 / (len(group) - 1)
        for error, group in zip(errors, (first, second), strict=True)
    )
    return float(2 * stdtr(sum(errors) ** 2 / parts, -t))


def unequal_spread(curves: Curves) -> Iterator[str]:
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
    factors = [_mistaken_by(groups[a], groups[b]) for a, b in pairs]
    factor, (a, b) = max(
        zip(factors, pairs, strict=True), key=lambda x: abs(np.log(x[0]))
    )
    if 1 / TOLERABLE <= factor <= TOLERABLE:
        return
    if not _differ_in_spread(groups[a], groups[b], len(pairs)):
        return
    wide, narrow = (a, b) if groups[a].std(ddof=1) > groups[b].std(ddof=1) else (b, a)
    first, second = curves.algorithms[wide], curves.algorithms[narrow]
    spreads = [number_text(float(groups[code].std(ddof=1))) for code in (wide, narrow)]
    has = "fewer" if factor > 1 else "more"
    errs = (
        "differences are then found too often where there are none"
        if factor > 1
        else "differences that are there are then missed too often"
    )
    yield (
        f"{first} varies more from run to run than {second} (SD of runs {spreads[0]} against "
        f"{spreads[1]}) and has {has} runs ({len(groups[wide])} against "
        f"{len(groups[narrow])}): {errs}. Where the question is whether means differ, use "
        'spread="unequal" (--spread unequal).'
    )


def _mistaken_by(first: Floats, second: Floats) -> float:
    """Return the variance of a difference of means, over what pooling takes it for."""
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
    if min(len(first), len(second)) < ENOUGH_FOR_MEDIANS:
        wide, narrow = sorted((first, second), key=np.var, reverse=True)
        df = len(wide) - 1, len(narrow) - 1
        ratio = f_statistic(float(wide.var(ddof=1)), float(narrow.var(ddof=1)), (1, 1))
        return 2 * n_pairs * f_survival(ratio, df) < 0.01
    apart = [np.abs(group - np.median(group)) for group in (first, second)]
    grand = np.concatenate(apart).mean()
    between = sum(len(group) * (group.mean() - grand) ** 2 for group in apart)
    within = sum(float(np.sum((group - group.mean()) ** 2)) for group in apart)
    df = 1, len(first) + len(second) - 2
    return n_pairs * f_survival(f_statistic(float(between), within, df), df) < 0.05


def _approximate(curves: Curves) -> Iterator[str]:
    """Say how far the Welch-type test can be trusted with few runs."""
    fewest = min(curves.sizes)
    if fewest < ENOUGH_FOR_WELCH:
        yield (
            f"With {fewest} runs of an algorithm the Welch-type test is approximate: where "
            "spreads differ greatly it can find differences that are not there up to twice "
            "as often as alpha says. More runs mend that."
        )


def has_even_blocks(curves: Curves) -> bool:
    """Tell whether every block holds the algorithms in the same proportions."""
    if curves.blocks is None:
        return True
    counts = _block_counts(curves)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return bool(np.allclose(counts, expected))


def _block_counts(curves: Curves) -> Integers:
    """Count the runs of each algorithm in each block; (n_blocks, n_algorithms)."""
    assert curves.blocks is not None  # noqa: S101 (asked only of curves with blocks)
    return np.array(
        [
            np.bincount(
                curves.codes[curves.blocks == name], minlength=len(curves.algorithms)
            )
            for name in dict.fromkeys(curves.blocks)
        ]
    )


def _uneven_blocks(curves: Curves) -> Iterator[str]:
    if curves.blocks is None or has_even_blocks(curves):
        return
    names = list(dict.fromkeys(curves.blocks))
    held = (_block_counts(curves) > 0).sum(axis=1)
    alone = [name for name, n_held in zip(names, held, strict=True) if n_held == 1]
    if alone:
        listed = ", ".join(alone[:3]) + (" and others" if len(alone) > 3 else "")
        yield (
            f"{len(alone)} of {len(names)} blocks hold a single algorithm ({listed}): their "
            "runs say nothing about differences between algorithms."
        )
    yield (
        "Blocks do not hold every algorithm equally often: the sums of squares are those of "
        "the curves with their block's mean curve taken off, and compare algorithms within "
        "blocks only."
    )

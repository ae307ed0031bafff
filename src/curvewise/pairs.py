"""Which algorithms differ? Every two of them, on their own curves, with p adjusted."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from curvewise.cautions import differing_spread
from curvewise.comparison import compare
from curvewise.errors import CurvesError, counted
from curvewise.kernels.adjustments import bonferroni, holm, max_adjusted
from curvewise.kernels.contrasts import Fit, pair_maxima, pair_parts, pair_ratios
from curvewise.kernels.design import Design
from curvewise.kernels.enumeration import n_relabellings
from curvewise.kernels.memory import remembered
from curvewise.kernels.shuffles import Shuffles
from curvewise.layout import Layout
from curvewise.parallel import one_by_one
from curvewise.refusals import (
    as_generator,
    check_alpha,
    check_choice,
    check_curves,
    check_design,
    check_jobs,
    check_variation,
    whole_number,
)
from curvewise.results import ErrorTerm, Pair, Pairs
from curvewise.tables import p_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from curvewise.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.refusals import RNGLike
    from curvewise.results import Comparison, Effect, EffectName

    Found = dict[tuple[str, str], Comparison]
    Adjusted = dict[str, dict[tuple[str, str], float]]

__all__ = ["compare_pairs"]

ADJUSTMENTS = ("holm", "bonferroni", "max-t")
EFFECTS: tuple[EffectName, ...] = ("overall", "algorithm", "interaction")
# With more pairs, only so many values of each null distribution are kept.
MANY_PAIRS, MOST_KEPT = 100, 1_000
FEWEST_SHUFFLES = 9_999

NOTES = {
    "holm": "Adjusted by Holm over {pairs}, for each effect.",
    "bonferroni": "Adjusted by Bonferroni over {pairs}, for each effect.",
    "max-t": (
        "Adjusted over {pairs} by the largest of each shuffle: differences are held "
        "against the spread of the runs of all algorithms, which are shuffled together. That "
        "is approximate, and takes all algorithms to spread alike; p before adjustment is of "
        "the pair alone, and can be the larger one."
    ),
}


def compare_pairs(
    curves: Curves,
    *,
    adjust: str = "holm",
    error: ErrorTerm = "split",
    alpha: float = 0.05,
    n_shuffles: int | None = None,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
) -> Pairs:
    """Compare every two algorithms, and adjust p for the number of pairs.

    Each pair is compared on its own curves only, so that a third algorithm's noise is not
    borrowed. Pairs that cannot be compared are left out, with a warning.

    Parameters
    ----------
    curves : Curves
        At least two algorithms.
    adjust : "holm", "bonferroni" or "max-t"
        Holm and Bonferroni take the p of each pair, which with few runs cannot be small
        enough: six algorithms with five runs each have 15 pairs, and no adjusted p below
        15/126 = 0.119. "max-t" shuffles the residual curves of all algorithms at once, in
        the manner of Tukey's test, and then the curves, for the claim that any two differ.
        It reaches small p with few runs; it is approximate unless all algorithms are
        alike, and takes their runs to spread alike.
    error : "split" or "pooled"
        As in `compare`.
    alpha : float
        The chance of any false alarm among the pairs, for each effect.
    n_shuffles : int, optional
        How many random shuffles, where not every relabelling is visited; by default 9,999,
        or with many pairs as many as the adjustment needs, 20 / alpha a pair.
    exact, n_jobs, rng
        As in `compare`.

    Returns
    -------
    Pairs
        With more than 100 pairs, 1,000 quantiles stand for each null distribution.

    Examples
    --------
    >>> import curvewise as cw
    >>> from curvewise.pairs import compare_pairs
    >>> pairs = compare_pairs(cw.load_example("tictactoe"))
    >>> [(pair.a, pair.b) for pair in pairs.significant()]
    [('A1', 'A2')]
    """
    check_curves(curves, "compare_pairs()")
    check_choice("adjustment", adjust, ADJUSTMENTS)
    check_choice("error term", error, get_args(ErrorTerm))
    check_alpha(alpha)
    check_jobs(n_jobs)
    if adjust == "max-t" or len(curves.algorithms) < 2:
        check_design(curves)
    names = list(combinations(curves.algorithms, 2))
    needed = 0 if adjust == "max-t" else math.ceil(20 * len(names) / alpha)
    n_most = (
        max(FEWEST_SHUFFLES, needed) if n_shuffles is None else whole_number(n_shuffles)
    )
    # One seed for all, so that pairs of one shape are shuffled alike.
    seed = int(as_generator(rng).integers(2**63))
    options: dict[str, Any] = {"error": error, "alpha": float(alpha), "exact": exact}
    options |= {"n_shuffles": n_most, "n_jobs": n_jobs, "rng": seed}
    found: Found = {}
    refused: dict[tuple[str, str], str] = {}
    with remembered():
        for a, b in one_by_one(names):
            try:
                comparison = compare(curves.select(a, b), **options)
            except CurvesError as reason:
                refused[a, b] = str(reason)
            else:
                found[a, b] = _slim(comparison, len(names))
        if not found:
            check_design(curves)
            pair, reason_text = next(iter(refused.items()))
            msg = f"No two algorithms can be compared; {_named([pair])}: {reason_text}"
            raise CurvesError(msg)
        if adjust == "max-t":
            adjusted = _by_largest(curves, list(found), error, n_most, seed)
        else:
            adjusted = _by_pvalues(found, adjust)
    return Pairs(
        pairs=tuple(
            _pair(comparison, {name: adjusted[name].get(names) for name in EFFECTS})
            for names, comparison in found.items()
        ),
        algorithms=curves.algorithms,
        adjust=adjust,
        error=error,
        alpha=float(alpha),
        notes=(NOTES[adjust].format(pairs=counted(len(found), "pair")),),
        warnings=(
            *_out_of_reach(curves, found, adjust, float(alpha)),
            *_left_out(refused),
            *_passed_on(found, float(alpha)),
            *differing_spread(curves),
        ),
        higher_is_better=curves.higher_is_better,
        seed=int(rng) if isinstance(rng, int | np.integer) else None,
    )


def _slim(comparison: Comparison, n_pairs: int) -> Comparison:
    """Drop what a pair does not show: hundreds of null distributions fill a memory."""
    own = comparison.effects[comparison.error]
    if n_pairs > MANY_PAIRS:
        own = {
            name: replace(effect, null_distribution=_thinned(effect.null_distribution))
            for name, effect in own.items()
        }
    return replace(comparison, effects={comparison.error: own})


def _thinned(null: Floats) -> Floats:
    if len(null) <= MOST_KEPT:
        return null
    places = np.linspace(0, len(null) - 1, MOST_KEPT).round().astype(np.int64)
    kept = np.sort(null)[places]
    kept.setflags(write=False)
    return kept


def _pair(comparison: Comparison, adjusted: Mapping[str, float | None]) -> Pair:
    effects = {
        name: replace(effect, pvalue_adjusted=adjusted[name])
        for name, effect in comparison.effects[comparison.error].items()
    }
    difference = comparison.difference
    assert difference is not None  # noqa: S101 (two algorithms always have one)
    first, second = comparison.algorithms
    return Pair(
        a=difference.a,
        b=difference.b,
        overall=effects["overall"],
        algorithm=effects["algorithm"],
        interaction=effects.get("interaction"),
        difference=difference.value,
        interval=difference.interval,
        confidence=difference.confidence,
        hedges_g=difference.hedges_g,
        probability_of_superiority=difference.probability_of_superiority,
        n_runs=(first.n_runs, second.n_runs),
        exact=comparison.exact,
        n_relabellings=comparison.n_relabellings,
        n_shuffles=comparison.n_shuffles,
    )


def _by_pvalues(found: Found, adjust: str) -> Adjusted:
    """Adjust the p of the pairs, each effect by itself."""
    adjuster = holm if adjust == "holm" else bonferroni
    adjusted: Adjusted = {}
    for name in EFFECTS:
        effects: dict[tuple[str, str], Effect] = {
            names: comparison.effects[comparison.error][name]
            for names, comparison in found.items()
            if name in comparison.effects[comparison.error]
        }
        values = adjuster(np.array([effect.pvalue for effect in effects.values()]))
        adjusted[name] = dict(zip(effects, values.tolist(), strict=True))
    return adjusted


def _by_largest(
    curves: Curves,
    names: Sequence[tuple[str, str]],
    error: ErrorTerm,
    n_shuffles: int,
    seed: int,
) -> Adjusted:
    """Hold every pair against the largest of all pairs, for each shuffle of the residuals."""
    layout = Layout.of(curves)
    design = Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)
    check_variation(curves, sum(design.totals))
    fit = Fit.of(design.coordinates, layout.labels, layout.blocks, layout.noise)
    shuffles = Shuffles(layout.labels, layout.blocks, n_shuffles, seed)
    every = {
        names: place for place, names in enumerate(combinations(curves.algorithms, 2))
    }
    kept = np.array([every[pair] for pair in names])
    pooled = error == "pooled"
    parts = pair_parts(fit.estimates[None], fit.factor)
    observed = pair_ratios(parts, fit.errors[None], pooled=pooled)
    maxima, alike = (
        pair_maxima(values, fit, shuffles, kept, pooled=pooled)
        for values in (fit.residuals, fit.values)
    )
    adjusted: Adjusted = {}
    for row, name in enumerate(EFFECTS):
        ratios = observed[row, 0, kept]
        # With few runs, shuffled residuals of shapes alone raise some false alarms too many
        # where all algorithms are alike. The shuffled curves themselves raise none too many
        # there, so the largest of all pairs must stand out among those as well.
        largest = max_adjusted(ratios.max(keepdims=True), alike[row], exact=False)
        values = np.maximum(max_adjusted(ratios, maxima[row], exact=False), largest)
        adjusted[name] = dict(zip(names, values.tolist(), strict=True))
    return adjusted


def _out_of_reach(
    curves: Curves, found: Found, adjust: str, alpha: float
) -> Iterator[str]:
    """Warn where no adjusted p can be as small as alpha, whatever the data."""
    n_pairs = len(found)
    if adjust == "max-t":
        layout = Layout.of(curves)
        least = 1 / n_relabellings(layout.labels, layout.blocks)
        if least > alpha:
            yield (
                f"With these runs the smallest p possible is {p_text(least)}, which is above "
                f"alpha = {alpha:g}: no data could be significant. More runs are needed."
            )
        return
    least = min(comparison.smallest_pvalue for comparison in found.values()) * n_pairs
    if least <= alpha:
        return
    by_runs = n_pairs / max(comparison.n_relabellings for comparison in found.values())
    remedy = f"Use at least {math.ceil(n_pairs / alpha) - 1:,} shuffles"
    if by_runs > alpha:
        n_enough = next(
            n for n in range(2, 99) if 2 * n_pairs / math.comb(2 * n, n) <= alpha
        )
        remedy = (
            f"Use {n_enough} runs of each algorithm"
            if curves.blocks is None
            else "Use more blocks that hold both algorithms of a pair"
        )
        if n_pairs > 1:
            remedy += ', or adjust="max-t" (--adjust max-t)'
    yield (
        f"With these runs the smallest p possible is {p_text(min(least, 1.0))} after adjustment "
        f"for {counted(n_pairs, 'pair')}, which is above alpha = {alpha:g}: no data could be significant. "
        f"{remedy}."
    )


def _left_out(refused: Mapping[tuple[str, str], str]) -> Iterator[str]:
    for reason, names in _by_text(refused.items()).items():
        yield f"Left out: {_named(names)}. {reason}"


def _passed_on(found: Found, alpha: float) -> Iterator[str]:
    """Pass on what a pair warns of, but that too few runs can give no small p."""
    told = []
    for names, comparison in found.items():
        # These come first; that no adjusted p can be small is told once for all pairs.
        n_told = int(1 / comparison.n_relabellings > alpha)
        n_told += not comparison.exact and 1 / (1 + comparison.n_shuffles) > alpha
        told += [(names, text) for text in comparison.warnings[n_told:]]
    for text, names_told in _by_text(told).items():
        yield f"{_named(names_told)}: {text}"


def _by_text(
    told: Sequence[tuple[tuple[str, str], str]] | Any,
) -> dict[str, list[tuple[str, str]]]:
    gathered: dict[str, list[tuple[str, str]]] = {}
    for names, text in told:
        gathered.setdefault(text, []).append(names)
    return gathered


def _named(names: Sequence[tuple[str, str]]) -> str:
    listed = "; ".join(f"{a} and {b}" for a, b in names[:3])
    return listed + (f"; and {len(names) - 3:,} other pairs" if len(names) > 3 else "")

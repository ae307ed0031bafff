"""Which algorithms differ? Every two of them, on their own curves, with p adjusted."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.errors import CurvesError
from curvewise.inference.caveats import (
    DifferentSpread,
    TooFewRuns,
    TooFewShuffles,
    gathered,
)
from curvewise.inference.diagnostics import different_spread, too_few_for_max_t
from curvewise.inference.effects import EFFECTS
from curvewise.inference.families import FAMILYWISE, adjusted
from curvewise.inference.requirements import (
    check_alpha,
    check_choice,
    check_curves,
    check_design,
)
from curvewise.inference.work import shuffling_work
from curvewise.questions.compare.question import compare_curves
from curvewise.questions.pairs.caveats import LeftOut, TooManyPairs
from curvewise.questions.pairs.max_t import max_t_adjusted
from curvewise.questions.pairs.result import Pair, Pairs
from curvewise.shuffling.parallel import track_items

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import ErrorTerm
    from curvewise.inference.requirements import RNGLike
    from curvewise.kernels import Floats
    from curvewise.questions.compare.result import Comparison

    Names = tuple[str, str]

__all__ = ["compare_pairs"]

# With more pairs, only so many values of each null distribution are kept.
MAX_PAIRS_WITH_NULLS, MAX_KEPT = 100, 1_000
MIN_SHUFFLES = 9_999


def compare_pairs(
    curves: Curves,
    *,
    adjust: Literal["holm", "bonferroni", "max-t"] = "holm",
    error: ErrorTerm = "split",
    alpha: float = 0.05,
    n_shuffles: int | Literal["auto", "precise"] | None = None,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Pairs:
    """Compare every two algorithms, and adjust p for the number of pairs.

    Each pair is compared on its own curves only, so the error term of a pair does not depend on
    the other algorithms. Pairs that cannot be compared are left out, with a warning.

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
        alike, and assumes that their runs vary equally.
    error : "split" or "pooled"
        As in `compare`.
    alpha : float
        The chance of any false alarm among the pairs, for each effect.
    n_shuffles : int, "auto" or "precise", optional
        How many random shuffles, where not every relabelling is visited; by default 9,999,
        or with many pairs as many as the adjustment needs, 20 / alpha a pair. "auto" settles
        the p of each pair against alpha and against alpha divided by the number of pairs; for
        max-t, whether any pair differs.
    exact, n_jobs, rng, checkpoint
        As in `compare`. Max-t itself is always sampled.

    Returns
    -------
    Pairs
        With more than 100 pairs, 1,000 quantiles stand for each null distribution.

    Raises
    ------
    CurvesError
        If no two algorithms can be compared.
    OptionError
        If an argument has a value that cannot be used.

    Examples
    --------
    >>> import curvewise as cw
    >>> pairs = cw.compare_pairs(cw.load_example("tictactoe"))
    >>> [(pair.a, pair.b) for pair in pairs.significant()]
    [('A1', 'A2')]
    """
    check_curves(curves, "compare_pairs()")
    check_choice("adjust", adjust, FAMILYWISE)
    check_alpha(alpha)
    if adjust == "max-t" or len(curves.algorithms) < 2:
        check_design(curves)
    names = list(combinations(curves.algorithms, 2))
    needed = 0 if adjust == "max-t" else math.ceil(20 * len(names) / alpha)
    count = max(MIN_SHUFFLES, needed) if n_shuffles is None else n_shuffles
    found: dict[Names, Comparison] = {}
    refused: dict[Names, str] = {}
    with shuffling_work(
        "compare_pairs",
        *(curves, adjust, error, alpha),
        n_shuffles=count,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
        n_keys=0,
    ) as work:
        levels = float(alpha), float(alpha) / len(names)
        member = work.of_member()
        for a, b in track_items(names):
            try:
                comparison = compare_curves(
                    curves.select(a, b),
                    member,
                    error=error,
                    alpha=float(alpha),
                    levels=levels,
                )
            except CurvesError as reason:
                refused[a, b] = str(reason)
            else:
                found[a, b] = _without_nulls(comparison, len(names))
        if not found:
            check_design(curves)
            pair, why = next(iter(refused.items()))
            msg = f"No two algorithms can be compared; {_title(pair)}: {why}"
            raise CurvesError(msg)
        if adjust == "max-t":
            pvalues = max_t_adjusted(
                curves, list(found), work.sampled(), error=error, alpha=float(alpha)
            )
        else:
            pvalues = _adjusted(found, adjust)
    return Pairs(
        pairs=tuple(
            _pair(comparison, {name: pvalues[name].get(pair) for name in EFFECTS})
            for pair, comparison in found.items()
        ),
        algorithms=curves.algorithms,
        adjust=adjust,
        error=error,
        alpha=float(alpha),
        caveats=(
            *(
                too_few_for_max_t(curves, work.n_shuffles, float(alpha))
                if adjust == "max-t"
                else _out_of_reach(curves, found, float(alpha))
            ),
            *_left_out(refused),
            *_caveats_of_pairs(found),
            *different_spread(curves),
        ),
        higher_is_better=curves.higher_is_better,
        seed=work.seed,
    )


def _without_nulls(comparison: Comparison, n_pairs: int) -> Comparison:
    """Drop what a pair does not show: hundreds of null distributions fill a memory."""
    own = comparison.effects[comparison.error]
    if n_pairs > MAX_PAIRS_WITH_NULLS:
        own = {
            name: replace(effect, null_distribution=_thinned(effect.null_distribution))
            for name, effect in own.items()
        }
    return replace(comparison, effects={comparison.error: own})


def _thinned(null: Floats) -> Floats:
    if len(null) <= MAX_KEPT:
        return null
    places = np.linspace(0, len(null) - 1, MAX_KEPT).round().astype(np.int64)
    kept = np.sort(null)[places]
    kept.setflags(write=False)
    return kept


def _pair(comparison: Comparison, pvalues: Mapping[str, float | None]) -> Pair:
    effects = {
        name: replace(effect, pvalue_adjusted=pvalues[name])
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


def _adjusted(
    found: Mapping[Names, Comparison], adjust: str
) -> dict[str, dict[Names, float]]:
    """Adjust the p of the pairs, each effect by itself."""
    effects = {pair: own.effects[own.error] for pair, own in found.items()}
    return {
        name: adjusted(
            {pair: own[name].pvalue for pair, own in effects.items() if name in own},
            adjust,
        )
        for name in EFFECTS
    }


def _out_of_reach(
    curves: Curves, found: Mapping[Names, Comparison], alpha: float
) -> Iterator[Caveat]:
    """Warn where no adjusted p can be as small as alpha, whatever the data."""
    n_pairs = len(found)
    smallest = min(own.smallest_pvalue for own in found.values()) * n_pairs
    if smallest <= alpha:
        return
    by_runs = n_pairs / max(own.n_relabellings for own in found.values()) > alpha
    n_enough = None
    if curves.blocks is None:
        n_enough = next(
            n for n in range(2, 99) if 2 * n_pairs / math.comb(2 * n, n) <= alpha
        )
    yield TooManyPairs(n_pairs, min(smallest, 1.0), alpha, by_runs, n_enough)


def _left_out(refused: Mapping[Names, str]) -> Iterator[Caveat]:
    for reason in dict.fromkeys(refused.values()):
        pairs = [_title(pair) for pair, own in refused.items() if own == reason]
        yield LeftOut(tuple(pairs), reason)


def _caveats_of_pairs(found: Mapping[Names, Comparison]) -> tuple[Caveat, ...]:
    """Pass on the caveats of pairs, but not those that are told once for all of them."""
    once = (TooFewRuns, TooFewShuffles, DifferentSpread)
    own = {
        _title(pair): [c for c in comparison.caveats if not isinstance(c, once)]
        for pair, comparison in found.items()
    }
    return gathered(own, name_all=True)


def _title(pair: Names) -> str:
    return f"{pair[0]} and {pair[1]}"

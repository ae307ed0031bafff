"""Which algorithms differ? Every two of them, on their own curves, with p adjusted."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from curvewise.errors import CurvesError, OptionError
from curvewise.inference.caveats import (
    DifferentSpread,
    StrayRuns,
    TooFewRuns,
    TooFewShuffles,
)
from curvewise.inference.diagnostics import (
    different_spread,
    prepared,
    stray_runs,
    too_few_shuffles,
)
from curvewise.inference.effects import EFFECTS
from curvewise.inference.families import ADJUSTMENTS, FAMILYWISE, adjusted
from curvewise.inference.member_caveats import gathered
from curvewise.inference.preparation_caveats import PreparationCaveat
from curvewise.inference.requirements import (
    check_alpha,
    check_choice,
    check_curves,
    check_design,
)
from curvewise.inference.work import shuffling_work
from curvewise.kernels.partitions import MAX_MEMBERS
from curvewise.questions.compare.loading import load_compiler_for
from curvewise.questions.compare.question import compare_curves
from curvewise.questions.compare.randomized_anova import exact_height
from curvewise.questions.pairs.caveats import LeftOut, TooManyPairs
from curvewise.questions.pairs.closed import closed_adjusted
from curvewise.questions.pairs.max_t import max_t_adjusted
from curvewise.questions.pairs.result import Pair, Pairs
from curvewise.questions.pairs.shared_heights import SharedHeights
from curvewise.shuffling.parallel import single_blas, track_items
from curvewise.text import argument

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import ErrorTerm
    from curvewise.inference.requirements import RNGLike
    from curvewise.inference.work import Work
    from curvewise.questions.compare.randomized_anova import HeightCounter
    from curvewise.questions.compare.result import Comparison

    Names = tuple[str, str]

__all__ = ["compare_pairs"]

MAX_PAIRS_WITH_NULLS = (
    100  # of more, null distributions are thinned, and made when asked for
)
MIN_SHUFFLES = 9_999


def compare_pairs(
    curves: Curves,
    *,
    adjust: Literal["closed", "holm", "bonferroni", "max-t"] | None = None,
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
    adjust : "closed", "holm", "bonferroni" or "max-t", optional
        By default "closed" up to eight algorithms and "max-t" beyond; "holm" with pooled
        errors. Closed testing takes the largest p of all partitions of the algorithms into
        groups of alike ones that have the two in one group; the runs of each group are
        shuffled. It is valid without further assumptions, and p can be as small as that of
        the pair alone. Holm and Bonferroni multiply the p of each pair, which with few runs
        cannot be small enough: six algorithms with five runs each have 15 pairs, and no
        adjusted p below 15/126 = 0.119. "max-t" shuffles the residual curves of all
        algorithms at once, in the manner of Tukey's test, and then the curves, for the claim
        that any two differ. It is approximate unless all algorithms are alike, and assumes
        that their runs vary equally. No adjusted p is below that of the pair alone.
    error : "split" or "pooled"
        As in `compare`.
    alpha : float
        The chance of any false alarm among the pairs, for each effect.
    n_shuffles : int, "auto" or "precise", optional
        How many random shuffles, where not every relabelling is visited; by default 9,999,
        or with Holm and Bonferroni as many as these need, 20 / alpha a pair. "auto" settles
        the verdict about each pair; for max-t, whether any pair differs.
    exact, n_jobs, rng, checkpoint
        As in `compare`. For max-t, and for partitions with more than some thousands of
        relabellings, shuffles are always drawn at random.

    Returns
    -------
    Pairs
        With more than 100 pairs, 1,000 quantiles stand for each null distribution, and the
        pair is compared again when they are asked for.

    Raises
    ------
    CurvesError
        If no two algorithms can be compared.
    OptionError
        If an argument has a value that cannot be used; "closed" with more than eight
        algorithms or with pooled errors.

    Examples
    --------
    >>> import curvewise as cw
    >>> pairs = cw.compare_pairs(cw.load_example("tictactoe"))
    >>> [(pair.a, pair.b) for pair in pairs.significant()]
    [('A1', 'A2')]
    """
    check_curves(curves, "compare_pairs()")
    n_algorithms = len(curves.algorithms)
    chosen = _chosen(adjust, n_algorithms, error)
    check_alpha(alpha)
    if chosen == "max-t" or n_algorithms < 2:
        check_design(curves)
    names = list(combinations(curves.algorithms, 2))
    by_pvalue = ADJUSTMENTS[chosen].adjust is not None
    needed = math.ceil(20 * len(names) / alpha) if by_pvalue else 0
    count = max(MIN_SHUFFLES, needed) if n_shuffles is None else n_shuffles
    found: dict[Names, Comparison] = {}
    refused: dict[Names, str] = {}
    with (
        shuffling_work(
            "compare_pairs",
            *(curves, chosen, error, alpha),
            n_shuffles=count,
            exact=exact,
            n_jobs=n_jobs,
            rng=rng,
            checkpoint=checkpoint,
            n_keys=0,
        ) as work,
        single_blas(),
    ):
        # Holm's method holds the smallest p against alpha divided by the number of pairs.
        levels = float(alpha), *([float(alpha) / len(names)] if by_pvalue else [])
        member = work.of_member()
        ask = partial(_compared, error=error, alpha=float(alpha), levels=levels)
        heights = SharedHeights(curves)
        if curves.blocks is None:
            sizes = dict(zip(curves.algorithms, curves.sizes, strict=True))
            load_compiler_for((sizes[a], sizes[b], curves.n_steps) for a, b in names)
        for a, b in track_items(names):
            try:
                counter = partial(heights.of, (a, b))
                comparison = ask(curves, (a, b), member, height_counter=counter)
            except CurvesError as reason:
                refused[a, b] = str(reason)
            else:
                # What a pair does not show is dropped.
                effects = {error: comparison.effects[error]}
                comparison = replace(comparison, effects=effects)
                if len(names) > MAX_PAIRS_WITH_NULLS:
                    again = partial(ask, curves, (a, b), member.by_itself())
                    comparison = comparison.with_nulls_of(again)
                found[a, b] = comparison
        if not found:
            check_design(curves)
            pair, why = next(iter(refused.items()))
            msg = f"No two algorithms can be compared; {_title(pair)}: {why}"
            raise CurvesError(msg)
        own, sampled = _pvalues(found), False
        if chosen == "closed":
            pvalues, sampled = closed_adjusted(curves, own, work, alpha=float(alpha))
        elif chosen == "max-t":
            sampled = True
            pvalues = max_t_adjusted(
                curves, own, work.sampled(), error=error, alpha=float(alpha)
            )
        else:
            pvalues = {name: adjusted(own[name], chosen) for name in EFFECTS}
    return Pairs(
        pairs=tuple(
            _pair(comparison, {name: pvalues[name].get(pair) for name in EFFECTS})
            for pair, comparison in found.items()
        ),
        algorithms=curves.algorithms,
        adjust=chosen,
        error=error,
        alpha=float(alpha),
        caveats=(
            *_out_of_reach(curves, found, chosen, error, float(alpha)),
            *(too_few_shuffles(work.n_shuffles, float(alpha)) if sampled else ()),
            *_left_out(refused),
            *prepared(curves),
            *_caveats_of_pairs(found),
            *different_spread(curves),
            *stray_runs(curves),
        ),
        higher_is_better=curves.higher_is_better,
        seed=work.seed,
        source=curves.source,
        preparation=curves.preparation,
    )


def _compared(
    curves: Curves,
    pair: Names,
    work: Work,
    *,
    error: ErrorTerm,
    alpha: float,
    levels: tuple[float, ...],
    height_counter: HeightCounter = exact_height,
) -> Comparison:
    return compare_curves(
        curves.select(*pair),
        work,
        error=error,
        alpha=alpha,
        levels=levels,
        reported=("split",) if error == "split" else ("split", error),
        height_counter=height_counter,
    )


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


def _chosen(adjust: str | None, n_algorithms: int, error: ErrorTerm) -> str:
    """Return how p is adjusted: as asked for, if that can be done, or by default."""
    if adjust is None:
        if error == "pooled":
            return "holm"
        return "closed" if n_algorithms <= MAX_MEMBERS else "max-t"
    check_choice("adjust", adjust, ("closed", *FAMILYWISE))
    if adjust == "closed" and n_algorithms > MAX_MEMBERS:
        msg = (
            f"Closed testing goes through all partitions of the algorithms: of {n_algorithms} "
            f"algorithms there are too many, {MAX_MEMBERS} are the most. Use "
            f"{argument('adjust', 'max-t')}."
        )
        raise OptionError(msg, option="adjust")
    if adjust == "closed" and error == "pooled":
        msg = (
            "Closed testing compares sums of squares, each with its own error term, and has no "
            f"form for pooled errors. Use {argument('adjust', 'holm')}, or "
            f"{argument('error', 'split')}."
        )
        raise OptionError(msg, option="adjust")
    return adjust


def _pvalues(found: Mapping[Names, Comparison]) -> dict[str, dict[Names, float]]:
    """Return the p of each pair alone, for each effect that was tested."""
    effects = {pair: own.effects[own.error] for pair, own in found.items()}
    return {
        name: {pair: own[name].pvalue for pair, own in effects.items() if name in own}
        for name in EFFECTS
    }


def _out_of_reach(
    curves: Curves,
    found: Mapping[Names, Comparison],
    adjust: str,
    error: ErrorTerm,
    alpha: float,
) -> Iterator[Caveat]:
    """Warn where no adjusted p can be as small as alpha, whatever the data."""
    if ADJUSTMENTS[adjust].adjust is None:
        few = {
            _title(pair): [c for c in own.caveats if isinstance(c, TooFewRuns)]
            for pair, own in found.items()
        }
        yield from gathered(few)
        return
    n_pairs = len(found)
    smallest = min(own.smallest_pvalue for own in found.values()) * n_pairs
    if smallest <= alpha:
        return
    n_relabellings = max(own.n_relabellings for own in found.values())
    by_runs = n_pairs / n_relabellings > alpha
    instead = None
    if 1 / n_relabellings <= alpha:
        closed = _chosen(None, len(curves.algorithms), error) == "closed"
        instead = "closed" if closed else "max-t"
    n_enough = None
    if curves.blocks is None:
        n_enough = next(
            n for n in range(2, 99) if 2 * n_pairs / math.comb(2 * n, n) <= alpha
        )
    yield TooManyPairs(n_pairs, min(smallest, 1.0), alpha, by_runs, n_enough, instead)


def _left_out(refused: Mapping[Names, str]) -> Iterator[Caveat]:
    for reason in dict.fromkeys(refused.values()):
        pairs = [_title(pair) for pair, own in refused.items() if own == reason]
        yield LeftOut(tuple(pairs), reason)


def _caveats_of_pairs(found: Mapping[Names, Comparison]) -> tuple[Caveat, ...]:
    """Pass on the caveats of pairs, but not those that are told once for all of them."""
    once = (TooFewRuns, TooFewShuffles, DifferentSpread, StrayRuns, PreparationCaveat)
    own = {
        _title(pair): [c for c in comparison.caveats if not isinstance(c, once)]
        for pair, comparison in found.items()
    }
    return gathered(own, name_all=True)


def _title(pair: Names) -> str:
    return f"{pair[0]} and {pair[1]}"

"""Which algorithms differ? Every two of them, on their own curves, with p adjusted."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.data.curves import Curves
from curvewise.errors import CurvesError, refuse
from curvewise.inference.asking import (
    Asked,
    PathLike,
    RNGLike,
    Share,
    Shuffles,
    ask,
    check_design,
    question,
)
from curvewise.inference.caveats import (
    DifferentSpread,
    PreparationCaveat,
    StrayRuns,
    TooFewRuns,
    TooFewShuffles,
    different_spread,
    gathered,
    prepared,
    stray_runs,
    too_few_shuffles,
)
from curvewise.inference.result import EFFECTS, ErrorTerm, Interval
from curvewise.inference.work import ADJUSTMENTS, adjusted
from curvewise.kernels.contrasts import MAX_MEMBERS
from curvewise.kernels.invert import agreeing
from curvewise.kernels.pvalues import TIE
from curvewise.questions.compare.ask import compare, compare_curves, load_compiler_for
from curvewise.questions.pairs.method import SharedHeights, closed_adjusted, max_t_adjusted
from curvewise.questions.pairs.result import LeftOut, Pair, Pairs, TooManyPairs
from curvewise.shuffling.visit import single_blas, track_items
from curvewise.text import argument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from curvewise.inference.caveats import Caveat
    from curvewise.inference.work import Work
    from curvewise.questions.compare.result import Comparison

    Names = tuple[str, str]
    Pvalues = Mapping[str, Mapping[Names, float]]  # by effect and pair


# --- Which algorithms differ?

MAX_PAIRS_WITH_NULLS = 100  # of more, null distributions are thinned, and made when asked for
MIN_SHUFFLES = 9_999
# Caveats that are told once for all pairs.
ONCE = (TooFewRuns, TooFewShuffles, DifferentSpread, StrayRuns, PreparationCaveat)


class PairsOptions(Asked):
    """What is asked of every two; the attributes are the parameters of `compare_pairs`."""

    def settle(self) -> None:
        """Choose how p is adjusted, and as many shuffles as that needs."""
        n_algorithms = len(self.curves.algorithms)
        self.adjust: str = _chosen(self.adjust, n_algorithms, self.error)
        if self.adjust == "max-t" or n_algorithms < 2:
            check_design(self.curves)
        if self.n_shuffles is None:
            n_pairs = math.comb(n_algorithms, 2)
            needed = math.ceil(20 * n_pairs / self.alpha) if self.by_pvalue else 0
            self.n_shuffles: Shuffles | None = max(MIN_SHUFFLES, needed)

    @property
    def by_pvalue(self) -> bool:
        """Whether the adjustment takes nothing but the p of each pair."""
        return ADJUSTMENTS[self.adjust].adjust is not None


@question(PairsOptions, n_keys=0)
def compare_pairs(
    curves: Curves,
    *,
    adjust: Literal["closed", "holm", "bonferroni", "max-t"] | None = None,
    error: ErrorTerm = "split",
    alpha: Share = 0.05,
    n_shuffles: Shuffles | None = None,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
) -> Pairs:
    """Compare every two algorithms, and adjust p for the number of pairs.

    Each pair is compared on its own curves only, so the error term of a pair does not depend on
    the other algorithms. Pairs that cannot be compared are left out, with a warning.

    Parameters
    ----------
    curves : Curves
        At least two algorithms.
    adjust : "closed", "holm", "bonferroni" or "max-t", optional
        How p is adjusted for all pairs: closed testing is valid whatever differs, and decides
        with few runs, where Holm cannot; max-t is approximate. By default "closed" up to eight
        algorithms, "max-t" beyond, "holm" with pooled errors. Closed testing takes the largest
        p of all partitions of the algorithms into groups of alike ones that have the two in one
        group; the runs of each group are shuffled. It is valid without further assumptions, and
        p can be as small as that of the pair alone. Holm and Bonferroni multiply the p of each pair, which with few runs
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
        How many random shuffles of a pair, when not every relabelling is visited; or "auto" or
        "precise". By default 9,999, or as many as the adjustment needs: with
        Holm and Bonferroni 20 / alpha a pair. "auto" settles the verdict about each pair; for
        max-t, whether any pair differs.
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
    return ask(compare_pairs, locals(), _compared_pairs)


def _compared_pairs(asked: PairsOptions, work: Work) -> Pairs:
    curves, error, alpha, adjust = asked.curves, asked.error, asked.alpha, asked.adjust
    names = list(combinations(curves.algorithms, 2))
    found: dict[Names, Comparison] = {}
    refused: dict[Names, str] = {}
    with single_blas():
        # Holm's method holds the smallest p against alpha divided by the number of pairs.
        levels = alpha, *([alpha / len(names)] if asked.by_pvalue else [])
        member = work.of_member()
        reported: tuple[ErrorTerm, ...] = tuple(dict.fromkeys(("split", error)))
        compared = partial(compare_curves, levels=levels, reported=reported)
        heights = SharedHeights(curves)
        if curves.blocks is None:
            sizes = dict(zip(curves.algorithms, curves.sizes, strict=True))
            load_compiler_for((sizes[a], sizes[b], curves.n_steps) for a, b in names)
        for a, b in track_items(names):
            try:
                pair = asked.to(compare, curves=curves.select(a, b))
                counter = partial(heights.of, (a, b))
                comparison = compared(pair, member, height_counter=counter)
            except CurvesError as reason:
                refused[a, b] = str(reason)
            else:
                # What a pair does not show is dropped.
                comparison = replace(comparison, effects={error: comparison.effects[error]})
                if len(names) > MAX_PAIRS_WITH_NULLS:
                    again = partial(compared, pair, member.by_itself())
                    comparison = comparison.with_nulls_of(again)
                found[a, b] = comparison
        if not found:
            check_design(curves)
            refuse(f"No two algorithms can be compared; {_title(names[0])}: {refused[names[0]]}")
        effects = {pair: one.effects[error] for pair, one in found.items()}
        own: Pvalues = {
            name: {pair: each[name].pvalue for pair, each in effects.items() if name in each}
            for name in EFFECTS
        }
        sampled = adjust == "max-t"
        if adjust == "closed":
            pvalues, sampled = closed_adjusted(curves, own, work, levels=(alpha,))
        elif sampled:
            pvalues = max_t_adjusted(curves, own, work.sampled(), levels=(alpha,), error=error)
        else:
            pvalues = {name: adjusted(own[name], adjust) for name in EFFECTS}
    return Pairs(
        pairs=tuple(
            _pair(comparison, {name: pvalues[name].get(pair) for name in EFFECTS})
            for pair, comparison in found.items()
        ),
        algorithms=curves.algorithms,
        adjust=adjust,
        error=error,
        alpha=alpha,
        caveats=(
            *_out_of_reach(curves, found, adjust, error, alpha),
            *(too_few_shuffles(work.n_shuffles, alpha) if sampled else ()),
            *_left_out(refused),
            *prepared(curves),
            *gathered(_caveats_by_pair(found, lambda c: not isinstance(c, ONCE)), name_all=True),
            *different_spread(curves),
            *stray_runs(curves),
        ),
        higher_is_better=curves.higher_is_better,
        seed=work.seed,
        source=curves.source,
        preparation=curves.preparation,
    )


def _pair(comparison: Comparison, pvalues: Mapping[str, float | None]) -> Pair:
    effects = {
        name: replace(effect, pvalue_adjusted=pvalues[name])
        for name, effect in comparison.effects[comparison.error].items()
    }
    difference = comparison.difference
    assert difference is not None  # noqa: S101 (two algorithms always have one)
    first, second = comparison.algorithms
    height = effects["algorithm"]
    beside = TIE * abs(difference.value) * np.array([-1.0, 1.0])
    ends = agreeing(difference.interval, difference.value, 0.0, beside, rejected=height.significant)
    return Pair(
        a=difference.a,
        b=difference.b,
        overall=effects["overall"],
        algorithm=effects["algorithm"],
        interaction=effects.get("interaction"),
        difference=difference.value,
        interval=Interval(*ends),
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
    if adjust == "closed" and n_algorithms > MAX_MEMBERS:
        refuse(
            f"Closed testing goes through all partitions of the algorithms: of {n_algorithms} "
            f"algorithms there are too many, {MAX_MEMBERS} are the most. Use "
            f"{argument('adjust', 'max-t')}.",
            option="adjust",
        )
    if adjust == "closed" and error == "pooled":
        refuse(
            "Closed testing compares sums of squares, each with its own error term, and has no "
            f"form for pooled errors. Use {argument('adjust', 'holm')}, or "
            f"{argument('error', 'split')}.",
            option="adjust",
        )
    return adjust


def _out_of_reach(
    curves: Curves, found: Mapping[Names, Comparison], adjust: str, error: ErrorTerm, alpha: float
) -> Iterator[Caveat]:
    """Warn where no adjusted p can be as small as alpha, whatever the data."""
    if ADJUSTMENTS[adjust].adjust is None:
        yield from gathered(_caveats_by_pair(found, lambda c: isinstance(c, TooFewRuns)))
        return
    n_pairs = len(found)
    smallest = min(own.smallest_pvalue for own in found.values()) * n_pairs
    if smallest <= alpha:
        return
    n_relabellings = max(own.n_relabellings for own in found.values())
    by_runs = n_pairs / n_relabellings > alpha
    closed = _chosen(None, len(curves.algorithms), error) == "closed"
    instead = ("closed" if closed else "max-t") if 1 / n_relabellings <= alpha else None
    n_enough = None
    if curves.blocks is None:
        n_enough = next(n for n in range(2, 99) if 2 * n_pairs / math.comb(2 * n, n) <= alpha)
    yield TooManyPairs(n_pairs, min(smallest, 1.0), alpha, by_runs, n_enough, instead)


def _left_out(refused: Mapping[Names, str]) -> Iterator[Caveat]:
    for reason in dict.fromkeys(refused.values()):
        pairs = [_title(pair) for pair, own in refused.items() if own == reason]
        yield LeftOut(tuple(pairs), reason)


def _caveats_by_pair(
    found: Mapping[Names, Comparison], wanted: Callable[[Caveat], bool]
) -> dict[str, list[Caveat]]:
    """Return the caveats of each pair that are wanted."""
    return {_title(pair): list(filter(wanted, own.caveats)) for pair, own in found.items()}


def _title(pair: Names) -> str:
    return f"{pair[0]} and {pair[1]}"

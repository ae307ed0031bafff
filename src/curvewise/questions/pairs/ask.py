"""Which algorithms differ? Every two of them, on their own curves, with p adjusted."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeVar

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
    check_variation,
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
from curvewise.inference.result import EFFECTS, ErrorTerm
from curvewise.inference.work import (
    ADJUSTMENTS,
    LIMITS,
    AlikeSet,
    LargestOf,
    OfAlikeSets,
    adjusted,
    tag_of,
)
from curvewise.kernels.combined import COMPONENTS
from curvewise.kernels.contrasts import (
    MAX_MEMBERS,
    Fit,
    adding_repays_compiling,
    connected_groups,
    pair_maxima,
    pair_parts,
    pair_ratios,
    partitions,
)
from curvewise.kernels.invert import (
    MAX_SUBSET_RUNS,
    GroupSums,
    count_far,
    counting_repays_compiling,
)
from curvewise.kernels.pvalues import TIE, pvalue
from curvewise.questions.compare.ask import (
    compare,
    compare_curves,
    layout_and_design,
    load_compiler_for,
)
from curvewise.questions.compare.method import combined_design, exact_height, label_blind_scales
from curvewise.questions.pairs.result import LeftOut, Pair, Pairs, TooManyPairs
from curvewise.shuffling.visit import FIRST_LOOK, MAX_FREE, single_blas, track_items
from curvewise.text import argument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from curvewise.inference.caveats import Caveat
    from curvewise.inference.work import Work
    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.kernels.anova import Design
    from curvewise.kernels.combined import CombinedDesign, Scales
    from curvewise.questions.compare.result import Comparison
    from curvewise.shuffling.visit import Layout, Measured

    Names = tuple[str, str]
    Pvalues = Mapping[str, Mapping[Names, float]]  # by effect and pair


# --- Every two algorithms by closed testing over partitions of all of them.
#
# A partition says which algorithms are alike: those in one group. If it is true, the runs of each
# group can be shuffled among its algorithms. A pair differs if every partition that has the two in
# one group is rejected; then the chance of any false claim is at most alpha, whichever partition is
# true (Marcus, Peritz & Gabriel 1976).

Number = TypeVar("Number", "Integers", "Floats")


@dataclass(frozen=True, eq=False)
class AlikeGroup(AlikeSet):
    """Algorithms taken to be alike, and what they add to the statistics of a partition.

    ``combined`` are the looks of the combined statistic of `compare`, with their ``scales``.
    """

    combined: CombinedDesign
    scales: Scales

    @classmethod
    def of(cls, curves: Curves, names: Sequence[str]) -> AlikeGroup:
        """Lay out the curves of some algorithms; the order of the names changes nothing."""
        layout, design = layout_and_design(curves.select(*sorted(names)))
        combined = combined_design(design, layout)
        return cls(layout, tag_of(names), combined, label_blind_scales(combined, layout))

    def parts(self, labels: Integers, *, observed: bool = False) -> Floats:
        """Return what each relabelling adds, overall, in height and in shape; (3, n).

        That is exp(2 z) of the look at height or at shape, which weighs groups by how unusual
        their differences are among shuffled curves, whatever the spread of their runs; and
        overall the sum of all looks, whose logarithm is the statistic of `compare`.
        ``observed`` takes off what may be rounding.
        """
        weights = self.scales.weights(self.combined.values(labels, observed=observed))
        looks = [COMPONENTS.index("height"), COMPONENTS.index("shape")]
        return np.concatenate([weights.sum(axis=0, keepdims=True), weights[looks]])


@dataclass(frozen=True, eq=False)
class PartitionSums(OfAlikeSets[AlikeGroup]):
    """The sum over the groups of each partition; how many relabellings are as extreme.

    Counted for each partition, overall, in height and in shape; and all relabellings, too.

    Attributes
    ----------
    partitions : tuple of tuple of int
        The groups of each partition, by their place.
    bounds : array, (n_partitions, 3)
        What counts as extreme.
    joining : array, (n_partitions, n_pairs)
        Which partitions have the two algorithms of a pair in one group.
    known : array, (3, n_pairs)
        The largest p of each pair that other visits have given.
    alpha : float or None
        A pair whose known p is larger needs no more shuffles; None if p itself is wanted.
    """

    partitions: tuple[tuple[int, ...], ...]
    bounds: Floats
    joining: Booleans
    known: Floats
    alpha: float | None

    n_kept = 0

    @classmethod
    def of(
        cls,
        groups: Sequence[AlikeGroup],
        chosen: Sequence[tuple[int, ...]],
        joining: Booleans,
        known: Floats,
        alpha: float | None,
    ) -> PartitionSums:
        """Keep the groups that these partitions have, and sum up what was observed."""
        places = sorted({place for partition in chosen for place in partition})
        kept = tuple(groups[place] for place in places)
        renamed = {place: number for number, place in enumerate(places)}
        own = tuple(tuple(renamed[place] for place in partition) for partition in chosen)
        observed = np.array(
            [group.parts(group.layout.labels[None, :], observed=True)[:, 0] for group in kept]
        )
        bounds = [observed[[*partition]].sum(axis=0) for partition in own]
        return cls(kept, own, (1 - TIE) * np.array(bounds), joining, known, alpha)

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count the relabellings that are as extreme, and all of them."""
        parts = [group.parts(own) for group, own in zip(self.sets, self.split(labels), strict=True)]
        counts = [
            np.sum(sum((parts[i] for i in others), parts[first]) >= bounds[:, None], axis=1)
            for (first, *others), bounds in zip(self.partitions, self.bounds, strict=True)
        ]
        return (np.array(counts), np.array([len(labels)])), ()

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return, for each pair and effect, the count of the partition with the largest p.

        Where p is known to be larger than that by far, no more shuffles are needed.
        """
        n_visited = int(counts[1][0])
        largest = self.largest(counts[0])
        is_open = self.known < 2 * pvalue(largest, n_visited, exact=False)
        if self.alpha is not None:
            is_open &= self.known <= self.alpha
        is_open &= self.joining.any(axis=0)
        return largest[is_open] if is_open.any() else np.array([n_visited])

    def largest(self, values: Number) -> Number:
        """Return the largest value of the partitions that join each pair; (3, n_pairs)."""
        joined = self.joining[:, None, :] * values[:, :, None]
        return np.asarray(joined.max(axis=0))


def closed_adjusted(
    curves: Curves, own: Pvalues, work: Work, *, alpha: float
) -> tuple[Pvalues, bool]:
    """Return, for each effect and pair, the largest p of a partition that joins the pair.

    Also returned is whether any of these p comes from shuffles drawn at random here.
    ``own`` has the p of each pair alone, for each effect: that of the partition in which all
    others stand alone. Groups are those that the pairs connect, so a group that no test could
    tell apart, such as two single runs, is in no partition.
    """
    pairs = list(own["overall"])
    # By name, so that the order of the algorithms changes no digit.
    ordered = sorted(curves.algorithms)
    codes = [{ordered.index(name) for name in pair} for pair in pairs]
    every = connected_groups((min(pair), max(pair)) for pair in codes)
    # Every pair alone is in `own`.
    chosen = [own for own in partitions(every) if len(own) > 1 or len(own[0]) > 2]
    joining = np.array([[any(pair <= {*group} for group in p) for pair in codes] for p in chosen])
    groups = [AlikeGroup.of(curves, [ordered[i] for i in each]) for each in every]
    place = {group: number for number, group in enumerate(every)}
    by_place = [tuple(place[group] for group in partition) for partition in chosen]
    sizes = [math.prod(groups[i].layout.restriction.count for i in p) for p in by_place]
    few = np.array([size * len(chosen) <= MAX_FREE for size in sizes], dtype=np.bool_)
    few &= work.exact is not False
    known = np.array([[own[name].get(pair, 0.0) for pair in pairs] for name in EFFECTS])
    settled = alpha if work.n_shuffles == "auto" else None

    def largest(rows: Integers, *, exact: bool) -> Floats:
        """Visit the relabellings of some partitions together."""
        places = [by_place[row] for row in rows]
        statistic = PartitionSums.of(groups, places, joining[rows], known, settled)
        planned = replace(work, exact=exact)
        plan = planned.plan(statistic.restriction, levels=(alpha,), limits=LIMITS)
        found = work.visit(plan, statistic)
        pvalues = pvalue(found.counts[0], found.n_visited, exact=exact)
        return np.maximum(known, statistic.largest(pvalues))

    for row in track_items(np.flatnonzero(few).tolist()):
        known = largest(np.array([row]), exact=True)
    if not few.all():
        known = largest(np.flatnonzero(~few), exact=False)
    return _by_effect(own, known), not few.all()


def _by_effect(own: Pvalues, adjusted: Floats) -> Pvalues:
    """Return p by effect and pair, of those that were tested; (3, n_pairs)."""
    return {
        name: {pair: p for pair, p in zip(own["overall"], row, strict=True) if pair in own[name]}
        for name, row in zip(EFFECTS, adjusted.tolist(), strict=True)
    }


# --- Every two algorithms held against the largest pair of each shuffle (max-t).


def max_t_adjusted(
    curves: Curves, own: Pvalues, work: Work, *, error: ErrorTerm, alpha: float
) -> Pvalues:
    """Hold every pair against the largest of all pairs, for each shuffle of the residuals.

    With few runs, shuffled residuals of shapes alone raise some false alarms too many where all
    algorithms are alike. The shuffled curves themselves raise none too many there, so the largest
    of all pairs must stand out among those as well. ``own`` has the p of each pair alone, for
    each effect: it is of another distribution, so the larger of the two is returned.
    """
    layout, design = layout_and_design(curves)
    check_variation(curves, sum(design.totals))
    fit = Fit.of(design.coordinates, layout.labels, layout.blocks, layout.noise)
    every = list(combinations(curves.algorithms, 2))
    kept = np.array([every.index(pair) for pair in own["overall"]])
    pooled = error == "pooled"
    parts = pair_parts(fit.estimates[None], fit.factor)
    ratios = pair_ratios(parts, fit.errors[None], pooled=pooled)[:, 0, kept]
    plan = work.plan(layout.restriction, levels=(alpha,), limits=LIMITS)
    n_first = plan.n_shuffles if plan.rule is None else min(plan.n_shuffles, FIRST_LOOK)
    compiled = adding_repays_compiling(2 * n_first, fit.values, len(curves.algorithms))

    def pvalues(values: Floats, observed: Floats) -> Floats:
        maxima = partial(pair_maxima, values, fit, kept=kept, pooled=pooled, compiled=compiled)
        found = work.visit(plan, LargestOf.against(observed, maxima))
        return pvalue(found.counts[0], found.n_visited, exact=False)

    of_residuals = pvalues(fit.residuals, ratios)
    of_curves = pvalues(fit.values, ratios.max(axis=1, keepdims=True))
    alone = [[own[name].get(pair, 0.0) for pair in own["overall"]] for name in EFFECTS]
    return _by_effect(own, np.maximum(np.maximum(of_residuals, of_curves), alone))


# --- The exact p of height of every pair, from sorted sums that an algorithm's pairs share.

MAX_KEPT_SUMS = 2**25  # of all algorithms: 256 megabytes


@dataclass(frozen=True, eq=False)
class SharedHeights:
    """Counts as `exact_height` does, for any two algorithms of the curves.

    The sums of an algorithm are made for the first of its pairs, and kept while there is room.
    """

    curves: Curves
    _kept: dict[str, GroupSums] = field(default_factory=dict)

    def of(self, pair: tuple[str, str], layout: Layout, design: Design) -> tuple[int, int] | None:
        """Count the relabellings of a pair that are as extreme in height, and all of them."""
        n_runs, n_first = len(layout.labels), int((layout.labels == 0).sum())
        n_larger = max(n_first, n_runs - n_first)
        bound = float(design.extreme_rule.bounds[1])
        countable = self.curves.blocks is None and bound > 0 and 2 * n_larger <= MAX_SUBSET_RUNS
        if not countable or not counting_repays_compiling(2**n_larger):
            return exact_height(layout, design)
        # A height is the root of the number of steps times the mean of a curve.
        scale = design.factor[0, 0] * math.sqrt(layout.scores.shape[1]) / layout.unit
        first, second = (self._sums(name) for name in pair)
        count = count_far(first, second, math.sqrt(bound) / float(scale))
        if count is None:
            return exact_height(layout, design)
        mirrored = 2 if 2 * n_first == n_runs else 1
        return count // mirrored, math.comb(n_runs, n_first) // mirrored

    def _sums(self, name: str) -> GroupSums:
        if name in self._kept:
            return self._kept[name]
        made = GroupSums.of(self.curves.scores[self.curves.labels == name])
        every = (*self._kept.values(), made)
        if sum(2 ** (len(sums.by_size) - 1) for sums in every) <= MAX_KEPT_SUMS:
            self._kept[name] = made
        return made


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
            pvalues, sampled = closed_adjusted(curves, own, work, alpha=alpha)
        elif sampled:
            pvalues = max_t_adjusted(curves, own, work.sampled(), error=error, alpha=alpha)
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

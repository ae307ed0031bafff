"""Intervals by inverting tests: the shifts and ratios that a shuffle test does not reject.

Subtract δ from every run of the first of two algorithms and shuffle. A relabelling is then at
least as extreme as the observed one if |D* − δ c| ≥ |D − δ|, where D is the observed
difference, D* that of the relabelling, and c ∈ [−1, 1] the likeness of the two labellings. The left minus the right side, squared, is a parabola in δ with the roots
(D − D*)/(1 − c) and (D + D*)/(1 + c), so the relabelling counts exactly between them, and
both enclose D. The interval of δ with p > α can be read off the sorted roots.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova import EPSILON, centred
from curvewise.kernels.compiling import compiling_repays, kernels_are_loaded
from curvewise.kernels.pvalues import f_quantile, n_allowed, upper_quantile
from curvewise.kernels.relabel import BATCH, WithinBlocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.kernels.anova import Design
    from curvewise.kernels.relabel import Relabellings


# Labellings whose likeness differs from ±1 by less than this are the same partition.
LIKENESS_TOLERANCE = 1e-9


def shift_interval(
    observed: float,
    shuffled: Floats,
    likeness: Floats,
    alpha: float,
    *,
    exact: bool,
    tie: float = 0.0,
    rejected: bool | None = None,
) -> tuple[float, float]:
    """Return the lowest and highest shift with a p-value above ``alpha``.

    ``shuffled`` has the difference of each relabelling and ``likeness`` its c: all of them
    when ``exact``, the observed one included, else a sample without it. Differences that are
    no farther apart than ``tie`` are equal. Infinite where the relabellings are too few to
    reject any shift. ``rejected`` says whether no shift at all is rejected, where that is known
    from more relabellings than these.
    """
    low, high = _enclosing_roots(observed, shuffled, likeness, tie)
    if n_allowed(len(shuffled), alpha, exact=exact) < 0:
        return -math.inf, math.inf
    lowest, highest = (upper_quantile(own, alpha, exact=exact) for own in (-low, high))
    # Every pair of roots encloses the observed difference, and so must the interval,
    # whatever rounding does.
    ends = min(-lowest, observed), max(highest, observed)
    if rejected is None:
        return ends
    holds_none = ends[0] <= 0.0 <= ends[1]
    candidates = np.append(low, high) if rejected and holds_none else np.empty(0)
    return agreeing(ends, observed, 0.0, candidates, rejected=rejected)


def lowest_shift(
    observed: float,
    shuffled: Floats,
    likeness: Floats,
    alpha: float,
    *,
    exact: bool,
    tie: float = 0.0,
) -> float:
    """Return the lowest shift with a one-sided p-value above ``alpha``.

    The alternative is a larger shift: a relabelling counts if D* − δ c ≥ D − δ, that is if
    δ ≥ (D − D*)/(1 − c). The arguments are those of `shift_interval`.
    """
    roots = _root(observed - shuffled, 1 - likeness, tie)
    roots[likeness > 1 - LIKENESS_TOLERANCE] = -np.inf
    # Unlike the two-sided test, this one may reject the observed difference itself, when
    # alpha is above a half; so the result is not limited by it.
    return -upper_quantile(-roots, alpha, exact=exact)


def _enclosing_roots(
    observed: float, shuffled: Floats, likeness: Floats, tie: float
) -> tuple[Floats, Floats]:
    """Return the lower and the higher root of each relabelling."""
    same_sign = _root(observed - shuffled, 1 - likeness, tie)
    other_sign = _root(observed + shuffled, 1 + likeness, tie)
    # A relabelling that only swaps names has one root and counts for every shift.
    always = np.abs(likeness) > 1 - LIKENESS_TOLERANCE
    low = np.where(always, -np.inf, np.minimum(same_sign, other_sign))
    return low, np.where(always, np.inf, np.maximum(same_sign, other_sign))


def _root(numerator: Floats, denominator: Floats, tie: float) -> Floats:
    """Return the shift at which a relabelling ties; 0 where it does so without any."""
    roots = np.zeros_like(numerator)
    differs = (denominator > LIKENESS_TOLERANCE) & (np.abs(numerator) > tie)
    np.divide(numerator, denominator, out=roots, where=differs)
    return roots


def agreeing(
    ends: tuple[float, float], value: float, no_effect: float, candidates: Floats, *, rejected: bool
) -> tuple[float, float]:
    """Return an interval that holds ``value``, and ``no_effect`` unless that is ``rejected``.

    An interval that leaves out what the test does not reject is stretched to it. One that
    holds what the test rejects ends on the side of the value instead: at the candidate
    nearest to ``no_effect`` there, or at the value.
    """
    low, high = min(ends[0], value), max(ends[1], value)
    if not rejected:
        return min(low, no_effect), max(high, no_effect)
    if low <= no_effect < value:
        beyond = candidates[(candidates > no_effect) & (candidates < value)]
        low = float(beyond.min(initial=value))
    if high >= no_effect > value:
        beyond = candidates[(candidates < no_effect) & (candidates > value)]
        high = float(beyond.max(initial=value))
    return low, high


# --- Centres of groups of runs that few runs cannot move: trimmed means and ranks.
#
# Of each group of n runs g = max(1, ⌊n/5⌋) are cut off at either end, anew in every relabelling,
# since who is at the end of a group depends on who is in it. Ranks are given over all runs (of a
# block) whatever their labels, so that they are shuffled like scores.

MIN_RUNS_TRIMMED = 5  # with fewer, what is left after cutting is hardly a mean


def n_cut(n_runs: int) -> int:
    """Return how many of a group's runs are cut off at either end.

    >>> n_cut(5), n_cut(9), n_cut(10)
    (1, 1, 2)
    """
    return max(1, n_runs // 5)


def trimmed_means(labels: Integers, numbers: Floats) -> Floats:
    """Return the trimmed mean of each group of each relabelling; (n_groups, n_relabellings).

    ``labels`` is (n_relabellings, n_runs), with the same group sizes in each row.
    """
    order = np.argsort(numbers, kind="stable")
    numbers, labels, means = numbers[order], labels[:, order], []
    for group, size in enumerate(np.bincount(labels[0]).tolist()):
        member, cut = labels == group, n_cut(size)
        place = np.cumsum(member, axis=1, dtype=np.int32)
        kept = member & (place > cut) & (place <= size - cut)
        means.append(kept.astype(np.float64) @ numbers / (size - 2 * cut))
    return np.stack(means)


def trimmed_spread(labels: Integers, numbers: Floats) -> Floats:
    """Return how far apart the trimmed means of each relabelling are; (n_relabellings,).

    The root of the mean squared difference of two groups, weighted by the product of their
    sizes: of two groups the difference itself, without its sign. Its square is Σ n_i (t_i − t̄)²
    up to a constant.
    """
    means, sizes = trimmed_means(labels, numbers), np.bincount(labels[0])
    pairs = [(a, b) for b in range(len(sizes)) for a in range(b)]
    weights = [float(sizes[a] * sizes[b]) for a, b in pairs]
    if len(pairs) == 1:
        return np.abs(means[0] - means[1])
    squares = sum(
        weight * (means[a] - means[b]) ** 2 for (a, b), weight in zip(pairs, weights, strict=True)
    )
    return np.sqrt(squares / sum(weights))


def trimmed_f(numbers: Floats, labels: Integers) -> tuple[float, float, tuple[int, int]]:
    """Return sums of squares between and within groups that F of trimmed means is made of.

    Between: of the trimmed means, weighted by how many runs are left of a group. Within: of
    each group, with its ends replaced by the nearest run that is left (Winsorized). Then the
    degrees of freedom (Yuen & Dixon 1973; Lee & Fung 1985).
    """
    means, left, within = [], [], 0.0
    for group in range(int(labels.max()) + 1):
        ordered = np.sort(numbers[labels == group])
        cut = n_cut(len(ordered))
        kept = ordered[cut:-cut]
        means.append(float(kept.mean()))
        left.append(len(kept))
        winsorized = np.clip(ordered, kept[0], kept[-1])
        within += float(np.sum((winsorized - winsorized.mean()) ** 2))
    centre = float(np.average(means, weights=left))
    between = sum(h * (mean - centre) ** 2 for h, mean in zip(left, means, strict=True))
    return between, within, (len(means) - 1, sum(left) - len(means))


def midranks(numbers: Floats, blocks: Integers, tie: float = 0.0) -> Floats:
    """Return the rank of each run inside its block; neighbours within ``tie`` share theirs.

    >>> midranks(np.array([3.0, 1.0, 3.0, 7.0]), np.array([0, 0, 0, 1]))
    array([2.5, 1. , 2.5, 1. ])
    """
    order = np.lexsort([numbers, blocks])
    ordered, block = numbers[order], blocks[order]
    new_block = np.diff(block) != 0
    group = np.concatenate([[0], np.cumsum(new_block | (np.diff(ordered) > tie))])
    places = np.arange(len(order), dtype=np.float64)
    shared = np.bincount(group, weights=places) / np.bincount(group)
    starts = np.concatenate([[0], np.flatnonzero(new_block) + 1])
    start = starts[np.concatenate([[0], np.cumsum(new_block)])]
    return (shared[group] - start + 1)[np.argsort(order)]


def pairwise_differences(numbers: Floats, labels: Integers, blocks: Integers) -> Floats:
    """Return each run of the first group less each of the second, in its block; sorted."""
    first, second = np.flatnonzero(labels == 0)[:, None], np.flatnonzero(labels == 1)
    differences = numbers[first] - numbers[second]
    return np.sort(differences[blocks[first] == blocks[second]])


def n_alike(sizes: Integers) -> int:
    """Return how many relabellings of two separated groups have the same trimmed means.

    Runs that are cut off of either group can change places unnoticed, so that no p can be below
    this number over that of all relabellings.

    >>> n_alike(np.array([5, 5]))
    2
    """
    first, second = (n_cut(int(size)) for size in sizes)
    return math.comb(first + second, first)


# --- The shifts of one algorithm against another that a test of typical runs does not reject.
#
# Subtract δ from every run of the first of two algorithms and test again. The trimmed mean of any
# group falls as δ grows, by at most δ. So with T* for the difference of trimmed means of a
# relabelling, and T − δ for the observed one, both T* − (T − δ) and its mirror image −T* − (T − δ)
# rise with δ below T, and each relabelling is at least as extreme from one shift on. How many are
# rises with δ up to T and falls from there: the shifts that are not rejected are one interval,
# whose ends can be found by halving, and a relabelling that is decided at both ends of what is left
# need not be looked at again.
#
# The ranks change only where δ is the difference of two runs, so the ends of the interval of the
# rank test are such differences (Hodges & Lehmann 1963).

MAX_NUMBERS_AT_ONCE = 2_000_000  # in the largest array of a portion


@dataclass(frozen=True, eq=False)
class Shifted:
    """One number a run of two groups, and the relabellings that a shift is tested with.

    ``relabelled`` is (n_relabellings, n_runs): all of them when ``exact``, else a sample without
    the observed one. ``tie`` is how far rounding can set two numbers apart. One-sided, the first
    group is asked to be larger.
    """

    numbers: Floats
    labels: Integers
    blocks: Integers
    relabelled: Integers
    tie: float
    alpha: float
    exact: bool
    two_sided: bool = True

    @property
    def n_allowed(self) -> int:
        """How many relabellings may be as extreme as the observed one of a rejected shift."""
        return n_allowed(len(self.relabelled), self.alpha, exact=self.exact)

    def shifted(self, shift: float) -> Floats:
        """Return the numbers with the shift taken off the first group."""
        return self.numbers - shift * (self.labels == 0)

    def counts(self, statistics: Floats, observed: float, slack: float) -> Booleans:
        """Return which relabellings are as extreme as the observed one, within ``slack``."""
        if self.two_sided:
            return np.abs(statistics) >= abs(observed) - slack
        return statistics >= observed - slack

    def portions(self, rows: Integers) -> Iterator[Integers]:
        """Yield the labels of some relabellings, a bounded number at a time."""
        most = max(1, MAX_NUMBERS_AT_ONCE // len(self.numbers))
        for start in range(0, len(rows), most):
            yield self.relabelled[rows[start : start + most]]


def trimmed_ends(test: Shifted) -> tuple[float, float]:
    """Return the lowest and highest shift of trimmed means with a p above alpha.

    Infinite where no shift is rejected on that side, and always at the upper end one-sided.
    The shift 0 lies inside exactly if the same relabellings give it a p above alpha.
    """
    if test.n_allowed < 0:
        return -math.inf, math.inf
    estimate = float(_trimmed_difference(test, 0.0, test.labels[None, :])[0])
    span = float(np.ptp(test.numbers)) + test.tie
    # Beyond all differences of runs a relabelling gains on the observed labelling by at least
    # δ / n_runs, or never.
    far = 8 * len(test.numbers) * span
    if not test.two_sided:
        return _end(test, far, [0.0, estimate - span, -far], span), math.inf
    low = _end(test, estimate, [0.0, estimate - span, -far], span)
    high = _end(test, estimate, [0.0, estimate + span, far], span)
    return low, high


def _end(test: Shifted, inside: float, outer: list[float], span: float) -> float:
    """Return the last shift that is not rejected, from ``inside`` to the last of ``outer``.

    Which relabellings count changes one way only in between. First the ``outer`` shifts are
    tried, until one is rejected; if none is, the result is infinite.
    """
    rows, n_always, outside = np.arange(len(test.relabelled)), 0, math.nan
    outwards = outer[-1] > inside
    # Zero may lie on the other side.
    asked = [shift for shift in outer if (shift > inside) == outwards and shift != inside]
    while True:
        if math.isnan(outside):
            if not asked:
                return math.inf if outwards else -math.inf
            shift = asked.pop(0)
        else:
            shift = inside + (outside - inside) / 2
            if abs(outside - inside) <= EPSILON * span or shift in (inside, outside):
                return inside
        counts = _trimmed_counts(test, shift, rows)
        if n_always + int(counts.sum()) > test.n_allowed:
            inside, rows = shift, rows[counts]  # the others count no further out either
        else:
            n_always += int(counts.sum())  # these count anywhere further in
            outside, rows = shift, rows[~counts]


def _trimmed_counts(test: Shifted, shift: float, rows: Integers) -> Booleans:
    (observed,) = _trimmed_difference(test, shift, test.labels[None, :])
    parts = [
        test.counts(_trimmed_difference(test, shift, labels), observed, 2 * test.tie)
        for labels in test.portions(rows)
    ]
    return np.concatenate([np.empty(0, dtype=np.bool_), *parts])


def _trimmed_difference(test: Shifted, shift: float, labels: Integers) -> Floats:
    first, second = trimmed_means(labels, test.shifted(shift))
    return np.asarray(first - second)


def rank_ends(test: Shifted) -> tuple[float, float]:
    """Return the lowest and highest shift with a p of the rank test above alpha.

    The ends are differences of runs (in one block); infinite where no shift is rejected.
    """
    if test.n_allowed < 0:
        return -math.inf, math.inf
    differences = pairwise_differences(test.numbers, test.labels, test.blocks)
    new = np.concatenate([[True], np.diff(differences) > 4 * test.tie])
    places = differences[new]
    last = differences[np.append(np.flatnonzero(new[1:]), len(differences) - 1)]
    # One shift between every two neighbouring differences, and one beyond each end.
    margin = 1.0 + float(np.ptp(differences))
    between = (last[:-1] + places[1:]) / 2
    cells = np.concatenate([[places[0] - margin], between, [last[-1] + margin]])
    median = float(np.median(differences))
    middle = int(np.searchsorted(cells, median))

    def kept(cell: int) -> bool:
        return _rank_count(test, float(cells[cell])) > test.n_allowed

    first = bisect_left(range(middle), 1, key=kept)
    low = -math.inf if first == 0 else min(float(places[first - 1]), median)
    if not test.two_sided:
        return low, math.inf
    mirrored = range(len(cells) - middle)
    turned = bisect_left(mirrored, 1, key=lambda cell: kept(len(cells) - 1 - cell))
    high = math.inf if turned == 0 else max(float(last[len(cells) - 1 - turned]), median)
    return low, high


def _rank_count(test: Shifted, shift: float) -> int:
    """Count the relabellings whose rank sum is as extreme as the observed one."""
    ranks = midranks(test.shifted(shift), test.blocks, test.tie)
    ranks = centred(ranks[:, None], test.blocks)[:, 0]
    observed = float(ranks[test.labels == 0].sum())
    # Rank sums differ by a half or not at all.
    return sum(
        int(np.sum(test.counts((labels == 0).astype(np.float64) @ ranks, observed, 1e-6)))
        for labels in test.portions(np.arange(len(test.relabelled)))
    )


# --- The ratios of two means that the shuffle test does not reject, and intervals that obey a test.
#
# Multiply every run of the control by ρ and shuffle. With a and b the observed means, and with P
# and Q what the experimental and the control runs add to the difference of a relabelling at ρ = 1,
# the relabelling is at least as extreme as the observed one if
#
#     |P + ρ Q| ≥ |a − ρ b|,    that is if    (P − a + ρ (Q + b)) (P + a + ρ (Q − b)) ≥ 0,
#
# which can change only at the two roots (a − P) / (b + Q) and (a + P) / (b − Q). It holds at the
# observed ratio, whose right side is 0; from there p(ρ) is followed upwards and downwards to where
# it first falls to α (Fieller 1954, with shuffles in place of Student's t).

# A contribution that differs from the observed one by less than this share equals it.
TOLERANCE = 1e-9


def ratio_interval(
    observed: tuple[float, float], shuffled: tuple[Floats, Floats], alpha: float, *, exact: bool
) -> tuple[float, float]:
    """Return the ends of the ratios around the observed one whose p is above ``alpha``.

    ``observed`` are the means a and b of the experimental condition and the control, b above
    0; ``shuffled`` the P and Q of each relabelling: of all of them when ``exact``, the
    observed one included, else of a sample without it. Infinite where the relabellings are too
    few to reject any ratio.
    """
    a, b = observed
    p, q = shuffled
    ratio = a / b
    allowed = n_allowed(len(p), alpha, exact=exact)
    if allowed < 0:
        return -math.inf, math.inf
    roots = np.array([_tying_ratio(a - p, b + q, b), _tying_ratio(a + p, b - q, b)])
    # One factor is 0 whatever the ratio: the observed labels, or their mirror image.
    scale = TOLERANCE * (abs(a) + b)
    for sign in (-1, 1):
        is_same = (np.abs(p + sign * a) <= scale) & (np.abs(q - sign * b) <= scale)
        roots[:, is_same] = np.nan
    roots.sort(axis=0)
    # Between its roots, which enclose the observed ratio, or outside them, which do not.
    is_between = np.abs(q) < b * (1 - TOLERANCE)
    ends = []
    for side in (-1, 1):
        near, far = roots if side > 0 else -roots[::-1]
        start = side * ratio
        # Outside two roots ahead a relabelling stops counting, and then counts again.
        leaves = np.where(
            is_between, far, np.where(near > start, near, np.where(far > start, far, np.inf))
        )
        enters = np.where(~is_between & (near > start), far, np.inf)
        ends.append(side * _first_below(leaves, enters, allowed))
    return min(ends[0], ratio), max(ends[1], ratio)


def _tying_ratio(numerator: Floats, denominator: Floats, scale: float) -> Floats:
    """Divide; NaN, which sorts last, where the denominator is 0 but for rounding."""
    roots = np.full_like(numerator, np.nan)
    usable = np.abs(denominator) > TOLERANCE * scale
    np.divide(numerator, denominator, out=roots, where=usable)
    return roots


def _first_below(leaves: Floats, enters: Floats, allowed: int) -> float:
    """Return where the number of relabellings that count first falls to ``allowed``.

    All count at first; each leaves at one point, and may enter again at a later one.
    """
    is_leave, is_enter = np.isfinite(leaves), np.isfinite(enters)
    places = np.concatenate([enters[is_enter], leaves[is_leave]])
    changes = np.ones(len(places), dtype=np.int64)
    changes[int(is_enter.sum()) :] = -1
    # Stable, so that of equal places the entering ones come first: ends belong to intervals.
    order = np.argsort(places, kind="stable")
    counts = len(leaves) + np.cumsum(changes[order])
    is_below = counts <= allowed
    return float(places[order][np.argmax(is_below)]) if is_below.any() else math.inf


# --- How often common tests find a difference between two halves of the same runs.
#
# The tests are those that people use on learning curves: an analysis of variance that takes all
# scores for independent (Cohen 1995), Student's t at every step, at the last step, and of the mean
# over steps. Of two halves of sizes a and b with mean curves that differ by d_h at step h,
#
#     between_h = a b / (a + b) d_h²    and    within_h = total_h − between_h
#
# are the sums of squares that all of them are made of.

# The shape is tested with several steps only.
TESTS = ("height", "shape", "every step", "final", "area")


def _restriction(n_runs: int) -> WithinBlocks:
    labels = (np.arange(n_runs) >= n_runs // 2).astype(np.int64)
    return WithinBlocks(labels, np.zeros(n_runs, dtype=np.int64))


def n_halvings(n_runs: int) -> int:
    """Return in how many ways runs can be split in two halves, the smaller one ⌊n / 2⌋.

    >>> n_halvings(5), n_halvings(10)
    (10, 126)
    """
    return _restriction(n_runs).count


def halves(n_runs: int, most: int, key: int) -> Iterator[Integers]:
    """Yield which half each run is in, 0 or 1, in batches of (n_splits, n_runs).

    All splits if there are no more than ``most``, else so many at random.
    """
    restriction = _restriction(n_runs)
    every = restriction.count <= most
    splits = restriction.every() if every else restriction.drawn(most, key)
    for number in range(-(-splits.count // BATCH)):
        yield splits.batch(number)


def rejections(scores: Floats, splits: Integers, alpha: float) -> dict[str, Booleans]:
    """Return, of each test, in which splits it finds a difference between the halves.

    ``scores`` is (n_runs, n_steps) and ``splits`` (n_splits, n_runs), with as many runs in the
    halves in each; the results are (n_splits,).
    """
    n_runs, n_steps = scores.shape
    df = n_runs - 2
    values = np.column_stack([scores, scores.mean(axis=1)])
    values = values - values.mean(axis=0)
    # What varies by no more than rounding does not vary.
    noise = 8 * EPSILON * np.abs(scores).max()
    values[:, np.ptp(values, axis=0) <= noise] = 0.0
    first = (splits == 0).astype(np.float64)
    n_first = float(first[0].sum())
    sums = first @ values
    # The sums of the halves cancel, so that d is that of one over a b / (a + b).
    between = sums**2 * n_runs / (n_first * (n_runs - n_first))
    total = np.sum(values**2, axis=0)
    within = np.maximum(total - between, 0.0)
    within[within <= 64 * EPSILON * total] = 0.0
    single = _exceeds(between, within, 1, df, alpha)
    of_mean = n_steps * between[:, -1]
    pooled = within[:, :-1].sum(axis=1), n_steps * df
    found = {
        "height": _exceeds(of_mean, pooled[0], 1, pooled[1], alpha),
        "every step": np.asarray(single[:, :-1].any(axis=1)),
        "final": single[:, -2],
        "area": single[:, -1],
    }
    if n_steps > 1:
        shape = np.maximum(between[:, :-1].sum(axis=1) - of_mean, 0.0)
        found["shape"] = _exceeds(shape, pooled[0], n_steps - 1, pooled[1], alpha)
    return {test: found[test] for test in TESTS if test in found}


def _exceeds(
    effect: Floats, error: Floats, df_effect: int, df_error: int, alpha: float
) -> Booleans:
    """Tell where the F of two sums of squares is significant; without an effect never."""
    quantile = f_quantile(alpha, (df_effect, df_error))
    return np.asarray(effect / df_effect > quantile * error / df_error)


# --- Every relabelling of two groups, as the sums of two halves of the runs.
#
# A relabelling is a subset of the first half of the runs and one of the second. There are few
# subsets of either, so their sums are made once; those of a relabelling are then one addition for
# each column, and neither labels nor matrix products are needed.

MAX_HALVED_RUNS = 24  # 2¹² subsets of a half
MAX_SUMS_AT_ONCE = 2**12  # of a column: several of them stay in the nearest cache
MAX_SIZES_AT_ONCE = 2**14  # of all columns: of few relabellings, calls would take most time
SUM_IN_NUMPY, SUM_COMPILED = 3e-9, 0.3e-9  # seconds for each relabelling and column


class Halves(NamedTuple):
    """Sums over runs of group 0 in the first half, and in the second; a row for each column.

    Those of n runs are the columns ``left_edges[n]`` to ``left_edges[n + 1]`` of ``left``. Any of
    them with any sum of the other runs of group 0 in ``right`` is a relabelling, and all such
    pairs are every one. Where the groups are equally large, the first run is always in group 0, so
    that of two mirror images one is visited.
    """

    left: Floats
    left_edges: Integers
    right: Floats
    right_edges: Integers

    @classmethod
    def of(cls, labels: Integers, columns: Floats, *, compiled: bool) -> Halves:
        """Add up the runs of each subset, in their order."""
        cut = len(labels) // 2
        orders = _subset_orders(len(labels), int(np.sum(labels == 0)))
        parts = zip((columns[:cut], columns[cut:]), orders, strict=True)
        made = [
            (_ordered_sums(own, order, compiled=compiled), edges) for own, (order, edges) in parts
        ]
        return cls(*made[0], *made[1])

    def classes(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield the sums of so many runs in either half that go with each other."""
        n_classes = len(self.left_edges) - 1
        for n_left in range(n_classes):
            n_right = n_classes - 1 - n_left
            left = self.left[:, self.left_edges[n_left] : self.left_edges[n_left + 1]]
            right = self.right[:, self.right_edges[n_right] : self.right_edges[n_right + 1]]
            # Of so many that sums of a column stay in the cache.
            portion = max(MAX_SUMS_AT_ONCE // max(right.shape[1], 1), 1)
            for start in range(0, left.shape[1], portion):
                yield left[:, start : start + portion], right


@lru_cache(maxsize=8)
def _subset_orders(n_runs: int, n_first: int) -> list[tuple[Integers, Integers]]:
    """Return the subsets of either half that a relabelling can have, and where those of n runs begin.

    Subsets come by how many runs they have.
    """
    orders = []
    cut = n_runs // 2
    for size, named in ((cut, 2 * n_first == n_runs), (n_runs - cut, False)):
        numbers = np.arange(2**size, dtype=np.int64)
        if named:
            numbers = numbers[numbers & 1 == 1]
        n_members = np.bitwise_count(numbers)
        order = np.argsort(n_members, kind="stable")
        edges = np.searchsorted(n_members[order], np.arange(n_first + 2))
        orders.append((numbers[order], edges))
    return orders


def _ordered_sums(values: Floats, order: Integers, *, compiled: bool) -> Floats:
    """Return the sums of subsets of rows, in the order of their numbers; a row each column."""
    if compiled:
        from curvewise.kernels.compiled_kernels import ordered_sums

        return np.asarray(ordered_sums(np.ascontiguousarray(values.T), order))
    return np.ascontiguousarray(subset_sums(values)[order].T)


def subset_sums(values: Floats) -> Floats:
    """Return the sum of each subset of rows; bit i of the number of a subset is row i."""
    sums = np.zeros((1, *values.shape[1:]))
    # With one row more, the subsets that have it follow those that do not.
    for row in values:
        sums = np.concatenate([sums, sums + row])
    return sums


def sums_of_halves(halves: Halves, *, compiled: bool) -> Floats:
    """Return the sum of each column of every relabelling; (n_columns, n_relabellings)."""
    if compiled:
        from curvewise.kernels.compiled_kernels import sums

        return np.asarray(sums(*halves))
    return np.concatenate(
        [
            (left[:, :, None] + right[:, None, :]).reshape(
                len(left), left.shape[1] * right.shape[1]
            )
            for left, right in halves.classes()
        ],
        axis=1,
    )


def squares_of_halves(halves: Halves, *, compiled: bool, out: Floats) -> None:
    """Write the squares of sums, added up over the columns, to ``out``; (n_relabellings,)."""
    if compiled:
        from curvewise.kernels.compiled_kernels import squares

        squares(*halves, out)
        return
    parts = []
    for left, right in halves.classes():
        squares_of_part = np.zeros(left.shape[1] * right.shape[1])
        for one, other in zip(left, right, strict=True):
            sums_of_part = np.add.outer(one, other).ravel()
            sums_of_part *= sums_of_part
            squares_of_part += sums_of_part
        parts.append(squares_of_part)
    np.concatenate(parts, out=out)


def largest_of_halves(halves: Halves, slack: Floats, *, compiled: bool) -> Floats:
    """Return the largest size of the sums of a column, plus its slack; (n_relabellings,)."""
    if compiled:
        from curvewise.kernels.compiled_kernels import largest

        return np.asarray(largest(*halves, slack))
    parts = []
    for left, right in halves.classes():
        if left.size * right.shape[1] <= MAX_SIZES_AT_ONCE:
            every = np.abs(left[:, :, None] + right[:, None, :])
            every += slack[:, None, None]
            parts.append(every.max(axis=0, initial=-np.inf).ravel())
            continue
        largest_of_part = np.full(left.shape[1] * right.shape[1], -np.inf)
        for one, other, more in zip(left, right, slack, strict=True):
            sizes = np.add.outer(one, other).ravel()
            np.abs(sizes, out=sizes)
            sizes += more
            np.maximum(largest_of_part, sizes, out=largest_of_part)
        parts.append(largest_of_part)
    return np.concatenate(parts)


def halving_repays_compiling(n_relabellings: int, n_columns: int) -> bool:
    """Tell whether so many sums of so many columns are added sooner in compiled code."""
    n_sums = n_relabellings * n_columns
    return kernels_are_loaded() or compiling_repays(n_sums * SUM_IN_NUMPY, n_sums * SUM_COMPILED)


def can_be_halved(relabellings: Relabellings) -> bool:
    """Tell whether these are all ways to divide few enough runs into two groups, without blocks."""
    if not isinstance(relabellings, WithinBlocks):
        return False
    labels, blocks = relabellings.labels, relabellings.blocks
    one_block = blocks.min() == blocks.max()
    return bool(labels.max() == 1 and one_block and len(labels) <= MAX_HALVED_RUNS)


def between_of_halves(design: Design, labels: Integers) -> tuple[Floats, Floats]:
    """Return SS_alg and SS_int of every relabelling, and the sums of the contrast; (2, n) each."""
    assert design.contrast is not None  # noqa: S101 (only asked of two groups)
    scaled = design.factor[0, 0] * design.coordinates
    n_relabellings = math.comb(len(labels), int(np.sum(labels == 0)))
    compiled = halving_repays_compiling(n_relabellings, scaled.shape[1])
    few = np.hstack([design.contrast, scaled[:, :1]])
    sums = sums_of_halves(Halves.of(labels, few, compiled=compiled), compiled=compiled)
    shapes = Halves.of(labels, scaled[:, 1:], compiled=compiled)
    between = np.empty((2, sums.shape[1]))
    np.multiply(sums[-1], sums[-1], out=between[0])
    squares_of_halves(shapes, compiled=compiled, out=between[1])
    return between, sums[:-1]


# --- The exact p of the height of two algorithms, far beyond what can be enumerated.
#
# Only the sums of curve heights over the first group matter. The runs are cut in half, the sums of
# all subsets of a half are sorted, and for each subset of one half the subsets of the other that
# make the total extreme are counted by looking up where they begin.
#
# Where many pairs of groups are compared, the two halves are the groups, so that the sums of each
# group are sorted once (`GroupSums`). Write x for the numbers of the runs less the mean of their
# group, d for the difference of the two means, and n for the runs of the first of N. Choices of n
# runs with k of the first group then sum up, less n times the mean of all, to
#
#     Σ x + d (k − n² / N).
#
# These are rounded otherwise than sums of heights are, so a count is only given where none of them
# is so close to the bound that rounding could matter.

# 2²² sums to a half: half a second, and less than 150 megabytes in all.
MAX_SUBSET_RUNS = 44
COUNTED_IN_NUMPY, COUNTED_COMPILED = 40e-9, 10e-9  # seconds for each subset of a half


def count_heights(heights: Floats, n_first: int, bound: float) -> int:
    """Count the choices of ``n_first`` runs whose summed heights, squared, reach ``bound``.

    All choices are counted, also those that are mirror images of each other.
    """
    if bound <= 0:
        return math.comb(len(heights), n_first)
    root = math.sqrt(bound)
    halves = _halves(heights)
    above = _count(halves, n_first, root)
    centred_sum = abs(heights.sum()) <= 4 * EPSILON * np.abs(heights).sum()
    if 2 * n_first == len(heights) and centred_sum:
        # The runs that were not chosen sum to minus as much.
        return 2 * above
    return above + _count(halves, n_first, -root, below=True)


def counting_repays_compiling(n_subsets: int) -> bool:
    """Tell whether so many subsets of a half are counted sooner in compiled code."""
    return kernels_are_loaded() or compiling_repays(
        n_subsets * COUNTED_IN_NUMPY, n_subsets * COUNTED_COMPILED
    )


@dataclass(frozen=True, eq=False)
class GroupSums:
    """The sorted sums of all subsets of a group's runs, each with one number.

    Attributes
    ----------
    mean : float
        That of the numbers.
    by_size : list of array
        The sums of 0, 1, … numbers less their mean.
    largest : float
        The size of what the numbers were rounded with.
    """

    mean: float
    by_size: list[Floats]
    largest: float

    @classmethod
    def of(cls, scores: Floats) -> GroupSums:
        """Take the mean of each run; ``scores`` is (n_runs, n_steps)."""
        middle = float(scores.mean())
        numbers = (scores - middle).mean(axis=1)
        offset = float(numbers.mean())
        largest = float(np.abs(scores).max())
        return cls(middle + offset, _by_size(numbers - offset), largest)


def count_far(first: GroupSums, second: GroupSums, least: float) -> int | None:
    """Count the choices of as many runs as the first group has that sum up to ``least`` or more.

    In size, and less the mean of all runs. As `count_heights`, of heights that are the numbers
    times a factor; None where rounding could change the count. Needs compiled code.
    """
    from curvewise.kernels.compiled_kernels import count_pairs_apart

    n_first, n_second = len(first.by_size) - 1, len(second.by_size) - 1
    difference = first.mean - second.mean
    margin = 4 * EPSILON * n_first * max(first.largest, second.largest)
    total = 0
    for size, sums in enumerate(first.by_size):
        n_others = n_first - size
        if n_others > n_second:
            continue
        others = second.by_size[n_others]
        shift = difference * (size - n_first**2 / (n_first + n_second))
        # Where the groups are equally large, runs that were not chosen sum to minus as much.
        for below in (False,) if n_first == n_second else (False, True):
            limit = (-least if below else least) - shift
            count, gap = count_pairs_apart(sums, others, limit, below)
            if gap <= margin:
                return None
            total += int(count)
    return 2 * total if n_first == n_second else total


def count_above(heights: Floats, n_first: int, least: float) -> int:
    """Count the choices of ``n_first`` runs whose summed heights are at least ``least``."""
    return _count(_halves(heights), n_first, least)


def _halves(heights: Floats) -> tuple[list[Floats], list[Floats]]:
    cut = len(heights) // 2
    return _by_size(heights[:cut]), _by_size(heights[cut:])


def _count(
    halves: tuple[list[Floats], list[Floats]], n_first: int, limit: float, *, below: bool = False
) -> int:
    """Count the sums that are at least ``limit``, or at most that if ``below``."""
    left, right = halves
    compiled = counting_repays_compiling(sum(map(len, left)))
    count = 0
    for size, sums in enumerate(left):
        n_others = n_first - size
        if not 0 <= n_others < len(right):
            continue
        others = right[n_others]
        if compiled:
            from curvewise.kernels.compiled_kernels import count_pairs

            count += int(count_pairs(sums, others, limit, below))
        elif below:
            count += int(np.sum(np.searchsorted(others, limit - sums, "right")))
        else:
            places = np.searchsorted(others, limit - sums, "left")
            count += int(np.sum(len(others) - places))
    return count


def _by_size(values: Floats) -> list[Floats]:
    """Return the sorted sums of all subsets with 0, 1, … members."""
    sums: list[Floats] = [np.zeros(1)]
    for value in values:
        # A subset of k members is one of k without this value, or one of k − 1 with it.
        grown = [sums[0]]
        grown += [
            np.concatenate([without, others + value])
            for without, others in zip(sums[1:], sums[:-1], strict=True)
        ]
        sums = [*grown, sums[-1] + value]
    for part in sums:
        part.sort()
    return sums

"""Many tasks as a whole: chances of winning, shares of variation, rank sums and aggregates.

Write p for the share of pairs that the first of two groups wins in a stratum, and P = Σ w p for
its mean over strata with weights that sum to 1. If runs of both groups vary alike, the variance of
p depends on its expectation θ, very nearly as Hanley & McNeil (1982) say,

    v(θ) = θ (1 − θ) (1 + n̄ (1 − θ) / (2 − θ) + n̄ θ / (1 + θ)) / (n₁ n₂),   n̄ = (n₁ + n₂) / 2 − 1,

which at θ = ½ is that of the rank sum. The interval holds all θ with |P − θ| ≤ c √(λ Σ w² v(θ)),
as Wilson's of a proportion does (Newcombe 2006, of a single stratum): it stays inside 0 and 1, and
has a width where all runs of one group win.

λ is what the runs themselves say of that variance: the variance of placement values (DeLong,
DeLong & Clarke-Pearson 1988) over Σ w² v(P). It is below 1 where tasks differ in θ, and above 1
where runs vary differently. Few runs say little, so λ is drawn towards 1 as if `PRIOR_DF` degrees
of freedom had said so, and c is a quantile of Student's t.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova import factored_sums, ratios
from curvewise.kernels.contrasts import is_mirrored
from curvewise.kernels.relabel import BATCH, WithinBlocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.kernels.anova import Design


PRIOR_DF = 5.0
N_HALVINGS = 60


def winning_probability(strata: Sequence[Stratum]) -> float:
    """Return how often a run of the first group wins, strata weighted as in V."""
    weights = [own.weight for own in strata]
    wins = sum(own.weight * own.probability for own in strata)
    return wins / sum(weights)


def probability_interval(strata: Sequence[Stratum], alpha: float) -> tuple[float, float]:
    """Return the interval of `winning_probability`, at confidence 1 − alpha."""
    from scipy.special import stdtrit

    centre = winning_probability(strata)
    weights = np.array([own.weight for own in strata])
    weights /= weights.sum()
    sizes = np.array([own.sizes for own in strata], dtype=np.float64)
    known = [place for place, own in enumerate(strata) if min(own.sizes) > 1]
    df = float(np.sum(sizes[known].sum(axis=1) - 2)) / 2
    ratio = 1.0
    if 0 < centre < 1 and df > 0:
        placed = [_placement_variance(strata[place]) for place in known]
        expected = _variance(centre, weights[known], sizes[known])
        ratio = float(weights[known] ** 2 @ placed) / expected
    scale = (df * ratio + PRIOR_DF) / (df + PRIOR_DF)
    # Without runs that tell, such as single ones in blocks, the variance is taken as known.
    quantile = float(stdtrit(df + PRIOR_DF if df > 0 else math.inf, 1 - alpha / 2))

    def is_inside(theta: float) -> bool:
        spread = quantile**2 * scale * _variance(theta, weights, sizes)
        return (centre - theta) ** 2 <= spread

    return _end(is_inside, centre, 0.0), _end(is_inside, centre, 1.0)


def _variance(theta: float, weights: Floats, sizes: Floats) -> float:
    """Return Σ w² v(θ)."""
    extra = sizes.sum(axis=1) / 2 - 1
    pairs = 1 + extra * ((1 - theta) / (2 - theta) + theta / (1 + theta))
    own = theta * (1 - theta) * pairs / sizes.prod(axis=1)
    return float(weights**2 @ own)


def _placement_variance(stratum: Stratum) -> float:
    """Return the variance of a stratum's share of wins, from how runs are placed."""
    ours = stratum.doubled[stratum.first][:, None]
    wins = (1 + np.sign(ours - stratum.doubled[~stratum.first])) / 2
    return sum(
        float(np.var(wins.mean(axis=axis), ddof=1)) / wins.shape[1 - axis] for axis in (0, 1)
    )


def _end(is_inside: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return where the interval ends between its centre and 0 or 1, by halving."""
    if inside == outside or is_inside(outside):
        return outside
    for _ in range(N_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if is_inside(middle) else (inside, middle)
    return inside


# --- Sums over tasks of the share of variation that two groups explain in each.
#
# The share of heights is SS_alg over the total of curve heights, and that of whole curves SS_alg +
# SS_int over the total of curves; no relabelling changes a total, so that every task counts by its
# own scale. The two groups are relabelled inside each task.

# Relabellings of a task that are all looked at; of more, each shuffle has its own.
MAX_LISTED = 25_000


class Listed(NamedTuple):
    """The shares of all relabellings of a task; and which share has so large a lead."""

    shares: Floats  # (2, n_relabellings), heights and whole curves, each in ascending order
    up: float  # the share, of both mirror images, whose lead is at least the observed one
    down: float  # at most


@dataclass(frozen=True, eq=False)
class TaskShares:
    """One task, in the form in which its shares are shuffled.

    Attributes
    ----------
    design : Design
        Of two groups.
    labels, blocks : array, (n_runs,)
    noise : float
        How far rounding can move the table, as a distance.
    """

    design: Design
    labels: Integers
    blocks: Integers
    noise: float

    @cached_property
    def restriction(self) -> WithinBlocks:
        """The relabellings that are allowed."""
        return WithinBlocks(self.labels, self.blocks)

    @property
    def totals(self) -> Floats:
        """The sums of squares of heights and of whole curves, which no relabelling changes."""
        heights, shapes = self.design.totals
        return np.array([heights, heights + shapes])

    def shares(self, labels: Integers) -> Floats:
        """Return the shares of relabellings; (2, n_relabellings). 0 where nothing varies."""
        return self._parts(labels)[0]

    def _parts(self, labels: Integers) -> tuple[Floats, Floats]:
        """Return the shares, and u of the height, whose square is SS_alg."""
        (sums,) = factored_sums(labels, self.design.coordinates, self.design.factor)
        squares = np.stack([sums[:, 0] ** 2, np.sum(sums**2, axis=1)])
        totals = self.totals[:, None]
        return ratios(squares, totals), sums[:, 0]

    @cached_property
    def observed(self) -> Floats:
        """The shares as observed; (2,)."""
        return self.shares(self.labels[None, :])[:, 0]

    def leads(self, labels: Integers) -> Floats:
        """Return u of the height, above 0 where the first group's mean is higher."""
        return self._parts(labels)[1]

    @property
    def lead(self) -> float:
        """Return u of the height as observed."""
        return float(self.leads(self.labels[None, :])[0])

    @property
    def n_labellings(self) -> int:
        """How many relabellings there are, with both of two mirror images."""
        return self.restriction.count * (1 + is_mirrored(self.labels, self.blocks))

    @cached_property
    def slack(self) -> Floats:
        """How far rounding can move each share; (2,)."""
        # Rounding moves the root of a share, which is at most 1, by no more than this.
        slack = ratios(2 * self.noise, np.sqrt(self.totals))
        return np.minimum(2 * slack + slack**2, 1.0)

    def listed(self) -> Listed:
        """Look at all relabellings."""
        every = self.restriction.every()
        batches = [every.batch(number) for number in range(-(-every.count // BATCH))]
        parts = [self._parts(batch) for batch in batches]
        leads = np.concatenate([part[1] for part in parts])
        if is_mirrored(self.labels, self.blocks):
            # An enumeration visits one of two mirror images.
            leads = np.concatenate([leads, -leads])
        shares = np.sort(np.concatenate([part[0] for part in parts], axis=1), axis=1)
        tie = 2 * self.noise
        up, down = leads >= self.lead - tie, leads <= self.lead + tie
        return Listed(shares, float(up.mean()), float(down.mean()))


# --- The test of van Elteren (1960): rank sums of two groups, added up over strata.
#
# A stratum is a task or, where runs are in blocks, a block of a task. With W the sum of the ranks
# of the first group among the N runs of a stratum,
#
#     V = Σ (W − E W) / (N + 1) = Σ w (p − ½),    w = n₁ n₂ / (N + 1),
#
# where p is the share of pairs that the run of the first group wins; ties count half. Twice a
# midrank is a whole number, so that V is a whole number of units of 1 / (2 L), with L the least
# common multiple of all N + 1. Its distribution over all relabellings inside strata is that of a
# sum of independent whole numbers, which is worked out by convolution.

MAX_ADDITIONS = 300_000_000  # about a second
MAX_SUPPORT = 1_000_000  # values of a sum: a third of a second
MAX_VALUE = 2**62
TINY = 1e-300  # p is never 0, however many tasks there are


@dataclass(frozen=True, eq=False)
class Stratum:
    """The runs of one stratum: twice their midranks, and which belong to the first group."""

    doubled: Integers
    first: Booleans

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """How many runs each group has."""
        n_first = int(self.first.sum())
        return n_first, len(self.first) - n_first

    @cached_property
    def lead(self) -> int:
        """2 (W − E W): by how much the first group's rank sum is above its mean, doubled."""
        n_first = self.sizes[0]
        return int(self.doubled[self.first].sum()) - n_first * (len(self.first) + 1)

    @property
    def weight(self) -> float:
        """How much the stratum weighs in V."""
        n_first, n_second = self.sizes
        return n_first * n_second / (n_first + n_second + 1)

    @property
    def probability(self) -> float:
        """The share of pairs that the run of the first group wins; ties count half."""
        n_first, n_second = self.sizes
        return 0.5 + self.lead / (2 * n_first * n_second)


def strata_of(ranks: Floats, labels: Integers, blocks: Integers) -> list[Stratum]:
    """Return the strata of one task; blocks that hold a single group say nothing.

    ``ranks`` are the midranks of the runs inside their blocks, the best run highest; the first
    group is that of the label 0.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    strata = []
    for block in np.unique(blocks):
        inside = blocks == block
        first = labels[inside] == 0
        if first.any() and not first.all():
            strata.append(Stratum(doubled[inside], first))
    return strata


def van_elteren(strata: Sequence[Stratum]) -> float:
    """Return V, above 0 where the first group wins more often than not."""
    # In fractions: a V of 0 must not get a sign from rounding.
    return float(sum(Fraction(own.lead, 2 * (len(own.first) + 1)) for own in strata))


def smallest_pvalue(strata: Sequence[Stratum]) -> float:
    """Return the smallest two-sided p that so many runs could give, if none were tied.

    One relabelling has the largest V and one the smallest, whatever the strata.

    >>> stratum = Stratum(np.arange(2, 14, 2), np.arange(6) < 3)
    >>> smallest_pvalue([stratum]), smallest_pvalue([stratum, stratum])
    (0.1, 0.005)
    """
    n_all = math.prod(math.comb(sum(own.sizes), own.sizes[0]) for own in strata)
    return min(1.0, max(2 / n_all, TINY))


class _Sum(NamedTuple):
    """A distribution: the ``chances`` of start, start + step, start + 2 step and so on."""

    start: int
    step: int
    chances: Floats


class _Support(NamedTuple):
    """A distribution: ascending values, and their chances."""

    values: Integers
    chances: Floats


def exact_pvalue(strata: Sequence[Stratum]) -> float | None:
    """Return the share of relabellings with |V| at least as large, by convolution.

    None where that would take too long: for very many runs, or for tasks of so many different
    sizes that their sums hardly ever coincide.
    """
    by_size: dict[int, list[Stratum]] = defaultdict(list)
    for own in strata:
        by_size[len(own.first)].append(own)
    unit = math.lcm(*(size + 1 for size in by_size))
    factors = [(own, unit // (len(own.first) + 1)) for own in strata]
    observed = sum(own.lead * factor for own, factor in factors)
    largest = sum(math.prod(own.sizes) * factor for own, factor in factors)
    if largest > MAX_VALUE or _additions(by_size.values()) > MAX_ADDITIONS:
        return None
    parts = [_Support(np.zeros(1, dtype=np.int64), np.ones(1))]
    for size, group in sorted(by_size.items()):
        total = _convolved([_rank_sum(own) for own in group])
        places = np.flatnonzero(total.chances)
        values = (total.start + total.step * places) * (unit // (size + 1))
        parts.append(_Support(values, total.chances[places]))
    return _two_sided(parts, abs(observed))


def _additions(groups: Iterable[Sequence[Stratum]]) -> int:
    """Estimate how many additions the distributions, and their convolution, take."""
    total, seen = 0, set()
    for group in groups:
        width = 0
        tied = any(len(set(own.doubled.tolist())) < len(own.doubled) for own in group)
        for own in group:
            smaller, larger = sorted(own.sizes)
            # Without ties twice the ranks are even, so that every other number is skipped.
            own_width = (1 + tied) * smaller * larger + 1
            ranks = tuple(sorted(own.doubled.tolist()))
            if ranks not in seen:
                seen.add(ranks)
                total += (smaller + larger) * smaller * own_width
            total += width * own_width
            width += own_width
    return total


def _rank_sum(stratum: Stratum) -> _Sum:
    """Return the distribution of 2 (W − E W) over all relabellings of a stratum."""
    n_first, n_second = stratum.sizes
    doubled = np.sort(stratum.doubled)
    start, step, chances = _subset_sums(tuple(doubled.tolist()), min(n_first, n_second))
    expected = n_first * (len(doubled) + 1)
    if n_first <= n_second:
        return _Sum(start - expected, step, chances)
    # What the second group does not have is the first group's.
    highest = int(doubled.sum()) - start
    return _Sum(highest - step * (len(chances) - 1) - expected, step, chances[::-1])


@lru_cache(maxsize=256)
def _subset_sums(values: tuple[int, ...], n_chosen: int) -> _Sum:
    """Return the distribution of the sum of ``n_chosen`` of the values, drawn at random."""
    lowest = values[0]
    step = math.gcd(*(value - lowest for value in values)) or 1
    places = [(value - lowest) // step for value in values]
    width = sum(places[len(places) - n_chosen :]) + 1
    # Row j holds how many choices of j values have each sum; all are positive, so that
    # rounding keeps their relative size.
    counts = np.zeros((n_chosen + 1, width))
    counts[0, 0] = 1.0
    for place in places:
        counts[1:, place:] += counts[:-1, : width - place]
    chances = counts[-1] / math.comb(len(values), n_chosen)
    chances.setflags(write=False)
    return _Sum(n_chosen * lowest, step, chances)


def _convolved(parts: Sequence[_Sum]) -> _Sum:
    """Return the distribution of the sum of independent whole numbers."""
    step = math.gcd(*(part.step for part in parts))
    total = np.ones(1)
    for part in parts:
        own = part.chances
        if part.step != step:
            own = np.zeros((len(part.chances) - 1) * (part.step // step) + 1)
            own[:: part.step // step] = part.chances
        total = np.convolve(total, own)
    return _Sum(sum(part.start for part in parts), step, total)


def _two_sided(parts: list[_Support], bound: int) -> float | None:
    """Return the chance that the sum of independent numbers is at least ``bound`` in size."""
    if bound == 0:
        return 1.0
    while len(parts) > 2:
        first, second, *others = sorted(parts, key=lambda part: len(part.values))
        if len(first.values) * len(second.values) > MAX_SUPPORT:
            return None
        parts = [_added(first, second), *others]
    few, many = sorted(parts, key=lambda part: len(part.values))
    # Each tail is summed from its end, so that a small one keeps its digits.
    below = np.concatenate([[0.0], np.cumsum(many.chances)])
    above = np.concatenate([np.cumsum(many.chances[::-1])[::-1], [0.0]])
    up = above[np.searchsorted(many.values, bound - few.values, "left")]
    down = below[np.searchsorted(many.values, -bound - few.values, "right")]
    return float(min(1.0, max(few.chances @ (up + down), TINY)))


def _added(first: _Support, second: _Support) -> _Support:
    sums = np.add.outer(first.values, second.values).ravel()
    chances = np.multiply.outer(first.chances, second.chances).ravel()
    values, places = np.unique(sums, return_inverse=True)
    summed = np.bincount(places, weights=chances).astype(np.float64)
    return _Support(values, summed)


# --- Aggregates of the scores of many tasks, and how far chance moves them.
#
# Scores have a row for each run and a column for each step; ``tasks`` has the number of each run's
# task. Every task weighs the same, whatever its number of runs, and runs of a task are told apart
# by chance only: the standard error is that of a stratified sample. Nothing is resampled.

QUARTER = 0.25
# A sum of weights that rounding moved must still be seen to be a quarter.
SLACK = 1e-9


class Spread(NamedTuple):
    """The standard error of an aggregate at each step, and its degrees of freedom.

    Where runs of the same task do not vary, the error is 0 and the degrees of freedom NaN.
    """

    error: Floats
    df: Floats


@dataclass(frozen=True, eq=False)
class StratifiedRuns:
    """The runs of one algorithm on all tasks.

    Attributes
    ----------
    scores : array, (n_runs, n_steps)
    tasks : array, (n_runs,)
        The number of each run's task, from 0 on; each has two runs or more.
    """

    scores: Floats
    tasks: Integers

    @property
    def sizes(self) -> Integers:
        """The number of runs of each task."""
        return np.bincount(self.tasks)

    @property
    def weights(self) -> Floats:
        """The weight of each run: every task has the same, whatever its number of runs."""
        sizes = self.sizes
        return np.asarray(1.0 / (len(sizes) * sizes[self.tasks]))

    def task_sums(self, values: Floats) -> Floats:
        """Return the sum of the values of each task's runs: (n_tasks, n_steps)."""
        sums = np.zeros((len(self.sizes), values.shape[1]))
        np.add.at(sums, self.tasks, values)
        return sums

    def mean(self, values: Floats) -> Floats:
        """Return the mean over tasks of the means of their runs, at each step."""
        return np.asarray((self.task_sums(values) / self.sizes[:, None]).mean(axis=0))

    def residuals(self, influences: Floats) -> Floats:
        """Return how far each run is from the mean of its task.

        Scaled so that the sum of their squares is the squared standard error of the aggregate:
        (ψ − ψ̄) √(n / (n − 1)) / (T n) for a task of n runs, one of T.
        """
        sizes = self.sizes
        means = self.task_sums(influences) / sizes[:, None]
        centred = influences - means[self.tasks]
        # Runs that are the same up to rounding do not vary.
        least = 64 * np.finfo(np.float64).eps * np.abs(influences).max(axis=0)
        centred[np.abs(centred) <= least] = 0.0
        scale = np.sqrt(sizes / (sizes - 1)) / (len(sizes) * sizes)
        return np.asarray(centred * scale[self.tasks, None])

    def squares(self, residuals: Floats) -> tuple[Floats, Integers]:
        """Return each task's part of the squared standard error, and its degrees of freedom."""
        return self.task_sums(residuals**2), self.sizes - 1


def quartiles(scores: Floats, weights: Floats) -> Floats:
    """Return the first and third quartile of weighted scores, at each step: (2, n_steps).

    Between two scores they are interpolated: a score stands at the middle of its weight
    (Hazen's rule, for equal weights).

    >>> quartiles(np.array([[4.0], [1.0], [3.0], [2.0]]), np.full(4, 0.25)).ravel().tolist()
    [1.5, 3.5]
    """
    order = np.argsort(scores, axis=0)
    ranked = np.take_along_axis(scores, order, axis=0)
    heavy = weights[order]
    middles = np.cumsum(heavy, axis=0) - heavy / 2
    at = np.array([QUARTER, 1 - QUARTER])
    found = [np.interp(at, middle, own) for middle, own in zip(middles.T, ranked.T, strict=True)]
    return np.asarray(np.array(found).T)


def interquartile_mean(scores: Floats, weights: Floats) -> Floats:
    """Return the mean of what is left when a quarter of the weight is cut off at either end.

    Whole runs are cut, as many as a quarter covers: of N runs of equal weight ⌊N / 4⌋, as by
    `scipy.stats.trim_mean`.

    >>> interquartile_mean(np.array([[0.0], [1.0], [2.0], [90.0]]), np.full(4, 0.25)).tolist()
    [1.5]
    """
    order = np.argsort(scores, axis=0, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=0)
    heavy = weights[order]
    below = np.cumsum(heavy, axis=0)
    above = np.cumsum(heavy[::-1], axis=0)[::-1]
    kept = heavy * ((below > QUARTER + SLACK) & (above > QUARTER + SLACK))
    return np.asarray((ranked * kept).sum(axis=0) / kept.sum(axis=0))


def gap(scores: Floats, gamma: float) -> Floats:
    """Return how far each score is below ``gamma``; 0 for those above it."""
    return np.maximum(gamma - scores, 0.0)


class Statistic(NamedTuple):
    """An aggregate: its value at each step, and the influence of each run on it."""

    value: Callable[[StratifiedRuns, float], Floats]
    influences: Callable[[StratifiedRuns, float], Floats]


def _clipped(runs: StratifiedRuns, _: float) -> Floats:
    """Return twice the scores, clipped at their quartiles."""
    low, high = quartiles(runs.scores, runs.weights)
    return np.asarray(2 * np.clip(runs.scores, low, high))


STATISTICS: dict[str, Statistic] = {
    "iqm": Statistic(lambda runs, _: interquartile_mean(runs.scores, runs.weights), _clipped),
    "mean": Statistic(lambda runs, _: runs.mean(runs.scores), lambda runs, _: runs.scores),
    "gap": Statistic(
        lambda runs, gamma: runs.mean(gap(runs.scores, gamma)),
        lambda runs, gamma: gap(runs.scores, gamma),
    ),
}


def spread_of(parts: Sequence[tuple[Floats, Integers]]) -> Spread:
    """Return the standard error and degrees of freedom of a sum of independent strata.

    ``parts`` has for each algorithm the squared standard errors of its tasks, (n_tasks, n_steps),
    and their degrees of freedom. Those of the whole are Satterthwaite's (1946).
    """
    variance = sum(np.sum(squares, axis=0) for squares, _ in parts)
    # Divided by the whole first, so that squares of small numbers do not vanish.
    whole = np.where(variance > 0, variance, 1.0)
    shares = sum(np.sum((squares / whole) ** 2 / df[:, None], axis=0) for squares, df in parts)
    df = np.where(variance > 0, 1 / np.where(variance > 0, shares, 1.0), np.nan)
    return Spread(np.sqrt(variance), np.asarray(df))


def t_quantiles(normal_quantile: float, df: Floats) -> Floats:
    """Return Student's quantiles that have the tail of a normal one; 0 without variation.

    >>> t_quantiles(1.96, np.array([4.0, 1e6, np.nan])).round(3).tolist()
    [2.777, 1.96, 0.0]
    """
    from scipy.special import ndtr, stdtrit

    known = np.where(np.isnan(df), 1.0, df)
    return np.where(np.isnan(df), 0.0, -stdtrit(known, ndtr(-normal_quantile)))

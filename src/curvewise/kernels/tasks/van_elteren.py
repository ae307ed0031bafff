"""The test of van Elteren (1960): rank sums of two groups, added up over strata.

A stratum is a task or, where runs are in blocks, a block of a task. With W the sum of the ranks
of the first group among the N runs of a stratum,

    V = Σ (W − E W) / (N + 1) = Σ w (p − ½),    w = n₁ n₂ / (N + 1),

where p is the share of pairs that the run of the first group wins; ties count half. Twice a
midrank is a whole number, so that V is a whole number of units of 1 / (2 L), with L the least
common multiple of all N + 1. Its distribution over all relabellings inside strata is that of a
sum of independent whole numbers, which is worked out by convolution.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.codes import distinct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers

__all__ = ["Stratum", "exact_pvalue", "smallest_pvalue", "strata_of", "van_elteren"]

MAX_ADDITIONS = 300_000_000  # about a second
MAX_SUPPORT = 1_000_000  # values of a sum: a third of a second
MAX_VALUE = 2**62
TINY = 1e-300  # p is never 0, however many tasks there are


@dataclass(frozen=True, eq=False)
class Stratum:
    """The runs of one stratum: twice their midranks, and which belong to the first group."""

    doubled: Integers
    first: npt.NDArray[np.bool_]

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
    for block in distinct(blocks):
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
    observed = sum(
        own.lead * (unit // (size + 1))
        for size, group in by_size.items()
        for own in group
    )
    largest = sum(
        math.prod(own.sizes) * (unit // (size + 1))
        for size, group in by_size.items()
        for own in group
    )
    if largest > MAX_VALUE or _additions(by_size.values()) > MAX_ADDITIONS:
        return None
    parts = []
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
    if len(parts) == 1:
        parts = [_Support(np.zeros(1, dtype=np.int64), np.ones(1)), *parts]
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

"""Relabellings of runs, at random or all of them, in batches that tables of one shape share.

Then draws that no enumeration has, and resamples.
"""

from __future__ import annotations

import math
from collections import defaultdict
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from curvewise.errors import refuse
from curvewise.kernels import Integers
from curvewise.kernels.compiling import kernels_are_loaded

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from curvewise.kernels import Booleans, Floats


MAX_CACHED_BYTES = 2**27  # when more would be kept, all are dropped


@dataclass
class _Cache:
    batches: dict[Any, Integers] = field(default_factory=dict)
    n_bytes: int = 0


_cache: ContextVar[_Cache | None] = ContextVar("cache", default=None)


@contextmanager
def shared_batches() -> Iterator[None]:
    """Keep the batches drawn inside the with block, and reuse them for the same key."""
    token = _cache.set(_Cache())
    try:
        yield
    finally:
        _cache.reset(token)


def cached_batch(key: Hashable, draw: Callable[[], Integers]) -> Integers:
    """Return the batch kept under a key, or call ``draw`` and keep what it returns.

    Outside `shared_batches` nothing is kept.
    """
    cache = _cache.get()
    if cache is None:
        return draw()
    found = cache.batches.get(key)
    if found is None:
        found = draw()
        if cache.n_bytes + found.nbytes > MAX_CACHED_BYTES:
            cache.batches.clear()
            cache.n_bytes = 0
        cache.batches[key] = found
        cache.n_bytes += found.nbytes
    return found


def shape_of(labels: Integers, blocks: Integers) -> tuple[Any, ...]:
    """Return all that relabellings depend on: the block of each run, and the sizes in each.

    Tables with the same shape have the same relabellings.
    """
    sizes = [tuple(np.bincount(labels[blocks == block]).tolist()) for block in np.unique(blocks)]
    return tuple(sizes), blocks.tobytes()


# --- Random words by number: the same ones in NumPy and in compiled code.
#
# SplitMix64 (Steele, Lea & Flood 2014): word j of a stream is a mixing function of key plus j times
# a constant, so words can be had in any order and in any number at a time. Shuffles come in batches
# of a fixed size; batch b under a seed has a stream of its own.

BATCH = 1_024  # shuffles
# The constants of SplitMix64: the increment of the counter, and the factors of the mixing.
GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_FACTOR_2 = np.uint64(0x94D049BB133111EB)

RandomWords = npt.NDArray[np.uint64]


def _mixed(values: RandomWords) -> RandomWords:
    values = (values ^ (values >> np.uint64(30))) * MIX_FACTOR_1
    values = (values ^ (values >> np.uint64(27))) * MIX_FACTOR_2
    return values ^ (values >> np.uint64(31))


def stream_key(seed: int, batch: int) -> np.uint64:
    """Return the key of the stream of one batch."""
    number = np.array([batch], dtype=np.uint64)
    # The batch is mixed before it meets the seed, so that neighbouring seeds and batches
    # do not share streams.
    return np.uint64(_mixed(np.array([seed], dtype=np.uint64) ^ _mixed(number * GOLDEN_GAMMA))[0])


def random_words(key: np.uint64, start: int, count: int) -> RandomWords:
    """Return ``count`` words of a stream, from number ``start`` on."""
    numbers = np.arange(start + 1, start + count + 1, dtype=np.uint64)
    return _mixed(key + numbers * GOLDEN_GAMMA)


def random_halves(key: np.uint64, n_rows: int, n_each: int) -> RandomWords:
    """Return rows of numbers of 32 bits: the halves of words, the lower one first.

    A row begins with a new word, so an odd number leaves half a word unused.
    """
    n_words = -(-n_each // 2)
    words = random_words(key, 0, n_rows * n_words)
    halves = np.stack([words & np.uint64(2**32 - 1), words >> np.uint64(32)], axis=1)
    return halves.reshape(n_rows, 2 * n_words)[:, :n_each]


def unit_interval(words: RandomWords) -> npt.NDArray[np.float64]:
    """Turn words into numbers from 0 up to, and without, 1: 53 bits are all a float holds."""
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


# --- Every distinct relabelling of the runs, addressed by rank.
#
# F does not change when two algorithms with equally many runs (in every block) swap names, so of
# such relabellings one is visited. The relabellings form a mixed-radix number: each digit says
# which of the remaining runs an algorithm receives.

# Combinations of so few items are listed once, which takes milliseconds, and then looked up.
MAX_LISTED_ITEMS, MAX_LISTED_BYTES = 22, 2**24


@dataclass(frozen=True)
class _GroupDraw:
    """Algorithms of one size that receive runs of a block together.

    When their names may be swapped, the runs for all of them are chosen first; then each
    algorithm in turn takes the first run that is left and chooses the others, which fixes
    its name.
    """

    groups: tuple[int, ...]
    size: int

    def radices(self, available: int) -> list[tuple[int, int]]:
        """List (from how many, how many are chosen) for each digit of this draw."""
        union = len(self.groups) * self.size
        others = range(len(self.groups), 1, -1)
        return [(available, union), *((n * self.size - 1, self.size - 1) for n in others)]


_BlockDraws = list[tuple[Integers, list[_GroupDraw]]]


def _block_draws(labels: Integers, blocks: Integers) -> _BlockDraws:
    """Return, for each block, its runs and which algorithms receive them together."""
    n_groups = int(labels.max()) + 1
    names = np.unique(blocks)
    counts = np.stack([np.bincount(labels[blocks == b], minlength=n_groups) for b in names])
    # A block of a single algorithm has nothing to shuffle, so it does not keep algorithms
    # from being interchangeable.
    mixed = np.flatnonzero((counts > 0).sum(axis=1) > 1)
    interchangeable = [
        (mixed[component[row]], groups)
        for component in _components(counts[mixed])
        for row, groups in _interchangeable(counts[mixed][component])
    ]
    block_draws: _BlockDraws = []
    for row, block in enumerate(names):
        together = [groups for place, groups in interchangeable if place == row]
        alone = set(np.flatnonzero(counts[row]).tolist()).difference(*together)
        draws = [
            _GroupDraw(tuple(groups), int(counts[row, groups[0]]))
            for groups in [*together, *([group] for group in sorted(alone))]
        ]
        block_draws.append((np.flatnonzero(blocks == block), draws))
    return block_draws


def _components(counts: Integers) -> list[list[int]]:
    """Partition the blocks into sets that contribute to the sum of squares separately.

    Blocks of A and B say nothing about C and D, so names can be swapped in each set without
    regard to the others. Two blocks belong together if a difference between algorithms in
    one is correlated, by the inverse of the information, with a difference in the other.
    """
    n_blocks, n_groups = counts.shape
    if n_blocks == 1:
        return [[0]]
    information = np.diag(counts.sum(axis=0)).astype(np.float64)
    information -= (counts.T / counts.sum(axis=1)) @ counts
    unit = np.eye(n_groups)
    owners = np.repeat(np.arange(n_blocks), (counts > 0).sum(axis=1) - 1)
    held = map(np.flatnonzero, counts)
    directions = np.concatenate([unit[groups[0]] - unit[groups[1:]] for groups in held])
    correlated = np.abs(directions @ np.linalg.pinv(information) @ directions.T) > 1e-9
    linked = np.zeros((n_blocks, n_blocks), dtype=np.bool_)
    np.logical_or.at(linked, (owners[:, None], owners), correlated)
    # Blocks that are linked through others belong together as well.
    components: list[list[int]] = []
    left = set(range(n_blocks))
    while left:
        component: set[int] = set()
        reached = {min(left)}
        while reached - component:
            component |= reached
            reached = set(np.flatnonzero(linked[list(component)].any(axis=0)).tolist())
        components.append(sorted(component))
        left -= component
    return components


def _interchangeable(counts: Integers) -> list[tuple[int, list[int]]]:
    """Find algorithms whose names can be swapped, and the block that fixes their names.

    Names are fixed in one block only: once they are, every labelling of another block is
    a different one.
    """
    n_groups = (counts > 0).sum(axis=1)
    if np.all((n_groups == 2) & (2 * counts.max(axis=1) == counts.sum(axis=1))):
        # Swapping the two algorithms of every block changes the sign of all differences,
        # and F is a sum of their squares.
        return [(0, np.flatnonzero(counts[0]).tolist())]
    by_sizes: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for group, column in enumerate(counts.T.tolist()):
        by_sizes[tuple(column)].append(group)
    return [
        (next(row for row, n_runs in enumerate(column) if n_runs), groups)
        for column, groups in by_sizes.items()
        if len(groups) > 1 and any(column)
    ]


def n_relabellings(labels: Integers, blocks: Integers) -> int:
    """Count the distinct relabellings.

    >>> labels = np.repeat([0, 1], 7)
    >>> n_relabellings(labels, np.zeros_like(labels))
    1716
    """
    return _n_relabellings(shape_of(labels, blocks)[0])


@lru_cache(maxsize=1024)
def _n_relabellings(sizes: tuple[tuple[int, ...], ...]) -> int:
    """Count them by the sizes of the groups in each block, which is all that they depend on."""
    labels = [np.repeat(np.arange(len(own)), own) for own in sizes]
    blocks = np.repeat(np.arange(len(sizes)), [len(own) for own in labels])
    count = 1
    for positions, draws in _block_draws(np.concatenate(labels), blocks):
        available = len(positions)
        for draw in draws:
            count *= math.prod(math.comb(*radix) for radix in draw.radices(available))
            available -= len(draw.groups) * draw.size
    return count


@dataclass(frozen=True, eq=False)
class WithinBlocks:
    """Runs change algorithms inside their block; without blocks all runs are in one.

    These are all distinct relabellings, in batches, in an order that never changes.
    """

    labels: Integers = field(repr=False)
    blocks: Integers = field(repr=False)
    unit: str = "shuffle"

    @cached_property
    def count(self) -> int:
        """How many distinct relabellings are allowed, the observed one among them."""
        return n_relabellings(self.labels, self.blocks)

    def every(self) -> WithinBlocks:
        """Return all of them."""
        return self

    def drawn(self, count: int, seed: int) -> Shuffles:
        """Return ``count`` of them at random, the same ones for the same seed."""
        return Shuffles(self.labels, self.blocks, count, seed)

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch of relabellings; (BATCH or fewer, n_runs)."""
        ranks = np.arange(number * BATCH, min((number + 1) * BATCH, self.count))
        return cached_batch(("every", number, self._shape), partial(self.ranked, ranks))

    @cached_property
    def _shape(self) -> tuple[Any, ...]:
        return shape_of(self.labels, self.blocks)

    @cached_property
    def _draws(self) -> _BlockDraws:
        return _block_draws(self.labels, self.blocks)

    def ranked(self, ranks: Integers) -> Integers:
        """Return the labels of the relabellings of these ranks; (n_ranks, n_runs)."""
        if self.labels.max() == 1 and len(self._draws) == 1:
            return _ranked_of_two(ranks, len(self.labels), self._draws[0][1][0])
        relabelled = np.empty((len(ranks), len(self.labels)), dtype=np.int64)
        rows = np.arange(len(ranks))[:, None]
        for positions, draws in self._draws:
            left = np.broadcast_to(positions, (len(ranks), len(positions)))
            for draw in draws:
                radices = draw.radices(left.shape[1])
                ranks, union, left = _take(ranks, left, radices[0])
                for group, radix in zip(draw.groups, radices[1:], strict=False):
                    first, others = union[:, :1], union[:, 1:]
                    ranks, chosen, union = _take(ranks, others, radix)
                    relabelled[rows, np.hstack([first, chosen])] = group
                relabelled[rows, union] = draw.groups[-1]
        return relabelled


def _ranked_of_two(ranks: Integers, n_runs: int, draw: _GroupDraw) -> Integers:
    """Return labels as `WithinBlocks.ranked` does, of two groups that are one block."""
    taken = np.ones((len(ranks), n_runs), dtype=np.bool_)
    # Where names may be swapped, the first run is in the first group, which fixes them.
    fixed = len(draw.groups) - 1
    taken[:, fixed:] = _combinations(ranks, n_runs - fixed, draw.size - fixed)
    return (taken == draw.groups[0]).astype(np.int64)


def _take(
    ranks: Integers, available: Integers, radix: tuple[int, int]
) -> tuple[Integers, Integers, Integers]:
    """Choose among the available runs by the lowest digit of each rank.

    Returns the ranks without that digit, the chosen runs and those that are left.
    """
    ranks, digit = np.divmod(ranks, math.comb(*radix))
    mask = _combinations(digit, *radix)
    n_rows = len(ranks)
    chosen = available[mask].reshape(n_rows, -1)
    left = available[~mask].reshape(n_rows, -1)
    return ranks, chosen, left


@lru_cache(maxsize=64)
def _every_combination(n: int, k: int) -> Booleans:
    """Return every combination as `_combinations` does, in a row each."""
    # With the first item as the highest bit, combinations in lexicographic order are the
    # numbers with k bits set, from the largest down.
    numbers = np.arange(2**n, dtype=np.uint32)
    chosen = numbers[np.bitwise_count(numbers) == k][::-1]
    bits = np.unpackbits(chosen.astype(">u4").view(np.uint8).reshape(-1, 4), axis=1)
    masks = np.ascontiguousarray(bits[:, 32 - n :]).view(np.bool_)
    masks.setflags(write=False)
    return masks


@cache
def _ways(n: int, k: int) -> Integers:
    """Return how many combinations take the next item, by items left and places left.

    All numbers above every possible rank do the same, and must fit into 64 bits.
    """
    return np.array(
        [
            [min(math.comb(items, places - 1), 2**62) if places else 0 for places in range(k + 1)]
            for items in range(n)
        ],
        dtype=np.int64,
    ).reshape(n, k + 1)


def _combinations(ranks: Integers, n: int, k: int) -> Booleans:
    """Return the combination of each rank, in lexicographic order, as a mask."""
    if n <= MAX_LISTED_ITEMS and n * math.comb(n, k) <= MAX_LISTED_BYTES:
        return _every_combination(n, k)[ranks]
    ways = _ways(n, k)
    mask = np.zeros((len(ranks), n), dtype=np.bool_)
    places = np.full(len(ranks), k)
    for item in range(n):
        with_item = ways[n - item - 1, places]
        taken = ranks < with_item
        mask[:, item] = taken
        ranks = np.where(taken, ranks, ranks - with_item)
        places -= taken
    return mask


# --- Random relabellings of two algorithms as bits: a run is in the smaller group if its bit is
# set.
#
# A random word seldom has just the right number of bits set. So a candidate of n_free + n_index
# bits is cut from a word: its lower bits are the free bits of the mask, and its upper bits are an
# index into a table of completions, the values of the last N_LOOKED_UP bits that bring the number
# of set bits to the size of that group. How many completions there are depends on how many free
# bits are set; an index beyond them is rejected, and the next candidate is taken. Each mask is made
# by exactly one candidate, so every labelling has the same chance. Of 2 × 10 runs 70 % of the
# candidates are accepted, and a word has three of them; of 2 × 20 runs half are.

# A table of 2⁹ completions stays in the nearest cache, and its largest class nearly fills
# an index of 7 bits: 126 of the 128 values are used.
N_LOOKED_UP = 9
MAX_RUNS_IN_MASK = 60
MIN_ACCEPTED_PER_WORD = 1 / 16  # below this, drawing runs one by one is faster


@dataclass(frozen=True, eq=False)
class MaskRule:
    """How masks of ``n_runs`` bits, ``n_set`` of them set, are made from random words.

    ``marked`` is the label of the runs whose bits are set: that of the smaller group, so that
    masks do not depend on which group comes first.
    """

    n_runs: int
    n_set: int
    marked: int
    n_free: int  # bits that are drawn
    n_index: int  # bits that choose the completion
    per_word: int  # candidates in a word
    starts: Integers  # where, for 0, 1, … free bits set, their completions begin
    counts: Integers  # and how many there are
    completions: RandomWords

    @classmethod
    def of(cls, n_runs: int, n_first: int) -> MaskRule | None:
        """Return the rule for so many runs of the first group.

        None where too few candidates would be accepted.
        """
        marked = 0 if 2 * n_first <= n_runs else 1
        n_set = min(n_first, n_runs - n_first)
        if n_runs > MAX_RUNS_IN_MASK:
            return None
        looked_up = min(N_LOOKED_UP, n_runs)
        n_free = n_runs - looked_up
        # The index must reach the last of the most frequent completions.
        largest_class = math.comb(looked_up, looked_up // 2)
        n_index = max((largest_class - 1).bit_length(), 1)
        per_word = 64 // (n_free + n_index)
        accepted = per_word * math.comb(n_runs, n_set) / 2 ** (n_free + n_index)
        if accepted < MIN_ACCEPTED_PER_WORD:
            return None
        numbers = np.arange(2**looked_up, dtype=np.uint64)
        n_bits = np.bitwise_count(numbers)
        n_missing = n_set - np.arange(n_free + 1)
        # Sorted by their number of bits, the completions of one class are neighbours.
        order = np.argsort(n_bits, kind="stable")
        # Compiled code reads the table before it knows whether the index is accepted, so
        # the table is longer than there are completions.
        completions = np.zeros(2**looked_up + 2**n_index, dtype=np.uint64)
        completions[: 2**looked_up] = numbers[order] << np.uint64(n_free)
        starts = np.searchsorted(n_bits[order], np.clip(n_missing, 0, looked_up))
        return cls(
            n_runs,
            n_set,
            marked,
            n_free,
            n_index,
            per_word,
            starts.astype(np.int64),
            # None where more bits are set than wanted, or more are missing than looked up.
            np.array([np.sum(n_bits == n) for n in n_missing], dtype=np.int64),
            completions,
        )

    def draw(self, seed: int, batch: int, count: int) -> RandomWords:
        """Return the first ``count`` masks of a batch."""
        key = stream_key(seed, batch)
        found: list[RandomWords] = []
        n_found = start = 0
        while n_found < count:
            masks = self._accepted(random_words(key, start, count))
            found.append(masks)
            n_found += len(masks)
            start += count
        return np.concatenate(found)[:count]

    def _accepted(self, words: RandomWords) -> RandomWords:
        """Return the masks of the accepted candidates, in the order of the words."""
        # A word holds several candidates, the first in its lowest bits.
        width = self.n_free + self.n_index
        shifts = np.arange(self.per_word, dtype=np.uint64) * np.uint64(width)
        candidates = ((words[:, None] >> shifts) & np.uint64(2**width - 1)).ravel()
        free = candidates & np.uint64(2**self.n_free - 1)
        index = (candidates >> np.uint64(self.n_free)).astype(np.int64)
        n_set = np.bitwise_count(free)
        accepted = index < self.counts[n_set]
        # Completions are stored shifted by n_free, so that a bitwise or puts them in place.
        place = self.starts[n_set[accepted]] + index[accepted]
        return free[accepted] | self.completions[place]

    def labels(self, masks: RandomWords) -> Integers:
        """Turn masks into labels, 0 for the first group and 1 for the second."""
        bits: npt.NDArray[np.uint64] = np.arange(self.n_runs, dtype=np.uint64)
        is_set = ((masks[:, None] >> bits) & np.uint64(1)).astype(np.int64)
        return is_set if self.marked == 1 else 1 - is_set


# --- Relabellings of several tables at once: any of one table goes with any of another.


def _in_order(number: int, counts: Sequence[int]) -> list[Integers]:
    """Return the ranks of one batch in each of several tables, that of the first changing fastest."""
    ranks = np.arange(number * BATCH, min((number + 1) * BATCH, math.prod(counts)))
    places = []
    for count in counts:
        ranks, place = np.divmod(ranks, count)
        places.append(place)
    return places


@dataclass(frozen=True)
class Products:
    """The relabellings of several tables: which of its ``counts`` relabellings each table has.

    Batches are (BATCH or fewer, n_tables): all of them in order, or ``n_drawn`` at random.
    """

    counts: tuple[int, ...]
    n_drawn: int | None = None
    seed: int = 0
    unit: str = "shuffle"

    @property
    def labels(self) -> Integers:
        """One place for each table."""
        return np.zeros(len(self.counts), dtype=np.int64)

    @property
    def blocks(self) -> Integers:
        """Every table is shuffled by itself."""
        return np.arange(len(self.counts))

    @property
    def count(self) -> int:
        """How many relabellings these are, the observed one among them unless drawn."""
        return math.prod(self.counts) if self.n_drawn is None else self.n_drawn

    def every(self) -> Products:
        """Return all of them."""
        return Products(self.counts)

    def drawn(self, count: int, seed: int) -> Products:
        """Return ``count`` of them at random, the same ones for the same seed."""
        return Products(self.counts, count, seed)

    def batch(self, number: int) -> Integers:
        """Return the ranks of one batch."""
        if self.n_drawn is None:
            return np.stack(_in_order(number, self.counts), axis=1)
        key = ("products", self.seed, number, self.counts)
        drawn = cached_batch(key, partial(self._at_random, stream_key(self.seed, number)))
        return drawn[: self.n_drawn - number * BATCH]

    def _at_random(self, key: np.uint64) -> Integers:
        n_tables = len(self.counts)
        words = random_words(key, 0, BATCH * n_tables)
        chances = unit_interval(words).reshape(BATCH, n_tables)
        return (chances * np.array(self.counts)).astype(np.int64)


# --- Random relabellings, the same for every caller whatever the portions they are drawn in.
#
# Batch b under a seed is drawn from a stream of its own, so shuffle s is the same for every chunk
# size, thread count, process, kernel and machine.


@dataclass(frozen=True, eq=False)
class DrawPlan:
    """In which order runs are drawn: block by block, for one algorithm after the other.

    Runs and algorithms are lined up, block after block. ``template`` is the algorithm at
    each place, the largest of a block last: once the others have their runs, it receives
    those that are left, so that no draw is spent on it. ``runs`` are the runs at each place
    before any is drawn; ``first`` and ``last`` say, for each draw, which place is filled and
    where its block ends. A draw swaps the run at its place with one from there to the end
    of the block (Fisher & Yates).
    """

    template: Integers
    runs: Integers
    first: Integers
    last: Integers

    @classmethod
    def of(cls, labels: Integers, blocks: Integers) -> DrawPlan:
        """Plan the draws of each block."""
        template, runs, first, last = [], [], [], []
        start = 0
        for block in np.unique(blocks):
            inside = np.flatnonzero(blocks == block)
            counts = np.bincount(labels[inside])
            groups = np.flatnonzero(counts)
            sizes = counts[groups]
            order = np.argsort(sizes, kind="stable")
            template.append(np.repeat(groups[order], sizes[order]))
            runs.append(inside)
            n_draws = len(inside) - int(sizes[order[-1]])
            first.append(np.arange(start, start + n_draws))
            last.append(np.full(n_draws, start + len(inside)))
            start += len(inside)
        return cls(
            *(np.concatenate(part).astype(np.int64) for part in (template, runs, first, last))
        )

    def draw(self, seed: int, batch: int, count: int) -> Integers:
        """Return the labels of the first ``count`` shuffles of a batch; (count, n_runs)."""
        n_draws, n_runs = len(self.first), len(self.runs)
        halves = random_halves(stream_key(seed, batch), count, n_draws)
        # 32 bits times how many runs there are to choose from: the bits above the lowest 32 are
        # the choice, with chances that are equal to within a part in 2³² of that number.
        choices = (halves * (self.last - self.first).astype(np.uint64)) >> np.uint64(32)
        others = self.first + choices.astype(np.int64)
        # A place is a row, so that each draw swaps a row with single numbers of later rows.
        order = np.repeat(self.runs, count)
        rows = order.reshape(n_runs, count)
        shuffles = np.arange(count)
        for place, other in zip(self.first, others.T * count + shuffles, strict=True):
            taken = order[other]
            order[other] = rows[place]
            rows[place] = taken
        labels = np.empty(count * n_runs, dtype=np.int64)
        labels[rows.T + n_runs * shuffles[:, None]] = self.template
        return labels.reshape(count, n_runs)


@dataclass(frozen=True, eq=False)
class Shuffles:
    """``count`` random relabellings of the runs, shuffled inside their blocks."""

    labels: Integers = field(repr=False)
    blocks: Integers = field(repr=False)
    count: int
    seed: int

    @cached_property
    def shape(self) -> tuple[Any, ...]:
        """All that a shuffle depends on besides the seed."""
        return shape_of(self.labels, self.blocks)

    @cached_property
    def masks(self) -> MaskRule | None:
        """The rule that draws relabellings as bits; None where runs are drawn one by one."""
        if self.labels.max() > 1 or self.blocks.min() != self.blocks.max():
            return None
        return MaskRule.of(len(self.labels), int(np.sum(self.labels == 0)))

    @cached_property
    def draw_plan(self) -> DrawPlan:
        """How runs are drawn one by one, where there is no rule for bits."""
        return DrawPlan.of(self.labels, self.blocks)

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch of shuffles; (BATCH or fewer, n_runs)."""
        # A whole batch is always drawn, so that asking for fewer changes none of them.
        labels = cached_batch((self.seed, number, self.shape), partial(self.draw, number))
        return labels[: self.count - number * BATCH]

    def draw(self, number: int) -> Integers:
        """Draw a batch, the last one whole as well, and keep nothing; (BATCH, n_runs)."""
        if kernels_are_loaded():
            # Already there, it is faster; the labels are the same.
            from curvewise.kernels.compiled_kernels import draw_labels

            return draw_labels(self, number)
        if self.masks is not None:
            return self.masks.labels(self.masks.draw(self.seed, number, BATCH))
        return self.draw_plan.draw(self.seed, number, BATCH)


# --- Which relabellings are allowed: how many there are, all of them, and some at random.
#
# A test is exact when, under its null hypothesis, every allowed relabelling is equally likely. A
# new restriction (pairs that swap, labels that rotate) is a class with the members of
# `Restriction`; nothing else needs to know about it.


class Relabellings(Protocol):
    """A number of relabellings, in batches that are the same for every caller."""

    @property
    def labels(self) -> Integers:
        """The observed labels; (n_runs,)."""

    @property
    def blocks(self) -> Integers:
        """The block of each run; (n_runs,)."""

    @property
    def count(self) -> int:
        """How many relabellings there are in all batches."""

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch; (BATCH or fewer, n_runs)."""


class Restriction(Protocol):
    """The relabellings that are equally likely if the null hypothesis holds."""

    @property
    def count(self) -> int:
        """How many distinct relabellings are allowed, the observed one among them."""

    @property
    def unit(self) -> str:
        """What one of them, drawn at random, is called."""

    def every(self) -> Relabellings:
        """Return all of them."""

    def drawn(self, count: int, seed: int) -> Relabellings:
        """Return ``count`` of them at random, the same ones for the same seed."""


# --- Several sets of runs, each relabelled by itself, their labels side by side.


class _Sets:
    """Relabellings of several sets, whose runs stand side by side."""

    sets: tuple[Relabellings, ...]

    @cached_property
    def labels(self) -> Integers:
        """The observed labels of all sets; (n_runs of all sets,)."""
        return np.concatenate([each.labels for each in self.sets])

    @cached_property
    def blocks(self) -> Integers:
        """The block of each run, counted in its set; (n_runs of all sets,)."""
        return np.concatenate([each.blocks for each in self.sets])


@dataclass(frozen=True, eq=False)
class SideBySide(_Sets):
    """Every relabelling of one set of runs with every one of the others.

    ``tags`` are numbers, one for each set; with the seed they determine how the set is
    shuffled, whatever other sets there are. A set may share runs with another one.
    """

    sets: tuple[WithinBlocks, ...]
    tags: tuple[int, ...]
    unit: str = "shuffle"

    @property
    def count(self) -> int:
        """How many distinct relabellings of all sets together there are."""
        return math.prod(each.count for each in self.sets)

    def every(self) -> SideBySide:
        """Return all of them."""
        return self

    def drawn(self, count: int, seed: int) -> ShuffledSets:
        """Return ``count`` of them at random, the same ones for the same seed."""
        keys = (int(stream_key(seed ^ tag, 0)) for tag in self.tags)
        return ShuffledSets(
            tuple(each.drawn(count, key) for each, key in zip(self.sets, keys, strict=True)), count
        )

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch; (BATCH or fewer, n_runs of all sets)."""
        ranks = _in_order(number, [each.count for each in self.sets])
        return np.hstack([each.ranked(own) for each, own in zip(self.sets, ranks, strict=True)])


@dataclass(frozen=True, eq=False)
class ShuffledSets(_Sets):
    """Random relabellings of several sets, each from a stream of its own."""

    sets: tuple[Shuffles, ...] = field(repr=False)
    count: int

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch; (BATCH or fewer, n_runs of all sets)."""
        keys = [("of a set", each.seed, number, each.shape) for each in self.sets]
        draws = [partial(_by_run, each, number) for each in self.sets]
        labels = list(map(cached_batch, keys, draws))
        # The labels of a set are one piece of memory, which is quick to copy and to look up.
        return np.concatenate(labels).T[: self.count - number * BATCH]


def _by_run(shuffles: Shuffles, number: int) -> Integers:
    """Draw a batch, a run a row, in as few bytes as possible: batches of many sets are large."""
    return np.ascontiguousarray(shuffles.draw(number).T, dtype=np.int8)


# --- Draws instead of relabellings: rows of random words, of which a statistic makes what it needs.

N_STREAMS = 2**63  # seeds, and with them different sets of draws


@dataclass(frozen=True, eq=False)
class RandomDraws:
    """Rows of ``width`` random words, which cannot be listed; labels and blocks are as observed."""

    labels: Integers = field(repr=False)
    blocks: Integers = field(repr=False)
    width: int
    count: int = N_STREAMS
    seed: int = 0
    unit: str = "draw"

    def every(self) -> RandomDraws:
        """Refuse: there is no list of all draws."""
        refuse("Random draws cannot be listed one by one.", option="exact")

    def drawn(self, count: int, seed: int) -> RandomDraws:
        """Return ``count`` draws, the same ones for the same seed."""
        return replace(self, count=count, seed=seed)

    def batch(self, number: int) -> Integers:
        """Return the words of one batch; (BATCH or fewer, width)."""
        words = random_words(stream_key(self.seed, number), 0, BATCH * self.width)
        rows = words.view(np.int64).reshape(BATCH, self.width)
        return rows[: self.count - number * BATCH]


def chances(words: Integers) -> Floats:
    """Turn words into numbers between 0 and 1, neither of them included."""
    return np.minimum(unit_interval(words.view(np.uint64)) + 2.0**-54, 1 - 2.0**-53)


# --- The bootstrap: whole curves drawn with replacement, computed as matrix products.
#
# A resample is a row of counts, how often each unit was drawn; means of all resamples are products
# of counts and scores. Units are runs, drawn within their algorithm, or whole blocks.


def resample_counts(strata: Integers, n_resamples: int, seed: int) -> Floats:
    """Draw units within their stratum; return how often each is drawn, (n_resamples, n_units).

    ``strata`` is the stratum of each unit. The same seed gives the same resamples.
    """
    counts = np.zeros((n_resamples, len(strata)))
    rows = np.arange(n_resamples)[:, None]
    for stratum in np.unique(strata):
        units = np.flatnonzero(strata == stratum)
        words = random_words(stream_key(seed, int(stratum)), 0, n_resamples * len(units))
        chosen = units[(unit_interval(words) * len(units)).astype(np.int64)]
        np.add.at(counts, (rows, chosen.reshape(n_resamples, len(units))), 1.0)
    return counts

"""Every distinct relabelling of the runs, addressed by rank.

F does not change when two algorithms with equally many runs (in every block) swap names,
so of such relabellings one is visited. The relabellings form a mixed-radix number: each
digit says which of the remaining runs an algorithm receives.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, partial
from typing import Any

import numpy as np

from curvewise.kernels import Integers
from curvewise.kernels.codes import distinct
from curvewise.kernels.relabelling.cache import cached_batch, shape_of
from curvewise.kernels.relabelling.streams import BATCH

__all__ = ["Enumeration", "n_relabellings"]

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
        digits = [(available, union)]
        if len(self.groups) > 1:
            digits += [
                (left * self.size - 1, self.size - 1)
                for left in range(len(self.groups), 1, -1)
            ]
        return digits


_BlockDraws = list[tuple[Integers, list[_GroupDraw]]]


def _block_draws(labels: Integers, blocks: Integers) -> _BlockDraws:
    """Return, for each block, its runs and which algorithms receive them together."""
    n_groups = int(labels.max()) + 1
    names = distinct(blocks)
    counts = np.stack(
        [np.bincount(labels[blocks == b], minlength=n_groups) for b in names]
    )
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
    directions = np.array(
        [
            unit[groups[0]] - unit[other]
            for groups in map(np.flatnonzero, counts)
            for other in groups[1:]
        ]
    )
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


def _digits(block_draws: _BlockDraws) -> list[tuple[int, int]]:
    digits = []
    for positions, draws in block_draws:
        available = len(positions)
        for draw in draws:
            digits += draw.radices(available)
            available -= len(draw.groups) * draw.size
    return digits


def n_relabellings(labels: Integers, blocks: Integers) -> int:
    """Count the distinct relabellings.

    >>> labels = np.repeat([0, 1], 7)
    >>> n_relabellings(labels, np.zeros_like(labels))
    1716
    """
    names = [0] if blocks.max() == 0 else distinct(blocks)
    return _n_relabellings(
        tuple(tuple(np.bincount(labels[blocks == name]).tolist()) for name in names)
    )


@lru_cache(maxsize=1024)
def _n_relabellings(sizes: tuple[tuple[int, ...], ...]) -> int:
    """Count them by the sizes of the groups in each block, which is all that they depend on."""
    labels = [np.repeat(np.arange(len(own)), own) for own in sizes]
    blocks = np.repeat(np.arange(len(sizes)), [len(own) for own in labels])
    digits = _digits(_block_draws(np.concatenate(labels), blocks))
    return math.prod(math.comb(n, k) for n, k in digits)


@dataclass(frozen=True, eq=False)
class Enumeration:
    """All distinct relabellings, in batches, in an order that never changes."""

    labels: Integers = field(repr=False)
    blocks: Integers = field(repr=False)

    @cached_property
    def count(self) -> int:
        """The number of distinct relabellings."""
        return n_relabellings(self.labels, self.blocks)

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch of relabellings; (BATCH or fewer, n_runs)."""
        return cached_batch(("every", number, self._shape), partial(self._batch, number))

    @cached_property
    def _shape(self) -> tuple[Any, ...]:
        return shape_of(self.labels, self.blocks)

    def _batch(self, number: int) -> Integers:
        return self.ranked(
            np.arange(number * BATCH, min((number + 1) * BATCH, self.count))
        )

    @cached_property
    def _draws(self) -> _BlockDraws:
        return _block_draws(self.labels, self.blocks)

    @property
    def draw_arrays(self) -> tuple[Integers, Integers, Integers]:
        """The blocks of runs, the draws and the groups as compiled code takes them.

        A draw is a row: its block, the size of its groups, how many there are, and where they
        begin in the list of groups.
        """
        rows: list[list[int]] = []
        groups: list[int] = []
        for positions, draws in self._draws:
            for draw in draws:
                block = int(self.blocks[positions[0]])
                rows.append([block, draw.size, len(draw.groups), len(groups)])
                groups += draw.groups
        return self.blocks, np.array(rows, dtype=np.int64), np.array(groups)

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
    """Return labels as `Enumeration.ranked` does, of two groups that are one block."""
    first, n_chosen = draw.groups[0], draw.size
    taken = np.ones((len(ranks), n_runs), dtype=np.bool_)
    if len(draw.groups) == 1:
        taken[:] = _combinations(ranks, n_runs, n_chosen)
    else:
        # The first run is in the first group, which fixes the names.
        taken[:, 1:] = _combinations(ranks, n_runs - 1, n_chosen - 1)
    return (taken == first).astype(np.int64)


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
def _every_combination(n: int, k: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
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
            [
                min(math.comb(items, places - 1), 2**62) if places else 0
                for places in range(k + 1)
            ]
            for items in range(n)
        ],
        dtype=np.int64,
    ).reshape(n, k + 1)


def _combinations(
    ranks: Integers, n: int, k: int
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
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

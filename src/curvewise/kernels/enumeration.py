"""Every distinct relabelling of the runs, addressed by rank.

F does not change when two algorithms with equally many runs (in every block) swap names,
so of such relabellings one is visited. The relabellings form a mixed-radix number: each
digit says which of the remaining runs an algorithm receives.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from curvewise.kernels import Integers
from curvewise.kernels.memory import recalled, shape_of
from curvewise.kernels.streams import BATCH

__all__ = ["Enumeration", "n_relabellings"]


@dataclass(frozen=True)
class _Deal:
    """Algorithms of one size that receive runs of a block together.

    When their names may be swapped, the runs for all of them are drawn first and each
    algorithm in turn takes the first run left over, which fixes its name.
    """

    groups: tuple[int, ...]
    size: int

    def radices(self, available: int) -> list[tuple[int, int]]:
        """List (from how many, how many are chosen) for each digit of this deal."""
        union = len(self.groups) * self.size
        digits = [(available, union)]
        if len(self.groups) > 1:
            digits += [
                (left * self.size - 1, self.size - 1)
                for left in range(len(self.groups), 1, -1)
            ]
        return digits


Plan = list[tuple[Integers, list[_Deal]]]


def _plan(labels: Integers, blocks: Integers) -> Plan:
    """Decide, block by block, which algorithms are dealt together."""
    n_groups = int(labels.max()) + 1
    names = np.unique(blocks)
    counts = np.stack(
        [np.bincount(labels[blocks == b], minlength=n_groups) for b in names]
    )
    # A block of a single algorithm has nothing to shuffle and does not tell twins apart.
    mixed = np.flatnonzero((counts > 0).sum(axis=1) > 1)
    together = [
        (mixed[component[row]], groups)
        for component in _components(counts[mixed])
        for row, groups in _twins(counts[mixed][component])
    ]
    plan: Plan = []
    for row, block in enumerate(names):
        dealt = [groups for place, groups in together if place == row]
        deals = [_Deal(tuple(groups), int(counts[row, groups[0]])) for groups in dealt]
        alone = set(np.flatnonzero(counts[row]).tolist()).difference(*dealt)
        deals += [_Deal((group,), int(counts[row, group])) for group in sorted(alone)]
        plan.append((np.flatnonzero(blocks == block), deals))
    return plan


def _components(counts: Integers) -> list[list[int]]:
    """Part the blocks into those whose differences meet in the sum of squares.

    Blocks of A and B tell nothing about C and D, so each part can be turned round, or have
    its twins renamed, by itself.
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
            unit[held[0]] - unit[other]
            for held in map(np.flatnonzero, counts)
            for other in held[1:]
        ]
    )
    meeting = np.abs(directions @ np.linalg.pinv(information) @ directions.T) > 1e-9
    linked = np.zeros((n_blocks, n_blocks), dtype=np.bool_)
    np.logical_or.at(linked, (owners[:, None], owners), meeting)
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


def _twins(counts: Integers) -> list[tuple[int, list[int]]]:
    """Find algorithms whose names can be swapped, and the block that fixes their names.

    One block is enough; in the others each name counts.
    """
    held = (counts > 0).sum(axis=1)
    if np.all((held == 2) & (2 * counts.max(axis=1) == counts.sum(axis=1))):
        # Swapping the two algorithms of every block turns all differences round, which
        # no F notices.
        return [(0, np.flatnonzero(counts[0]).tolist())]
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for group, column in enumerate(counts.T.tolist()):
        alike[tuple(column)].append(group)
    return [
        (next(row for row, n_runs in enumerate(column) if n_runs), groups)
        for column, groups in alike.items()
        if len(groups) > 1 and any(column)
    ]


def _digits(plan: Plan) -> list[tuple[int, int]]:
    digits = []
    for positions, deals in plan:
        available = len(positions)
        for deal in deals:
            digits += deal.radices(available)
            available -= len(deal.groups) * deal.size
    return digits


def n_relabellings(labels: Integers, blocks: Integers) -> int:
    """Count the distinct relabellings.

    >>> labels = np.repeat([0, 1], 7)
    >>> n_relabellings(labels, np.zeros_like(labels))
    1716
    """
    return math.prod(math.comb(n, k) for n, k in _digits(_plan(labels, blocks)))


@dataclass(frozen=True, eq=False)
class Enumeration:
    """All distinct relabellings, in batches, in an order that never changes."""

    labels: Integers = field(repr=False)
    blocks: Integers = field(repr=False)

    @property
    def count(self) -> int:
        """The number of distinct relabellings."""
        return n_relabellings(self.labels, self.blocks)

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch of relabellings; (BATCH or fewer, n_runs)."""
        return recalled(("every", number, self._shape), partial(self._batch, number))

    @cached_property
    def _shape(self) -> tuple[Any, ...]:
        return shape_of(self.labels, self.blocks)

    def _batch(self, number: int) -> Integers:
        ranks = np.arange(number * BATCH, min((number + 1) * BATCH, self.count))
        plan = _plan(self.labels, self.blocks)
        relabelled = np.empty((len(ranks), len(self.labels)), dtype=np.int64)
        rows = np.arange(len(ranks))[:, None]
        for positions, deals in plan:
            left = np.broadcast_to(positions, (len(ranks), len(positions)))
            for deal in deals:
                radices = deal.radices(left.shape[1])
                ranks, union, left = _take(ranks, left, radices[0])
                for group, radix in zip(deal.groups, radices[1:], strict=False):
                    first, others = union[:, :1], union[:, 1:]
                    ranks, chosen, union = _take(ranks, others, radix)
                    relabelled[rows, np.hstack([first, chosen])] = group
                relabelled[rows, union] = deal.groups[-1]
        return relabelled


def _take(
    ranks: Integers, available: Integers, radix: tuple[int, int]
) -> tuple[Integers, Integers, Integers]:
    """Spend one digit of each rank on a choice among the available runs."""
    ranks, digit = np.divmod(ranks, math.comb(*radix))
    mask = _combinations(digit, *radix)
    n_rows = len(ranks)
    chosen = available[mask].reshape(n_rows, -1)
    rest = available[~mask].reshape(n_rows, -1)
    return ranks, chosen, rest


def _combinations(
    ranks: Integers, n: int, k: int
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return the combination of each rank, in lexicographic order, as a mask."""
    # How many combinations take the next item, by items left and places left; numbers
    # above every possible rank need not be told apart.
    ways = np.array(
        [
            [
                min(math.comb(items, places - 1), 2**62) if places else 0
                for places in range(k + 1)
            ]
            for items in range(n)
        ],
        dtype=np.int64,
    ).reshape(n, k + 1)
    mask = np.zeros((len(ranks), n), dtype=np.bool_)
    places = np.full(len(ranks), k)
    for item in range(n):
        with_item = ways[n - item - 1, places]
        taken = ranks < with_item
        mask[:, item] = taken
        ranks = np.where(taken, ranks, ranks - with_item)
        places -= taken
    return mask

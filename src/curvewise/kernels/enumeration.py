"""Every distinct relabelling of the runs, addressed by rank.

F does not change when two algorithms with equally many runs (in every block) swap names,
so of such relabellings one is visited. The relabellings form a mixed-radix number: each
digit says which of the remaining runs an algorithm receives.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from curvewise.kernels import Integers
from curvewise.kernels.shuffles import BATCH

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
    twins: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for group in range(n_groups):
        twins[tuple(counts[:, group].tolist())].append(group)
    plan: Plan = []
    unswapped = set(twins)
    for row, block in enumerate(names):
        deals = []
        for key, groups in twins.items():
            size = key[row]
            if size == 0:
                continue
            if key in unswapped:
                # One block is enough to fix the names; in the others each one counts.
                unswapped.remove(key)
                deals.append(_Deal(tuple(groups), size))
            else:
                deals += [_Deal((group,), size) for group in groups]
        plan.append((np.flatnonzero(blocks == block), deals))
    return plan


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

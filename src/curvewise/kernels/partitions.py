"""Partitions of a set into groups, of which only some are allowed."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

__all__ = ["MAX_MEMBERS", "Group", "connected_groups", "partitions"]

Group = tuple[int, ...]

MAX_MEMBERS = 8  # of which there are 4,139 partitions; of nine there are 21,146


def connected_groups(pairs: Iterable[tuple[int, int]]) -> list[Group]:
    """Return all sets of two or more members that the pairs connect, the small ones first.

    Two members are connected by their pair, or through others of the same set.

    >>> connected_groups([(0, 1), (1, 2)])
    [(0, 1), (1, 2), (0, 1, 2)]
    """
    linked = {frozenset(pair) for pair in pairs}
    members = sorted(set().union(*linked))
    return [
        group
        for size in range(2, len(members) + 1)
        for group in combinations(members, size)
        if _is_connected(group, linked)
    ]


def _is_connected(group: Group, linked: Collection[frozenset[int]]) -> bool:
    reached, left = {group[0]}, set(group[1:])
    while left:
        near = {b for b in left if any(frozenset((a, b)) in linked for a in reached)}
        if not near:
            return False
        reached |= near
        left -= near
    return True


def partitions(groups: Collection[Group]) -> Iterator[tuple[Group, ...]]:
    """Yield every choice of one or more groups that have no member in common.

    Members in no group of a choice stand alone, so that each choice is a partition.

    >>> list(partitions([(0, 1), (1, 2), (0, 1, 2)]))
    [((0, 1),), ((0, 1, 2),), ((1, 2),)]
    """
    members = frozenset().union(*groups)
    first: dict[int, list[Group]] = {member: [] for member in members}
    for group in groups:
        first[min(group)].append(group)

    def choices(left: frozenset[int]) -> Iterator[tuple[Group, ...]]:
        if not left:
            yield ()
            return
        member = min(left)
        for group in first[member]:
            if left.issuperset(group):
                yield from ((group, *rest) for rest in choices(left.difference(group)))
        yield from choices(left - {member})

    return (choice for choice in choices(members) if choice)

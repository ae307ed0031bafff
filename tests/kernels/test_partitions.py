from __future__ import annotations

from itertools import combinations

import pytest

from curvewise.kernels.contrasts import MAX_MEMBERS, connected_groups, partitions


def all_pairs(n: int) -> list[tuple[int, int]]:
    return list(combinations(range(n), 2))


@pytest.mark.parametrize(
    ("n", "bell"), [(2, 2), (3, 5), (4, 15), (5, 52), (6, 203), (7, 877), (8, 4_140)]
)
def test_there_are_as_many_partitions_as_bell_counts(n: int, bell: int) -> None:
    """All but the one in which every member stands alone."""
    groups = connected_groups(all_pairs(n))
    assert len(groups) == len(set(groups)) == 2**n - n - 1
    found = list(partitions(groups))
    assert len(found) == len({frozenset(each) for each in found}) == bell - 1
    for partition in found:
        members = [member for group in partition for member in group]
        assert len(members) == len(set(members))


def test_the_most_members_have_the_partitions_that_are_named() -> None:
    assert len(list(partitions(connected_groups(all_pairs(MAX_MEMBERS))))) == 4_139


def test_members_without_a_pair_are_in_a_group_through_others_only() -> None:
    """Two and three cannot be compared, but both can with zero and one."""
    linked = [pair for pair in all_pairs(4) if pair != (2, 3)]
    groups = connected_groups(linked)
    assert (2, 3) not in groups
    assert {(0, 2, 3), (1, 2, 3), (0, 1, 2, 3)} <= set(groups)
    apart = connected_groups([(0, 1), (2, 3)])
    assert apart == [(0, 1), (2, 3)]
    assert set(partitions(apart)) == {((0, 1),), ((2, 3),), ((0, 1), (2, 3))}

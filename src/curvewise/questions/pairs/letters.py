"""Letters that say which algorithms are not distinguished."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


__all__ = ["letters"]


def letters(names: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Give algorithms letters such that those that share one are not distinguished.

    Insert and absorb (Piepho 2004): a group that holds two algorithms distinguished is split
    in two, and a group inside another one goes.

    >>> letters(["A", "B", "C"], [("A", "C")])
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    place = {name: 1 << number for number, name in enumerate(names)}
    # A group is a number with a bit for each member.
    groups = {(1 << len(names)) - 1}
    for first, second in different:
        both = place[first] | place[second]
        split = {group for group in groups if group & both == both}
        groups -= split
        for part in {g & ~place[name] for g in split for name in (first, second)}:
            if not any(part & group == part for group in groups):
                groups = {group for group in groups if group & part != group} | {part}
    # The first algorithms get the first letters.
    ordered = sorted(groups, key=lambda g: [not g >> i & 1 for i in range(len(names))])
    return {
        name: "".join(
            _letter(i) for i, group in enumerate(ordered) if group & place[name]
        )
        for name in names
    }


def _letter(number: int) -> str:
    """Return a, b, …, z, and then the same with a number.

    >>> _letter(0), _letter(25), _letter(26)
    ('a', 'z', 'a1')
    """
    round_, place = divmod(number, 26)
    return "abcdefghijklmnopqrstuvwxyz"[place] + (str(round_) if round_ else "")

"""Families: ask the same of each of several, and adjust p for how many were asked."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from curvewise.errors import CurvewiseError, OptionError
from curvewise.kernels.adjustments import benjamini_hochberg, bonferroni, holm
from curvewise.shuffling.parallel import track_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from curvewise.kernels import Floats

__all__ = [
    "ADJUSTMENTS",
    "FAMILYWISE",
    "Adjustment",
    "adjusted",
    "ask_each",
    "check_members",
    "own_level",
    "tag_of",
]

Key = TypeVar("Key")
Member = TypeVar("Member")
Answer = TypeVar("Answer")


class Adjustment(NamedTuple):
    """A way to adjust p: what it is called, and what it does to the p-values.

    Max-t and closed testing have no function of the p-values: they take the statistics of all
    members from the same shuffles.
    """

    name: str
    label: str
    title: str
    adjust: Callable[[Floats], Floats] | None


ADJUSTMENTS = {
    found.name: found
    for found in (
        Adjustment("holm", "Holm", "Holm's adjustment", holm),
        Adjustment("bonferroni", "Bonferroni", "Bonferroni's adjustment", bonferroni),
        Adjustment("max-t", "max-t", "adjustment by the largest statistic (max-t)", None),
        Adjustment("closed", "closed testing", "closed testing", None),
        Adjustment(
            "bh",
            "Benjamini-Hochberg",
            "the Benjamini-Hochberg adjustment",
            benjamini_hochberg,
        ),
    )
}
# Those that keep the chance of any false alarm at alpha, in any family.
FAMILYWISE = ("holm", "bonferroni", "max-t")


def adjusted(pvalues: Mapping[Key, float], adjust: str) -> dict[Key, float]:
    """Return the p-values adjusted for each other, by one that is a function of p-values."""
    function = ADJUSTMENTS[adjust].adjust
    assert function is not None  # noqa: S101 (max-t is not a function of p-values)
    values = function(np.array(list(pvalues.values()), dtype=np.float64))
    return dict(zip(pvalues, values.tolist(), strict=True))


def own_level(alpha: float, pvalue: float, pvalue_adjusted: float) -> float:
    """Return the level for p itself at which a member is judged as alpha judges its adjusted p.

    Where p is multiplied by some factor, alpha is divided by it. Rounding in that must not part
    an interval at this level from the answer, so that both say the same.
    """
    level = alpha * pvalue / pvalue_adjusted
    if pvalue_adjusted <= alpha:
        return max(level, pvalue)
    return min(level, math.nextafter(pvalue, 0.0))


def tag_of(names: Iterable[str]) -> int:
    """Return a number of 64 bits for a set of names, in whatever order they come."""
    hashed = hashlib.blake2b(repr(sorted(names)).encode(), digest_size=8)
    return int.from_bytes(hashed.digest())


def check_members(members: object, what: str) -> None:
    """Raise unless ``members`` is a mapping with at least one member."""
    if not isinstance(members, Mapping) or not members:
        msg = f"Give a mapping from names to {what}, with at least one of them."
        raise OptionError(msg)


def ask_each(
    members: Mapping[str, Member], ask: Callable[[str, Member], Answer], label: str = ""
) -> dict[str, Answer]:
    """Ask of every member and report progress; errors have the member's name before them."""
    answers = {}
    for name, member in track_items(list(members.items())):
        try:
            answers[name] = ask(name, member)
        except CurvewiseError as refused:
            whose = f"{label} {name!r}" if label else name
            refused.args = (f"{whose}: {refused}",)
            raise
    return answers

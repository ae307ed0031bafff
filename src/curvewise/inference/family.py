"""Families: ask the same of each of several, and adjust p for how many were asked."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from curvewise.errors import CurvewiseError, OptionError
from curvewise.kernels.pvalues import MaxCounts, benjamini_hochberg, bonferroni, holm
from curvewise.kernels.relabel import SideBySide
from curvewise.shuffling.plan import Limits
from curvewise.shuffling.visit import Statistic, track_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from curvewise.kernels import Floats, Integers
    from curvewise.shuffling.plan import Layout
    from curvewise.shuffling.visit import Measured


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
            "bh", "Benjamini-Hochberg", "the Benjamini-Hochberg adjustment", benjamini_hochberg
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


def at_own_levels(
    members: Mapping[str, Callable[[float], Any]],
    alpha: float,
    adjust: str,
    seed: int | None,
    field: str = "pvalue",
) -> dict[str, Any]:
    """Judge every member at the level that alpha leaves it, and set its adjusted p.

    A member gives its result at a level. ``field`` is the p that is adjusted.
    """
    pvalues = {name: getattr(at(alpha), field) for name, at in members.items()}
    values = adjusted(pvalues, adjust)
    found = {
        name: at(own_level(alpha, pvalues[name], values[name])) for name, at in members.items()
    }
    return {
        name: replace(own, **{f"{field}_adjusted": values[name]})
        for name, own in seeded(found, seed).items()
    }


def seeded(members: Mapping[str, Any], seed: int | None) -> dict[str, Any]:
    """Return the members with the seed of the family, where their own mattered."""
    return {
        name: replace(own, sampling=own.sampling.with_seed(None if own.seed is None else seed))
        for name, own in members.items()
    }


# --- Several tests from the same shuffles: the largest statistic (max-t), and closed testing.

# "auto" and "precise" give up here: shuffles of a whole family take NumPy seconds.
LIMITS = Limits(shuffles=2**20)


@dataclass(frozen=True, eq=False)
class LargestOf(Statistic):
    """The largest of several statistics in each shuffle, held against those observed; kept.

    Attributes
    ----------
    largest : callable
        From labels to the largest statistic; (n_kinds, n_shuffles) of every kind of statistic.
    observed : tuple of MaxCounts
        Of each kind.
    every : bool
        Whether "auto" settles each p, or only that of the clearest of each kind.
    """

    largest: Callable[[Integers], Floats]
    observed: tuple[MaxCounts, ...]
    every: bool = False

    chunk = 4

    @classmethod
    def against(
        cls,
        observed: Iterable[Floats],
        largest: Callable[[Integers], Floats],
        *,
        every: bool = False,
    ) -> LargestOf:
        """Hold the largest of each kind against a row of what was observed."""
        return cls(largest, tuple(map(MaxCounts.of, observed)), every)

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count, for everything observed, the shuffles whose largest statistic is as large."""
        found = self.largest(labels)
        counts = [own.count(row) for own, row in zip(self.observed, found, strict=True)]
        return (np.stack(counts),), ((found,) if keep else ())

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return all counts, or those of the clearest of each kind: is there anything?"""
        return counts[0].ravel() if self.every else counts[0].min(axis=1)


@dataclass(frozen=True, eq=False)
class AlikeSet:
    """Algorithms taken to be alike; ``tag`` is a number that only these algorithms have."""

    layout: Layout
    tag: int


Alike = TypeVar("Alike", bound=AlikeSet)


@dataclass(frozen=True, eq=False)
class OfAlikeSets(Statistic, Generic[Alike]):
    """A statistic of sets of algorithms that are shuffled each by itself, labels side by side."""

    sets: tuple[Alike, ...]

    chunk = 1

    @property
    def restriction(self) -> SideBySide:
        """The relabellings of every set by itself."""
        return SideBySide(
            tuple(each.layout.restriction for each in self.sets),
            tuple(each.tag for each in self.sets),
        )

    def split(self, labels: Integers) -> list[Integers]:
        """Return the labels of each set."""
        ends = np.cumsum([len(each.layout.labels) for each in self.sets])
        return np.split(labels, ends[:-1], axis=1)

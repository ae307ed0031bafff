"""What a reader must know before believing a result: kinds of warning, and their sentences.

A caveat is data: its kind is its class, and its numbers are its fields. The sentence is written
here and nowhere else, and names options as the reader would type them. Caveats that only one
question can give are in the folder of that question.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from curvewise.inference.effects import EFFECTS, json_ready
from curvewise.text import argument, call, listed, number_text, p_text, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from curvewise.inference.effects import EffectName

__all__ = [
    "BlocksOfOneAlgorithm",
    "Caveat",
    "DifferentSpread",
    "FewRunsForRanks",
    "InfiniteF",
    "OfMembers",
    "PooledErrorMisleads",
    "SingleRun",
    "SingleStep",
    "SpreadAndRunsDiffer",
    "StrayRuns",
    "TooFewForTypicalRuns",
    "TooFewRuns",
    "TooFewShuffles",
    "UnevenBlocks",
    "WelchIsApproximate",
    "gathered",
]

MAX_MEMBERS = 3  # that a sentence names


@dataclass(frozen=True)
class Caveat(ABC):
    """One thing to know before believing a result."""

    @property
    def kind(self) -> str:
        """The name of the class in words, such as "too few runs"."""
        return re.sub(r"(?<!^)(?=[A-Z])", " ", type(self).__name__).lower()

    @abstractmethod
    def sentence(self) -> str:
        """Say it in plain words, with the remedy."""

    def to_dict(self) -> dict[str, Any]:
        """Return kind and numbers as JSON-ready data."""
        numbers = {
            name: list(value) if isinstance(value, tuple) else json_ready(value)
            for name, value in asdict(self).items()
        }
        return {"kind": self.kind, **numbers}


@dataclass(frozen=True)
class TooFewRuns(Caveat):
    """No data could be significant, for lack of runs; ``n_enough`` of each would do."""

    n_runs: tuple[int, ...]
    smallest_pvalue: float
    alpha: float
    n_enough: int | None

    def sentence(self) -> str:
        """Say how small p can be, and how many runs would do."""
        enough = ""
        if self.n_enough is not None:
            enough = f": {self.n_enough} of each algorithm would do"
        return (
            f"With {' + '.join(map(str, self.n_runs))} runs the smallest p possible is "
            f"{p_text(self.smallest_pvalue)}, which is above alpha = {self.alpha:g}: no data "
            f"could be significant. More runs are needed{enough}."
        )


@dataclass(frozen=True)
class TooFewShuffles(Caveat):
    """Nothing can be significant, for lack of shuffles."""

    n_shuffles: int
    alpha: float

    def sentence(self) -> str:
        """Say how small p can be, and how many shuffles would do."""
        enough = argument("n_shuffles", math.ceil(1 / self.alpha) - 1)
        return (
            f"{plural(self.n_shuffles, 'shuffle')} cannot give a p below "
            f"{p_text(1 / (1 + self.n_shuffles))}, which is above alpha = {self.alpha:g}: "
            f"nothing can be significant. Use at least {enough}."
        )


@dataclass(frozen=True)
class SingleRun(Caveat):
    """An algorithm has one run, so its own spread is unknown."""

    algorithm: str

    def sentence(self) -> str:
        """Say what is assumed instead."""
        return (
            f"{self.algorithm} has a single run, so how much its runs vary is unknown; they "
            "are assumed to vary as much as those of the other algorithms."
        )


@dataclass(frozen=True)
class SingleStep(Caveat):
    """Curves of one step have no shape."""

    def sentence(self) -> str:
        """Say what is left to compare."""
        return "There is a single step, so curves have no shape: only height is compared."


@dataclass(frozen=True)
class InfiniteF(Caveat):
    """All runs of an algorithm are the same in height, or in shape."""

    effect: EffectName

    def sentence(self) -> str:
        """Say what to check."""
        return (
            f"All runs of an algorithm have the same {EFFECTS[self.effect].noun}, so F is "
            "infinite. Check that the runs are separate runs; p is still valid."
        )


@dataclass(frozen=True)
class PooledErrorMisleads(Caveat):
    """With the pooled error term one effect may pass for the other."""

    effect: EffectName
    other: EffectName
    other_differs: bool
    pvalue_pooled: float
    pvalue_split: float

    def sentence(self) -> str:
        """Say which effect is in doubt, and give its p with the split error term."""
        noun, other = EFFECTS[self.effect].noun, EFFECTS[self.other].noun
        enough = ""
        if self.other_differs:
            enough = f", and here the {other} differs enough for that"
        return (
            f"With the pooled error term a difference in {other} can pass for one in "
            f"{noun}{enough}: p for {noun} is {p_text(self.pvalue_pooled)} pooled and "
            f"{p_text(self.pvalue_split)} with its own error term. Use "
            f"{argument('error', 'split')}."
        )


@dataclass(frozen=True)
class DifferentSpread(Caveat):
    """Runs of one algorithm vary much more than those of another."""

    wide: str
    narrow: str
    ratio: float

    def sentence(self) -> str:
        """Say what a finding may reflect instead of a difference between means."""
        return (
            f"Runs of {self.wide} vary about {self.ratio:.1f} times as much as runs of "
            f"{self.narrow}. The shuffle test assumes equal variation under the null "
            "hypothesis, so this result may reflect different variation rather than "
            f"different means. To test means only, use {call('compare', spread='unequal')}."
        )


@dataclass(frozen=True)
class SpreadAndRunsDiffer(Caveat):
    """Spread and number of runs both differ, so the pooled variance is wrong."""

    wide: str
    narrow: str
    spread: tuple[float, float]
    n_runs: tuple[int, int]
    variance_ratio: float  # of the true variance of the difference to the pooled estimate

    def sentence(self) -> str:
        """Say in which direction the test errs."""
        fewer = self.variance_ratio > 1
        errs = "raises too many false alarms" if fewer else "misses too many differences"
        first, second = map(number_text, self.spread)
        return (
            f"{self.wide} varies more between runs than {self.narrow} (SD {first} and "
            f"{second}) and has {'fewer' if fewer else 'more'} runs ({self.n_runs[0]} and "
            f"{self.n_runs[1]}). The test then {errs}. To test means, use "
            f"{argument('spread', 'unequal')}."
        )


@dataclass(frozen=True)
class WelchIsApproximate(Caveat):
    """With few runs the Welch-type test holds its level only roughly."""

    n_fewest: int

    def sentence(self) -> str:
        """Say by how much the false-alarm rate may exceed alpha."""
        return (
            f"With {plural(self.n_fewest, 'run')} of an algorithm the Welch-type test is "
            "approximate: where spreads differ greatly, its false-alarm rate can be up to "
            "twice alpha. Use more runs."
        )


@dataclass(frozen=True)
class FewRunsForRanks(Caveat):
    """Few runs have few different ranks."""

    n_fewest: int
    n_enough: int

    def sentence(self) -> str:
        """Say what that costs, and what to do."""
        return (
            f"With {plural(self.n_fewest, 'run')} of an algorithm ranks take few different "
            f"values, and differences are found less often than by means. From {self.n_enough} "
            f"runs on little is lost; with fewer, {argument('center', 'trimmed')} loses less."
        )


@dataclass(frozen=True)
class TooFewForTypicalRuns(Caveat):
    """No data could be significant in height, since runs that are cut off do not count."""

    n_runs: tuple[int, ...]
    smallest_pvalue: float
    alpha: float

    def sentence(self) -> str:
        """Say how small p can be, and what to do."""
        return (
            f"With {' + '.join(map(str, self.n_runs))} runs, of which some are cut off, the "
            f"smallest p of height possible is {p_text(self.smallest_pvalue)}, which is above "
            f"alpha = {self.alpha:g}: no data could be significant in height. Use more runs, or "
            f"{argument('center', 'mean')}."
        )


@dataclass(frozen=True)
class StrayRuns(Caveat):
    """Some runs are far from the others of their algorithm, and move its mean.

    ``n_runs`` is how many, of each of the ``algorithms``.
    """

    algorithms: tuple[str, ...]
    n_runs: tuple[int, ...]

    def sentence(self) -> str:
        """Say how many runs of whom, and what to plan next time."""
        whose = [
            f"{plural(n, 'run')} of {name}"
            for name, n in zip(self.algorithms, self.n_runs, strict=True)
        ]
        lie, move = ("lies", "moves") if sum(self.n_runs) == 1 else ("lie", "move")
        return (
            f"{listed(whose, 6)} {lie} far from the others of the same algorithm, as runs do that "
            f"fail or run away, and {move} its mean. {call('compare', center='trimmed')} asks "
            "about the typical run instead: choose it for the next experiment, before looking "
            "at the data."
        )


@dataclass(frozen=True)
class BlocksOfOneAlgorithm(Caveat):
    """Some blocks hold a single algorithm."""

    blocks: tuple[str, ...]
    n_blocks: int

    def sentence(self) -> str:
        """Say that their runs do not count."""
        shown = listed(self.blocks, 3)
        return (
            f"{len(self.blocks)} of {self.n_blocks} blocks hold a single algorithm ({shown}): "
            "their runs say nothing about differences between algorithms."
        )


@dataclass(frozen=True)
class UnevenBlocks(Caveat):
    """Blocks hold the algorithms in different proportions."""

    def sentence(self) -> str:
        """Say how algorithms are compared then."""
        return (
            "Blocks do not hold every algorithm equally often, so algorithms are compared "
            "within blocks only (the mean curve of each block is subtracted first)."
        )


@dataclass(frozen=True)
class OfMembers(Caveat):
    """A caveat about some members of a family: tables, pairs, tasks."""

    members: tuple[str, ...]
    caveat: Caveat

    @property
    def kind(self) -> str:
        """The kind of the caveat itself."""
        return self.caveat.kind

    def sentence(self) -> str:
        """Say whom it is about, then say it."""
        shown = "; ".join(self.members[:MAX_MEMBERS])
        if len(self.members) > MAX_MEMBERS:
            shown += f"; and {len(self.members) - MAX_MEMBERS:,} more"
        return f"{shown}: {self.caveat.sentence()}"

    def to_dict(self) -> dict[str, Any]:
        """Return kind and numbers as JSON-ready data, and whom they are about."""
        return {**self.caveat.to_dict(), "members": list(self.members)}


def gathered(
    caveats: Mapping[str, Iterable[Caveat]], *, name_all: bool = False
) -> tuple[Caveat, ...]:
    """Gather the caveats of a family's members: each once, with whom it is about.

    One that is about every member stands by itself, unless ``name_all``.
    """
    about: dict[Caveat, list[str]] = {}
    for name, own in caveats.items():
        for caveat in own:
            about.setdefault(caveat, []).append(name)
    return tuple(
        caveat
        if len(names) == len(caveats) and not name_all
        else OfMembers(tuple(names), caveat)
        for caveat, names in about.items()
    )

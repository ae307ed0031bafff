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
from curvewise.text import argument, call, listed, p_text, plural

if TYPE_CHECKING:
    from curvewise.inference.effects import EffectName

__all__ = [
    "SPREAD",
    "STRAYS",
    "BlocksOfOneAlgorithm",
    "Caveat",
    "CoarseScores",
    "DifferentSpread",
    "FewRunsForRanks",
    "IdenticalRuns",
    "InfiniteF",
    "PooledErrorMisleads",
    "SilentTasks",
    "SingleRun",
    "SingleStep",
    "StrayRuns",
    "TooFewForTypicalRuns",
    "TooFewRuns",
    "TooFewShuffles",
    "UnevenBlocks",
    "WelchIsApproximate",
]

MAX_MEMBERS = 3  # that a sentence names
SPREAD, STRAYS = "spread", "strays"  # subjects of more than one kind of caveat


@dataclass(frozen=True)
class Caveat(ABC):
    """One thing to know before believing a result."""

    @property
    def kind(self) -> str:
        """The name of the class in words, such as "too few runs"."""
        return re.sub(r"(?<!^)(?=[A-Z])", " ", type(self).__name__).lower()

    @property
    def doubts_means(self) -> bool:
        """Whether what was found may be a difference in spread, not between means."""
        return False

    @property
    def subject(self) -> str | None:
        """What it is about, where caveats of other questions say the same in other words."""
        return None

    @property
    def about(self) -> tuple[str, ...]:
        """The tasks that it is about, where it is about some of several."""
        return ()

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
    """No data could be significant, for lack of runs; ``n_enough`` of each would do.

    ``n_blocks`` is how many blocks such as these would do, where runs are in blocks.
    """

    n_runs: tuple[int, ...]
    smallest_pvalue: float
    alpha: float
    n_enough: int | None
    n_blocks: int | None = None

    def sentence(self) -> str:
        """Say how small p can be, and how many runs would do."""
        enough = ""
        if self.n_enough is not None:
            enough = f": {self.n_enough} of each algorithm would do"
        if self.n_blocks is not None:
            enough = (
                f": {self.n_blocks} such blocks would do. If runs of a block share no more than "
                "the number of a seed, leave the blocks out"
            )
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
class CoarseScores(Caveat):
    """Scores have so few digits that their rounding hides differences.

    ``n_digits`` is how many they have; ``share`` is how far rounding can move the heights,
    compared with how far apart they are.
    """

    n_digits: int
    share: float

    def sentence(self) -> str:
        """Say what counts as a tie, and what to do."""
        return (
            f"Scores are stored with about {plural(self.n_digits, 'digit')}, and differences "
            "that rounding can explain count as ties, so p may be larger than that of the "
            "scores before they were rounded. Store them in double precision, or without "
            "their common offset."
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
class IdenticalRuns(Caveat):
    """Some runs have the scores of another run at every step.

    ``run`` and ``other`` are the first two, as algorithm and name; ``n_runs`` is how many repeat
    one before them.
    """

    run: tuple[str, str]
    other: tuple[str, str]
    n_runs: int

    def sentence(self) -> str:
        """Say which, and what it does."""
        more = "" if self.n_runs == 1 else f" ({self.n_runs} such runs in all)"
        return (
            f"Run {self.run[1]!r} of {self.run[0]} has the scores of run {self.other[1]!r} of "
            f"{self.other[0]} at every step{more}. Check that they are separate runs: one that "
            "counts twice makes differences look surer than they are."
        )


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
    """Runs of one algorithm vary more than those of another.

    ``ratio`` is that of their standard deviations, infinite if ``narrow`` does not vary; ``of``
    says of what, "curve means" or "whole curves"; ``n_runs`` are those of wide and narrow.
    """

    wide: str
    narrow: str
    ratio: float
    of: str
    n_runs: tuple[int, int]

    @property
    def subject(self) -> str:
        """The spread of runs."""
        return SPREAD

    @property
    def doubts_means(self) -> bool:
        """Whether the spread can pass for a difference between means.

        Where the wider algorithm has more runs, it hides differences instead.
        """
        return self.n_runs[0] <= self.n_runs[1]

    def sentence(self) -> str:
        """Say by how much, what it does to the test, and what tests means alone."""
        times = f"{self.ratio:.1f}" if self.ratio < 1_000 else "more than 1,000"
        much = f"the standard deviation of {self.of} is {times} times as large"
        if math.isinf(self.ratio):
            much = f"the {self.of} of {self.narrow} do not vary at all"
        does = "A test that finds a difference may have found that, and not one between means."
        if self.n_runs[0] != self.n_runs[1]:
            many = "fewer" if self.doubts_means else "more"
            much += f", and {self.wide} has {many} runs ({self.n_runs[0]} and {self.n_runs[1]})"
        if not self.doubts_means:
            does = "The test then misses too many differences."
        return (
            f"The runs of {self.wide} vary more than those of {self.narrow}: {much}. {does} "
            f"For means alone use {call('compare', spread='unequal')}."
        )


@dataclass(frozen=True)
class WelchIsApproximate(Caveat):
    """With few runs the test of means under unequal spread needs roughly normal runs."""

    n_fewest: int

    def sentence(self) -> str:
        """Say by how much the false-alarm rate may exceed alpha."""
        return (
            f"With {plural(self.n_fewest, 'run')} of an algorithm, p under unequal spread "
            "relies on runs being roughly normal: where they are skewed and spreads differ "
            "greatly, the false-alarm rate can be more than twice alpha."
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

    @property
    def subject(self) -> str:
        """Runs far from the others."""
        return STRAYS

    def sentence(self) -> str:
        """Say how many runs of whom, and what to plan next time."""
        whose = [
            f"{plural(n, 'run')} of {name}"
            for name, n in zip(self.algorithms, self.n_runs, strict=True)
        ]
        lie, move = ("lies", "moves") if sum(self.n_runs) == 1 else ("lie", "move")
        return (
            f"{listed(whose, 6)} {lie} far from the others of the same algorithm, as runs do that "
            f"fail or run away, and {move} the mean. {call('compare', center='trimmed')} asks "
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
class SilentTasks(Caveat):
    """On some tasks all runs (of a block) are the same, whoever's they are."""

    tasks: tuple[str, ...]
    n_tasks: int

    def sentence(self) -> str:
        """Say that they count as draws."""
        draws = "it counts as a draw, and does"
        if len(self.tasks) > 1:
            draws = "they count as draws, and do"
        return (
            f"On {len(self.tasks)} of {plural(self.n_tasks, 'task')} all runs have the same "
            f"curve ({listed(self.tasks, MAX_MEMBERS)}): {draws} not tell algorithms apart."
        )

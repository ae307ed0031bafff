"""What a reader must know before believing a result: kinds of warning, and their sentences.

A caveat is data: its kind is its class, and its numbers are its fields. The sentence is written
here and nowhere else, and names options as the reader would type them. Caveats that only one
question can give are in the folder of that question.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

import numpy as np

from curvewise.data.align import counts_text
from curvewise.data.checks import as_steps
from curvewise.inference.result import EFFECTS
from curvewise.inference.work import Sampling
from curvewise.kernels.anova import centred, rounding, strata
from curvewise.kernels.pvalues import t_survival
from curvewise.kernels.relabel import n_relabellings
from curvewise.kernels.welch import equal_spread_pvalue
from curvewise.records import Record
from curvewise.shuffling.visit import MAX_SHUFFLES, Layout
from curvewise.text import (
    argument,
    call,
    listed,
    number_text,
    p_text,
    percent,
    plural,
    printable,
    step_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from dataclasses import Field

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Center, EffectName
    from curvewise.kernels import Floats, Integers


MAX_MEMBERS = 3  # that a sentence names
SPREAD, STRAYS = "spread", "strays"  # subjects of more than one kind of caveat


@dataclass_transform(frozen_default=True)
class Caveat(Record, ABC):
    """One thing to know before believing a result; every kind is a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls) -> None:
        """Make a dataclass of the kind."""
        dataclass(frozen=True)(cls)

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
        return {"kind": self.kind, **super().to_dict()}


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
        enough = f": {self.n_enough} of each algorithm would do" if self.n_enough else ""
        if self.n_blocks:
            enough = (
                f": {self.n_blocks} such blocks would do. If runs of a block share no more than "
                "the number of a seed, leave the blocks out"
            )
        return (
            f"With {' + '.join(map(str, self.n_runs))} runs the smallest p possible is "
            f"{p_text(self.smallest_pvalue)}, which is above alpha = {self.alpha:g}: no data "
            f"could be significant. More runs are needed{enough}."
        )


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


class NoSpread(Caveat):
    """No run differs from the others of its algorithm."""

    def sentence(self) -> str:
        """Say what to check."""
        return (
            "All runs of an algorithm have the same number, so that nothing tells how much runs "
            "vary. Check that they are separate runs, and which column holds the score."
        )


class SingleRun(Caveat):
    """An algorithm has one run, so its own spread is unknown."""

    algorithm: str

    def sentence(self) -> str:
        """Say what is assumed instead."""
        return (
            f"{self.algorithm} has a single run, so how much its runs vary is unknown; they "
            "are assumed to vary as much as those of the other algorithms."
        )


class SingleStep(Caveat):
    """Curves of one step have no shape."""

    def sentence(self) -> str:
        """Say what is left to compare."""
        return "There is a single step, so curves have no shape: only height is compared."


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


class InfiniteF(Caveat):
    """All runs of an algorithm are the same in height, or in shape."""

    effect: EffectName

    def sentence(self) -> str:
        """Say what to check."""
        return (
            f"All runs of an algorithm have the same {EFFECTS[self.effect].noun}, so F is "
            "infinite. Check that the runs are separate runs; p is still valid."
        )


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
        enough = f", and here the {other} differs enough for that" if self.other_differs else ""
        return (
            f"With the pooled error term a difference in {other} can pass for one in "
            f"{noun}{enough}: p for {noun} is {p_text(self.pvalue_pooled)} pooled and "
            f"{p_text(self.pvalue_split)} with its own error term. Use "
            f"{argument('error', 'split')}."
        )


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

    subject = SPREAD

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


class StrayRuns(Caveat):
    """Some runs are far from the others of their algorithm, and move its mean.

    ``n_runs`` is how many, of each of the ``algorithms``.
    """

    algorithms: tuple[str, ...]
    n_runs: tuple[int, ...]

    subject = STRAYS

    def sentence(self) -> str:
        """Say how many runs of whom, and what to plan next time."""
        named = zip(self.algorithms, self.n_runs, strict=True)
        whose = [f"{plural(n, 'run')} of {name}" for name, n in named]
        lie, move = ("lies", "moves") if sum(self.n_runs) == 1 else ("lie", "move")
        return (
            f"{listed(whose, 6)} {lie} far from the others of the same algorithm, as runs do that "
            f"fail or run away, and {move} the mean. {call('compare', center='trimmed')} asks "
            "about the typical run instead: choose it for the next experiment, before looking "
            "at the data."
        )


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


class UnevenBlocks(Caveat):
    """Blocks hold the algorithms in different proportions."""

    def sentence(self) -> str:
        """Say how algorithms are compared then."""
        return (
            "Blocks do not hold every algorithm equally often, so algorithms are compared "
            "within blocks only (the mean curve of each block is subtracted first)."
        )


class SilentTasks(Caveat):
    """On some tasks all runs (of a block) are the same, whoever's they are."""

    tasks: tuple[str, ...]
    n_tasks: int

    def sentence(self) -> str:
        """Say that they count as draws."""
        several = len(self.tasks) > 1
        draws = "they count as draws, and do" if several else "it counts as a draw, and does"
        return (
            f"On {len(self.tasks)} of {plural(self.n_tasks, 'task')} all runs have the same "
            f"curve ({listed(self.tasks, MAX_MEMBERS)}): {draws} not tell algorithms apart."
        )


class OfMembers(Caveat):
    """A caveat about some members of a family: tables, pairs, tasks."""

    members: tuple[str, ...]
    caveat: Caveat

    @property
    def kind(self) -> str:
        """The kind of the caveat itself."""
        return self.caveat.kind

    @property
    def subject(self) -> str | None:
        """The subject of the caveat itself."""
        return self.caveat.subject

    @property
    def about(self) -> tuple[str, ...]:
        """The members."""
        return self.members

    @property
    def doubts_means(self) -> bool:
        """Whether the caveat itself does."""
        return self.caveat.doubts_means

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
        caveat if len(names) == len(caveats) and not name_all else OfMembers(tuple(names), caveat)
        for caveat, names in about.items()
    )


# Exact p up to which algorithms are said to differ in how many runs fail.
MAX_FAILURE_PVALUE = 0.1


class PreparationCaveat(Caveat):
    """One that is about all curves of a table, whichever of them a question is about."""


class RunsFailed(PreparationCaveat):
    """Some runs ended early, diverged or were empty.

    ``pvalue`` is the exact one of "failing has nothing to do with the algorithm"; None with one
    algorithm.
    """

    algorithms: tuple[str, ...]
    n_short: tuple[int, ...]
    n_runs: tuple[int, ...]
    pvalue: float | None

    def sentence(self) -> str:
        """Say how many of whom, and whether the algorithms differ in that."""
        counts = counts_text(self.n_short, self.n_runs, self.algorithms)
        found = f"{counts} ended early, diverged or were empty."
        if self.pvalue is None:
            return found
        fail, p = "differ in how many runs fail", f"(exact p = {p_text(self.pvalue)})"
        if self.pvalue <= MAX_FAILURE_PVALUE:
            return f"{found} The algorithms also {fail} {p}, which is a finding of its own."
        return f"{found} That the algorithms {fail} was not detected {p}."


class FilledWithWorst(PreparationCaveat):
    """Short runs count as the worst score of all from their end on."""

    n_runs: int
    fill: float

    def sentence(self) -> str:
        """Say what is right only if failing is the algorithm's doing, and what is not quoted."""
        return (
            f"{plural(self.n_runs, 'short run')} scored {number_text(self.fill)}, the worst score "
            "of all, from the end on. That is right where failing is the algorithm's own doing; "
            "if machines failed, they count as its fault. Means, differences and intervals in "
            "units of the score depend on that number, so that the verdict quotes none."
        )


class CarriedOn(PreparationCaveat):
    """The last score of short runs is carried on."""

    n_runs: int

    def sentence(self) -> str:
        """Say whom that favours."""
        return (
            f"The last score of {plural(self.n_runs, 'short run')} was carried on. That rewards "
            "ending at the top, and misses what a run would still have learned."
        )


class RunsDropped(PreparationCaveat):
    """Short runs were left out, for a reason."""

    n_runs: int
    reason: str

    def sentence(self) -> str:
        """Say when that is wrong."""
        return (
            f"{plural(self.n_runs, 'short run')} {'was' if self.n_runs == 1 else 'were'} left out "
            f"({printable(self.reason)}). If failing goes with bad scores, that makes an algorithm "
            f"look better than it is, and p is not valid: then use {argument('short', 'prefix')}."
        )


class SchedulesDiffer(PreparationCaveat):
    """One algorithm was logged more often than another.

    ``spacings`` are the median distances of steps.
    """

    algorithms: tuple[str, ...]
    spacings: tuple[float, ...]

    def sentence(self) -> str:
        """Say how often, and what to do next time."""
        often = min(zip(self.spacings, self.algorithms, strict=True))
        seldom = max(zip(self.spacings, self.algorithms, strict=True))
        times = number_text(seldom[0] / often[0])
        return (
            f"{printable(often[1])} was logged {times} times as often as "
            f"{printable(seldom[1])}. Linear interpolation keeps the false-alarm rate near alpha "
            "as long as curves are about straight between logged steps; log all algorithms at "
            "the same steps next time."
        )


class ScoresNotUsed(PreparationCaveat):
    """Scores were thrown away at steps that other runs lack: before, between, after the common ones."""

    n_scores: int
    n_steps: int
    n_unused: tuple[int, int, int]
    first: float
    last: float
    begins_with: str
    ends_with: str

    def sentence(self) -> str:
        """Say how many, which runs lack the steps, and what to type if that is meant."""
        why = []
        before, between, after = self.n_unused
        first, last = as_steps(np.array([self.first, self.last])).tolist()
        if before:
            why.append(
                f"{printable(self.begins_with)} has none before step {step_text(first)} "
                f"({argument('start', first)} if that is meant)"
            )
        if after:
            why.append(
                f"{printable(self.ends_with)} has none after step {step_text(last)} "
                f"({argument('stop', last)} if that is meant)"
            )
        if between:
            why.append(
                f"{between} lie between the {plural(self.n_steps, 'step')} of the run "
                f"logged least often (for more steps: {argument('n_steps', 2 * self.n_steps)})"
            )
        counts = f"{sum(self.n_unused)} of {plural(self.n_scores, 'score')}"
        return f"{counts} were not used: {'; '.join(why)}."


class RangeCoversLess(PreparationCaveat):
    """The range that all runs share is much shorter than that of the longest run."""

    coverage: float
    first: float
    last: float
    begins_with: str
    ends_with: str

    def sentence(self) -> str:
        """Say what is compared, and which runs bound it."""
        share = percent(round(self.coverage, 2))
        return (
            f"Only {share} of the range of steps is compared, {step_text(self.first)} to "
            f"{step_text(self.last)}: {printable(self.begins_with)} begins latest, and "
            f"{printable(self.ends_with)} ends first."
        )


# How far rounding may move heights, compared with how far apart they are.
MAX_ROUNDING_SHARE = 0.02
MIN_SPREAD_RATIO = 1.5  # of standard deviations, for spreads that are worth a warning
# Runs below which skewed runs were found to mislead the Welch-type test (docs/method.md).
MIN_RUNS_FOR_WELCH = 20
# Runs from which ranks were found to lose little power (docs/method.md).
MIN_RUNS_FOR_RANKS = 8
# What makes a run stray: so many standard deviations from the median of its algorithm, as the
# median distance tells them; which of a few normal runs happens too often by chance, so that its
# t, against the runs that are nearer, must be significant as well, adjusted for all runs.
MIN_RUNS_TO_STRAY, MIN_STRAY_DISTANCE, MAX_STRAY_PVALUE = 5, 3.5, 0.025
NORMAL_MAD = 0.6745  # of a standard deviation
# Scores that take fewer values, such as successes and failures, may be the same by chance.
MIN_VALUES_TO_REPEAT = 4


def too_few(curves: Curves, sampling: Sampling, alpha: float) -> Iterator[Caveat]:
    """Warn if nothing could be significant, for lack of runs or of shuffles."""
    smallest = sampling.smallest_by_runs
    if smallest > alpha:
        n_enough = n_blocks = None
        if curves.blocks is None:
            alike = np.ones((1, len(curves.algorithms)), dtype=np.int64)
            n_enough = next(n for n in count(2) if _smallest_pvalue(n * alike) <= alpha)
        elif (curves.block_counts == curves.block_counts[0]).all():
            own = curves.block_counts[:1]
            n_blocks = next(n for n in count(2) if _smallest_pvalue(own.repeat(n, axis=0)) <= alpha)
        yield TooFewRuns(curves.sizes, smallest, alpha, n_enough, n_blocks)
    if not sampling.exact:
        yield from too_few_shuffles(sampling.n_shuffles, alpha)


def too_few_shuffles(n_shuffles: int | str, alpha: float) -> Iterator[Caveat]:
    """Warn if nothing could be significant for lack of shuffles; "auto" draws enough."""
    if isinstance(n_shuffles, int) and 1 / (1 + n_shuffles) > alpha:
        yield TooFewShuffles(n_shuffles, alpha)


def too_few_for_max_t(curves: Curves, n_shuffles: int | str, alpha: float) -> Iterator[Caveat]:
    """Warn if max-t, which shuffles the runs of all algorithms together, can find nothing."""
    # "auto" and "precise" shuffle often enough.
    most = n_shuffles if isinstance(n_shuffles, int) else MAX_SHUFFLES
    n_all = Layout.of(curves).restriction.count
    sampling = Sampling(exact=False, n_relabellings=n_all, n_shuffles=most)
    return too_few(curves, sampling, alpha)


def _smallest_pvalue(counts: Integers) -> float:
    """Return how small p can be with so many runs of each algorithm, a row for each block."""
    blocks, labels = (np.repeat(own.ravel(), counts.ravel()) for own in np.indices(counts.shape))
    return 1 / n_relabellings(labels, blocks)


def identical_runs(curves: Curves) -> Iterator[Caveat]:
    """Warn if runs have the same scores at every step, unless these take a few values only."""
    first: dict[bytes, int] = {}
    again = []
    for row, scores in enumerate(curves.scores):
        place = first.setdefault(scores.tobytes(), row)
        if place != row and len(np.unique(scores)) >= MIN_VALUES_TO_REPEAT:
            again.append((row, place))
    if again:
        run, other = ((curves.labels[row], curves.runs[row]) for row in again[0])
        yield IdenticalRuns(run, other, len(again))


def runs_are_alike(curves: Curves) -> bool:
    """Tell whether all runs (of a block) have the same curve, but for rounding."""
    layout = Layout.of(curves)
    within = centred(layout.scores, layout.blocks)
    parts = strata(layout.scores, within)
    return max(parts.heights, parts.shapes) <= layout.noise**2


def prepared(curves: Curves) -> Iterator[Caveat]:
    """Warn of runs that are there twice, and of what was done to runs before."""
    yield from identical_runs(curves)
    done = curves.preparation
    if done is None:
        return
    from curvewise.data.align import schedules_differ

    logs = done.algorithms
    names = tuple(own.name for own in logs)
    if done.short:
        n_short = tuple(own.n_short for own in logs)
        n_runs = tuple(own.n_runs for own in logs)
        yield RunsFailed(names, n_short, n_runs, done.failure_pvalue)
        if done.fill is not None:
            yield FilledWithWorst(sum(n_short), done.fill)
        if done.short == "carry":
            yield CarriedOn(sum(n_short))
        if done.short == "drop":
            yield RunsDropped(sum(n_short), done.reason)
    if schedules_differ(logs):
        spacings = {own.name: own.spacing for own in logs if own.spacing is not None}
        yield SchedulesDiffer(tuple(spacings), tuple(spacings.values()))
    unused = done.n_unused_before, done.n_unused_between, done.n_unused_after
    bounds = done.first, done.last, done.begins_with, done.ends_with
    if any(unused) and not done.clock:
        yield ScoresNotUsed(done.n_points, done.n_steps, unused, *bounds)
    if done.covers_less:
        yield RangeCoversLess(done.coverage, *bounds)


def coarse_scores(curves: Curves) -> Iterator[Caveat]:
    """Warn where the rounding of the scores hides differences between heights."""
    means = curves.scores.mean(axis=1)
    spread = math.sqrt(curves.n_steps * float(np.sum((means - means.mean()) ** 2)))
    share = 2 * rounding(curves.scores, curves.precision) / spread if spread > 0 else 0.0
    if share > MAX_ROUNDING_SHARE and curves.precision > np.finfo(np.float64).eps:
        yield CoarseScores(math.floor(-math.log10(curves.precision)), share)


def single_runs(curves: Curves) -> Iterator[Caveat]:
    """Warn of algorithms with one run."""
    sizes = zip(curves.algorithms, curves.sizes, strict=True)
    return (SingleRun(name) for name, size in sizes if size == 1)


def no_spread(curves: Curves) -> Iterator[Caveat]:
    """Warn where the means of runs differ in no algorithm."""
    means = curves.scores.mean(axis=1)
    if not any(np.ptp(means[curves.labels == name]) for name in curves.algorithms):
        yield NoSpread()


def single_runs_and_steps(curves: Curves) -> Iterator[Caveat]:
    """Warn of algorithms with one run, and of curves with one step."""
    yield from single_runs(curves)
    if curves.n_steps == 1:
        yield SingleStep()


def different_spread(curves: Curves, layout: Layout | None = None) -> Iterator[Caveat]:
    """Warn where runs of one algorithm vary more than those of another."""
    return (own for own in [spread_caveat(curves, layout)] if own)


def spread_caveat(curves: Curves, layout: Layout | None = None) -> DifferentSpread | None:
    """Return the warning that spreads differ, where that can be told; else None.

    A difference in spread can pass for one between means. Spreads are compared by the test of
    Bartlett (1937), at .05 each, of curve means and of whole curves; and the largest standard
    deviation must be `MIN_SPREAD_RATIO` times the smallest. Curve means are quoted if they tell,
    since tables show their standard deviations. Single runs are left out, and within blocks
    nothing is said.
    """
    if curves.blocks is not None:
        return None
    layout = layout or Layout.of(curves)
    groups = {
        code: layout.scores[layout.labels == code]
        for code, size in enumerate(curves.sizes)
        if size > 1
    }
    if len(groups) < 2:
        return None
    least = (16 * layout.noise) ** 2 / curves.n_runs
    heights = [group.mean(axis=1, keepdims=True) for group in groups.values()]
    for of, parts in (("curve means", heights), ("whole curves", list(groups.values()))):
        residuals = [part - part.mean(axis=0) for part in parts]
        # What rounding can explain is no variation.
        residuals = [own if np.sum(own**2) > least else 0 * own for own in residuals]
        found = _widest_pair(residuals)
        if found is not None:
            *pair, ratio = found
            wide, narrow = (curves.algorithms[[*groups][place]] for place in pair)
            n_wide, n_narrow = (len(residuals[place]) for place in pair)
            return DifferentSpread(wide, narrow, ratio, of, (n_wide, n_narrow))
    return None


def _widest_pair(residuals: list[Floats]) -> tuple[int, int, float] | None:
    """Return who varies most and who least, and by which factor, if spreads differ."""
    spread = [math.sqrt(float(np.sum(own**2)) / (len(own) - 1) / own.shape[1]) for own in residuals]
    wide, narrow = int(np.argmax(spread)), int(np.argmin(spread))
    if spread[wide] < MIN_SPREAD_RATIO * spread[narrow] or spread[wide] == 0:
        return None
    if equal_spread_pvalue(residuals) > 0.05:
        return None
    ratio = spread[wide] / spread[narrow] if spread[narrow] > 0 else math.inf
    return wide, narrow, ratio


def welch_with_few_runs(curves: Curves) -> Iterator[Caveat]:
    """Warn that with few runs the Welch-type test relies on runs being roughly normal."""
    if min(curves.sizes) < MIN_RUNS_FOR_WELCH:
        yield WelchIsApproximate(min(curves.sizes))


def few_for_ranks(curves: Curves, center: Center) -> Iterator[Caveat]:
    """Warn that few runs have few different ranks."""
    if center == "ranks" and min(curves.sizes) < MIN_RUNS_FOR_RANKS:
        yield FewRunsForRanks(min(curves.sizes), MIN_RUNS_FOR_RANKS)


def stray_runs(curves: Curves) -> Iterator[Caveat]:
    """Advise typical runs for the next experiment, where some runs are far from the others.

    See docs/method.md for how often that happens by chance.
    """
    if curves.blocks is not None or min(curves.sizes) < MIN_RUNS_TO_STRAY:
        return
    means = curves.scores.mean(axis=1)
    noise = rounding(curves.scores, curves.precision) / math.sqrt(curves.scores.size)
    strays = {}
    for code, name in enumerate(curves.algorithms):
        own = means[curves.codes == code]
        distances = np.abs(own - _median(own))
        scale = _median(distances) / NORMAL_MAD
        if scale <= 16 * noise:
            continue  # most runs are the same: there is nothing to measure distances by
        is_far = distances > MIN_STRAY_DISTANCE * scale
        near = own[~is_far]
        error = float(near.std(ddof=1)) * math.sqrt(1 + 1 / len(near))
        pvalues = [
            2 * t_survival(abs(float(run - near.mean())) / error, len(near) - 1)
            for run in own[is_far]
        ]
        n_stray = sum(p * curves.n_runs <= MAX_STRAY_PVALUE for p in pvalues)
        if n_stray:
            strays[name] = n_stray
    if strays:
        yield StrayRuns(tuple(strays), tuple(strays.values()))


def _median(values: Floats) -> float:
    """Return the median; np.median imports masked arrays, which cost a tenth of a start."""
    ranked = np.sort(values)
    return float(ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2


def uneven_blocks(curves: Curves) -> Iterator[Caveat]:
    """Warn of blocks that hold one algorithm, or the algorithms in different proportions."""
    if curves.blocks is None or curves.has_even_blocks:
        return
    names = list(dict.fromkeys(curves.blocks))
    n_held = (curves.block_counts > 0).sum(axis=1)
    alone = tuple(name for name, n in zip(names, n_held, strict=True) if n == 1)
    if alone:
        yield BlocksOfOneAlgorithm(alone, len(names))
    yield UnevenBlocks()

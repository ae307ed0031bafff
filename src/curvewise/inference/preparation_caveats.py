"""What a reader must know of how runs became curves before believing any result."""

from __future__ import annotations

from dataclasses import dataclass

from curvewise.data.short_runs import counts_text
from curvewise.inference.caveats import Caveat
from curvewise.text import (
    argument,
    number_text,
    p_text,
    percent,
    plural,
    printable,
    step_text,
)

__all__ = [
    "CarriedOn",
    "FilledWithWorst",
    "PreparationCaveat",
    "RangeCoversLess",
    "RunsDropped",
    "RunsFailed",
    "SchedulesDiffer",
]

# Exact p up to which algorithms are said to differ in how many runs fail.
MAX_FAILURE_PVALUE = 0.1


@dataclass(frozen=True)
class PreparationCaveat(Caveat):
    """One that is about all curves of a table, whichever of them a question is about."""


@dataclass(frozen=True)
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
        if self.pvalue <= MAX_FAILURE_PVALUE:
            return (
                f"{found} The algorithms also differ in how many runs fail (exact p = "
                f"{p_text(self.pvalue)}), which is a finding of its own."
            )
        return (
            f"{found} That the algorithms differ in how many runs fail was not detected (exact "
            f"p = {p_text(self.pvalue)})."
        )


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class CarriedOn(PreparationCaveat):
    """The last score of short runs is carried on."""

    n_runs: int

    def sentence(self) -> str:
        """Say whom that favours."""
        return (
            f"The last score of {plural(self.n_runs, 'short run')} was carried on. That rewards "
            "ending at the top, and misses what a run would still have learned."
        )


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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

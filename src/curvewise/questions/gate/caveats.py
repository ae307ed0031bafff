"""What a reader must know before acting on a gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from curvewise.data.roles import BASELINE, CANDIDATE
from curvewise.inference.caveats import Caveat
from curvewise.inference.diagnostics import (
    few_for_ranks,
    prepared,
    single_runs,
    spread_caveat,
    too_few_shuffles,
    uneven_blocks,
    welch_with_few_runs,
)
from curvewise.questions.gate.numbers import EVERY_STEP
from curvewise.text import argument, p_text, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.inference.sampling import Sampling
    from curvewise.questions.gate.choosing import Asked
    from curvewise.questions.gate.deciding import Design

__all__ = [
    "AssumesNormal",
    "EveryStepIsStrict",
    "FailOutOfReach",
    "GateOutOfReach",
    "SpreadMatters",
    "TooManyGates",
    "gate_caveats",
]

ROLES = (BASELINE, CANDIDATE)


@dataclass(frozen=True)
class GateOutOfReach(Caveat):
    """No result could pass or fail, for lack of runs; ``n_enough`` would do.

    ``n_blocks`` is how many blocks such as these would do, where runs are in blocks.
    """

    n_runs: tuple[int, int]
    n_enough: tuple[int, int] | None
    smallest_pvalue: float
    alpha: float
    n_blocks: int | None = None

    def sentence(self) -> str:
        """Say how small p can be, and how many runs would do."""
        enough = ""
        if self.n_enough is not None:
            enough = f" {' + '.join(map(str, self.n_enough))} runs could."
        if self.n_blocks is not None:
            enough = (
                f" {self.n_blocks} such blocks could. If runs of a block share no more than the "
                "number of a seed, leave the blocks out."
            )
        return (
            f"With {' + '.join(map(str, self.n_runs))} runs the smallest one-sided p possible is "
            f"{p_text(self.smallest_pvalue)}, which is above alpha = {self.alpha:g}: no result "
            f"could pass or fail.{enough}"
        )


@dataclass(frozen=True)
class FailOutOfReach(Caveat):
    """No result could be beyond either side of the margin, for lack of runs; some could pass.

    ``alpha_fail`` is the level of a side, half of ``alpha``.
    """

    n_runs: tuple[int, int]
    smallest_pvalue: float
    alpha_fail: float

    def sentence(self) -> str:
        """Say how small p can be, and that a pass is not affected."""
        return (
            f"With {' + '.join(map(str, self.n_runs))} runs the smallest one-sided p possible is "
            f"{p_text(self.smallest_pvalue)}, and a fail needs {self.alpha_fail:g}, half of alpha "
            "for each side: no result could fail. Passing is not affected. Use more runs."
        )


@dataclass(frozen=True)
class SpreadMatters(Caveat):
    """Runs vary differently, and the test takes spreads for equal.

    ``ratio`` is that of the standard deviations of wide and narrow; ``n_runs`` are theirs.
    ``remedy`` says whether the test can allow for it.
    """

    wide: str
    narrow: str
    ratio: float
    n_runs: tuple[int, int]
    remedy: bool

    def sentence(self) -> str:
        """Say what it does to the gate, and what to do."""
        wide, narrow = (
            f"the {name}" if name in ROLES else name for name in (self.wide, self.narrow)
        )
        if self.n_runs[0] == self.n_runs[1]:
            return (
                f"The runs of {wide} vary more than those of {narrow}. If they are "
                "skewed as well, as where some of them fail, wrong passes or wrong fails can be "
                "twice as frequent as alpha: look at the single runs before you act on it."
            )
        fewer = self.n_runs[0] < self.n_runs[1]
        does = (
            "wrong passes and wrong fails are then more frequent than alpha"
            if fewer
            else "the gate then decides too seldom"
        )
        todo = "have as many runs of each"
        if self.remedy:
            todo = f"use {argument('spread', 'unequal')}, or {todo}"
        return (
            f"The runs of {wide} vary more than those of {narrow}, and "
            f"{'fewer' if fewer else 'more'} of them were made ({self.n_runs[0]} and "
            f"{self.n_runs[1]}): {does}. To be safe, {todo}."
        )


@dataclass(frozen=True)
class AssumesNormal(Caveat):
    """A margin in standard deviations of the same runs needs normal numbers."""

    def sentence(self) -> str:
        """Say what is assumed, and what would not need it."""
        return (
            "The margin is in standard deviations of these same runs, so that p and limits "
            "(noncentral t) assume that the numbers of runs are normal and vary alike. With "
            f"{argument('sd_from')}, the runs of an earlier baseline, nothing need be assumed."
        )


@dataclass(frozen=True)
class EveryStepIsStrict(Caveat):
    """A pass at every step needs far more runs than one on the mean."""

    n_steps: int

    def sentence(self) -> str:
        """Say what a pass and a fail mean, and what they need."""
        return (
            f"A pass means not worse by more than the margin at any of "
            f"{plural(self.n_steps, 'step')}, which needs far more runs than a pass on the mean."
        )


@dataclass(frozen=True)
class TooManyGates(Caveat):
    """No adjusted p of a fail can be as small as alpha."""

    n_gates: int
    smallest_pvalue: float
    alpha: float

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        return (
            f"The smallest p of a fail possible, adjusted for {self.n_gates} gates, is "
            f"{p_text(self.smallest_pvalue)}, which is above alpha = {self.alpha:g}: none of them "
            "can fail. Passing is not affected. Use more runs."
        )


def gate_caveats(
    asked: Asked, sampling: Sampling, enough: Design | None
) -> Iterator[Caveat]:
    """Say what to know before acting on a gate; ``enough`` runs could decide, if these cannot."""
    curves, numbers, options = asked.curves, asked.numbers, asked.options
    if sampling.smallest_by_runs > options.alpha:
        in_blocks = enough is not None and enough.n_blocks is not None
        yield GateOutOfReach(
            numbers.n_runs,
            None if enough is None or in_blocks else (enough.candidate, enough.baseline),
            sampling.smallest_by_runs,
            float(options.alpha),
            enough.n_blocks if enough is not None else None,
        )
    elif options.two_sided and sampling.smallest_by_runs > options.alpha / 2:
        half = float(options.alpha) / 2
        yield FailOutOfReach(numbers.n_runs, sampling.smallest_by_runs, half)
    if not sampling.exact and asked.test in {"shuffle", "log-rank"}:
        yield from too_few_shuffles(sampling.n_shuffles, options.alpha)
    yield from prepared(curves)
    yield from single_runs(curves)
    if asked.test == "normal":
        yield AssumesNormal()
    if asked.test in {"Welch", "both"}:
        yield from welch_with_few_runs(curves)
    elif asked.times is not None:
        yield from asked.times.found.caveats()
    elif asked.test == "shuffle":
        yield from _spread_matters(asked)
    yield from few_for_ranks(curves, options.center)
    yield from uneven_blocks(curves)
    if options.on == EVERY_STEP and curves.n_steps > 1:
        yield EveryStepIsStrict(curves.n_steps)


def _spread_matters(asked: Asked) -> Iterator[Caveat]:
    """Warn where spreads differ, as far as can be told."""
    found = spread_caveat(asked.numbers.curves)
    if found is None:
        return
    can_allow = asked.options.center == "mean" and asked.options.on != EVERY_STEP
    remedy = can_allow and asked.curves.blocks is None
    yield SpreadMatters(found.wide, found.narrow, found.ratio, found.n_runs, remedy)

"""What a reader must know before believing a gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from curvewise.inference.caveats import Caveat
from curvewise.inference.diagnostics import different_spread, prepared, too_few
from curvewise.questions.transfer.conditions import levelled_off
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.text import argument, listed, number_text, step_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.sampling import Sampling
    from curvewise.questions.transfer.conditions import TwoConditions
    from curvewise.questions.transfer.options import TransferOptions
    from curvewise.questions.transfer.result import Transfer
    from curvewise.questions.transfer.transfers import AcrossTasks

__all__ = [
    "LevelThroughout",
    "LowerIsBetter",
    "NoAsymptote",
    "NoIntervals",
    "NotLevelledOff",
    "ShiftedScores",
    "TasksLeftOut",
    "UnknownOptimum",
    "WindowEndsAtAsymptote",
    "tasks_left_out",
    "transfer_caveats",
]

TOLERANCE = 0.05  # of the range of the mean curves, for "has it levelled off?"


@dataclass(frozen=True)
class NoIntervals(Caveat):
    """A condition has one run, or there is one block, so nothing can be resampled."""

    single: Literal["run", "block"]

    def sentence(self) -> str:
        """Say what is unknown, and what to do."""
        if self.single == "block":
            return (
                "There is a single block, so variation between blocks is unknown: metrics "
                "that need resamples have no intervals. Repeat the training in other blocks."
            )
        return (
            "At least one condition has a single run, so its run-to-run variation is unknown: "
            "metrics that need resamples have no intervals, and those of the others take both "
            "conditions to vary alike. Repeat the training with other seeds."
        )


@dataclass(frozen=True)
class LowerIsBetter(Caveat):
    """Scores are losses or costs."""

    def sentence(self) -> str:
        """Say what the signs of the metrics mean."""
        return (
            "Lower scores are better: shares and ratios count a lower score as a gain. "
            "Differences keep the sign of the scores as given, so below 0 is better."
        )


@dataclass(frozen=True)
class ShiftedScores(Caveat):
    """Mean scores are negative, so they were shifted for the transfer ratio."""

    shift: float

    def sentence(self) -> str:
        """Say by how much, and what depends on it."""
        return (
            "The transfer ratio needs mean curves without negative scores: "
            f"{number_text(self.shift)} was added to both, and the ratio depends on that. Its "
            "interval takes the shift as given."
        )


@dataclass(frozen=True)
class UnknownOptimum(Caveat):
    """The best observed mean score stands in for the best possible one."""

    def sentence(self) -> str:
        """Say what must not be compared."""
        return (
            f"No best possible score was given ({argument('optimum')}): the best mean score "
            "observed stands in for it, so the calibrated transfer ratio must not be compared "
            "across tasks, and its interval takes that score as given."
        )


@dataclass(frozen=True)
class NotLevelledOff(Caveat):
    """The curves are still rising, or falling, at the end of the window."""

    def sentence(self) -> str:
        """Say which metrics more training would change."""
        return (
            "The curves have not levelled off within the window: with more training, what "
            "depends on the end (asymptotic advantage, average relative reduction, areas) "
            "would change."
        )


@dataclass(frozen=True)
class LevelThroughout(Caveat):
    """The window was to end at the asymptote, and the curves are level from the start."""

    last_step: float

    def sentence(self) -> str:
        """Say which window is compared instead."""
        return (
            "Both curves are level throughout; the whole window, up to step "
            f"{step_text(self.last_step)}, is compared."
        )


@dataclass(frozen=True)
class NoAsymptote(Caveat):
    """The window was to end at the asymptote, and there is none."""

    last_step: float

    def sentence(self) -> str:
        """Say which window is compared instead."""
        return (
            "No asymptote was reached; the whole window, up to step "
            f"{step_text(self.last_step)}, is compared."
        )


@dataclass(frozen=True)
class WindowEndsAtAsymptote(Caveat):
    """The window ends where both mean curves have levelled off."""

    last_step: float
    tolerance: float

    def sentence(self) -> str:
        """Say where that is."""
        return (
            f"The window ends at step {step_text(self.last_step)}: from there on both mean "
            f"curves stay within {self.tolerance:.3g} of their range around their end."
        )


@dataclass(frozen=True)
class TasksLeftOut(Caveat):
    """A mean over tasks leaves out those on which the metric is undefined."""

    metric: str
    tasks: tuple[str, ...]

    def sentence(self) -> str:
        """Say which, and why that matters."""
        return (
            f"The mean {RECORDS[self.metric].title} leaves out {listed(self.tasks)}, where it "
            "is undefined. Look at the other metrics there: where the experimental condition "
            "fails, leaving the task out flatters it."
        )


def transfer_caveats(
    curves: Curves,
    whole: Curves,
    conditions: TwoConditions,
    options: TransferOptions,
    sampling: Sampling,
) -> tuple[Caveat, ...]:
    """Collect every caveat that applies, the gravest first.

    ``curves`` are those in the window that was compared, the control first; ``whole`` those
    before the window was cut at the asymptote.
    """
    caveats: list[Caveat] = [
        *too_few(curves, sampling, options.alpha),
        *prepared(curves),
    ]
    if conditions.n_units.min() < 2:
        caveats.append(NoIntervals("run" if curves.blocks is None else "block"))
    if not curves.higher_is_better:
        caveats.append(LowerIsBetter())
    if conditions.settings.shift > 0:
        caveats.append(ShiftedScores(conditions.settings.shift))
    if not options.optimum_known:
        caveats.append(UnknownOptimum())
    return (
        *caveats,
        *conditions.reaching.caveats(),
        *different_spread(curves),
        *_about_the_end(curves, whole, options.until_asymptote),
    )


def _about_the_end(
    curves: Curves, whole: Curves, until_asymptote: float | None
) -> Iterator[Caveat]:
    control, last_step = curves.algorithms[0], curves.steps[-1].item()
    if until_asymptote is None:
        if curves.n_steps > 1 and levelled_off(curves, control, TOLERANCE) is None:
            yield NotLevelledOff()
    elif curves.n_steps < whole.n_steps:
        yield WindowEndsAtAsymptote(last_step, float(until_asymptote))
    elif levelled_off(whole, control, until_asymptote) == 0:
        yield LevelThroughout(last_step)
    else:
        yield NoAsymptote(last_step)


def tasks_left_out(
    tasks: Mapping[str, Transfer], across: Mapping[str, AcrossTasks]
) -> Iterator[Caveat]:
    """Warn of tasks that a mean leaves out because the metric is undefined there."""
    for name in across:
        left_out = [task for task, own in tasks.items() if not own.metrics[name].defined]
        if left_out:
            yield TasksLeftOut(name, tuple(left_out))

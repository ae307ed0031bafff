"""What `transfer` found: how much one condition gains on another."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from curvewise.inference.caveats import Caveat, different_spread, no_spread, prepared, too_few
from curvewise.inference.result import Family, Result, beside
from curvewise.inference.work import Sampled
from curvewise.questions.transfer.method import levelled_off
from curvewise.questions.transfer.metrics import RECORDS, cells
from curvewise.records import INLINE, UNTOLD, told
from curvewise.rendering.tables import Table
from curvewise.text import about_step, argument, listed, number_text, p_text, percent, step_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.work import Sampling
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.method import (
        Integration,
        Survival,
        TransferOptions,
        TwoConditions,
    )
    from curvewise.questions.transfer.metrics import AcrossTasks, Metric, MetricRecord
    from curvewise.records import Count, Extended, Probability


@dataclass(frozen=True, eq=False, kw_only=True)
class Transfer(Sampled, Result, question="transfer"):
    """How much the experimental condition gains on the control, by every metric.

    Attributes
    ----------
    metrics : mapping from name to Metric
        Also as attributes: ``transfer_ratio``, ``transfer_regret``,
        ``calibrated_transfer_ratio``, ``average_relative_reduction``, ``jumpstart``,
        ``asymptotic_advantage``, ``area_difference``, ``average_gain``,
        ``time_to_threshold`` (the ratio of the medians, which ``times`` has).
    recommended : str
        The metric to quote, and ``advice`` why.
    optimum : float
        The best possible score; ``optimum_known`` is False where the best observed one stands
        in.
    shift : float
        What was added to all scores for the transfer ratio, which needs them not negative.
    threshold : float
        The score of ``time_to_threshold``; ``threshold_given`` is False where the mean score of
        all runs over the last tenth of the steps stands in.
    times : (float, float)
        The step by which half of the runs of control and experimental condition have reached
        the threshold; infinite for not reached.
    survival : Survival
        When the runs reach it: how many, medians, restricted means, Kaplan–Meier curves, p.
    asymptotes : (float, float)
        The mean scores of control and experimental condition over the last tenth of the steps.
    sampling : Sampling
        How relabellings were visited; its attributes (``exact``, ``n_relabellings``,
        ``n_shuffles``, ``seed``, …) are those of the result. With equally many runs of both
        conditions, a relabelling and the one that swaps the conditions are two.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    """

    source: str = ""
    control: str
    experimental: str
    n_runs: tuple[int, int]
    n_blocks: Count | None
    steps: Any = field(metadata=UNTOLD)
    mean_control: Floats = field(repr=False, metadata=UNTOLD)
    mean_experimental: Floats = field(repr=False, metadata=UNTOLD)
    higher_is_better: bool
    integration: Integration
    optimum: float
    optimum_known: bool
    shift: float
    threshold: float
    threshold_given: bool
    times: tuple[Extended, Extended]
    survival: Survival = field(repr=False)
    asymptotes: tuple[float, float]
    confidence: Probability
    n_resamples: Count
    sampling: Sampling = field(metadata=INLINE)
    recommended: str
    metrics: Mapping[str, Metric] = field(repr=False)
    in_score_units: ClassVar[tuple[str, ...]] = (
        "metrics",
        "optimum",
        "shift",
        "threshold",
        "asymptotes",
    )

    @told(after="n_blocks")
    def first_step(self) -> float:
        """Return the first step."""
        first: float = self.steps[0].item()
        return first

    @told(after="first_step")
    def last_step(self) -> float:
        """Return the last step."""
        last: float = self.steps[-1].item()
        return last

    @told(after="last_step")
    def n_steps(self) -> Count:
        """Return how many steps there are."""
        return len(self.steps)

    @property
    @told(after="recommended")
    def advice(self) -> str:
        """Why the recommended metric is the one to quote."""
        text: str = beside(self, "tell").advice(self)
        return text

    @property
    def transfer_ratio(self) -> Metric:
        """Area under the curve of the experimental condition, divided by the control's."""
        return self.metrics["transfer_ratio"]

    @property
    def transfer_regret(self) -> Metric:
        """Difference of the areas, as a share of the box around both curves."""
        return self.metrics["transfer_regret"]

    @property
    def calibrated_transfer_ratio(self) -> Metric:
        """Share of the improvement still possible over the control that was achieved."""
        return self.metrics["calibrated_transfer_ratio"]

    @property
    def average_relative_reduction(self) -> Metric:
        """Share of training saved to reach the same performance, averaged over performance."""
        return self.metrics["average_relative_reduction"]

    @property
    def jumpstart(self) -> Metric:
        """Difference of the mean scores at the first step."""
        return self.metrics["jumpstart"]

    @property
    def asymptotic_advantage(self) -> Metric:
        """Difference of the mean scores over the last tenth of the steps."""
        return self.metrics["asymptotic_advantage"]

    @property
    def area_difference(self) -> Metric:
        """Difference of the areas under the curves."""
        return self.metrics["area_difference"]

    @property
    def average_gain(self) -> Metric:
        """Difference of the areas divided by the width of the window: the mean gain per step."""
        return self.metrics["average_gain"]

    @property
    def time_to_threshold(self) -> Metric:
        """Step by which half of the experimental runs reach the threshold, over the control's."""
        return self.metrics["time_to_threshold"]

    def table(self) -> Table:
        """Return a row for every metric."""
        metrics = self.metrics.values()
        rows = tuple(
            (
                f"{metric.title} *" if metric.name == self.recommended else metric.title,
                *cells(metric),
                f"{metric.no_effect:g}",
                metric.unit or "none",
                "yes" if metric.comparable else "no",
            )
            for metric in metrics
        )
        level = f"{percent(self.confidence)} interval"
        header = ("metric", "value", level, "p", "no effect", "unit", "across tasks")
        notes = [
            f"* {self.advice}",
            *(f"{metric.title}: {metric.reason}" for metric in metrics if metric.reason),
            *(f"{metric.title}: {metric.moved}" for metric in metrics if metric.moved),
        ]
        ratio = self.calibrated_transfer_ratio
        if ratio.interval_kind == "inverted":
            notes.append(
                f"{ratio.title}: the interval is exact if what is left to improve differs by a "
                "factor; where it does not, it can miss the true value in up to a tenth of cases."
            )
        one = self.metrics[self.recommended].title
        notes.append(
            f"Quote one, the {one}, or a metric chosen before looking at the p. The others "
            "describe the same runs from other sides: each p is of its metric alone, and so "
            "many are several chances of a false alarm."
        )
        notes.append("across tasks: whether values may be compared between tasks.")
        return Table(header, rows, notes=tuple(notes))

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: the metrics, and what they mean."""
        rows = tuple(
            (metric.title, metric.reading) for metric in self.metrics.values() if metric.defined
        )
        means = Table(("metric", "what it says"), rows, n_text_columns=2)
        return [self.table(), means, self.survival_table()]

    def survival_table(self) -> Table:
        """Return how many runs of each condition reach the threshold, and when."""
        found = self.survival
        rows = tuple(
            (
                name,
                f"{found.n_reached[place]} of {self.n_runs[place]}",
                "not reached"
                if math.isinf(found.medians[place])
                else about_step(found.medians[place]),
                number_text(found.restricted_means[place]),
            )
            for place, name in enumerate((self.control, self.experimental))
        )
        until = f"mean time up to step {step_text(found.horizon)}"
        header = ("condition", "runs that reach it", "median time", until)
        return Table(header, rows, notes=beside(self, "tell").notes(self))


@dataclass(frozen=True, eq=False, kw_only=True)
class Transfers(Family[str, Transfer], question="transfer_many", members="tasks"):
    """One Transfer a task, looked up by its name, and means of what may be averaged.

    Attributes
    ----------
    across : mapping from metric to AcrossTasks
        Only of metrics that mean the same on every task: the calibrated transfer ratio
        where the optimum is known, and the average relative reduction.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    """

    control: str
    experimental: str
    seed: int | None = None
    across: Mapping[str, AcrossTasks]
    tasks: Mapping[str, Transfer]

    @property
    @told(after="seed")
    def smallest_pvalue_alone(self) -> Probability:
        """The smallest p of a task that stands out alone, adjusted for the number of tasks.

        No p here is adjusted; this is what Holm's adjustment, or that of Benjamini and
        Hochberg, could make of it at best.
        """
        smallest = min(task.sampling.smallest_pvalue for task in self.values())
        return min(1.0, len(self) * smallest)

    def tables(self) -> list[Table]:
        """Return a table for what may be compared across tasks, and one for what may not."""
        # Those that can ever be compared come first.
        shown = [record for record in RECORDS.values() if record.short]
        shown.sort(key=lambda record: not record.averaged)
        fair = [record for record in shown if self._is_comparable(record.name)]
        tables = []
        if fair:
            note = "These mean the same on every task and may be compared down the column."
            means = tuple(chain(*(cells(self.across.get(record.name)) for record in fair)))
            tables.append(
                self._table(fair, note, [("mean of tasks", *means)] if self.across else [])
            )
        # Never empty: some are shown that can never be compared.
        other = [record for record in shown if record not in fair]
        note = (
            "These depend on the scores of their task: do not compare or average them down "
            "the column."
        )
        return [*tables, self._table(other, note)]

    def _is_comparable(self, name: str) -> bool:
        """Tell whether a metric is defined on some task, and comparable wherever it is."""
        metrics = [task.metrics[name] for task in self.values()]
        comparable = [metric.comparable for metric in metrics if metric.defined]
        return bool(comparable) and all(comparable)

    def _table(
        self, records: Sequence[MetricRecord], note: str, means: Sequence[tuple[str, ...]] = ()
    ) -> Table:
        rows = [
            (name, *chain(*(cells(task.metrics[record.name]) for record in records)))
            for name, task in self.items()
        ]
        notes = [note]
        if len(self) > 1:
            notes.append(
                f"Each p is of its task and metric alone. Adjusted for {len(self)} tasks, that "
                "of a task that stands out alone cannot be below "
                f"{p_text(self.smallest_pvalue_alone)} with these runs."
            )
        header = ("task", *chain(*((record.title, "interval", "p") for record in records)))
        return Table(header, (*rows, *means), notes=tuple(notes))


TOLERANCE = 0.05  # of the range of the mean curves, for "has it levelled off?"


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


class LowerIsBetter(Caveat):
    """Scores are losses or costs."""

    def sentence(self) -> str:
        """Say what the signs of the metrics mean."""
        return (
            "Lower scores are better: shares and ratios count a lower score as a gain. "
            "Differences keep the sign of the scores as given, so below 0 is better."
        )


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


class UnknownOptimum(Caveat):
    """The best observed mean score stands in for the best possible one."""

    def sentence(self) -> str:
        """Say what must not be compared."""
        return (
            f"No best possible score was given ({argument('optimum')}): the best mean score "
            "observed stands in for it, so the calibrated transfer ratio must not be compared "
            "across tasks, and its interval takes that score as given."
        )


class NotLevelledOff(Caveat):
    """The curves are still rising, or falling, at the end of the window."""

    def sentence(self) -> str:
        """Say which metrics more training would change."""
        return (
            "The curves have not levelled off within the window: with more training, what "
            "depends on the end (asymptotic advantage, average relative reduction, areas) "
            "would change."
        )


class LevelThroughout(Caveat):
    """The window was to end at the asymptote, and the curves are level from the start."""

    last_step: float

    def sentence(self) -> str:
        """Say which window is compared instead."""
        return (
            "Both curves are level throughout; the whole window, up to step "
            f"{step_text(self.last_step)}, is compared."
        )


class NoAsymptote(Caveat):
    """The window was to end at the asymptote, and there is none."""

    last_step: float

    def sentence(self) -> str:
        """Say which window is compared instead."""
        return (
            "No asymptote was reached; the whole window, up to step "
            f"{step_text(self.last_step)}, is compared."
        )


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
    first_level: int | None,
    conditions: TwoConditions,
    options: TransferOptions,
    sampling: Sampling,
) -> Iterator[Caveat]:
    """Collect every caveat that applies, the gravest first.

    ``curves`` are those in the window that was compared; ``first_level`` the place of the step
    from which they were level before it was cut there, None where there is none.
    """
    yield from too_few(curves, sampling, options.alpha)
    yield from prepared(curves)
    if conditions.n_units.min() < 2:
        yield NoIntervals("run" if curves.blocks is None else "block")
    if not curves.higher_is_better:
        yield LowerIsBetter()
    if conditions.settings.shift > 0:
        yield ShiftedScores(conditions.settings.shift)
    if not options.optimum_known:
        yield UnknownOptimum()
    yield from conditions.reaching.caveats()
    yield from no_spread(curves)
    yield from different_spread(curves)
    tolerance, last_step = options.until_asymptote, curves.steps[-1].item()
    if tolerance is None:
        if curves.n_steps > 1 and levelled_off(curves, options.control, TOLERANCE) is None:
            yield NotLevelledOff()
    elif first_level:
        yield WindowEndsAtAsymptote(last_step, float(tolerance))
    else:
        yield (NoAsymptote if first_level is None else LevelThroughout)(last_step)


def tasks_left_out(
    tasks: Mapping[str, Transfer], across: Mapping[str, AcrossTasks]
) -> Iterator[Caveat]:
    """Warn of tasks that a mean leaves out because the metric is undefined there."""
    for name in across:
        left_out = [task for task, own in tasks.items() if not own.metrics[name].defined]
        if left_out:
            yield TasksLeftOut(name, tuple(left_out))

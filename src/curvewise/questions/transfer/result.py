"""What `transfer` found: how much one condition gains on another, metric by metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from curvewise.inference.effects import json_ready
from curvewise.inference.result import Result
from curvewise.rendering.tables import Table
from curvewise.text import interval_text, number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.inference.effects import Interval
    from curvewise.kernels import Floats

__all__ = [
    "AcrossTasks",
    "Integration",
    "IntervalKind",
    "Metric",
    "Transfer",
    "Transfers",
]

Integration = Literal["sum", "trapezoid"]
IntervalKind = Literal["percentile", "bca", "studentised"]

TITLES = {
    "transfer_ratio": "transfer ratio",
    "transfer_regret": "transfer regret",
    "calibrated_transfer_ratio": "calibrated transfer ratio",
    "average_relative_reduction": "average relative reduction",
    "jumpstart": "jump-start",
    "asymptotic_advantage": "asymptotic advantage",
    "area_difference": "area difference",
    "average_gain": "average overall gain",
    "time_to_threshold": "time to threshold, ratio",
}


@dataclass(frozen=True, eq=False)
class Metric:
    """One metric: its value, how sure it is, and whether there is one at all.

    Attributes
    ----------
    value : float or None
        None where the metric is undefined; ``reason`` says why. Infinite where a threshold
        is never reached.
    interval : Interval or None
        At ``confidence``, of the kind ``interval_kind``; ``intervals`` has the other kinds.
        None with a single run in a condition.
    pvalue : float or None
        The share of shuffles in which the metric is at least as far from ``no_effect``.
    no_effect : float
        What the metric is when the conditions do not differ.
    unit : str
        "" for metrics without a unit.
    comparable : bool
        Whether values may be compared across tasks.
    reading : str
        What the value means, in a sentence.
    error : float or None
        The standard error of the value, by leaving out one run, or block, at a time.
    resamples, resample_errors, null_distribution : array or None
        The metric in resamples, its standard error in the first of them, and in shuffles.
    """

    name: str
    value: float | None
    interval: Interval | None
    interval_kind: IntervalKind | None
    intervals: Mapping[str, Interval]
    confidence: float
    pvalue: float | None
    no_effect: float
    exact: bool
    unit: str
    comparable: bool
    reading: str
    reason: str = ""
    error: float | None = None
    resamples: Floats | None = field(default=None, repr=False)
    resample_errors: Floats | None = field(default=None, repr=False)
    null_distribution: Floats | None = field(default=None, repr=False)

    @property
    def defined(self) -> bool:
        """Whether the metric has a value."""
        return self.value is not None

    @property
    def title(self) -> str:
        """The name, as people write it."""
        return TITLES[self.name]

    def to_dict(self) -> dict[str, Any]:
        """Return the metric as JSON-ready data; what is infinite is None."""
        never = self.value is not None and json_ready(self.value) is None
        return {
            "value": json_ready(self.value),
            "infinite": never,
            "defined": self.defined,
            "reason": self.reason,
            "interval": None if self.interval is None else _ends(self.interval),
            "interval_kind": self.interval_kind,
            "intervals": {kind: _ends(each) for kind, each in self.intervals.items()},
            "confidence": self.confidence,
            "error": json_ready(self.error),
            "pvalue": self.pvalue,
            "exact": self.exact,
            "no_effect": self.no_effect,
            "unit": self.unit,
            "comparable": self.comparable,
            "reading": self.reading,
        }


@dataclass(frozen=True, eq=False)
class Transfer(Result):
    """How much the experimental condition gains on the control, by every metric.

    Attributes
    ----------
    metrics : mapping from name to Metric
        Also as attributes: ``transfer_ratio``, ``transfer_regret``,
        ``calibrated_transfer_ratio``, ``average_relative_reduction``, ``jumpstart``,
        ``asymptotic_advantage``, ``area_difference``, ``average_gain``,
        ``time_to_threshold`` (the ratio; ``times`` has both times).
    recommended : str
        The metric to quote, and ``advice`` why.
    optimum : float
        The optimal score; ``optimum_known`` is False where the best observed one stands in.
    shift : float
        What was added to all scores for the transfer ratio, which needs them not negative.
    threshold : float
        The score of ``time_to_threshold``.
    """

    control: str
    experimental: str
    n_runs: tuple[int, int]
    n_blocks: int | None
    steps: Any
    mean_control: Floats = field(repr=False)
    mean_experimental: Floats = field(repr=False)
    metrics: Mapping[str, Metric] = field(repr=False)
    recommended: str
    advice: str
    optimum: float
    optimum_known: bool
    shift: float
    threshold: float
    times: tuple[float, float]
    asymptotes: tuple[float, float]
    integration: Integration
    confidence: float
    higher_is_better: bool
    n_resamples: int
    n_shuffles: int
    exact: bool
    seed: int | None
    warnings: tuple[str, ...]
    source: str = ""

    @property
    def transfer_ratio(self) -> Metric:
        """Area of the experimental condition over that of the control."""
        return self.metrics["transfer_ratio"]

    @property
    def transfer_regret(self) -> Metric:
        """Difference of the areas, as a share of the box around both curves."""
        return self.metrics["transfer_regret"]

    @property
    def calibrated_transfer_ratio(self) -> Metric:
        """Share of the possible improvement that was achieved."""
        return self.metrics["calibrated_transfer_ratio"]

    @property
    def average_relative_reduction(self) -> Metric:
        """Training saved to reach the same performance, averaged over performance."""
        return self.metrics["average_relative_reduction"]

    @property
    def jumpstart(self) -> Metric:
        """Difference at the first step."""
        return self.metrics["jumpstart"]

    @property
    def asymptotic_advantage(self) -> Metric:
        """Difference at the end."""
        return self.metrics["asymptotic_advantage"]

    @property
    def area_difference(self) -> Metric:
        """Difference of the areas under the curves."""
        return self.metrics["area_difference"]

    @property
    def average_gain(self) -> Metric:
        """The same for one step."""
        return self.metrics["average_gain"]

    @property
    def time_to_threshold(self) -> Metric:
        """Time to reach the threshold, over that of the control."""
        return self.metrics["time_to_threshold"]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the resamples as JSON-ready data."""
        return {
            "question": "transfer",
            "source": self.source,
            "control": self.control,
            "experimental": self.experimental,
            "n_runs": list(self.n_runs),
            "n_blocks": self.n_blocks,
            "first_step": self.steps[0].item(),
            "last_step": self.steps[-1].item(),
            "n_steps": len(self.steps),
            "higher_is_better": self.higher_is_better,
            "integration": self.integration,
            "optimum": self.optimum,
            "optimum_known": self.optimum_known,
            "shift": self.shift,
            "threshold": self.threshold,
            "times": [json_ready(time) for time in self.times],
            "asymptotes": list(self.asymptotes),
            "confidence": self.confidence,
            "n_resamples": self.n_resamples,
            "n_shuffles": self.n_shuffles,
            "exact": self.exact,
            "seed": self.seed,
            "recommended": self.recommended,
            "advice": self.advice,
            "metrics": {name: each.to_dict() for name, each in self.metrics.items()},
            "warnings": list(self.warnings),
        }

    def table(self) -> Table:
        """Return a row for every metric."""
        rows = []
        for metric in self.metrics.values():
            star = " *" if metric.name == self.recommended else ""
            value = "undefined" if metric.value is None else number_text(metric.value)
            rows.append(
                (
                    f"{metric.title}{star}",
                    value,
                    "" if metric.interval is None else interval_text(metric.interval),
                    "" if metric.pvalue is None else p_text(metric.pvalue),
                    f"{metric.no_effect:g}",
                    metric.unit or "none",
                    "yes" if metric.comparable else "no",
                )
            )
        header = (
            "metric",
            "value",
            f"{100 * self.confidence:g}% interval",
            "p",
            "no effect",
            "unit",
            "across tasks",
        )
        notes = [f"* {self.advice}"]
        notes += [
            f"{metric.title}: {metric.reason}"
            for metric in self.metrics.values()
            if metric.reason
        ]
        notes.append(
            "across tasks: whether values may be compared between tasks. Each p is of its "
            "metric alone; choose the metric before looking at the p."
        )
        return Table(header, tuple(rows), notes=tuple(notes))

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: the metrics, and what they mean."""
        rows = tuple(
            (metric.title, metric.reading)
            for metric in self.metrics.values()
            if metric.defined
        )
        return [self.table(), Table(("metric", "what it says"), rows, n_text_columns=2)]


SHOWN = (
    "calibrated_transfer_ratio",
    "average_relative_reduction",
    "transfer_ratio",
    "transfer_regret",
)


@dataclass(frozen=True)
class AcrossTasks:
    """The mean of a metric over the tasks on which it is defined and may be compared.

    The interval takes the tasks as given: it is about these tasks, not about others.
    """

    name: str
    value: float
    interval: Interval | None
    confidence: float
    pvalue: float
    n_tasks: int
    n_all: int

    @property
    def title(self) -> str:
        """The name, as people write it."""
        return TITLES[self.name]

    def to_dict(self) -> dict[str, Any]:
        """Return the mean as JSON-ready data."""
        ends = (
            None if self.interval is None else [json_ready(end) for end in self.interval]
        )
        return {**vars(self), "interval": ends}


@dataclass(frozen=True, eq=False)
class Transfers(Result, Mapping[str, Transfer]):
    """One Transfer a task, looked up by its name, and means of what may be averaged.

    Attributes
    ----------
    across : mapping from metric to AcrossTasks
        Only of metrics that mean the same on every task: the calibrated transfer ratio
        where the optimum is known, and the average relative reduction.
    """

    tasks: Mapping[str, Transfer]
    across: Mapping[str, AcrossTasks]
    control: str
    experimental: str
    seed: int | None = None

    def __getitem__(self, name: str) -> Transfer:
        return self.tasks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know, with the tasks it is about."""
        about: dict[str, list[str]] = {}
        for name, task in self.items():
            for warning in task.warnings:
                about.setdefault(warning, []).append(name)
        told = [
            warning if len(names) == len(self) else f"{', '.join(names)}: {warning}"
            for warning, names in about.items()
        ]
        for mean in self.across.values():
            left_out = [
                name for name, task in self.items() if not task.metrics[mean.name].defined
            ]
            if left_out:
                told.append(
                    f"The mean {mean.title} leaves out {', '.join(left_out)}, where it is "
                    "undefined. Look at the other metrics there: where the experimental "
                    "condition fails, leaving the task out flatters it."
                )
        return tuple(told)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "question": "transfer_many",
            "control": self.control,
            "experimental": self.experimental,
            "seed": self.seed,
            "across": {name: each.to_dict() for name, each in self.across.items()},
            "tasks": {name: task.to_dict() for name, task in self.items()},
            "warnings": list(self.warnings),
        }

    def tables(self) -> list[Table]:
        """Return a table for what may be compared across tasks, and one for what may not."""
        fair = [name for name in SHOWN if self._comparable(name)]
        other = [name for name in SHOWN if name not in fair]
        tables = []
        if fair:
            note = (
                "These mean the same on every task and may be compared down the column."
            )
            tables.append(self._table(fair, note, means=True))
        if other:
            note = (
                "These depend on the scores of their task: do not compare or average them "
                "down the column."
            )
            tables.append(self._table(other, note, means=False))
        return tables

    def _comparable(self, name: str) -> bool:
        defined = [
            task.metrics[name] for task in self.values() if task.metrics[name].defined
        ]
        return bool(defined) and all(metric.comparable for metric in defined)

    def _table(self, names: list[str], note: str, *, means: bool) -> Table:
        header = ["task"]
        for name in names:
            header += [TITLES[name], "interval", "p"]
        rows = []
        for task, found in self.items():
            cells = [task]
            for name in names:
                metric = found.metrics[name]
                if metric.value is None:
                    cells += ["undefined", "", ""]
                    continue
                cells += [
                    number_text(metric.value),
                    "" if metric.interval is None else interval_text(metric.interval),
                    "" if metric.pvalue is None else p_text(metric.pvalue),
                ]
            rows.append(tuple(cells))
        if means and self.across:
            cells = ["mean of tasks"]
            for name in names:
                mean = self.across.get(name)
                cells += (
                    ["", "", ""]
                    if mean is None
                    else [
                        number_text(mean.value),
                        "" if mean.interval is None else interval_text(mean.interval),
                        p_text(mean.pvalue),
                    ]
                )
            rows.append(tuple(cells))
        return Table(tuple(header), tuple(rows), notes=(note,))


def _ends(interval: Interval) -> list[float | None]:
    return [json_ready(interval.low), json_ready(interval.high)]

"""What `transfer` found: how much one condition gains on another."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from curvewise.inference.effects import json_ready
from curvewise.inference.result import Result, beside
from curvewise.inference.sampling import Sampled
from curvewise.questions.transfer.metric import cells
from curvewise.rendering.tables import Table
from curvewise.text import (
    about_step,
    number_text,
    percent,
    step_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.sampling import Sampling
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.metric import Metric
    from curvewise.questions.transfer.options import Integration
    from curvewise.questions.transfer.survival import Survival

__all__ = ["Transfer"]


@dataclass(frozen=True, eq=False)
class Transfer(Sampled, Result):
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

    control: str
    experimental: str
    n_runs: tuple[int, int]
    n_blocks: int | None
    steps: Any
    mean_control: Floats = field(repr=False)
    mean_experimental: Floats = field(repr=False)
    metrics: Mapping[str, Metric] = field(repr=False)
    recommended: str
    optimum: float
    optimum_known: bool
    shift: float
    threshold: float
    threshold_given: bool
    times: tuple[float, float]
    survival: Survival = field(repr=False)
    asymptotes: tuple[float, float]
    integration: Integration
    confidence: float
    higher_is_better: bool
    n_resamples: int
    sampling: Sampling
    caveats: tuple[Caveat, ...]
    source: str = ""
    preparation: Preparation | None = None
    in_score_units: ClassVar[tuple[str, ...]] = (
        "metrics",
        "optimum",
        "shift",
        "threshold",
        "asymptotes",
    )

    @property
    def advice(self) -> str:
        """Why the recommended metric is the one to quote."""
        text: str = beside(self, "words").advice(self)
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

    def to_dict(self) -> dict[str, Any]:
        """Return everything but curves, resamples and null distributions, as JSON-ready data."""
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
            "threshold_given": self.threshold_given,
            "times": [json_ready(time) for time in self.times],
            "survival": self.survival.to_dict(),
            "asymptotes": list(self.asymptotes),
            "confidence": self.confidence,
            "n_resamples": self.n_resamples,
            **self.sampling.to_dict(),
            "recommended": self.recommended,
            "advice": self.advice,
            "metrics": {name: metric.to_dict() for name, metric in self.metrics.items()},
            **self.shared_dict(),
        }

    def table(self) -> Table:
        """Return a row for every metric."""
        rows = tuple(
            (
                f"{metric.title} *" if metric.name == self.recommended else metric.title,
                *cells(metric),
                f"{metric.no_effect:g}",
                metric.unit or "none",
                "yes" if metric.comparable else "no",
            )
            for metric in self.metrics.values()
        )
        level = f"{percent(self.confidence)} interval"
        header = ("metric", "value", level, "p", "no effect", "unit", "across tasks")
        reasons = (
            f"{metric.title}: {metric.reason}"
            for metric in self.metrics.values()
            if not metric.defined
        )
        moved = (
            f"{metric.title}: {metric.moved}"
            for metric in self.metrics.values()
            if metric.moved_by_test
        )
        one = self.metrics[self.recommended].title
        family = (
            f"Quote one, the {one}, or a metric chosen before looking at the p. The others "
            "describe the same runs from other sides: each p is of its metric alone, and so "
            "many are several chances of a false alarm."
        )
        note = "across tasks: whether values may be compared between tasks."
        ratio = self.metrics["calibrated_transfer_ratio"]
        exact = ""
        if ratio.interval is not None and ratio.interval_kind == "inverted":
            exact = (
                f"{ratio.title}: the interval is exact if what is left to improve differs by a "
                "factor; where it does not, it can miss the true value in up to a tenth of cases."
            )
        notes = (
            f"* {self.advice}",
            *reasons,
            *moved,
            *filter(None, [exact]),
            family,
            note,
        )
        return Table(header, rows, notes=notes)

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: the metrics, and what they mean."""
        rows = tuple(
            (metric.title, metric.reading)
            for metric in self.metrics.values()
            if metric.defined
        )
        return [
            self.table(),
            Table(("metric", "what it says"), rows, n_text_columns=2),
            self.survival_table(),
        ]

    def survival_table(self) -> Table:
        """Return how many runs of each condition reach the threshold, and when."""
        found = self.survival
        rows = tuple(
            (
                name,
                f"{reached} of {n}",
                "not reached" if math.isinf(median) else about_step(median),
                number_text(mean),
            )
            for name, reached, n, median, mean in zip(
                (self.control, self.experimental),
                found.n_reached,
                self.n_runs,
                found.medians,
                found.restricted_means,
                strict=True,
            )
        )
        until = f"mean time up to step {step_text(found.horizon)}"
        header = ("condition", "runs that reach it", "median time", until)
        notes: tuple[str, ...] = beside(self, "survival_words").notes(self)
        return Table(header, rows, notes=notes)

"""One record for each learning-comparison metric: all that is known of it but its formula.

`curvewise.kernels.transfer.metrics` has the formulas, and the list of names that this follows;
``words.py`` has a sentence for each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

__all__ = ["RECORDS", "IntervalKind", "MetricRecord", "UndefinedKind"]

IntervalKind = Literal["percentile", "bca", "studentised"]
Scale = Literal["difference", "ratio", "one minus a ratio"]
UndefinedKind = Literal[
    "no area under the control",
    "all scores equal",
    "nothing left to improve",
    "single step",
    "no range of performance",
    "threshold not reached",
    "threshold reached at step 0",
]


@dataclass(frozen=True)
class MetricRecord:
    """What is known of a metric, whatever the data.

    Attributes
    ----------
    name : str
        As in JSON, and as an attribute of `Transfer`.
    title, short : str
        As people write it in full, and as an abbreviation; "" where there is none.
    scale : "difference", "ratio" or "one minus a ratio"
        Ratios are compared by their logarithm.
    unit : str
        "" for metrics without a unit. One with a unit keeps the sign of the scores as given.
    bounds : (float, float)
        The smallest and the largest value the metric can have.
    comparable : "never", "always" or "when the optimum is known"
        When values may be compared across tasks.
    undefined_in_shuffle : "as far as can be" or "no difference"
        What a relabelling in which the metric is undefined counts as.
    tail : "distance" or "twice the smaller tail"
        How p counts: relabellings at least as far from no effect, or those at least as extreme
        on one side, twice. Swapping the conditions turns a metric into its opposite, except
        where losses are unbounded and gains are not.
    interval : "studentised" or another kind
        Which interval is shown by default.
    shown_across_tasks : bool
        Whether tables of several tasks have a column for it.
    undefined : tuple of str
        Why it can be undefined; the first that applies is the reason.
    """

    name: str
    title: str
    scale: Scale
    unit: str = ""
    short: str = ""
    bounds: tuple[float, float] = (-math.inf, math.inf)
    comparable: Literal["never", "always", "when the optimum is known"] = "never"
    undefined_in_shuffle: Literal["as far as can be", "no difference"] = (
        "as far as can be"
    )
    tail: Literal["distance", "twice the smaller tail"] = "distance"
    interval: IntervalKind = "studentised"
    shown_across_tasks: bool = False
    undefined: tuple[UndefinedKind, ...] = ()

    @property
    def no_effect(self) -> float:
        """The value of the metric when the conditions do not differ."""
        return 1.0 if self.scale == "ratio" else 0.0

    @property
    def averaged(self) -> bool:
        """Whether it may be averaged over tasks: if it can mean the same on each."""
        return self.comparable != "never"

    def is_comparable(self, *, optimum_known: bool) -> bool:
        """Tell whether values may be compared across tasks."""
        return self.comparable == "always" or (optimum_known and self.averaged)

    def why_undefined(self, times: tuple[float, float], n_steps: int) -> UndefinedKind:
        """Return the first reason that applies; ``times`` are those to the threshold."""
        reached = any(map(math.isfinite, times))
        impossible = {
            "single step": n_steps > 1,
            "threshold not reached": reached,
        }
        return next(kind for kind in self.undefined if not impossible.get(kind, False))


RECORDS = {
    record.name: record
    for record in (
        MetricRecord(
            "transfer_ratio",
            "transfer ratio",
            "ratio",
            short="ratio",
            bounds=(0.0, math.inf),
            shown_across_tasks=True,
            undefined=("no area under the control",),
        ),
        MetricRecord(
            "transfer_regret",
            "transfer regret",
            "difference",
            short="regret",
            bounds=(-1.0, 1.0),
            undefined_in_shuffle="no difference",
            shown_across_tasks=True,
            undefined=("all scores equal",),
        ),
        MetricRecord(
            "calibrated_transfer_ratio",
            "calibrated transfer ratio",
            "one minus a ratio",
            short="CTR",
            bounds=(-math.inf, 1.0),
            comparable="when the optimum is known",
            shown_across_tasks=True,
            undefined=("nothing left to improve",),
        ),
        MetricRecord(
            "average_relative_reduction",
            "average relative reduction",
            "one minus a ratio",
            short="ARR",
            bounds=(-math.inf, 1.0),
            comparable="always",
            tail="twice the smaller tail",
            shown_across_tasks=True,
            undefined=("single step", "no range of performance"),
        ),
        MetricRecord("jumpstart", "jump-start", "difference", unit="score"),
        MetricRecord(
            "asymptotic_advantage", "asymptotic advantage", "difference", unit="score"
        ),
        MetricRecord(
            "area_difference", "area difference", "difference", unit="score × step"
        ),
        MetricRecord("average_gain", "average overall gain", "difference", unit="score"),
        MetricRecord(
            "time_to_threshold",
            "time to threshold, ratio",
            "ratio",
            bounds=(0.0, math.inf),
            undefined_in_shuffle="no difference",
            # It jumps from step to step, which standard errors cannot follow.
            interval="percentile",
            undefined=("threshold not reached", "threshold reached at step 0"),
        ),
    )
}

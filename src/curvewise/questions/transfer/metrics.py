"""One record for each learning-comparison metric: all that is known of it but its formula.

`curvewise.kernels.transfer.metrics` has the formulas, and the list of names that this follows;
``words.py`` has a sentence for each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

__all__ = ["RECORDS", "IntervalKind", "MetricRecord", "UndefinedKind"]

IntervalKind = Literal["inverted", "student", "percentile"]
Scale = Literal["difference", "ratio"]
UndefinedKind = Literal[
    "no area under the control",
    "all scores equal",
    "nothing left to improve",
    "single step",
    "no range of performance",
    "threshold not reached",
    "medians not reached",
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
    scale : "difference" or "ratio"
        Whether no effect is 0 or 1.
    tested_as : str
        The difference whose shuffle test is its test, and gives its interval; "log_rank" for
        the log-rank scores of the runs; "" for a metric that is not linear in the runs, which
        is compared with its own values in relabellings.
    tested_undefined : bool
        Whether the test says something also where the metric is undefined.
    unit : str
        "" for metrics without a unit. One with a unit keeps the sign of the scores as given.
    bounds : (float, float)
        The smallest and the largest value the metric can have.
    comparable : "never", "always" or "when the optimum is known"
        When values may be compared across tasks.
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
    tested_as: str = ""
    tested_undefined: bool = False
    shown_across_tasks: bool = False
    undefined: tuple[UndefinedKind, ...] = ()

    @property
    def no_effect(self) -> float:
        """The value of the metric when the conditions do not differ."""
        return 1.0 if self.scale == "ratio" else 0.0

    @property
    def interval(self) -> IntervalKind:
        """Which interval is shown by default."""
        if self.tested_as == "log_rank":
            # The inverted one is of a factor of all times, which need not be that of medians.
            return "percentile"
        return "inverted" if self.tested_as else "student"

    @property
    def averaged(self) -> bool:
        """Whether it may be averaged over tasks: if it can mean the same on each."""
        return self.comparable != "never"

    def is_comparable(self, *, optimum_known: bool) -> bool:
        """Tell whether values may be compared across tasks."""
        return self.comparable == "always" or (optimum_known and self.averaged)

    def why_undefined(
        self, medians: tuple[float, float], n_reached: int, n_steps: int
    ) -> UndefinedKind:
        """Return the first reason that applies.

        ``medians`` are those of the times to the threshold, which ``n_reached`` runs reach.
        """
        impossible = {
            "single step": n_steps > 1,
            "threshold not reached": n_reached > 0,
            "medians not reached": any(map(math.isfinite, medians)),
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
            tested_as="average_gain",
            shown_across_tasks=True,
            undefined=("no area under the control",),
        ),
        MetricRecord(
            "transfer_regret",
            "transfer regret",
            "difference",
            short="regret",
            bounds=(-1.0, 1.0),
            tested_as="average_gain",
            shown_across_tasks=True,
            undefined=("all scores equal",),
        ),
        MetricRecord(
            "calibrated_transfer_ratio",
            "calibrated transfer ratio",
            "difference",
            short="CTR",
            bounds=(-math.inf, 1.0),
            comparable="when the optimum is known",
            tested_as="average_gain",
            shown_across_tasks=True,
            undefined=("nothing left to improve",),
        ),
        MetricRecord(
            "average_relative_reduction",
            "average relative reduction",
            "difference",
            short="ARR",
            bounds=(-math.inf, 1.0),
            comparable="always",
            shown_across_tasks=True,
            undefined=("single step", "no range of performance"),
        ),
        MetricRecord(
            "jumpstart",
            "jump-start",
            "difference",
            unit="score",
            tested_as="jumpstart",
        ),
        MetricRecord(
            "asymptotic_advantage",
            "asymptotic advantage",
            "difference",
            unit="score",
            tested_as="asymptotic_advantage",
        ),
        MetricRecord(
            "area_difference",
            "area difference",
            "difference",
            unit="score × step",
            tested_as="average_gain",
        ),
        MetricRecord(
            "average_gain",
            "average overall gain",
            "difference",
            unit="score",
            tested_as="average_gain",
        ),
        MetricRecord(
            "time_to_threshold",
            "time to threshold, ratio",
            "ratio",
            bounds=(0.0, math.inf),
            tested_as="log_rank",
            tested_undefined=True,
            undefined=(
                "threshold not reached",
                "medians not reached",
                "threshold reached at step 0",
            ),
        ),
    )
}

"""The learning-comparison metrics: a row for each, and what was found by one.

A metric is a row of ``RECORDS`` and its formula in `curvewise.kernels.metrics`, whose order of
names the rows follow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from curvewise.records import UNTOLD, Record, told
from curvewise.text import interval_text, number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.inference.result import Interval
    from curvewise.kernels import Floats
    from curvewise.records import Count, Probability


IntervalKind = Literal["inverted", "student", "percentile"]
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
        As people write it in full, and as an abbreviation; "" for metrics that no table of
        several tasks shows, and that no criterion judges.
    says : str
        What a value means, in a sentence with names in braces: see `reading`.
    says_at : mapping from case to str
        The same for "less" than no effect, for the "least" and for the "most" that the metric can
        be (of times "at once" where the control gets there), where these are said otherwise.
    no_effect : float
        The value when the conditions do not differ: 1 for a ratio, 0 for a difference.
    tested_as : str
        The difference whose shuffle test is its test, and gives its interval; "log_rank" for
        the log-rank scores of the runs; "" for a metric that is not linear in the runs, which
        is compared with its own values in relabellings.
    unit : str
        "" for metrics without a unit. One with a unit keeps the sign of the scores as given.
    bounds : (float, float)
        The smallest and the largest value the metric can have.
    comparable : "never", "always" or "when the optimum is known"
        When values may be compared across tasks.
    undefined : mapping from kind to str
        Why it can be undefined, and how that is said; the first that applies is the reason.
    """

    name: str
    title: str
    says: str
    says_at: Mapping[str, str] = field(default_factory=dict)
    no_effect: float = 0.0
    unit: str = ""
    short: str = ""
    bounds: tuple[float, float] = (-math.inf, math.inf)
    comparable: Literal["never", "always", "when the optimum is known"] = "never"
    tested_as: str = "average_gain"
    undefined: Mapping[UndefinedKind, str] = field(default_factory=dict)

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

    def reading(self, value: float, facts: Mapping[str, str], *, significant: bool) -> str:
        """Say what a value means; ``facts`` has the names in braces that conditions decide."""
        if value == self.no_effect:
            # Of times the medians are compared, and all of them are tested.
            apart = self.tested_as == "log_rank" and significant
            how = "in the median, and differ in other runs" if apart else "by this metric"
            return f"{facts['experimental']} and {facts['control']} do not differ {how}."
        least, most = self.bounds
        case, more = ("", "more") if value > self.no_effect else ("less", "less")
        if value == least:
            case = "at once" if facts["control_time"] else "least"
        elif value == most:
            case = "most"
        return self.says_at.get(case, self.says).format(
            value=number_text(value),
            size=number_text(abs(value)),
            share=f"{abs(value - self.no_effect):.1%}",
            more=more,
            less="less" if more == "more" else "more",
            better="better" if more == "more" else "worse",
            **facts,
        )


_SCORES_MORE = "{experimental} scores {size} {more} than {control} "
_THRESHOLD = "the threshold, a score of {threshold}"
RECORDS = {
    record.name: record
    for record in (
        MetricRecord(
            "transfer_ratio",
            "transfer ratio",
            "The area under {experimental}'s curve is {value} times {control}'s{shifted}.",
            no_effect=1.0,
            short="ratio",
            bounds=(0.0, math.inf),
            undefined={
                "no area under the control": "the area under {control} is 0, and nothing can be "
                "divided by it."
            },
        ),
        MetricRecord(
            "transfer_regret",
            "transfer regret",
            "{experimental} is {better}: the area between the curves is {share} of the box that "
            "both span.",
            short="regret",
            bounds=(-1.0, 1.0),
            undefined={"all scores equal": "all scores are equal, so the curves span no box."},
        ),
        MetricRecord(
            "calibrated_transfer_ratio",
            "calibrated transfer ratio",
            "{experimental} achieved {share} of the improvement still possible over {control}.",
            {
                "less": "{experimental} fell short of {control} by {share} of the improvement "
                "still possible."
            },
            short="CTR",
            bounds=(-math.inf, 1.0),
            comparable="when the optimum is known",
            undefined={
                "nothing left to improve": "{control} is optimal, or better than the optimum, so "
                "nothing is left to improve."
            },
        ),
        MetricRecord(
            "average_relative_reduction",
            "average relative reduction",
            "{experimental} reached the same performance with {share} {less} training than "
            "{control}, averaged over performance{unreached}.",
            {
                "most": "{control} never reaches any of the scores between its own first one and "
                "where {experimental} ends."
            },
            short="ARR",
            bounds=(-math.inf, 1.0),
            comparable="always",
            tested_as="",
            undefined={
                "single step": "with a single step there is no training to be saved.",
                "no range of performance": "{experimental} ends at the performance that {control} "
                "begins with, or below it at levels it never reaches, so there is no range of "
                "performance to average over.",
            },
        ),
        MetricRecord(
            "jumpstart",
            "jump-start",
            _SCORES_MORE + "at the first step.",
            unit="score",
            tested_as="jumpstart",
        ),
        MetricRecord(
            "asymptotic_advantage",
            "asymptotic advantage",
            _SCORES_MORE + "at the end.",
            unit="score",
            tested_as="asymptotic_advantage",
        ),
        MetricRecord(
            "area_difference",
            "area difference",
            _SCORES_MORE + "summed {period}.",
            unit="score × step",
        ),
        MetricRecord(
            "average_gain",
            "average overall gain",
            _SCORES_MORE + "on average {period}.",
            unit="score",
        ),
        MetricRecord(
            "time_to_threshold",
            "time to threshold, ratio",
            "The median run of {experimental} needs {share} {more} training than that of "
            f"{{control}} to reach {_THRESHOLD}.",
            {
                "most": f"Fewer than half of the runs of {{experimental}} reach {_THRESHOLD}; of "
                "{control} half do by step {control_time}.",
                "least": f"Half of the runs of {{experimental}} reach {_THRESHOLD}, by step "
                "{time}; of {control} fewer than half do.",
                "at once": f"Half of the runs of {{experimental}} are at {_THRESHOLD}, at step 0; "
                "of {control} fewer are.",
            },
            no_effect=1.0,
            bounds=(0.0, math.inf),
            tested_as="log_rank",
            undefined={
                "threshold not reached": "no run reaches the threshold. Choose another one.",
                "medians not reached": "fewer than half of the runs of either reach the threshold, "
                "so there are no medians to divide.",
                "threshold reached at step 0": "half of the runs of {control} are at the threshold "
                "at step 0, before any training.",
            },
        ),
    )
}


class Tested(Record):
    """What one metric and its mean over tasks share: a name, a p, and an interval beside it."""

    name: str
    interval: Interval | None
    moved_by_test: bool
    confidence: Probability
    pvalue: Probability | None

    @property
    def record(self) -> MetricRecord:
        """What is known of the metric, whatever the data."""
        return RECORDS[self.name]

    @property
    def title(self) -> str:
        """The name, as people write it."""
        return self.record.title

    @property
    def significant(self) -> bool:
        """Whether p is at most 1 - ``confidence``."""
        # 1 - 0.95 is not quite 0.05.
        return self.pvalue is not None and self.pvalue <= round(1 - self.confidence, 12)

    @property
    def moved(self) -> str:
        """Why the interval ends where it does, if its test moved an end; else ""."""
        if not self.moved_by_test:
            return ""
        alone, instead = "leaves out", "is stretched to it"
        if self.significant:
            alone, instead = "includes", "ends before it"
        return (
            f'by itself the interval {alone} "no effect"; the shuffle test, which is exact with '
            f"few runs, decides, and the interval {instead}."
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric(Tested):
    """One metric: its value, how sure it is, and whether there is one at all.

    Attributes
    ----------
    value : float or None
        None where the metric is undefined; ``reason`` says why. Infinite where half of the
        runs never reach a threshold.
    interval : Interval or None
        At ``confidence``, of the kind ``interval_kind``; ``intervals`` has the other kinds.
        Each holds ``no_effect`` if, and only if, p is above 1 - ``confidence``, or it is the
        value itself. None for a
        metric that needs resamples and has none; unbounded with too few runs, or shuffles.
    moved_by_test : bool
        Whether the resamples by themselves disagree with p about ``no_effect``, so that an end
        of the interval was moved to agree.
    pvalue : float or None
        The share of relabellings at least as far from ``no_effect``: in the difference that
        the metric is tested as (``record.tested_as``), or in the metric itself. That of times
        is there also where they have no ratio, unless no run reaches the threshold.
    exact : bool
        Whether p is over every distinct relabelling.
    comparable : bool
        Whether values may be compared across tasks.
    undefined : str or None
        Why there is no value, as a kind; None where there is one.
    reason : str
        Why there is no value, in words; "" where there is one.
    reading : str
        What the value means, in a sentence; "" where there is none.
    error, error_df : float or None
        The standard error of the value, by leaving out one run, or block, at a time, and its
        degrees of freedom.
    resamples, null_distribution : array or None
        The metric in resamples, and in relabellings; of many a sample.
    """

    name: str = field(metadata=UNTOLD)
    value: float | None = None
    undefined: UndefinedKind | None = None
    reason: str = ""
    interval: Interval | None
    interval_kind: IntervalKind | None
    intervals: Mapping[str, Interval]
    moved_by_test: bool = False
    confidence: Probability
    error: float | None = None
    error_df: float | None = None
    pvalue: Probability | None
    exact: bool
    comparable: bool
    reading: str = ""
    resamples: Floats | None = field(default=None, repr=False, metadata=UNTOLD)
    null_distribution: Floats | None = field(default=None, repr=False, metadata=UNTOLD)

    @property
    @told(after="value")
    def infinite(self) -> bool:
        """Whether the value is infinite."""
        return self.value is not None and not math.isfinite(self.value)

    @property
    @told(after="infinite")
    def defined(self) -> bool:
        """Whether the metric has a value."""
        return self.value is not None

    @property
    @told(after="exact")
    def no_effect(self) -> float:
        """The value of the metric when the conditions do not differ."""
        return self.record.no_effect

    @property
    @told(after="no_effect")
    def unit(self) -> str:
        """The unit of the value; "" where there is none."""
        return self.record.unit


@dataclass(frozen=True)
class AcrossTasks(Tested):
    """The mean of a metric over the tasks on which it is defined and may be compared.

    The interval takes the tasks as given: it is about these tasks, not about others.

    Attributes
    ----------
    interval : Interval or None
        The mean plus or minus its standard error times a quantile of Student's t; it holds 0
        if, and only if, p is above 1 - ``confidence``. None without resamples.
    moved_by_test : bool
        Whether an end of the interval was moved to agree with p about 0.
    n_tasks, n_all : int
        How many tasks the mean is over, and how many there are.
    """

    name: str
    value: float
    interval: Interval | None
    confidence: Probability
    pvalue: Probability
    n_tasks: Count
    n_all: Count
    moved_by_test: bool = False


def cells(found: Metric | AcrossTasks | None) -> tuple[str, str, str]:
    """Return value, interval and p as they stand in a table; nothing for nothing."""
    if found is None:
        return "", "", ""
    return (
        "undefined" if found.value is None else number_text(found.value),
        "" if found.interval is None else interval_text(found.interval),
        "" if found.pvalue is None else p_text(found.pvalue),
    )

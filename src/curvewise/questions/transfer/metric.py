"""One metric of a gain: its value, how sure it is, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from curvewise.inference.effects import json_ready
from curvewise.inference.result import beside
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.text import interval_text, number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.inference.effects import Interval
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.metrics import (
        IntervalKind,
        MetricRecord,
        UndefinedKind,
    )
    from curvewise.questions.transfer.transfers import AcrossTasks

__all__ = ["Metric", "MetricContext", "cells", "interval_ends"]


@dataclass(frozen=True)
class MetricContext:
    """What the sentence about a metric takes from its conditions.

    Attributes
    ----------
    control, experimental : str
        Their names.
    times : (float, float)
        The step by which half of the runs of each reach the threshold; infinite for never.
    shifted : bool
        Whether scores were shifted for the transfer ratio.
    threshold : float
        The score of time to threshold, as it was given.
    control_gets_there : bool
        Whether the control ever reaches the score that the experimental condition ends with.
    """

    control: str
    experimental: str
    times: tuple[float, float]
    shifted: bool
    threshold: float
    control_gets_there: bool


@dataclass(frozen=True, eq=False)
class Metric:
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
    context : MetricContext
        What its sentence takes from the conditions.
    undefined : str or None
        Why there is no value, as a kind; None where there is one.
    error, error_df : float or None
        The standard error of the value, by leaving out one run, or block, at a time, and its
        degrees of freedom.
    resamples, null_distribution : array or None
        The metric in resamples, and in relabellings; of many a sample.
    """

    name: str
    value: float | None
    interval: Interval | None
    interval_kind: IntervalKind | None
    intervals: Mapping[str, Interval]
    confidence: float
    pvalue: float | None
    exact: bool
    comparable: bool
    context: MetricContext
    undefined: UndefinedKind | None = None
    moved_by_test: bool = False
    error: float | None = None
    error_df: float | None = None
    resamples: Floats | None = field(default=None, repr=False)
    null_distribution: Floats | None = field(default=None, repr=False)

    @property
    def record(self) -> MetricRecord:
        """What is known of the metric, whatever the data."""
        return RECORDS[self.name]

    @property
    def defined(self) -> bool:
        """Whether the metric has a value."""
        return self.value is not None

    @property
    def significant(self) -> bool:
        """Whether p is at most 1 - ``confidence``."""
        # 1 - 0.95 is not quite 0.05.
        alpha = round(1 - self.confidence, 12)
        return self.pvalue is not None and self.pvalue <= alpha

    @property
    def title(self) -> str:
        """The name, as people write it."""
        return self.record.title

    @property
    def no_effect(self) -> float:
        """The value of the metric when the conditions do not differ."""
        return self.record.no_effect

    @property
    def unit(self) -> str:
        """The unit of the value; "" where there is none."""
        return self.record.unit

    @property
    def reading(self) -> str:
        """What the value means, in a sentence; "" where there is none."""
        text: str = beside(self, "words").reading(self)
        return text

    @property
    def moved(self) -> str:
        """Why the interval ends where it does, if its test moved an end; else ""."""
        text: str = beside(self, "words").moved(self)
        return text

    @property
    def reason(self) -> str:
        """Why there is no value, in words; "" where there is one."""
        text: str = beside(self, "words").reason(self)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the metric as JSON-ready data; what is infinite is None."""
        is_infinite = self.value is not None and json_ready(self.value) is None
        return {
            "value": json_ready(self.value),
            "infinite": is_infinite,
            "defined": self.defined,
            "undefined": self.undefined,
            "reason": self.reason,
            "interval": interval_ends(self.interval),
            "interval_kind": self.interval_kind,
            "intervals": {
                kind: interval_ends(interval) for kind, interval in self.intervals.items()
            },
            "moved_by_test": self.moved_by_test,
            "confidence": self.confidence,
            "error": json_ready(self.error),
            "error_df": self.error_df,
            "pvalue": self.pvalue,
            "exact": self.exact,
            "no_effect": self.no_effect,
            "unit": self.unit,
            "comparable": self.comparable,
            "reading": self.reading,
        }


def interval_ends(interval: Interval | None) -> list[float | None] | None:
    """Return the ends of an interval as JSON-ready data."""
    return None if interval is None else [json_ready(end) for end in interval]


def cells(found: Metric | AcrossTasks | None) -> tuple[str, str, str]:
    """Return value, interval and p as they stand in a table; nothing for nothing."""
    if found is None:
        return "", "", ""
    return (
        "undefined" if found.value is None else number_text(found.value),
        "" if found.interval is None else interval_text(found.interval),
        "" if found.pvalue is None else p_text(found.pvalue),
    )

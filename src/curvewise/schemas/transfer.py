"""What curvewise transfer prints: how much does one condition gain on another?"""

from typing import Annotated, Literal, TypedDict

from curvewise.questions.transfer.metrics import IntervalKind, UndefinedKind
from curvewise.questions.transfer.options import Integration
from curvewise.schemas.shared import (
    Count,
    Ends,
    Pair,
    Probability,
    Sampling,
    Seed,
    Shared,
    Verdict,
)

__all__ = ["Record"]


class Metric(TypedDict):
    """One learning-comparison metric."""

    value: Annotated[float | None, "Null where it is infinite or undefined."]
    infinite: bool
    defined: bool
    undefined: UndefinedKind | None
    reason: Annotated[str | None, "Why it is undefined."]
    interval: Ends | None
    interval_kind: IntervalKind | None
    intervals: dict[str, Ends | None]
    moved_by_test: bool
    confidence: Probability
    error: float | None
    error_df: float | None
    pvalue: Probability | None
    exact: bool
    no_effect: Annotated[float, "The value that means no effect: 0, or 1 of ratios."]
    unit: str
    comparable: Annotated[bool, "Whether values of different tasks may be compared."]
    reading: Annotated[str, "The metric in a sentence."]


class Shares(TypedDict):
    """Which share of runs had not reached the threshold, from step to step."""

    steps: list[float]
    shares: list[Probability]


class Survival(TypedDict):
    """When runs reach the threshold."""

    threshold: float
    hold: Count
    horizon: float
    n_reached: Pair
    medians: tuple[float | None, float | None]
    restricted_means: tuple[float, float]
    crossing: float | None
    ahead_at_last: Literal["control", "experimental"] | None
    failed_never_reach: bool
    control: Shares
    experimental: Shares
    pvalue: Probability | None
    exact: bool


class Gain(Sampling, Shared):
    """How much the experimental condition gains on the control."""

    question: Literal["transfer"]
    source: str
    control: str
    experimental: str
    n_runs: Pair
    n_blocks: Count | None
    first_step: float
    last_step: float
    n_steps: Count
    higher_is_better: bool
    integration: Integration
    optimum: float
    optimum_known: bool
    shift: float
    threshold: float
    threshold_given: bool
    times: tuple[float | None, float | None]
    survival: Survival
    asymptotes: tuple[float, float]
    confidence: Probability
    n_resamples: Count
    recommended: Annotated[str, "The metric to report."]
    advice: str
    metrics: dict[str, Metric]


class AcrossTasks(TypedDict):
    """A metric averaged over tasks."""

    name: str
    value: float
    interval: Ends | None
    confidence: Probability
    pvalue: Probability
    n_tasks: Count
    n_all: Count
    moved_by_test: bool


class OneTask(Gain):
    """How much the experimental condition gains on the control."""

    verdict: Verdict


class ManyTasks(Shared):
    """The same on several tasks."""

    verdict: Verdict
    question: Literal["transfer_many"]
    control: str
    experimental: str
    seed: Seed
    smallest_pvalue_alone: Probability
    across: dict[str, AcrossTasks]
    tasks: dict[str, Gain]


Record = OneTask | ManyTasks

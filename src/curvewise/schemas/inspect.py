"""What curvewise inspect prints: which runs, algorithms, tasks and metrics are there?"""

from typing import Annotated, TypedDict

from curvewise.schemas.shared import Count

__all__ = ["Record"]


class MetricSpan(TypedDict):
    """Where one run logged one metric."""

    n_points: Count
    first: float
    last: float
    x: str


class ScannedMetric(TypedDict):
    """One metric over all runs."""

    name: str
    n_runs: Count
    n_points: Annotated[tuple[int, int], "The fewest and the most of a run."]
    first: float
    last: float
    x: list[str]


class ScannedRun(TypedDict):
    """One run."""

    algorithm: str
    run: str
    task: str | None
    path: str
    formats: list[str]
    metrics: dict[str, MetricSpan]
    status: str
    notes: list[str]


class Candidate(TypedDict):
    """What else could tell algorithms apart."""

    group_by: str
    values: list[str]
    sizes: list[Count]


class Skipped(TypedDict):
    """A file that was not read, and why."""

    path: str
    reason: str


class Record(TypedDict):
    """What files and folders hold."""

    place: str
    explanation: Annotated[str, "How algorithms and runs were told apart."]
    ambiguity: Annotated[str, "What could be meant otherwise; empty if nothing."]
    differences: str
    algorithms: list[str]
    tasks: list[str]
    metrics: dict[str, ScannedMetric]
    runs: list[ScannedRun]
    notes: list[str]
    candidates: list[Candidate]
    other_x: list[str]
    skipped: list[Skipped]

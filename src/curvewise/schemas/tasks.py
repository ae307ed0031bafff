"""What curvewise tasks prints: which is better on many tasks, as a whole and on each?"""

from typing import Annotated, Literal, TypedDict

from curvewise.questions.aggregate.stacking import Scaling
from curvewise.schemas.best import Bests
from curvewise.schemas.shared import (
    Count,
    Ends,
    Pair,
    Preparation,
    Probability,
    Seed,
    Shared,
    Verdict,
)

__all__ = ["Record"]


class OnTheWhole(TypedDict):
    """Whether one algorithm is better on the tasks as a whole."""

    statistic: float | None
    pvalue: Probability
    probability: Annotated[Probability, "A run of a beats a run of b, over all tasks."]
    interval: Ends
    mean_probability: Probability
    exact: bool
    n_shuffles: Count | None
    smallest_pvalue: Probability
    alpha: Probability
    pvalue_adjusted: Probability | None
    significant: bool


class Anywhere(TypedDict):
    """Whether the algorithms differ on any task."""

    statistic: float | None
    pvalue: Probability
    n_extreme: Count
    exact: bool
    n_shuffles: Count
    smallest_pvalue: Probability
    alpha: Probability
    pvalue_adjusted: Probability | None
    pvalue_interval: tuple[float, float]
    significant: bool


class AtLeast(TypedDict):
    """On how many tasks at least."""

    differ: Count
    a_better: Count
    b_better: Count
    n_tasks: Count


class TaskDifference(TypedDict):
    """Two algorithms on one task."""

    a: str
    b: str
    n_runs: Pair
    difference: float | None
    interval: Ends
    hedges_g: float | None
    standardised: Ends | None
    probability: Probability
    better: str | None
    pvalue: Probability
    pvalue_height: Probability
    pvalue_a_better: Probability
    pvalue_b_better: Probability
    exact: bool
    smallest_pvalue: Probability
    alpha: Probability
    pvalue_adjusted: Probability
    pvalue_height_adjusted: Probability
    preparation: Preparation | None
    differs: bool
    winner: Annotated[
        str | None, "Who is better on this task, if anybody was found to be."
    ]


class PairOnTasks(Shared):
    """Two algorithms on many tasks. What is concluded is about these tasks."""

    question: Literal["compare_tasks"]
    a: str
    b: str
    adjust: Literal["bh", "holm"]
    alpha: Probability
    higher_is_better: bool
    seed: Seed
    on_the_whole: OnTheWhole
    anywhere: Anywhere
    anywhere_in_curves: Anywhere | None
    at_least: AtLeast
    smallest_pvalue: Probability
    smallest_pvalue_per_task: Probability
    smallest_pvalue_alone: Probability
    dropped: list[str]
    tasks: dict[str, TaskDifference]


class AggregateScore(TypedDict):
    """How good an algorithm is over all tasks."""

    n_runs: Count
    value: float
    interval: Ends
    error: float
    df: float | None
    curve: list[float] | None
    band: tuple[list[float], list[float]] | None


class AggregateDifference(TypedDict):
    """The aggregate of a less that of b."""

    a: str
    b: str
    value: float
    interval: Ends
    error: float
    df: float | None
    curve: list[float] | None
    band: tuple[list[float], list[float]] | None


class AggregateTask(TypedDict):
    """One of the tasks of an aggregate."""

    n_runs: dict[str, Count]
    scale: Annotated[tuple[float, float] | None, "The scores that count as 0 and as 1."]
    preparation: Preparation | None


class Aggregate(Shared):
    """How good each algorithm is over all tasks."""

    question: Literal["aggregate"]
    statistic: Literal["iqm", "mean", "gap"]
    statistic_given: bool
    on: str | tuple[float, float]
    measure: str
    gamma: float | None
    scores: dict[str, AggregateScore]
    differences: list[AggregateDifference]
    confidence: Probability
    scaling: Scaling
    reference: str
    tasks: dict[str, AggregateTask]
    dropped: list[str]
    without_scale: list[str]
    steps: list[float] | None
    in_shares: bool
    higher_is_better: bool
    n_multipliers: Count | None
    seed: Seed


class Prepared(TypedDict):
    """One of the tasks that pairs are compared on."""

    preparation: Preparation | None


class Also(TypedDict):
    """What is printed besides."""

    verdict: Verdict
    aggregate: Annotated[Aggregate | None, "Null if these data give none."]
    best: Bests


class TwoAlgorithms(PairOnTasks, Also):
    """Two algorithms on many tasks."""


class ManyAlgorithms(Shared, Also):
    """Every pair of algorithms on many tasks."""

    question: Literal["compare_tasks"]
    algorithms: list[str]
    adjust: Literal["bh", "holm"]
    alpha: Probability
    seed: Seed
    smallest_pvalue: Probability
    smallest_pvalue_anywhere: Probability
    dropped: list[str]
    tasks: dict[str, Prepared]
    pairs: list[PairOnTasks]


Record = TwoAlgorithms | ManyAlgorithms

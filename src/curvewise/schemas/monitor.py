"""What curvewise monitor prints: may I stop, or do I need more runs?"""

from typing import Annotated, Literal, TypedDict

from curvewise.questions.monitor.plan import Spending
from curvewise.questions.monitor.result import Answer, Status
from curvewise.schemas.shared import Count, Pair, Probability, Shared, Verdict

__all__ = ["Record"]


class Plan(TypedDict):
    """What was decided before the first look."""

    n_batches: Count
    batch_size: Count
    spending: Spending
    alpha: Probability
    n_shuffles: Count
    seed: int
    algorithms: list[str]


class SequentialEffect(TypedDict):
    """One test over all looks so far."""

    pvalue_sequential: Annotated[Probability, "Valid whenever the looking stops."]
    pvalue_adjusted: Probability
    rejected_at: Annotated[int | None, "The look at which it was found."]
    smallest_pvalue_now: Probability
    pvalues: list[Probability]
    pvalues_adjusted: list[Probability]


class SequentialPair(TypedDict):
    """Two algorithms; p are adjusted for all pairs."""

    a: str
    b: str
    overall: SequentialEffect
    algorithm: SequentialEffect
    interaction: SequentialEffect
    difference: float
    n_runs: Pair
    n_looks: Count
    status: Status
    chance: Probability | None


class Record(Shared):
    """Whether to stop or to go on."""

    verdict: Verdict
    question: Literal["monitor"]
    answer: Answer
    look: Count
    plan: Plan
    plan_id: str
    spent: Probability
    spending: list[Probability]
    exact: bool
    batches: dict[str, dict[str, Count]]
    n_runs: dict[str, Count]
    n_steps: Count
    overall: SequentialEffect
    algorithm: SequentialEffect
    interaction: SequentialEffect
    smallest_pvalues: list[Probability]
    pairs: list[SequentialPair]
    next_batch: dict[str, Count]
    stated: str | None
    higher_is_better: bool
    source: str

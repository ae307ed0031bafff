"""Which algorithms may be the best: a part of what curvewise pairs and curvewise tasks print."""

from typing import Annotated, Literal, TypedDict

from curvewise.inference.effects import Center
from curvewise.schemas.shared import Count, Ends, Probability, Seed, Shared

__all__ = ["Best", "Bests"]


class Contender(TypedDict):
    """One algorithm against the best of the others."""

    name: str
    n_runs: Count
    mean: float
    difference: float | None
    interval: Ends | None
    pvalue: Probability | None
    pvalue_adjusted: Probability | None
    contends: Annotated[bool, "Whether it may be the best."]
    smallest_pvalue: Probability | None


class Best(Shared):
    """Which algorithms may be the best."""

    question: Literal["best"]
    source: str
    leader: Annotated[str, "Who has the best mean; that alone does not make it the best."]
    contenders: Annotated[list[str], "Those that may be the best, the leader included."]
    worse: Annotated[list[str], "Those that can be ruled out as the best."]
    adjust: str
    center: Center
    alpha: Probability
    higher_is_better: bool
    seed: Seed
    rows: list[Contender]
    smallest_pvalue: Probability
    notes: list[str]


class Standing(TypedDict):
    """One algorithm over all tasks."""

    name: str
    n_tasks: Count
    n_leads: Count
    n_may_be_best: Count
    n_alone: Count
    mean_rank: float | None


class Bests(Shared):
    """Which algorithms may be the best on each task."""

    question: Literal["best_many"]
    adjust: Literal["bh", "bonferroni"]
    center: Center
    alpha: Probability
    level: Probability
    higher_is_better: bool
    seed: Seed
    algorithms: list[str]
    dropped: list[str]
    smallest_pvalue: Probability
    smallest_pvalue_alone: Probability
    standings: list[Standing]
    pvalues_adjusted: dict[str, dict[str, Probability]]
    tasks: dict[str, Best]

"""What curvewise pairs prints: which algorithms differ, and which may be the best?"""

from typing import Annotated, Literal, TypedDict

from curvewise.inference.effects import ErrorTerm
from curvewise.schemas.best import Best
from curvewise.schemas.shared import (
    Count,
    Effect,
    Ends,
    Pair,
    Probability,
    Seed,
    Shared,
    Verdict,
)

__all__ = ["Record"]


class PairOfAlgorithms(TypedDict):
    """Two algorithms; p are adjusted for all pairs."""

    a: str
    b: str
    overall: Effect
    algorithm: Effect
    interaction: Effect | None
    difference: Annotated[float | None, "a less b, averaged over training."]
    interval: Ends
    confidence: Probability
    hedges_g: float | None
    probability_of_superiority: Probability
    n_runs: Pair
    exact: bool
    n_relabellings: Count
    n_shuffles: Count


class Record(Shared):
    """Which algorithms differ from each other, and which may be the best."""

    verdict: Verdict
    question: Literal["compare_pairs"]
    source: str
    algorithms: list[str]
    adjust: Literal["closed", "holm", "bonferroni", "max-t"]
    error: ErrorTerm
    alpha: Probability
    higher_is_better: bool
    seed: Seed
    pairs: list[PairOfAlgorithms]
    letters: Annotated[
        dict[str, str], "Algorithms that share a letter were not told apart in height."
    ]
    notes: list[str]
    smallest_pvalue: Probability
    best: Best

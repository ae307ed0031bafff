"""What curvewise gate prints: may a candidate replace a baseline?"""

from typing import Annotated, Literal

from curvewise.inference.effects import Center
from curvewise.questions.gate.result import Answer
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

Answered = Annotated[Answer, "The exit codes are 0, 1 and 4. Undecided is not a pass."]


class Gate(Sampling, Shared):
    """Whether the candidate is not worse than the baseline by more than a margin."""

    question: Literal["gate"]
    answer: Answered
    candidate: str
    baseline: str
    n_runs: Pair
    measure: str
    margin: float
    unit: Literal["score", "relative", "sd", "factor"]
    margin_score: float | None
    difference: Annotated[float | None, "Positive where the candidate is better."]
    limits: Annotated[Ends, "One-sided limits, each at confidence 1 - alpha."]
    limits_fail: Ends
    pvalue_pass: Probability
    pvalue_fail: Probability
    alpha: Probability
    alpha_fail: Probability
    two_sided: bool
    test: Literal["shuffle", "Welch", "both", "normal", "log-rank"]
    assumed: float
    power: Probability
    runs_to_decide: Count | None
    runs_to_decide_cautious: Count | None
    n_enough: Pair | None
    means: tuple[float, float] | None
    sds: tuple[float | None, float | None] | None
    step: float | None
    medians: tuple[float | None, float | None] | None
    n_reached: Pair | None
    center: Center
    n_blocks: Count | None
    higher_is_better: bool
    pvalue_fail_adjusted: Probability | None
    source: str


class OneGate(Gate):
    """Whether the candidate passes."""

    verdict: Verdict


class ManyGates(Shared):
    """Whether the candidate passes on every metric or task."""

    verdict: Verdict
    question: Literal["gate_many"]
    answer: Answered
    answers: dict[str, Answer | Literal["not examined"]]
    order: list[str]
    alpha: Probability
    seed: Seed
    gates: dict[str, Gate]


Record = OneGate | ManyGates

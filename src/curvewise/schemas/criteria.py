"""What curvewise criteria prints: which metric of a gain can be trusted for what?"""

from typing import Annotated, Literal, TypedDict

from curvewise.questions.transfer.metrics import UndefinedKind
from curvewise.questions.transfer.options import Integration
from curvewise.schemas.shared import Count, Ends, Probability, Seed, Shared, Verdict

__all__ = ["Record"]


class CurvePair(TypedDict):
    """The runs of a control and of an experimental condition."""

    name: str
    control: list[list[float]]
    experimental: list[list[float]]
    optimum: float | None
    steps: list[float]
    integration: Integration


class Case(TypedDict):
    """Curves that decide about a criterion."""

    name: str
    wanted: str
    source: str
    pairs: list[CurvePair]


class Outcome(TypedDict):
    """What a metric says of a pair of curves."""

    value: float | None
    interval: Ends | None
    pvalue: Probability | None
    undefined: UndefinedKind | None
    reason: str | None


class CaseResult(TypedDict):
    """Whether a criterion holds in a case."""

    case: str
    source: str
    holds: bool
    outcomes: list[Outcome]


class MetricVerdict(TypedDict):
    """Whether a metric meets a criterion."""

    criterion: str
    metric: str
    holds: bool
    holds_in_paper: bool | None
    published: bool | None
    agrees: bool | None
    sentence: str
    reason: str
    values: list[float | None]
    case: Case
    tried: list[CaseResult]


class Record(Shared):
    """Which metric meets which criterion."""

    verdict: Verdict
    question: Literal["criteria"]
    published_in: str
    seed: Seed
    n_verdicts: Count
    differences: Annotated[
        list[tuple[str, str]], "Criterion and metric of which the paper says otherwise."
    ]
    verdicts: list[MetricVerdict]

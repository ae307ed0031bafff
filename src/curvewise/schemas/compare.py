"""What curvewise compare and curvewise demo print: do the curves differ, where, who is best?"""

from typing import Annotated, Literal, NotRequired, TypedDict

from curvewise.inference.effects import Center, ErrorTerm, Spread
from curvewise.questions.overview.result import Withheld
from curvewise.schemas.locate import Region
from curvewise.schemas.shared import (
    Count,
    Effect,
    Ends,
    Probability,
    Sampling,
    Shared,
    Verdict,
)

__all__ = ["Comparison", "Difference", "Record"]


class Algorithm(TypedDict):
    """One algorithm: its runs, averaged over training."""

    name: str
    n_runs: Count
    mean: float
    standard_deviation: float | None
    typical: NotRequired[float]


class Row(TypedDict):
    """One source of variation."""

    source: str
    df: Count
    ss: float | None
    ms: float | None
    statistic: float | None
    pvalue: Probability | None
    pvalue_parametric: Probability | None


class Table(TypedDict):
    """An ANOVA table."""

    error: ErrorTerm
    rows: list[Row]


class Difference(TypedDict):
    """How much one of two algorithms scores more than the other, averaged over training."""

    a: str
    b: str
    value: Annotated[float | None, "a less b, in units of the score."]
    interval: Annotated[Ends, "Low and high; null where it is unbounded."]
    confidence: Probability
    hedges_g: float | None
    probability_of_superiority: Annotated[Probability, "A run of a beats a run of b."]


class Effects(TypedDict):
    """The three tests with one error term; a single step has no shape."""

    overall: Effect
    algorithm: Effect
    interaction: NotRequired[Effect]


class BothEffects(TypedDict):
    """The three tests with either error term."""

    split: Effects
    pooled: NotRequired[Effects]


class Comparison(Sampling, Shared):
    """Whether the curves differ."""

    question: Literal["compare"]
    source: str
    algorithms: list[Algorithm]
    n_steps: Count
    first_step: float
    last_step: float
    n_blocks: Count | None
    even_blocks: bool
    higher_is_better: bool
    error: ErrorTerm
    spread: Spread
    center: Center
    alpha: Probability
    overall: Annotated[
        Effect,
        "Do the curves differ at all? Claim nothing else unless this is significant.",
    ]
    algorithm: Annotated[Effect, "Height: do mean scores over training differ?"]
    interaction: NotRequired[
        Annotated[
            Effect, "Shape: does the difference depend on the step? Not with one step."
        ]
    ]
    effects: BothEffects
    table: Table
    conventional: Annotated[Table, "The table of the usual F test, for comparison only."]
    difference: Annotated[Difference | None, "Of two algorithms; null with more."]
    most_striking: Annotated[tuple[float, float] | None, "The steps that stand out most."]


class Where(TypedDict):
    """At which steps the curves differ."""

    regions: list[Region]
    differs_from: float | None
    differs_until: float | None
    smallest_pvalue_adjusted: Probability


class Best(TypedDict):
    """Which algorithms may be the best."""

    leader: str
    mean: float
    contenders: Annotated[list[str], "Those that may be the best, the leader included."]
    worse: Annotated[list[str], "Those that can be ruled out as the best."]


class Record(Comparison):
    """Whether the curves differ; if so where, and who may be the best."""

    verdict: Verdict
    where: Annotated[Where | None, "Null if no overall difference was found."]
    best: Annotated[Best | None, "Null if no overall difference was found."]
    withheld: Annotated[Withheld | None, "Why where and best are null."]

"""What curvewise calibrate prints: how often would common tests cry wolf on these runs?"""

from typing import Annotated, Literal, TypedDict

from curvewise.schemas.shared import Count, Probability, Seed, Shared, Verdict

__all__ = ["Record"]


class Rate(TypedDict):
    """How often a procedure finds a difference between halves of the same runs."""

    procedure: str
    rate: Probability
    sd: float
    n_found: Count | None
    n_splits: Annotated[Count | None, "Null where it is too large for JSON."]
    is_rate: bool
    by_construction: bool


class Splits(TypedDict):
    """The runs of one algorithm, divided in two again and again."""

    n_runs: Count
    n_splits: Count
    every: Annotated[bool, "Whether every division was tried."]
    rows: list[Rate]


class Record(Shared):
    """How often common tests find a difference where there is none."""

    verdict: Verdict
    question: Literal["calibrate"]
    source: str
    alpha: Probability
    n_steps: Count
    seed: Seed
    rows: list[Rate]
    algorithms: dict[str, Splits]

"""What curvewise power prints: how often would an experiment find a difference?"""

from typing import Annotated, Literal, NotRequired, TypedDict

from curvewise.inference.effects import EffectName
from curvewise.schemas.shared import Count, Probability, Seed, Shared, Verdict

__all__ = ["Assumptions", "Record"]


class Assumptions(TypedDict):
    """What a simulation takes for true, and how it tests."""

    effect: Annotated[str | None, "The difference looked for, in words."]
    effect_source: str
    base: str
    n_pilots: Count
    noise: str
    noise_df: Annotated[float | None, "Null where the spread is assumed, not estimated."]
    height_sd: float | None
    lift: float | None
    n_algorithms: Count
    ratio: float
    blocks: bool
    alpha: Probability
    overall: Literal["combined", "F"]
    n_experiments: Count
    n_shuffles: Count
    confidence: Probability


class Claimed(TypedDict):
    """How often an effect is claimed, which needs the overall test as well."""

    power: list[list[Probability]]
    interval: list[list[list[Probability]]]
    range: list[list[list[Probability]]]


class PowerCurve(Claimed):
    """How often an effect is found, by size of the effect and number of runs."""

    claimed: NotRequired[Claimed]


class Record(Shared):
    """How often an experiment would find a difference."""

    verdict: Verdict
    question: Literal["power"]
    n_runs: list[Count]
    sizes: list[float]
    overall: PowerCurve
    algorithm: PowerCurve
    interaction: NotRequired[PowerCurve]
    smallest_n: Annotated[Count, "With fewer runs of each nothing can be significant."]
    lacking: list[EffectName]
    assumptions: Assumptions
    seed: Seed
    source: str

"""What curvewise contrast prints: is a weighted sum of algorithms different from zero?"""

from typing import Annotated, Literal

from curvewise.inference.effects import Center
from curvewise.questions.contrast.result import Alternative
from curvewise.schemas.shared import Count, Ends, Probability, Sampling, Shared, Verdict

__all__ = ["Record"]


class Record(Sampling, Shared):
    """A weighted sum of algorithms, and whether it is different from zero."""

    verdict: Verdict
    question: Literal["contrast"]
    coefficients: dict[str, float]
    weights: Annotated[list[float] | str, "Of the steps."]
    value: float | None
    interval: Ends
    confidence: Probability
    statistic: float | None
    df: Count
    pvalue: Probability
    alternative: Alternative
    alpha: Probability
    approximate: Annotated[bool, "Whether residuals were shuffled, not runs."]
    pvalue_adjusted: Probability | None
    higher_is_better: bool
    center: Center
    source: str
    significant: bool

"""What curvewise plan prints: how many runs are needed?"""

from typing import Annotated, Literal, TypedDict

from curvewise.inference.effects import EffectName
from curvewise.schemas.power import Assumptions
from curvewise.schemas.shared import Count, Ends, Probability, Seed, Shared, Verdict

__all__ = ["Record"]

ByRuns = Annotated[dict[str, Probability], "By the number of runs of each algorithm."]


class Pairing(TypedDict):
    """How runs of a block correlate."""

    n_pairs: Count
    correlation: float | None
    interval: Ends
    confidence: Probability


class Record(Shared):
    """How many runs are needed."""

    verdict: Verdict
    question: Literal["plan"]
    n_runs: Annotated[Count, "The runs of each algorithm that suffice, if reachable."]
    n_estimate: float | None
    n_runs_range: Ends
    sizes: list[Count]
    reachable: Annotated[bool, "Whether max_runs suffice; if not, n_runs is no answer."]
    power: Probability
    power_at: ByRuns
    power_at_if_runs_vary_more: ByRuns
    power_at_if_runs_vary_less: ByRuns
    test_power_at: ByRuns
    test_power_at_if_runs_vary_more: ByRuns
    test_power_at_if_runs_vary_less: ByRuns
    smallest_n: Count
    to_find: EffectName
    cautious: bool
    reuse_pilot: bool
    pairing: Pairing | None
    max_runs: Count
    assumptions: Assumptions
    seed: Seed
    source: str

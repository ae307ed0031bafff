"""What the records of several commands hold."""

from importlib import import_module
from importlib.util import find_spec
from inspect import isabstract
from pkgutil import iter_modules
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import curvewise.questions
from curvewise.inference.caveats import Caveat
from curvewise.inference.effects import Center
from curvewise.inference.member_caveats import OfMembers
from curvewise.schemas.generation import Keywords

__all__ = [
    "CaveatRecord",
    "Count",
    "Effect",
    "Ends",
    "Pair",
    "Preparation",
    "Probability",
    "Sampling",
    "Seed",
    "Shared",
    "Verdict",
    "caveat_kinds",
]


def caveat_kinds() -> list[str]:
    """Return every kind of caveat there is, by importing the modules that define them."""
    import_module("curvewise.inference.preparation_caveats")
    for question in iter_modules(curvewise.questions.__path__, "curvewise.questions."):
        if question.ispkg and find_spec(f"{question.name}.caveats"):
            import_module(f"{question.name}.caveats")
    start: type[Any] = Caveat
    found = new = {start}
    while new:
        new = {own for kind in new for own in kind.__subclasses__()}
        found = found | new
    kinds = {own for own in found if not isabstract(own)} - {OfMembers}
    return sorted(object.__new__(kind).kind for kind in kinds)


Probability = Annotated[float, Keywords({"minimum": 0, "maximum": 1})]
Count = Annotated[int, Keywords({"minimum": 0})]
Seed = Annotated[int | None, "The seed that repeats the result; null if none mattered."]
Verdict = Annotated[str, "The paragraph to quote: what was found, by how much, how sure."]
# Of an interval; null where it is unbounded.
Ends = tuple[float | None, float | None]
Pair = tuple[int, int]
CaveatRecord = Annotated[
    dict[str, Any],
    "A warning as data: its kind, and its numbers.",
    Keywords({"properties": {"kind": {"enum": caveat_kinds()}}, "required": ["kind"]}),
]


class AlgorithmLogs(TypedDict):
    """The runs of one algorithm as they were logged."""

    name: str
    n_runs: Count
    n_short: Count
    spacing: Annotated[float | None, "The median distance of their steps."]


class RunExtent(TypedDict):
    """One run as it was logged."""

    algorithm: str
    run: str
    first: float | None
    last: float | None
    n_points: Count
    largest_gap: float | None
    short: bool


class Preparation(TypedDict):
    """How runs were brought to common steps, and what became of short ones."""

    how: Literal["linear", "previous", "bins", ""]
    grid: str
    grid_run: str
    n_steps: Count
    first: float
    last: float
    n_runs: Count
    n_points: Count
    n_interpolated: Count
    n_cut: Count
    n_filled: Count
    n_dropped: Count
    coverage: float
    begins_with: str
    ends_with: str
    algorithms: list[AlgorithmLogs]
    short: Literal["prefix", "worst", "carry", "drop", ""]
    fill: float | None
    reason: str
    failure_pvalue: Probability | None
    runs: list[RunExtent]
    notes: list[str]
    sentence: str
    depends_on_fill: NotRequired[
        Annotated[list[str], "Keys whose values mean little, as they depend on the fill."]
    ]


class Shared(TypedDict):
    """What every result has."""

    preparation: Annotated[
        Preparation | None, "How runs became curves, where they were aligned or short."
    ]
    warnings: Annotated[
        list[str],
        "What to know before believing the rest, the gravest first; quote them.",
    ]
    caveats: Annotated[list[CaveatRecord], "The warnings as data."]


class Sampling(TypedDict):
    """How relabellings were visited."""

    exact: Annotated[bool, "Whether every distinct relabelling was visited."]
    n_relabellings: Annotated[int, "How many there are."]
    n_shuffles: Annotated[int, "How many were visited."]
    engine: str
    seed: Seed
    smallest_pvalue: Annotated[
        Probability, "No data could have given a smaller p: the floor of every p here."
    ]


class Effect(TypedDict):
    """One effect: its statistic, and where that falls among those of shuffled tables."""

    statistic: float | None
    symbol: Literal["F", "C", "D"]
    f: float | None
    df: tuple[float, float]
    pvalue: Annotated[
        Probability, "The share of relabellings that are at least as extreme; never 0."
    ]
    pvalue_interval: Annotated[
        tuple[float, float], "Where the exact p is, with 95% confidence."
    ]
    pvalue_parametric: Annotated[
        Probability, "The usual F test: invalid when the scores of a run are correlated."
    ]
    significant: Annotated[bool, "Whether this test alone has p at most alpha."]
    critical_value: float | None
    effect_size: Annotated[float, "Partial omega squared."]
    n_extreme: Count
    n_shuffles: Count
    exact: bool
    pvalue_adjusted: NotRequired[Probability]
    components: NotRequired[dict[str, float]]
    center: NotRequired[Center]

"""What curvewise locate prints: at which steps do the curves differ?"""

from typing import Annotated, Literal, NotRequired, TypedDict

from curvewise.inference.effects import EffectName
from curvewise.questions.locate.result import Adjustment
from curvewise.schemas.shared import Count, Ends, Probability, Sampling, Shared, Verdict

__all__ = ["Record", "Region"]


class Share(TypedDict):
    """A share of the total difference."""

    value: float
    interval: Ends | None


class Region(TypedDict):
    """Neighbouring steps at each of which the curves differ."""

    start: float
    stop: float
    n_steps: Count
    statistic: float | None
    pvalue: Annotated[Probability, "The smallest of its steps, adjusted for all steps."]
    leader: Annotated[str | None, "Who is highest on average."]
    throughout: Annotated[bool, "Whether the leader leads at every step."]
    share: Share | None


class Cluster(TypedDict):
    """Neighbouring steps whose F is large, tested together."""

    start: float
    stop: float
    mass: float | None
    pvalue: Probability


class StepEffect(TypedDict):
    """A test at every step."""

    df: tuple[float, float]
    profile: list[float | None]
    cumulative_share: list[float | None] | None
    statistic: list[float | None]
    pvalue: list[Probability | None]
    pvalue_adjusted: Annotated[list[Probability | None], "Adjusted for all steps."]
    pvalue_stepdown: list[Probability | None]
    pvalue_intervalwise: list[Probability | None] | None
    regions: list[Region]
    clusters: list[Cluster]
    cluster_threshold: float | None


class Band(TypedDict):
    """The difference of two algorithms at every step, with a band for all steps at once."""

    a: str
    b: str
    difference: list[float | None]
    low: list[float | None]
    high: list[float | None]
    confidence: Probability


class Crossing(TypedDict):
    """Where two mean curves cross."""

    step: float
    interval: Ends
    leads_before: str
    leads_after: str
    confidence: Probability


class WindowEffect(TypedDict):
    """Height or shape inside a window."""

    name: EffectName
    statistic: float | None
    df: tuple[float, float]
    pvalue: Probability
    pvalue_adjusted: Probability
    alpha: Probability
    significant: bool


class WindowSteps(TypedDict):
    """Whether the curves differ at some step of a window."""

    pvalue_adjusted: Probability
    alpha: Probability
    significant: bool


class Window(TypedDict):
    """A window of steps; its p are adjusted for all windows."""

    start: float
    stop: float
    n_steps: Count
    asked: Annotated[tuple[float, float] | None, "As --window gave it."]
    pvalue_adjusted: Probability
    somewhere: WindowSteps
    algorithm: WindowEffect
    interaction: WindowEffect | None


class Striking(TypedDict):
    """The windows that stand out most; a single step has no shape."""

    algorithm: Window
    interaction: NotRequired[Window]


class Windows(TypedDict):
    """Every window was tested; these stand out."""

    n_windows: Count
    most_striking: Striking


class Record(Sampling, Shared):
    """At which steps the curves differ, from when, until when."""

    verdict: Verdict
    question: Literal["locate"]
    source: str
    algorithms: list[str]
    n_runs: list[Count]
    steps: list[float]
    n_blocks: Count | None
    higher_is_better: bool
    alpha: Probability
    adjust: Adjustment
    differs_from: Annotated[float | None, "The curves differ by this step at the latest."]
    differs_until: Annotated[float | None, "The curves differ still at this step."]
    pvalue_from: list[Probability | None]
    pvalue_until: list[Probability | None]
    algorithm: StepEffect
    interaction: NotRequired[StepEffect]
    windows: Windows | None
    band: Annotated[Band | None, "Of two algorithms; null with more, or too few runs."]
    crossing: Crossing | None
    crossings: list[Crossing]
    window: NotRequired[Annotated[Window, "The one that --window asked about."]]

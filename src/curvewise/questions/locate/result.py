"""What `locate` found: at which steps, from when, until when."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from curvewise.data.points import in_window
from curvewise.errors import refuse
from curvewise.inference.caveats import Caveat
from curvewise.inference.result import PARTS, Result
from curvewise.inference.work import Sampled
from curvewise.records import INLINE, UNTOLD, Record, told
from curvewise.rendering.tables import Table
from curvewise.text import (
    column_texts,
    did_you_mean,
    everything,
    number_text,
    p_text,
    plural,
    step_text,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from curvewise.inference.result import Interval
    from curvewise.inference.work import Sampling
    from curvewise.kernels import Floats
    from curvewise.questions.locate.method import Share, ShareBootstrap, WindowTest, WindowTests
    from curvewise.records import As, Count, Extended, Probability

    Probabilities = Annotated[Floats, As(list[Probability | None])]


Adjustment = Literal["max-f", "step-down"]


@dataclass(frozen=True)
class Region(Record):
    """Neighbouring steps at which the algorithms differ, both ends included.

    ``pvalue`` is the smallest adjusted p in it, ``leader`` the algorithm that is ahead there
    on average (None where the question is not who is ahead), ``throughout`` whether it is
    ahead at each step. Who is ahead is observed, not tested. ``share`` is how much of the effect
    over all of training lies in the region.
    """

    start: float
    stop: float
    n_steps: Count
    statistic: Extended
    pvalue: Probability
    leader: str | None = None
    throughout: bool = True
    share: Share | None = None


@dataclass(frozen=True)
class Cluster(Record):
    """Neighbouring steps with an F above a threshold, and the p of their summed F.

    A small p says that some such cluster is real. It says nothing about where it begins.
    """

    start: float
    stop: float
    mass: Extended
    pvalue: Probability


@dataclass(frozen=True, eq=False)
class StepEffect(Record):
    """One effect, step by step.

    Attributes
    ----------
    name : "algorithm" or "interaction"
        Differences between algorithms at a step (A), or how far these depart from the
        differences averaged over training (I).
    profile : array
        Sums of squares A or I at each step.
    statistic : array
        F at each step; its degrees of freedom are ``df``.
    pvalue : array
        For a step that was chosen before the data were seen.
    pvalue_adjusted : array
        For all steps together: the chance of any false alarm is at most alpha. A change of the
        difference ("interaction") is claimed only behind a difference at some step, so its p
        is never below the smallest of "algorithm".
    pvalue_stepdown : array
        The same by steps down from the most striking one: never larger, and as safe.
    pvalue_intervalwise : array or None
        The largest p of all windows that hold the step.
    regions : tuple of Region
        Where ``pvalue_adjusted`` is at most alpha.
    clusters : tuple of Cluster
        Neighbouring steps with F above ``cluster_threshold``.
    """

    name: str = field(metadata=UNTOLD)
    df: tuple[int, int]
    profile: Floats
    statistic: Floats
    pvalue: Probabilities
    pvalue_adjusted: Probabilities
    pvalue_stepdown: Probabilities
    pvalue_intervalwise: Probabilities | None
    regions: tuple[Region, ...]
    clusters: tuple[Cluster, ...]
    cluster_threshold: Extended

    @property
    @told(after="profile")
    def cumulative_share(self) -> Floats:
        """The share of the profile up to each step."""
        total = self.profile.sum()
        return np.cumsum(self.profile) / total if total > 0 else np.zeros_like(self.profile)


@dataclass(frozen=True, eq=False)
class Band(Record):
    """The difference of two mean curves, ``a`` minus ``b``, with a band for all of it.

    With the stated confidence the band holds the true difference at every step at once. It
    leaves 0 out at the steps in a region, and at no other; where it leaves out nothing but 0,
    its end is the smallest positive number, or the largest negative one. Its ends are infinite
    where there are too few relabellings for this confidence.
    """

    a: str
    b: str
    difference: Floats
    low: Floats
    high: Floats
    confidence: Probability


@dataclass(frozen=True)
class Crossing(Record):
    """Where two mean curves cross: before ``step`` one leads, after it the other.

    At both ends of ``interval``, which are steps in regions, the difference band leaves 0 out,
    on either side of it, and at no step between them. The confidence is that of the band, for
    all steps and crossings at once. ``step`` is where the observed curves cross in between.
    """

    step: float
    interval: Interval
    leads_before: str
    leads_after: str
    confidence: Probability


@dataclass(frozen=True, eq=False, kw_only=True)
class Location(Sampled, Result, question="locate"):
    """At which steps do the curves differ, from when, until when? What `locate` found.

    Attributes
    ----------
    steps : array
    effects : mapping from "algorithm" and "interaction" to StepEffect
        Everything step by step; ``algorithm_profile``, ``interaction_profile``,
        ``statistic``, ``pvalue_adjusted`` and ``regions`` are short ways in.
    differs_from, differs_until : step or None
        With confidence 1 − alpha, for both together, the algorithms already differ at or
        before the first and still differ at or after the second. All regions lie between
        them; None without regions.
    pvalue_from, pvalue_until : array
        The p of "no difference from the start to this step", and "… from this step to the
        end", adjusted for both claims: each is made up to the last step with p of at most
        alpha.
    windows : WindowTests or None
        Every window of training; ``window(start, stop)`` looks one up.
    band : Band or None
        The difference of two algorithms.
    crossings : tuple of Crossing
        Where two algorithms are known to change places, in order; ``crossing`` is the one
        between the longest leads.
    sampling : Sampling
        How relabellings were visited; its attributes are those of the result.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    bootstrap : ShareBootstrap
        What ``share`` resamples.
    period : str
        What all steps are: "over training", or the part of it that was read.
    """

    source: str = ""
    algorithms: tuple[str, ...]
    n_runs: tuple[Count, ...]
    steps: Annotated[np.ndarray[Any, Any], As(list[float])]
    n_blocks: Count | None
    higher_is_better: bool
    alpha: Probability
    adjust: Adjustment
    sampling: Sampling = field(metadata=INLINE)
    differs_from: float | None
    differs_until: float | None
    pvalue_from: Probabilities = field(repr=False)
    pvalue_until: Probabilities = field(repr=False)
    effects: Mapping[str, StepEffect] = field(repr=False, metadata=UNTOLD)
    windows: WindowTests | None = field(repr=False)
    band: Band | None = field(repr=False)
    crossings: tuple[Crossing, ...]
    bootstrap: ShareBootstrap = field(repr=False, metadata=UNTOLD)
    period: str = field(default="over training", repr=False, metadata=UNTOLD)
    in_score_units: ClassVar[tuple[str, ...]] = ("algorithm.profile", "interaction.profile", "band")

    @property
    @told(after="pvalue_until")
    def algorithm(self) -> StepEffect:
        """Differences between algorithms, step by step."""
        return self.effects["algorithm"]

    @property
    @told(after="algorithm", unless=None)
    def interaction(self) -> StepEffect | None:
        """How far these depart from the mean over training; None with a single step."""
        return self.effects.get("interaction")

    @property
    def algorithm_profile(self) -> Floats:
        """A: how far apart the algorithms are at each step, as sums of squares."""
        return self.effects["algorithm"].profile

    @property
    def interaction_profile(self) -> Floats:
        """I: how far that departs from the mean over training; all 0 with a single step."""
        return self.interaction.profile if self.interaction else np.zeros(len(self.steps))

    @property
    def statistic(self) -> Floats:
        """F at each step."""
        return self.effects["algorithm"].statistic

    @property
    def pvalue_adjusted(self) -> Floats:
        """The adjusted p-value at each step."""
        return self.effects["algorithm"].pvalue_adjusted

    @property
    def regions(self) -> tuple[Region, ...]:
        """Where the algorithms differ."""
        return self.effects["algorithm"].regions

    @property
    @told(after="band")
    def crossing(self) -> Crossing | None:
        """The crossing with the most steps in regions between it and the next ones, if any."""
        if not self.crossings:
            return None
        inside = self.steps[self.pvalue_adjusted <= self.alpha]
        middles = [-np.inf, *(crossing.step for crossing in self.crossings), np.inf]
        counts = [
            int(np.sum((inside > before) & (inside < after)))
            for before, after in zip(middles[:-2], middles[2:], strict=True)
        ]
        return self.crossings[int(np.argmax(counts))]

    def share(
        self, effect: str = "algorithm", start: float | None = None, stop: float | None = None
    ) -> Share:
        """Return how much of an effect lies between two steps, both included.

        The number carries its bootstrap interval: ``share.interval``.
        """
        return self.shares(effect, [(start, stop)])[0]

    def shares(
        self, effect: str, windows: Sequence[tuple[float | None, float | None]]
    ) -> list[Share]:
        """Return how much of an effect lies in each of several windows."""
        row = effect_row(effect, self.effects)
        ends = [np.flatnonzero(in_window(self.steps, *steps))[[0, -1]] for steps in windows]
        places = [(int(first), int(last)) for first, last in ends]
        return self.bootstrap.shares(row, places, self.effects[effect].profile)

    def window(self, start: float | None = None, stop: float | None = None) -> WindowTest:
        """Return three tests between two steps, with p that allow for choosing them.

        With many hundreds of steps, windows are widened to whole portions of them; the
        result says which steps it is about.
        """
        if self.windows is None:
            refuse("Windows were left out: locate the curves with windows=True.", "")
        asked = self.steps[in_window(self.steps, start, stop)]
        return self.windows.smallest_containing(asked[0], asked[-1])

    def tables(self) -> list[Table]:
        """Return what there is to show: regions, steps if they are few, clusters."""
        clusters = [
            (name, cluster)
            for name, effect in self.effects.items()
            for cluster in effect.clusters
            # The others are what chance explains.
            if cluster.pvalue <= self.alpha
        ]
        tables = [_regions(self)]
        if self.windows is not None:
            tables.append(_windows(self, self.windows))
        if clusters:
            tables.append(_clusters(self, clusters))
        if len(self.steps) <= MAX_STEPS:
            tables.append(_steps(self))
        return tables


def effect_row(effect: str, known: Collection[str] = PARTS) -> int:
    """Return the place of an effect among those known, or raise."""
    if effect not in known:
        refuse(f"No effect is called {effect!r}; {did_you_mean(str(effect), known)}", "effect")
    return list(known).index(effect)


MAX_STEPS = 25  # a longer table is not read but scrolled
MAX_REGIONS = 12
WHAT_DIFFERS = {"algorithm": "any difference", "interaction": "change of difference"}
WINDOW_ASKS = {"algorithm": "differ on average", "interaction": "gap changes"}


def _regions(location: Location) -> Table:
    rows, n_more = [], 0
    for name, effect in location.effects.items():
        longest = sorted(effect.regions, key=lambda region: -region.n_steps)[:MAX_REGIONS]
        n_more += len(effect.regions) - len(longest)
        shown = sorted(longest, key=lambda region: region.start)
        rows += [
            (
                WHAT_DIFFERS[name],
                region.leader or "",
                step_text(region.start),
                step_text(region.stop),
                number_text(region.statistic),
                p_text(region.pvalue),
                _share(region.share),
            )
            for region in shown
        ]
    if not rows:
        rows = [("no step stands out", "", "", "", "", "", "")]
    header = ("regions", "ahead", "from", "to", "largest F", "p", "share of the total difference")
    how = {"max-f": "largest F", "step-down": "largest F, stepping down"}[location.adjust]
    adjusted = (
        f"p is adjusted for {plural(len(location.steps), 'step')} ({how} of each relabelling): the "
        f"chance that any step is named falsely is at most {location.alpha:g}, for each of "
        "the two questions; a change is named only if some difference is."
    )
    shares = "Shares describe the observed differences, including chance"
    notes = [adjusted, f"{shares}; intervals are bootstrap intervals."]
    if n_more:
        notes.append(f"The longest regions are shown; {n_more} more are in {everything()}.")
    return Table(header, tuple(rows), notes=tuple(notes), n_text_columns=2)


def _share(share: Share | None) -> str:
    if share is None or share.interval is None:
        return "" if share is None else f"{share:.0%}"
    return f"{share:.0%} ({share.interval.low:.0%} to {share.interval.high:.0%})"


def _windows(location: Location, windows: WindowTests) -> Table:
    found = {name: windows.most_striking(name) for name in location.effects}
    note = (
        "p allows for all windows and both effects, so any window may be chosen by looking; "
        "p if planned holds only for a window fixed before seeing the data. p of its steps: "
        "do the curves differ somewhere in it? It allows for all steps, as in the regions."
    )
    return Table.of(
        [(window, name, getattr(window, name)) for name, window in found.items()],
        ("most striking window", lambda own: WINDOW_ASKS[own[1]]),
        ("from", lambda own: step_text(own[0].start)),
        ("to", lambda own: step_text(own[0].stop)),
        ("F", lambda own: number_text(own[2].statistic)),
        ("p", lambda own: p_text(own[2].pvalue_adjusted)),
        ("p if planned", lambda own: p_text(own[2].pvalue)),
        ("p of its steps", lambda own: p_text(own[0].somewhere.pvalue_adjusted)),
        notes=(note,),
    )


def _clusters(location: Location, clusters: list[tuple[str, Cluster]]) -> Table:
    threshold = number_text(location.effects["algorithm"].cluster_threshold)
    note = (
        f"Clusters of steps with F of {threshold} or more, by summed F. A small p says that "
        "some cluster is real, not where it begins or ends; it is a test of its own. Those with "
        "p above "
        f"{location.alpha:g} are left out; all of them are in {everything()}."
    )
    return Table.of(
        clusters,
        ("clusters", lambda own: WHAT_DIFFERS[own[0]]),
        ("from", lambda own: step_text(own[1].start)),
        ("to", lambda own: step_text(own[1].stop)),
        ("mass", lambda own: number_text(own[1].mass)),
        ("p", lambda own: p_text(own[1].pvalue)),
        notes=(note,),
    )


def _steps(location: Location) -> Table:
    header = ["step"]
    columns = [[step_text(step) for step in location.steps.tolist()]]
    for name, effect in location.effects.items():
        what = {"algorithm": "difference SS", "interaction": "change SS"}[name]
        header += [what, "so far", "F", "p"]
        columns += [
            column_texts(effect.profile.tolist()),
            [f"{share:.0%}" for share in effect.cumulative_share],
            column_texts(effect.statistic.tolist()),
            [p_text(p) for p in effect.pvalue_adjusted],
        ]
    notes = ["difference SS: between algorithms at the step, as a sum of squares (A)."]
    if "interaction" in location.effects:
        notes.append("change SS: the same when each curve's own mean is taken off (I).")
    return Table(tuple(header), tuple(zip(*columns, strict=True)), notes=tuple(notes))


class InfiniteFAtSteps(Caveat):
    """At some steps all runs of an algorithm have the same score."""

    n_steps: int

    def sentence(self) -> str:
        """Say what to check."""
        return (
            f"At {plural(self.n_steps, 'step')} all runs of an algorithm have the same score, "
            "so F is infinite there. Check that the runs are separate runs; p is still valid."
        )

"""What `locate` found: at which steps, from when, until when."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from curvewise.data.steps import in_window
from curvewise.errors import OptionError
from curvewise.inference.effects import json_ready
from curvewise.inference.result import Result
from curvewise.inference.sampling import Sampled
from curvewise.questions.locate.tables import location_tables
from curvewise.text import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Interval
    from curvewise.inference.sampling import Sampling
    from curvewise.kernels import Floats
    from curvewise.questions.locate.shares import Share, ShareBootstrap
    from curvewise.questions.locate.windows import WindowTest, WindowTests
    from curvewise.rendering.tables import Table

__all__ = ["Band", "Cluster", "Crossing", "Location", "Region", "StepEffect"]

Adjustment = Literal["max-f", "step-down"]


@dataclass(frozen=True)
class Region:
    """Neighbouring steps at which the algorithms differ, both ends included.

    ``pvalue`` is the smallest adjusted p in it, ``leader`` the algorithm that is ahead there
    on average (None where the question is not who is ahead), ``throughout`` whether it is
    ahead at each step. Who is ahead is observed, not tested. ``share`` is how much of the effect
    over all of training lies in the region.
    """

    start: float
    stop: float
    n_steps: int
    statistic: float
    pvalue: float
    leader: str | None = None
    throughout: bool = True
    share: Share | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the region as JSON-ready data."""
        values = {name: json_ready(value) for name, value in vars(self).items()}
        return {**values, "share": self.share and self.share.to_dict()}


@dataclass(frozen=True)
class Cluster:
    """Neighbouring steps with an F above a threshold, and the p of their summed F.

    A small p says that some such cluster is real. It says nothing about where it begins.
    """

    start: float
    stop: float
    mass: float
    pvalue: float

    def to_dict(self) -> dict[str, Any]:
        """Return the cluster as JSON-ready data."""
        return {name: json_ready(value) for name, value in vars(self).items()}


@dataclass(frozen=True, eq=False)
class StepEffect:
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

    name: str
    profile: Floats
    statistic: Floats
    df: tuple[int, int]
    pvalue: Floats
    pvalue_adjusted: Floats
    pvalue_stepdown: Floats
    pvalue_intervalwise: Floats | None
    regions: tuple[Region, ...]
    clusters: tuple[Cluster, ...]
    cluster_threshold: float

    @property
    def cumulative_share(self) -> Floats:
        """The share of the profile up to each step."""
        total = self.profile.sum()
        return (
            np.cumsum(self.profile) / total if total > 0 else np.zeros_like(self.profile)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the effect as JSON-ready data."""
        arrays = ["profile", "cumulative_share", "statistic", "pvalue"]
        arrays += ["pvalue_adjusted", "pvalue_stepdown", "pvalue_intervalwise"]
        listed = {
            name: None if getattr(self, name) is None else _listed(getattr(self, name))
            for name in arrays
        }
        return {
            "df": list(self.df),
            **listed,
            "regions": [region.to_dict() for region in self.regions],
            "clusters": [cluster.to_dict() for cluster in self.clusters],
            "cluster_threshold": self.cluster_threshold,
        }


@dataclass(frozen=True, eq=False)
class Band:
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
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Return the band as JSON-ready data; an unbounded end is None."""
        arrays = ("difference", "low", "high")
        return {
            "a": self.a,
            "b": self.b,
            **{name: _listed(getattr(self, name)) for name in arrays},
            "confidence": self.confidence,
        }


@dataclass(frozen=True)
class Crossing:
    """Where two mean curves cross: before ``step`` one leads, after it the other.

    At both ends of ``interval``, which are steps in regions, the difference band leaves 0 out,
    on either side of it, and at no step between them. The confidence is that of the band, for
    all steps and crossings at once. ``step`` is where the observed curves cross in between.
    """

    step: float
    interval: Interval
    leads_before: str
    leads_after: str
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Return the crossing as JSON-ready data."""
        interval = [json_ready(self.interval.low), json_ready(self.interval.high)]
        return {**vars(self), "interval": interval}


@dataclass(frozen=True, eq=False)
class Location(Sampled, Result):
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
    """

    algorithms: tuple[str, ...]
    n_runs: tuple[int, ...]
    steps: np.ndarray[Any, Any]
    n_blocks: int | None
    higher_is_better: bool
    effects: Mapping[str, StepEffect] = field(repr=False)
    differs_from: float | None
    differs_until: float | None
    pvalue_from: Floats = field(repr=False)
    pvalue_until: Floats = field(repr=False)
    windows: WindowTests | None = field(repr=False)
    band: Band | None = field(repr=False)
    crossings: tuple[Crossing, ...]
    adjust: Adjustment
    alpha: float
    sampling: Sampling
    caveats: tuple[Caveat, ...]
    bootstrap: ShareBootstrap = field(repr=False)
    source: str = ""
    preparation: Preparation | None = None
    in_score_units: ClassVar[tuple[str, ...]] = (
        "algorithm.profile",
        "interaction.profile",
        "band",
    )

    @property
    def algorithm_profile(self) -> Floats:
        """A: how far apart the algorithms are at each step, as sums of squares."""
        return self.effects["algorithm"].profile

    @property
    def interaction_profile(self) -> Floats:
        """I: how far that departs from the mean over training; all 0 with a single step."""
        if "interaction" not in self.effects:
            return np.zeros(len(self.steps))
        return self.effects["interaction"].profile

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
        self,
        effect: str = "algorithm",
        start: float | None = None,
        stop: float | None = None,
    ) -> Share:
        """Return how much of an effect lies between two steps, both included.

        The number carries its bootstrap interval: ``share.interval``.
        """
        return self.shares(effect, [(start, stop)])[0]

    def shares(
        self, effect: str, windows: Sequence[tuple[float | None, float | None]]
    ) -> list[Share]:
        """Return how much of an effect lies in each of several windows."""
        if effect not in self.effects:
            msg = f"No effect is called {effect!r}; {did_you_mean(str(effect), self.effects)}"
            raise OptionError(msg, option="effect")
        ends = [
            np.flatnonzero(in_window(self.steps, *steps))[[0, -1]] for steps in windows
        ]
        return self.bootstrap.shares(
            list(self.effects).index(effect),
            [(int(first), int(last)) for first, last in ends],
            self.effects[effect].profile,
        )

    def window(self, start: float | None = None, stop: float | None = None) -> WindowTest:
        """Return three tests between two steps, with p that allow for choosing them.

        With many hundreds of steps, windows are widened to whole portions of them; the
        result says which steps it is about.
        """
        if self.windows is None:
            msg = "Windows were left out: locate the curves with windows=True."
            raise OptionError(msg)
        asked = self.steps[in_window(self.steps, start, stop)]
        return self.windows.smallest_containing(asked[0], asked[-1])

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the p of every window as JSON-ready data."""
        return {
            "question": "locate",
            "source": self.source,
            "algorithms": list(self.algorithms),
            "n_runs": list(self.n_runs),
            "steps": self.steps.tolist(),
            "n_blocks": self.n_blocks,
            "higher_is_better": self.higher_is_better,
            "alpha": self.alpha,
            "adjust": self.adjust,
            **self.sampling.to_dict(),
            "differs_from": self.differs_from,
            "differs_until": self.differs_until,
            "pvalue_from": _listed(self.pvalue_from),
            "pvalue_until": _listed(self.pvalue_until),
            **{name: effect.to_dict() for name, effect in self.effects.items()},
            "windows": None if self.windows is None else self.windows.to_dict(),
            "band": None if self.band is None else self.band.to_dict(),
            "crossing": None if self.crossing is None else self.crossing.to_dict(),
            "crossings": [crossing.to_dict() for crossing in self.crossings],
            **self.shared_dict(),
        }

    def tables(self) -> list[Table]:
        """Return what there is to show: regions, steps if they are few, clusters."""
        return location_tables(self)


def _listed(values: Floats) -> list[float | None]:
    return [json_ready(float(value)) for value in values]

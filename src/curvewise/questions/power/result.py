"""What `estimate_power` found."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from curvewise.inference.caveats import Caveat, prepared, spread_caveat, too_few_shuffles
from curvewise.inference.result import EFFECTS, Result
from curvewise.inference.simulate import MIN_PILOTS_UNPOOLED, PilotNoise
from curvewise.records import UNTOLD, As, Record
from curvewise.rendering.tables import Table
from curvewise.text import (
    argument,
    call,
    in_python,
    listed,
    number_text,
    percent,
    plural,
    step_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.inference.result import EffectName, OverallTest
    from curvewise.inference.simulate import Scenario
    from curvewise.kernels import Floats
    from curvewise.questions.power.method import Model
    from curvewise.records import Count, Extended, Probability


@dataclass(frozen=True)
class Assumptions(Record):
    """What a simulation takes for true, and how it tests.

    Attributes
    ----------
    effect : Scenario or None
        The difference that is looked for, of the last size; None where it was observed.
    effect_source : "stated" or "observed, shrunk"
    base : str
        The algorithm whose mean curve is changed; empty without pilots.
    n_pilots : int
        How many pilot runs tell about the spread; 0 where it is assumed.
    noise : str
        "gaussian", "resample", or in words what is assumed.
    noise_df : float
        How many runs' worth is known about the spread; infinite where it is assumed.
    height_sd : float
        The standard deviation of curve means.
    lift : float
        How much higher the last algorithm is, averaged over training.
    n_algorithms : int
    ratio : float
        Runs of the first algorithm for a run of each other one.
    blocks : bool
        Whether runs are in blocks with one run of each algorithm.
    alpha, overall, n_experiments, n_shuffles, confidence
        As asked for.
    """

    effect: Annotated[Scenario | None, As(str | None)] = field(
        metadata={"through": lambda effect: effect and str(effect)}
    )
    effect_source: str
    base: str
    n_pilots: Count
    noise: str
    noise_df: Extended
    height_sd: Extended
    lift: Extended
    n_algorithms: Count
    ratio: float
    blocks: bool
    alpha: Probability
    overall: OverallTest
    n_experiments: Count
    n_shuffles: Count
    confidence: Probability


@dataclass(frozen=True, eq=False)
class PowerCurve(Record):
    """How often one test finds the difference, by runs and sizes.

    Arrays are (n_runs, n_sizes), or have low and high as a last axis.

    Attributes
    ----------
    name : "overall", "algorithm" or "interaction"
    power : array
        The share of simulated experiments in which the test was significant.
    interval : array
        Where that share would be with endless experiments (Clopper & Pearson).
    range : array
        The power if runs vary as much more, or less, than the pilots as pilots of this number
        leave open. Simulated from the same experiments.
    claimed : PowerCurve or None
        The same of what `compare` claims: it claims height or shape only where the overall test
        is significant too. None for the overall test, which is claimed as it is.
    """

    name: EffectName = field(metadata=UNTOLD)
    power: Annotated[Floats, As(list[list[Probability]])]
    interval: Annotated[Floats, As(list[list[list[Probability]]])]
    range: Annotated[Floats, As(list[list[list[Probability]]])]
    claimed: PowerCurve | None = field(default=None, metadata={"unless": None})

    @property
    def verdict(self) -> PowerCurve:
        """How often `compare` would say so: what is claimed, or the overall test itself."""
        return self if self.claimed is None else self.claimed


class Simulated(Result):
    """What was found by simulating experiments under some assumptions."""

    assumptions: Assumptions
    in_score_units: ClassVar[tuple[str, ...]] = ("assumptions.height_sd", "assumptions.lift")

    @property
    def effect_source(self) -> str:
        """Where the effect comes from: "stated" or "observed, shrunk"."""
        return self.assumptions.effect_source

    @property
    def noise_df(self) -> float:
        """How many runs' worth is known about the spread."""
        return self.assumptions.noise_df

    @abstractmethod
    def table(self) -> Table:
        """Return all that was found."""

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        return [self.table()]


@dataclass(frozen=True, eq=False, kw_only=True)
class Power(Simulated, question="power"):
    """How often an experiment would find a difference, by its runs and the size of it.

    Attributes
    ----------
    n_runs : tuple of int
        Runs of each algorithm (with a ratio: of each but the first).
    sizes : tuple of float
        Sizes of the effect; a single 1.0 where it was observed.
    overall, algorithm : PowerCurve
        How often the tests of any difference, and of height, are significant; ``claimed`` of the
        latter says how often `compare` would claim a difference in height.
    interaction : PowerCurve or None
        The same of shape; None of curves with a single step.
    smallest_n : int
        With fewer runs no data could be significant, and power is 0.
    lacking : tuple of str
        What the effect leaves as it is, "algorithm" or "interaction": what is found there is a
        false alarm.
    assumptions : Assumptions
        What was simulated; its attributes ``effect_source`` and ``noise_df`` are those of the
        result.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    """

    n_runs: tuple[Count, ...]
    sizes: tuple[float, ...]
    overall: PowerCurve
    algorithm: PowerCurve
    interaction: PowerCurve | None = field(metadata={"unless": None})
    smallest_n: Count
    lacking: tuple[EffectName, ...]
    assumptions: Assumptions
    seed: int | None = None
    source: str = ""

    @property
    def has_ranges(self) -> bool:
        """Whether the spread that pilots leave open makes a difference to any power."""
        shown = [curve.verdict for curve in self.curves]
        return any(float(np.ptp(curve.range, axis=-1).max()) > 0 for curve in shown)

    @property
    def curves(self) -> tuple[PowerCurve, ...]:
        """The powers of all tests."""
        return tuple(filter(None, (self.overall, self.algorithm, self.interaction)))

    def table(self) -> Table:
        """Return a row for every number of runs and size: how often `compare` finds what.

        Beside what is claimed of height and of shape stands the power of its test alone.
        """
        several = len(self.sizes) > 1
        tested = [curve for curve in self.curves if self._shows_test(curve)]
        rows = []
        for place, n_runs in enumerate(self.n_runs):
            for column, size in enumerate(self.sizes):
                cells = [
                    cell for curve in self.curves for cell in self._cells(curve, place, column)
                ]
                if n_runs < self.smallest_n:
                    cells = ["0 (not attainable)", *["0"] * (len(cells) - 1)]
                rows.append((str(n_runs), *([step_text(size)] if several else []), *cells))
        names = [
            name
            for curve in self.curves
            for name in (EFFECTS[curve.name].noun, *(["its test"] if curve in tested else []))
        ]
        asked = self.assumptions
        each = "runs of each" if asked.ratio == 1 else "runs of each other"
        experiments = plural(asked.n_experiments, "simulated experiment")
        notes = [
            f"Power at α = {asked.alpha:g}: the share of {experiments} that find the difference."
        ]
        if tested:
            notes.append(
                f"Height and shape as {call('compare')} claims them, only where it finds a "
                "difference overall too; its test: that of height, or of shape, alone."
            )
        if self.has_ranges:
            notes.append(
                f"In brackets: its {percent(asked.confidence)} range, as "
                f"{plural(asked.n_pilots, 'pilot')} leave the spread of runs open."
            )
        notes += [
            f"The effect leaves {EFFECTS[name].noun} as it is: what is found there is a false alarm."
            for name in self.lacking
        ]
        header = (each, *(["size"] if several else []), *names)
        return Table(header, tuple(rows), notes=tuple(notes), n_text_columns=0)

    def _shows_test(self, curve: PowerCurve) -> bool:
        """Whether a test can find what is not claimed; that of a single step cannot."""
        return curve.claimed is not None and self.interaction is not None

    def _cells(self, curve: PowerCurve, place: int, column: int) -> list[str]:
        """Write what is found and its range, and the power of its test where that may be another."""
        power, low, high, alone = (
            f"{share:.2f}"
            for share in (
                curve.verdict.power[place, column],
                *curve.verdict.range[place, column],
                curve.power[place, column],
            )
        )
        found = power if low == high else f"{power} ({low}–{high})"
        return [found, *([alone] if self._shows_test(curve) else [])]


# A difference of so many standard deviations at a step, and so many times that of the median
# step, is found at that step.
MIN_STRIKING, MIN_OVER_TYPICAL = 4.0, 4.0


class ObservedEffect(Caveat):
    """The effect is that of the pilots."""

    n_fewest: int

    def sentence(self) -> str:
        """Say how little pilots tell about it."""
        return (
            f"A pilot of {plural(self.n_fewest, 'run')} cannot tell the size of the effect: what "
            "was observed is shrunk here, and may still be far from the truth. State the "
            "smallest difference you care about instead."
        )


class SpreadTakenForEqual(Caveat):
    """Pilots of different spread are pooled."""

    wide: str
    narrow: str
    n_needed: int

    def sentence(self) -> str:
        """Say who varies more, and what to do."""
        return (
            f"The pilots of {self.wide} vary more than those of {self.narrow}, and their noise "
            "was pooled as if they varied alike. Keep the algorithms whose spread the "
            f"experiment will have, or use {argument('pool', value=False)} with at least "
            f"{self.n_needed} pilots of each."
        )


class UnequalRuns(Caveat):
    """Algorithms get different numbers of runs."""

    ratio: float

    def sentence(self) -> str:
        """Say what that takes for granted."""
        little = ""
        if max(self.ratio, 1 / self.ratio) > 4:
            little = " More than four runs to one bring little."
        return (
            "With unequal numbers of runs the test takes the algorithms to vary alike. If the "
            f"one with fewer runs varies more, use {call('compare', spread='unequal')}, whose "
            f"power is not simulated here.{little}"
        )


class NotAttainable(Caveat):
    """Some of the numbers of runs are too small for any data to be significant."""

    n_runs: tuple[int, ...]
    smallest_n: int
    alpha: float

    def sentence(self) -> str:
        """Say which, and how many runs it takes."""
        runs = f"{listed([str(n) for n in self.n_runs])} runs"
        if self.n_runs == (1,):
            runs = "a single run of each"
        return (
            f"With {runs} no data could be significant at "
            f"alpha = {self.alpha:g}: power is 0, and nothing was simulated. At least "
            f"{self.smallest_n} are needed."
        )


class QuietStep(Caveat):
    """At some step pilots hardly vary, so that the difference there is found at once.

    ``sd`` is how much they vary there, and ``difference`` how far apart mean curves are.
    """

    step: float
    sd: float
    difference: float

    def sentence(self) -> str:
        """Say where, and what to do if algorithms do not differ there."""
        return (
            f"At step {step_text(self.step)} the difference is {number_text(self.difference)}, "
            f"and pilots vary by {number_text(self.sd)} only: an overall test finds it there, "
            "which makes its power large, and that of all that is claimed behind it. If the "
            "algorithms are alike there, as they often are when training starts, leave these "
            f"steps out: {in_python('Curves.window') or '--from, --to'}."
        )


def model_caveats(model: Model, *, pool: bool) -> Iterator[Caveat]:
    """Yield what calls for a caveat in what is simulated."""
    asked, pilots = model.assumptions, model.pilots
    yield from too_few_shuffles(asked.n_shuffles, asked.alpha)
    if asked.effect is None and pilots is not None:
        yield ObservedEffect(min(pilots.sizes))
    if pilots is not None:
        yield from prepared(pilots)
        uneven = spread_caveat(pilots) if pool and asked.n_pilots else None
        if uneven is not None:
            yield SpreadTakenForEqual(uneven.wide, uneven.narrow, MIN_PILOTS_UNPOOLED)
    if asked.ratio != 1:
        yield UnequalRuns(asked.ratio)


def quiet_step(model: Model) -> Iterator[Caveat]:
    """Warn where the overall test lives on a step at which pilots hardly vary."""
    noise, truth = model.noises[-1], model.truth
    if model.assumptions.effect is None or not isinstance(noise, PilotNoise):
        return  # blocks are compared within
    sd = np.sqrt(np.sum(noise.residuals**2, axis=0) / noise.df)
    differences = np.abs(truth.differences[-1])
    times = np.divide(differences, sd, out=np.zeros_like(sd), where=sd > 0)
    most = int(np.argmax(times))
    is_quiet = sd[most] * MIN_OVER_TYPICAL < float(np.median(sd))
    if is_quiet and times[most] > max(MIN_STRIKING, MIN_OVER_TYPICAL * float(np.median(times))):
        yield QuietStep(float(truth.steps[most]), float(sd[most]), float(differences[most]))

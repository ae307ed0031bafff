"""What a reader must know before believing a power, or a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.caveats import Caveat
from curvewise.inference.diagnostics import prepared, spread_caveat, too_few_shuffles
from curvewise.inference.noise import MIN_PILOTS_UNPOOLED, PilotNoise
from curvewise.text import (
    argument,
    call,
    in_python,
    listed,
    number_text,
    plural,
    step_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.questions.power.modelling import Model

__all__ = [
    "NotAttainable",
    "ObservedEffect",
    "QuietStep",
    "SpreadTakenForEqual",
    "UnequalRuns",
    "model_caveats",
    "quiet_step",
]

# A difference of so many standard deviations at a step, and so many times that of the median
# step, is found at that step.
MIN_STRIKING, MIN_OVER_TYPICAL = 4.0, 4.0


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
    noise, truth = model.simulation.noises[-1], model.truth()
    if model.assumptions.effect is None or not isinstance(noise, PilotNoise):
        return  # blocks are compared within
    sd = np.sqrt(np.sum(noise.residuals**2, axis=0) / noise.df)
    differences = np.abs(truth.differences[-1])
    times = np.divide(differences, sd, out=np.zeros_like(sd), where=sd > 0)
    most = int(np.argmax(times))
    is_quiet = sd[most] * MIN_OVER_TYPICAL < float(np.median(sd))
    if is_quiet and times[most] > max(
        MIN_STRIKING, MIN_OVER_TYPICAL * float(np.median(times))
    ):
        yield QuietStep(
            float(model.steps[most]), float(sd[most]), float(differences[most])
        )

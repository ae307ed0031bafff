"""Every window of training, with p that stay true when the window was chosen by looking."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import OptionError
from curvewise.inference.effects import PARTS, json_ready
from curvewise.text import did_you_mean

if TYPE_CHECKING:
    from curvewise.inference.effects import EffectName
    from curvewise.kernels import Floats

__all__ = ["WindowEffect", "WindowSteps", "WindowTest", "WindowTests"]


@dataclass(frozen=True)
class WindowEffect:
    """Height or shape inside a window.

    ``pvalue`` is for a window chosen before the data were seen, ``pvalue_adjusted`` for one
    chosen by looking at them: it allows for all windows and both effects.
    """

    name: EffectName
    statistic: float
    df: tuple[int, int]
    pvalue: float
    pvalue_adjusted: float
    alpha: float

    @property
    def significant(self) -> bool:
        """Whether the adjusted p is at most alpha."""
        return self.pvalue_adjusted <= self.alpha

    def to_dict(self) -> dict[str, Any]:
        """Return the effect as JSON-ready data."""
        values = {name: json_ready(value) for name, value in vars(self).items()}
        return {**values, "df": list(self.df), "significant": self.significant}


@dataclass(frozen=True)
class WindowSteps:
    """The tests at each step inside a window.

    ``pvalue_adjusted`` is the smallest p of its steps, adjusted for all steps. It allows for
    choosing the window by looking, and is at most alpha where a step of the window is in a
    region.
    """

    pvalue_adjusted: float
    alpha: float

    @property
    def significant(self) -> bool:
        """Whether the adjusted p is at most alpha."""
        return self.pvalue_adjusted <= self.alpha

    def to_dict(self) -> dict[str, Any]:
        """Return the p as JSON-ready data."""
        return {**vars(self), "significant": self.significant}


@dataclass(frozen=True)
class WindowTest:
    """A window of training, from start to stop, asked in three ways.

    ``somewhere``: do the algorithms differ at some step in it? ``algorithm`` (``height``): do
    they differ on average over it? ``interaction`` (``shape``): does the gap between them
    change within it? ``asked`` are the ends that were asked for, where whole portions of steps
    had to be taken for the last two; ``somewhere`` is about the steps that were asked for.
    """

    start: float
    stop: float
    n_steps: int
    somewhere: WindowSteps
    algorithm: WindowEffect
    interaction: WindowEffect | None
    asked: tuple[float, float] | None = None

    @property
    def height(self) -> WindowEffect:
        """Do the algorithms differ on average over the window?"""
        return self.algorithm

    @property
    def shape(self) -> WindowEffect | None:
        """Does the gap change within the window? None for a single step."""
        return self.interaction

    @property
    def pvalue_adjusted(self) -> float:
        """The smaller adjusted p of height and shape."""
        effects = [self.algorithm, *([self.interaction] if self.interaction else [])]
        return min(effect.pvalue_adjusted for effect in effects)

    @property
    def significant(self) -> bool:
        """Whether height or shape differ here."""
        return self.pvalue_adjusted <= self.algorithm.alpha

    def to_dict(self) -> dict[str, Any]:
        """Return the window as JSON-ready data."""
        return {
            "start": self.start,
            "stop": self.stop,
            "n_steps": self.n_steps,
            "asked": None if self.asked is None else list(self.asked),
            "pvalue_adjusted": self.pvalue_adjusted,
            "somewhere": self.somewhere.to_dict(),
            "algorithm": self.algorithm.to_dict(),
            "interaction": None
            if self.interaction is None
            else self.interaction.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class WindowTests:
    """F and p of every window; arrays are (2, n_places, n_places).

    By effect ("algorithm", "interaction"), first and last place. A place is a step, or with
    many hundreds of steps a portion of them: ``starts`` and ``stops`` are its ends. Where
    the first place is after the last, p is 1. ``step_pvalues`` are those of each of the
    ``steps``, adjusted for all of them.
    """

    starts: np.ndarray[Any, Any]
    stops: np.ndarray[Any, Any]
    lengths: Floats = field(repr=False)
    statistic: Floats = field(repr=False)
    pvalue: Floats = field(repr=False)
    pvalue_adjusted: Floats = field(repr=False)
    score: Floats = field(repr=False)
    df: tuple[int, int]
    alpha: float
    steps: np.ndarray[Any, Any] = field(repr=False)
    step_pvalues: Floats = field(repr=False)

    def smallest_containing(self, first: float, last: float) -> WindowTest:
        """Return the smallest window of whole places that contains two steps."""
        inside = np.flatnonzero((self.stops >= first) & (self.starts <= last))
        test = self._test(int(inside[0]), int(inside[-1]))
        if (test.start, test.stop) == (first, last):
            return test
        return replace(
            test,
            somewhere=self._somewhere(first, last),
            asked=(float(first), float(last)),
        )

    def most_striking(self, effect: str = "algorithm") -> WindowTest:
        """Return the window that stands out most, the shortest of equals."""
        if effect not in PARTS:
            msg = f"No effect is called {effect!r}; {did_you_mean(str(effect), PARTS)}"
            raise OptionError(msg, option="effect")
        row = list(PARTS).index(effect)
        usable = self.lengths > row
        scores = np.where(usable, self.score[row], -np.inf)
        best = np.argwhere(usable & (scores >= scores.max() - 1e-9))
        first, last = min(best.tolist(), key=lambda ends: self.lengths[ends[0], ends[1]])
        return self._test(first, last)

    def _somewhere(self, start: float, stop: float) -> WindowSteps:
        inside = (self.steps >= start) & (self.steps <= stop)
        return WindowSteps(float(self.step_pvalues[inside].min()), self.alpha)

    def _test(self, first: int, last: int) -> WindowTest:
        n_steps = int(self.lengths[first, last])

        def effect(row: int) -> WindowEffect:
            factor = 1 if row == 0 else n_steps - 1
            return WindowEffect(
                PARTS[row],
                float(self.statistic[row, first, last]),
                (self.df[0] * factor, self.df[1] * factor),
                float(self.pvalue[row, first, last]),
                float(self.pvalue_adjusted[row, first, last]),
                self.alpha,
            )

        start, stop = self.starts[first].item(), self.stops[last].item()
        return WindowTest(
            start,
            stop,
            n_steps,
            self._somewhere(start, stop),
            effect(0),
            effect(1) if n_steps > 1 else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the most striking windows as JSON-ready data."""
        names = PARTS if self.lengths.max() > 1 else PARTS[:1]
        return {
            "n_windows": int(np.sum(self.lengths > 0)),
            "most_striking": {name: self.most_striking(name).to_dict() for name in names},
        }

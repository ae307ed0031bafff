"""What `estimate_power` found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from curvewise.inference.effects import EFFECTS, json_ready
from curvewise.inference.result import Result
from curvewise.rendering.tables import Table
from curvewise.text import call, percent, plural, step_text

if TYPE_CHECKING:
    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import EffectName
    from curvewise.inference.scenarios import Scenario
    from curvewise.kernels import Floats

__all__ = ["Assumptions", "Power", "PowerCurve"]


@dataclass(frozen=True)
class Assumptions:
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

    effect: Scenario | None
    effect_source: str
    base: str
    n_pilots: int
    noise: str
    noise_df: float
    height_sd: float
    lift: float
    n_algorithms: int
    ratio: float
    blocks: bool
    alpha: float
    overall: str
    n_experiments: int
    n_shuffles: int
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; the effect in words."""
        values = {name: json_ready(value) for name, value in vars(self).items()}
        return values | {"effect": None if self.effect is None else str(self.effect)}


@dataclass(frozen=True, eq=False)
class PowerCurve:
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

    name: EffectName
    power: Floats
    interval: Floats
    range: Floats
    claimed: PowerCurve | None = None

    @property
    def verdict(self) -> PowerCurve:
        """How often `compare` would say so: what is claimed, or the overall test itself."""
        return self if self.claimed is None else self.claimed

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        own = {
            "power": self.power.tolist(),
            "interval": self.interval.tolist(),
            "range": self.range.tolist(),
        }
        return own if self.claimed is None else own | {"claimed": self.claimed.to_dict()}


@dataclass(frozen=True, eq=False)
class Power(Result):
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

    n_runs: tuple[int, ...]
    sizes: tuple[float, ...]
    overall: PowerCurve
    algorithm: PowerCurve
    interaction: PowerCurve | None
    smallest_n: int
    lacking: tuple[EffectName, ...]
    assumptions: Assumptions
    caveats: tuple[Caveat, ...]
    seed: int | None = None
    source: str = ""
    preparation: Preparation | None = field(default=None, repr=False)
    in_score_units: ClassVar[tuple[str, ...]] = (
        "assumptions.height_sd",
        "assumptions.lift",
    )

    @property
    def effect_source(self) -> str:
        """Where the effect comes from: "stated" or "observed, shrunk"."""
        return self.assumptions.effect_source

    @property
    def noise_df(self) -> float:
        """How many runs' worth is known about the spread."""
        return self.assumptions.noise_df

    @property
    def has_ranges(self) -> bool:
        """Whether the spread that pilots leave open makes a difference to any power."""
        shown = [curve.verdict for curve in self.curves]
        return any(float(np.ptp(curve.range, axis=-1).max()) > 0 for curve in shown)

    @property
    def curves(self) -> tuple[PowerCurve, ...]:
        """The powers of all tests."""
        return tuple(filter(None, (self.overall, self.algorithm, self.interaction)))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "question": "power",
            "n_runs": list(self.n_runs),
            "sizes": list(self.sizes),
            **{curve.name: curve.to_dict() for curve in self.curves},
            "smallest_n": self.smallest_n,
            "lacking": list(self.lacking),
            "assumptions": self.assumptions.to_dict(),
            "seed": self.seed,
            "source": self.source,
            **self.shared_dict(),
        }

    def table(self) -> Table:
        """Return a row for every number of runs and size: how often `compare` finds what.

        Beside what is claimed of height and of shape stands the power of its test alone.
        """
        several = len(self.sizes) > 1
        rows = []
        for place, n_runs in enumerate(self.n_runs):
            for column, size in enumerate(self.sizes):
                cells = [
                    cell
                    for curve in self.curves
                    for cell in self._cells(curve, place, column)
                ]
                if n_runs < self.smallest_n:
                    cells = ["0 (not attainable)", *["0"] * (len(cells) - 1)]
                shown = (step_text(size),) if several else ()
                rows.append((str(n_runs), *shown, *cells))
        names = [
            name
            for curve in self.curves
            for name in (
                EFFECTS[curve.name].noun,
                *(["its test"] if self._shows_test(curve) else []),
            )
        ]
        asked = self.assumptions
        each = "runs of each" if asked.ratio == 1 else "runs of each other"
        experiments = plural(asked.n_experiments, "simulated experiment")
        notes = [
            f"Power at α = {asked.alpha:g}: the share of {experiments} that find the difference."
        ]
        if any(map(self._shows_test, self.curves)):
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
        header = (each, *(("size",) if several else ()), *names)
        return Table(header, tuple(rows), notes=tuple(notes), n_text_columns=0)

    def _shows_test(self, curve: PowerCurve) -> bool:
        """Whether a test can find what is not claimed; that of a single step cannot."""
        return curve.claimed is not None and self.interaction is not None

    def _cells(self, curve: PowerCurve, place: int, column: int) -> list[str]:
        """Write what is found, and the power of its test alone where that may be another."""
        alone = [f"{curve.power[place, column]:.2f}"] if self._shows_test(curve) else []
        return [_cell(curve.verdict, place, column), *alone]

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        return [self.table()]


def _cell(curve: PowerCurve, place: int, column: int) -> str:
    """Write a power, and its range where it has one."""
    shown = f"{curve.power[place, column]:.2f}"
    low, high = (f"{end:.2f}" for end in curve.range[place, column])
    return shown if low == high else f"{shown} ({low}–{high})"

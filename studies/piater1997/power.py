"""Figures 6 and 7: power against the stretch of the curves and against their number.

A point of the report's figures is one experiment: 100 trials on 100 curves of A1. Here each
experiment is repeated with other trials and other curves, which shows how much its result
varies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from studies.piater1997.published import ALPHA
from studies.piater1997.quantile_ranges import quantile_range
from studies.sources.modifications import stretched
from studies.store import fingerprint, load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from studies.piater1997.quantile_ranges import QuantileRange

__all__ = [
    "AT_SIZE",
    "AT_STRETCH",
    "N_TRIALS",
    "POWER_EFFECTS",
    "Power",
    "critical_value",
    "draw_without_replacement",
    "f_ratios_of_two",
    "measure_power",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Effect = Literal["algorithm", "interaction"]

POWER_EFFECTS: tuple[Effect, Effect] = ("algorithm", "interaction")
STRETCHES = (1.0, 1.025, 1.05, 1.075, 1.1, 1.15, 1.2, 1.3)
SIZES = (2, 3, 5, 7, 10, 15, 20)
AT_STRETCH, AT_SIZE = 1.1, 10
N_CURVES = 100
N_TRIALS = 100


@dataclass(frozen=True)
class Power:
    """The power of every experiment at every point; arrays of (experiments, points).

    An experiment is ``N_TRIALS`` trials on one of ``n_sets`` sets of ``n_curves`` curves.
    """

    name: str
    points: tuple[float, ...]
    n_sets: int
    n_curves: int
    algorithm: Floats
    interaction: Floats

    @property
    def n_experiments(self) -> int:
        """The number of experiments at each point."""
        return len(self.algorithm)

    @property
    def experiments(self) -> str:
        """A description of the experiments, compared with the report's where sizes differ."""
        size = "" if self.n_curves == N_CURVES else f" (the report: {N_CURVES})"
        sets = "one set" if self.n_sets == 1 else f"{self.n_sets} sets"
        return (
            f"{self.n_experiments} experiments of {N_TRIALS} trials, on {sets} of "
            f"{self.n_curves} curves of A1{size}"
        )

    def mean(self, effect: Effect) -> Floats:
        """Return the mean power over all experiments at each point."""
        return np.asarray(getattr(self, effect).mean(axis=0))

    def power_range(self, effect: Effect, point: float) -> QuantileRange:
        """Return the range of the power that single experiments give at a point."""
        return quantile_range(getattr(self, effect)[:, self.points.index(point)])


def measure_power(curves: Floats, seed: int, *, quick: bool) -> tuple[Power, Power]:
    """Return power against the stretch and against the number of curves of A1."""
    n_sets, n_repeats, n_draws = (1, 10, 2_000) if quick else (30, 10, 10_000)
    n_curves = min(N_CURVES, len(curves) // n_sets)
    by_stretch = [(stretch, AT_SIZE) for stretch in STRETCHES]
    by_size = [(AT_STRETCH, size) for size in SIZES]
    # One design is in both figures; it is measured once.
    designs = list(dict.fromkeys(by_stretch + by_size))
    form = "-quick" if quick else ""
    key = {
        "seed": seed,
        "curves": fingerprint(curves),
        "designs": designs,
        "n_sets": n_sets,
        "n_repeats": n_repeats,
        "n_draws": n_draws,
        "n_curves": n_curves,
    }
    found = load_or_compute(
        f"piater1997/power{form}",
        key,
        lambda: [
            [
                _power_by_experiment(
                    curves[number * n_curves : (number + 1) * n_curves],
                    design,
                    n_repeats,
                    n_draws,
                    stream(seed, "piater1997: power", number, index),
                )
                for index, design in enumerate(designs)
            ]
            for number in range(n_sets)
        ],
    )
    # Axes (sets, designs, effects, repeats) become (effects, experiments, designs).
    shares = np.asarray(found, dtype=np.float64).transpose(2, 0, 3, 1)
    shares = shares.reshape(2, -1, len(designs))

    def power(name: str, points: tuple[float, ...], chosen: list[tuple[float, int]]) -> Power:
        indices = [designs.index(design) for design in chosen]
        return Power(name, points, n_sets, n_curves, *shares[:, :, indices])

    return (
        power("Figure 6", STRETCHES, by_stretch),
        power("Figure 7", tuple(float(size) for size in SIZES), by_size),
    )


def _power_by_experiment(
    curves: Floats,
    design: tuple[float, int],
    n_repeats: int,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Return the share of trials in which each effect is found, for each repeat."""
    stretch, size = design
    n = len(curves)
    pool = np.concatenate([curves, stretched(curves, stretch)])
    both = draw_without_replacement(2 * n, 2 * size, n_draws, rng)
    null = f_ratios_of_two(pool, both[:, :size], both[:, size:])
    limits = [critical_value(values) for values in null]
    n_trials = n_repeats * N_TRIALS
    plain, changed = (
        draw_without_replacement(n, size, n_trials, rng),
        n + draw_without_replacement(n, size, n_trials, rng),
    )
    algorithm, interaction = (
        (values > limit).reshape(n_repeats, N_TRIALS).mean(axis=1)
        for values, limit in zip(f_ratios_of_two(pool, plain, changed), limits, strict=True)
    )
    return algorithm, interaction


def draw_without_replacement(n: int, size: int, count: int, rng: np.random.Generator) -> Integers:
    """Return ``count`` rows of ``size`` distinct numbers below n, drawn at random.

    All rows are drawn at once by the first ``size`` steps of a Fisher-Yates shuffle.
    """
    numbers = np.tile(np.arange(n), (count, 1))
    rows = np.arange(count)
    for index in range(size):
        chosen = rng.integers(index, n, size=count)
        picked = numbers[rows, chosen]
        numbers[rows, chosen] = numbers[:, index]
        numbers[:, index] = picked
    return numbers[:, :size]


def f_ratios_of_two(curves: Floats, first: Integers, second: Integers) -> tuple[Floats, Floats]:
    """Return F of algorithm and interaction, pooled error term, of many pairs of samples.

    Row i of ``first`` and of ``second`` are the curves of the two samples of pair i; all
    samples have the same size.
    """
    size, n_steps = first.shape[1], curves.shape[1]
    curves = curves - curves.mean(axis=0)
    first_mean, second_mean = curves[first].mean(axis=1), curves[second].mean(axis=1)
    gap = first_mean - second_mean
    # With equal sample sizes, the squared distances of both means from their common mean
    # add up to half the squared gap.
    algorithm = size / 2 * n_steps * gap.mean(axis=1) ** 2
    interaction = size / 2 * (gap**2).sum(axis=1) - algorithm
    squares = (curves**2).sum(axis=1)
    total = squares[first].sum(axis=1) + squares[second].sum(axis=1)
    error = total - size * (first_mean**2 + second_mean**2).sum(axis=1)
    ms_error = error / (2 * n_steps * (size - 1))
    return algorithm / ms_error, interaction / (n_steps - 1) / ms_error


def critical_value(null: Floats) -> float:
    """Return the mean of the 21 order statistics around the 95 % point, as the report does."""
    ordered = np.sort(null)
    index = int(np.ceil((1 - ALPHA) * len(ordered))) - 1
    return float(ordered[index - 10 : index + 11].mean())

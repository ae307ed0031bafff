"""Figures 6 and 7: how often a stretch is found, by how much and in how many curves.

A point of the report is one hundred trials on one hundred curves of A1. Here every point is
such an experiment repeated, on other trials and other curves, so that its spread is seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from studies.piater1997.bands import band
from studies.piater1997.published import ALPHA
from studies.sources.modifications import stretched
from studies.store import fingerprint, kept
from studies.streams import stream

if TYPE_CHECKING:
    from studies.piater1997.bands import Band

__all__ = [
    "AT_SIZE",
    "AT_STRETCH",
    "N_TRIALS",
    "POWER_EFFECTS",
    "Power",
    "critical_value",
    "drawn",
    "f_of_two",
    "measure",
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
    """Power at each point: an entry per experiment, and per point.

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
        """How many experiments there are at each point."""
        return len(self.algorithm)

    @property
    def experiments(self) -> str:
        """What an experiment is, and how far it is one of the report's size."""
        size = "" if self.n_curves == N_CURVES else f" (the report: {N_CURVES})"
        sets = "one set" if self.n_sets == 1 else f"{self.n_sets} sets"
        return (
            f"{self.n_experiments} experiments of {N_TRIALS} trials, on {sets} of "
            f"{self.n_curves} curves of A1{size}"
        )

    def mean(self, effect: Effect) -> Floats:
        """Return the power over all experiments."""
        return np.asarray(getattr(self, effect).mean(axis=0))

    def band(self, effect: Effect, point: float) -> Band:
        """Return where the power lies that one experiment gives."""
        return band(getattr(self, effect)[:, self.points.index(point)])


def measure(curves: Floats, seed: int, *, quick: bool) -> tuple[Power, Power]:
    """Return power against the stretch, and against the number of curves, from A1's."""
    n_sets, n_repeats, n_draws = (1, 10, 2_000) if quick else (30, 10, 10_000)
    n_curves = min(N_CURVES, len(curves) // n_sets)
    by_stretch = [(stretch, AT_SIZE) for stretch in STRETCHES]
    by_size = [(AT_STRETCH, size) for size in SIZES]
    # One point is in both figures, and is measured once.
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
    found = kept(
        f"piater1997/power{form}",
        key,
        lambda: [
            [
                _experiments(
                    curves[number * n_curves : (number + 1) * n_curves],
                    design,
                    n_repeats,
                    n_draws,
                    stream(seed, "piater1997: power", number, place),
                )
                for place, design in enumerate(designs)
            ]
            for number in range(n_sets)
        ],
    )
    # From sets, designs, effects, repeats to effects, experiments, designs.
    shares = np.asarray(found, dtype=np.float64).transpose(2, 0, 3, 1)
    shares = shares.reshape(2, -1, len(designs))

    def power(
        name: str, points: tuple[float, ...], wanted: list[tuple[float, int]]
    ) -> Power:
        places = [designs.index(design) for design in wanted]
        return Power(name, points, n_sets, n_curves, *shares[:, :, places])

    return (
        power("Figure 6", STRETCHES, by_stretch),
        power("Figure 7", tuple(float(size) for size in SIZES), by_size),
    )


def _experiments(
    curves: Floats,
    design: tuple[float, int],
    n_repeats: int,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Return the share of trials in which each effect is found, repeat by repeat."""
    stretch, size = design
    n = len(curves)
    pool = np.concatenate([curves, stretched(curves, stretch)])
    both = drawn(2 * n, 2 * size, n_draws, rng)
    null = f_of_two(pool, both[:, :size], both[:, size:])
    limits = [critical_value(values) for values in null]
    n_trials = n_repeats * N_TRIALS
    plain, other = drawn(n, size, n_trials, rng), n + drawn(n, size, n_trials, rng)
    algorithm, interaction = (
        (values > limit).reshape(n_repeats, N_TRIALS).mean(axis=1)
        for values, limit in zip(f_of_two(pool, plain, other), limits, strict=True)
    )
    return algorithm, interaction


def drawn(n: int, size: int, count: int, rng: np.random.Generator) -> Integers:
    """Return ``size`` of the numbers below n, no two the same, in each of ``count`` rows.

    All rows are shuffled at once (Fisher & Yates), no further than is needed.
    """
    left = np.tile(np.arange(n), (count, 1))
    rows = np.arange(count)
    for place in range(size):
        chosen = rng.integers(place, n, size=count)
        numbers = left[rows, chosen]
        left[rows, chosen] = left[:, place]
        left[:, place] = numbers
    return left[:, :size]


def f_of_two(curves: Floats, first: Integers, second: Integers) -> tuple[Floats, Floats]:
    """Return F of algorithm and interaction, error pooled, of pairs of equal samples.

    A row of ``first`` and the same row of ``second`` say which curves are compared.
    """
    size, n_steps = first.shape[1], curves.shape[1]
    curves = curves - curves.mean(axis=0)
    one, two = curves[first].mean(axis=1), curves[second].mean(axis=1)
    gap = one - two
    # Two equal samples: the sum over both of the squared distance from their middle.
    algorithm = size / 2 * n_steps * gap.mean(axis=1) ** 2
    interaction = size / 2 * (gap**2).sum(axis=1) - algorithm
    squares = (curves**2).sum(axis=1)
    total = squares[first].sum(axis=1) + squares[second].sum(axis=1)
    error = total - size * (one**2 + two**2).sum(axis=1)
    ms_error = error / (2 * n_steps * (size - 1))
    return algorithm / ms_error, interaction / (n_steps - 1) / ms_error


def critical_value(null: Floats) -> float:
    """Return the mean of the 21 order statistics about the 95 % point."""
    ordered = np.sort(null)
    place = int(np.ceil((1 - ALPHA) * len(ordered))) - 1
    return float(ordered[place - 10 : place + 11].mean())

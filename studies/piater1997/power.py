"""Figures 6 and 7: how often a stretch is found, by how much and in how many curves.

A point of the report is one hundred trials on one hundred curves of A1. Here every point is
such an experiment repeated, on other trials and other curves, so that its spread is seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from studies.piater1997.tables import ALPHA, band
from studies.report import Claim, Sheet
from studies.sources.modifications import stretched
from studies.store import kept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.piater1997.tables import Band
    from studies.report import Verdict

__all__ = [
    "PUBLISHED_POWER",
    "Power",
    "critical_value",
    "f_of_two",
    "measure",
    "power_claims",
    "power_sheet",
]

Floats = npt.NDArray[np.float64]
Effect = Literal["algorithm", "interaction"]

STRETCHES = (1.0, 1.025, 1.05, 1.075, 1.1, 1.15, 1.2, 1.3)
SIZES = (2, 3, 5, 7, 10, 15, 20)
AT_STRETCH, AT_SIZE = 1.1, 10
# The one point the text gives in figures: the algorithm effect at s = 1.1, l = 10.
PUBLISHED_POWER = 0.80
N_CURVES = 100
N_TRIALS = 100
SLACK = 0.1  # by chance a point of a rising curve may lie this far below an earlier one


@dataclass(frozen=True)
class Power:
    """Power at each point: an entry per experiment of the report's size, and per point."""

    name: str
    points: tuple[float, ...]
    n_pools: int
    algorithm: Floats
    interaction: Floats

    def mean(self, effect: Effect) -> Floats:
        """Return the power over all experiments."""
        return np.asarray(getattr(self, effect).mean(axis=0))

    def band(self, effect: Effect, point: float) -> Band:
        """Return where the power lies that one experiment of the report's size gives."""
        return band(getattr(self, effect)[:, self.points.index(point)])


def measure(curves: Floats, seed: int, *, quick: bool) -> tuple[Power, Power]:
    """Return power against the stretch, and against the number of curves, from A1's."""
    n_pools, n_repeats, n_draws = (1, 10, 2_000) if quick else (10, 20, 10_000)
    n_curves = min(N_CURVES, len(curves) // n_pools)
    form = "-quick" if quick else ""

    def found(name: str, designs: Sequence[tuple[float, int]]) -> list[list[list[float]]]:
        key = {
            "seed": seed,
            "designs": designs,
            "n_pools": n_pools,
            "n_repeats": n_repeats,
            "n_draws": n_draws,
            "n_curves": n_curves,
        }
        return kept(
            f"piater1997/power-{name}{form}",
            key,
            lambda: [
                [
                    _experiments(
                        curves[pool * n_curves : (pool + 1) * n_curves],
                        design,
                        n_repeats,
                        n_draws,
                        np.random.default_rng([seed, pool, place, 3]),
                    )
                    for place, design in enumerate(designs)
                ]
                for pool in range(n_pools)
            ],
        )

    def power(name: str, points: tuple[float, ...], results: object) -> Power:
        # pools, points, effects, repeats
        shares = np.asarray(results, dtype=np.float64)
        both = shares.transpose(2, 0, 3, 1).reshape(2, -1, len(points))
        return Power(name, points, n_pools, both[0], both[1])

    by_stretch = found("stretch", [(stretch, AT_SIZE) for stretch in STRETCHES])
    by_size = found("size", [(AT_STRETCH, size) for size in SIZES])
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
    first, second = _disjoint(2 * n, size, n_draws, rng)
    null = f_of_two(pool, first, second)
    limits = [critical_value(values) for values in null]
    n_trials = n_repeats * N_TRIALS
    empty = np.zeros((n_trials, n))
    plain = np.hstack([_chosen(n, size, n_trials, rng), empty])
    other = np.hstack([empty, _chosen(n, size, n_trials, rng)])
    algorithm, interaction = (
        (values > limit).reshape(n_repeats, N_TRIALS).mean(axis=1)
        for values, limit in zip(f_of_two(pool, plain, other), limits, strict=True)
    )
    return algorithm, interaction


def _disjoint(
    n: int, size: int, count: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return two samples without a common member, ``count`` times, as rows of 0 and 1."""
    ranks = rng.random((count, n)).argsort(axis=1).argsort(axis=1)
    return (ranks < size).astype(np.float64), (
        (ranks >= size) & (ranks < 2 * size)
    ).astype(np.float64)


def _chosen(n: int, size: int, count: int, rng: np.random.Generator) -> Floats:
    ranks = rng.random((count, n)).argsort(axis=1).argsort(axis=1)
    return (ranks < size).astype(np.float64)


def f_of_two(curves: Floats, first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Return F of algorithm and interaction, error pooled, of pairs of equal samples.

    A row of ``first`` and the same row of ``second`` say with 1 which curves are compared.
    """
    size = first[0].sum()
    n_steps = curves.shape[1]
    curves = curves - curves.mean(axis=0)
    one, two = first @ curves / size, second @ curves / size
    gap = one - two
    height = gap.mean(axis=1)
    # Two equal samples: the sum over both of the squared distance from their middle.
    algorithm = size / 2 * n_steps * height**2
    interaction = size / 2 * (gap**2).sum(axis=1) - algorithm
    squares = (first + second) @ (curves**2).sum(axis=1)
    error = squares - size * (one**2 + two**2).sum(axis=1)
    ms_error = error / (2 * n_steps * (size - 1))
    return algorithm / ms_error, interaction / (n_steps - 1) / ms_error


def critical_value(null: Floats) -> float:
    """Return the mean of the 21 order statistics about the 95 % point."""
    ordered = np.sort(null)
    place = int(np.ceil((1 - ALPHA) * len(ordered))) - 1
    return float(ordered[place - 10 : place + 11].mean())


def power_sheet(power: Power, symbol: str) -> Sheet:
    """Return power point by point."""
    n_experiments = len(power.algorithm)
    rows = []
    for place, point in enumerate(power.points):
        cells = [f"{point:g}"]
        for effect in ("algorithm", "interaction"):
            spread = power.band(effect, point)
            mean = power.mean(effect)[place]
            cells += [f"{mean:.2f}", f"{spread.low:.2f} to {spread.high:.2f}"]
        rows.append(tuple(cells))
    return Sheet(
        f"{power.name}: power",
        (symbol, "algorithm", "5 % to 95 %", "interaction", "5 % to 95 %"),
        tuple(rows),
        f"{n_experiments} experiments of {N_TRIALS} trials at each point.",
    )


def power_claims(by_stretch: Power, by_size: Power) -> list[Claim]:
    """Hold what the report says of power against the experiments."""
    at = {
        "Figure 6": by_stretch.band("algorithm", AT_STRETCH),
        "Figure 7": by_size.band("algorithm", float(AT_SIZE)),
    }
    means = {
        "Figure 6": by_stretch.mean("algorithm")[STRETCHES.index(AT_STRETCH)],
        "Figure 7": by_size.mean("algorithm")[SIZES.index(AT_SIZE)],
    }
    claims = [
        Claim(
            name,
            "Power to find the algorithm effect at s = 1.1, l = 10",
            f"about {PUBLISHED_POWER:.2f}",
            f"{means[name]:.2f}; one experiment {at[name].low:.2f} to {at[name].high:.2f}",
            _one_point(at[name], by_stretch.n_pools),
            f"5 % to 95 % of experiments of the report's size, on {by_stretch.n_pools} "
            "set(s) of curves. One set cannot show how far sets differ.",
        )
        for name in at
    ]
    for power, what in ((by_stretch, "stretch"), (by_size, "number of curves")):
        falls = max(_largest_fall(power.mean(effect)) for effect in _EFFECTS)
        ends = ", ".join(
            f"{effect} {power.mean(effect)[0]:.2f} to {power.mean(effect)[-1]:.2f}"
            for effect in _EFFECTS
        )
        claims.append(
            Claim(
                power.name,
                f"Power rises with the {what}, for both effects",
                "rises rapidly",
                f"{ends}; largest fall {falls:.2f}",
                _judged(
                    falls <= SLACK
                    and all(
                        power.mean(effect)[-1] > power.mean(effect)[0]
                        for effect in _EFFECTS
                    )
                ),
                f"From {power.points[0]:g} to {power.points[-1]:g}; a fall of up to {SLACK} "
                "is put down to chance.",
            )
        )
    still = [by_stretch.mean(effect)[0] for effect in _EFFECTS]
    claims.append(
        Claim(
            "Figure 6",
            "Without a stretch (s = 1) an effect is found at the type I error",
            "0.05",
            f"algorithm {still[0]:.3f}, interaction {still[1]:.3f}",
            _judged(all(share <= 2 * ALPHA for share in still)),
            "Judged by 0 to 0.1. The two samples of a trial share a run, and its copy, "
            "about twice as often as those behind the critical value do.",
        )
    )
    return claims


_EFFECTS: tuple[Effect, Effect] = ("algorithm", "interaction")


def _largest_fall(values: Floats) -> float:
    return float(np.max(np.maximum.accumulate(values) - values))


def _one_point(ours: Band, n_pools: int) -> Verdict:
    """Judge a published power; curves of one set alone cannot refute it."""
    if ours.holds(PUBLISHED_POWER):
        return "agrees"
    return "cannot be known" if n_pools == 1 else "differs"


def _judged(agrees: bool) -> Verdict:  # noqa: FBT001
    return "agrees" if agrees else "differs"

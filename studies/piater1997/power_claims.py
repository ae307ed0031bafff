"""Figures 6 and 7: what the report says of power, held against the experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from studies.piater1997.power import (
    AT_SIZE,
    AT_STRETCH,
    N_TRIALS,
    POWER_EFFECTS,
)
from studies.piater1997.published import ALPHA, PUBLISHED_POWER
from studies.report import Claim, Sheet, judged

if TYPE_CHECKING:
    from studies.piater1997.bands import Band
    from studies.piater1997.power import Effect, Power
    from studies.report import Verdict

__all__ = ["power_claims", "power_sheet"]

Floats = npt.NDArray[np.float64]

SLACK = 0.1  # by chance a point of a rising curve may lie this far below an earlier one
HIGH = 0.9


def power_sheet(power: Power, symbol: str) -> Sheet:
    """Return power point by point."""
    rows = []
    for place, point in enumerate(power.points):
        cells = [f"{point:g}"]
        for effect in POWER_EFFECTS:
            spread = power.band(effect, point)
            mean = power.mean(effect)[place]
            cells += [f"{mean:.2f}", f"{spread.low:.2f} to {spread.high:.2f}"]
        rows.append(tuple(cells))
    return Sheet(
        f"{power.name}: power",
        (symbol, "algorithm", "5 % to 95 %", "interaction", "5 % to 95 %"),
        tuple(rows),
        f"At each point {power.experiments}.",
    )


def power_claims(by_stretch: Power, by_size: Power) -> list[Claim]:
    """Hold what the report says of power against the experiments."""
    return [
        _point(by_stretch),
        _rise(by_stretch, "the stretch s", "s"),
        _rise(by_size, "the number of curves l", "l"),
        _level(by_stretch),
    ]


def _point(power: Power) -> Claim:
    ours = power.band("algorithm", AT_STRETCH)
    mean = power.mean("algorithm")[power.points.index(AT_STRETCH)]
    return Claim(
        "Figures 6 and 7",
        f"Power to find the algorithm effect at s = {AT_STRETCH}, l = {AT_SIZE}",
        f"about {PUBLISHED_POWER:.2f}",
        f"{mean:.2f}; one experiment {ours.low:.2f} to {ours.high:.2f}",
        _one_point(ours, power.n_sets),
        f"5 % to 95 % of {power.experiments}; agrees if the published power lies inside."
        + (
            " One set cannot show how far sets differ, so it cannot refute."
            if power.n_sets == 1
            else ""
        ),
    )


def _one_point(ours: Band, n_sets: int) -> Verdict:
    """Judge a published power; curves of one set alone cannot refute it."""
    if ours.holds(PUBLISHED_POWER):
        return "agrees"
    return "cannot be known" if n_sets == 1 else "differs"


def _rise(power: Power, what: str, symbol: str) -> Claim:
    means = {effect: power.mean(effect) for effect in POWER_EFFECTS}
    fall = max(_largest_fall(values) for values in means.values())
    rises = all(values[-1] > values[0] for values in means.values())
    return Claim(
        power.name,
        f"Power rises with {what}, for both effects",
        "rises rapidly, high values early",
        "; ".join(
            f"{effect} {values[0]:.2f} to {values[-1]:.2f}, "
            f"{_high(power, effect, symbol)}"
            for effect, values in means.items()
        ),
        judged(rises and fall <= SLACK),
        f"From {symbol} = {power.points[0]:g} to {power.points[-1]:g}. Agrees if both rise "
        f"and no point lies more than {SLACK} below an earlier one; the largest fall is "
        f"{fall:.2f}. The report does not say how high or how early.",
    )


def _largest_fall(values: Floats) -> float:
    return float(np.max(np.maximum.accumulate(values) - values))


def _high(power: Power, effect: Effect, symbol: str) -> str:
    """Say from which point on power is high."""
    reached = np.flatnonzero(power.mean(effect) >= HIGH)
    if not reached.size:
        return f"{HIGH} not reached"
    return f"{HIGH} reached at {symbol} = {power.points[reached[0]]:g}"


def _level(power: Power) -> Claim:
    found = {effect: power.mean(effect)[0] for effect in POWER_EFFECTS}
    n_trials = power.n_experiments * N_TRIALS
    most = ALPHA + 3 * float(np.sqrt(ALPHA * (1 - ALPHA) / n_trials))
    return Claim(
        "Figure 6",
        f"Without a stretch (s = {power.points[0]:g}) an effect is found no more often than "
        "the type I error allows",
        f"{ALPHA}",
        "; ".join(f"{effect} {share:.3f}" for effect, share in found.items()),
        judged(all(share <= most for share in found.values())),
        f"Agrees if both are at most {most:.3f}, three standard errors above {ALPHA}. They "
        "may well be less: the two samples of a trial share runs about twice as often as "
        "those behind the critical value do.",
    )

"""Claims about power (Figures 6 and 7), judged by the experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from studies.piater1997.power import AT_SIZE, AT_STRETCH, N_TRIALS, POWER_EFFECTS
from studies.piater1997.published import ALPHA, PUBLISHED_POWER
from studies.report import Claim, Table, judge

if TYPE_CHECKING:
    from studies.piater1997.power import Effect, Power
    from studies.piater1997.quantile_ranges import QuantileRange
    from studies.report import Verdict

__all__ = ["power_claims", "power_table"]

Floats = npt.NDArray[np.float64]

MAX_FALL = 0.1  # how far chance may push a point of a rising curve below an earlier one
HIGH_POWER = 0.9


def power_table(power: Power, symbol: str) -> Table:
    """Return a table of the power at each point."""
    rows = []
    for index, point in enumerate(power.points):
        cells = [f"{point:g}"]
        for effect in POWER_EFFECTS:
            interval = power.power_range(effect, point)
            mean = power.mean(effect)[index]
            cells += [f"{mean:.2f}", f"{interval.low:.2f} to {interval.high:.2f}"]
        rows.append(tuple(cells))
    return Table(
        f"{power.name}: power",
        (symbol, "algorithm", "5 % to 95 %", "interaction", "5 % to 95 %"),
        tuple(rows),
        f"At each point {power.experiments}.",
    )


def power_claims(by_stretch: Power, by_size: Power) -> list[Claim]:
    """Judge what the report says about power."""
    return [
        _point(by_stretch),
        _rise(by_stretch, "the stretch s", "s"),
        _rise(by_size, "the number of curves l", "l"),
        _type_one_error(by_stretch),
    ]


def _point(power: Power) -> Claim:
    ours = power.power_range("algorithm", AT_STRETCH)
    mean = power.mean("algorithm")[power.points.index(AT_STRETCH)]
    return Claim(
        "Figures 6 and 7",
        f"Power to find the algorithm effect at s = {AT_STRETCH}, l = {AT_SIZE}",
        f"about {PUBLISHED_POWER:.2f}",
        f"{mean:.2f}; one experiment {ours.low:.2f} to {ours.high:.2f}",
        _judge_point(ours, power.n_sets),
        f"5 % to 95 % of {power.experiments}; agrees if the published power lies inside."
        + (
            " One set cannot show how far sets differ, so it cannot refute."
            if power.n_sets == 1
            else ""
        ),
    )


def _judge_point(ours: QuantileRange, n_sets: int) -> Verdict:
    """Judge the published power; a single set of curves cannot refute it."""
    if ours.contains(PUBLISHED_POWER):
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
            f"{effect} {values[0]:.2f} to {values[-1]:.2f}, {_high(power, effect, symbol)}"
            for effect, values in means.items()
        ),
        judge(rises and fall <= MAX_FALL),
        f"From {symbol} = {power.points[0]:g} to {power.points[-1]:g}. Agrees if both rise "
        f"and no point lies more than {MAX_FALL} below an earlier one; the largest fall is "
        f"{fall:.2f}. The report does not say how high or how early.",
    )


def _largest_fall(values: Floats) -> float:
    return float(np.max(np.maximum.accumulate(values) - values))


def _high(power: Power, effect: Effect, symbol: str) -> str:
    """Return the first point at which power is high, as text."""
    high = np.flatnonzero(power.mean(effect) >= HIGH_POWER)
    if not high.size:
        return f"{HIGH_POWER} not reached"
    return f"{HIGH_POWER} reached at {symbol} = {power.points[high[0]]:g}"


def _type_one_error(power: Power) -> Claim:
    found = {effect: power.mean(effect)[0] for effect in POWER_EFFECTS}
    n_trials = power.n_experiments * N_TRIALS
    limit = ALPHA + 3 * float(np.sqrt(ALPHA * (1 - ALPHA) / n_trials))
    return Claim(
        "Figure 6",
        f"Without a stretch (s = {power.points[0]:g}) an effect is found no more often than "
        "the type I error allows",
        f"{ALPHA}",
        "; ".join(f"{effect} {share:.3f}" for effect, share in found.items()),
        judge(all(share <= limit for share in found.values())),
        f"Agrees if both are at most {limit:.3f}, three standard errors above {ALPHA}. They "
        "may well be less: the two samples of a trial share runs about twice as often as "
        "those behind the critical value do.",
    )

"""What `estimate_power` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.inference.effects import EFFECTS
from curvewise.text import (
    call,
    capitalised,
    listed,
    number_text,
    percent,
    plural,
    printable,
    step_text,
)

if TYPE_CHECKING:
    from curvewise.questions.power.result import Assumptions, Power, PowerCurve

__all__ = [
    "describe",
    "effect_text",
    "experiment_text",
    "nothing_below",
    "pilots_say",
    "whole_percent",
]

MAX_SHOWN = 4  # numbers of runs that a sentence can hold
ENOUGH = 0.8  # the power that is usually asked for


def describe(power: Power) -> str:
    """Say how often the difference would be found, and how sure that is."""
    asked = power.assumptions
    effect = effect_text(asked, quotes_scores=power.quotes_scores)
    first = _shares(power, power.curves[0], named=True)
    parts = [_sentence(power, curve) for curve in power.curves[1:]]
    sentences = [f"Chance to find {effect} (α = {asked.alpha:g}): {first}.", *parts]
    if power.interaction is not None:
        sentences.append(
            f"Height and shape count where {call('compare')} would claim them, that is where it "
            "finds a difference at all too."
        )
    if power.has_ranges:
        sentences.append(
            f"In brackets: the {percent(asked.confidence)} range, since {pilots_say(asked)}."
        )
    if len(power.sizes) > 1:
        sentences.append("The table has the other sizes.")
    sentences += [nothing_below(power.smallest_n, asked), f"Method: {_simulated(power)}."]
    return " ".join(sentences)


def _sentence(power: Power, curve: PowerCurve) -> str:
    """Say how often a part of the difference is found; of a part that is not there, that."""
    if curve.name in power.lacking:
        words = EFFECTS[curve.name]
        return (
            f"It leaves {words.noun} as it is, and what is found there is a false alarm."
        )
    return f"{capitalised(_shares(power, curve))}{_alone(power, curve)}."


def _alone(power: Power, curve: PowerCurve) -> str:
    """Say how often the test of a part is significant, where not all of it is claimed."""
    alone, claimed = (
        [whole_percent(each.power[place, -1]) for place in _shown(power, curve)]
        for each in (curve, curve.verdict)
    )
    if alone == claimed:
        return ""
    return f" (by its test alone {listed(alone)})"


def _simulated(power: Power) -> str:
    """Say how much was simulated, and of what."""
    asked = power.assumptions
    if max(power.n_runs) < power.smallest_n:
        return f"nothing to simulate; {experiment_text(asked)}"
    ends = [each.interval for curve in power.curves for each in (curve, curve.verdict)]
    error = max(float((end[..., 1] - end[..., 0]).max()) / 2 for end in ends)
    experiments = plural(asked.n_experiments, "simulated experiment")
    return (
        f"{experiments} for each number (simulation error at most {100 * error:.1f} points); "
        f"{experiment_text(asked)}"
    )


def _shares(power: Power, curve: PowerCurve, *, named: bool = False) -> str:
    """Say how often a test finds the difference, by runs; of many, at the first and the last."""
    shown, found = _shown(power, curve), curve.verdict
    parts = []
    for place in shown:
        low, high = (whole_percent(end) for end in found.range[place, -1])
        wide = "" if low == high else f" ({low} to {high})"
        runs = str(power.n_runs[place])
        if place == shown[0] and named:
            noun = "run" if power.n_runs[place] == 1 else "runs"
            each = "each" if power.assumptions.ratio == 1 else "each other algorithm"
            runs += f" {noun} of {each}"
        parts.append(f"{whole_percent(found.power[place, -1])}{wide} with {runs}")
    return f"{EFFECTS[curve.name].how} {listed(parts)}"


def _shown(power: Power, curve: PowerCurve) -> list[int]:
    """Return the places of the numbers of runs that are named; of many two or three."""
    shown = list(range(len(power.n_runs)))
    if len(shown) <= MAX_SHOWN:
        return shown
    reached = [place for place in shown if curve.verdict.power[place, -1] >= ENOUGH]
    return sorted({shown[0], *reached[:1], shown[-1]})


def whole_percent(share: float) -> str:
    """Write a share as a percentage, rounded as the table has it."""
    return f"{float(f'{share:.2f}'):.0%}"


def effect_text(asked: Assumptions, *, quotes_scores: bool) -> str:
    """Name the difference that is looked for."""
    if asked.effect is None:
        return "the observed differences, shrunk"
    text = str(asked.effect)
    if asked.effect.unit == "sd" and quotes_scores:
        text += f" (that is {number_text(asked.lift)})"
    return text


def pilots_say(asked: Assumptions) -> str:
    """Say how much the pilots tell about the spread."""
    if asked.noise_df < 10:
        return f"{plural(asked.n_pilots, 'pilot')} say little about the spread"
    return f"{plural(asked.n_pilots, 'pilot')} tell the spread only so well"


def nothing_below(smallest_n: int, asked: Assumptions) -> str:
    """Say how many runs it takes at least."""
    what = plural(smallest_n, "block" if asked.blocks else "run")
    if asked.ratio != 1:
        what += " of the other" if asked.n_algorithms == 2 else " of each other"
    return f"With fewer than {what} nothing could be significant."


def experiment_text(asked: Assumptions) -> str:
    """Say what was simulated: base, noise, allocation, and how it was tested."""
    parts = []
    if asked.base and asked.effect is not None:
        parts.append(f"mean curve of {printable(asked.base)}")
    parts.append(
        f"{asked.noise} noise of {plural(asked.n_pilots, 'pilot')}"
        if asked.n_pilots
        else asked.noise
    )
    if asked.n_algorithms > 2:
        parts.append(f"{asked.n_algorithms} algorithms")
    if asked.ratio != 1:
        parts.append(f"{step_text(asked.ratio)} runs of the first for each of another")
    if asked.blocks:
        parts.append("blocks with one run of each")
    parts.append(f"tested as by {call('compare')}, {plural(asked.n_shuffles, 'shuffle')}")
    return "; ".join(parts)

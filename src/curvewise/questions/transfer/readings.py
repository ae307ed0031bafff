"""What a learning-comparison metric says, in a sentence; and which one to quote."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.text import number_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.questions.transfer.result import Metric

__all__ = ["NO_EFFECT", "UNITS", "advice", "reading", "undefined"]

NO_EFFECT = {
    "transfer_ratio": 1.0,
    "transfer_regret": 0.0,
    "calibrated_transfer_ratio": 0.0,
    "average_relative_reduction": 0.0,
    "jumpstart": 0.0,
    "asymptotic_advantage": 0.0,
    "area_difference": 0.0,
    "average_gain": 0.0,
    "time_to_threshold": 1.0,
}
UNITS = {
    **dict.fromkeys(NO_EFFECT, ""),
    "jumpstart": "score",
    "asymptotic_advantage": "score",
    "area_difference": "score × step",
    "average_gain": "score",
}


def undefined(
    name: str, sides: tuple[str, str], times: tuple[float, float], n_steps: int
) -> str:
    """Say why a metric has no value; ``times`` are those to the threshold."""
    control, experimental = sides
    never = math.isinf(times[0]) and math.isinf(times[1])
    reasons = {
        "transfer_ratio": f"the area under {control} is 0, and nothing can be divided by it.",
        "transfer_regret": "all scores are equal, so the curves span no box.",
        "calibrated_transfer_ratio": (
            f"{control} is optimal, or better than the optimum, so nothing is left to improve."
        ),
        "average_relative_reduction": (
            f"{experimental} ends at the performance that {control} begins with, or below it "
            "at levels it never reaches, so there is no range of performance to average over."
        ),
        "time_to_threshold": (
            "neither reaches the threshold. Choose another one."
            if never
            else f"{control} is at the threshold at step 0, before any training."
        ),
    }
    if name == "average_relative_reduction" and n_steps == 1:
        return "with a single step there is no training to be saved."
    return reasons[name]


def reading(
    name: str,
    value: float,
    sides: tuple[str, str],
    times: tuple[float, float],
    *,
    shifted: bool,
    higher_is_better: bool,
) -> str:
    """Say what a value means; ``value`` is positive when the experimental side is better."""
    control, experimental = sides
    size = number_text(abs(value))
    ahead = "more" if (value > 0) == higher_is_better else "less"
    if value == NO_EFFECT[name]:
        return f"{experimental} and {control} do not differ by this metric."
    percent = f"{abs(value):.1%}" if math.isfinite(value) else ""
    better = "better" if value > 0 else "worse"
    if name == "transfer_ratio":
        base = ", measured from the worst mean score" if shifted else ""
        return f"{experimental} has {size} times the area of {control}{base}."
    if name == "transfer_regret":
        return (
            f"{experimental} is {better}: the area between the curves is {percent} of the box "
            "that both span."
        )
    if name == "calibrated_transfer_ratio":
        if value > 0:
            return f"{experimental} achieved {percent} of the improvement that {control} left possible."
        return f"{experimental} fell short of {control} by {percent} of what was left to improve."
    if name == "average_relative_reduction":
        if value == 1:
            return (
                f"{control} never reaches any of the scores between its own first one and "
                f"where {experimental} ends."
            )
        more = "less" if value > 0 else "more"
        return (
            f"{experimental} reached the same performance with {percent} {more} training than "
            f"{control}, averaged over performance."
        )
    if name == "time_to_threshold":
        if math.isinf(value):
            return f"{experimental} never reaches the threshold; {control} does."
        if value == 0 and math.isinf(times[0]):
            return f"{experimental} reaches the threshold; {control} never does."
        if value == 0:
            return f"{experimental} is at the threshold at step 0; {control} is not yet."
        faster = f"{1 - value:.1%} less" if value < 1 else f"{value - 1:.1%} more"
        return f"{experimental} needs {faster} training than {control} to reach the threshold."
    places = {
        "jumpstart": "at the first step",
        "asymptotic_advantage": "at the end",
        "area_difference": "summed over training",
        "average_gain": "on average over training",
    }
    return f"{experimental} scores {size} {ahead} than {control} {places[name]}."


def advice(metrics: Mapping[str, Metric], *, optimum_known: bool) -> tuple[str, str]:
    """Recommend a metric to quote, and say why (Gorski & Laird 2009, sections 6 and 7)."""
    ctr, arr = "calibrated_transfer_ratio", "average_relative_reduction"
    if optimum_known and metrics[ctr].defined:
        return ctr, (
            "Quote this one: the optimum is known, and the calibrated transfer ratio measures "
            "against it, so it means the same on every task."
        )
    reduction, share = metrics[arr].value, metrics[ctr].value
    # A reduction of 1 says that the control never gets there, not how much is gained.
    if reduction is not None and reduction < 1:
        return arr, (
            "Quote this one: without a known optimum, the average relative reduction still "
            "means the same on every task, since it compares times to equal performance."
        )
    # Measured against its own best score, an optimal condition always has all of it.
    if share is not None and share < 1:
        return ctr, (
            "Quote this one, with a caveat: the best observed score stands in for the "
            "optimum, so it holds for this task only."
        )
    return "average_gain", (
        "Quote this one: the metrics that mean the same on every task say nothing here."
    )

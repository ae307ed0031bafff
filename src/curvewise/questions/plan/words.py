"""What `plan` found, in words a person can quote."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.inference.effects import EFFECTS
from curvewise.questions.power.words import (
    effect_text,
    experiment_text,
    nothing_below,
    pilots_say,
    whole_percent,
)
from curvewise.text import argument, call, percent, plural

if TYPE_CHECKING:
    from curvewise.questions.plan.result import Plan

__all__ = ["describe"]


def describe(plan: Plan) -> str:
    """Say how many runs are needed, and how sure that is."""
    asked = plan.assumptions
    effect = effect_text(asked, quotes_scores=plan.quotes_scores)
    how = EFFECTS[plan.question].how
    comma = "," if asked.effect is None else ""
    aim = f"{effect}{comma} {how} with {percent(plan.power)} certainty"
    if plan.reachable:
        sentences = [f"To find {aim} you need {_runs(plan)}{_range(plan)}."]
        if plan.cautious:
            sentences.append(_caution(plan))
    else:
        sentences = [f"Not even {_runs(plan)} find {aim}{_unless(plan)}."]
    if plan.question != "overall":
        sentences.append(_claimed(plan))
    sentences.append(nothing_below(plan.smallest_n, asked))
    if plan.reuse_pilot:
        sentences.append(
            f"The {plural(asked.n_pilots, 'pilot')} count among these runs and may stay in the "
            "data: only their spread as a whole was used, without looking at who is who."
        )
    elif asked.n_pilots and plan.reachable:
        sentences.append(
            "These are new runs, without the pilots; to keep those in the data, plan from pilots "
            f"of all algorithms with {argument('reuse_pilot', value=True)}."
        )
    if plan.pairing is not None:
        sentences.append(_pairing(plan))
    sentences.append(
        f"Method: {plural(asked.n_experiments, 'simulated experiment')} with the runs needed, and "
        f"with one more; {experiment_text(asked)}; α = {asked.alpha:g}."
    )
    return " ".join(sentences)


def _claimed(plan: Plan) -> str:
    """Say what is counted, and how much more the test alone would find."""
    noun = EFFECTS[plan.question].noun
    said = (
        f"That counts what {call('compare')} claims, {noun} only where it finds a difference "
        "at all too"
    )
    claims, tests = (plan.power_at, plan.test_power_at)
    if plan.cautious:
        claims, tests = (plan.power_at_ends[0], plan.test_power_at_ends[0])
    return (
        f"{said}: {whole_percent(claims[plan.n_runs])} with these runs; the test of {noun} alone "
        f"finds it in {whole_percent(tests[plan.n_runs])}."
    )


def _runs(plan: Plan) -> str:
    """Name the runs of each algorithm."""
    if plan.assumptions.blocks:
        return f"{plan.n_runs} blocks with one run of each"
    if len(set(plan.sizes)) == 1:
        return f"{plural(plan.n_runs, 'run')} of each algorithm"
    return (
        f"{plural(plan.sizes[0], 'run')} of the first algorithm and {plan.sizes[-1]} of "
        f"{'the other' if len(plan.sizes) == 2 else 'each other'}"
    )


def _range(plan: Plan) -> str:
    """Say between which numbers the truth may lie."""
    low, high = plan.n_runs_range
    asked = plan.assumptions
    if not math.isfinite(asked.noise_df) or low == high:
        return ""
    top = f"more than {plan.max_runs}" if math.isinf(high) else f"{high:.0f}"
    return f" (between {low:.0f} and {top}, since {pilots_say(asked)})"


def _unless(plan: Plan) -> str:
    """Say of the most runs, which are not enough, when fewer would be."""
    said = ", planned cautiously" if plan.cautious else ""
    low = plan.n_runs_range.low
    if plan.cautious and math.isfinite(plan.n_estimate):
        said += f"; with a spread as in the pilots, {plan.n_estimate:.0f} would do"
    elif math.isfinite(low):
        said += f"; if runs vary less than the pilots, {low:.0f} may be enough"
    return said


def _caution(plan: Plan) -> str:
    """Say what caution adds."""
    return f"That is cautious: with a spread as in the pilots, {plan.n_estimate:.0f} would do."


def _pairing(plan: Plan) -> str:
    """Say how paired pilots correlate, and whether pairing pays."""
    pairing = plan.pairing
    assert pairing is not None  # noqa: S101 (asked only where there is one)
    low, high = pairing.interval
    said = (
        f"Runs of a pair correlate by {pairing.correlation:.2f} "
        f"({percent(pairing.confidence)} interval {low:.2f} to {high:.2f}, "
        f"{plural(pairing.n_pairs, 'pair')})."
    )
    rule = (
        "Pairing pays from 8 pairs on if they correlate by 0.2, with 6 or 7 if by 0.5, and "
        "never with 5 or fewer"
    )
    if plan.assumptions.blocks:
        return f"{said} {rule}."
    advice = "so runs need not be paired here"
    if pairing.pays(plan.n_runs):
        advice = f"so it would pay here: {argument('blocks', value=True)}"
    return f"{said} {rule}; {advice}."

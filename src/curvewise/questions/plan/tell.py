"""What `plan` found, in words a person can quote."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from curvewise.data.checks import check_drawn
from curvewise.inference.result import EFFECTS
from curvewise.questions.plan.result import Plan
from curvewise.questions.power.tell import (
    ALONE,
    DOTTED,
    effect_text,
    experiment_text,
    nothing_below,
    pilots_say,
    shade_unattainable,
    whole_percent,
)
from curvewise.rendering.figures import (
    COLOURS,
    OBSERVED_COLOUR,
    axes_or_current,
    lower_legend,
    one_axes,
)
from curvewise.text import argument, call, percent, plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.plan.method import Pairing


def describe(plan: Plan) -> str:
    """Say how many runs are needed, and how sure that is."""
    asked = plan.assumptions
    effect = effect_text(asked, quotes_scores=plan.quotes_scores)
    how = EFFECTS[plan.question].how
    comma = "," if asked.effect is None else ""
    aim = f"{effect}{comma} {how} with {percent(plan.power)} power"
    if plan.reachable:
        sentences = [f"To find {aim} you need {_runs(plan)}{_range(plan)}."]
        if plan.cautious:
            did = f"{plan.n_estimate:.0f} would do"
            sentences.append(f"That is cautious: with a spread as in the pilots, {did}.")
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
        sentences.append(_pairing(plan, plan.pairing))
    sentences.append(
        f"Method: {plural(asked.n_experiments, 'simulated experiment')} with the runs needed, and "
        f"with one more; {experiment_text(asked)}; α = {asked.alpha:g}."
    )
    return " ".join(sentences)


def _claimed(plan: Plan) -> str:
    """Say what is counted, and how much more the test alone would find."""
    noun = EFFECTS[plan.question].noun
    powers = [plan.power_at, plan.test_power_at]
    if plan.cautious:
        powers = [plan.power_at_ends[0], plan.test_power_at_ends[0]]
    claimed, tested = (whole_percent(own[plan.n_runs]) for own in powers)
    return (
        f"That counts what {call('compare')} claims, {noun} only where it finds a difference "
        f"at all too: {claimed} with these runs; the test of {noun} alone finds it in {tested}."
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
    given = "" if plan.cautious else "if runs vary as in the pilots; "
    return f" ({given}between {low:.0f} and {top}, since {pilots_say(asked)})"


def _unless(plan: Plan) -> str:
    """Say of the most runs, which are not enough, when fewer would be."""
    said = ", planned cautiously" if plan.cautious else ""
    low = plan.n_runs_range.low
    if plan.cautious and math.isfinite(plan.n_estimate):
        said += f"; with a spread as in the pilots, {plan.n_estimate:.0f} would do"
    elif math.isfinite(low):
        said += f"; if runs vary less than the pilots, {low:.0f} may be enough"
    return said


def _pairing(plan: Plan, pairing: Pairing) -> str:
    """Say how paired pilots correlate, and whether pairing pays."""
    low, high = pairing.interval
    said = (
        f"Runs of a pair correlate by {pairing.correlation:.2f} "
        f"({percent(pairing.confidence)} interval {low:.2f} to {high:.2f}, "
        f"{plural(pairing.n_pairs, 'pair')})."
    )
    advice = "; so runs need not be paired here"
    if plan.assumptions.blocks:
        advice = ""
    elif pairing.pays(plan.n_runs):
        advice = f"; so it would pay here: {argument('blocks', value=True)}"
    return (
        f"{said} Pairing pays from 8 pairs on if they correlate by 0.2, with 6 or 7 if by 0.5, and "
        f"never with 5 or fewer{advice}."
    )


# --- The picture of a plan: power against runs, and where it is enough.

SIZE = (7.0, 4.5)
TICKS = [n * 10**e for e in range(5) for n in (1, 2, 3, 5, 7)]
MAX_TICKS = 9  # of neighbouring whole numbers


def plot_plan(plan: Plan, ax: Axes | None = None) -> Axes:
    """Draw the powers that were tried, and how many runs are enough.

    The power is that of what `compare` claims; a dotted line is that of its test alone. Draws on the current Axes if none are given, and returns the Axes.
    """
    check_drawn(plan, Plan, "plot_plan() draws what plan() found")
    ax = axes_or_current(ax, SIZE)
    asked = plan.assumptions
    label = "runs vary as in the pilots" if asked.n_pilots else "runs vary as assumed"
    _line(ax, plan.power_at, label, COLOURS[0], "-")
    if plan.question != "overall":
        tests = sorted(plan.test_power_at.items())
        ax.plot(*zip(*tests, strict=True), color=COLOURS[0], label="its test alone", **ALONE)
    if math.isfinite(asked.noise_df):
        more, less = plan.power_at_ends
        _line(ax, less, "runs vary less", COLOURS[2], "-.")
        _line(ax, more, "runs vary more", COLOURS[1], "--")
    ax.axhline(plan.power, color="0.6", lw=0.8, linestyle=":")
    low, high = plan.n_runs_range
    right = plan.max_runs if math.isinf(high) else high
    if math.isfinite(low) and low != right:
        label = "range of what is needed"
        ax.axvspan(low, right, color=OBSERVED_COLOUR, alpha=0.08, lw=0, label=label)
    if plan.reachable:
        ax.axvline(plan.n_runs, color=OBSERVED_COLOUR, lw=1.2)
        look: dict[str, Any] = {"textcoords": "offset points", "color": OBSERVED_COLOUR}
        ax.annotate(f"{plan.n_runs} runs", (plan.n_runs, 0.03), (5, 0), **look)
    # Twice the spread takes four times the runs: on this scale the lines are alike.
    _in_proportion(ax, plan)
    shade_unattainable(ax, 1, plan.smallest_n)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel(f"runs of each {'' if asked.ratio == 1 else 'other '}algorithm")
    verb = "find" if plan.question == "overall" else "claim"
    ax.set_ylabel(f"power to {verb} a difference {EFFECTS[plan.question].how}")
    ax.set_title(effect_text(asked, quotes_scores=False), fontsize="medium")
    ax.legend(loc="best", frameon=False)
    return ax


def figure(plan: Plan, _curves: Curves | None = None) -> Figure:
    """Draw the plan in a figure; the curves are not needed."""
    return lower_legend(one_axes(plot_plan, plan, SIZE))


def _in_proportion(ax: Axes, plan: Plan) -> None:
    """Scale the axis of runs by ratios, with whole numbers at its ticks."""
    ax.set_xscale("log")
    most = max(max(powers) for powers in (plan.power_at, *plan.power_at_ends))
    left, right = 0.8 * (plan.smallest_n - 0.5), 1.1 * most
    ax.set_xlim(left, right)
    every = range(math.ceil(left), math.floor(right) + 1)
    shown = every if len(every) <= MAX_TICKS else [n for n in TICKS if left <= n <= right]
    ax.set_xticks(shown, [str(n) for n in shown])
    ax.set_xticks([], minor=True)


def _line(ax: Axes, powers: Mapping[int, float], label: str, colour: str, style: str) -> None:
    runs = sorted(powers)
    ax.plot(runs, [powers[n] for n in runs], color=colour, linestyle=style, label=label, **DOTTED)

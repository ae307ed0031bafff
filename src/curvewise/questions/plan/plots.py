"""The picture of a plan: power against runs, and where it is enough."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.data.choices import check_drawn
from curvewise.inference.effects import EFFECTS
from curvewise.questions.plan.result import Plan
from curvewise.questions.power.plots import ALONE, shade_unattainable
from curvewise.rendering.figures import (
    OBSERVED_COLOUR,
    axes_or_current,
    lower_legend,
    one_axes,
)
from curvewise.rendering.looks import COLOURS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves

__all__ = ["figure", "plot_plan"]

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
        ax.plot(
            *zip(*tests, strict=True), color=COLOURS[0], label="its test alone", **ALONE
        )
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
        ax.annotate(
            f"{plan.n_runs} runs",
            (plan.n_runs, 0.03),
            xytext=(5, 0),
            textcoords="offset points",
            color=OBSERVED_COLOUR,
        )
    # Twice the spread takes four times the runs: on this scale the lines are alike.
    _in_proportion(ax, plan)
    shade_unattainable(ax, 1, plan.smallest_n)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel(f"runs of each {'' if asked.ratio == 1 else 'other '}algorithm")
    verb = "find" if plan.question == "overall" else "claim"
    ax.set_ylabel(f"power to {verb} a difference {EFFECTS[plan.question].how}")
    effect = (
        "the observed differences, shrunk" if asked.effect is None else str(asked.effect)
    )
    ax.set_title(effect, fontsize="medium")
    ax.legend(loc="best", frameon=False)
    return ax


def figure(plan: Plan, _curves: Curves | None = None) -> Figure:
    """Draw the plan in a figure; the curves are not needed."""
    made = one_axes(plot_plan, plan, SIZE)
    lower_legend(made)
    return made


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


def _line(
    ax: Axes, powers: Mapping[int, float], label: str, colour: str, style: str
) -> None:
    runs = sorted(powers)
    ax.plot(
        runs,
        [powers[n] for n in runs],
        color=colour,
        linestyle=style,
        marker="o",
        markersize=4,
        label=label,
    )

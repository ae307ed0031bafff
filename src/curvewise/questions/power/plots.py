"""The picture of power against runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curvewise.data.choices import check_drawn
from curvewise.inference.effects import EFFECTS
from curvewise.questions.power.result import Power
from curvewise.rendering.figures import (
    axes_or_current,
    lower_legend,
    new_figure,
    one_axes,
)
from curvewise.rendering.looks import COLOURS, LINE_STYLES
from curvewise.text import percent, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import EffectName

__all__ = ["ALONE", "figure", "plot_power", "shade_unattainable", "whole_numbers"]

SIZE = (7.0, 4.5)
POWER_TO = "power to find "
# How the power of a test is drawn, beside that of what is claimed.
ALONE: dict[str, Any] = {"linestyle": ":", "lw": 1, "marker": "."}


def plot_power(
    power: Power, ax: Axes | None = None, *, test: EffectName | None = None
) -> Axes:
    """Draw power against runs: a line for each size, with its range and Monte Carlo interval.

    With one size there is a line for each difference instead, unless ``test`` names one. Lines
    are what `compare` would claim; dotted ones are the tests of height and of shape alone. Draws
    on the current Axes if none are given, and returns the Axes.
    """
    check_drawn(power, Power, "plot_power() draws what estimate_power() found")
    ax = axes_or_current(ax, SIZE)
    asked = power.assumptions
    curves = {curve.name: curve for curve in power.curves}
    if len(power.sizes) > 1:
        shown = curves[test or "overall"]
        lines = {
            f"size {step_text(size)}": (shown, column)
            for column, size in enumerate(power.sizes)
        }
        how = EFFECTS[shown.name].how
        found = "any difference" if shown.name == "overall" else f"a difference {how}"
    else:
        names = [test] if test else list(curves)
        lines = {EFFECTS[name].title: (curves[name], 0) for name in names}
        found = "a difference"
    there = [place for place, n in enumerate(power.n_runs) if n >= power.smallest_n]
    runs = [power.n_runs[place] for place in there]
    for place, (label, (curve, column)) in enumerate(lines.items()):
        colour = COLOURS[place % len(COLOURS)]
        own = curve.verdict
        middle, interval = own.power[there, column], own.interval[there, column]
        low, high = own.range[there, column].T
        if len(runs) > 1:
            ax.fill_between(runs, low, high, color=colour, alpha=0.12, lw=0)
        else:
            ax.vlines(runs, low, high, color=colour, alpha=0.25, lw=8)
        errors = [middle - interval[:, 0], interval[:, 1] - middle]
        ax.errorbar(runs, middle, yerr=errors, fmt="none", color=colour, capsize=2)
        ax.plot(
            runs,
            middle,
            color=colour,
            linestyle=LINE_STYLES[place % len(LINE_STYLES)],
            marker="o",
            markersize=4,
            label=label,
        )
        if own is not curve and power.interaction is not None:
            ax.plot(runs, curve.power[there, column], color=colour, **ALONE)
    parts = [curve for curve, _ in lines.values() if curve.claimed is not None]
    if parts and power.interaction is not None:
        ax.plot([], [], color="0.4", label="its test alone", **ALONE)
    if len(there) < len(power.n_runs):
        shade_unattainable(ax, power.n_runs[0], power.smallest_n)
    ax.axhline(asked.alpha, color="0.6", lw=0.8, linestyle=":")
    each = "each algorithm" if asked.ratio == 1 else "each other algorithm"
    ax.set_xlabel(f"runs of {each}")
    ax.set_ylabel(f"{POWER_TO}{found}")
    ax.set_ylim(0, 1.02)
    ax.set_title(f"{_title(power)}\n", fontsize="medium")
    ax.text(
        0.5,
        1.015,
        _legend_text(power),
        transform=ax.transAxes,
        ha="center",
        fontsize="small",
        color="0.4",
    )
    whole_numbers(ax, power.n_runs)
    ax.legend(loc="best", frameon=False)
    return ax


def shade_unattainable(ax: Axes, start: float, smallest_n: int) -> None:
    """Shade the numbers of runs with which no data could be significant."""
    label = "nothing could be significant"
    ax.axvspan(start - 0.5, smallest_n - 0.5, color="0.9", lw=0, label=label)


def whole_numbers(ax: Axes, n_runs: Sequence[int]) -> None:
    """Label the axis of runs with whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    if len(n_runs) == 1:
        ax.set_xlim(n_runs[0] - 1.5, n_runs[0] + 1.5)
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))


def figure(power: Power, _curves: Curves | None = None) -> Figure:
    """Draw power against runs; of several sizes in a panel for each test."""
    if len(power.sizes) == 1:
        made = one_axes(plot_power, power, SIZE)
        lower_legend(made)
        return made
    n_panels = len(power.curves)
    made = new_figure((2.8 * n_panels, 4.2))
    panels = made.subplots(1, n_panels, sharey=True, squeeze=False)[0]
    for curve, ax in zip(power.curves, panels, strict=True):
        plot_power(power, ax=ax, test=curve.name)
        ax.set_title(ax.get_ylabel().removeprefix(POWER_TO), fontsize="medium")
        ax.set_ylabel("power" if ax is panels[0] else "")
        for text in list(ax.texts):
            text.remove()
        ax.get_legend().remove()
    lines = panels[-1].get_legend_handles_labels()
    made.legend(*lines, loc="outside lower center", ncols=len(lines[0]), frameon=False)
    made.suptitle(f"{_title(power)} ({_legend_text(power)})", fontsize="medium")
    return made


def _legend_text(power: Power) -> str:
    """Say what bands and bars are."""
    asked = power.assumptions
    bars = "bars: simulation error"
    if asked.noise_df == float("inf"):
        return bars
    level = percent(asked.confidence)
    return f"bands: {level} range left open by {plural(asked.n_pilots, 'pilot')}; {bars}"


def _title(power: Power) -> str:
    """Name the difference; of several sizes only the kind."""
    effect = power.assumptions.effect
    if effect is None:
        return "the observed differences, shrunk"
    if len(power.sizes) == 1:
        return str(effect)
    unit = " in standard deviations of curve means" if effect.unit == "sd" else ""
    return f"{effect.kind}, by size{unit}"

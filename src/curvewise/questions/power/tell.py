"""What `estimate_power` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curvewise.data.checks import check_drawn
from curvewise.inference.result import EFFECTS
from curvewise.questions.power.result import Power
from curvewise.rendering.figures import (
    COLOURS,
    LINE_STYLES,
    axes_or_current,
    lower_legend,
    new_figure,
    one_axes,
)
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
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.inference.result import EffectName
    from curvewise.questions.power.result import Assumptions, PowerCurve


MAX_SHOWN = 4  # numbers of runs that a sentence can hold
ENOUGH = 0.8  # the power that is usually asked for


def describe(power: Power) -> str:
    """Say how often the difference would be found, and how sure that is."""
    asked = power.assumptions
    effect = effect_text(asked, quotes_scores=power.quotes_scores)
    first = _shares(power, power.overall, named=True)
    sentences = [
        f"Chance to find {effect} (α = {asked.alpha:g}): {first}.",
        *(_sentence(power, curve) for curve in power.curves[1:]),
    ]
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
    """Say how often a part of the difference is found, and how often by its test alone.

    Of a part that is not there, that.
    """
    if curve.name in power.lacking:
        noun = EFFECTS[curve.name].noun
        return f"It leaves {noun} as it is, and what is found there is a false alarm."
    alone, claimed = (
        [whole_percent(each.power[place, -1]) for place in _shown(power, curve)]
        for each in (curve, curve.verdict)
    )
    by_test = "" if alone == claimed else f" (by its test alone {listed(alone)})"
    return f"{capitalised(_shares(power, curve))}{by_test}."


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
    much = "say little about the spread" if asked.noise_df < 10 else "tell the spread only so well"
    return f"{plural(asked.n_pilots, 'pilot')} {much}"


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
    of_pilots = f" noise of {plural(asked.n_pilots, 'pilot')}" if asked.n_pilots else ""
    parts.append(f"{asked.noise}{of_pilots}")
    if asked.n_algorithms > 2:
        parts.append(f"{asked.n_algorithms} algorithms")
    if asked.ratio != 1:
        parts.append(f"{step_text(asked.ratio)} runs of the first for each of another")
    if asked.blocks:
        parts.append("blocks with one run of each")
    parts.append(f"tested as by {call('compare')}, {plural(asked.n_shuffles, 'shuffle')}")
    return "; ".join(parts)


# --- The picture of power against runs.

SIZE = (7.0, 4.5)
POWER_TO = "power to find "
# How the power of a test is drawn, beside that of what is claimed.
ALONE: dict[str, Any] = {"linestyle": ":", "lw": 1, "marker": "."}
DOTTED: dict[str, Any] = {"marker": "o", "markersize": 4}


def plot_power(power: Power, ax: Axes | None = None, *, test: EffectName | None = None) -> Axes:
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
        lines = {f"size {step_text(size)}": (shown, n) for n, size in enumerate(power.sizes)}
        how = EFFECTS[shown.name].how
        found = "any difference" if shown.name == "overall" else f"a difference {how}"
    else:
        lines = {EFFECTS[name].title: (curves[name], 0) for name in ([test] if test else curves)}
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
        style = LINE_STYLES[place % len(LINE_STYLES)]
        ax.plot(runs, middle, color=colour, linestyle=style, label=label, **DOTTED)
        if own is not curve and power.interaction is not None:
            ax.plot(runs, curve.power[there, column], color=colour, **ALONE)
    claimed = any(curve.claimed for curve, _ in lines.values())
    if claimed and power.interaction is not None:
        ax.plot([], [], color="0.4", label="its test alone", **ALONE)
    if len(there) < len(power.n_runs):
        shade_unattainable(ax, power.n_runs[0], power.smallest_n)
    ax.axhline(asked.alpha, color="0.6", lw=0.8, linestyle=":")
    each = "each algorithm" if asked.ratio == 1 else "each other algorithm"
    ax.set_xlabel(f"runs of {each}")
    ax.set_ylabel(f"{POWER_TO}{found}")
    ax.set_ylim(0, 1.02)
    ax.set_title(f"{_title(power)}\n", fontsize="medium")
    grey: dict[str, Any] = {"ha": "center", "fontsize": "small", "color": "0.4"}
    ax.text(0.5, 1.015, _legend_text(power), transform=ax.transAxes, **grey)
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
        return lower_legend(one_axes(plot_power, power, SIZE))
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
    asked, bands = power.assumptions, ""
    if asked.noise_df < float("inf"):
        pilots = plural(asked.n_pilots, "pilot")
        bands = f"bands: {percent(asked.confidence)} range left open by {pilots}; "
    return f"{bands}bars: simulation error"


def _title(power: Power) -> str:
    """Name the difference; of several sizes only the kind."""
    effect = power.assumptions.effect
    if effect is None or len(power.sizes) == 1:
        return effect_text(power.assumptions, quotes_scores=False)
    unit = " in standard deviations of curve means" if effect.unit == "sd" else ""
    return f"{effect.kind}, by size{unit}"

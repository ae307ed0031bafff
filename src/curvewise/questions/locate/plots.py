"""Pictures of where curves differ: regions, profiles, the difference, and every window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from curvewise.data.choices import check_choice, check_drawn
from curvewise.errors import OptionError
from curvewise.questions.locate.result import Location
from curvewise.questions.locate.window_plots import step_edges
from curvewise.rendering.curve_plot import plot_curves
from curvewise.rendering.figures import (
    OBSERVED_COLOUR,
    axes_or_current,
    label_text,
    new_figure,
)
from curvewise.rendering.looks import COLOURS
from curvewise.rendering.ticks import write_steps
from curvewise.text import listed, number_text, percent, step_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.questions.locate.result import Crossing, StepEffect
    from curvewise.rendering.curve_plot import CurveOptions

    Steps = np.ndarray[Any, Any]

__all__ = ["figure", "plot_difference", "plot_location"]

Panel = Literal["curves", "regions", "profiles", "difference"]

STRIP = "0.25"  # the grey of steps that are significant
STRIPS = {"algorithm": "differ", "interaction": "gap changes"}
PROFILES = {
    "algorithm": "A: differences\nbetween algorithms",
    "interaction": "I: change of\nthe difference",
}
PROFILE_WIDTH = 540  # of the Axes of a profile, in points


def figure(
    location: Location,
    curves: Curves | None = None,
    **drawing: Unpack[CurveOptions],
) -> Figure:
    """Draw where the curves differ; without the curves, how much, step by step."""
    return plot_location(curves, location, **drawing)


def plot_location(
    curves: Curves | None,
    location: Location,
    *,
    panels: Sequence[Panel] | None = None,
    **drawing: Unpack[CurveOptions],
) -> Figure:
    """Draw the curves, where they differ, and beneath them how much, step by step.

    Parameters
    ----------
    curves : Curves, optional
        Those that were located; without them their panel is left out.
    location : Location
    panels : sequence of "curves", "regions", "profiles" and "difference", optional
        What is drawn, from top to bottom: the curves; a strip of the steps at which they differ,
        and one of those at which their difference departs from its mean over training; how much
        they differ step by step; the difference of two mean curves with its band. All that there
        is by default; without ``details`` all but the profiles.
    **drawing
        How curves are drawn, as in `plot_curves`.
    """
    check_drawn(location, Location, "plot_location() draws what locate() found")
    drawn = _panels(curves, location, panels)
    if panels is None and not drawing.get("details", True):
        drawn.remove("profiles")
    heights = [height for name in drawn for height in _heights(name, location)]
    figure = new_figure((9, 1.2 + sum(heights)))
    rows = figure.subplots(
        len(heights), sharex=True, height_ratios=heights, squeeze=False
    )[:, 0]
    left = iter(rows)
    edges = _narrow_edges(location.steps)
    handles: list[Artist] = []
    for name in drawn:
        if name == "curves" and curves is not None:
            ax = next(left)
            plot_curves(curves, ax=ax, **drawing)
            handles += _claims(ax, location)
        elif name == "regions":
            for effect in location.effects.values():
                _strip(next(left), effect, edges)
            handles.insert(0, _strip_handle(location))
        elif name == "profiles":
            for effect_name, effect in location.effects.items():
                ax = next(left)
                share = _profile(ax, location.steps, effect)
                ax.set_ylabel(PROFILES[effect_name], fontsize="small")
            handles.append(share)
        elif name == "difference":
            plot_difference(location, ax=next(left))
    rows[0].set_xlim(edges[0], edges[-1])
    label = "step" if curves is None else label_text(curves.display.step_name)
    for ax in rows:
        ax.set_xlabel("")
        ax.tick_params(labelbottom=ax is rows[-1])
        write_steps(ax)
    rows[-1].set_xlabel(label, parse_math=False)
    if handles:
        figure.legend(
            handles=handles,
            loc="outside upper center",
            ncols=2,
            fontsize="small",
            frameon=False,
        )
    return figure


def _panels(
    curves: Curves | None, location: Location, panels: Sequence[Panel] | None
) -> list[Panel]:
    """Return the panels to draw; raise where one cannot be."""
    if curves is not None:
        _check_same(curves, location)
    lacking: dict[str, str] = {}
    if curves is None:
        lacking["curves"] = "give the curves as well"
    if location.band is None:
        lacking["difference"] = f"it needs two algorithms, not {len(location.algorithms)}"
    if panels is None:
        return [name for name in get_args(Panel) if name not in lacking]
    if not panels:
        msg = f"Name the panels to draw: {listed(get_args(Panel))}."
        raise OptionError(msg, option="panels")
    for name in panels:
        check_choice("panels", name, get_args(Panel))
        if name in lacking:
            msg = f"The panel {name!r} cannot be drawn: {lacking[name]}."
            raise OptionError(msg, option="panels")
    return [name for name in get_args(Panel) if name in panels]


def _heights(panel: Panel, location: Location) -> list[float]:
    """Return the heights of the rows of a panel, in inches."""
    n_effects = len(location.effects)
    rows: dict[Panel, list[float]] = {
        "curves": [3.6],
        "regions": n_effects * [0.22],
        "profiles": n_effects * [1.3],
        "difference": [2.2],
    }
    return rows[panel]


def plot_difference(location: Location, ax: Axes | None = None) -> Axes:
    """Draw the difference of two mean curves, its band, and where the curves cross."""
    check_drawn(location, Location, "plot_difference() draws what locate() found")
    band = location.band
    if band is None:
        msg = (
            "There is no difference band to draw: it needs two algorithms, not "
            f"{len(location.algorithms)}."
        )
        raise OptionError(msg)
    ax = axes_or_current(ax, (8, 4.5))
    level = percent(band.confidence)
    bounded = np.isfinite(band.low).any()
    meaning = (
        "without 0 where a step is significant"
        if bounded
        else "without ends: too few relabellings"
    )
    marker = "o" if len(location.steps) == 1 else None
    ends = np.concatenate([band.difference, band.low, band.high, [0.0]])
    low, high = _padded(ends[np.isfinite(ends)])
    at = location.steps
    if len(at) == 1:
        # A single step is drawn as wide as its place.
        at, band_low, band_high = step_edges(at), band.low.repeat(2), band.high.repeat(2)
    else:
        band_low, band_high = band.low, band.high
    # An unbounded end leaves the picture.
    ax.fill_between(
        at,
        np.maximum(band_low, low - (high - low)),
        np.minimum(band_high, high + (high - low)),
        color=COLOURS[0],
        alpha=0.2,
        linewidth=0,
    )
    ax.plot(
        location.steps,
        band.difference,
        color=COLOURS[0],
        linewidth=1.8,
        marker=marker,
    )
    side = "above" if location.higher_is_better else "below"
    ax.axhline(0, color="black", linewidth=0.8)
    ax.set_ylim(low, high)
    a, b = label_text(band.a, 28).strip(), label_text(band.b, 28).strip()
    ax.set_ylabel(f"{a} −\n{b}", fontsize="small", parse_math=False)
    text = f"{side} 0 {a} is better; {level} band for all steps at once, {meaning}"
    text = "; ".join(
        [text, *(_crossing(ax, crossing) for crossing in location.crossings)]
    )
    look: dict[str, Any] = {"loc": "left", "fontsize": "small", "color": "0.35"}
    ax.set_title(text, wrap=True, parse_math=False, **look)
    ax.set_xlabel("step")
    write_steps(ax)
    if len(location.steps) == 1:
        ax.set_xticks(location.steps)
    return ax


def _narrow_edges(steps: Steps) -> Floats:
    """Let the first and last step reach no further than a little beyond the curves."""
    edges = step_edges(steps)
    if len(steps) > 1:
        room = 0.015 * float(steps[-1] - steps[0])
        edges[0] = max(edges[0], steps[0] - room)
        edges[-1] = min(edges[-1], steps[-1] + room)
    return edges


def _check_same(curves: Curves, location: Location) -> None:
    same = (
        curves.algorithms == location.algorithms
        and curves.sizes == location.n_runs
        and np.array_equal(curves.steps, location.steps)
    )
    if not same:
        msg = (
            "These are not the curves that locate() was given: algorithms, runs or steps "
            "differ. Give the same curves to locate() and plot_location()."
        )
        raise OptionError(msg, option="curves")


def _strip(ax: Axes, effect: StepEffect, edges: Floats) -> None:
    """Mark the steps at which an effect is significant on a strip of its own."""
    for region in effect.regions:
        left = edges[np.searchsorted(edges, region.start) - 1]
        right = edges[np.searchsorted(edges, region.stop)]
        ax.axvspan(left, right, facecolor=STRIP, edgecolor="none")
    ax.set_yticks([0.5], [STRIPS[effect.name]], fontsize="small")
    ax.set_ylim(0, 1)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", length=0)


def _strip_handle(location: Location) -> Artist:
    from matplotlib.patches import Patch

    if any(effect.regions for effect in location.effects.values()):
        label = f"significant at the step (adjusted p ≤ {location.alpha:g})"
        return Patch(facecolor=STRIP, label=label)
    label = f"no single step is significant (adjusted p > {location.alpha:g})"
    return Patch(facecolor="white", edgecolor="0.7", label=label)


def _claims(ax: Axes, location: Location) -> list[Artist]:
    """Draw from when and until when the algorithms differ, as far as that is claimed."""
    from matplotlib.lines import Line2D

    words = (
        (location.differs_from, "before", "<", (0, (6, 3)), 1.0),
        (location.differs_until, "after", ">", (0, (1, 2)), 0.0),
    )
    handles: list[Artist] = []
    for step, side, marker, style, height in words:
        if step is None:
            continue
        look: dict[str, Any] = {"color": "black", "linewidth": 1.1, "linestyle": style}
        ax.axvline(step, **look)
        # The mark points to where the differences are.
        ax.plot(
            [step],
            [height],
            marker=marker,
            markersize=8,
            color="black",
            transform=ax.get_xaxis_transform(),
            clip_on=False,
            zorder=4,
        )
        label = f"differ at or {side} step {step_text(step)}"
        handles.append(Line2D([], [], marker=marker, label=label, **look))
    return handles


def _profile(ax: Axes, steps: Steps, effect: StepEffect) -> Artist:
    from matplotlib.ticker import PercentFormatter

    # Bars of one width: where steps are unevenly spaced, areas would mislead.
    width = float(np.clip(PROFILE_WIDTH / len(steps), 1.0, 6.0))
    ax.vlines(steps, 0, effect.profile, color="0.6", linewidth=width)
    ax.set_ylim(0, 1.05 * float(effect.profile.max()) or 1.0)
    ax.locator_params(axis="y", nbins=4)
    twin = ax.twinx()
    marker = "." if len(steps) <= 25 else None
    (line,) = twin.plot(
        steps,
        effect.cumulative_share,
        color=OBSERVED_COLOUR,
        linewidth=1.2,
        marker=marker,
        label="share of all differences so far (right axis)",
    )
    twin.set_ylim(0, 1.05)
    twin.set_yticks([0, 0.5, 1])
    twin.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    twin.tick_params(axis="y", colors=OBSERVED_COLOUR, labelsize="small")
    twin.set_ylabel("so far", color=OBSERVED_COLOUR, fontsize="small")
    return line


def _crossing(ax: Axes, crossing: Crossing) -> str:
    """Mark where curves cross, and say where that is."""
    low, high = crossing.interval
    look: dict[str, Any] = {"color": OBSERVED_COLOUR, "zorder": 4}
    ax.plot([low, high], [0, 0], linewidth=4, alpha=0.5, solid_capstyle="butt", **look)
    ax.plot([crossing.step], [0], marker="D", markersize=6, linestyle="", **look)
    return (
        f"curves cross near step {number_text(crossing.step)} (◆), between {step_text(low)} "
        f"and {step_text(high)}"
    )


def _padded(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = 0.08 * (high - low) or 0.5
    return low - room, high + room

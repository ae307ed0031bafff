"""Pictures of where curves differ: regions, profiles, the difference, and every window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import OptionError
from curvewise.questions.locate.window_plots import step_edges
from curvewise.rendering.curve_plot import plot_curves
from curvewise.rendering.figures import (
    COLOURS,
    OBSERVED_COLOUR,
    axes_or_current,
    label_text,
)
from curvewise.text import number_text, percent, step_text

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.questions.locate.result import Crossing, Location, StepEffect

    Steps = np.ndarray[Any, Any]

__all__ = ["figure", "plot_difference", "plot_location"]

SHADE = "#F8F3BC"  # a pale yellow, on which curves and bands stay visible
PROFILES = {
    "algorithm": "A: differences\nbetween algorithms",
    "interaction": "I: change of\nthe difference",
}
PROFILE_WIDTH = 540  # of the Axes of a profile, in points
MAX_NAMES_INSIDE = 8  # algorithms whose names fit among the curves


def figure(location: Location, curves: Curves | None = None) -> Figure:
    """Draw where the curves differ; without the curves, how much, step by step."""
    return plot_location(curves, location)


def plot_location(curves: Curves | None, location: Location) -> Figure:
    """Draw the curves, where they differ, and beneath them how much, step by step.

    Steps at which the algorithms differ are shaded, as are those at which the difference
    departs from its mean over training in the profile of that change. Of two algorithms the
    difference is drawn as well. Without curves their panel is left out.
    """
    from matplotlib.figure import Figure

    heights = [1.3 for _ in location.effects]
    if curves is not None:
        _check_same(curves, location)
        heights = [3.6, *heights]
    if location.band is not None:
        heights.append(2.2)
    figure = Figure(figsize=(9, 1.2 + sum(heights)), layout="constrained")
    rows = figure.subplots(
        len(heights), sharex=True, height_ratios=heights, squeeze=False
    )[:, 0]
    edges = _narrow_edges(location.steps)
    profiles = rows
    if curves is not None:
        plot_curves(curves, ax=rows[0])
        if len(curves.algorithms) > MAX_NAMES_INSIDE:
            _move_legend(rows[0], figure)
        _shade(rows[0], location.effects["algorithm"], edges)
        profiles = rows[1:]
    claims = _claims(rows[0], location)
    for ax, (name, effect) in zip(profiles, location.effects.items(), strict=False):
        _shade(ax, effect, edges)
        share = _profile(ax, location.steps, effect)
        ax.set_ylabel(PROFILES[name], fontsize="small")
    if location.band is not None:
        plot_difference(location, ax=rows[-1])
    rows[0].set_xlim(edges[0], edges[-1])
    for ax in rows[:-1]:
        ax.set_xlabel("")
        ax.tick_params(labelbottom=False)
    rows[-1].set_xlabel("step")
    handles = [_shade_handle(location), share, *claims]
    figure.legend(
        handles=handles,
        loc="outside upper center",
        ncols=2,
        fontsize="small",
        frameon=False,
    )
    return figure


def plot_difference(location: Location, ax: Axes | None = None) -> Axes:
    """Draw the difference of two mean curves, its band, and where the curves cross."""
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
        label=f"{level} band for all steps at once, {meaning}",
    )
    ax.plot(
        location.steps,
        band.difference,
        color=COLOURS[0],
        linewidth=1.8,
        marker=marker,
        label="difference of the mean curves",
    )
    side = "above" if location.higher_is_better else "below"
    better = f"{side} 0 {label_text(band.a, 32).strip()} is better"
    ax.axhline(0, color="black", linewidth=0.8, label=better)
    ax.set_ylim(low, high)
    for crossing in location.crossings:
        _crossing(ax, crossing)
    a, b = label_text(band.a, 28).strip(), label_text(band.b, 28).strip()
    ax.set_title(
        f"{a} − {b} with {level} simultaneous band", fontsize="medium", parse_math=False
    )
    ax.set(xlabel="step", ylabel="difference")
    if len(location.steps) == 1:
        ax.set_xticks(location.steps)
    for text in ax.legend(fontsize="small").get_texts():
        text.set_parse_math(False)
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


def _move_legend(ax: Axes, figure: Figure) -> None:
    """Put a long legend beside all rows, so that it does not push them apart."""
    legend = ax.get_legend()
    assert legend is not None  # noqa: S101 (plot_curves draws one)
    names = [text.get_text() for text in legend.get_texts()]
    columns = -(-len(names) // 36)
    figure.set_figwidth(figure.get_figwidth() + 1.5 * columns)
    moved = figure.legend(
        [handle for handle in legend.legend_handles if handle is not None],
        names,
        loc="outside right upper",
        title=legend.get_title().get_text(),
        ncols=columns,
        fontsize="small",
        title_fontsize="small",
        handlelength=3.2,
    )
    for text in moved.get_texts():
        text.set_parse_math(False)
    legend.remove()


def _shade(ax: Axes, effect: StepEffect, edges: Floats) -> None:
    for region in effect.regions:
        left = edges[np.searchsorted(edges, region.start) - 1]
        right = edges[np.searchsorted(edges, region.stop)]
        ax.axvspan(left, right, facecolor=SHADE, edgecolor="none", zorder=0)


def _shade_handle(location: Location) -> Artist:
    from matplotlib.patches import Patch

    if any(effect.regions for effect in location.effects.values()):
        label = f"significant at the step (adjusted p ≤ {location.alpha:g})"
        return Patch(facecolor=SHADE, edgecolor="0.7", label=label)
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


def _crossing(ax: Axes, crossing: Crossing) -> None:
    low, high = crossing.interval
    label = (
        f"curves cross near step {number_text(crossing.step)}, between {step_text(low)} and "
        f"{step_text(high)}"
    )
    look: dict[str, Any] = {"color": OBSERVED_COLOUR, "zorder": 4}
    ax.plot([low, high], [0, 0], linewidth=4, alpha=0.5, solid_capstyle="butt", **look)
    ax.plot(
        [crossing.step], [0], marker="D", markersize=6, linestyle="", label=label, **look
    )


def _padded(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = 0.08 * (high - low) or 0.5
    return low - room, high + room

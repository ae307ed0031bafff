"""Pictures of where curves differ: regions, profiles, the difference, and every window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import OptionError, nearest
from curvewise.present.plots import (
    COLOURS,
    OBSERVED,
    axes_or_current,
    label_text,
    plot_curves,
)
from curvewise.steps import step_text
from curvewise.tables import number_text

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

    from curvewise.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.results import Crossing, Location, StepEffect
    from curvewise.results.windows import WindowTests

    Steps = np.ndarray[Any, Any]

__all__ = ["plot_difference", "plot_location", "plot_window_maps", "plot_windows"]

SHADE = "#F8F3BC"  # a pale yellow, on which curves and bands stay visible
PROFILES = {
    "algorithm": "A: differences\nbetween algorithms",
    "interaction": "I: change of\nthe difference",
}
ASPECTS = {"algorithm": "height", "interaction": "shape"}
LEVELS = (0.001, 0.01, 0.1, 0.5)  # of p, besides alpha
PROFILE_WIDTH = 540  # of the Axes of a profile, in points
UNEVEN = 4  # how much wider one place may be than another, before all are drawn alike
MOST_TICKS = 12
BESIDE = 8  # algorithms whose names fit among the curves


def plot_location(curves: Curves, location: Location) -> Figure:
    """Draw the curves, where they differ, and beneath them how much, step by step.

    Steps at which the algorithms differ are shaded, as are those at which the difference
    departs from its mean over training in the profile of that change. Of two algorithms the
    difference is drawn as well.
    """
    from matplotlib.figure import Figure

    _check_same(curves, location)
    n_more = len(location.effects) + (location.band is not None)
    heights = [3.6, *(1.3 for _ in location.effects)]
    if location.band is not None:
        heights.append(2.2)
    figure = Figure(figsize=(9, 1.2 + sum(heights)), layout="constrained")
    rows = figure.subplots(1 + n_more, sharex=True, height_ratios=heights)
    edges = _narrow_edges(location.steps)

    plot_curves(curves, ax=rows[0])
    if len(curves.algorithms) > BESIDE:
        _move_legend(rows[0], figure)
    _shade(rows[0], location.effects["algorithm"], edges)
    claims = _claims(rows[0], location)
    for ax, (name, effect) in zip(rows[1:], location.effects.items(), strict=False):
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
            "There is no difference band to draw: it needs two algorithms with at least "
            "three runs each (or three blocks), and resamples; see locate()."
        )
        raise OptionError(msg)
    ax = axes_or_current(ax, (8, 4.5))
    percent = _percent(band.confidence)
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
        label=f"{percent} band for all steps at once",
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
    if location.crossing is not None:
        _crossing(ax, location.crossing, _narrow_edges(location.steps))
    a, b = label_text(band.a, 28).strip(), label_text(band.b, 28).strip()
    ax.set_title(
        f"{a} − {b} with {percent} simultaneous band", fontsize="medium", parse_math=False
    )
    ax.set(xlabel="step", ylabel="difference")
    if len(location.steps) == 1:
        ax.set_xticks(location.steps)
    for text in ax.legend(fontsize="small").get_texts():
        text.set_parse_math(False)
    return ax


def plot_windows(
    location: Location,
    effect: str = "algorithm",
    ax: Axes | None = None,
    *,
    adjusted: bool = True,
) -> Axes:
    """Draw the p of every window of training as a map: first step across, last step up.

    Parameters
    ----------
    location : Location
        Located with ``windows=True``.
    effect : "algorithm" or "interaction"
        Height or shape inside a window.
    ax : Axes, optional
        The current ones, if left out.
    adjusted : bool
        Whether p allows for choosing the window by looking at the data. Otherwise it
        holds for a window that was chosen before.
    """
    tests, row = _window_tests(location, effect)
    ax = axes_or_current(ax, (6.4, 4.8))
    mesh = _window_map(ax, tests, row, adjusted=adjusted)
    _colour_bar(mesh, [ax], tests.alpha, adjusted=adjusted)
    return ax


def plot_window_maps(location: Location, *, adjusted: bool = True) -> Figure:
    """Draw the p of every window, for height and for shape, side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2 * len(location.effects) + 1, 5), layout="compressed")
    grid = figure.subplots(1, len(location.effects), squeeze=False)[0]
    for ax, name in zip(grid, location.effects, strict=True):
        tests, row = _window_tests(location, name)
        mesh = _window_map(ax, tests, row, adjusted=adjusted)
    _colour_bar(mesh, list(grid), tests.alpha, adjusted=adjusted)
    return figure


def step_edges(starts: Steps, stops: Steps | None = None) -> Floats:
    """Give every step, or portion of steps, half of the distance to its neighbours.

    >>> step_edges(np.array([0, 10, 30]))
    array([-5.,  5., 20., 40.])
    """
    starts = starts.astype(np.float64)
    stops = starts if stops is None else stops.astype(np.float64)
    inner = (stops[:-1] + starts[1:]) / 2
    if not len(inner):
        return np.array([starts[0] - 0.5, stops[0] + 0.5])
    first, last = starts[1] - stops[0], starts[-1] - stops[-2]
    return np.concatenate([[starts[0] - first / 2], inner, [stops[-1] + last / 2]])


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
            "These are not the curves that were located: their algorithms, runs or steps "
            "are others. Give the same curves to locate() and plot_location()."
        )
        raise OptionError(msg)


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
        color=OBSERVED,
        linewidth=1.2,
        marker=marker,
        label="share of all differences so far (right axis)",
    )
    twin.set_ylim(0, 1.05)
    twin.set_yticks([0, 0.5, 1])
    twin.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    twin.tick_params(axis="y", colors=OBSERVED, labelsize="small")
    twin.set_ylabel("so far", color=OBSERVED, fontsize="small")
    return line


def _crossing(ax: Axes, crossing: Crossing, edges: Floats) -> None:
    low, high = crossing.interval
    left, right = (float(end) for end in np.clip([low, high], edges[0], edges[-1]))
    label = f"curves cross near step {number_text(crossing.step)}"
    bounded = np.isfinite(low) and np.isfinite(high)
    if bounded:
        label += (
            f" ({_percent(crossing.confidence)} interval "
            f"{number_text(low)} to {number_text(high)})"
        )
    else:
        label += ", but may not cross at all"
    look: dict[str, Any] = {"color": OBSERVED, "zorder": 4}
    ax.plot([left, right], [0, 0], linewidth=4, alpha=0.5, solid_capstyle="butt", **look)
    for end, place, marker in ((low, left, "<"), (high, right, ">")):
        if np.isinf(end):
            ax.plot([place], [0], marker=marker, markersize=9, clip_on=False, **look)
    ax.plot(
        [crossing.step], [0], marker="D", markersize=6, linestyle="", label=label, **look
    )


def _window_tests(location: Location, effect: str) -> tuple[WindowTests, int]:
    if location.windows is None:
        msg = "Windows were left out: locate the curves with windows=True."
        raise OptionError(msg)
    if effect not in ASPECTS:
        msg = f"No effect is called {effect!r}; {nearest(str(effect), ASPECTS)}"
        raise OptionError(msg)
    if effect not in location.effects:
        msg = "There is a single step, so no window has a shape. Draw effect='algorithm'."
        raise OptionError(msg)
    return location.windows, list(ASPECTS).index(effect)


def _window_map(ax: Axes, tests: WindowTests, row: int, *, adjusted: bool) -> QuadMesh:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import BoundaryNorm, ListedColormap

    pvalues = (tests.pvalue_adjusted if adjusted else tests.pvalue)[row].T
    shown = np.ma.masked_array(pvalues, mask=(tests.lengths <= row).T)
    bounds, colours, _ = window_levels(tests.alpha)
    # A level holds its upper end: p = alpha is significant.
    norm = BoundaryNorm([0.0, *np.nextafter(bounds[1:], 2)], len(colours))
    edges = _map_edges(ax, tests)
    mesh = ax.pcolormesh(edges, edges, shown, cmap=ListedColormap(colours), norm=norm)
    significant = (pvalues <= tests.alpha) & ~shown.mask
    ax.add_collection(
        LineCollection(list(outline(significant, edges)), colors="black", linewidths=1.2)
    )
    words = "adjusted for choosing it" if adjusted else "if it was chosen beforehand"
    aspect = list(ASPECTS.values())[row]
    ax.set_title(
        f"p of a difference in {aspect} in every window,\n{words}", fontsize="medium"
    )
    ax.set_aspect("equal")
    return mesh


def _map_edges(ax: Axes, tests: WindowTests) -> Floats:
    """Place the steps on both axes, and say which they are."""
    edges = step_edges(tests.starts, tests.stops)
    widths, n_places, note = np.diff(edges), len(tests.starts), ""
    uneven = widths.max() > UNEVEN * widths.min()
    if uneven:
        note = "; all steps drawn equally wide"
        edges = np.linspace(-0.5, n_places - 0.5, n_places + 1)
    if uneven or n_places <= MOST_TICKS:
        middles = (edges[:-1] + edges[1:]) / 2
        named = slice(None, None, -(-n_places // MOST_TICKS))
        for axis, steps in ((ax.xaxis, tests.starts), (ax.yaxis, tests.stops)):
            axis.set_ticks(middles[named], [step_text(step) for step in steps[named]])
        if n_places > 4:
            ax.tick_params(axis="x", labelrotation=45)
    ax.set(xlabel=f"first step of the window{note}", ylabel="last step of the window")
    return edges


def window_levels(alpha: float) -> tuple[list[float], list[Any], list[str]]:
    """Return the bounds of p, a colour for each level, and how it is told.

    What is significant is blue, the darker the surer; the rest is grey.
    """
    from matplotlib import colormaps

    bounds = sorted({0.0, *LEVELS, alpha, 1.0})
    n_below = bounds.index(alpha)
    n_above = len(bounds) - 1 - n_below
    colours = [*colormaps["Blues"](np.linspace(1, 0.5, n_below))]
    colours += [*colormaps["Greys"](np.linspace(0.36, 0.12, n_above))]
    told = [f"≤ {bound:g}" for bound in bounds[1:-1]] + [f"> {bounds[-2]:g}"]
    told[n_below - 1] += " (alpha)"
    return bounds, colours, told


def _colour_bar(
    mesh: QuadMesh, axes: list[Axes], alpha: float, *, adjusted: bool
) -> None:
    bounds, _, told = window_levels(alpha)
    bar = axes[0].get_figure().colorbar(mesh, ax=axes, spacing="uniform")  # type: ignore[union-attr]
    middles = (np.array(bounds[:-1]) + bounds[1:]) / 2
    bar.set_ticks(middles.tolist(), labels=told)
    bar.ax.tick_params(length=0, labelsize="small")
    bar.ax.minorticks_off()
    # The border of what is significant is drawn on the map as well.
    bar.ax.axhline(alpha, color="black", linewidth=1.2)
    bar.ax.set_title("adjusted p" if adjusted else "p", fontsize="small")


def outline(inside: np.ndarray[Any, Any], edges: Floats) -> Floats:
    """Return the line segments that part the cells inside from those outside.

    >>> outline(np.array([[True]]), np.array([0.0, 1.0])).shape
    (4, 2, 2)
    """
    framed = np.pad(inside, 1)
    y, x = np.nonzero(framed[1:-1, 1:] != framed[1:-1, :-1])
    upright = np.stack([edges[[x, x]], edges[[y, y + 1]]], axis=-1)
    y, x = np.nonzero(framed[1:, 1:-1] != framed[:-1, 1:-1])
    level = np.stack([edges[[x, x + 1]], edges[[y, y]]], axis=-1)
    return np.concatenate([upright, level], axis=1).transpose(1, 0, 2)


def _padded(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = 0.08 * (high - low) or 0.5
    return low - room, high + room


def _percent(confidence: float) -> str:
    return f"{100 * confidence:.6g}%"

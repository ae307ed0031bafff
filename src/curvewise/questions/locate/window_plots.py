"""Pictures of every window of training: how striking each is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.choices import check_drawn
from curvewise.errors import OptionError
from curvewise.inference.effects import EFFECTS, PARTS
from curvewise.questions.locate.result import Location
from curvewise.rendering.figures import axes_or_current, new_figure
from curvewise.text import did_you_mean, step_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

    from curvewise.kernels import Floats
    from curvewise.questions.locate.windows import WindowTests

    Steps = np.ndarray[Any, Any]

__all__ = ["outline", "plot_window_maps", "plot_windows", "step_edges", "window_levels"]

LEVELS = (0.001, 0.01, 0.1, 0.5)  # of p, besides alpha
MAX_WIDTH_RATIO = (
    4  # how much wider one place may be than another, before all are drawn alike
)
MAX_TICKS = 12


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
    check_drawn(location, Location, "plot_windows() draws what locate() found")
    tests, row = _window_tests(location, effect)
    ax = axes_or_current(ax, (6.4, 4.8))
    mesh = _window_map(ax, tests, row, adjusted=adjusted)
    _colour_bar(mesh, [ax], tests.alpha, adjusted=adjusted)
    return ax


def plot_window_maps(location: Location, *, adjusted: bool = True) -> Figure:
    """Draw the p of every window, for height and for shape, side by side."""
    check_drawn(location, Location, "plot_window_maps() draws what locate() found")
    figure = new_figure((5.2 * len(location.effects) + 1, 5), layout="compressed")
    grid = figure.subplots(1, len(location.effects), squeeze=False)[0]
    for ax, name in zip(grid, location.effects, strict=True):
        tests, row = _window_tests(location, name)
        mesh = _window_map(ax, tests, row, adjusted=adjusted)
    _colour_bar(mesh, list(grid), tests.alpha, adjusted=adjusted)
    return figure


def _window_tests(location: Location, effect: str) -> tuple[WindowTests, int]:
    if location.windows is None:
        msg = "Windows were left out: locate the curves with windows=True."
        raise OptionError(msg, option="windows")
    if effect not in PARTS:
        msg = f"No effect is called {effect!r}; {did_you_mean(str(effect), PARTS)}"
        raise OptionError(msg, option="effect")
    if effect not in location.effects:
        msg = "There is a single step, so no window has a shape. Draw effect='algorithm'."
        raise OptionError(msg)
    return location.windows, list(PARTS).index(effect)


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
    noun = EFFECTS[PARTS[row]].noun
    ax.set_title(
        f"p of a difference in {noun} in every window,\n{words}", fontsize="medium"
    )
    ax.set_aspect("equal")
    return mesh


def _map_edges(ax: Axes, tests: WindowTests) -> Floats:
    """Place the steps on both axes, and say which they are."""
    edges = step_edges(tests.starts, tests.stops)
    widths, n_places, note = np.diff(edges), len(tests.starts), ""
    uneven = widths.max() > MAX_WIDTH_RATIO * widths.min()
    if uneven:
        note = "; all steps drawn equally wide"
        edges = np.linspace(-0.5, n_places - 0.5, n_places + 1)
    if uneven or n_places <= MAX_TICKS:
        middles = (edges[:-1] + edges[1:]) / 2
        named = slice(None, None, -(-n_places // MAX_TICKS))
        for axis, steps in ((ax.xaxis, tests.starts), (ax.yaxis, tests.stops)):
            axis.set_ticks(middles[named], [step_text(step) for step in steps[named]])
        if n_places > 4:
            ax.tick_params(axis="x", labelrotation=45)
    ax.set(xlabel=f"first step of the window{note}", ylabel="last step of the window")
    return edges


def window_levels(alpha: float) -> tuple[list[float], list[Any], list[str]]:
    """Return the bounds of p, a colour for each level, and its label.

    What is significant is blue, the darker the surer; the rest is grey.
    """
    from matplotlib import colormaps

    bounds = sorted({0.0, *LEVELS, alpha, 1.0})
    n_below = bounds.index(alpha)
    n_above = len(bounds) - 1 - n_below
    colours = [*colormaps["Blues"](np.linspace(1, 0.5, n_below))]
    colours += [*colormaps["Greys"](np.linspace(0.36, 0.12, n_above))]
    labels = [f"≤ {bound:g}" for bound in bounds[1:-1]] + [f"> {bounds[-2]:g}"]
    labels[n_below - 1] += " (alpha)"
    return bounds, colours, labels


def _colour_bar(
    mesh: QuadMesh, axes: list[Axes], alpha: float, *, adjusted: bool
) -> None:
    bounds, _, labels = window_levels(alpha)
    bar = axes[0].get_figure().colorbar(mesh, ax=axes, spacing="uniform")  # type: ignore[union-attr]
    middles = (np.array(bounds[:-1]) + bounds[1:]) / 2
    bar.set_ticks(middles.tolist(), labels=labels)
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

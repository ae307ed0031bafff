"""Tasks × algorithms as a map: how good each is on each task, and which may be the best."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.data.choices import check_choice, check_drawn
from curvewise.questions.best.bests import Bests
from curvewise.rendering.figures import axes_or_current, label_text, legend_below
from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    MAX_HEIGHT,
    WORSE_COLOUR,
    row_font,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.lines import Line2D

    from curvewise.kernels import Floats

__all__ = ["map_size", "plot_bests"]

MAX_NAME = 28  # characters of a name beside the map
MAX_WIDTH = 15.0  # inches
DARK = 0.2  # colours this near to either end have white dots

Shown = Literal["ranks", "scores"]


def plot_bests(bests: Bests, ax: Axes | None = None, *, show: Shown = "ranks") -> Axes:
    """Draw a map of tasks × algorithms: blue is better, orange is worse.

    A filled dot marks the algorithm that leads on a task, an open dot those that may be the best as
    well; without a dot an algorithm is ruled out. Algorithms stand in the order of how often they
    may be the best, and that number is beside their name.

    Parameters
    ----------
    bests : Bests
    ax : Axes, optional
        The current ones, if left out.
    show : "ranks" or "scores"
        What colours stand for: the rank of an algorithm on a task, or where its mean is between
        those of the worst and the best algorithm of the task.
    """
    check_drawn(bests, Bests, "plot_bests() draws what best_many() found")
    check_choice("show", show, ("ranks", "scores"))
    ax = axes_or_current(ax, map_size(bests))
    standings = bests.standings
    order = [bests.algorithms.index(one.name) for one in standings]
    goodness = (_by_rank if show == "ranks" else _by_score)(bests)[:, order]
    image = ax.imshow(goodness, cmap=_colours(), vmin=0, vmax=1, aspect="auto")
    usual = float(ax.yaxis.get_major_ticks()[0].label1.get_fontsize())
    font = min(row_font(ax, len(bests) + 1), usual)
    # Dots that look the same are drawn together: one by one they would take most of the time.
    places: dict[tuple[str, bool], list[tuple[int, int]]] = defaultdict(list)
    for y, own in enumerate(bests.values()):
        for x, one in enumerate(standings):
            if one.name in own.contenders:
                colour = "white" if abs(goodness[y, x] - 0.5) > 0.5 - DARK else "black"
                leads = bool(bests.ranks[y, order[x]] == 1)
                places[colour, leads].append((x, y))
    for (colour, filled), found in places.items():
        dots = _dot(colour, 0.62 * font, filled=filled)
        dots.set_data(*zip(*found, strict=True))
        ax.add_line(dots)
    ax.set_yticks(
        range(len(bests)),
        [label_text(task, MAX_NAME) for task in bests],
        fontsize=font,
        parse_math=False,
    )
    ax.set_xticks(
        range(len(standings)),
        [f"{label_text(one.name, MAX_NAME)}: {one.n_may_be_best}" for one in standings],
        rotation=90,
        fontsize="small",
        parse_math=False,
    )
    ax.tick_params(length=0)
    ax.set_xlabel(f"algorithm: on how many of\n{len(bests)} tasks it may be the best")
    # Thin white lines between the cells.
    across, down = np.arange(0.5, len(bests) - 1), np.arange(0.5, len(standings) - 1)
    right, bottom = len(standings) - 0.5, len(bests) - 0.5
    ax.hlines(across, -0.5, right, colors="white", linewidth=0.6)
    ax.vlines(down, -0.5, bottom, colors="white", linewidth=0.6)
    ax.set(xlim=(-0.5, right), ylim=(bottom, -0.5))
    ax.spines[:].set_visible(False)
    figure = ax.get_figure()
    assert figure is not None  # noqa: S101 (Axes that can be drawn on are in a figure)
    # Inside the Axes, so that the figure still has one: labels of a page go to the last.
    place = ax.inset_axes((1.02, 0.2, 0.03, 0.6))
    bar = figure.colorbar(image, cax=place, ticks=[0, 1])
    what = "rank" if show == "ranks" else "score"
    bar.ax.set_yticklabels([f"worst\n{what}", f"best\n{what}"], fontsize="small")
    bar.ax.tick_params(length=0)
    bar.outline.set_visible(False)
    legend = {
        "leads": _dot("black", 6, filled=True),
        "may be the best too": _dot("black", 6, filled=False),
        f"no dot: adjusted p ≤ {bests.alpha:g}": _dot("none", 6, filled=True),
    }
    legend_below(ax, list(legend.values()), list(legend))
    return ax


def map_size(bests: Bests) -> tuple[float, float]:
    """Return the size of a figure, in inches, with room for every task and algorithm."""
    width = 3.4 + 0.45 * len(bests.algorithms)
    height = 3.2 + 0.21 * len(bests)
    return min(max(width, 6.0), MAX_WIDTH), min(height, MAX_HEIGHT)


def _dot(colour: str, size: float, *, filled: bool) -> Line2D:
    from matplotlib.lines import Line2D

    return Line2D(
        [],
        [],
        color=colour,
        linestyle="",
        marker="o",
        markersize=size,
        markerfacecolor=colour if filled else "none",
    )


def _by_rank(bests: Bests) -> Floats:
    """Return 1 for the first rank of a task, and 0 for the last."""
    n_ranked = np.sum(~np.isnan(bests.ranks), axis=1, keepdims=True)
    return np.asarray(1 - (bests.ranks - 1) / (n_ranked - 1))


def _by_score(bests: Bests) -> Floats:
    """Return 1 for the best mean of a task, 0 for the worst, and 0.5 where all are equal."""
    means = bests.means if bests.higher_is_better else -bests.means
    low = np.nanmin(means, axis=1, keepdims=True)
    spread = np.nanmax(means, axis=1, keepdims=True) - low
    shares = np.where(np.isnan(means), np.nan, 0.5)
    np.divide(means - low, spread, out=shares, where=(spread > 0) & ~np.isnan(means))
    return shares


def _colours() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    colours = [WORSE_COLOUR, "#F2F2F2", CLEAR_COLOUR]
    return LinearSegmentedColormap.from_list("worse to better", colours)

"""The path of the sequential p, look after look, against alpha."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.data.choices import check_drawn
from curvewise.inference.effects import EFFECTS
from curvewise.questions.monitor.result import Monitoring
from curvewise.rendering.figures import (
    axes_or_current,
    label_text,
    lower_legend,
    one_axes,
)
from curvewise.rendering.forest import CLEAR_COLOUR, UNCLEAR_COLOUR
from curvewise.rendering.looks import COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves

__all__ = ["Line", "figure", "lines_of", "plot_monitoring"]

SIZE = (7.0, 4.5)
STYLES = {"overall": ("-", "o"), "algorithm": ("--", "^"), "interaction": (":", "s")}
MAX_LABELLED = 7  # pairs that have colours of their own
MAX_TICKS = 10  # looks with a label
FOUND_COLOUR, OUT_OF_REACH_COLOUR = "#E3F0E8", "0.87"


class Line(NamedTuple):
    """One line of the picture; without a label it is not in the legend."""

    pvalues: tuple[float, ...]
    label: str | None
    colour: str
    style: str
    marker: str


def plot_monitoring(found: Monitoring, ax: Axes | None = None) -> Axes:
    """Draw the sequential p at each look so far, and the looks to come.

    A difference is found where the path reaches the region below alpha. The grey region cannot be
    reached by as many runs as are planned by then, whatever their scores. Of several algorithms
    there is a line for each pair, with its adjusted p. Draws on the current Axes if none are
    given, and returns the Axes.
    """
    check_drawn(found, Monitoring, "plot_monitoring() draws what monitor() found")
    ax = axes_or_current(ax, SIZE)
    looks = np.arange(1, found.plan.n_batches + 1)
    smallest = np.array(found.plan.smallest_pvalues()) * len(found.pairs)
    lines = lines_of(found)
    low = min(found.alpha, *smallest, *(min(line.pvalues) for line in lines)) / 2
    edges = np.append(looks - 0.5, looks[-1] + 0.5)
    ax.axhspan(
        low, found.alpha, color=FOUND_COLOUR, zorder=0, label="a difference is found"
    )
    ax.stairs(
        np.minimum(smallest, 1.0),
        edges,
        baseline=low,
        fill=True,
        color=OUT_OF_REACH_COLOUR,
        zorder=1,
        label="out of reach of so few runs",
    )
    ax.axhline(found.alpha, color="0.2", linewidth=0.8, zorder=2)
    ax.annotate(
        f"α = {found.alpha:g}",
        (1.0, found.alpha),
        (-4, 3),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        fontsize=8,
    )
    for line in lines:
        ax.plot(
            looks[: found.look],
            line.pvalues,
            color=line.colour,
            linestyle=line.style,
            marker=line.marker,
            markersize=5,
            label=line.label,
            zorder=4,
            clip_on=False,
        )
    if found.look < looks[-1]:
        ax.axvline(found.look + 0.5, color="0.4", linewidth=0.8, linestyle=":", zorder=3)
        ax.annotate(
            "to come →",
            (found.look + 0.5, 1.0),
            (3, 3),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            fontsize=8,
        )
    ax.set_yscale("log")
    ax.set_ylim(low, 1.0)
    ax.set_xlim(edges[0], edges[-1])
    ax.set_xticks(looks, _ticks(found, looks.tolist()))
    ax.set_xlabel("look, and runs of each algorithm by then")
    ax.set_ylabel(
        "sequential p" + (", adjusted for all pairs" if len(found.pairs) > 1 else "")
    )
    ax.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    return ax


def lines_of(found: Monitoring) -> list[Line]:
    """Return what is drawn: the effects of two algorithms, or every pair of several."""
    if len(found.pairs) == 1:
        asked = [name for name in EFFECTS if found.has_shape or name != "interaction"]
        return [
            Line(found.effect(name).pvalues, EFFECTS[name].noun, colour, *STYLES[name])
            for name, colour in zip(asked, COLOURS, strict=False)
        ]
    if len(found.pairs) <= MAX_LABELLED:
        return [
            Line(
                pair.overall.pvalues_adjusted,
                f"{label_text(pair.a, 20).strip()}, {label_text(pair.b, 20).strip()}",
                COLOURS[place],
                ("-", "--", ":")[place % 3],
                "o^sDvP*"[place],
            )
            for place, pair in enumerate(found.pairs)
        ]
    lines, told = [], set()
    for pair in found.pairs:
        different = pair.status == "different"
        label = "different" if different else "not told apart"
        colour = CLEAR_COLOUR if different else UNCLEAR_COLOUR
        shown = None if label in told else label
        lines.append(Line(pair.overall.pvalues_adjusted, shown, colour, "-", "o"))
        told.add(label)
    return lines


def figure(found: Monitoring, _curves: Curves | None = None) -> Figure:
    """Draw the path in a figure; the curves are not needed."""
    made = one_axes(plot_monitoring, found, SIZE)
    lower_legend(made)
    return made


def _ticks(found: Monitoring, looks: Sequence[int]) -> list[str]:
    """Return what stands below looks; of many, below some that are evenly spread."""
    every = math.ceil(len(looks) / MAX_TICKS)
    size = found.plan.batch_size
    return ["" if look % every else f"{look}\n{look * size}" for look in looks]

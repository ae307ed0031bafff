"""Forests: values with their intervals, a row each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.rendering.figures import COLOURS, OBSERVED
from curvewise.text import number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


__all__ = [
    "BEHIND",
    "CLEAR",
    "UNCLEAR",
    "Row",
    "forest",
    "forest_size",
    "legend_above",
    "legend_of_significance",
    "p_cell",
    "point",
    "row_font",
    "text_beside",
    "value_text",
]

CLEAR, UNCLEAR, BEHIND = COLOURS[0], "0.35", OBSERVED


@dataclass(frozen=True)
class Row:
    """One line of a forest: a value with its interval, and what stands at its right."""

    label: str
    value: float | None
    low: float
    high: float
    colour: str
    marker: str
    filled: bool
    right: str
    faded: bool = False


def forest(
    ax: Axes,
    rows: Sequence[Row],
    heading: str,
    *,
    no_effect: float = 0.0,
    log: bool = False,
) -> None:
    """Draw a row for each value; what lies beyond the axis is an arrow at its edge.

    On a logarithmic axis that is all that is not positive, too.
    """
    shown = [no_effect, *(x for r in rows for x in (r.value, r.low, r.high) if x)]
    ends = np.array([x for x in shown if math.isfinite(x) and (x > 0 or not log)])
    ends = np.log(ends) if log else ends
    room = 0.09 * float(np.ptp(ends)) or (0.1 if log else 0.5)
    left, right = float(ends.min()) - room, float(ends.max()) + room
    outer = [left - room / 3, right + room / 3]
    if log:
        ax.set_xscale("log")
        left, right = math.exp(left), math.exp(right)
        outer = np.exp(outer).tolist()
    font = row_font(ax, len(rows) + 1)
    size = 0.75 * font
    ax.axvline(no_effect, color="0.5", linewidth=0.8, zorder=0)
    for y, row in enumerate(rows):
        look: dict[str, Any] = {"color": row.colour, "clip_on": False, "zorder": 3}
        if not math.isnan(row.low):
            low, high = (min(max(end, left), right) for end in (row.low, row.high))
            ax.plot([low, high], [y, y], linewidth=0.17 * font, **look)
            for end in dict.fromkeys((row.low, row.high)):
                if _beyond(end, log=log):
                    marker, inside = (">", right) if end > 0 else ("<", left)
                    ax.plot([inside], [y], marker=marker, markersize=size, **look)
        if row.value is not None:
            marker, value = row.marker, row.value
            if _beyond(value, log=log):
                marker, value = (">", right) if value > 0 else ("<", left)
            ax.plot(
                [value],
                [y],
                marker=marker,
                markersize=size,
                markerfacecolor=row.colour if row.filled else "white",
                **look,
            )
        text_beside(ax, y, row.right, font, "0.55" if row.faded else "black")
    ax.annotate(
        heading.replace(" ", "\n"),
        (1, 1),
        (6, 3),
        xycoords="axes fraction",
        textcoords="offset points",
        va="bottom",
        fontsize=font,
    )
    ax.set_xlim(*outer)
    if not log:
        ax.locator_params(axis="x", nbins=6)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_yticks(
        range(len(rows)), [row.label for row in rows], fontsize=font, parse_math=False
    )
    for label, row in zip(ax.get_yticklabels(), rows, strict=True):
        if row.faded:
            label.set_color("0.55")
    ax.tick_params(axis="y", length=0)
    for spine in ("left", "right", "top"):
        ax.spines[spine].set_visible(False)


def row_font(ax: Axes, n_rows: int) -> float:
    """Return a size of letters, in points, at which so many rows fit in the Axes."""
    figure = ax.get_figure()
    assert figure is not None  # noqa: S101 (Axes that can be drawn on are in a figure)
    height = ax.get_window_extent().height / figure.dpi * 72
    return float(np.clip(0.72 * height / max(n_rows, 1), 3.5, 9))


def _beyond(end: float, *, log: bool) -> bool:
    return math.isinf(end) or (log and end <= 0)


def text_beside(
    ax: Axes, y: float, text: str, font: float, colour: str = "black"
) -> None:
    """Write beside the Axes, at the height of a row."""
    ax.annotate(
        text,
        (1, y),
        (6, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center_baseline",
        fontsize=font,
        color=colour,
        annotation_clip=False,
        parse_math=False,
    )


def point(label: str, colour: str, marker: str = "o", *, filled: bool = True) -> Artist:
    """Return a mark for a legend."""
    from matplotlib.lines import Line2D

    face = colour if filled else "white"
    return Line2D(
        [],
        [],
        color=colour,
        marker=marker,
        markerfacecolor=face,
        label=label,
        markersize=6,
    )


def value_text(value: float) -> str:
    """Return a number, or the sign of infinity."""
    return ("∞" if value > 0 else "−∞") if math.isinf(value) else number_text(value)


def p_cell(pvalue: float | None) -> str:
    """Return p as it stands beside a row; nothing where there is none."""
    return "" if pvalue is None else p_text(pvalue)


def forest_size(n_rows: int) -> tuple[float, float]:
    """Return the size of a figure, in inches, with room for every row."""
    return 8, min(1.6 + 0.28 * n_rows, 15)


def legend_of_significance(
    ax: Axes, rows: Sequence[Row], clear: str, unclear: str
) -> None:
    """Explain filled and open marks, as far as there are any."""
    handles = []
    if any(row.filled for row in rows):
        handles.append(point(clear, CLEAR))
    if not all(row.filled for row in rows):
        handles.append(point(unclear, UNCLEAR, filled=False))
    legend_above(ax, handles)


def legend_above(ax: Axes, handles: Sequence[Artist], *, n_columns: int = 3) -> None:
    """Put the legend above the Axes, where no row is."""
    ax.legend(
        handles=list(handles),
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=n_columns,
        fontsize="small",
        frameon=False,
        borderaxespad=0.3,
    )

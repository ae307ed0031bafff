"""Forest plots: values with their intervals, a row each, and what stands beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.rendering.figures import COLOURS, OBSERVED_COLOUR
from curvewise.text import number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


CLEAR_COLOUR = COLOURS[0]  # of what is significant, or what a reader looks for
UNCLEAR_COLOUR = "0.35"  # of what is not
WORSE_COLOUR = OBSERVED_COLOUR  # of what is significantly worse than the best
FADED_COLOUR = "0.55"  # of the text of rows that matter less
# Letters smaller than this, in points, cannot be read; larger ones are out of proportion.
MIN_FONT, MAX_FONT = 3.5, 9.0
MAX_HEIGHT = 15.0  # of a figure, in inches


@dataclass(frozen=True)
class Row:
    """One line of a forest plot: a value with its interval, and text to either side.

    Attributes
    ----------
    label : str
        The text on the left.
    value : float or None
        Where the mark is; None for no mark. One beyond the axis is an arrow at its edge.
    interval : tuple of float, or None
        Its ends, infinite where one is open; None for no interval.
    right : str
        The text on the right.
    colour, marker : str
        The look of mark and interval, as Matplotlib knows it.
    filled : bool
        Whether the mark is filled or open.
    faded : bool
        Whether both texts are grey.
    """

    label: str
    value: float | None
    interval: tuple[float, float] | None
    right: str
    colour: str
    marker: str = "o"
    filled: bool = True
    faded: bool = False


def finding(
    label: str, value: float, interval: tuple[float, float], pvalue: float | None, *, clear: bool
) -> Row:
    """Return the row of a finding with its p: filled if it is ``clear``, that is significant."""
    colour = CLEAR_COLOUR if clear else UNCLEAR_COLOUR
    return Row(label, value, interval, p_cell(pvalue), colour, filled=clear)


def forest(
    ax: Axes,
    rows: Sequence[Row],
    heading: str,
    *,
    no_effect: float = 0.0,
    log: bool = False,
    shows: Sequence[float] = (),
) -> None:
    """Draw the rows from top to bottom, on an axis that shows all that is finite.

    ``heading`` stands above the texts on the right, a line marks ``no_effect``, and the axis
    ``shows`` further places. What is infinite, or on a logarithmic axis not positive, is an
    arrow at the edge.
    """
    numbers = (x for row in rows for x in (row.value, *(row.interval or ())) if x is not None)
    ends = np.array(
        [x for x in (no_effect, *shows, *numbers) if math.isfinite(x) and (x > 0 or not log)]
    )
    ends = np.log(ends) if log else ends
    margin = 0.09 * float(np.ptp(ends)) or (0.1 if log else 0.5)
    left, right = float(ends.min()) - margin, float(ends.max()) + margin
    outer = [left - margin / 3, right + margin / 3]
    if log:
        ax.set_xscale("log")
        left, right = math.exp(left), math.exp(right)
        outer = np.exp(outer).tolist()
    font = row_font(ax, len(rows) + 1)
    size = 0.75 * font
    ax.axvline(no_effect, color="0.5", linewidth=0.8, zorder=0)
    for y, row in enumerate(rows):
        look: dict[str, Any] = {"color": row.colour, "clip_on": False, "zorder": 3}
        if row.interval is not None:
            ends = np.clip(row.interval, left, right)
            ax.plot(ends, [y, y], linewidth=0.17 * font, **look)
            for end in dict.fromkeys(row.interval):
                if _beyond(end, log=log):
                    marker, inside = (">", right) if end > 0 else ("<", left)
                    ax.plot([inside], [y], marker=marker, markersize=size, **look)
        if row.value is not None:
            marker, value = row.marker, row.value
            if _beyond(value, log=log):
                marker, value = (">", right) if value > 0 else ("<", left)
            face = row.colour if row.filled else "white"
            ax.plot([value], [y], marker=marker, markersize=size, markerfacecolor=face, **look)
        text_beside(ax, y, row.right, font, FADED_COLOUR if row.faded else "black")
    corner: Any = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
    ax.annotate(heading.replace(" ", "\n"), (1, 1), (6, 3), fontsize=font, **corner)
    ax.set_xlim(*outer)
    if not log:
        ax.locator_params(axis="x", nbins=6)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_yticks(range(len(rows)), [row.label for row in rows], fontsize=font, parse_math=False)
    for label, row in zip(ax.get_yticklabels(), rows, strict=True):
        if row.faded:
            label.set_color(FADED_COLOUR)
    ax.tick_params(axis="y", length=0)
    for spine in ("left", "right", "top"):
        ax.spines[spine].set_visible(False)


def row_font(ax: Axes, n_rows: int) -> float:
    """Return the size of letters, in points, at which this many rows fit in the Axes."""
    from matplotlib import rcParams

    figure = ax.get_figure()
    assert figure is not None  # noqa: S101 (Axes that can be drawn on are in a figure)
    height = ax.get_window_extent().height / figure.dpi * 72
    largest = min(MAX_FONT, rcParams["font.size"])
    return float(np.clip(0.72 * height / max(n_rows, 1), MIN_FONT, largest))


def _beyond(end: float, *, log: bool) -> bool:
    return math.isinf(end) or (log and end <= 0)


def text_beside(ax: Axes, y: float, text: str, font: float, colour: str = "black") -> None:
    """Write text to the right of the Axes, at the height ``y``; ``font`` is in points."""
    place: Any = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    look: Any = {"va": "center_baseline", "fontsize": font, "color": colour, "parse_math": False}
    ax.annotate(text, (1, y), (6, 0), annotation_clip=False, **place, **look)


def point(
    label: str, colour: str, marker: str = "o", *, filled: bool = True, **look: Any
) -> Artist:
    """Return a mark with its label, for a legend."""
    from matplotlib.lines import Line2D

    look = {"markerfacecolor": colour if filled else "white", "markersize": 6, **look}
    return Line2D([], [], color=colour, marker=marker, label=label, **look)


def value_text(value: float) -> str:
    """Write a number, or the sign of infinity.

    >>> value_text(42.4242), value_text(float("-inf"))
    ('42.42', '−∞')
    """
    return ("∞" if value > 0 else "−∞") if math.isinf(value) else number_text(value)


def p_cell(pvalue: float | None) -> str:
    """Write a p-value beside a row; nothing where there is none."""
    return "" if pvalue is None else p_text(pvalue)


def forest_size(n_rows: int) -> tuple[float, float]:
    """Return the size of a figure, in inches, with room for every row."""
    return 8, min(1.6 + 0.28 * n_rows, MAX_HEIGHT)


def legend_of_significance(ax: Axes, rows: Sequence[Row], clear: str, unclear: str) -> None:
    """Explain filled marks as ``clear`` and open ones as ``unclear``, where there are any."""
    handles = []
    if any(row.filled for row in rows):
        handles.append(point(clear, CLEAR_COLOUR))
    if not all(row.filled for row in rows):
        handles.append(point(unclear, UNCLEAR_COLOUR, filled=False))
    legend_above(ax, handles)


def legend_above(
    ax: Axes, handles: Sequence[Artist] | None = None, *, n_columns: int = 3, **look: Any
) -> None:
    """Draw a legend of what is labelled, or of ``handles``, above the Axes, where it hides no row."""
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.3}
    plain = {"fontsize": "small", "title_fontsize": "small", "alignment": "left", "frameon": False}
    legend = ax.legend(handles=handles, ncols=n_columns, **{**place, **plain, **look})
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_parse_math(False)

"""Reading forest plots back: what stands in which row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Annotation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# Names that Matplotlib would take for formulas, leave out, or cannot draw.
ODD_NAMES = ["_$x$ <b>\x1b", "$\\frac{", "日本 $" * 30]


def new_axes() -> Axes:
    return Figure(layout="constrained").subplots()


def row_names(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


def texts_at_right(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts if isinstance(text, Annotation)]


def row_lines(ax: Axes, row: int) -> list[Line2D]:
    """The lines of a row: its interval, arrows at open ends, and the mark."""
    return [line for line in ax.lines[1:] if np.asarray(line.get_ydata())[0] == row]


def markers(ax: Axes, row: int) -> list[str]:
    """The arrows and the mark of a row."""
    found = [str(line.get_marker()) for line in row_lines(ax, row)]
    return [marker for marker in found if marker != "None"]


def x_of(line: Line2D) -> list[float]:
    return [float(x) for x in np.asarray(line.get_xdata())]


def is_filled(mark: Line2D) -> bool:
    return bool(mark.get_markerfacecolor() != "white")


def legend_texts(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def check_odd_names(figure: Figure) -> None:
    """Rows with odd names can be drawn, and are not taken for formulas."""
    figure.draw_without_rendering()
    ax = figure.axes[0]
    for text in ax.get_yticklabels():
        assert not text.get_parse_math()
        assert "\x1b" not in text.get_text()

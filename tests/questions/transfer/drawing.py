"""What is found on a drawn figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Annotation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = [
    "arrows",
    "at_right",
    "axes",
    "drawn",
    "legend_words",
    "row_lines",
    "rows_of",
    "xs",
    "ys",
]


def axes() -> Axes:
    return Figure(layout="constrained").subplots()


def xs(line: Line2D) -> list[float]:
    return np.asarray(line.get_xdata(), dtype=float).tolist()


def ys(line: Line2D) -> list[float]:
    return np.asarray(line.get_ydata(), dtype=float).tolist()


def arrows(ax: Axes, *heads: int) -> list[Line2D]:
    return [line for line in ax.lines if line.get_marker() in heads]


def legend_words(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def rows_of(figure: Figure) -> dict[str, tuple[Axes, int]]:
    """Where each row of the forests of a figure is, by its label."""
    return {
        text.get_text(): (ax, row)
        for ax in figure.axes
        for row, text in enumerate(ax.get_yticklabels())
    }


def row_lines(ax: Axes, row: int) -> list[Line2D]:
    return [line for line in ax.lines[1:] if ys(line)[0] == row]


def at_right(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts if isinstance(text, Annotation)]


def drawn(figure: Figure) -> Figure:
    """Draw a picture, and hold that nothing is cropped."""
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 > -0.02
    assert box.y0 > -0.02
    assert box.x1 < width + 0.02
    assert box.y1 < height + 0.02
    return figure

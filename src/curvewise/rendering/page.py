"""Page: how large a figure is printed, in which type, and what its axes are called."""

from __future__ import annotations

import textwrap
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from curvewise.data.checks import check_choice
from curvewise.errors import refuse
from curvewise.rendering.figures import (
    fit_legends,
    flat_axes,
    lift_legend,
    needed_to_draw,
    wrap_labels,
    write_title,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

    from curvewise.kernels import Floats
    from curvewise.rendering.figures import Figure


# --- Names at the right ends of curves, moved apart so that none covers another.

with needed_to_draw():
    from matplotlib.text import Annotation, Text


OFFSET = 7  # points from the end of a curve to its name
LINE_HEIGHT = 1.25  # of a name, in font sizes
# The line from a name to its curve.
POINTER = {"arrowstyle": "-", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0, "relpos": (0, 0.5)}


class EndLabel(Annotation):
    """A name at the end of a curve, which finds its height whenever it is drawn."""

    together: Sequence[EndLabel] = ()

    @property
    def height(self) -> float:
        """The height of the name, in points."""
        n_lines = 1 + self.get_text().count("\n")
        return LINE_HEIGHT * float(self.get_fontsize()) * n_lines

    @property
    def text_box(self) -> Bbox:
        """Where the name is, without the line to its curve, in pixels."""
        return Text.get_window_extent(self)

    def fit(self, most: float) -> None:
        """Break the name into two lines if it takes more than ``most`` of the figure's width."""
        figure = self.get_figure(root=True)
        text = self.get_text()
        if figure is not None and self.text_box.width > most * figure.bbox.width:
            # The shortest lines that leave no more than two.
            for width in range(len(text) // 2, len(text)):
                lines = textwrap.wrap(text, width, break_long_words=False)
                if len(lines) <= 2:
                    self.set_text("\n".join(lines))
                    return

    def update_positions(self, renderer: Any) -> None:
        """Move the names of all curves apart, then place this one."""
        _spread(self.together)
        super().update_positions(renderer)


def label_ends(
    ax: Axes, ends: Sequence[tuple[float, float]], names: Sequence[str], colours: Sequence[str]
) -> list[EndLabel]:
    """Write a name beside the end of each curve, in its colour.

    ``ends`` has the last step and score of each curve.
    """
    labels = []
    for end, name, colour in zip(ends, names, colours, strict=True):
        label = EndLabel(
            name,
            xy=end,
            xytext=(OFFSET, 0),
            textcoords="offset points",
            va="center",
            ha="left",
            color=colour,
            annotation_clip=False,
            arrowprops={**POINTER, "color": colour},
            parse_math=False,
        )
        ax.add_artist(label)
        label.set_clip_on(False)
        labels.append(label)
    for label in labels:
        label.together = labels
    return labels


def _spread(labels: Sequence[EndLabel]) -> None:
    """Set the height of every label above the end of its curve, in points."""
    axes = labels[0].axes
    figure = labels[0].get_figure(root=True)
    if axes is None or figure is None:
        return
    points = 72 / figure.dpi
    ends = points * axes.transData.transform([label.xy for label in labels])[:, 1]
    low, high = points * axes.bbox.y0, points * axes.bbox.y1
    heights = np.array([label.height for label in labels])
    places = moved_apart(np.clip(ends, low, high), heights, (low, high))
    for label, end, place in zip(labels, ends, places, strict=True):
        label.xyann = (OFFSET, float(place - end))


def moved_apart(wanted: Floats, heights: Floats, within: tuple[float, float]) -> Floats:
    """Return the middles of boxes that do not overlap, in the order wanted, as near as may be.

    The sum of squared moves is the least possible (isotonic regression by pooling neighbours).
    Where there is room they stay ``within`` two bounds.

    >>> moved_apart(np.array([0.0, 1.0, 9.0]), np.array([4.0, 4.0, 4.0]), (-9, 19))
    array([-1.5,  2.5,  9. ])
    """
    order = np.argsort(wanted, kind="stable")
    sorted_heights = heights[order]
    between = (sorted_heights[1:] + sorted_heights[:-1]) / 2
    ranks = np.concatenate([[0.0], np.cumsum(between)])
    groups: list[tuple[float, int]] = []  # mean of what is wanted, less the rank; how many
    for value in (wanted[order] - ranks).tolist():
        mean, size = value, 1
        while groups and groups[-1][0] >= mean:
            before, n_before = groups.pop()
            mean = (before * n_before + mean * size) / (n_before + size)
            size += n_before
        groups.append((mean, size))
    level = np.repeat([mean for mean, _ in groups], [size for _, size in groups])
    low = within[0] + sorted_heights[0] / 2
    high = within[1] - sorted_heights[-1] / 2 - ranks[-1]
    places = np.empty_like(wanted, dtype=np.float64)
    places[order] = np.clip(level, low, max(low, high)) + ranks
    return places


# --- How large a figure is printed, in which type, and what its axes are called.

Style = Literal["screen", "paper"]

PAPER_WIDTH = 5.5  # inches, where none is given: the text of a single-column page
MAX_END_LABEL = 0.25  # of the width that a name at the end of a curve may take in one line
MIN_WIDTH, MAX_WIDTH = 1.5, 60.0  # inches
# Figures are laid out for a screen. A narrower one keeps more than its share of the height,
# since type does not shrink with it.
HEIGHT_EXPONENT = 0.6
# Sizes of type in points, at the size it is printed in.
PAPER_TYPE: Any = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.2,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


@dataclass(frozen=True)
class Page:
    """How a figure is set.

    Attributes
    ----------
    width : float, optional
        In inches, as printed; by default that of the figure, or 5.5 on paper.
    style : "screen" or "paper"
        Paper has type of 8 and 7 points, thin axes, and leaves captions to the author.
    title, xlabel, ylabel : str, optional
        Above the figure, below its last axis, and beside its first one.
    """

    width: float | None = None
    style: Style = "screen"
    title: str | None = None
    xlabel: str | None = None
    ylabel: str | None = None

    def __post_init__(self) -> None:
        check_choice("style", self.style, get_args(Style))
        if self.width is not None and not MIN_WIDTH <= self.width <= MAX_WIDTH:
            refuse(
                f"A figure can be {MIN_WIDTH:g} to {MAX_WIDTH:g} inches wide, not "
                f"{self.width!r}. A column of a paper has 3.3.",
                "width",
            )

    @contextmanager
    def type_sizes(self) -> Iterator[None]:
        """Draw in the type of the style; what Matplotlib was set to comes back afterwards."""
        from matplotlib import rc_context

        with rc_context(PAPER_TYPE if self.style == "paper" else {}):
            yield

    def set(self, figure: Figure) -> Figure:
        """Give a figure its width and labels, and make its legends fit."""
        natural, height = figure.get_size_inches()
        width = self.width
        if width is None and self.style == "paper":
            width = min(natural, PAPER_WIDTH)
        if width is not None:
            figure.set_size_inches(width, height * (width / natural) ** HEIGHT_EXPONENT)
        axes = flat_axes(figure)
        if axes and self.xlabel is not None:
            axes[-1].set_xlabel(self.xlabel, parse_math=False)
        if axes and self.ylabel is not None:
            axes[0].set_ylabel(self.ylabel, parse_math=False)
        with warnings.catch_warnings():
            # A very long name crowds the figure, which is no reason to warn.
            warnings.filterwarnings("ignore", message="constrained_layout not applied")
            for ax in axes:
                for label in ax.findobj(EndLabel):
                    label.fit(MAX_END_LABEL)
            lift_legend(figure)
            if self.title is not None:
                write_title(figure, self.title)
            fit_legends(figure)
            if width is not None:
                wrap_labels(figure)
        return figure

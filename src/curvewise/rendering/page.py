"""Page: how large a figure is printed, in which type, and what its axes are called."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from curvewise.data.choices import check_choice
from curvewise.errors import OptionError
from curvewise.rendering.end_labels import EndLabel
from curvewise.rendering.figures import (
    fit_legends,
    flat_axes,
    lift_legend,
    wrap_labels,
    write_title,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.rendering.figures import Figure

__all__ = ["Page", "Style"]

Style = Literal["screen", "paper"]

PAPER_WIDTH = 5.5  # inches, where none is given: the text of a single-column page
MAX_END_LABEL = (
    0.25  # of the width that a name at the end of a curve may take in one line
)
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
            msg = (
                f"A figure can be {MIN_WIDTH:g} to {MAX_WIDTH:g} inches wide, not "
                f"{self.width!r}. A column of a paper has 3.3."
            )
            raise OptionError(msg, option="width")

    @contextmanager
    def type_sizes(self) -> Iterator[None]:
        """Draw in the type of the style; what Matplotlib was set to comes back afterwards."""
        if self.style == "screen":
            yield
            return
        from matplotlib import rc_context

        with rc_context(PAPER_TYPE):
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

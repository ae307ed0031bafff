"""Figures: colours, labels, and how they are saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.errors import OptionError
from curvewise.rendering.files import check_place, replacing
from curvewise.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes

    # Results name the type without drawing.
    from matplotlib.figure import Figure as Figure  # noqa: PLC0414

__all__ = [
    "COLOURS",
    "OBSERVED_COLOUR",
    "axes_or_current",
    "check_figure_path",
    "label_text",
    "one_axes",
    "save_figure",
    "score_label",
]

# Okabe & Ito's colours, told apart by colour-blind readers, in an order in which
# neighbours differ in grey too; line styles tell the rest apart without colour.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#D55E00")
OBSERVED_COLOUR = "#D55E00"  # of what was observed, among what was shuffled
# EPS and PS lack the transparency that bands need, PGF needs LaTeX, raw pixels need a viewer.
REFUSED_FORMATS = {"eps", "pgf", "ps", "raw", "rgba"}


def check_figure_path(path: Path) -> None:
    """Raise if a figure could not be saved under this name, before any work is done.

    The format must be known, the folder must exist and be writable, and the name must not be
    that of a folder. An existing file is left as it is.
    """
    from matplotlib.backend_bases import FigureCanvasBase

    known = sorted(set(FigureCanvasBase.get_supported_filetypes()) - REFUSED_FORMATS)
    if path.suffix.lower().lstrip(".") not in known:
        msg = f"A figure cannot be saved as {path.name!r}: end the name in one of .{', .'.join(known)}."
        raise OptionError(msg)
    check_place(path, "figure")


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure whole or not at all, with the permissions of a new file.

    The format follows from the end of the name. An existing file is replaced, and a link is
    followed. Raises `OptionError` if the file cannot be written.
    """
    with replacing(path, "figure") as partial:
        figure.savefig(partial, dpi=150)


def axes_or_current(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return the Axes given, else the current ones of pyplot.

    Where pyplot has no figure yet, one of this ``size`` in inches is made.
    """
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    if size is not None and not plt.get_fignums():
        plt.figure(figsize=size, layout="constrained")
    return plt.gca()


def label_text(name: str, most: int = 40) -> str:
    """Write a name for a picture, with at most this many characters.

    Of a long name both ends are kept, since names tend to differ there. Control characters
    are spelt out. A name that starts with an underscore gets a space before it, or Matplotlib
    would leave it out of legends.

    >>> label_text("proximal policy optimisation, seed 3", most=15)
    'proxima… seed 3'
    """
    shown = printable(name)
    if len(shown) > most:
        shown = f"{shown[: most // 2]}…{shown[len(shown) - (most - 1) // 2 :]}"
    return f" {shown}" if shown.startswith("_") else shown


def score_label(*, higher_is_better: bool) -> str:
    """Return the label of an axis of scores."""
    return "score" if higher_is_better else "score (lower is better)"


def one_axes(
    draw: Callable[..., Axes], result: object, size: tuple[float, float]
) -> Figure:
    """Return a new figure with what ``draw(result, ax=…)`` draws on a single Axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    draw(result, ax=figure.subplots())
    return figure

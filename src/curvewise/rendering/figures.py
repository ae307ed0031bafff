"""Figures: colours, labels, and files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from curvewise.errors import OptionError
from curvewise.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

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
    if os.path.isdir(path):  # noqa: PTH112 (unlike Path.is_dir it never raises)
        msg = f"{str(path)!r} is a directory; name a file in it for the figure."
        raise OptionError(msg)
    folder = path.parent
    if not os.path.isdir(folder):  # noqa: PTH112
        msg = f"There is no folder {str(folder)!r} to save the figure in. Make it first."
        raise OptionError(msg)
    try:
        path.exists()  # raises if the name is too long
        _new_file_beside(path).unlink()
    except OSError as error:
        msg = f"No figure can be saved as {str(path)!r}: {error.strerror}. Choose another place."
        raise OptionError(msg) from None


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure whole or not at all, with the permissions of a new file.

    The format follows from the end of the name. An existing file is replaced, and a link is
    followed. Raises `OptionError` if the file cannot be written.
    """
    path = path.resolve()  # what a link points to is replaced, not the link
    partial = _new_file_beside(path)
    try:
        figure.savefig(partial, dpi=150)
        partial.chmod(0o666 & ~_umask())
        partial.replace(path)
    except OSError as error:
        msg = f"The figure cannot be saved as {str(path)!r}: {error.strerror}."
        raise OptionError(msg) from None
    finally:
        partial.unlink(missing_ok=True)


def _new_file_beside(path: Path) -> Path:
    """Make an empty file of another name in the same folder, and return its path."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=path.suffix)
    os.close(handle)
    return Path(name)


def _umask() -> int:
    """Return the permissions that new files lack; they can only be read by setting them."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


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

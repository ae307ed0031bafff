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
    from matplotlib.figure import Figure


__all__ = [
    "COLOURS",
    "OBSERVED",
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


OBSERVED = "#D55E00"


def check_figure_path(path: Path) -> None:
    """Refuse a figure file that could not be written, before any work is done."""
    from matplotlib.backend_bases import FigureCanvasBase

    # The others need LaTeX, or lack the transparency of bands.
    known = sorted(
        set(FigureCanvasBase.get_supported_filetypes())
        - {"eps", "pgf", "ps", "raw", "rgba"}
    )
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
        _partial(path).unlink()
    except OSError as error:
        msg = f"No figure can be saved as {str(path)!r}: {error.strerror}. Choose another place."
        raise OptionError(msg) from None


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure whole or not at all."""
    path = path.resolve()  # what a link points to is replaced, not the link
    partial = _partial(path)
    try:
        figure.savefig(partial, dpi=150)
        partial.chmod(0o666 & ~_umask())
        partial.replace(path)
    except OSError as error:
        msg = f"The figure cannot be saved as {str(path)!r}: {error.strerror}."
        raise OptionError(msg) from None
    finally:
        partial.unlink(missing_ok=True)


def _partial(path: Path) -> Path:
    """Make an empty file beside the one that is to be written."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=path.suffix)
    os.close(handle)
    return Path(name)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def axes_or_current(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return the Axes given, else the current ones, in a figure of this size if it is new."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    if size is not None and not plt.get_fignums():
        plt.figure(figsize=size, layout="constrained")
    return plt.gca()


def label_text(name: str, most: int = 40) -> str:
    """Write a name for a picture; of a long one both ends are kept, where names differ."""
    shown = printable(name)
    if len(shown) > most:
        shown = f"{shown[: most // 2]}…{shown[len(shown) - (most - 1) // 2 :]}"
    # Matplotlib leaves names that start with an underscore out of legends.
    return f" {shown}" if shown.startswith("_") else shown


def score_label(*, higher_is_better: bool) -> str:
    """Name the axis of scores."""
    return "score" if higher_is_better else "score (lower is better)"


def one_axes(
    draw: Callable[..., Axes], result: object, size: tuple[float, float]
) -> Figure:
    """Return a new figure with what ``draw(result, ax=…)`` draws on a single Axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    draw(result, ax=figure.subplots())
    return figure

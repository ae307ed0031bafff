"""Pictures of curves and of results, drawn on the Axes they are given.

Matplotlib takes longer to import than a comparison takes to run, so it is imported by the
functions that draw.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import OptionError, counted
from curvewise.tables import number_text, p_text, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.results import Comparison, Effect

__all__ = [
    "axes_or_current",
    "check_figure_path",
    "label_text",
    "plot_comparison",
    "plot_curves",
    "plot_null_distribution",
    "save_figure",
    "score_label",
]

# Okabe & Ito's colours, told apart by colour-blind readers, in an order in which
# neighbours differ in grey too; line styles tell the rest apart without colour.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#D55E00")
OBSERVED = "#D55E00"
LINE_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
ROOM = 0.78  # of the height of a histogram; the legend stands above
TITLES = {"overall": "any difference", "algorithm": "height", "interaction": "shape"}


@dataclass(frozen=True)
class Band:
    """What is drawn for one algorithm: its runs, their mean, and their spread."""

    name: str
    runs: Floats
    mean: Floats
    low: Floats
    high: Floats


def bands(curves: Curves) -> list[Band]:
    """Prepare the curve plot: mean and standard deviation of the runs at each step."""
    prepared = []
    for code, name in enumerate(curves.algorithms):
        runs = curves.scores[curves.codes == code]
        mean = runs.mean(axis=0)
        spread = runs.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros_like(mean)
        prepared.append(Band(name, runs, mean, mean - spread, mean + spread))
    return prepared


def plot_curves(curves: Curves, ax: Axes | None = None) -> Axes:
    """Draw every run thin, the mean of each algorithm thick, and a band of ± 1 SD."""
    ax = axes_or_current(ax)
    prepared = bands(curves)
    # With many runs each line must be fainter, or they hide the means.
    opacity = float(np.clip(3 / max(curves.sizes), 0.08, 0.4))
    marker = "o" if curves.n_steps == 1 else None
    looks = zip(cycle(COLOURS), cycle(LINE_STYLES), strict=False)
    handles = []
    for band, (colour, style) in zip(prepared, looks, strict=False):
        ax.plot(
            curves.steps,
            band.runs.T,
            color=colour,
            linewidth=0.6,
            alpha=opacity,
            marker=marker,
        )
        handles += ax.plot(
            curves.steps,
            band.mean,
            color=colour,
            linewidth=2.2,
            linestyle=style,
            marker=marker,
        )
        ax.fill_between(
            curves.steps, band.low, band.high, color=colour, alpha=0.13, linewidth=0
        )
    names = [
        f"{label_text(band.name)} ({counted(len(band.runs), 'run')})" for band in prepared
    ]
    ax.set(xlabel="step", ylabel=score_label(higher_is_better=curves.higher_is_better))
    if curves.n_steps == 1:
        ax.set_xticks(curves.steps)
    # Many names would hide the curves: they stand beside them, in columns.
    beside: dict[str, Any] = {}
    if len(names) > 8:
        columns = -(-len(names) // 24)
        beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "ncols": columns}
    legend = ax.legend(
        handles,
        names,
        title="thick: mean; thin: each run;\nband: mean ± 1 SD of the runs",
        fontsize="small",
        title_fontsize="small",
        handlelength=3.2,
        **beside,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return ax


def plot_null_distribution(effect: Effect, ax: Axes | None = None) -> Axes:
    """Draw where the observed F falls among those of the relabellings."""
    ax = axes_or_current(ax)
    null = effect.null_distribution[np.isfinite(effect.null_distribution)]
    edge = _right_edge(null, effect)
    beyond = int(np.sum(effect.null_distribution > edge))
    ax.hist(null[null <= edge], bins=60, range=(0, edge), color="0.75", edgecolor="0.6")
    p = f"{'exact ' if effect.exact else ''}p = {p_text(effect.pvalue)}"
    if np.isfinite(effect.statistic):
        label = f"observed F = {number_text(effect.statistic)}, {p}"
        ax.axvline(effect.statistic, 0, ROOM, color=OBSERVED, linewidth=2, label=label)
    else:
        ax.plot([], [], color=OBSERVED, label=f"observed F is infinite, {p}")
    if np.isfinite(effect.critical_value):
        ax.axvline(
            effect.critical_value,
            0,
            ROOM,
            color="black",
            linestyle="--",
            linewidth=1.2,
            label=f"critical F = {number_text(effect.critical_value)} (α = {effect.alpha:g})",
        )
    beyond_text = f"; {beyond:,} beyond the edge" if beyond else ""
    ax.set(
        title=f"{TITLES[effect.name]} ({effect.name})",
        xlabel=f"F of {effect.n_shuffles:,} relabellings{beyond_text}",
        ylabel="relabellings",
    )
    ax.set_ylim(0, ax.get_ylim()[1] / ROOM)
    ax.locator_params(axis="y", integer=True)
    ax.legend(fontsize="small", loc="upper center", frameon=False)
    return ax


def plot_comparison(curves: Curves, comparison: Comparison) -> Figure:
    """Draw the curves, and beneath them the null distributions of height and shape."""
    from matplotlib.figure import Figure

    effects = [comparison.algorithm]
    if comparison.interaction is not None:
        effects.append(comparison.interaction)
    figure = Figure(figsize=(9, 8), layout="constrained")
    grid = figure.add_gridspec(2, len(effects), height_ratios=(3, 2))
    plot_curves(curves, ax=figure.add_subplot(grid[0, :]))
    for place, effect in enumerate(effects):
        plot_null_distribution(effect, ax=figure.add_subplot(grid[1, place]))
    return figure


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


def _right_edge(null: Floats, effect: Effect) -> float:
    """Choose where the histogram ends: a few far values must not flatten the rest."""
    marks = [
        value for value in (effect.statistic, effect.critical_value) if np.isfinite(value)
    ]
    if null.size:
        bulk = float(np.quantile(null, 0.995))
        marks.append(min(float(null.max()), 2 * bulk))
    return 1.05 * max(marks, default=1.0) or 1.0

"""Curves as a picture: every run, the mean of each algorithm, its spread."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.text import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats
from curvewise.rendering.figures import COLOURS, axes_or_current, label_text, score_label

__all__ = ["LINE_STYLES", "Band", "bands", "plot_curves"]

LINE_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))


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
        f"{label_text(band.name)} ({plural(len(band.runs), 'run')})" for band in prepared
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

"""Curves as a picture: every run, the mean of each algorithm, and the spread of its runs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.rendering.figures import COLOURS, axes_or_current, label_text, score_label
from curvewise.text import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats

__all__ = ["LINE_STYLES", "RunSpread", "plot_curves", "run_spreads"]

# Five styles and seven colours give 35 different lines before a pair repeats.
LINE_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
# More names would hide the curves, so their legend stands beside the Axes, in columns.
MAX_NAMES_INSIDE = 8
MAX_NAMES_PER_COLUMN = 24


@dataclass(frozen=True)
class RunSpread:
    """The runs of one algorithm, their mean, and one standard deviation to either side.

    Attributes
    ----------
    name : str
        The algorithm.
    runs : array, (n_runs, n_steps)
    mean, low, high : array, (n_steps,)
        The mean of the runs, and that mean minus and plus their standard deviation; of a
        single run all three are the run.
    """

    name: str
    runs: Floats
    mean: Floats
    low: Floats
    high: Floats


def run_spreads(curves: Curves) -> list[RunSpread]:
    """Return mean and standard deviation of the runs at each step, for every algorithm."""
    spreads = []
    for code, name in enumerate(curves.algorithms):
        runs = curves.scores[curves.codes == code]
        mean = runs.mean(axis=0)
        sd = runs.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros_like(mean)
        spreads.append(RunSpread(name, runs, mean, mean - sd, mean + sd))
    return spreads


def plot_curves(curves: Curves, ax: Axes | None = None) -> Axes:
    """Draw every run thin, the mean of each algorithm thick, and a band of ± 1 SD.

    Draws on the current Axes if none are given, and returns the Axes.
    """
    ax = axes_or_current(ax)
    spreads = run_spreads(curves)
    # With many runs each line must be fainter, or they hide the means.
    opacity = float(np.clip(3 / max(curves.sizes), 0.08, 0.4))
    marker = "o" if curves.n_steps == 1 else None
    looks = zip(cycle(COLOURS), cycle(LINE_STYLES), strict=False)
    handles = []
    for spread, (colour, style) in zip(spreads, looks, strict=False):
        ax.plot(
            curves.steps,
            spread.runs.T,
            color=colour,
            linewidth=0.6,
            alpha=opacity,
            marker=marker,
        )
        handles += ax.plot(
            curves.steps,
            spread.mean,
            color=colour,
            linewidth=2.2,
            linestyle=style,
            marker=marker,
        )
        ax.fill_between(
            curves.steps, spread.low, spread.high, color=colour, alpha=0.13, linewidth=0
        )
    names = [
        f"{label_text(spread.name)} ({plural(len(spread.runs), 'run')})"
        for spread in spreads
    ]
    ax.set(xlabel="step", ylabel=score_label(higher_is_better=curves.higher_is_better))
    if curves.n_steps == 1:
        ax.set_xticks(curves.steps)
    place: dict[str, Any] = {}
    if len(names) > MAX_NAMES_INSIDE:
        n_columns = -(-len(names) // MAX_NAMES_PER_COLUMN)
        place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "ncols": n_columns}
    legend = ax.legend(
        handles,
        names,
        title="thick: mean; thin: each run;\nband: mean ± 1 SD of the runs",
        fontsize="small",
        title_fontsize="small",
        handlelength=3.2,
        **place,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return ax

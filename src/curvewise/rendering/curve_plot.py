"""Curves as a picture: the mean of each algorithm, every run, and a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

import numpy as np

from curvewise.data.choices import check_choice, check_drawn
from curvewise.data.curves import Curves
from curvewise.errors import OptionError
from curvewise.rendering.figures import (
    axes_or_current,
    label_text,
    legend_below,
    score_label,
)
from curvewise.rendering.looks import looks_of
from curvewise.rendering.ticks import write_steps
from curvewise.text import argument, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from curvewise.kernels import Floats

__all__ = ["Band", "CurveOptions", "RunSpread", "plot_curves", "run_spreads"]

Band = Literal["runs", "sd", "ci", "none"]

# More names do not fit at the ends of curves, so they stand in a legend below.
MAX_NAMES_AT_ENDS = 8
MAX_LABEL = 26  # characters of a name at the end of a curve
CONFIDENCE = 0.95  # of the band "ci"
BANDS: dict[Band, str] = {
    "runs": "their range",
    "sd": "± 1 SD of the runs",
    "ci": "95% interval of the mean, at each step alone",
    "none": "",
}


class CurveOptions(TypedDict, total=False):
    """The arguments of `plot_curves` that say how curves are drawn."""

    band: Band
    runs: bool
    smooth: int
    xlog: bool
    ylog: bool
    colours: Mapping[str, str] | None
    details: bool


@dataclass(frozen=True)
class RunSpread:
    """The runs of one algorithm, their mean, and a band around it.

    Attributes
    ----------
    name : str
        The algorithm.
    runs : array, (n_runs, n_steps)
    mean, low, high : array, (n_steps,)
        The mean of the runs and the ends of the band; of a single run all three are the run.
    """

    name: str
    runs: Floats
    mean: Floats
    low: Floats
    high: Floats


def run_spreads(
    curves: Curves, band: Band = "runs", *, smooth: int = 1
) -> list[RunSpread]:
    """Return the runs, their mean and the band at each step, for every algorithm.

    With ``smooth`` every run is replaced by its moving mean over so many steps first.
    """
    spreads = []
    for code, name in enumerate(curves.algorithms):
        runs = _moving_mean(curves.scores[curves.codes == code], smooth)
        mean = runs.mean(axis=0)
        if band == "runs":
            low, high = runs.min(axis=0), runs.max(axis=0)
        else:
            reach = _reach(runs, band)
            low, high = mean - reach, mean + reach
        spreads.append(RunSpread(name, runs, mean, low, high))
    return spreads


def plot_curves(
    curves: Curves,
    ax: Axes | None = None,
    *,
    band: Band = "runs",
    runs: bool = True,
    smooth: int = 1,
    xlog: bool = False,
    ylog: bool = False,
    colours: Mapping[str, str] | None = None,
    details: bool = True,
) -> Axes:
    """Draw the mean curve of each algorithm, its runs, and a band.

    An algorithm has the same colour and dashes in all pictures of a table. Names stand at the
    ends of the curves, or below the Axes if there are more than eight.

    Parameters
    ----------
    curves : Curves
    ax : Axes, optional
        The current ones of pyplot by default.
    band : "runs", "sd", "ci" or "none"
        From the lowest to the highest run; one standard deviation of the runs to either side of
        the mean; the 95% interval of the mean at each step alone; or nothing.
    runs : bool
        Whether every run is drawn, as a thin line.
    smooth : int
        Draw moving means over so many steps. No test sees them.
    xlog, ylog : bool
        Whether steps, or scores, are on a logarithmic axis.
    colours : mapping from name to colour, optional
        Colours that replace those of the table.
    details : bool
        Whether a line above says what is drawn. Figures of results then also have the panels
        behind the answer, such as null distributions.

    Returns
    -------
    Axes

    Raises
    ------
    OptionError
        If an argument has a value that cannot be used, such as ``ylog`` where scores are not
        positive.
    """
    check_drawn(curves, Curves, "plot_curves() draws Curves")
    check_choice("band", band, get_args(Band))
    _check_smooth(smooth, curves.n_steps)
    if ylog and float(curves.scores.min()) <= 0:
        msg = (
            f"Scores of {float(curves.scores.min()):g} have no logarithm. Draw them on an "
            "ordinary axis."
        )
        raise OptionError(msg, option="ylog")
    looks = looks_of(curves, colours)
    ax = axes_or_current(ax)
    spreads = run_spreads(curves, band, smooth=smooth)
    # With many runs each line must be fainter, or they hide the means.
    opacity = float(np.clip(3 / max(curves.sizes), 0.08, 0.4))
    marker = "o" if curves.n_steps == 1 else None
    means = []
    for spread in spreads:
        look = looks[spread.name]
        if band != "none":
            ax.fill_between(
                curves.steps,
                spread.low,
                spread.high,
                color=look.colour,
                alpha=0.13,
                linewidth=0,
            )
        if runs:
            ax.plot(
                curves.steps,
                spread.runs.T,
                color=look.colour,
                linewidth=0.5,
                alpha=opacity,
                marker=marker,
            )
        means += ax.plot(
            curves.steps,
            spread.mean,
            color=look.colour,
            linestyle=look.line_style,
            marker=marker,
            zorder=3,
        )
    _axes_of_steps(ax, curves, log=xlog)
    if ylog:
        ax.set_yscale("log")
    label = score_label(
        curves.display.score_name, higher_is_better=curves.higher_is_better
    )
    ax.set_ylabel(label, parse_math=False)
    if details:
        text = _caption(curves.sizes, band, smooth)
        ax.set_title(text, loc="left", fontsize="small", color="0.35")
    _name_curves(ax, curves, spreads, means)
    return ax


def _check_smooth(smooth: int, n_steps: int) -> None:
    if not isinstance(smooth, int | np.integer) or smooth < 1:
        msg = f"{argument('smooth')} must be a positive integer, not {smooth!r}."
        raise OptionError(msg, option="smooth")
    if smooth > n_steps:
        msg = f"A moving mean of {smooth} steps is longer than the {n_steps} of a curve."
        raise OptionError(msg, option="smooth")


def _moving_mean(runs: Floats, width: int) -> Floats:
    """Average each run over the ``width`` steps around each step; fewer at the ends."""
    if width == 1:
        return runs
    n_steps = runs.shape[1]
    sums = np.concatenate([np.zeros((len(runs), 1)), runs.cumsum(axis=1)], axis=1)
    at = np.arange(n_steps)
    low = np.maximum(at - (width - 1) // 2, 0)
    high = np.minimum(at + width // 2 + 1, n_steps)
    return (sums[:, high] - sums[:, low]) / (high - low)


def _reach(runs: Floats, band: Band) -> Floats:
    """Return how far a band reaches to either side of the mean."""
    n_runs = len(runs)
    if n_runs == 1 or band == "none":
        return np.zeros(runs.shape[1])
    sd = runs.std(axis=0, ddof=1)
    if band == "sd":
        return sd
    from scipy.special import stdtrit

    return float(stdtrit(n_runs - 1, (1 + CONFIDENCE) / 2)) * sd / n_runs**0.5


def _caption(sizes: Sequence[int], band: Band, smooth: int) -> str:
    """Say what is drawn.

    >>> _caption([5, 5], "runs", 1)
    'means of 5 runs; band: their range'
    """
    n_runs = f"{sizes[0]} runs" if len(set(sizes)) == 1 else "the runs"
    parts = [f"means of {n_runs}" if max(sizes) > 1 else "single runs"]
    if band != "none" and max(sizes) > 1:
        parts.append(f"band: {BANDS[band]}")
    if smooth > 1:
        parts.append(f"drawn as moving means of {smooth} steps")
    return "; ".join(parts)


def _axes_of_steps(ax: Axes, curves: Curves, *, log: bool) -> None:
    first, last = float(curves.steps[0]), float(curves.steps[-1])
    if log and first > 0:
        ax.set_xscale("log")
    elif log:
        # Zero has no logarithm: the axis is linear up to the first step after it.
        after_zero = curves.steps[curves.steps > 0]
        ax.set_xscale("symlog", linthresh=float(after_zero[0]) if after_zero.size else 1)
    ax.set_xlabel(label_text(curves.display.step_name), parse_math=False)
    if curves.n_steps == 1:
        ax.set_xticks(curves.steps)
    else:
        room = 0 if log else 0.01 * (last - first)
        ax.set_xlim(first - room, last + room)
    write_steps(ax)


def _name_curves(
    ax: Axes, curves: Curves, spreads: Sequence[RunSpread], means: Sequence[Line2D]
) -> None:
    """Write the names at the ends of the curves, or below if there are too many."""
    names = [label_text(spread.name, MAX_LABEL).strip() for spread in spreads]
    if len(set(curves.sizes)) > 1:
        names = [
            f"{name} ({plural(len(spread.runs), 'run')})"
            for name, spread in zip(names, spreads, strict=True)
        ]
    if len(names) > MAX_NAMES_AT_ENDS:
        legend_below(ax, means, names)
        return
    from curvewise.rendering.end_labels import label_ends

    ends = [(float(curves.steps[-1]), float(spread.mean[-1])) for spread in spreads]
    label_ends(ax, ends, names, [str(line.get_color()) for line in means])

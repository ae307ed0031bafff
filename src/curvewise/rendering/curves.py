"""Curves as a picture: the mean of each algorithm, every run, and a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

import numpy as np

from curvewise.data.checks import check_choice, check_drawn, check_flags
from curvewise.data.curves import Curves, scores_by_algorithm
from curvewise.errors import refuse
from curvewise.rendering.figures import (
    axes_or_current,
    label_text,
    legend_below,
    looks_of,
    score_label,
    write_steps,
)
from curvewise.text import argument, html_text, plural, shortened, step_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from curvewise.kernels import Floats, Integers


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


def run_spreads(curves: Curves, band: Band = "runs", *, smooth: int = 1) -> list[RunSpread]:
    """Return the runs, their mean and the band at each step, for every algorithm.

    With ``smooth`` every run is replaced by its moving mean over so many steps first.
    """
    spreads = []
    for name, scores in zip(curves.algorithms, scores_by_algorithm(curves), strict=True):
        runs = _moving_mean(scores, smooth)
        mean = runs.mean(axis=0)
        if band == "runs":
            low, high = runs.min(axis=0), runs.max(axis=0)
        else:
            reach = band_reach(runs, band)
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
        The band of the figure: all runs, one SD of them, 95% of the mean, or none. All are from
        the lowest to the highest run; one standard deviation is to either side of the mean; the
        95% interval of the mean is that at each step alone.
    runs : bool
        Whether every run is drawn, as a thin line.
    smooth : int
        Draw moving means of so many steps; tests never see them.
    xlog : bool
        Whether the axis of steps is logarithmic.
    ylog : bool
        Whether the axis of scores is logarithmic.
    colours : mapping from name to colour, optional
        Colours of algorithms, instead of those of the table.
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
    check_flags(runs=runs, xlog=xlog, ylog=ylog, details=details)
    if not isinstance(smooth, int | np.integer) or smooth < 1:
        refuse(f"{argument('smooth')} must be a positive integer, not {smooth!r}.", "smooth")
    if smooth > curves.n_steps:
        text = f"A moving mean of {smooth} steps is longer than the {curves.n_steps} of a curve."
        refuse(text, "smooth")
    if ylog and float(curves.scores.min()) <= 0:
        refuse(
            f"Scores of {float(curves.scores.min()):g} have no logarithm. Draw them on an "
            "ordinary axis.",
            "ylog",
        )
    looks = looks_of(curves, colours)
    ax = axes_or_current(ax)
    spreads = run_spreads(curves, band, smooth=smooth)
    # With many runs each line must be fainter, or they hide the means.
    opacity = float(np.clip(3 / max(curves.sizes), 0.08, 0.4))
    steps, means = curves.steps, []
    for spread in spreads:
        look = looks[spread.name]
        own: dict[str, Any] = {"color": look.colour}
        if band != "none":
            ax.fill_between(steps, spread.low, spread.high, alpha=0.13, linewidth=0, **own)
        own["marker"] = "o" if curves.n_steps == 1 else None
        if runs:
            ax.plot(steps, spread.runs.T, linewidth=0.5, alpha=opacity, **own)
        means += ax.plot(steps, spread.mean, linestyle=look.line_style, zorder=3, **own)
    _axes_of_steps(ax, curves, log=xlog)
    if ylog:
        ax.set_yscale("log")
    label = score_label(curves.display.score_name, higher_is_better=curves.higher_is_better)
    ax.set_ylabel(label, parse_math=False)
    if details:
        text = _caption(curves.sizes, band, smooth)
        ax.set_title(text, loc="left", fontsize="small", color="0.35")
    _name_curves(ax, curves, spreads, means)
    return ax


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


def band_reach(runs: Floats, band: Band) -> Floats:
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
    """Write the names of the curves, with how many runs they have where that differs."""
    names = [label_text(spread.name, MAX_LABEL).strip() for spread in spreads]
    if len(set(curves.sizes)) > 1:
        names = [
            f"{name} ({plural(len(spread.runs), 'run')})"
            for name, spread in zip(names, spreads, strict=True)
        ]
    name_lines(ax, means, names)


def name_lines(ax: Axes, lines: Sequence[Line2D], names: Sequence[str]) -> None:
    """Write names at the ends of lines, or below the Axes if there are too many."""
    if len(names) > MAX_NAMES_AT_ENDS:
        legend_below(ax, lines, names)
        return
    from curvewise.rendering.page import label_ends

    ends = [(float(x[-1]), float(y[-1])) for x, y in (np.asarray(own.get_data()) for own in lines)]
    colours = [str(line.get_color()) for line in lines]
    label_ends(ax, ends, [name.strip() for name in names], colours)


# --- Mean curves as a small picture in SVG, for notebooks.

WIDTH, HEIGHT = 320, 120  # pixels
MAX_POINTS = 240  # of a line; more would not be seen
MAX_NAMED = 12  # algorithms that are listed


def curves_html(curves: Curves) -> str:
    """Return what curves are, who is in them, and their mean curves, as HTML without scripts."""
    sizes = dict(zip(curves.algorithms, curves.sizes, strict=True))
    looks = looks_of(curves)
    named = "".join(
        f'<li><span style="color:{looks[name].colour}">\u2501</span> '
        f"{html_text(shortened(name))}: {plural(sizes[name], 'run')}</li>"
        for name in curves.algorithms[:MAX_NAMED]
    )
    more = len(curves.algorithms) - MAX_NAMED
    if more > 0:
        named += f"<li>and {more} more</li>"
    first, last = step_text(curves.steps[0]), step_text(curves.steps[-1])
    steps = f"{plural(curves.n_steps, 'step')}, {first} to {last}"
    direction = "" if curves.higher_is_better else "; lower is better"
    return (
        f"<p><strong>Curves</strong>: {plural(len(curves.algorithms), 'algorithm')}, "
        f"{plural(curves.n_runs, 'run')}, {steps} "
        f"({html_text(curves.display.step_name)}), score "
        f"{html_text(curves.display.score_name)}{direction}</p>"
        f"{_picture(curves)}<ul>{named}</ul>"
    )


def evenly_spread(n_steps: int, most: int) -> Integers:
    """Return the places of all steps, or of so many that are evenly spread."""
    return np.unique(np.linspace(0, n_steps - 1, min(n_steps, most)).astype(int))


def mean_lines(
    curves: Curves, xs: tuple[float, float], ys: tuple[float, float]
) -> tuple[float, float, list[list[tuple[float, float]]]]:
    """Return lowest and highest mean, and the points of each algorithm's mean curve.

    Steps reach from the first of ``xs`` to the second, scores from the first of ``ys``, which is
    where the lowest is drawn, to the second.
    """
    means: Floats = np.array([own.mean(axis=0) for own in scores_by_algorithm(curves)])
    every = evenly_spread(curves.n_steps, MAX_POINTS)
    steps = curves.steps[every].astype(np.float64)
    low, high = float(means.min()), float(means.max())
    if low == high:
        low, high = low - 1, high + 1
    span = steps[-1] - steps[0]
    share = (steps - steps[0]) / span if span > 0 else np.full(len(steps), 0.5)
    x = xs[0] + share * (xs[1] - xs[0])
    y = ys[0] + (means[:, every] - low) / (high - low) * (ys[1] - ys[0])
    return low, high, [list(zip(x.tolist(), row.tolist(), strict=True)) for row in y]


def _picture(curves: Curves) -> str:
    """Return the mean curve of each algorithm as a line."""
    looks = looks_of(curves)
    _, _, points = mean_lines(curves, (2, WIDTH - 2), (HEIGHT - 2, 2))
    lines = []
    for name, own in zip(curves.algorithms, points, strict=True):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in own)
        dash = ",".join(f"{2 * part:g}" for part in looks[name].dash)
        # A line of a single point has round ends, and so is a dot.
        lines.append(
            f'<polyline fill="none" stroke="{looks[name].colour}" stroke-width="1.5" '
            f'stroke-linecap="round" stroke-dasharray="{dash}" '
            f'points="{path}{f" {path}" if len(own) == 1 else ""}"/>'
        )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="Mean curves" style="background:#fff">{"".join(lines)}</svg>'
    )

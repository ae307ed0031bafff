"""Pictures of a gain: both mean curves, the area between them, and where metrics are seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.choices import check_drawn
from curvewise.kernels.transfer.metrics import first_reached
from curvewise.questions.transfer.result import Transfer
from curvewise.rendering.figures import axes_or_current, label_text, score_label
from curvewise.rendering.forest import value_text
from curvewise.rendering.looks import COLOURS
from curvewise.text import number_text, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

    from curvewise.questions.transfer.metric import Metric

__all__ = ["plot_gain"]

N_LEVELS = 5  # scores at which the training needed to reach them is shown
MAX_RANGES_TO_OPTIMUM = 2  # an optimum that is farther away is named, not drawn
LEGEND_WIDTH = 94  # characters that fit beside each other
MAX_MARKED_STEPS = 25
# The control is dashed and drawn last, so that curves that coincide are both seen.
EXPERIMENTAL: dict[str, Any] = {"color": COLOURS[0], "linestyle": "-"}
CONTROL: dict[str, Any] = {"color": COLOURS[1], "linestyle": (0, (4, 2))}
JUMPSTART, ASYMPTOTE, REDUCTION = COLOURS[2], COLOURS[3], "0.3"
# Heads of arrows whose tip is the place, and what stands for them in a legend.
LEFTWARDS, RIGHTWARDS, UPWARDS, DOWNWARDS = 4, 5, 6, 7
ARROWS: dict[int, tuple[Any, str]] = {
    -1: (DOWNWARDS, "v"),
    0: ("_", "_"),
    1: (UPWARDS, "^"),
}


@dataclass(frozen=True)
class Gap:
    """The steps at which the mean curves first reach a score; infinite for never."""

    score: float
    control: float
    experimental: float


def gaps(transfer: Transfer) -> list[Gap]:
    """Prepare the gaps in training at equally spaced scores.

    They span what the average relative reduction is taken over: from the control's first
    score to the asymptote of the experimental condition.
    """
    first, last = float(transfer.mean_control[0]), transfer.asymptotes[1]
    if len(transfer.steps) == 1 or first == last:
        return []
    sign = 1.0 if transfer.higher_is_better else -1.0
    curves = sign * np.stack([transfer.mean_control, transfer.mean_experimental])
    steps = np.asarray(transfer.steps, dtype=np.float64)
    scores = first + (np.arange(N_LEVELS) + 0.5) / N_LEVELS * (last - first)
    found = []
    for score in scores.tolist():
        control, experimental = first_reached(curves, sign * score, steps).tolist()
        found.append(Gap(score, control, experimental))
    return found


def plot_gain(transfer: Transfer, ax: Axes | None = None) -> Axes:
    """Draw both mean curves, the area between them, and where the metrics are seen.

    Arrows lead from the control to the experimental condition: at the first step, at the
    end, and, at equally spaced scores, in the training it takes to reach them.
    """
    check_drawn(transfer, Transfer, "plot_gain() draws what transfer() found")
    ax = axes_or_current(ax, (8, 5.5))
    steps = np.asarray(transfer.steps, dtype=np.float64)
    span = float(np.ptp(steps)) or 1.0
    left, right = float(steps[0]) - 0.04 * span, float(steps[-1]) + 0.04 * span
    names = [label_text(name, 20) for name in (transfer.control, transfer.experimental)]
    handles = _curves(ax, transfer, names)
    handles += _areas(ax, transfer, names)
    handles.append(_optimum(ax, transfer))
    handles += _heights(ax, transfer, (steps[0] - 0.02 * span, steps[-1] + 0.02 * span))
    if len(steps) > 1:
        handles += _reductions(ax, transfer, right)
        ax.set_xlim(left, right)
    else:
        ax.set_xlim(steps[0] - 0.5, steps[0] + 0.5)
        ax.set_xticks(transfer.steps)
    ax.set(xlabel="step", ylabel=score_label(higher_is_better=transfer.higher_is_better))
    widths = [len(str(handle.get_label())) for handle in handles]
    half = -(-len(handles) // 2)
    legend = ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=2 if max(widths[:half]) + max(widths[half:]) <= LEGEND_WIDTH else 1,
        fontsize="small",
        frameon=False,
        borderaxespad=0.3,
        handlelength=2.6,
    )
    _without_math(legend)
    return ax


def _curves(ax: Axes, transfer: Transfer, names: Sequence[str]) -> list[Artist]:
    n_steps = len(transfer.steps)
    drawn: list[Artist] = []
    for place, mean, look, role in (
        (1, transfer.mean_experimental, EXPERIMENTAL, "experimental"),
        (0, transfer.mean_control, CONTROL, "control"),
    ):
        runs = plural(transfer.n_runs[place], "run")
        of_runs = runs if transfer.n_runs[place] == 1 else f"mean of {runs}"
        drawn += ax.plot(
            transfer.steps,
            mean,
            linewidth=2,
            marker="o" if n_steps <= MAX_MARKED_STEPS else None,
            markersize=7 if n_steps == 1 else 4,
            label=f"{names[place]} ({role}; {of_runs})",
            zorder=3,
            **look,
        )
    return drawn


def _areas(ax: Axes, transfer: Transfer, names: Sequence[str]) -> list[Artist]:
    """Fill the area between the curves with the colour of the one that is ahead."""
    sign = 1.0 if transfer.higher_is_better else -1.0
    lead = sign * (transfer.mean_experimental - transfer.mean_control)
    drawn: list[Artist] = []
    if len(transfer.steps) == 1:
        return drawn
    for where, look, word in (
        (lead > 0, EXPERIMENTAL, "ahead"),
        (lead < 0, CONTROL, "behind"),
    ):
        if where.any():
            drawn.append(
                ax.fill_between(
                    transfer.steps,
                    transfer.mean_control,
                    transfer.mean_experimental,
                    where=where.tolist(),
                    interpolate=True,
                    color=look["color"],
                    alpha=0.2,
                    linewidth=0,
                    label=f"{names[1]} is {word}",
                )
            )
    return drawn


def _optimum(ax: Axes, transfer: Transfer) -> Artist:
    from matplotlib.lines import Line2D

    known, optimum = transfer.optimum_known, transfer.optimum
    label = f"optimum {number_text(optimum)}"
    if not known:
        label = f"best observed {number_text(optimum)} (no optimum given)"
    scores = np.concatenate([transfer.mean_control, transfer.mean_experimental])
    score_range = float(np.ptp(scores))
    distance = float(np.abs(scores - optimum).min())
    if known and score_range and distance > MAX_RANGES_TO_OPTIMUM * score_range:
        return Line2D([], [], linestyle="", label=f"{label}: far beyond the axis")
    look: dict[str, Any] = {"color": "0.6", "linestyle": ":", "linewidth": 1}
    if known:
        look = {"color": "black", "linestyle": "--", "linewidth": 1}
    return ax.axhline(optimum, zorder=1, label=label, **look)


def _heights(ax: Axes, transfer: Transfer, places: tuple[float, float]) -> list[Artist]:
    """Draw the jump-start and the asymptotic advantage, just outside of the curves."""
    ends = (
        (float(transfer.mean_control[0]), float(transfer.mean_experimental[0])),
        transfer.asymptotes,
    )
    metrics = (transfer.jumpstart, transfer.asymptotic_advantage)
    single = len(transfer.steps) == 1
    drawn: list[Artist] = []
    for x, (start, stop), metric, colour in zip(
        places, ends, metrics, (JUMPSTART, ASYMPTOTE), strict=True
    ):
        tip, mark = ARROWS[int(np.sign(stop - start))]
        ax.plot(
            [x, x],
            [start, stop],
            color=colour,
            linewidth=1.8,
            marker=tip,
            markevery=[1],
            markersize=7,
            zorder=4,
        )
        label = _title_and_value(metric)
        if single:
            return [_mark(f"{label}, at the only step also the end", colour, mark)]
        drawn.append(_mark(label, colour, mark))
    return drawn


def _reductions(ax: Axes, transfer: Transfer, edge: float) -> list[Artist]:
    """Draw the training between the curves at some scores; to the edge if it never ends."""
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"color": REDUCTION, "linewidth": 1, "zorder": 2.5}
    endless: dict[str, Any] = {**look, "linestyle": (0, (5, 3))}
    drawn = gaps(transfer)
    for gap in drawn:
        start, stop = gap.control, gap.experimental
        if math.isinf(start):
            start, stop = stop, start
        marker: int | str = RIGHTWARDS if stop > start else LEFTWARDS
        ax.plot(
            [start, min(stop, edge)],
            [gap.score, gap.score],
            marker="." if start == stop else marker,
            markevery=[1],
            markersize=5,
            **(endless if math.isinf(stop) else look),
        )
    reduction = _title_and_value(transfer.average_relative_reduction)
    handles = [_mark(f"{reduction} (steps to a score)", REDUCTION, "<")]
    if any(gap.control == gap.experimental for gap in drawn):
        handles.append(_mark("score that both first reach at that step", REDUCTION, "."))
    for name, never in (
        (transfer.control, [gap.control for gap in drawn]),
        (transfer.experimental, [gap.experimental for gap in drawn]),
    ):
        if any(map(math.isinf, never)):
            label = f"score that {label_text(name, 20).strip()} never reaches"
            handles.append(Line2D([], [], label=label, **endless))
    return handles


def _mark(label: str, colour: str, marker: str) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D(
        [], [], color=colour, linestyle="", marker=marker, markersize=6, label=label
    )


def _title_and_value(metric: Metric) -> str:
    value = "undefined" if metric.value is None else value_text(metric.value)
    return f"{metric.title} {value}"


def _without_math(legend: Legend) -> None:
    for text in legend.get_texts():
        text.set_parse_math(False)

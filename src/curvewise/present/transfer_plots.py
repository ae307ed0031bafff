"""Pictures of how much one condition gains on another: curves, metrics, and tasks."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import OptionError, counted
from curvewise.kernels.metrics import first_reached
from curvewise.present.forests import CLEAR, UNCLEAR, Row, forest, point
from curvewise.present.plots import COLOURS, axes_or_current, label_text, score_label
from curvewise.results import Transfer, Transfers
from curvewise.results.transfer import TITLES
from curvewise.tables import number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase
    from matplotlib.legend import Legend

    from curvewise.results import Metric

__all__ = ["plot_gain", "plot_metrics", "plot_transfer"]

N_LEVELS = 5  # scores at which the training needed to reach them is shown
FAR = 2  # ranges of the curves beyond which an optimum is named, not drawn
ROW = 0.27  # inches
LEGEND_WIDTH = 94  # characters that fit beside each other
FEW = 25  # steps, of which each is marked
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
COMPARED = ("calibrated_transfer_ratio", "average_relative_reduction")


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
    _literally(legend)
    return ax


def plot_metrics(transfer: Transfer) -> Figure:
    """Draw every metric with its interval, in groups that share an axis.

    A line marks what each would be if the conditions did not differ; the metric to quote
    is marked, and metrics that are undefined are named.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, _metrics_height(transfer)), layout="constrained")
    _metrics(figure, transfer)
    return figure


def plot_transfer(result: Transfer | Transfers) -> Figure:
    """Draw the curves of a task over its metrics; of several tasks, what is comparable.

    Across tasks those are the calibrated transfer ratio, where the optimum is known, and
    the average relative reduction, with their means over tasks.
    """
    from matplotlib.figure import Figure

    if isinstance(result, Transfers):
        return _tasks(result)
    given: object = result
    if not isinstance(given, Transfer):
        msg = (
            "plot_transfer() draws what transfer() or transfer_many() found; it was given "
            f"{type(given).__name__}."
        )
        raise OptionError(msg)
    heights = (5.2, _metrics_height(result))
    figure = Figure(figsize=(8, sum(heights)), layout="constrained")
    parts: Any = figure.subfigures(2, height_ratios=heights)
    above, below = parts
    plot_gain(result, ax=above.subplots())
    _metrics(below, result)
    return figure


def _curves(ax: Axes, transfer: Transfer, names: Sequence[str]) -> list[Artist]:
    n_steps = len(transfer.steps)
    drawn: list[Artist] = []
    for place, mean, look, role in (
        (1, transfer.mean_experimental, EXPERIMENTAL, "experimental"),
        (0, transfer.mean_control, CONTROL, "control"),
    ):
        runs = counted(transfer.n_runs[place], "run")
        told = runs if transfer.n_runs[place] == 1 else f"mean of {runs}"
        drawn += ax.plot(
            transfer.steps,
            mean,
            linewidth=2,
            marker="o" if n_steps <= FEW else None,
            markersize=7 if n_steps == 1 else 4,
            label=f"{names[place]} ({role}; {told})",
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
    reach = float(np.ptp(scores))
    if known and reach and np.abs(scores - optimum).min() > FAR * reach:
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
        tip, sign = ARROWS[int(np.sign(stop - start))]
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
        label = _told(metric)
        if single:
            return [_sign(f"{label}, at the only step also the end", colour, sign)]
        drawn.append(_sign(label, colour, sign))
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
    told = _told(transfer.average_relative_reduction)
    handles = [_sign(f"{told} (steps to a score)", REDUCTION, "<")]
    if any(gap.control == gap.experimental for gap in drawn):
        handles.append(_sign("score that both first reach at that step", REDUCTION, "."))
    for name, never in (
        (transfer.control, [gap.control for gap in drawn]),
        (transfer.experimental, [gap.experimental for gap in drawn]),
    ):
        if any(map(math.isinf, never)):
            label = f"score that {label_text(name, 20).strip()} never reaches"
            handles.append(Line2D([], [], label=label, **endless))
    return handles


def _sign(label: str, colour: str, marker: str) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D(
        [], [], color=colour, linestyle="", marker=marker, markersize=6, label=label
    )


def _told(metric: Metric) -> str:
    value = "undefined" if metric.value is None else _number(metric.value)
    return f"{metric.title} {value}"


def _number(value: float) -> str:
    return ("∞" if value > 0 else "−∞") if math.isinf(value) else number_text(value)


def _groups(transfer: Transfer) -> list[list[Metric]]:
    """Put together the metrics that share a unit and what no effect would be."""
    groups: dict[tuple[str, float], list[Metric]] = {}
    for metric in transfer.metrics.values():
        groups.setdefault((metric.unit, metric.no_effect), []).append(metric)
    shares_first = sorted(groups, key=lambda key: (key[0] != "", key[1]))
    return [groups[key] for key in shares_first]


def _metrics_height(transfer: Transfer) -> float:
    """Return the inches that all groups take, with their axes and titles."""
    groups = _groups(transfer)
    return 0.7 + sum(0.75 + ROW * len(group) for group in groups)


def _metrics(figure: FigureBase, transfer: Transfer) -> None:
    groups = _groups(transfer)
    rows = figure.subplots(
        len(groups), squeeze=False, height_ratios=[len(group) + 0.4 for group in groups]
    )[:, 0]
    for ax, group in zip(rows, groups, strict=True):
        lines = [_row(each, quoted=each.name == transfer.recommended) for each in group]
        some = group[0]
        log = some.no_effect == 1
        forest(ax, lines, "", no_effect=some.no_effect, log=log)
        if log:
            _log_ticks(ax)
        ax.set_title(_group_title(some, transfer), loc="left", fontsize="small")
        ax.tick_params(axis="x", labelsize="small")
    quoted = transfer.metrics[transfer.recommended]
    handles = [point(f"the metric to quote: {quoted.title}", CLEAR, "D")]
    handles.append(point("the others", UNCLEAR))
    _legend(figure, handles, [*transfer.metrics.values()])


def _row(metric: Metric, *, quoted: bool = False, label: str = "") -> Row:
    low, high = metric.interval or (math.nan, math.nan)
    right = "undefined"
    if metric.value is not None:
        right = _number(metric.value)
        if metric.pvalue is not None:
            right += f"   p {p_text(metric.pvalue)}"
    return Row(
        label=label or metric.title,
        value=metric.value,
        low=low,
        high=high,
        colour=CLEAR if quoted else UNCLEAR,
        marker="D" if quoted else "o",
        filled=True,
        right=right,
        faded=metric.value is None,
    )


def _group_title(metric: Metric, transfer: Transfer) -> str:
    if metric.no_effect == 1:
        return (
            "Ratios, on a logarithmic axis (1: no difference; above 1 is better, of times "
            "below 1)"
        )
    if not metric.unit:
        return "Shares (0: no difference; above 0 is better)"
    side = "above" if transfer.higher_is_better else "below"
    return f"Differences in {metric.unit} (0: no difference; {side} 0 is better)"


def _log_ticks(ax: Axes) -> None:
    """Label an axis of ratios with plain numbers, however short or long it is."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    low, high = ax.get_xlim()
    if high / low < 8:
        ax.xaxis.set_major_locator(MaxNLocator(6))
    elif high / low < 1e3:
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _legend(
    figure: FigureBase, handles: list[Artist], shown: Sequence[Metric], title: str = ""
) -> None:
    from matplotlib.lines import Line2D

    if any(each.interval is not None for each in shown):
        label = f"{100 * shown[0].confidence:.6g}% interval of each alone"
        handles.append(Line2D([], [], color=UNCLEAR, linewidth=1.5, label=label))
    handles.append(Line2D([], [], color="0.5", linewidth=0.8, label="no difference"))
    legend = figure.legend(
        handles=handles,
        loc="outside upper center",
        title=title,
        ncols=len(handles),
        fontsize="small",
        frameon=False,
    )
    legend.get_title().set_parse_math(False)


def _tasks(transfers: Transfers) -> Figure:
    from matplotlib.figure import Figure

    # The average relative reduction can always be compared.
    drawn = [
        name
        for name in COMPARED
        if any(task.metrics[name].comparable for task in transfers.values())
    ]
    size = (5 * len(drawn) + 1.5, min(2.2 + ROW * (len(transfers) + 1), 15))
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(1, len(drawn), squeeze=False)[0]
    for ax, name in zip(grid, drawn, strict=True):
        _task_forest(ax, transfers, name)
    experimental, control = (
        label_text(name, 36).strip()
        for name in (transfers.experimental, transfers.control)
    )
    handles = [point("task", UNCLEAR)]
    if transfers.across:
        handles.append(point("mean of tasks", CLEAR, "D"))
    shown = [task.metrics[name] for task in transfers.values() for name in drawn]
    _legend(figure, handles, shown, title=f"{experimental} against {control}")
    left_out = "; ".join(title for name, title in TITLES.items() if name not in drawn)
    note = (
        f"Not drawn, as their values on different tasks cannot be compared: {left_out}."
    )
    figure.supxlabel(textwrap.fill(note, int(13 * size[0])), fontsize="small")
    return figure


def _task_forest(ax: Axes, transfers: Transfers, name: str) -> None:
    rows = []
    for task, found in transfers.items():
        metric = found.metrics[name]
        row = _row(metric, label=label_text(task, 28).strip())
        if metric.defined and not metric.comparable:
            unknown: dict[str, Any] = {"value": None, "low": math.nan, "high": math.nan}
            row = replace(row, right="no optimum", faded=True, **unknown)
        rows.append(row)
    mean = transfers.across.get(name)
    if mean is not None:
        low, high = mean.interval or (math.nan, math.nan)
        some = "" if mean.n_tasks == mean.n_all else f" of {mean.n_all}"
        rows.append(
            Row(
                label=f"mean of {mean.n_tasks}{some} tasks",
                value=mean.value,
                low=low,
                high=high,
                colour=CLEAR,
                marker="D",
                filled=True,
                right=f"{_number(mean.value)}   p {p_text(mean.pvalue)}",
            )
        )
    forest(ax, rows, "")
    if mean is not None:
        ax.axhline(len(rows) - 1.5, color="0.8", linewidth=0.8)
    ax.set_title(TITLES[name], fontsize="small")


def _literally(legend: Legend) -> None:
    for text in legend.get_texts():
        text.set_parse_math(False)

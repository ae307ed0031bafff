"""Pictures of metrics with their intervals: of one task, and across tasks."""

from __future__ import annotations

import math
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from curvewise.data.choices import check_drawn
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.result import Transfer
from curvewise.rendering.figures import label_text, new_figure
from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    UNCLEAR_COLOUR,
    Row,
    forest,
    point,
    value_text,
)
from curvewise.text import p_text, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

    from curvewise.questions.transfer.metric import Metric
    from curvewise.questions.transfer.metrics import MetricRecord
    from curvewise.questions.transfer.transfers import Transfers

__all__ = ["draw_metrics", "metrics_height", "plot_metrics", "plot_tasks"]

ROW = 0.27  # inches


def plot_metrics(transfer: Transfer) -> Figure:
    """Draw every metric with its interval, in groups that share an axis.

    A line marks what each would be if the conditions did not differ; the metric to quote
    is marked, and metrics that are undefined are named.
    """
    check_drawn(transfer, Transfer, "plot_metrics() draws what transfer() found")
    figure = new_figure((8, metrics_height(transfer)))
    draw_metrics(figure, transfer)
    return figure


def plot_tasks(transfers: Transfers) -> Figure:
    """Draw what can be compared across tasks, and its mean over them."""
    # There is at least one: the average relative reduction can always be compared.
    drawn = [
        record
        for record in RECORDS.values()
        if any(task.metrics[record.name].comparable for task in transfers.values())
    ]
    size = (5 * len(drawn) + 1.5, min(2.2 + ROW * (len(transfers) + 1), 15))
    figure = new_figure(size)
    grid = figure.subplots(1, len(drawn), squeeze=False)[0]
    for ax, record in zip(grid, drawn, strict=True):
        _task_forest(ax, transfers, record)
    experimental, control = (
        label_text(name, 36).strip()
        for name in (transfers.experimental, transfers.control)
    )
    handles = [point("task", UNCLEAR_COLOUR)]
    if transfers.across:
        handles.append(point("mean of tasks", CLEAR_COLOUR, "D"))
    shown = [task.metrics[record.name] for task in transfers.values() for record in drawn]
    _legend(figure, handles, shown, title=f"{experimental} against {control}")
    left_out = "; ".join(
        record.title for record in RECORDS.values() if record not in drawn
    )
    note = (
        f"Not drawn, as their values on different tasks cannot be compared: {left_out}."
    )
    figure.supxlabel(textwrap.fill(note, int(13 * size[0])), fontsize="small")
    return figure


def metrics_height(transfer: Transfer) -> float:
    """Return the inches that all groups take, with their axes and titles."""
    groups = _groups(transfer)
    return 0.7 + sum(0.75 + ROW * len(group) for group in groups)


def draw_metrics(figure: FigureBase, transfer: Transfer) -> None:
    """Draw every metric into a figure, or a part of one."""
    groups = _groups(transfer)
    rows = figure.subplots(
        len(groups), squeeze=False, height_ratios=[len(group) + 0.4 for group in groups]
    )[:, 0]
    for ax, group in zip(rows, groups, strict=True):
        lines = [
            _row(metric, quoted=metric.name == transfer.recommended) for metric in group
        ]
        record = group[0].record
        log = record.scale == "ratio"
        forest(ax, lines, "", no_effect=record.no_effect, log=log)
        if log:
            _log_ticks(ax)
        ax.set_title(_group_title(record, transfer), loc="left", fontsize="small")
        ax.tick_params(axis="x", labelsize="small")
    quoted = transfer.metrics[transfer.recommended]
    handles = [point(f"the metric to quote: {quoted.title}", CLEAR_COLOUR, "D")]
    handles.append(point("the others", UNCLEAR_COLOUR))
    _legend(figure, handles, [*transfer.metrics.values()])


def _groups(transfer: Transfer) -> list[list[Metric]]:
    """Put together the metrics that share a unit and what no effect would be."""
    groups: dict[tuple[str, float], list[Metric]] = {}
    for metric in transfer.metrics.values():
        groups.setdefault((metric.unit, metric.no_effect), []).append(metric)
    shares_first = sorted(groups, key=lambda key: (key[0] != "", key[1]))
    return [groups[key] for key in shares_first]


def _row(metric: Metric, *, quoted: bool = False, label: str = "") -> Row:
    low, high = metric.interval or (math.nan, math.nan)
    right = "undefined"
    if metric.pvalue is not None:
        value = "undefined" if metric.value is None else value_text(metric.value)
        right = f"{value}   p {p_text(metric.pvalue)}"
    return Row(
        label=label or metric.title,
        value=metric.value,
        low=low,
        high=high,
        colour=CLEAR_COLOUR if quoted else UNCLEAR_COLOUR,
        marker="D" if quoted else "o",
        filled=True,
        right=right,
        faded=metric.value is None,
    )


def _group_title(record: MetricRecord, transfer: Transfer) -> str:
    if record.scale == "ratio":
        return (
            "Ratios, on a logarithmic axis (1: no difference; above 1 is better, of times "
            "below 1)"
        )
    if not record.unit:
        return "Shares (0: no difference; above 0 is better)"
    side = "above" if transfer.higher_is_better else "below"
    return f"Differences in {record.unit} (0: no difference; {side} 0 is better)"


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

    if any(metric.interval is not None for metric in shown):
        label = f"{percent(shown[0].confidence)} interval of each alone"
        handles.append(Line2D([], [], color=UNCLEAR_COLOUR, linewidth=1.5, label=label))
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


def _task_forest(ax: Axes, transfers: Transfers, record: MetricRecord) -> None:
    rows = []
    for task, found in transfers.items():
        metric = found.metrics[record.name]
        row = _row(metric, label=label_text(task, 28).strip())
        if metric.defined and not metric.comparable:
            unknown: dict[str, Any] = {"value": None, "low": math.nan, "high": math.nan}
            row = replace(row, right="no optimum", faded=True, **unknown)
        rows.append(row)
    mean = transfers.across.get(record.name)
    if mean is not None:
        low, high = mean.interval or (math.nan, math.nan)
        of_all = "" if mean.n_tasks == mean.n_all else f" of {mean.n_all}"
        rows.append(
            Row(
                label=f"mean of {mean.n_tasks}{of_all} tasks",
                value=mean.value,
                low=low,
                high=high,
                colour=CLEAR_COLOUR,
                marker="D",
                filled=True,
                right=f"{value_text(mean.value)}   p {p_text(mean.pvalue)}",
            )
        )
    forest(ax, rows, "")
    if mean is not None:
        ax.axhline(len(rows) - 1.5, color="0.8", linewidth=0.8)
    ax.set_title(record.title, fontsize="small")

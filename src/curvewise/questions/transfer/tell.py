"""What `transfer` and `transfer_many` found, in words a person can quote."""

from __future__ import annotations

import math
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.checks import check_drawn
from curvewise.inference.result import one_line
from curvewise.kernels.metrics import first_reached
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.result import Transfer, Transfers
from curvewise.rendering.figures import (
    COLOURS,
    axes_or_current,
    label_text,
    new_figure,
    score_label,
)
from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    UNCLEAR_COLOUR,
    Row,
    forest,
    legend_above,
    point,
    value_text,
)
from curvewise.text import (
    about_step,
    interval_text,
    listed,
    number_text,
    p_short,
    p_text,
    percent,
    plural,
    printable,
    step_text,
    threshold_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.method import Survival
    from curvewise.questions.transfer.metrics import AcrossTasks, Metric, MetricRecord


# --- When runs reach a threshold, in words.


def goal(transfer: Transfer) -> str:
    """Say what there is to reach, and for how long it must be held."""
    found = transfer.survival
    held = f" at {found.hold} consecutive steps" if found.hold > 1 else ""
    return f"a score of {threshold_text(found.threshold)}{held}"


def sentence(transfer: Transfer) -> str:
    """Say how many runs of whom reach the threshold, by when, and how sure a difference is."""
    found, (n_control, n_experimental) = transfer.survival, transfer.n_runs
    of_whom = {
        transfer.control: str(n_control),
        transfer.experimental: plural(n_experimental, "run"),
    }
    control, experimental = (
        f"{found.n_reached[place]} of {runs} of {printable(name)} ({_median(transfer, place)})"
        for place, (name, runs) in enumerate(of_whom.items())
    )
    text = f"Reaching {goal(transfer)}: {experimental}, {control}"
    if found.pvalue is None:
        return f"{text}."
    tested = f"{text}; log-rank test, {_p(found)}."
    return f"{tested} {_crossing(transfer)}".rstrip()


def _median(transfer: Transfer, place: int) -> str:
    """Say by when half of the runs of a condition, the control at place 0, reach it."""
    median = transfer.survival.medians[place]
    return f"median {'not reached' if math.isinf(median) else f'step {about_step(median)}'}"


def _p(found: Metric | Survival) -> str:
    """Write a p, and that it is exact where it is; of what has one."""
    return f"{'exact ' if found.exact else ''}p = {p_short(found.pvalue or 0.0)}"


def _crossing(transfer: Transfer) -> str:
    """Say that curves cross, and what follows from it; "" where they do not."""
    found = transfer.survival
    if found.crossing is None:
        return ""
    names = [printable(transfer.control), printable(transfer.experimental)]
    if found.ahead_at_last == "control":
        names.reverse()
    first, last = names
    return (
        f"{first} is ahead at first, and {last} by step {about_step(found.crossing)}: where such "
        "curves cross, neither the medians nor the means nor p tell all, and the log-rank test "
        "finds little; look at the Kaplan–Meier curves."
    )


def notes(transfer: Transfer) -> tuple[str, ...]:
    """Return what stands under the table of the threshold."""
    found = transfer.survival
    where = "" if transfer.threshold_given else ", where the runs of both end on average"
    first = f"Reaching {goal(transfer)}{where}."
    if found.pvalue is not None:
        first += (
            f" Log-rank test of the times, {_p(found)}; a run that never "
            "reaches it counts as one that takes longer than it was trained."
        )
    failed = ""
    if found.failed_never_reach:
        failed = (
            "A run that failed counts as one that never reaches it, as it counts as the worst "
            "score of all."
        )
    return tuple(filter(None, (first, failed, _crossing(transfer))))


# --- What `transfer` and `transfer_many` found, in words a person can quote.

SINGLE_RUNS = (
    "Each condition has a single run, so whether they differ cannot be said: repeat the training "
    "with other seeds. Of these two runs:"
)


def describe(result: Transfer | Transfers) -> str:
    """Say how much was gained, by the metric to quote, how sure that is, and how known."""
    if isinstance(result, Transfers):
        return _across(result)
    metric = result.metrics[result.recommended]
    sentences = [printable(metric.reading), _sureness(metric)]
    if result.n_runs == (1, 1):
        sentences = [SINGLE_RUNS, printable(metric.reading)]
    if not result.quotes_scores:
        sentences = [_unsized(metric, result)]
    if result.threshold_given:
        sentences.append(sentence(result))
    return " ".join(filter(None, [*sentences, _method(result)]))


def headline(transfer: Transfer | Transfers) -> str:
    """Say in one line how much was gained by the metric to quote, and how surely."""
    if isinstance(transfer, Transfers) or transfer.n_runs == (1, 1):
        return describe(transfer)
    metric = transfer.metrics[transfer.recommended]
    if metric.value is None or metric.pvalue is None:
        return describe(transfer)
    size = ""
    if transfer.quotes_scores:
        size = f" {number_text(metric.value)}"
        if metric.interval is not None and not any(map(math.isinf, metric.interval)):
            size += f" ({interval_text(metric.interval)})"
    sure = "" if metric.significant else ", not significant"
    return one_line(
        lambda one, other: f"{one} against {other}: {metric.title}{size}; {_p(metric)}{sure}.",
        transfer.experimental,
        transfer.control,
    )


def _unsized(metric: Metric, transfer: Transfer) -> str:
    """Say who is ahead by a metric without its size, which depends on a fill."""
    if metric.value is None or metric.pvalue is None:
        return ""
    both = f"{printable(transfer.experimental)} and {printable(transfer.control)}"
    differ = "differ" if metric.significant else "do not differ detectably"
    return f"{both} {differ} by the {metric.title} ({_p(metric)})."


def _sureness(metric: Metric) -> str:
    """Quote the metric with its interval and p, and say whether it is significant."""
    if metric.value is None or metric.pvalue is None:
        return ""
    parts = [f"{metric.title} {number_text(metric.value)}"]
    if metric.interval is not None:
        level = f"{percent(metric.confidence)} interval"
        parts.append(
            f"too few runs, or shuffles, for a {level}"
            if all(map(math.isinf, metric.interval))
            else f"{level} {interval_text(metric.interval)}"
        )
    verdict = "is" if metric.significant else "is not"
    moved = f" B{metric.moved[1:]}" if metric.moved else ""
    parts.append(_p(metric))
    return f"This {verdict} statistically significant ({'; '.join(parts)}).{moved}"


def _method(transfer: Transfer) -> str:
    n_control, n_experimental = transfer.n_runs
    steps = "1 step"
    if len(transfer.steps) > 1:
        first, last = step_text(transfer.steps[0]), step_text(transfer.steps[-1])
        steps = f"{len(transfer.steps)} steps, {first} to {last}"
    observed = f" ({number_text(transfer.optimum)})" if transfer.quotes_scores else ""
    areas = "as sums over steps" if transfer.integration == "sum" else "by trapezoids"
    optimum = (
        f"best possible score {step_text(transfer.optimum)}"
        if transfer.optimum_known
        else f"best possible score unknown, the best mean score observed{observed} in its place"
    )
    within = f" in {plural(transfer.n_blocks, 'block')}" if transfer.n_blocks else ""
    return (
        f"{printable(transfer.control)} ({plural(n_control, 'run')}) is the control, "
        f"{printable(transfer.experimental)} ({plural(n_experimental, 'run')}) the "
        f"experimental condition{within}; {steps}; areas {areas}; {optimum}."
    )


def _across(transfers: Transfers) -> str:
    """Say what was found across tasks."""
    if len(transfers) == 1:
        return describe(next(iter(transfers.values())))
    on_tasks = (
        f"{printable(transfers.experimental)} against {printable(transfers.control)} on "
        f"{plural(len(transfers), 'task')}"
    )
    if not transfers.across:
        return (
            f"{on_tasks}: no metric is defined and comparable on two of them, so nothing is said "
            "across tasks."
        )
    quoted = transfers.quotes_scores
    first, *others = transfers.across.values()
    # One of the means is the claim; the others are told behind it.
    verdict = "which is" if first.significant else "which is not"
    moved = f"; {first.moved[:-1]}" if first.moved and quoted else ""
    means = f"{_mean(first, quoted=quoted)}, {verdict} statistically significant{moved}"
    if others:
        further = "; ".join(_mean(mean, quoted=quoted) for mean in others)
        means += f". As further description, {further}"
    never = [record.title for record in RECORDS.values() if record.short and not record.averaged]
    return (
        f"{on_tasks}: {means}. Only metrics that mean the same on every task are averaged; "
        f"{listed(never)} do not."
    )


def _mean(mean: AcrossTasks, *, quoted: bool) -> str:
    interval = ""
    if mean.interval is not None:
        interval = f", {percent(mean.confidence)} interval {interval_text(mean.interval)}"
    among = "" if mean.n_tasks == mean.n_all else f" over {mean.n_tasks} of them"
    size = f" is {number_text(mean.value)}{interval}" if quoted else ""
    return f"the mean {mean.title}{among}{size} (p = {p_short(mean.pvalue)})"


def advice(transfer: Transfer) -> str:
    """Say why the recommended metric is the one to quote."""
    record = RECORDS[transfer.recommended]
    if not record.averaged:
        return "Quote this one: the metrics that mean the same on every task say nothing here."
    if record.comparable == "always":
        return (
            f"Quote this one: without a known optimum, the {record.title} still means the "
            "same on every task, since it compares times to equal performance."
        )
    if transfer.optimum_known:
        return (
            f"Quote this one: the optimum is known, and the {record.title} measures against "
            "it, so it means the same on every task."
        )
    return (
        "Quote this one, with a caveat: the best observed score stands in for the optimum, "
        "so it holds for this task only."
    )


# --- Pictures of a gain: both mean curves, the area between them, and where metrics are seen.

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
ARROWS: dict[int, tuple[Any, str]] = {-1: (DOWNWARDS, "v"), 0: ("_", "_"), 1: (UPWARDS, "^")}


def gaps(transfer: Transfer) -> Floats:
    """Return scores, and the steps at which control and experimental mean curve reach them.

    As rows of three; infinite for never. The scores are equally spaced over what the average
    relative reduction is taken over: from the control's first score to the asymptote of the
    experimental condition.
    """
    first, last = float(transfer.mean_control[0]), transfer.asymptotes[1]
    if len(transfer.steps) == 1 or first == last:
        return np.empty((0, 3))
    sign = 1.0 if transfer.higher_is_better else -1.0
    curves = sign * np.stack([transfer.mean_control, transfer.mean_experimental])
    steps = np.asarray(transfer.steps, dtype=np.float64)
    scores = first + (np.arange(N_LEVELS) + 0.5) / N_LEVELS * (last - first)
    return np.array([(score, *first_reached(curves, sign * score, steps)) for score in scores])


def plot_gain(transfer: Transfer, ax: Axes | None = None) -> Axes:
    """Draw both mean curves, the area between them, and where the metrics are seen.

    Arrows lead from the control to the experimental condition: at the first step, at the
    end, and, at equally spaced scores, in the training it takes to reach them.
    """
    check_drawn(transfer, Transfer, "plot_gain() draws what transfer() found")
    ax = axes_or_current(ax, (8, 5.5))
    steps = np.asarray(transfer.steps, dtype=np.float64)
    span = float(np.ptp(steps)) or 1.0
    names = [label_text(name, 20) for name in (transfer.control, transfer.experimental)]
    handles = [
        *_curves(ax, transfer, names),
        *_areas(ax, transfer, names),
        _optimum(ax, transfer),
        *_heights(ax, transfer, (steps[0] - 0.02 * span, steps[-1] + 0.02 * span)),
    ]
    if len(steps) > 1:
        right = float(steps[-1]) + 0.04 * span
        handles += _reductions(ax, transfer, right)
        ax.set_xlim(float(steps[0]) - 0.04 * span, right)
    else:
        ax.set_xlim(steps[0] - 0.5, steps[0] + 0.5)
        ax.set_xticks(transfer.steps)
    ax.set(xlabel="step", ylabel=score_label(higher_is_better=transfer.higher_is_better))
    widths = [len(str(handle.get_label())) for handle in handles]
    half = -(-len(handles) // 2)
    fits = max(widths[:half]) + max(widths[half:]) <= LEGEND_WIDTH
    legend_above(ax, handles, n_columns=2 if fits else 1, handlelength=2.6)
    return ax


def _curves(ax: Axes, transfer: Transfer, names: Sequence[str]) -> list[Artist]:
    n_steps = len(transfer.steps)
    both: dict[str, Any] = {"linewidth": 2, "markersize": 7 if n_steps == 1 else 4, "zorder": 3}
    if n_steps <= MAX_MARKED_STEPS:
        both["marker"] = "o"
    drawn: list[Artist] = []
    for place, mean, look, role in (
        (1, transfer.mean_experimental, EXPERIMENTAL, "experimental"),
        (0, transfer.mean_control, CONTROL, "control"),
    ):
        runs = plural(transfer.n_runs[place], "run")
        of_runs = runs if transfer.n_runs[place] == 1 else f"mean of {runs}"
        label = f"{names[place]} ({role}; {of_runs})"
        drawn += ax.plot(transfer.steps, mean, label=label, **both, **look)
    return drawn


def _areas(ax: Axes, transfer: Transfer, names: Sequence[str]) -> list[Artist]:
    """Fill the area between the curves with the colour of the one that is ahead."""
    sign = 1.0 if transfer.higher_is_better else -1.0
    between = transfer.steps, transfer.mean_control, transfer.mean_experimental
    lead = sign * (between[2] - between[1])
    look: dict[str, Any] = {"interpolate": True, "alpha": 0.2, "linewidth": 0}
    drawn: list[Artist] = []
    if len(transfer.steps) == 1:
        return drawn
    for where, own, word in ((lead > 0, EXPERIMENTAL, "ahead"), (lead < 0, CONTROL, "behind")):
        if where.any():
            look |= {"color": own["color"], "label": f"{names[1]} is {word}"}
            drawn.append(ax.fill_between(*between, where.tolist(), **look))
    return drawn


def _optimum(ax: Axes, transfer: Transfer) -> Artist:
    known, optimum = transfer.optimum_known, transfer.optimum
    label = f"optimum {number_text(optimum)}"
    look: dict[str, Any] = {"color": "black", "linestyle": "--"}
    if not known:
        label = f"best observed {number_text(optimum)} (no optimum given)"
        look = {"color": "0.6", "linestyle": ":"}
    scores = np.concatenate([transfer.mean_control, transfer.mean_experimental])
    score_range = float(np.ptp(scores))
    distance = float(np.abs(scores - optimum).min())
    if known and score_range and distance > MAX_RANGES_TO_OPTIMUM * score_range:
        return point(f"{label}: far beyond the axis", "black", "", linestyle="")
    return ax.axhline(optimum, zorder=1, label=label, linewidth=1, **look)


def _heights(ax: Axes, transfer: Transfer, places: tuple[float, float]) -> list[Artist]:
    """Draw the jump-start and the asymptotic advantage, just outside of the curves."""
    starts = float(transfer.mean_control[0]), float(transfer.mean_experimental[0])
    drawn: list[Artist] = []
    for x, (start, stop), metric, colour in zip(
        places,
        (starts, transfer.asymptotes),
        (transfer.jumpstart, transfer.asymptotic_advantage),
        (JUMPSTART, ASYMPTOTE),
        strict=True,
    ):
        tip, mark = ARROWS[int(np.sign(stop - start))]
        look: dict[str, Any] = {"marker": tip, "markevery": [1], "markersize": 7}
        ax.plot([x, x], [start, stop], color=colour, linewidth=1.8, zorder=4, **look)
        label = _title_and_value(metric)
        if len(transfer.steps) == 1:
            return [point(f"{label}, at the only step also the end", colour, mark, linestyle="")]
        drawn.append(point(label, colour, mark, linestyle=""))
    return drawn


def _reductions(ax: Axes, transfer: Transfer, edge: float) -> list[Artist]:
    """Draw the training between the curves at some scores; to the edge if it never ends."""
    look: dict[str, Any] = {"linewidth": 1, "zorder": 2.5}
    endless: dict[str, Any] = {**look, "linestyle": (0, (5, 3))}
    drawn = gaps(transfer)
    for score, *reached in drawn.tolist():
        start, stop = reversed(reached) if math.isinf(reached[0]) else reached
        marker: int | str = RIGHTWARDS if stop > start else LEFTWARDS
        tip: dict[str, Any] = {"marker": "." if start == stop else marker, "markevery": [1]}
        own = endless if math.isinf(stop) else look
        ends = [start, min(stop, edge)]
        ax.plot(ends, [score, score], color=REDUCTION, markersize=5, **tip, **own)
    reduction = _title_and_value(transfer.average_relative_reduction)
    handles = [point(f"{reduction} (steps to a score)", REDUCTION, "<", linestyle="")]
    if np.any(drawn[:, 1] == drawn[:, 2]):
        both = "score that both first reach at that step"
        handles.append(point(both, REDUCTION, ".", linestyle=""))
    for place, name in enumerate((transfer.control, transfer.experimental), start=1):
        if np.isinf(drawn[:, place]).any():
            label = f"score that {label_text(name, 20).strip()} never reaches"
            handles.append(point(label, REDUCTION, "", **endless))
    return handles


def _title_and_value(metric: Metric) -> str:
    value = "undefined" if metric.value is None else value_text(metric.value)
    return f"{metric.title} {value}"


# --- Pictures of metrics with their intervals: of one task, and across tasks.

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
        label_text(name, 36).strip() for name in (transfers.experimental, transfers.control)
    )
    handles = [point("task", UNCLEAR_COLOUR)]
    if transfers.across:
        handles.append(point("mean of tasks", CLEAR_COLOUR, "D"))
    shown = [task.metrics[record.name] for task in transfers.values() for record in drawn]
    _legend(figure, handles, shown, title=f"{experimental} against {control}")
    left_out = "; ".join(record.title for record in RECORDS.values() if record not in drawn)
    note = f"Not drawn, as their values on different tasks cannot be compared: {left_out}."
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
            _row(metric, metric.title, quoted=metric.name == transfer.recommended)
            for metric in group
        ]
        record = group[0].record
        log = record.no_effect == 1
        forest(ax, lines, "", no_effect=record.no_effect, log=log)
        if log:
            _log_ticks(ax)
        ax.set_title(_group_title(record, transfer), loc="left", fontsize="small")
        ax.tick_params(axis="x", labelsize="small")
    quoted = transfer.metrics[transfer.recommended]
    one = point(f"the metric to quote: {quoted.title}", CLEAR_COLOUR, "D")
    _legend(figure, [one, point("the others", UNCLEAR_COLOUR)], [*transfer.metrics.values()])


def _groups(transfer: Transfer) -> list[list[Metric]]:
    """Put together the metrics that share a unit and what no effect would be."""
    groups: dict[tuple[str, float], list[Metric]] = {}
    for metric in transfer.metrics.values():
        groups.setdefault((metric.unit, metric.no_effect), []).append(metric)
    shares_first = sorted(groups, key=lambda key: (key[0] != "", key[1]))
    return [groups[key] for key in shares_first]


def _row(found: Metric | AcrossTasks, label: str, *, quoted: bool = False) -> Row:
    value = "undefined" if found.value is None else value_text(found.value)
    return Row(
        label,
        found.value,
        found.interval,
        value if found.pvalue is None else f"{value}   p {p_text(found.pvalue)}",
        CLEAR_COLOUR if quoted else UNCLEAR_COLOUR,
        "D" if quoted else "o",
        faded=found.value is None,
    )


def _group_title(record: MetricRecord, transfer: Transfer) -> str:
    if record.no_effect == 1:
        return (
            "Ratios, on a logarithmic axis (1: no difference; above 1 is better, of times below 1)"
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
    if any(metric.interval is not None for metric in shown):
        label = f"{percent(shown[0].confidence)} interval of each alone"
        handles.append(point(label, UNCLEAR_COLOUR, "", linewidth=1.5))
    handles.append(point("no difference", "0.5", "", linewidth=0.8))
    look: dict[str, Any] = {"ncols": len(handles), "fontsize": "small", "frameon": False}
    legend = figure.legend(handles=handles, loc="outside upper center", title=title, **look)
    legend.get_title().set_parse_math(False)


def _task_forest(ax: Axes, transfers: Transfers, record: MetricRecord) -> None:
    rows = []
    for task, found in transfers.items():
        metric = found.metrics[record.name]
        row = _row(metric, label_text(task, 28).strip())
        if metric.defined and not metric.comparable:
            row = replace(row, value=None, interval=None, right="no optimum", faded=True)
        rows.append(row)
    mean = transfers.across.get(record.name)
    if mean is not None:
        of_all = "" if mean.n_tasks == mean.n_all else f" of {mean.n_all}"
        rows.append(_row(mean, f"mean of {mean.n_tasks}{of_all} tasks", quoted=True))
    forest(ax, rows, "")
    if mean is not None:
        ax.axhline(len(rows) - 1.5, color="0.8", linewidth=0.8)
    ax.set_title(record.title, fontsize="small")


# --- A picture of when runs reach the threshold: the Kaplan–Meier curves of both conditions.


def plot_survival(result: Transfer, ax: Axes | None = None) -> Axes:
    """Draw the share of runs that have not reached the threshold yet, step by step.

    A line that goes down early is fast. Where it crosses one half is the median, marked; ticks
    are runs that end without having reached it.
    """
    check_drawn(result, Transfer, "plot_survival() draws what transfer() found")
    found = result.survival
    ax = axes_or_current(ax, (8, 4))
    first, last = min(0.0, float(result.steps[0])), float(result.steps[-1])
    ax.axhline(0.5, color="0.85", linewidth=0.8, zorder=0)
    for place, look in ((1, EXPERIMENTAL), (0, CONTROL)):
        name = (result.control, result.experimental)[place]
        curve, median = found.curves[place], found.medians[place]
        reached = f"{found.n_reached[place]} of {result.n_runs[place]} runs"
        shares = [1.0, *curve.shares]
        line = [first, *curve.steps, last], [*shares, shares[-1]]
        label = f"{label_text(name, 24)}: {reached}, {_median(result, place)}"
        ax.step(*line, where="post", label=label, linewidth=2, zorder=3, **look)
        mark: dict[str, Any] = {"color": look["color"], "linestyle": "", "zorder": 4}
        # Where runs end that have not reached it.
        ended = np.unique(found.censored[place])
        if len(ended):
            ax.plot(ended, curve.at(ended), "|", markersize=9, markeredgewidth=1.6, **mark)
        if math.isfinite(median):
            # Where the line comes down to one half, or through it.
            ax.plot([median], [0.5], "o", markersize=5, **mark)
    span = (last - first) or 1.0
    ax.set(
        xlabel="step",
        ylabel="share of runs not there yet",
        ylim=(-0.02, 1.04),
        xlim=(first - 0.01 * span, last + 0.02 * span),
    )
    tested = "no run does" if found.pvalue is None else f"log-rank p = {p_short(found.pvalue)}"
    title = f"Reaching {goal(result)} ({tested})"
    legend_above(ax, n_columns=1, title=title, handlelength=2.6)
    return ax


# --- Pictures of how much one condition gains on another: curves over metrics, or tasks.


def plot_transfer(result: Transfer | Transfers) -> Figure:
    """Draw the curves of a task over its metrics; of several tasks, what is comparable.

    Where a threshold was given, the share of runs that have not reached it stands between the
    two, as `plot_survival` draws it.

    Across tasks those are the calibrated transfer ratio, where the optimum is known, and
    the average relative reduction, with their means over tasks.
    """
    if isinstance(result, Transfers):
        return plot_tasks(result)
    source = "transfer() or transfer_many()"
    check_drawn(result, Transfer, f"plot_transfer() draws what {source} found")
    heights = [5.2, *([3.6] if result.threshold_given else []), metrics_height(result)]
    figure = new_figure((8, sum(heights)))
    parts: Any = figure.subfigures(len(heights), height_ratios=heights)
    plot_gain(result, ax=parts[0].subplots())
    if result.threshold_given:
        plot_survival(result, ax=parts[1].subplots())
    draw_metrics(parts[-1], result)
    return figure


def figure(result: Transfer | Transfers, _curves: Curves | None = None) -> Figure:
    """Draw what `plot_transfer` draws; the result holds the mean curves."""
    return plot_transfer(result)

"""Pictures of metrics with their intervals: of one task, and across tasks."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import curvewise as cw
from curvewise import Interval
from curvewise.questions.transfer.metrics_plot import plot_metrics, plot_tasks
from curvewise.text import number_text, p_text
from tests.questions.transfer.drawing import (
    at_right,
    drawn,
    row_lines,
    rows_of,
    xs,
)
from tests.questions.transfer.gains import (
    FEW,
    growth,
    of_runs,
    several_tasks,
    tictactoe,
)


def test_metrics_show_values_intervals_and_p() -> None:
    found = tictactoe()
    figure = drawn(plot_metrics(found))
    rows = rows_of(figure)
    assert set(rows) == {metric.title for metric in found.metrics.values()}
    for metric in found.metrics.values():
        ax, row = rows[metric.title]
        assert metric.value is not None
        assert metric.pvalue is not None
        assert metric.interval is not None
        interval, *others = row_lines(ax, row)
        point = others[-1]
        assert xs(point) == [metric.value]
        assert point.get_marker() == ("D" if metric.name == found.recommended else "o")
        ends = [x for x in metric.interval if x > 0 or metric.no_effect == 0]
        assert set(ends) <= set(xs(interval))
        assert xs(ax.lines[0]) == [metric.no_effect] * 2
        assert ax.get_xscale() == ("log" if metric.no_effect == 1 else "linear")
        right = f"{number_text(metric.value)}   p {p_text(metric.pvalue)}"
        assert at_right(ax)[row] == right


def test_metrics_of_different_units_do_not_share_an_axis() -> None:
    found = tictactoe()
    for ax in plot_metrics(found).axes:
        names = [text.get_text() for text in ax.get_yticklabels()]
        metrics = [m for m in found.metrics.values() if m.title in names]
        assert len({(m.unit, m.no_effect) for m in metrics}) == 1


@pytest.mark.parametrize(
    ("value", "ends", "marks"),
    [
        (math.inf, (2.0, math.inf), [">", ">"]),
        (math.inf, (math.inf, math.inf), [">", ">"]),
        (0.0, (0.0, 0.0), ["<", "<"]),
        (0.5, (0.0, math.inf), ["<", ">", "o"]),
    ],
)
def test_what_is_infinite_or_nothing_on_a_log_axis_is_an_arrow(
    value: float, ends: tuple[float, float], marks: list[str]
) -> None:
    found = tictactoe()
    odd = replace(found.time_to_threshold, value=value, interval=Interval(*ends))
    found = replace(found, metrics={**found.metrics, odd.name: odd})
    figure = drawn(plot_metrics(found))
    ax, row = rows_of(figure)[odd.title]
    lines = row_lines(ax, row)
    assert [m for m in (str(x.get_marker()) for x in lines) if m != "None"] == marks
    low, high = ax.get_xlim()
    assert all(low <= x <= high for line in lines for x in xs(line))
    assert at_right(ax)[row].startswith("∞" if math.isinf(value) else number_text(value))


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [
        ((0.8, 1.6), {"0.8", "1", "1.2", "1.4", "1.6"}),
        ((0.2, 5.0), {"0.2", "0.5", "1", "2", "5"}),
        ((0.01, 100.0), {"0.01", "1", "100"}),
    ],
)
def test_ratios_have_ticks_that_can_be_read(
    ends: tuple[float, float], ticks: set[str]
) -> None:
    found = tictactoe()
    wide = replace(found.time_to_threshold, value=1.2, interval=Interval(*ends))
    narrow = replace(found.transfer_ratio, value=1.1, interval=Interval(1.0, 1.2))
    metrics = {**found.metrics, wide.name: wide, narrow.name: narrow}
    figure = drawn(plot_metrics(replace(found, metrics=metrics)))
    ax, _ = rows_of(figure)[wide.title]
    low, high = ax.get_xlim()
    shown = {
        label.get_text()
        for label, place in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True)
        if low <= place <= high
    }
    assert shown >= ticks


def test_without_intervals_none_is_drawn_or_explained() -> None:
    found = of_runs(growth(1, 0.05, 50), growth(1, 0.1, 60))
    bare = {
        name: replace(metric, interval=None) for name, metric in found.metrics.items()
    }
    figure = drawn(plot_metrics(replace(found, metrics=bare)))
    (legend,) = figure.legends
    words = [text.get_text() for text in legend.get_texts()]
    assert not any("interval" in word for word in words)
    for ax, row in rows_of(figure).values():
        assert len(row_lines(ax, row)) == 1


def test_tasks_show_what_may_be_compared() -> None:
    found = several_tasks()
    figure = drawn(plot_tasks(found))
    assert [ax.get_title() for ax in figure.axes] == [
        "calibrated transfer ratio",
        "average relative reduction",
    ]
    for ax, name in zip(figure.axes, found.across, strict=True):
        mean = found.across[name]
        labels = [text.get_text() for text in ax.get_yticklabels()]
        assert labels[-1] == "mean of 2 of 3 tasks"
        assert labels[:-1] == list(found)
        assert xs(row_lines(ax, 3)[-1]) == [mean.value]
        assert mean.interval is not None
        assert xs(row_lines(ax, 3)[0]) == list(mean.interval)
        for row, task in enumerate(["$a$", "b"]):
            assert xs(row_lines(ax, row)[-1]) == [found[task].metrics[name].value]
        assert at_right(ax)[2] == "undefined"
    note = figure.get_supxlabel().replace("\n", " ")
    assert "cannot be compared: transfer ratio; transfer regret; jump-start" in note
    (legend,) = figure.legends
    assert legend.get_title().get_text() == "e against c"


def test_a_task_without_an_optimum_is_said_to_have_none() -> None:
    tasks = dict(several_tasks())
    ratio = tasks["b"].calibrated_transfer_ratio
    metrics = {**tasks["b"].metrics, ratio.name: replace(ratio, comparable=False)}
    tasks["b"] = replace(tasks["b"], metrics=metrics)
    figure = drawn(plot_tasks(replace(several_tasks(), tasks=tasks)))
    assert at_right(figure.axes[0])[1] == "no optimum"
    assert row_lines(figure.axes[0], 1) == []


def test_without_any_optimum_the_calibrated_ratio_is_not_drawn() -> None:
    curves = cw.load_example("tictactoe")
    found = cw.transfer_many({"one": curves}, control="A2", experimental="A1", **FEW)
    figure = drawn(plot_tasks(found))
    (ax,) = figure.axes
    assert ax.get_title() == "average relative reduction"
    assert "calibrated transfer ratio" in figure.get_supxlabel().replace("\n", " ")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["one"]

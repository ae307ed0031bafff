"""The whole picture of a gain, or of several tasks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pytest

import curvewise as cw
from curvewise import Interval, OptionError, plot_survival, transfer
from curvewise.questions.transfer.tell import (
    DOWNWARDS,
    LEFTWARDS,
    RIGHTWARDS,
    UPWARDS,
    figure,
    gaps,
    plot_gain,
    plot_metrics,
    plot_tasks,
    plot_transfer,
)
from curvewise.text import number_text, p_text
from tests.questions.transfer.drawing import (
    arrows,
    at_right,
    axes,
    drawn,
    legend_words,
    row_lines,
    rows_of,
    xs,
    ys,
)
from tests.questions.transfer.gains import (
    FEW,
    SIDES,
    growth,
    of_runs,
    pair,
    several_tasks,
    tictactoe,
)

if TYPE_CHECKING:
    from curvewise import Transfer


ODD = ("_$x$ <b>\x1b", "$\\frac{" + "long " * 20)


def test_undefined_metrics_are_named_in_grey() -> None:
    found = of_runs(np.ones((3, 5)), np.full((3, 5), 2.0))
    figure = drawn(plot_transfer(found))
    for metric in found.metrics.values():
        ax, row = rows_of(figure)[metric.title]
        grey = ax.get_yticklabels()[row].get_color() == "0.55"
        assert grey == (metric.value is None) == (at_right(ax)[row] == "undefined")
        assert bool(row_lines(ax, row)) == metric.defined


def test_a_single_step_has_one_arrow() -> None:
    rng = np.random.default_rng(0)
    found = of_runs(rng.normal(size=(4, 1)), rng.normal(size=(4, 1)) + 5)
    figure = drawn(plot_transfer(found))
    ax = figure.axes[0]
    (arrow,) = arrows(ax, LEFTWARDS, RIGHTWARDS, UPWARDS, DOWNWARDS)
    assert ys(arrow) == [found.mean_control[0], found.mean_experimental[0]]
    assert not len(gaps(found))


def test_names_are_drawn_as_they_are() -> None:
    found = of_runs(growth(3, 0.05, 50), growth(3, 0.1, 60), names=ODD)
    figure = drawn(plot_transfer(found))
    ax = figure.axes[0]
    legend = ax.get_legend()
    assert legend is not None
    assert not any(text.get_parse_math() for text in legend.get_texts())
    assert any("_$x$ <b>\\x1b (control" in word for word in legend_words(ax))
    # Long names do not squeeze the curves.
    assert ax.get_position().width > 0.85


def test_the_gain_stands_above_its_metrics() -> None:
    figure = drawn(plot_transfer(tictactoe()))
    gain, *groups = figure.axes
    assert gain.get_xlabel() == "step"
    tops = [ax.get_window_extent().y1 for ax in (gain, *groups)]
    assert tops == sorted(tops, reverse=True)


def test_what_is_not_a_transfer_is_refused() -> None:
    with pytest.raises(OptionError, match=r"draws what transfer\(\) or .* given str"):
        plot_transfer("curves")  # type: ignore[arg-type]


def test_the_figure_of_a_result_is_this_one_with_or_without_curves() -> None:
    titles = [ax.get_title() for ax in plot_transfer(several_tasks()).axes]
    assert titles == ["calibrated transfer ratio", "average relative reduction"]
    for drawn_again in (figure(several_tasks()), several_tasks().figure()):
        assert [ax.get_title() for ax in drawn_again.axes] == titles
    assert len(tictactoe().figure().axes) == len(plot_transfer(tictactoe()).axes) == 5


# --- The picture of a gain: mean curves, areas, arrows, optimum.


def test_the_gain_shows_both_mean_curves_and_the_optimum() -> None:
    found, ax = tictactoe(), axes()
    assert plot_gain(found, ax=ax) is ax
    experimental, control, optimum = ax.lines[:3]
    assert ys(control) == found.mean_control.tolist()
    assert ys(experimental) == found.mean_experimental.tolist()
    assert xs(control) == found.steps.tolist()
    assert ys(optimum) == [100, 100]
    assert optimum.get_linestyle() == "--"
    words = legend_words(ax)
    assert "A1 (experimental; mean of 10 runs)" in words
    assert "A2 (control; mean of 10 runs)" in words
    assert "optimum 100.0" in words


def test_arrows_are_as_long_as_jumpstart_and_asymptotic_advantage() -> None:
    found, ax = tictactoe(), axes()
    plot_gain(found, ax=ax)
    first, last = arrows(ax, UPWARDS, DOWNWARDS)
    assert ys(first)[1] - ys(first)[0] == pytest.approx(found.jumpstart.value)
    assert ys(last)[1] - ys(last)[0] == pytest.approx(found.asymptotic_advantage.value)
    assert ys(last) == list(found.asymptotes)
    assert xs(first)[0] < found.steps[0]
    assert xs(last)[0] > found.steps[-1]
    for name in ("jumpstart", "asymptotic_advantage"):
        metric = found.metrics[name]
        assert metric.value is not None
        assert f"{metric.title} {number_text(metric.value)}" in legend_words(ax)


@pytest.mark.parametrize("higher", [True, False])
def test_gaps_are_the_reduction_at_their_scores(higher: bool) -> None:
    sign = 1.0 if higher else -1.0
    # Ten runs that climb a step at a time, against one step at every second trial.
    slow, fast = np.arange(40) // 2, np.minimum(np.arange(40), 19)
    rows = [np.tile(sign * curve.astype(float), (2, 1)) for curve in (slow, fast)]
    found = of_runs(*rows, higher_is_better=higher)
    prepared = gaps(found).tolist()
    assert [score for score, _, _ in prepared] == pytest.approx(
        [sign * 19 * share for share in (0.1, 0.3, 0.5, 0.7, 0.9)]
    )
    for score, control, experimental in prepared:
        assert experimental == math.ceil(abs(score))
        assert control == 2 * math.ceil(abs(score))
    ax = axes()
    plot_gain(found, ax=ax)
    lines = arrows(ax, LEFTWARDS)
    assert [xs(line) for line in lines] == [steps for _, *steps in prepared]
    assert [ys(line)[0] for line in lines] == [score for score, _, _ in prepared]
    assert (ax.get_ylabel() == "score (lower is better)") != higher
    assert "e is ahead" in legend_words(ax)
    assert "e is behind" not in legend_words(ax)


def test_a_score_that_only_one_reaches_leads_to_the_edge() -> None:
    found, ax = of_runs(growth(3, 0.05, 20), growth(3, 0.1, 60)), axes()
    plot_gain(found, ax=ax)
    never = [own for _, control, own in gaps(found).tolist() if math.isinf(control)]
    assert never
    lines = arrows(ax, RIGHTWARDS)
    edge = ax.get_xlim()[1]
    assert [xs(line) for line in lines] == [[step, edge] for step in never]
    assert "score that c never reaches" in legend_words(ax)


def test_an_undefined_reduction_is_said_to_be_undefined() -> None:
    found, ax = of_runs(50 + growth(3, 0.1, 20), growth(3, 0.1, 20)), axes()
    assert found.average_relative_reduction.value is None
    plot_gain(found, ax=ax)
    words = legend_words(ax)
    assert "average relative reduction undefined (steps to a score)" in words
    assert "score that e never reaches" in words
    assert "e is behind" in words


def test_the_best_observed_score_is_not_called_an_optimum() -> None:
    found, ax = of_runs(growth(3, 0.05, 50), growth(3, 0.1, 60)), axes()
    plot_gain(found, ax=ax)
    assert ys(ax.lines[2])[0] == found.optimum
    assert ax.lines[2].get_linestyle() == ":"
    best = f"best observed {number_text(found.optimum)} (no optimum given)"
    assert best in legend_words(ax)


def test_a_far_optimum_does_not_flatten_the_curves() -> None:
    found, ax = of_runs(growth(3, 0.05, 50), growth(3, 0.1, 60), optimum=1e6), axes()
    plot_gain(found, ax=ax)
    assert ax.get_ylim()[1] < 100
    assert "optimum 1000000: far beyond the axis" in legend_words(ax)


def test_the_current_axes_are_used_if_none_are_given() -> None:
    ax = plot_gain(tictactoe())
    assert ax is plt.gca()
    plt.close("all")


# --- Pictures of metrics with their intervals: of one task, and across tasks.


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
def test_ratios_have_ticks_that_can_be_read(ends: tuple[float, float], ticks: set[str]) -> None:
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
    bare = {name: replace(metric, interval=None) for name, metric in found.metrics.items()}
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


# --- The Kaplan–Meier curves of two conditions, drawn.


def found(*, higher_is_better: bool = True) -> Transfer:
    """C reaches 1 at steps 4, 6 and never; E at 2, 3 and 5."""
    steps = np.arange(1, 9)
    control, experimental = (
        np.array([steps >= time for time in times], dtype=float)
        for times in ([4, 6, math.inf], [2, 3, 5])
    )
    sign = 1 if higher_is_better else -1
    curves = pair(
        sign * control, sign * experimental, steps=steps, higher_is_better=higher_is_better
    )
    return transfer(curves, **SIDES, threshold=sign, n_resamples=0)


def test_lines_go_down_where_runs_reach_the_threshold() -> None:
    ax = axes()
    assert plot_survival(found(), ax=ax) is ax
    lines = {str(line.get_label())[:1]: line for line in ax.lines}
    assert xs(lines["E"]) == [0, 2, 3, 5, 8]
    assert ys(lines["E"]) == pytest.approx([1, 2 / 3, 1 / 3, 0, 0])
    assert xs(lines["C"]) == [0, 4, 6, 8]
    assert ys(lines["C"]) == pytest.approx([1, 2 / 3, 1 / 3, 1 / 3])
    (tick,) = [line for line in ax.lines if line.get_marker() == "|"]
    assert xs(tick) == [8]
    assert ys(tick) == pytest.approx([1 / 3])
    medians = {xs(line)[0] for line in ax.lines if line.get_marker() == "o"}
    assert medians == {3, 6}
    assert legend_words(ax) == ["E: 3 of 3 runs, median step 3", "C: 2 of 3 runs, median step 6"]


def test_a_median_that_is_not_reached_is_not_marked() -> None:
    nobody = replace(found(), survival=replace(found().survival, medians=(math.inf, 3.0)))
    ax = plot_survival(nobody, ax=axes())
    assert "C: 2 of 3 runs, median not reached" in legend_words(ax)
    assert sum(line.get_marker() == "o" for line in ax.lines) == 1


def test_lower_scores_may_be_better() -> None:
    ax = plot_survival(found(higher_is_better=False), ax=axes())
    legend = ax.get_legend()
    assert legend is not None
    assert "Reaching a score of -1 (log-rank p = " in legend.get_title().get_text()


def test_it_is_part_of_the_figure_where_a_threshold_was_given() -> None:
    given = found()
    assert len(drawn(plot_transfer(given)).axes) == 6
    assert len(plot_transfer(replace(given, threshold_given=False)).axes) == 5


def test_only_a_transfer_is_drawn() -> None:
    with pytest.raises(OptionError, match=r"plot_survival\(\) draws what transfer\(\) found"):
        plot_survival(several_tasks())  # type: ignore[arg-type]


def test_without_axes_the_current_ones_are_drawn_on() -> None:
    from matplotlib import pyplot as plt

    plt.close("all")
    ax = plot_survival(found())
    assert ax is plt.gca()
    plt.close("all")

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation

import curvewise as cw
from curvewise import Curves, Interval, OptionError
from curvewise.questions.transfer.gain_plot import (
    DOWNWARDS,
    LEFTWARDS,
    RIGHTWARDS,
    UPWARDS,
    gaps,
    plot_gain,
)
from curvewise.questions.transfer.metrics_plot import plot_metrics
from curvewise.questions.transfer.plots import plot_transfer
from curvewise.questions.transfer.result import TITLES
from curvewise.text import number_text, p_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from curvewise.kernels import Floats
    from curvewise.questions.transfer.result import Transfer, Transfers

FEW: dict[str, Any] = {"n_resamples": 99, "n_shuffles": 99, "rng": 0}
ODD = ("_$x$ <b>\x1b", "$\\frac{" + "long " * 20)


def axes() -> Axes:
    return Figure(layout="constrained").subplots()


def of(control: Floats, experimental: Floats, **options: Any) -> Transfer:
    """Measure the gain of runs that are given as rows."""
    names = options.pop("names", ("c", "e"))
    higher = options.pop("higher_is_better", True)
    curves = Curves(
        np.concatenate([control, experimental]),
        [names[0]] * len(control) + [names[1]] * len(experimental),
        higher_is_better=higher,
    )
    return cw.transfer(
        curves, control=names[0], experimental=names[1], **{**FEW, **options}
    )


def growth(n_runs: int, rate: float, top: float, n_steps: int = 30) -> Floats:
    noise = np.random.default_rng(int(1000 * rate)).normal(size=(n_runs, n_steps))
    return np.asarray(top * (1 - np.exp(-rate * np.arange(n_steps))) + 0.3 * noise)


@cache
def tictactoe() -> Transfer:
    curves = cw.load_example("tictactoe")
    return cw.transfer(curves, control="A2", experimental="A1", optimum=100, **FEW)


@cache
def several() -> Transfers:
    rows = np.concatenate([growth(4, 0.05, 50), growth(4, 0.1, 60)])
    labels = ["c"] * 4 + ["e"] * 4
    tasks = {name: Curves(rows * k, labels) for k, name in enumerate(["$a$", "b"], 1)}
    tasks["flat"] = Curves(np.ones((8, 30)), labels)
    optimum = {"$a$": 70.0, "b": 150.0}
    return cw.transfer_many(tasks, control="c", experimental="e", optimum=optimum, **FEW)


def xs(line: Line2D) -> list[float]:
    return np.asarray(line.get_xdata(), dtype=float).tolist()


def ys(line: Line2D) -> list[float]:
    return np.asarray(line.get_ydata(), dtype=float).tolist()


def arrows(ax: Axes, *heads: int) -> list[Line2D]:
    return [line for line in ax.lines if line.get_marker() in heads]


def legend_words(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def rows_of(figure: Figure) -> dict[str, tuple[Axes, int]]:
    return {
        text.get_text(): (ax, row)
        for ax in figure.axes
        for row, text in enumerate(ax.get_yticklabels())
    }


def row_lines(ax: Axes, row: int) -> list[Line2D]:
    return [line for line in ax.lines[1:] if ys(line)[0] == row]


def at_right(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts if isinstance(text, Annotation)]


def drawn(figure: Figure) -> Figure:
    """Draw a picture, and hold that nothing is cropped."""
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 > -0.02
    assert box.y0 > -0.02
    assert box.x1 < width + 0.02
    assert box.y1 < height + 0.02
    return figure


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
    found = of(*rows, higher_is_better=higher)
    prepared = gaps(found)
    assert [gap.score for gap in prepared] == pytest.approx(
        [sign * 19 * share for share in (0.1, 0.3, 0.5, 0.7, 0.9)]
    )
    for gap in prepared:
        assert gap.experimental == math.ceil(abs(gap.score))
        assert gap.control == 2 * math.ceil(abs(gap.score))
    ax = axes()
    plot_gain(found, ax=ax)
    lines = arrows(ax, LEFTWARDS)
    assert [xs(line) for line in lines] == [
        [gap.control, gap.experimental] for gap in prepared
    ]
    assert [ys(line)[0] for line in lines] == [gap.score for gap in prepared]
    assert (ax.get_ylabel() == "score (lower is better)") != higher
    assert "e is ahead" in legend_words(ax)
    assert "e is behind" not in legend_words(ax)


def test_a_score_that_only_one_reaches_leads_to_the_edge() -> None:
    found, ax = of(growth(3, 0.05, 20), growth(3, 0.1, 60)), axes()
    plot_gain(found, ax=ax)
    never = [gap for gap in gaps(found) if math.isinf(gap.control)]
    assert never
    lines = arrows(ax, RIGHTWARDS)
    edge = ax.get_xlim()[1]
    assert [xs(line) for line in lines] == [[gap.experimental, edge] for gap in never]
    assert "score that c never reaches" in legend_words(ax)


def test_an_undefined_reduction_is_said_to_be_undefined() -> None:
    found, ax = of(50 + growth(3, 0.1, 20), growth(3, 0.1, 20)), axes()
    assert found.average_relative_reduction.value is None
    plot_gain(found, ax=ax)
    words = legend_words(ax)
    assert "average relative reduction undefined (steps to a score)" in words
    assert "score that e never reaches" in words
    assert "e is behind" in words


def test_the_best_observed_score_is_not_called_an_optimum() -> None:
    found, ax = of(growth(3, 0.05, 50), growth(3, 0.1, 60)), axes()
    plot_gain(found, ax=ax)
    assert ys(ax.lines[2])[0] == found.optimum
    assert ax.lines[2].get_linestyle() == ":"
    best = f"best observed {number_text(found.optimum)} (no optimum given)"
    assert best in legend_words(ax)


def test_a_far_optimum_does_not_flatten_the_curves() -> None:
    found, ax = of(growth(3, 0.05, 50), growth(3, 0.1, 60), optimum=1e6), axes()
    plot_gain(found, ax=ax)
    assert ax.get_ylim()[1] < 100
    assert "optimum 1000000: far beyond the axis" in legend_words(ax)


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


def test_undefined_metrics_are_named_in_grey() -> None:
    found = of(np.ones((3, 5)), np.ones((3, 5)))
    figure = drawn(plot_transfer(found))
    for metric in found.metrics.values():
        ax, row = rows_of(figure)[metric.title]
        grey = ax.get_yticklabels()[row].get_color() == "0.55"
        assert grey == (metric.value is None) == (at_right(ax)[row] == "undefined")
        assert bool(row_lines(ax, row)) == metric.defined


def test_without_intervals_none_is_drawn_or_explained() -> None:
    found = of(growth(1, 0.05, 50), growth(1, 0.1, 60))
    figure = drawn(plot_metrics(found))
    (legend,) = figure.legends
    words = [text.get_text() for text in legend.get_texts()]
    assert not any("interval" in word for word in words)
    for ax, row in rows_of(figure).values():
        assert len(row_lines(ax, row)) == 1


def test_a_single_step_has_one_arrow() -> None:
    rng = np.random.default_rng(0)
    found = of(rng.normal(size=(4, 1)), rng.normal(size=(4, 1)) + 5)
    figure = drawn(plot_transfer(found))
    ax = figure.axes[0]
    (arrow,) = arrows(ax, LEFTWARDS, RIGHTWARDS, UPWARDS, DOWNWARDS)
    assert ys(arrow) == [found.mean_control[0], found.mean_experimental[0]]
    assert gaps(found) == []


def test_names_are_drawn_as_they_are() -> None:
    found = of(growth(3, 0.05, 50), growth(3, 0.1, 60), names=ODD)
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


def test_tasks_show_what_may_be_compared() -> None:
    found = several()
    figure = drawn(plot_transfer(found))
    assert [ax.get_title() for ax in figure.axes] == [
        TITLES["calibrated_transfer_ratio"],
        TITLES["average_relative_reduction"],
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
    tasks = dict(several())
    ratio = tasks["b"].calibrated_transfer_ratio
    metrics = {**tasks["b"].metrics, ratio.name: replace(ratio, comparable=False)}
    tasks["b"] = replace(tasks["b"], metrics=metrics)
    figure = drawn(plot_transfer(replace(several(), tasks=tasks)))
    assert at_right(figure.axes[0])[1] == "no optimum"
    assert row_lines(figure.axes[0], 1) == []


def test_without_any_optimum_the_calibrated_ratio_is_not_drawn() -> None:
    curves = cw.load_example("tictactoe")
    found = cw.transfer_many({"one": curves}, control="A2", experimental="A1", **FEW)
    figure = drawn(plot_transfer(found))
    (ax,) = figure.axes
    assert ax.get_title() == TITLES["average_relative_reduction"]
    assert "calibrated transfer ratio" in figure.get_supxlabel().replace("\n", " ")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["one"]


def test_the_current_axes_are_used_if_none_are_given() -> None:
    ax = plot_gain(tictactoe())
    assert ax is plt.gca()
    plt.close("all")


def test_what_is_not_a_transfer_is_refused() -> None:
    with pytest.raises(OptionError, match=r"draws what transfer\(\) or .* given str"):
        plot_transfer("curves")  # type: ignore[arg-type]

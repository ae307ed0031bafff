"""The whole picture of a gain, or of several tasks."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise import OptionError
from curvewise.questions.transfer.gain_plot import (
    DOWNWARDS,
    LEFTWARDS,
    RIGHTWARDS,
    UPWARDS,
    gaps,
)
from curvewise.questions.transfer.plots import figure, plot_transfer
from tests.questions.transfer.drawing import (
    arrows,
    at_right,
    drawn,
    legend_words,
    row_lines,
    rows_of,
    ys,
)
from tests.questions.transfer.gains import growth, of_runs, several_tasks, tictactoe

ODD = ("_$x$ <b>\x1b", "$\\frac{" + "long " * 20)


def test_undefined_metrics_are_named_in_grey() -> None:
    found = of_runs(np.ones((3, 5)), np.ones((3, 5)))
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
    assert gaps(found) == []


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

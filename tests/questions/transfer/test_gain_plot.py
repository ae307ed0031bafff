"""The picture of a gain: mean curves, areas, arrows, optimum."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pytest

from curvewise.questions.transfer.gain_plot import (
    DOWNWARDS,
    LEFTWARDS,
    RIGHTWARDS,
    UPWARDS,
    gaps,
    plot_gain,
)
from curvewise.text import number_text
from tests.questions.transfer.drawing import arrows, axes, legend_words, xs, ys
from tests.questions.transfer.gains import growth, of_runs, tictactoe


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
    found, ax = of_runs(growth(3, 0.05, 20), growth(3, 0.1, 60)), axes()
    plot_gain(found, ax=ax)
    never = [gap for gap in gaps(found) if math.isinf(gap.control)]
    assert never
    lines = arrows(ax, RIGHTWARDS)
    edge = ax.get_xlim()[1]
    assert [xs(line) for line in lines] == [[gap.experimental, edge] for gap in never]
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

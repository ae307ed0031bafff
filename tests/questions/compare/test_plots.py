"""Pictures of comparisons show the numbers of the result."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Rectangle

from curvewise import Curves, compare, compare_many, plot_comparison, plot_null_distribution
from curvewise.rendering.figures import save_figures
from curvewise.rendering.page import EndLabel
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def legend_texts(figure: Figure) -> list[str]:
    return [text.get_text() for ax in figure.axes for text in ax.get_legend().get_texts()]  # type: ignore[union-attr]


def bar_heights(ax: Axes) -> float:
    return sum(bar.get_height() for bar in ax.patches if isinstance(bar, Rectangle))


def test_the_p_of_the_picture_is_that_of_the_result() -> None:
    effect = compare(some_curves(0, (5, 5))).algorithm
    figure, ax = plt.subplots()
    plot_null_distribution(effect, ax=ax)
    texts = legend_texts(figure)
    assert texts[0].startswith("observed F = ")
    assert texts[0].endswith(f"exact p = {effect.pvalue:.3f}")
    assert texts[1].startswith("critical F = ")
    observed, critical = ax.lines
    assert np.asarray(observed.get_xdata())[0] == effect.statistic
    assert np.asarray(critical.get_xdata())[0] == effect.critical_value
    assert bar_heights(ax) == len(effect.null_distribution)
    plt.close(figure)


def test_far_values_do_not_flatten_the_histogram_and_are_counted() -> None:
    rng = np.random.default_rng(0)
    scores = rng.standard_cauchy((12, 4)) ** 3
    effect = compare(Curves(scores, list("AAAAAABBBBBB"))).algorithm
    figure, ax = plt.subplots()
    plot_null_distribution(effect, ax=ax)
    drawn = bar_heights(ax)
    beyond = ax.get_xlabel().partition("; ")[2].split(" ")[0].replace(",", "")
    assert drawn + int(beyond or 0) == len(effect.null_distribution)
    plt.close(figure)


@pytest.mark.parametrize(
    "curves",
    [
        some_curves(0, (5, 5)),
        some_curves(0, (5, 5), 1),
        some_curves(0, (2, 2, 2, 2, 2, 2, 2, 2)),
        Curves([[0, 1]] * 4 + [[1, 2]] * 4, list("AAAABBBB")),
        Curves(some_curves(0, (4, 4)).scores, ["_$x$ <b>\x1b"] * 4 + ["日本 $"] * 4),
    ],
    ids=["two", "single step", "eight", "no error", "odd names"],
)
def test_whatever_can_be_compared_can_be_drawn(curves: Curves, tmp_path: Path) -> None:
    found = compare(curves, n_shuffles=99, rng=0)
    figure = plot_comparison(curves, found)
    assert len(figure.axes) == (2 if found.interaction is None else 3)
    path = tmp_path / "figure.png"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        save_figures({path: lambda: figure})
    assert path.read_bytes().startswith(b"\x89PNG")
    names = figure.axes[0].findobj(EndLabel) or figure.legends[0].get_texts()
    assert len(names) == len(curves.algorithms)


def test_the_current_axes_serve_when_none_are_given() -> None:
    figure, ax = plt.subplots()
    assert plot_null_distribution(compare(some_curves(0, (5, 5))).algorithm) is ax
    plt.close(figure)


def test_an_infinite_f_is_told_and_not_drawn() -> None:
    found = compare(Curves([[0, 1]] * 4 + [[1, 2]] * 4, list("AAAABBBB")))
    figure, ax = plt.subplots()
    plot_null_distribution(found.algorithm, ax=ax)
    assert legend_texts(figure)[0] == "observed F is infinite, exact p = 0.0286"
    plt.close(figure)


def test_without_curves_the_null_distributions_are_drawn_alone() -> None:
    found = compare(some_curves(0, (5, 5)))
    figure = found.figure()
    assert [ax.get_title() for ax in figure.axes] == ["height (algorithm)", "shape (interaction)"]
    with_curves = found.figure(some_curves(0, (5, 5)))
    assert len(with_curves.axes) == 3


def test_many_comparisons_are_drawn_by_their_adjusted_p() -> None:
    tables = {
        "a": some_curves(0, (5, 5)),
        "_$x$ <b>\x1b": some_curves(1, (5, 5)),
        "one step": some_curves(2, (5, 5), 1),
    }
    found = compare_many(tables)
    figure = found.figure()
    (ax,) = figure.axes
    assert ax.get_xscale() == "log"
    shown = {
        line.get_label(): (np.asarray(line.get_xdata()), np.asarray(line.get_ydata()))
        for line in ax.lines
    }
    for label, effect in (
        ("any difference", "overall"),
        ("height", "algorithm"),
        ("shape", "interaction"),
    ):
        adjusted = found.pvalues_adjusted[effect]
        pvalues, rows = shown[label]
        np.testing.assert_array_equal(pvalues, list(adjusted.values()))
        assert [list(tables)[int(row)] for row in rows] == list(adjusted)
    assert shown["α = 0.05"][0][0] == 0.05
    figure.draw_without_rendering()

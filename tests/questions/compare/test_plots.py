from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from curvewise import (
    Curves,
    compare,
    plot_comparison,
    plot_null_distribution,
)
from curvewise.rendering.figures import save_figure
from tests.simulation import some_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        save_figure(figure, path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert len(legend_texts(figure)) >= len(curves.algorithms)

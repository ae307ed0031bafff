from __future__ import annotations

from itertools import cycle, islice, pairwise
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from curvewise import Curves, plot_curves
from curvewise.rendering.curve_plot import LINE_STYLES, run_spreads
from curvewise.rendering.figures import COLOURS
from tests.simulation import some_curves

if TYPE_CHECKING:
    from matplotlib.legend import Legend


def legend_of(curves: Curves) -> Legend:
    legend = plot_curves(curves, ax=Figure().subplots()).get_legend()
    assert legend is not None
    return legend


def legend_names(curves: Curves) -> list[str]:
    return [text.get_text() for text in legend_of(curves).get_texts()]


def many(n_algorithms: int) -> Curves:
    scores = np.random.default_rng(0).normal(size=(n_algorithms, 2))
    return Curves(scores, [f"algorithm {i}" for i in range(n_algorithms)])


def test_the_spread_is_mean_and_standard_deviation_of_the_runs() -> None:
    curves = some_curves(0, (5, 1))
    first, second = run_spreads(curves)
    rows = curves.scores[:5]
    assert [first.name, second.name] == ["A", "B"]
    np.testing.assert_array_equal(first.runs, rows)
    np.testing.assert_allclose(first.mean, rows.mean(axis=0))
    np.testing.assert_allclose(first.high - first.mean, rows.std(axis=0, ddof=1))
    np.testing.assert_allclose(first.mean - first.low, rows.std(axis=0, ddof=1))
    # One run has no spread of its own.
    for line in (second.low, second.mean, second.high):
        np.testing.assert_array_equal(line, curves.scores[5])


def test_every_run_and_mean_is_drawn_and_the_band_explained() -> None:
    curves = some_curves(0, (5, 4), steps=[0, 1, 2, 5, 8, 9])
    ax = Figure().subplots()
    assert plot_curves(curves, ax=ax) is ax
    assert len(ax.lines) == 9 + 2
    thin = [line for line in ax.lines if line.get_linewidth() < 1]
    np.testing.assert_array_equal(
        [np.asarray(line.get_ydata()) for line in thin], curves.scores
    )
    for line in ax.lines:
        assert np.asarray(line.get_xdata()).tolist() == curves.steps.tolist()
    first, second = (line for line in ax.lines if line not in thin)
    for thick, spread in zip((first, second), run_spreads(curves), strict=True):
        np.testing.assert_array_equal(np.asarray(thick.get_ydata()), spread.mean)
    assert first.get_color() != second.get_color()
    assert first.get_linestyle() != second.get_linestyle()
    bands = [each for each in ax.collections if isinstance(each, PolyCollection)]
    for band, spread in zip(bands, run_spreads(curves), strict=True):
        heights = np.asarray(band.get_paths()[0].vertices)[:, 1]
        assert heights.min() == pytest.approx(spread.low.min())
        assert heights.max() == pytest.approx(spread.high.max())
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == (
        "thick: mean; thin: each run;\nband: mean ± 1 SD of the runs"
    )
    assert [text.get_text() for text in legend.get_texts()] == [
        "A (5 runs)",
        "B (4 runs)",
    ]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("step", "score")


def test_the_current_axes_serve_when_none_are_given() -> None:
    figure, ax = plt.subplots()
    assert plot_curves(some_curves(0)) is ax
    plt.close(figure)


def test_names_are_shown_as_they_are() -> None:
    curves = Curves(np.eye(3), ["_$x$", "$\\frac{", "red \x1b[31m"])
    assert legend_names(curves) == [
        " _$x$ (1 run)",
        "$\\frac{ (1 run)",
        "red \\x1b[31m (1 run)",
    ]
    assert not any(text.get_parse_math() for text in legend_of(curves).get_texts())


def test_a_single_step_is_drawn_as_points() -> None:
    ax = plot_curves(some_curves(0, (2, 2), n_steps=1), ax=Figure().subplots())
    assert {str(line.get_marker()) for line in ax.lines} == {"o"}
    assert ax.get_xticks().tolist() == [0]


def test_where_lower_is_better_the_axis_says_so() -> None:
    curves = some_curves(0, (2, 2), higher_is_better=False)
    ax = plot_curves(curves, ax=Figure().subplots())
    assert ax.get_ylabel() == "score (lower is better)"


def test_many_runs_are_fainter() -> None:
    def opacity(curves: Curves) -> float:
        alpha = plot_curves(curves, ax=Figure().subplots()).lines[0].get_alpha()
        assert alpha is not None
        return alpha

    few, more, most = (opacity(some_curves(0, (n, n), 2)) for n in (5, 20, 100))
    assert 0.4 >= few > more > most >= 0.08


@pytest.mark.parametrize(("n_algorithms", "n_columns"), [(9, 1), (24, 1), (25, 2)])
def test_many_names_stand_beside_the_curves(n_algorithms: int, n_columns: int) -> None:
    inside, beside = legend_of(many(8)), legend_of(many(n_algorithms))
    assert inside.get_bbox_to_anchor().x1 <= inside.axes.bbox.x1
    assert beside.get_bbox_to_anchor().x0 > beside.axes.bbox.x1
    assert beside._ncols == n_columns  # type: ignore[attr-defined]


def test_colours_differ_in_grey_or_by_line_style() -> None:
    def grey(colour: str) -> float:
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    greys = [grey(colour) for colour in COLOURS]
    assert all(abs(a - b) > 30 for a, b in pairwise(greys))
    looks = list(islice(zip(cycle(COLOURS), cycle(LINE_STYLES), strict=False), 36))
    assert len(set(looks)) == len(COLOURS) * len(LINE_STYLES) == 35

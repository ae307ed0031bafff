from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from scipy import stats

from curvewise import Curves, OptionError, plot_curves
from curvewise.data.curves import Display
from curvewise.rendering.curves import run_spreads
from curvewise.rendering.figures import COLOURS
from curvewise.rendering.page import EndLabel
from tests.simulation import some_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def drawn(curves: Curves, **options: Any) -> Axes:
    return plot_curves(curves, ax=Figure(layout="constrained").subplots(), **options)


def names_at_ends(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.findobj(EndLabel)]


def many(n_algorithms: int) -> Curves:
    scores = np.random.default_rng(0).normal(size=(n_algorithms, 2))
    return Curves(scores, [f"algorithm {i}" for i in range(n_algorithms)])


def test_bands_are_the_range_the_deviation_or_the_interval_of_the_mean() -> None:
    curves = some_curves(0, (5, 1))
    rows = curves.scores[:5]
    sd = rows.std(axis=0, ddof=1)
    expected = {
        "runs": (rows.min(axis=0), rows.max(axis=0)),
        "sd": (rows.mean(axis=0) - sd, rows.mean(axis=0) + sd),
        "ci": stats.t.interval(0.95, 4, rows.mean(axis=0), stats.sem(rows)),
    }
    for band, (low, high) in expected.items():
        first, second = run_spreads(curves, band)  # type: ignore[arg-type]
        assert [first.name, second.name] == ["A", "B"]
        np.testing.assert_array_equal(first.runs, rows)
        np.testing.assert_allclose(first.mean, rows.mean(axis=0))
        np.testing.assert_allclose(first.low, low)
        np.testing.assert_allclose(first.high, high)
        # One run has no spread of its own.
        for line in (second.low, second.mean, second.high):
            np.testing.assert_array_equal(line, curves.scores[5])


@pytest.mark.parametrize("width", [2, 3, 6])
def test_smoothing_is_the_mean_of_the_steps_around(width: int) -> None:
    curves = some_curves(0, (3, 3), n_steps=6)
    smooth = run_spreads(curves, smooth=width)[0].runs
    for step in range(6):
        low = max(step - (width - 1) // 2, 0)
        around = curves.scores[:3, low : step + width // 2 + 1]
        np.testing.assert_allclose(smooth[:, step], around.mean(axis=1))


def test_every_run_and_mean_is_drawn_and_the_band_explained() -> None:
    curves = some_curves(0, (5, 4), steps=[0, 1, 2, 5, 8, 9])
    ax = Figure().subplots()
    assert plot_curves(curves, ax=ax) is ax
    assert len(ax.lines) == 9 + 2
    thin = [line for line in ax.lines if line.get_linewidth() < 1]
    np.testing.assert_array_equal([np.asarray(line.get_ydata()) for line in thin], curves.scores)
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
    assert ax.get_title(loc="left") == "means of the runs; band: their range"
    assert names_at_ends(ax) == ["A (5 runs)", "B (4 runs)"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("step", "score")


def test_what_is_not_wanted_is_left_out() -> None:
    ax = drawn(some_curves(0, (5, 5)), band="none", runs=False, details=False)
    assert len(ax.lines) == 2
    assert not ax.collections
    assert ax.get_title(loc="left") == ""
    assert names_at_ends(ax) == ["A", "B"]


def test_axes_may_be_logarithmic() -> None:
    curves = Curves([[1.0, 2.0, 4.0], [2.0, 3.0, 5.0]], ["A", "B"], steps=[0, 1000, 10_000])
    ax = drawn(curves, xlog=True, ylog=True)
    # Step 0 has no logarithm and is there all the same.
    assert (ax.get_xscale(), ax.get_yscale()) == ("symlog", "log")
    assert ax.get_xlim() == (0, 10_000)
    assert drawn(curves.window(1), xlog=True).get_xscale() == "log"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ylog": True}, "Scores of -1 have no logarithm"),
        ({"smooth": 0}, "smooth must be a positive integer, not 0"),
        ({"smooth": 9}, "moving mean of 9 steps is longer than the 3 of a curve"),
        ({"band": "se"}, "band"),
        ({"colours": {"Z": "red"}}, "No algorithm is called 'Z'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        drawn(Curves([[-1.0, 2.0, 4.0], [2.0, 3.0, 5.0]], ["A", "B"]), **options)


def test_the_current_axes_are_drawn_on() -> None:
    figure, ax = plt.subplots()
    assert plot_curves(some_curves(0)) is ax
    plt.close(figure)


def test_names_are_shown_as_they_are() -> None:
    ax = drawn(Curves(np.eye(3), ["_$x$", "$\\frac{", "red \x1b[31m"]))
    assert names_at_ends(ax) == ["_$x$", "$\\frac{", "red \\x1b[31m"]
    assert not any(label.get_parse_math() for label in ax.findobj(EndLabel))


def test_axes_have_the_names_of_the_columns() -> None:
    curves = Curves(np.eye(2), ["A", "B"], display=Display("frames", "return"))
    ax = drawn(curves)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("frames", "return")


def test_names_below_the_curves_are_many() -> None:
    figure = Figure(layout="constrained")
    plot_curves(many(9), ax=figure.subplots())
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 9
    figure.draw_without_rendering()
    assert legend.get_window_extent().y1 < figure.axes[0].bbox.y0
    # Axes that make no room by themselves have their legend below as well.
    ax = plot_curves(many(9), ax=Figure().subplots())
    beneath = ax.get_legend()
    assert beneath is not None
    assert beneath.get_window_extent().y1 < ax.bbox.y0


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
        alpha = drawn(curves).lines[0].get_alpha()
        assert alpha is not None
        return alpha

    few, more, most = (opacity(some_curves(0, (n, n), 2)) for n in (5, 20, 100))
    assert 0.4 >= few > more > most >= 0.08


def test_colours_differ_in_grey_or_by_line_style() -> None:
    def grey(colour: str) -> float:
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    greys = [grey(colour) for colour in COLOURS]
    assert all(abs(a - b) > 20 for a, b in pairwise(greys))

from __future__ import annotations

from itertools import pairwise

from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import curvewise as cw
from tests.questions.power.test_result import found


def test_one_size_has_a_line_for_each_test() -> None:
    ax = cw.plot_power(found(n_runs=(3, 5, 8)), ax=Figure().subplots())
    labels = ax.get_legend_handles_labels()[1]
    assert sorted(labels) == [
        "any difference",
        "height",
        "its test alone",
        "nothing could be significant",
        "shape",
    ]
    assert ax.get_ylabel() == "power to find a difference"
    one = cw.plot_power(found(), ax=Figure().subplots(), test="algorithm")
    assert one.get_legend_handles_labels()[1][0] == "height"


def test_several_sizes_have_a_panel_for_each_test() -> None:
    figure = found(sizes=(1, 2)).figure()
    assert [ax.get_title() for ax in figure.axes] == [
        "any difference",
        "a difference in height",
        "a difference in shape",
    ]
    assert [ax.get_ylabel() for ax in figure.axes] == ["power", "", ""]
    assert figure.get_suptitle() == (
        "lift, by size (bands: 90% range left open by 5 pilots; bars: simulation error)"
    )
    ax = cw.plot_power(found(sizes=(1, 2)), ax=Figure().subplots())
    assert ax.get_legend_handles_labels()[1][:2] == ["size 1", "size 2"]


def test_a_single_number_of_runs_has_whole_ticks_and_its_range() -> None:
    one = found(n_runs=(6,))
    ax = cw.plot_power(one, ax=Figure().subplots())
    assert ax.get_xlim() == (4.5, 7.5)
    assert all(float(tick).is_integer() for tick in ax.get_xticks())
    lines = [each for each in ax.collections if isinstance(each, LineCollection)]
    spans = [line.get_segments()[0][:, 1].tolist() for line in lines]
    assert one.overall.range[0, 0].tolist() in spans


def test_three_panels_fit_a_column_of_a_paper() -> None:
    figure = found(sizes=(1, 2)).figure(width=3.3, style="paper")
    figure.draw_without_rendering()
    for texts in (
        [ax.xaxis.label for ax in figure.axes],
        [ax.title for ax in figure.axes],
        [
            label
            for ax in figure.axes
            for label in ax.get_xticklabels()
            if ax.viewLim.intervalx[0] <= label.get_position()[0] <= ax.viewLim.intervalx[1]
        ],
    ):
        boxes = [own.get_window_extent() for own in texts if own.get_text()]
        for left, right in pairwise(boxes):
            assert left.x1 < right.x0
        assert boxes[0].x0 > 0
        assert boxes[-1].x1 < figure.bbox.width
    assert min(ax.get_window_extent().height for ax in figure.axes) > 0.6 * figure.dpi
    assert "\n" in figure.get_suptitle()


def test_a_legend_is_below_the_data_and_its_markers() -> None:
    figure = found(n_runs=(3, 5, 8)).figure(width=3.3, style="paper")
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert legend.get_window_extent().y1 < figure.axes[0].get_window_extent().y0
    markers = [own.get_marker() for own in legend.get_lines()]
    assert markers == ["o", "o", "o", "."]

from __future__ import annotations

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
    assert one.get_legend_handles_labels()[1][-1] == "height"


def test_several_sizes_have_a_panel_for_each_test() -> None:
    figure = found(sizes=(1, 2)).figure()
    assert [ax.get_ylabel() for ax in figure.axes] == [
        "power to find any difference",
        "power to find a difference in height",
        "power to find a difference in shape",
    ]
    assert figure.get_suptitle() == (
        "lift, by size (bands: 90% range left open by 5 pilots; bars: simulation error)"
    )
    ax = cw.plot_power(found(sizes=(1, 2)), ax=Figure().subplots())
    assert ax.get_legend_handles_labels()[1][-2:] == ["size 1", "size 2"]


def test_a_single_number_of_runs_has_whole_ticks_and_its_range() -> None:
    one = found(n_runs=(6,))
    ax = cw.plot_power(one, ax=Figure().subplots())
    assert ax.get_xlim() == (4.5, 7.5)
    assert all(float(tick).is_integer() for tick in ax.get_xticks())
    lines = [each for each in ax.collections if isinstance(each, LineCollection)]
    spans = [line.get_segments()[0][:, 1].tolist() for line in lines]
    assert one.overall.range[0, 0].tolist() in spans

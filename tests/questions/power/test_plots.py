from __future__ import annotations

from matplotlib.figure import Figure

import curvewise as cw
from tests.questions.power.test_result import found


def test_one_size_has_a_line_for_each_test() -> None:
    ax = cw.plot_power(found(n_runs=(3, 5, 8)), ax=Figure().subplots())
    labels = ax.get_legend_handles_labels()[1]
    assert labels == ["nothing could be significant", "any difference", "height", "shape"]
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
    assert figure.get_suptitle() == "lift, by size"
    ax = cw.plot_power(found(sizes=(1, 2)), ax=Figure().subplots())
    assert ax.get_legend_handles_labels()[1][-2:] == ["size 1", "size 2"]

"""The picture of the looks: paths, alpha, what is out of reach."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure

from curvewise import plot_monitoring
from curvewise.questions.monitor.tell import lines_of
from tests.questions.monitor.test_result import looked_at


def test_two_algorithms_have_a_line_for_each_effect() -> None:
    found = looked_at(0, 4)
    lines = lines_of(found)
    assert [line.label for line in lines] == ["overall", "height", "shape"]
    assert lines[0].pvalues == found.overall.pvalues
    ax = plot_monitoring(found, Figure().subplots())
    drawn = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_array_equal(drawn["overall"].get_xdata(), [1, 2])
    np.testing.assert_allclose(drawn["height"].get_ydata(), found.algorithm.pvalues)  # type: ignore[arg-type]
    assert ax.get_yscale() == "log"
    assert ax.get_ylim()[1] == 1
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1\n4", "2\n8", "3\n12", "4\n16"]
    assert any(text.get_text() == "to come →" for text in ax.texts)


def test_several_algorithms_have_a_line_for_each_pair() -> None:
    found = looked_at(0, 0, 6)
    assert [line.label for line in lines_of(found)] == ["A, B", "A, C", "B, C"]
    assert lines_of(found)[2].pvalues == found.pairs[2].overall.pvalues_adjusted


def test_many_pairs_are_told_apart_by_what_was_found() -> None:
    found = looked_at(0, 0, 6, 12, 18)
    lines = lines_of(found)
    assert len(lines) == 10
    labels = [line.label for line in lines if line.label is not None]
    assert sorted(labels) == ["different", "not told apart"]


@pytest.mark.parametrize("heights", [(0, 4), (0, 0, 6), (0, 6, 12, 18, 24)])
def test_what_is_out_of_reach_lies_below_every_path(heights: tuple[float, ...]) -> None:
    found = looked_at(*heights)
    smallest = np.array(found.plan.smallest_pvalues()) * len(found.pairs)
    for line in lines_of(found):
        # Of shuffles, chance may draw a little fewer that are as large.
        assert (np.array(line.pvalues) >= 0.6 * np.minimum(smallest[:2], 1)).all()
    figure = found.figure()
    figure.canvas.draw()


def test_after_the_last_look_nothing_is_to_come() -> None:
    ax = plot_monitoring(looked_at(0, 0, n_batches=4), Figure().subplots())
    assert not any("to come" in text.get_text() for text in ax.texts)


def test_looks_are_told_apart_in_a_column_of_a_paper() -> None:
    figure = looked_at(0, 4).figure(width=3.3, style="paper")
    figure.draw_without_rendering()
    (ax,), (legend,) = figure.axes, figure.legends
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    for left, right in pairwise(boxes):
        assert left.x1 < right.x0
    assert legend.get_window_extent().y1 < ax.get_window_extent().y0
    assert ax.get_window_extent().width > 0.6 * figure.bbox.width

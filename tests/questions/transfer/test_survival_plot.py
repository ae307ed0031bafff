"""The Kaplan–Meier curves of two conditions, drawn."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import OptionError, plot_survival, transfer
from curvewise.questions.transfer.plots import plot_transfer
from tests.questions.transfer.drawing import axes, drawn, legend_words, xs, ys
from tests.questions.transfer.gains import SIDES, pair, several_tasks

if TYPE_CHECKING:
    from curvewise import Transfer


def found(*, higher_is_better: bool = True) -> Transfer:
    """C reaches 1 at steps 4, 6 and never; E at 2, 3 and 5."""
    steps = np.arange(1, 9)
    control, experimental = (
        np.array([steps >= time for time in times], dtype=float)
        for times in ([4, 6, math.inf], [2, 3, 5])
    )
    sign = 1 if higher_is_better else -1
    curves = pair(
        sign * control,
        sign * experimental,
        steps=steps,
        higher_is_better=higher_is_better,
    )
    return transfer(curves, **SIDES, threshold=sign, n_resamples=0)


def test_lines_go_down_where_runs_reach_the_threshold() -> None:
    ax = axes()
    assert plot_survival(found(), ax=ax) is ax
    lines = {str(line.get_label())[:1]: line for line in ax.lines}
    assert xs(lines["E"]) == [0, 2, 3, 5, 8]
    assert ys(lines["E"]) == pytest.approx([1, 2 / 3, 1 / 3, 0, 0])
    assert xs(lines["C"]) == [0, 4, 6, 8]
    assert ys(lines["C"]) == pytest.approx([1, 2 / 3, 1 / 3, 1 / 3])
    (tick,) = [line for line in ax.lines if line.get_marker() == "|"]
    assert xs(tick) == [8]
    assert ys(tick) == pytest.approx([1 / 3])
    medians = {xs(line)[0] for line in ax.lines if line.get_marker() == "o"}
    assert medians == {3, 6}
    assert legend_words(ax) == [
        "E: 3 of 3 runs, median step 3",
        "C: 2 of 3 runs, median step 6",
    ]


def test_a_median_that_is_not_reached_is_not_marked() -> None:
    nobody = replace(found(), survival=replace(found().survival, medians=(math.inf, 3.0)))
    ax = plot_survival(nobody, ax=axes())
    assert "C: 2 of 3 runs, median not reached" in legend_words(ax)
    assert sum(line.get_marker() == "o" for line in ax.lines) == 1


def test_lower_scores_may_be_better() -> None:
    ax = plot_survival(found(higher_is_better=False), ax=axes())
    legend = ax.get_legend()
    assert legend is not None
    assert "Reaching a score of -1 (log-rank p = " in legend.get_title().get_text()


def test_it_is_part_of_the_figure_where_a_threshold_was_given() -> None:
    given = found()
    assert len(drawn(plot_transfer(given)).axes) == 6
    assert len(plot_transfer(replace(given, threshold_given=False)).axes) == 5


def test_only_a_transfer_is_drawn() -> None:
    with pytest.raises(
        OptionError, match=r"plot_survival\(\) draws what transfer\(\) found"
    ):
        plot_survival(several_tasks())  # type: ignore[arg-type]


def test_without_axes_the_current_ones_are_drawn_on() -> None:
    from matplotlib import pyplot as plt

    plt.close("all")
    ax = plot_survival(found())
    assert ax is plt.gca()
    plt.close("all")

"""The curves that decide a criterion, in small panels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from curvewise.questions.criteria.tell import figure, plot_criterion
from tests.questions.criteria.decided import CELLS, DIFFERENCES, decided


@pytest.mark.parametrize("cell", CELLS)
def test_the_plot_has_a_panel_for_every_pair(cell: tuple[str, str]) -> None:
    verdict = decided()[cell]
    ax = plot_criterion(verdict, ax=Figure().subplots())
    assert len(ax.child_axes) == len(verdict.case.pairs)
    for panel, pair in zip(ax.child_axes, verdict.case.pairs, strict=True):
        drawn = [np.asarray(line.get_ydata()) for line in panel.lines]
        for scores in (pair.control, pair.experimental):
            mean = scores.mean(axis=0)
            assert any(line.shape == mean.shape and np.allclose(line, mean) for line in drawn)
        low, high = panel.get_ylim()
        assert low < min(map(np.min, drawn))
        assert math.isfinite(high)


def test_the_plot_takes_the_current_axes_and_figures_fit_their_rows() -> None:
    plt.close("all")
    assert plot_criterion(decided()["similar", "ratio"]) is plt.gcf().axes[0]
    plt.close("all")
    assert len(figure(decided()).axes) == len(DIFFERENCES)
    assert len(figure(decided().select("unitless")).axes) == 4
    assert len(figure(decided().select("similar")).axes) == 1


def test_titles_say_the_verdict_and_the_papers_if_it_differs() -> None:
    def title(criterion: str, metric: str) -> str:
        ax = plot_criterion(decided()[criterion, metric], ax=Figure().subplots())
        return ax.texts[0].get_text()

    assert title("similar", "ratio") == "ratio: not similar ×"
    assert title("similar", "CTR") == "CTR: similar ✓"
    assert title("degenerate", "regret") == "regret: not degenerate ×   (published ✓)"


def test_panels_show_pair_and_value() -> None:
    ax = plot_criterion(decided()["distinguishing", "regret"], ax=Figure().subplots())
    panels: list[Any] = ax.child_axes
    titles = [panel.get_title() for panel in panels]
    assert titles == ["3a\nregret 0.2167", "3b\nregret 0.2167"]


def test_panels_share_an_axis_of_scores_only_if_scores_are_of_a_size() -> None:
    # The pairs of Figure 3 share an axis; fractions and percent have one each.
    for verdict, n_axes in (
        (decided()["distinguishing", "regret"], 1),
        (decided()["unitless", "ratio"], 2),
    ):
        first = replace(verdict, tried=verdict.tried[:1])
        ax = plot_criterion(first, ax=Figure().subplots())
        assert len(ax.child_axes) == 2
        assert len({panel.get_ylim() for panel in ax.child_axes}) == n_axes


def test_the_figure_of_a_result_is_this_one_with_or_without_curves() -> None:
    similar = decided().select("similar")
    assert len(similar.figure().axes) == len(figure(similar).axes) == 1

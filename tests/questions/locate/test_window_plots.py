"""Maps of every window show the p of the result."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import QuadMesh

from curvewise import Curves, OptionError
from curvewise.questions.locate.tell import (
    outline,
    plot_window_maps,
    plot_windows,
    step_edges,
    window_levels,
)
from curvewise.text import step_text
from tests.questions.locate.drawing import UNEVEN, axes, located, tictactoe
from tests.simulation import some_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def p_shown(ax: Axes) -> np.ma.MaskedArray[tuple[int, ...], np.dtype[np.float64]]:
    (mesh,) = (c for c in ax.collections if isinstance(c, QuadMesh))
    return np.ma.masked_array(mesh.get_array())


def test_a_step_reaches_halfway_to_its_neighbours() -> None:
    np.testing.assert_array_equal(step_edges(np.array([0, 10, 30])), [-5, 5, 20, 40])
    np.testing.assert_array_equal(step_edges(np.array([7])), [6.5, 7.5])
    portions = step_edges(np.array([0, 4, 8]), np.array([3, 7, 9]))
    np.testing.assert_array_equal(portions, [-0.5, 3.5, 7.5, 9.5])


@pytest.mark.parametrize("adjusted", [True, False])
@pytest.mark.parametrize("effect", ["algorithm", "interaction"])
def test_the_map_shows_the_p_of_every_window(effect: str, adjusted: bool) -> None:
    where = tictactoe()[1]
    tests = where.windows
    assert tests is not None
    ax = axes()
    assert plot_windows(where, effect, ax, adjusted=adjusted) is ax
    row = ["algorithm", "interaction"].index(effect)
    pvalues = (tests.pvalue_adjusted if adjusted else tests.pvalue)[row]
    shown = p_shown(ax)
    n_steps = len(where.steps)
    for first in range(n_steps):
        for last in range(n_steps):
            if last - first >= row:
                assert shown[last, first] == pvalues[first, last]
            else:
                assert shown[last, first] is np.ma.masked
    assert ("adjusted for choosing it" in ax.get_title()) == adjusted
    assert ["height", "shape"][row] in ax.get_title()


def test_alpha_belongs_to_what_is_significant() -> None:
    where = tictactoe()[1]
    assert where.windows is not None
    pvalues = where.windows.pvalue_adjusted.copy()
    pvalues[0, 0, :3] = 0.05, np.nextafter(0.05, 1), 0.001
    ax = axes()
    plot_windows(replace(where, windows=replace(where.windows, pvalue_adjusted=pvalues)), ax=ax)
    (mesh,) = (c for c in ax.collections if isinstance(c, QuadMesh))
    levels = np.asarray(mesh.norm(pvalues[0, 0, :3]))
    assert levels.tolist() == [2, 3, 0]


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.1, 0.2, 0.0005, 0.7])
def test_levels_rise_and_name_alpha(alpha: float) -> None:
    bounds, colours, told = window_levels(alpha)
    assert bounds == sorted(set(bounds))
    assert len(colours) == len(told) == len(bounds) - 1
    assert told[bounds.index(alpha) - 1] == f"≤ {alpha:g} (alpha)"
    assert told[-1] == f"> {bounds[-2]:g}"


def test_the_outline_parts_what_is_inside() -> None:
    edges = np.arange(4.0)
    assert outline(np.zeros((3, 3), dtype=bool), edges).shape == (0, 2, 2)
    inside = np.zeros((3, 3), dtype=bool)
    inside[1, :2] = True
    segments = outline(inside, edges)
    lengths = np.abs(np.diff(segments, axis=1)).sum(axis=(1, 2))
    assert lengths.sum() == 6
    assert segments[..., 0].max() == 2
    assert segments[..., 1].min() == 1


def test_unevenly_spaced_steps_are_drawn_equally_wide() -> None:
    curves = some_curves(0, (4, 4), len(UNEVEN), steps=UNEVEN)
    ax = axes()
    plot_windows(located(curves), ax=ax)
    assert ax.get_xlabel().endswith("all steps drawn equally wide")
    assert [text.get_text() for text in ax.get_xticklabels()] == list(map(step_text, UNEVEN))
    even = axes()
    plot_windows(located(some_curves(0, (4, 4), 6)), ax=even)
    assert even.get_xlabel() == "first step of the window"


def test_both_maps_share_a_colour_bar() -> None:
    figure = plot_window_maps(tictactoe()[1])
    assert len(figure.axes) == 3
    assert [ax.get_title().split(" ")[5] for ax in figure.axes[:2]] == ["height", "shape"]


def test_the_current_axes_serve_when_none_are_given() -> None:
    drawn = plot_windows(tictactoe()[1])
    assert drawn.get_figure() is plt.gcf()
    plt.close("all")


@pytest.mark.parametrize(
    "curves",
    [
        some_curves(0, (4, 4), 1),
        some_curves(0, (2, 2, 3)),
        some_curves(0, (4, 4), len(UNEVEN), steps=UNEVEN),
        Curves([[0, 1]] * 4 + [[1, 2]] * 4, list("AAAABBBB")),
    ],
    ids=["single step", "three", "uneven", "no error"],
)
def test_whatever_can_be_located_has_maps(curves: Curves) -> None:
    where = located(curves)
    figure = plot_window_maps(where, adjusted=False)
    figure.draw_without_rendering()
    assert len(figure.axes) == len(where.effects) + 1


def test_what_cannot_be_drawn_is_refused() -> None:
    three = some_curves(0, (4, 4, 4))
    with pytest.raises(OptionError) as refused:
        plot_windows(located(three, windows=False), ax=axes())
    assert str(refused.value) == ("Windows were left out: locate the curves with windows=True.")
    with pytest.raises(OptionError) as refused:
        plot_windows(located(three), "shape", ax=axes())
    assert str(refused.value) == (
        "No effect is called 'shape'; there are 'algorithm', 'interaction'."
    )
    with pytest.raises(OptionError) as refused:
        plot_windows(located(some_curves(0, (4, 4), 1)), "interaction", ax=axes())
    assert str(refused.value) == (
        "There is a single step, so no window has a shape. Draw effect='algorithm'."
    )

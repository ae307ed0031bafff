"""Pictures of where curves differ show the numbers of the result."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patches import Rectangle

from curvewise import Curves, Interval, OptionError
from curvewise.questions.locate.result import Crossing
from curvewise.questions.locate.tell import STRIP, plot_difference, plot_location
from tests.questions.locate.drawing import UNEVEN, axes, located, tictactoe
from tests.simulation import some_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

    from curvewise import Location
    from curvewise.kernels import Floats


def caption(ax: Axes) -> str:
    return ax.get_title(loc="left")


def spans(ax: Axes) -> list[tuple[float, float]]:
    from matplotlib.colors import to_rgba

    shade: ColorType = to_rgba(STRIP)
    return [
        (patch.get_x(), patch.get_x() + patch.get_width())
        for patch in ax.patches
        if isinstance(patch, Rectangle) and patch.get_facecolor() == shade
    ]


def corners(ax: Axes) -> Floats:
    (filled,) = (c for c in ax.collections if isinstance(c, PolyCollection))
    return np.asarray(filled.get_paths()[0].vertices, dtype=np.float64)


def test_shaded_steps_are_those_of_the_regions() -> None:
    curves, where = tictactoe()
    figure = plot_location(curves, where)
    heights, shapes = figure.axes[1:3]
    shaded = spans(heights)
    assert len(shaded) == len(where.regions) > 0
    for (left, right), region in zip(shaded, where.regions, strict=True):
        held = where.steps[(where.steps > left) & (where.steps < right)]
        assert (held[0], held[-1], len(held)) == (region.start, region.stop, region.n_steps)
    assert len(spans(shapes)) == len(where.effects["interaction"].regions)
    # The one step at the very start can be seen.
    assert shaded[0][1] - shaded[0][0] > 0.01 * np.ptp(where.steps)


def test_profiles_and_their_shares_are_drawn_on_the_steps_of_the_curves() -> None:
    curves, where = tictactoe()
    figure = plot_location(curves, where)
    rows = [ax for ax in figure.axes if ax.get_subplotspec() is not None]
    limits = {ax.get_xlim() for ax in rows}
    assert len(limits) == 1
    for place, name in ((3, "algorithm"), (4, "interaction")):
        effect = where.effects[name]
        (bars,) = (c for c in figure.axes[place].collections if isinstance(c, LineCollection))
        tops = [segment[1] for segment in bars.get_segments()]
        np.testing.assert_allclose(tops, np.stack([where.steps, effect.profile], 1))
        (twin,) = (
            ax
            for ax in rows
            if ax.get_ylabel() == "so far" and ax.bbox.bounds == figure.axes[place].bbox.bounds
        )
        drawn = np.asarray(twin.lines[0].get_ydata(), dtype=np.float64)
        np.testing.assert_array_equal(drawn, effect.cumulative_share)


def test_from_when_and_until_when_is_told_where_it_is_claimed() -> None:
    curves, where = tictactoe()

    def told(location: Location) -> list[str]:
        return [text.get_text() for text in plot_location(curves, location).legends[0].get_texts()]

    shown = told(replace(where, differs_from=200, differs_until=5000))
    assert shown[1:3] == ["differ at or before step 200", "differ at or after step 5000"]
    assert shown[0] == "significant at the step (adjusted p ≤ 0.05)"
    assert len(told(replace(where, differs_from=None, differs_until=None))) == 2
    nothing = {name: replace(effect, regions=()) for name, effect in where.effects.items()}
    assert told(replace(where, effects=nothing))[0].startswith("no single step is")


def test_the_band_is_that_of_the_result() -> None:
    where = tictactoe()[1]
    band = where.band
    assert band is not None
    ax = axes()
    assert plot_difference(where, ax=ax) is ax
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), band.difference)
    n_steps, heights = len(where.steps), corners(ax)[:, 1]
    np.testing.assert_allclose(heights[1 : n_steps + 1], band.low)
    np.testing.assert_allclose(heights[n_steps + 2 : -1][::-1], band.high)
    assert ax.get_ylabel() == "A1 −\nA2"
    assert caption(ax) == (
        "above 0 A1 is better; 95% band for all steps at once, without 0 where a step is "
        "significant"
    )
    few = located(some_curves(0, (2, 2)))
    plot_difference(few, ax=(ax := axes()))
    assert caption(ax).endswith("without ends: too few relabellings")


def test_below_zero_is_better_where_lower_is_better() -> None:
    ax = axes()
    plot_difference(located(some_curves(0, (4, 4), higher_is_better=False)), ax=ax)
    assert "below 0 A is better" in caption(ax)


def test_every_crossing_is_drawn_with_its_interval() -> None:
    where = tictactoe()[1]
    crossings = (
        Crossing(700.0, Interval(300.0, 900.0), "A2", "A1", 0.95),
        Crossing(1_500.0, Interval(900.0, 2_000.0), "A1", "A2", 0.95),
    )
    ax = axes()
    plot_difference(replace(where, crossings=crossings), ax=ax)
    assert caption(ax).split("; ")[-2:] == [
        "curves cross near step 700.0 (◆), between 300 and 900",
        "curves cross near step 1500 (◆), between 900 and 2000",
    ]
    bars = [np.asarray(line.get_xdata()).tolist() for line in ax.lines[2::2]]
    assert bars == [[300, 900], [900, 2_000]]


def test_an_unbounded_band_leaves_the_picture() -> None:
    where = tictactoe()[1]
    assert where.band is not None
    high = where.band.high.copy()
    high[2:4] = np.inf
    ax = axes()
    plot_difference(replace(where, band=replace(where.band, high=high)), ax=ax)
    assert corners(ax)[:, 1].max() > ax.get_ylim()[1]
    assert np.isfinite(ax.get_ylim()).all()


def test_what_cannot_be_drawn_is_refused() -> None:
    three = some_curves(0, (4, 4, 4))
    with pytest.raises(OptionError) as refused:
        plot_difference(located(three), ax=axes())
    assert str(refused.value) == (
        "There is no difference band to draw: it needs two algorithms, not 3."
    )
    with pytest.raises(OptionError) as refused:
        plot_location(some_curves(0, (4, 4)), located(three))
    assert str(refused.value) == (
        "These are not the curves that locate() was given: algorithms, runs or steps differ. "
        "Give the same curves to locate() and plot_location()."
    )


def test_the_current_axes_serve_when_none_are_given() -> None:
    figure, ax = plt.subplots()
    assert plot_difference(tictactoe()[1]) is ax
    plt.close(figure)


def test_without_curves_their_panel_is_left_out() -> None:
    curves, where = tictactoe()
    assert len(where.figure(curves).axes) == len(where.figure().axes) + 1


@pytest.mark.parametrize(
    "curves",
    [
        some_curves(0, (4, 4)),
        some_curves(0, (4, 4), 1, higher_is_better=False),
        some_curves(0, (2, 2, 3)),
        some_curves(0, (4, 4), len(UNEVEN), steps=UNEVEN),
        Curves([[0, 1]] * 4 + [[1, 2]] * 4, list("AAAABBBB")),
        Curves(some_curves(0, (4, 4)).scores, ["_$x$ <b>\x1b"] * 4 + ["日本 $" * 30] * 4),
        Curves(
            np.random.default_rng(0).normal(size=(20, 3)),
            [f"algorithm {code // 2}" for code in range(20)],
        ),
    ],
    ids=["two", "single step", "three", "uneven", "no error", "odd names", "ten"],
)
def test_whatever_can_be_located_can_be_drawn(curves: Curves) -> None:
    where = located(curves)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = plot_location(curves, where)
        figure.draw_without_rendering()
    n_rows = 1 + 2 * len(where.effects) + (where.band is not None)
    # The profiles have an axis for shares each.
    assert len(figure.axes) == n_rows + len(where.effects)
    if len(curves.algorithms) > 8:
        assert len(figure.legends[0].get_texts()) == len(curves.algorithms)


def test_panels_are_those_asked_for() -> None:
    curves, where = tictactoe()
    assert len(plot_location(curves, where, panels=["difference", "curves"]).axes) == 2
    assert len(where.figure(curves, details=False).axes) == 4
    for panels, message in (
        (["curves"], "'curves' cannot be drawn: give the curves as well"),
        (["steps"], "panels"),
        ([], "Name the panels to draw: curves, regions, profiles and difference"),
    ):
        with pytest.raises(OptionError, match=message):
            plot_location(None, where, panels=panels)  # type: ignore[arg-type]

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.text import Annotation

import curvewise as cw
from curvewise import Curves, Interval
from curvewise.questions.best.plots import plot_best
from curvewise.questions.contrast.plots import plot_contrasts
from curvewise.questions.pairs.plots import (
    EQUAL,
    HIGHER,
    ITSELF,
    LOWER,
    MISSING,
    PERHAPS_HIGHER,
    PERHAPS_LOWER,
    cells,
    figure,
    plot_pairs,
)
from curvewise.text import p_text
from tests.simulation import some_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from curvewise import Best, Contrast, Contrasts, Pairs

ODD = ["_$x$ <b>\x1b", "$\\frac{", "日本 $" * 30]


def axes() -> Axes:
    return Figure(layout="constrained").subplots()


def tick_names(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


def at_right(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts if isinstance(text, Annotation)]


def row_lines(ax: Axes, row: int) -> list[Line2D]:
    return [line for line in ax.lines[1:] if np.asarray(line.get_ydata())[0] == row]


def markers(ax: Axes, row: int) -> list[str]:
    found = [str(line.get_marker()) for line in row_lines(ax, row)]
    return [marker for marker in found if marker != "None"]


def steep_curves(n_algorithms: int, n_runs: int = 6) -> Curves:
    """Algorithms of which the first is the lowest, the last the highest."""
    rng = np.random.default_rng(0)
    heights = np.repeat(np.linspace(0, 4, n_algorithms), n_runs)
    scores = rng.normal(size=(len(heights), 2)) + heights[:, None]
    names = np.repeat([f"algorithm {i:02d}" for i in range(n_algorithms)], n_runs)
    return Curves(scores, names)


@cache
def few() -> Pairs:
    return cw.compare_pairs(cw.load_example("tictactoe"), n_shuffles=999, rng=0)


@cache
def many() -> Pairs:
    return cw.compare_pairs(steep_curves(20), adjust="max-t", n_shuffles=99, rng=0)


@cache
def leaders() -> Best:
    return cw.best(cw.load_example("tictactoe"), n_shuffles=999, rng=0)


@cache
def contrasts() -> Contrasts:
    asked = {"one": {"A1": 1, "A2": -1}, "two": {"A1": 1, "A3": -1}}
    return cw.contrast_many(cw.load_example("tictactoe"), asked, n_shuffles=999, rng=0)


def test_a_row_shows_the_difference_the_interval_and_the_adjusted_p() -> None:
    ax = axes()
    assert plot_pairs(few(), ax=ax) is ax
    assert tick_names(ax) == [f"{pair.a} − {pair.b}" for pair in few()]
    for row, pair in enumerate(few()):
        interval, point = row_lines(ax, row)
        assert np.asarray(interval.get_xdata()).tolist() == list(pair.interval)
        assert np.asarray(point.get_xdata()).tolist() == [pair.difference]
        filled = point.get_markerfacecolor() != "white"
        assert filled == pair.algorithm.significant
    adjusted = [pair.algorithm.pvalue_adjusted for pair in few()]
    assert at_right(ax)[:-1] == [p_text(p) for p in adjusted if p is not None]


@pytest.mark.parametrize(
    ("ends", "arrows"),
    [
        ((-math.inf, math.inf), ["<", ">"]),
        ((-math.inf, 9.0), ["<"]),
        ((1.0, math.inf), [">"]),
    ],
)
def test_an_unbounded_end_is_an_arrow_inside_the_axes(
    ends: tuple[float, float], arrows: list[str]
) -> None:
    first, *others = few().pairs
    pairs = replace(few(), pairs=(replace(first, interval=Interval(*ends)), *others))
    ax = axes()
    plot_pairs(pairs, ax=ax)
    assert markers(ax, 0) == [*arrows, "o"]
    left, right = ax.get_xlim()
    for line in row_lines(ax, 0):
        x = np.asarray(line.get_xdata(), dtype=float)
        assert np.all((left < x) & (x < right))


def test_pairs_of_too_few_runs_can_be_drawn() -> None:
    pairs = cw.compare_pairs(some_curves(0, (2, 2, 2)), rng=0)
    assert all(math.isinf(pair.interval.low) for pair in pairs)
    figure(pairs).draw_without_rendering()


def test_cells_of_the_matrix_are_what_the_pairs_say() -> None:
    names, kinds = cells(many())
    assert sorted(names) == sorted(many().algorithms)
    assert np.all(np.diag(kinds) == ITSELF)
    place = {name: number for number, name in enumerate(names)}
    for pair in many():
        a, b = place[pair.a], place[pair.b]
        apart = pair.algorithm.significant
        above, below = (a, b) if pair.difference > 0 else (b, a)
        assert above < below or not apart
        assert kinds[above, below] == (HIGHER if apart else PERHAPS_HIGHER)
        assert kinds[below, above] == (LOWER if apart else PERHAPS_LOWER)
    assert int(np.sum(kinds == HIGHER)) == len(many().significant()) > 0


def test_the_highest_mean_comes_first() -> None:
    curves = steep_curves(20)
    means = {
        name: curves.scores[curves.codes == code].mean()
        for code, name in enumerate(curves.algorithms)
    }
    assert cells(many())[0] == sorted(means, key=lambda name: -means[name])


def test_pairs_left_out_and_equal_means_are_told() -> None:
    first, second, *others = many().pairs
    pairs = replace(many(), pairs=(replace(second, difference=0.0), *others))
    names, kinds = cells(pairs)
    place = {name: number for number, name in enumerate(names)}
    for pair, kind in ((first, MISSING), (second, EQUAL)):
        a, b = place[pair.a], place[pair.b]
        assert kinds[a, b] == kinds[b, a] == kind
    ax = axes()
    plot_pairs(pairs, ax=ax)
    legend = ax.get_legend()
    assert legend is not None
    told = [text.get_text() for text in legend.get_texts()]
    assert told[-2:] == ["equal means", "×  not compared"]


def test_many_algorithms_make_a_matrix_with_letters() -> None:
    ax = axes()
    plot_pairs(many(), ax=ax)
    names, kinds = cells(many())
    assert tick_names(ax) == names
    assert [text.get_text() for text in ax.get_xticklabels()] == names
    (mesh,) = (c for c in ax.collections if isinstance(c, QuadMesh))
    np.testing.assert_array_equal(np.asarray(mesh.get_array()), kinds)
    plus, minus, _ = (c for c in ax.collections if not isinstance(c, QuadMesh))
    for symbols, kind in ((plus, HIGHER), (minus, LOWER)):
        places = np.asarray(symbols.get_offsets())
        assert sorted(map(tuple, places[:, ::-1].tolist())) == sorted(
            map(tuple, (np.argwhere(kinds == kind) + 0.5).tolist())
        )
    assert at_right(ax) == [many().letters[name] for name in names]


def test_letters_shrink_until_all_rows_fit() -> None:
    def font(pairs: Pairs) -> float:
        ax = axes()
        plot_pairs(pairs, ax=ax)
        return float(ax.get_yticklabels()[0].get_fontsize())

    more = cw.compare_pairs(steep_curves(32, 3), adjust="max-t", n_shuffles=19, rng=0)
    assert 3 < font(more) < font(few())
    drawn = figure(more)
    assert drawn.get_figheight() > figure(many()).get_figheight()
    assert float(figure.axes[0].get_yticklabels()[0].get_fontsize()) > 7


def test_contenders_and_worse_are_told_apart_by_mark_and_colour() -> None:
    ax = axes()
    assert plot_best(leaders(), ax=ax) is ax
    looks = {}
    for row, each in enumerate(leaders().rows):
        *_, point = row_lines(ax, row)
        assert np.asarray(point.get_xdata()).tolist() == [each.difference]
        kind = "leader" if each.name == leaders().leader else str(each.contends)
        looks[kind] = (point.get_marker(), point.get_color())
        if each.interval is not None:
            assert markers(ax, row)[0] == "<"
            line = row_lines(ax, row)[0]
            assert np.asarray(line.get_xdata())[1] == each.interval.high
    assert looks["leader"][0] != looks["True"][0] != looks["False"][0]
    assert looks["True"][1] != looks["False"][1]
    assert tick_names(ax) == [row.name for row in leaders().rows]


def test_where_lower_is_better_the_worse_are_at_the_right() -> None:
    ax = axes()
    plot_best(cw.best(some_curves(0, (5, 5), higher_is_better=False), rng=0), ax=ax)
    assert markers(ax, 1)[0] == ">"
    assert "lower is better" in ax.get_xlabel()


def test_an_algorithm_that_was_not_compared_has_no_mark() -> None:
    first, second, third = leaders().rows
    alone = replace(
        third, difference=None, interval=None, pvalue_adjusted=None, contends=True
    )
    ax = axes()
    plot_best(replace(leaders(), rows=(first, second, alone)), ax=ax)
    assert row_lines(ax, 2) == []
    assert at_right(ax)[2] == "not compared"


def test_contrasts_are_drawn_with_intervals_and_adjusted_p() -> None:
    ax = axes()
    assert plot_contrasts(contrasts(), ax=ax) is ax
    assert tick_names(ax) == ["one", "two"]
    for row, found in enumerate(contrasts().values()):
        interval, point = row_lines(ax, row)
        assert np.asarray(interval.get_xdata()).tolist() == list(found.interval)
        assert np.asarray(point.get_xdata()).tolist() == [found.value]
        assert (point.get_markerfacecolor() != "white") == found.significant
    adjusted = [found.pvalue_adjusted for found in contrasts().values()]
    assert at_right(ax) == [*(p_text(p) for p in adjusted if p), "adjusted\np"]
    assert ax.get_xlabel().startswith("contrast of means over training")


def test_one_contrast_is_called_by_its_formula() -> None:
    curves = cw.load_example("tictactoe")
    found = cw.contrast(
        curves, {"A1": 1, "A2": -1}, weights="trend", alternative="greater"
    )
    ax = axes()
    plot_contrasts(found, ax=ax)
    assert tick_names(ax) == ["A1 - A2"]
    assert at_right(ax) == [p_text(found.pvalue), "p"]
    assert markers(ax, 0)[0] == ">"
    assert "one-sided" in ax.get_xlabel()
    assert "trends" in ax.get_xlabel()


def test_odd_names_are_shown_as_they_are() -> None:
    names = [*ODD, *(f"_model_{i}" for i in range(7))]
    curves = Curves(steep_curves(10, 3).scores, np.repeat(names, 3).tolist())
    pairs = cw.compare_pairs(curves, adjust="max-t", n_shuffles=19, rng=0)
    three = curves.select(*ODD)
    asked = {f"{name} $": {name: 1.0, ODD[0]: -1.0} for name in ODD[1:]}
    results: list[Pairs | Best | Contrast | Contrasts] = [
        pairs,
        cw.compare_pairs(three, rng=0),
        cw.best(three, rng=0),
        cw.contrast_many(three, asked, rng=0),
    ]
    for result in results:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            drawn = figure(result)
            drawn.draw_without_rendering()
        for text in drawn.axes[0].get_yticklabels():
            assert not text.get_parse_math()
            assert "\x1b" not in text.get_text()
    assert "$\\frac{" in tick_names(figure(pairs).axes[0])


def test_a_new_figure_has_room_and_an_old_one_is_used() -> None:
    figure, ax = plt.subplots()
    assert plot_best(leaders()) is ax
    plt.close(figure)
    drawn = plot_pairs(many()).get_figure()
    assert drawn is plt.gcf()
    assert drawn.get_figheight() > 8
    plt.close("all")

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection, QuadMesh

from curvewise import Curves, Interval, compare_pairs, load_example, plot_pairs
from curvewise.questions.pairs.tell import Cell, matrix_cells
from curvewise.text import p_text
from tests.questions.forests import (
    ODD_NAMES,
    check_odd_names,
    is_filled,
    legend_texts,
    markers,
    new_axes,
    row_lines,
    row_names,
    texts_at_right,
    x_of,
)
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Pairs


def steep_curves(n_algorithms: int, n_runs: int = 6) -> Curves:
    """Algorithms of which the first is the lowest, the last the highest."""
    rng = np.random.default_rng(0)
    heights = np.repeat(np.linspace(0, 4, n_algorithms), n_runs)
    scores = rng.normal(size=(len(heights), 2)) + heights[:, None]
    names = np.repeat([f"algorithm {i:02d}" for i in range(n_algorithms)], n_runs)
    return Curves(scores, names)


@cache
def few() -> Pairs:
    return compare_pairs(load_example("tictactoe"), n_shuffles=999, exact=False, rng=0)


@cache
def many() -> Pairs:
    """More algorithms than are drawn in rows."""
    return compare_pairs(steep_curves(12), adjust="max-t", n_shuffles=99, rng=0)


def test_a_row_shows_the_difference_the_interval_and_the_adjusted_p() -> None:
    ax = new_axes()
    assert plot_pairs(few(), ax=ax) is ax
    assert row_names(ax) == [f"{pair.a} − {pair.b}" for pair in few()]
    for row, pair in enumerate(few()):
        interval, mark = row_lines(ax, row)
        assert x_of(interval) == list(pair.interval)
        assert x_of(mark) == [pair.difference]
        assert is_filled(mark) == pair.algorithm.significant
    adjusted = [pair.algorithm.pvalue_adjusted for pair in few()]
    assert texts_at_right(ax) == [*(p_text(p) for p in adjusted if p is not None), "adjusted\np"]
    assert ax.get_xlabel() == "difference in height, with the 95% interval of each pair alone"
    assert legend_texts(ax) == ["distinguished (adjusted p ≤ 0.05)", "not distinguished"]


@pytest.mark.parametrize(
    ("ends", "arrows"),
    [((-math.inf, math.inf), ["<", ">"]), ((-math.inf, 9.0), ["<"]), ((1.0, math.inf), [">"])],
)
def test_an_unbounded_end_is_an_arrow_inside_the_axes(
    ends: tuple[float, float], arrows: list[str]
) -> None:
    first, *others = few().pairs
    pairs = replace(few(), pairs=(replace(first, interval=Interval(*ends)), *others))
    ax = plot_pairs(pairs, ax=new_axes())
    assert markers(ax, 0) == [*arrows, "o"]
    left, right = ax.get_xlim()
    for line in row_lines(ax, 0):
        assert all(left < x < right for x in x_of(line))


def test_pairs_of_too_few_runs_can_be_drawn() -> None:
    pairs = compare_pairs(some_curves(0, (2, 2, 2)), rng=0)
    assert all(math.isinf(pair.interval.low) for pair in pairs)
    figure = pairs.figure()
    figure.draw_without_rendering()
    assert legend_texts(figure.axes[0]) == ["not distinguished"]


@pytest.mark.slow
def test_cells_of_the_matrix_are_what_the_pairs_say() -> None:
    names, kinds = matrix_cells(many())
    assert sorted(names) == sorted(many().algorithms)
    assert np.all(np.diag(kinds) == Cell.ITSELF)
    place = {name: number for number, name in enumerate(names)}
    for pair in many():
        a, b = place[pair.a], place[pair.b]
        distinguished = pair.algorithm.significant
        above, below = (a, b) if pair.difference > 0 else (b, a)
        assert above < below or not distinguished
        higher = Cell.BETTER if distinguished else Cell.PERHAPS_BETTER
        lower = Cell.WORSE if distinguished else Cell.PERHAPS_WORSE
        assert (kinds[above, below], kinds[below, above]) == (higher, lower)
    assert int(np.sum(kinds == Cell.BETTER)) == len(many().significant()) > 0


def test_the_best_mean_comes_first() -> None:
    curves = steep_curves(12)
    means = {
        name: curves.scores[curves.codes == code].mean()
        for code, name in enumerate(curves.algorithms)
    }
    ranked = sorted(means, key=lambda name: -means[name])
    assert matrix_cells(many())[0] == ranked
    names, kinds = matrix_cells(replace(many(), higher_is_better=False))
    assert names == ranked[::-1]
    # Better and worse change places, and so do first and last.
    np.testing.assert_array_equal(kinds, matrix_cells(many())[1].T[::-1, ::-1])
    assert Cell.BETTER in kinds[0]
    assert Cell.WORSE not in kinds[0]


def test_pairs_left_out_and_equal_means_are_told() -> None:
    first, second, *others = many().pairs
    pairs = replace(many(), pairs=(replace(second, difference=0.0), *others))
    names, kinds = matrix_cells(pairs)
    place = {name: number for number, name in enumerate(names)}
    for pair, kind in ((first, Cell.MISSING), (second, Cell.EQUAL)):
        a, b = place[pair.a], place[pair.b]
        assert kinds[a, b] == kinds[b, a] == kind
    ax = plot_pairs(pairs, ax=new_axes())
    assert legend_texts(ax)[-2:] == ["equal means", "×  not compared"]


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_an_algorithm_in_no_pair_comes_last(higher_is_better: bool) -> None:
    alone = many().algorithms[5]
    left = tuple(pair for pair in many() if alone not in {pair.a, pair.b})
    pairs = replace(many(), pairs=left, higher_is_better=higher_is_better)
    names, kinds = matrix_cells(pairs)
    assert names[-1] == alone
    assert set(kinds[-1, :-1]) == {Cell.MISSING}


def test_many_algorithms_make_a_matrix_with_letters() -> None:
    ax = plot_pairs(many(), ax=new_axes())
    names, kinds = matrix_cells(many())
    assert row_names(ax) == names
    assert [text.get_text() for text in ax.get_xticklabels()] == names
    (mesh,) = (c for c in ax.collections if isinstance(c, QuadMesh))
    np.testing.assert_array_equal(np.asarray(mesh.get_array()), kinds)
    plus, minus, _ = (c for c in ax.collections if isinstance(c, PathCollection))
    for symbols, kind in ((plus, Cell.BETTER), (minus, Cell.WORSE)):
        places = np.asarray(symbols.get_offsets())
        assert sorted(map(tuple, places[:, ::-1].tolist())) == sorted(
            map(tuple, (np.argwhere(kinds == kind) + 0.5).tolist())
        )
    assert texts_at_right(ax) == [many().letters[name] for name in names]
    assert ax.get_xlabel() == (
        "best mean first; algorithms that share a letter (right) are not distinguished"
    )
    assert legend_texts(ax) == [
        "+  row is better (adjusted p ≤ 0.05)",
        "−  row is worse (adjusted p ≤ 0.05)",
        "row is better, not distinguished",
        "row is worse, not distinguished",
    ]


def test_too_many_letters_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curvewise.questions.pairs.tell.MAX_LETTERS", 1)
    assert max(map(len, many().letters.values())) > 1
    ax = plot_pairs(many(), ax=new_axes())
    assert texts_at_right(ax) == []
    assert ax.get_xlabel() == "best mean first"


@pytest.mark.slow
def test_letters_shrink_until_all_rows_fit() -> None:
    def font(pairs: Pairs) -> float:
        ax = plot_pairs(pairs, ax=new_axes())
        return float(ax.get_yticklabels()[0].get_fontsize())

    more = compare_pairs(steep_curves(30, 2), adjust="max-t", n_shuffles=19, rng=0)
    assert 3 < font(more) < font(few())
    figure = more.figure()
    assert figure.get_figheight() > many().figure().get_figheight()
    # A figure of its own has the room for letters that can be read.
    assert float(figure.axes[0].get_yticklabels()[0].get_fontsize()) > 7


def test_eight_algorithms_are_rows_and_nine_a_matrix() -> None:
    eight, nine = (
        compare_pairs(steep_curves(n, 2), adjust="max-t", n_shuffles=19, rng=0) for n in (8, 9)
    )
    assert len(row_names(eight.figure().axes[0])) == 28
    assert len(row_names(nine.figure().axes[0])) == 9


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
@pytest.mark.parametrize("n_algorithms", [3, 10])
def test_odd_names_are_shown_as_they_are(n_algorithms: int) -> None:
    names = [*ODD_NAMES, *(f"_model_{i}" for i in range(7))][:n_algorithms]
    scores = steep_curves(n_algorithms, 3).scores
    curves = Curves(scores, np.repeat(names, 3).tolist())
    pairs = compare_pairs(curves, adjust="max-t", n_shuffles=19, rng=0)
    figure = pairs.figure(curves)
    check_odd_names(figure)
    assert any("$\\frac{" in name for name in row_names(figure.axes[0]))


def test_a_new_figure_has_room_and_an_old_one_is_used() -> None:
    figure, ax = plt.subplots()
    assert plot_pairs(few()) is ax
    plt.close(figure)
    drawn = plot_pairs(many()).get_figure()
    assert drawn is plt.gcf()
    assert drawn.get_figheight() > 6
    plt.close("all")

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pytest

from curvewise import Curves, best, load_example, plot_best
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
    from curvewise import Best


@cache
def found() -> Best:
    return best(load_example("tictactoe"), adjust="bonferroni", n_shuffles=999, exact=False, rng=0)


def test_contenders_and_worse_are_told_apart_by_mark_and_colour() -> None:
    ax = new_axes()
    assert plot_best(found(), ax=ax) is ax
    looks = {}
    for row, contender in enumerate(found().rows):
        *_, mark = row_lines(ax, row)
        assert x_of(mark) == [contender.difference]
        kind = "leader" if contender.name == found().leader else str(contender.contends)
        looks[kind] = (mark.get_marker(), mark.get_color(), is_filled(mark))
        if contender.interval is not None:
            assert markers(ax, row)[0] == "<"
            assert x_of(row_lines(ax, row)[0])[1] == contender.interval.high
    assert {kind: (marker, filled) for kind, (marker, _, filled) in looks.items()} == {
        "leader": ("D", True),
        "True": ("o", False),
        "False": ("s", True),
    }
    assert looks["True"][1] != looks["False"][1]
    assert row_names(ax) == [row.name for row in found().rows]
    adjusted = [row.pvalue_adjusted for row in found().rows]
    assert texts_at_right(ax) == [
        *("" if p is None else p_text(p) for p in adjusted),
        "adjusted\np",
    ]
    assert legend_texts(ax) == ["leader", "may be the best too", "worse (adjusted p ≤ 0.05)"]
    assert ax.get_xlabel() == (
        "difference in height to the leader, with one-sided interval\n(95% for all of them "
        "together)"
    )


def test_only_marks_that_were_drawn_are_explained() -> None:
    leader, *others = found().rows
    kept = replace(found(), rows=(leader, *(replace(r, contends=True) for r in others)))
    assert legend_texts(plot_best(kept, ax=new_axes())) == ["leader", "may be the best too"]
    none = replace(found(), rows=(leader, *(replace(r, contends=False) for r in others)))
    assert legend_texts(plot_best(none, ax=new_axes())) == ["leader", "worse (adjusted p ≤ 0.05)"]


def test_where_lower_is_better_the_worse_are_at_the_right() -> None:
    curves = some_curves(0, (5, 5, 5), higher_is_better=False)
    ax = plot_best(best(curves, adjust="bonferroni", rng=0), ax=new_axes())
    assert markers(ax, 1)[0] == ">"
    assert ax.get_xlabel().endswith("(95% for all of them together; lower is better)")


def test_by_closed_testing_intervals_have_two_ends() -> None:
    by_sets = best(load_example("tictactoe"), n_shuffles=999, exact=False, rng=0)
    ax = plot_best(by_sets, ax=new_axes())
    for row, contender in enumerate(by_sets.rows[1:], start=1):
        assert contender.interval is not None
        assert x_of(row_lines(ax, row)[0]) == list(contender.interval)
    assert ax.get_xlabel() == (
        "difference in height to the leader, with 95% interval\n(of the two alone; without 0 "
        "only where ruled out)"
    )


def test_an_algorithm_that_was_not_compared_has_no_mark() -> None:
    first, second, third = found().rows
    alone = replace(third, difference=None, interval=None, pvalue_adjusted=None, contends=True)
    ax = plot_best(replace(found(), rows=(first, second, alone)), ax=new_axes())
    assert row_lines(ax, 2) == []
    assert texts_at_right(ax)[2] == "not compared"


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_odd_names_are_shown_as_they_are() -> None:
    scores = some_curves(0, (3, 3, 3)).scores
    curves = Curves(scores, np.repeat(ODD_NAMES, 3).tolist())
    figure = best(curves, n_shuffles=19, rng=0).figure(curves)
    check_odd_names(figure)
    assert "$\\frac{" in row_names(figure.axes[0])


def test_an_old_figure_is_used_and_a_new_one_has_room() -> None:
    old, ax = plt.subplots()
    assert plot_best(found()) is ax
    plt.close(old)
    drawn = plot_best(found()).get_figure()
    assert drawn is plt.gcf()
    assert (drawn.get_size_inches() == found().figure().get_size_inches()).all()
    plt.close("all")

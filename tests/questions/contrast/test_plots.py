from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from curvewise import Curves, contrast, contrast_many, load_example, plot_contrasts
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
    from curvewise import Contrast, Contrasts

A1_A2: dict[str, float] = {"A1": 1, "A2": -1}


@cache
def several() -> Contrasts:
    asked: dict[str, dict[str, float]] = {"one": A1_A2, "two": {"A1": 1, "A3": -1}}
    return contrast_many(load_example("tictactoe"), asked, n_shuffles=999, rng=0)


@cache
def one() -> Contrast:
    curves = load_example("tictactoe")
    return contrast(curves, A1_A2, weights="trend", alternative="greater")


def test_contrasts_are_drawn_with_intervals_and_adjusted_p() -> None:
    ax = new_axes()
    assert plot_contrasts(several(), ax=ax) is ax
    assert row_names(ax) == ["one", "two"]
    for row, found in enumerate(several().values()):
        interval, mark = row_lines(ax, row)
        assert x_of(interval) == list(found.interval)
        assert x_of(mark) == [found.value]
        assert is_filled(mark) == found.significant
    adjusted = [found.pvalue_adjusted for found in several().values()]
    assert texts_at_right(ax) == [*(p_text(p) for p in adjusted if p), "adjusted\np"]
    assert ax.get_xlabel() == (
        "contrast of means over training, with intervals at the levels of adjusted p"
    )
    assert legend_texts(ax) == ["differs from 0 (adjusted p ≤ 0.05)", "not significant"]


def test_one_contrast_is_called_by_its_formula() -> None:
    ax = plot_contrasts(one(), ax=new_axes())
    assert row_names(ax) == ["A1 - A2"]
    assert texts_at_right(ax) == [p_text(one().pvalue), "p"]
    assert markers(ax, 0)[0] == ">"
    assert ax.get_xlabel() == ("contrast of trends over training, with the one-sided 95% interval")
    assert legend_texts(ax) == ["above 0 (p ≤ 0.05)"]


def test_a_member_of_a_family_shows_the_p_that_decides() -> None:
    found = several()["one"]
    ax = plot_contrasts(found, ax=new_axes())
    assert found.pvalue_adjusted is not None
    assert texts_at_right(ax) == [p_text(found.pvalue_adjusted), "adjusted\np"]
    assert legend_texts(ax) == ["differs from 0 (adjusted p ≤ 0.05)"]


@pytest.mark.parametrize(
    ("fields", "label", "legend"),
    [
        (
            {"alternative": "less", "pvalue": 0.5, "weights": "area"},
            "contrast of areas under the curve, with the one-sided 95% interval",
            ["not significant"],
        ),
        (
            {"alternative": "less", "pvalue": 0.01, "weights": "mean from step 1 to 3"},
            "contrast of the mean from step 1 to 3, with the one-sided 95% interval",
            ["below 0 (p ≤ 0.05)"],
        ),
        (
            {
                "alternative": "two-sided",
                "pvalue": 0.001,
                "alpha": 0.001,
                "confidence": 0.999,
                "weights": np.arange(3),
            },
            "contrast as weighted, with the 99.9% interval",
            ["differs from 0 (p ≤ 0.001)"],
        ),
    ],
)
def test_axis_and_legend_say_what_was_asked(
    fields: dict[str, Any], label: str, legend: list[str]
) -> None:
    ax = plot_contrasts(replace(one(), **fields), ax=new_axes())
    assert ax.get_xlabel() == label
    assert legend_texts(ax) == legend


def test_a_figure_grows_with_the_number_of_contrasts() -> None:
    wide, high = several().figure().get_size_inches()
    assert wide == 8
    assert high > one().figure().get_size_inches()[1]
    # Where pyplot has no figure yet, the same size is taken.
    drawn = plot_contrasts(several()).get_figure()
    assert drawn is plt.gcf()
    assert drawn.get_size_inches().tolist() == [wide, high]
    plt.close("all")


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_odd_names_are_shown_as_they_are() -> None:
    scores = some_curves(0, (3, 3, 3)).scores
    curves = Curves(scores, np.repeat(ODD_NAMES, 3).tolist())
    first, *others = ODD_NAMES
    asked = {name: {name: 1.0, first: -1.0} for name in others}
    found = contrast_many(curves, asked, n_shuffles=19, rng=0)
    check_odd_names(found.figure(curves))
    check_odd_names(found[others[0]].figure())
    assert row_names(found.figure().axes[0])[0] == "$\\frac{"

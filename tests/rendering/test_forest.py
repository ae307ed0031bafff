from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    FADED_COLOUR,
    MAX_FONT,
    MAX_HEIGHT,
    MIN_FONT,
    UNCLEAR_COLOUR,
    Row,
    forest,
    forest_size,
    legend_above,
    legend_of_significance,
    p_cell,
    point,
    row_font,
    text_beside,
    value_text,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def row(value: float | None, low: float, high: float, **look: Any) -> Row:
    given = {"label": "a", "colour": CLEAR_COLOUR, "right": "b"}
    interval = None if math.isnan(low) else (low, high)
    return Row(value=value, interval=interval, **{**given, **look})


def drawn(*rows: Row, **options: Any) -> Axes:
    ax = Figure().subplots()
    forest(ax, rows, "adjusted p", **options)
    return ax


def lines(ax: Axes, y: int) -> list[Line2D]:
    """The lines of a row: its interval, arrows, and the mark."""
    return [line for line in ax.lines[1:] if np.asarray(line.get_ydata())[0] == y]


def x_of(line: Line2D) -> list[float]:
    return [float(x) for x in np.asarray(line.get_xdata())]


def texts_beside(ax: Axes) -> dict[str, Annotation]:
    found = [text for text in ax.texts if isinstance(text, Annotation)]
    return {text.get_text(): text for text in found}


def test_a_row_has_an_interval_and_a_mark() -> None:
    ax = drawn(
        row(2, 1, 3, label="first", right="0.01"),
        row(-1, -4, 2, label="second", right="0.50", filled=False, marker="s"),
    )
    interval, mark = lines(ax, 0)
    assert (x_of(interval), x_of(mark)) == ([1, 3], [2])
    assert mark.get_marker() == "o"
    assert mark.get_markerfacecolor() == CLEAR_COLOUR
    interval, mark = lines(ax, 1)
    assert (x_of(interval), x_of(mark)) == ([-4, 2], [-1])
    assert mark.get_marker() == "s"
    assert mark.get_markerfacecolor() == "white"
    assert [text.get_text() for text in ax.get_yticklabels()] == ["first", "second"]
    assert list(texts_beside(ax)) == ["0.01", "0.50", "adjusted\np"]
    # The first row is at the top, and the line of no effect at 0.
    bottom, top = ax.get_ylim()
    assert top < 0
    assert bottom > 1
    assert x_of(ax.lines[0]) == [0, 0]
    left, right = ax.get_xlim()
    assert left < -4
    assert right > 3


@pytest.mark.parametrize(
    ("low", "high", "arrows"),
    [
        (-math.inf, math.inf, ["<", ">"]),
        (-math.inf, 1, ["<"]),
        (-1, math.inf, [">"]),
        (math.inf, math.inf, [">"]),
    ],
)
def test_an_open_end_is_an_arrow_inside_the_axes(
    low: float, high: float, arrows: list[str]
) -> None:
    ax = drawn(row(0.5, low, high), row(0, -2, 2))
    interval, *marks = lines(ax, 0)
    assert [mark.get_marker() for mark in marks] == [*arrows, "o"]
    left, right = ax.get_xlim()
    for line in (interval, *marks):
        assert all(left < x < right for x in x_of(line))


def test_a_value_beyond_the_axis_is_an_arrow() -> None:
    ax = drawn(row(math.inf, math.nan, math.nan), row(-math.inf, math.nan, math.nan))
    for y, marker in ((0, ">"), (1, "<")):
        (mark,) = lines(ax, y)
        assert mark.get_marker() == marker
        left, right = ax.get_xlim()
        assert left < x_of(mark)[0] < right


def test_without_interval_or_value_there_is_less_to_draw() -> None:
    ax = drawn(row(1, math.nan, math.nan), row(None, 0, 2), row(None, math.nan, math.nan))
    assert [x_of(line) for line in lines(ax, 0)] == [[1]]
    assert [x_of(line) for line in lines(ax, 1)] == [[0, 2]]
    assert lines(ax, 2) == []
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a"] * 3


def test_on_a_logarithmic_axis_what_is_not_positive_is_an_arrow() -> None:
    ax = drawn(row(0.5, -1, 4), row(0, math.nan, math.nan), no_effect=1, log=True)
    assert ax.get_xscale() == "log"
    interval, arrow, mark = lines(ax, 0)
    assert arrow.get_marker() == "<"
    assert x_of(interval)[1] == 4
    assert x_of(mark) == [0.5]
    (mark,) = lines(ax, 1)
    assert mark.get_marker() == "<"
    left, right = ax.get_xlim()
    assert 0 < left < x_of(mark)[0] < 0.5
    assert right > 4
    assert x_of(ax.lines[0]) == [1, 1]


def test_the_axis_shows_every_finite_number() -> None:
    """A value of 0 counts as well where no effect is elsewhere."""
    left, right = drawn(row(0, 0, 0), no_effect=5).get_xlim()
    assert left < 0
    assert right > 5
    for ax in (drawn(row(0, 0, 0)), drawn(row(1, 1, 1), no_effect=1, log=True)):
        left, right = ax.get_xlim()
        assert left < x_of(ax.lines[0])[0] < right


def test_faded_rows_are_grey() -> None:
    ax = drawn(row(1, 0, 2, right="x", faded=True), row(1, 0, 2, right="y"))
    faded, clear = ax.get_yticklabels()
    assert faded.get_color() == texts_beside(ax)["x"].get_color() == FADED_COLOUR
    assert clear.get_color() == texts_beside(ax)["y"].get_color() == "black"


def test_names_are_no_formulas() -> None:
    ax = drawn(row(1, 0, 2, label="$\\frac{", right="$x$"))
    assert not ax.get_yticklabels()[0].get_parse_math()
    assert not texts_beside(ax)["$x$"].get_parse_math()
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]


def test_letters_shrink_until_all_rows_fit() -> None:
    ax = Figure(figsize=(4, 4), dpi=50).subplots()
    sizes = [row_font(ax, n) for n in (1, 30, 40, 1_000)]
    assert sizes[0] == MAX_FONT
    assert sizes[-1] == MIN_FONT
    assert MAX_FONT > sizes[1] > sizes[2] > MIN_FONT
    # The size of letters does not depend on how many pixels an inch has.
    fine = Figure(figsize=(4, 4), dpi=300).subplots()
    assert row_font(fine, 30) == pytest.approx(sizes[1])
    height = ax.get_position().height * 4 * 72
    assert 30 * sizes[1] < height
    assert row_font(ax, 0) == MAX_FONT


def test_a_figure_has_room_for_every_row_up_to_a_limit() -> None:
    heights = [forest_size(n)[1] for n in (0, 1, 10, 1_000)]
    assert heights == sorted(set(heights))
    assert heights[-1] == MAX_HEIGHT
    assert {forest_size(n)[0] for n in (1, 1_000)} == {8}


def test_text_stands_to_the_right_of_the_axes() -> None:
    ax = Figure().subplots()
    text_beside(ax, 0.5, "text", 7, "red")
    note = texts_beside(ax)["text"]
    assert (note.xy, note.get_fontsize(), note.get_color()) == ((1, 0.5), 7, "red")
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    assert note.get_window_extent().x0 > ax.bbox.x1


def test_values_and_p_are_written_briefly() -> None:
    assert [value_text(x) for x in (42.4242, 0, math.inf, -math.inf)] == ["42.42", "0", "∞", "−∞"]
    assert [p_cell(p) for p in (0.69841, 0.00794, None)] == ["0.698", "0.00794", ""]


def test_marks_for_a_legend() -> None:
    filled, hollow = point("a", "red"), point("b", "blue", "s", filled=False)
    assert isinstance(filled, Line2D)
    assert isinstance(hollow, Line2D)
    assert (filled.get_label(), filled.get_marker()) == ("a", "o")
    assert filled.get_markerfacecolor() == "red"
    assert (hollow.get_marker(), hollow.get_markerfacecolor()) == ("s", "white")


@pytest.mark.parametrize(
    ("filled", "texts"),
    [
        ((True, True), {"clear": CLEAR_COLOUR}),
        ((False,), {"unclear": UNCLEAR_COLOUR}),
        ((True, False), {"clear": CLEAR_COLOUR, "unclear": UNCLEAR_COLOUR}),
    ],
)
def test_only_marks_that_were_drawn_are_explained(
    filled: tuple[bool, ...], texts: dict[str, str]
) -> None:
    ax = Figure().subplots()
    rows = [row(0, -1, 1, filled=each) for each in filled]
    legend_of_significance(ax, rows, "clear", "unclear")
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == list(texts)
    handles = [each for each in legend.legend_handles if isinstance(each, Line2D)]
    assert [handle.get_color() for handle in handles] == list(texts.values())


def test_a_legend_above_hides_no_row() -> None:
    ax = Figure().subplots()
    legend_above(ax, [point("a", "red"), point("b", "red")], n_columns=2)
    legend = ax.get_legend()
    assert legend is not None
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    assert legend.get_window_extent().y0 >= ax.bbox.y1

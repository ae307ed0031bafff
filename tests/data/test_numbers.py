"""Cells as numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl
import pytest

from curvewise.data.tables import number_of, score_numbers, step_numbers
from curvewise.errors import CurvesError

if TYPE_CHECKING:
    from collections.abc import Sequence


def column(values: Sequence[Any], dtype: Any = None) -> nw.Series[Any]:
    return nw.from_native(pl.Series("x", values, dtype=dtype), series_only=True)


@pytest.mark.parametrize(
    ("value", "number"),
    [("1.5", 1.5), (" 2 ", 2.0), (10**400, math.inf), (-(10**400), -math.inf), (True, 1.0)],
)
def test_numbers(value: object, number: float) -> None:
    assert number_of(value) == number


@pytest.mark.parametrize("value", ["1_000", "x", None, [1], {"a": 1}])
def test_what_is_no_number(value: object) -> None:
    assert math.isnan(number_of(value))


def test_a_score_that_is_no_number_is_shown_shortened() -> None:
    with pytest.raises(CurvesError, match=r"column 'x' has '1{10,}….*' in data row 2") as info:
        score_numbers(column(["1", "1" * 500 + "?"]))
    assert len(str(info.value)) < 300


def test_whole_steps_stay_whole() -> None:
    assert step_numbers(column([0, 5]), None).dtype.kind == "i"
    with pytest.raises(CurvesError, match="too large to be exact"):
        step_numbers(column([0, 2**60]), None)
    with pytest.raises(CurvesError, match=r"no number in 1 row, .* data row 2 \(inf\)"):
        step_numbers(column([0.0, math.inf]), None)


@pytest.mark.parametrize("read", [score_numbers, lambda series: step_numbers(series, None)])
def test_texts_with_points_of_thousands_are_refused(read: Any) -> None:
    with pytest.raises(CurvesError, match=r"'x': the point of '1.000' .* Write 1000 if"):
        read(column(["500", "1.000", "1.500"]))


@pytest.mark.parametrize("text", ["-", ".", "--", "?"])
def test_a_sign_alone_is_no_score(text: str) -> None:
    with pytest.raises(CurvesError, match="Scores must be numbers"):
        score_numbers(column(["1", text]))

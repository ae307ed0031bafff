"""Columns of names."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl
import pytest

from curvewise.data.tables import first_rows, names_and_codes, names_of_rows
from curvewise.errors import CurvesError

if TYPE_CHECKING:
    from collections.abc import Callable


def series_of_pandas(values: list[Any]) -> Any:
    return pytest.importorskip("pandas").Series(values, dtype=object)


def column(native: Any) -> nw.Series[Any]:
    return nw.from_native(native, series_only=True)


@pytest.mark.parametrize("make", [pl.Series, series_of_pandas])
def test_names_and_codes(make: Callable[[list[Any]], Any]) -> None:
    series = column(make(["b ", "a", "a", "b"]))
    assert first_rows([series]).tolist() == [0, 1, 3]
    names, codes = names_and_codes(series, "run")
    assert (names, codes.tolist()) == (["a", "b"], [1, 0, 0, 1])
    names, codes = names_and_codes(series, "run", first_rows([series]))
    assert (names, codes.tolist()) == (["a", "b"], [1, 0, 1])


def test_types_that_frames_cannot_compare() -> None:
    decimals = column(pl.Series([Decimal(2), Decimal(10), Decimal(2)]))
    assert first_rows([decimals]).tolist() == [0, 1, 2]
    names, codes = names_and_codes(decimals, "run")
    assert (names, codes.tolist()) == (["2", "10"], [0, 1, 0])
    assert names_of_rows(column(pl.Series([None, 1.0]))) == [None, "1"]


def test_names_that_are_no_unicode() -> None:
    surrogates = column(series_of_pandas(["\ud800", "a", "\ud801"]))
    assert names_and_codes(surrogates, "run").names == [r"\ud800", r"\ud801", "a"]


def test_missing_names_are_told_by_row() -> None:
    with pytest.raises(CurvesError, match=r"run is missing in 2 rows, .* data row 2"):
        names_and_codes(column(pl.Series("seed", [1.0, float("nan"), None])), "run")


def test_lists_are_no_names() -> None:
    with pytest.raises(CurvesError, match=r"Column 'seed' does not hold names: \[1\]"):
        names_and_codes(column(pl.Series("seed", [[1], [2]])), "run")

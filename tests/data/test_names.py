"""Any value as a name, and names in natural order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from curvewise.data.tables import name_of, natural_order
from curvewise.errors import CurvesError


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (" A", " A"),
        (np.str_("A"), "A"),
        (3, "3"),
        (3.0, "3"),
        (0.5, "0.5"),
        (True, "True"),
        (b"\xffA", r"\xffA"),
        ("\ud800", r"\ud800"),
        (("ppo", 1), "('ppo', 1)"),
        (None, None),
        (float("nan"), None),
    ],
)
def test_values_as_names(value: object, name: str | None) -> None:
    assert name_of(value) == name


def test_what_pandas_has_for_missing_values_is_no_name() -> None:
    pd = pytest.importorskip("pandas")
    assert name_of(pd.NA) is None
    assert name_of(pd.NaT) is None


@pytest.mark.parametrize(
    "value", [["A"], {"a": 1}, {1}, frozenset({"a", "b"}), np.array([1, 2]), object()]
)
def test_what_names_nothing_is_refused(value: object) -> None:
    with pytest.raises(CurvesError, match="is no name"):
        name_of(value)


def test_a_number_that_cannot_be_written_is_no_name() -> None:
    with pytest.raises(CurvesError, match="an int of 16610 bits is too long"):
        name_of(10**5000)


def test_the_order_of_names_does_not_depend_on_how_they_come() -> None:
    names = ["nan", "2", "NaN", "10", "inf", "b"]
    orders = {tuple(natural_order(some)) for some in itertools.permutations(names)}
    assert orders == {("2", "10", "NaN", "b", "inf", "nan")}

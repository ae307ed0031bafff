"""Columns of names: which names there are, without spaces around them, and on which rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise.data.names import name_of, natural_order
from curvewise.errors import CurvesError
from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    import narwhals as nw

    from curvewise.kernels import Integers

__all__ = ["NamesAndCodes", "first_rows", "names_and_codes", "names_of_rows"]


class NamesAndCodes(NamedTuple):
    """The names in a column, in natural order, and the place of each row's name among them."""

    names: list[str]
    codes: Integers


def first_rows(columns: Iterable[nw.Series[Any]]) -> Integers:
    """Return the rows at which one of some columns is not as on the row before, and the first.

    Every row, if a column is of a type whose values cannot be compared.
    """
    starts = [np.zeros(1, dtype=np.int64)]
    for own in columns:
        if not _is_plain(own) or _has_gaps(own):
            return np.arange(len(own))
        is_new = (own.head(len(own) - 1) != own.tail(len(own) - 1)).to_numpy()
        starts.append(np.flatnonzero(is_new) + 1)
    return np.unique(np.concatenate(starts))


def names_and_codes(
    series: nw.Series[Any], what: str, rows: Integers | None = None
) -> NamesAndCodes:
    """Return the names in a column and where they are, on all rows or on some.

    Raises CurvesError if a name is missing, or is none; ``what`` says what it names.
    """
    looked_at = np.arange(len(series)) if rows is None else rows
    found = series if len(looked_at) == len(series) else series[looked_at]
    codes, values = _distinct(found)
    names = _names(values, series.name)
    if None in names:
        is_missing = np.array([name is None for name in names])[codes]
        is_missing = np.repeat(is_missing, np.diff(looked_at, append=len(series)))
        missing = np.flatnonzero(is_missing)
        msg = (
            f"The {what} is missing in {plural(len(missing), 'row')}, the first being data "
            f"row {missing[0] + 1} (column {series.name!r}). Fill it in, or drop these rows."
        )
        raise CurvesError(msg)
    order = natural_order({str(name) for name in names})
    places = {name: place for place, name in enumerate(order)}
    return NamesAndCodes(order, np.array([places[str(name)] for name in names])[codes])


def names_of_rows(series: nw.Series[Any]) -> list[str | None]:
    """Return the name on each row, None where it is missing; raise if one is no name."""
    codes, values = _distinct(series)
    names = _names(values, series.name)
    return [names[code] for code in codes.tolist()]


def _names(values: Iterable[object], column: str) -> list[str | None]:
    """Return values as names, None where they are missing; raise if one is no name."""
    try:
        names = [name_of(value) for value in values]
    except CurvesError as error:
        msg = f"Column {column!r} does not hold names: {error} Name another column."
        raise CurvesError(msg) from None
    return [None if name is None else name.strip() for name in names]


def _distinct(series: nw.Series[Any]) -> tuple[Integers, list[Any]]:
    """Return the values of a column, and which of them each row has.

    Each value is there once, if the column is of a type whose values can be compared.
    """
    if not _is_plain(series) or _has_gaps(series):
        values = series.to_list()
        return np.arange(len(values)), values
    import narwhals as nw

    try:
        values = series.unique().to_list()
    except UnicodeError:  # pandas holds texts that it cannot write
        values = series.to_list()
        return np.arange(len(values)), values
    codes = series.replace_strict(values, range(len(values)), return_dtype=nw.Int32)
    return codes.to_numpy(), values


def _is_plain(series: nw.Series[Any]) -> bool:
    """Whether a column holds values of one type that frame libraries can compare."""
    import narwhals as nw

    dtype = series.dtype
    if dtype.is_numeric() or dtype.is_temporal():
        return not dtype.is_decimal()
    return dtype in {nw.String, nw.Categorical, nw.Enum, nw.Boolean}


def _has_gaps(series: nw.Series[Any]) -> bool:
    """Whether a value is missing, or NaN."""
    if series.null_count():
        return True
    return series.dtype.is_float() and bool(series.is_nan().any())

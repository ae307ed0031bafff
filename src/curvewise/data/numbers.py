"""Cells as numbers: the one place where scores and steps of tables are read."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.steps import check_exact
from curvewise.errors import CurvesError
from curvewise.text import plural, shown_value

if TYPE_CHECKING:
    import narwhals as nw
    import numpy.typing as npt

    from curvewise.kernels import Floats

__all__ = ["BLANK_CELLS", "number_of", "numbers", "score_numbers", "step_numbers"]

# What people write where there is no score: such cells are missing rather than wrong.
BLANK_CELLS = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "."})


def number_of(value: object) -> float:
    """Return a cell as a number, NaN if it is none; infinity if it is too large for a double.

    >>> number_of("1.5"), number_of(10**400), number_of("1_000"), number_of(None)
    (1.5, inf, nan, nan)
    """
    if isinstance(value, str) and "_" in value:
        return math.nan  # float() accepts 1_000, which in data is rather a name or a slip
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except (TypeError, ValueError):
        return math.nan


def numbers(series: nw.Series[Any]) -> Floats:
    """Return a column as numbers; cells that are missing or not numbers become NaN."""
    import narwhals as nw

    is_polars = series.implementation.is_polars()
    # Others turn decimals into the nearest number but one.
    is_exact = is_polars or series.dtype != nw.Decimal
    if (series.dtype.is_numeric() and is_exact) or series.dtype == nw.Boolean:
        with suppress(Exception):  # of a library that refuses integers beyond 2**53
            values = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
            if is_polars:
                values.setflags(
                    write=False
                )  # nobody can change it, so nobody need copy it
            return values
    return np.array([number_of(value) for value in series.to_list()], dtype=np.float64)


def score_numbers(
    series: nw.Series[Any],
) -> tuple[Floats, npt.NDArray[np.bool_] | None]:
    """Return a column of scores as numbers, and mark the cells without a score, if any.

    A NaN that was written as such is a score. Frames of pandas cannot tell it from an empty
    cell, for which it is taken there.

    Raises
    ------
    CurvesError
        If a cell holds something else than a number.
    """
    import narwhals as nw

    values = numbers(series)
    is_missing = None
    if series.null_count():
        is_missing = np.array(series.is_null().to_numpy(), dtype=np.bool_)
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return values, is_missing
    is_missing = (
        np.zeros(len(values), dtype=np.bool_) if is_missing is None else is_missing
    )
    for row in np.flatnonzero(np.isnan(values) & ~is_missing).tolist():
        cell = series[row]
        text = str(cell).strip().lower()
        if text not in BLANK_CELLS:
            msg = (
                f"Scores must be numbers; column {series.name!r} has {shown_value(cell)} in "
                f"data row {row + 1}. Name another column as the score, or mend the cell."
            )
            raise CurvesError(msg)
        is_missing[row] = text != "nan"
    return values, is_missing if is_missing.any() else None


def step_numbers(
    series: nw.Series[Any], is_missing: npt.NDArray[np.bool_] | None
) -> np.ndarray[Any, Any]:
    """Return a column of steps as numbers, whole or not as they come.

    Those of rows without a score do not matter. Raises CurvesError if a cell holds no number, or
    one that is too large to be exact.
    """
    values: np.ndarray[Any, Any]
    import narwhals as nw

    is_known = series.dtype.is_integer() and series.dtype not in (nw.Int128, nw.UInt128)
    if is_known and not series.null_count():
        values = series.to_numpy()
    else:
        values = numbers(series)
        if is_missing is not None:
            values = np.where(is_missing & ~np.isfinite(values), 0.0, values)
    low, high = float(values.min()), float(values.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        bad = np.flatnonzero(~np.isfinite(values))
        msg = (
            f"Steps must be numbers; column {series.name!r} has no number in "
            f"{plural(bad.size, 'row')}, the first being data row {bad[0] + 1} "
            f"({shown_value(series[int(bad[0])])}). Name another column as the step, or fix or "
            "drop these rows."
        )
        raise CurvesError(msg)
    check_exact(max(-low, high))
    return values

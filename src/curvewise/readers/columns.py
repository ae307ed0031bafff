"""Which column is what: named by the caller, or recognised by its usual name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from curvewise.errors import CurvesError
from curvewise.text import argument, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from curvewise.data.selection import Columns

__all__ = [
    "ColumnsToRead",
    "missing_column_error",
    "recognised",
    "step_columns",
    "unknown_column_error",
]

USUAL_NAMES = {
    "algorithm": ("algorithm", "algo", "agent", "method", "model"),
    "run": ("run", "seed", "fold", "trial"),
    "step": ("step", "steps", "iteration", "epoch", "timestep", "timesteps", "level"),
    "score": ("score", "scores", "return", "reward", "accuracy", "value"),
}
STEP_COLUMN = re.compile(
    r"(?:(?:step|iteration|iter|epoch|timestep|level|t|x)[ _:=-]*)?"
    r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)",
    re.IGNORECASE,
)


class ColumnsToRead(NamedTuple):
    """The columns to read: those of names, those of numbers, and which of them hold lists."""

    names: list[str]
    numbers: list[str]
    lists: frozenset[str] = frozenset()

    def schema(self) -> dict[str, pl.DataType]:
        """Return the type of each column; cells that do not fit it become null."""
        import polars as pl

        number = pl.Float64()
        types: dict[str, pl.DataType] = {name: pl.String() for name in self.names}
        for column in self.numbers:
            types[column] = pl.List(number) if column in self.lists else number
        return types


def recognised(named: Columns, available: list[str]) -> Columns:
    """Add the columns that the caller did not name, where usual names tell them.

    Raises if a named column does not exist, or if several could be the same part.
    """
    for column in named:
        if column is not None and column not in available:
            raise unknown_column_error(column, available)
    # A block may also be what tells the runs apart, such as a shared seed.
    taken = {column for column in named._replace(block=None) if column is not None}
    found = {
        part: _usual(part, [column for column in available if column not in taken])
        for part in USUAL_NAMES
        if getattr(named, part) is None
    }
    return named._replace(**found)


def _usual(part: str, available: list[str]) -> str | None:
    """Return the one column with a usual name, by preference the name of the part."""
    candidates = [
        column for column in available if column.strip().lower() in USUAL_NAMES[part]
    ]
    own = [column for column in candidates if column.strip().lower() == part]
    if len(own) == 1:
        return own[0]
    if len(candidates) > 1:
        quoted = " and ".join(map(repr, candidates))
        msg = (
            f"The columns {quoted} could each be the {part}. Choose one, for example with "
            f"{argument(part, candidates[0])}."
        )
        raise CurvesError(msg)
    return candidates[0] if candidates else None


def unknown_column_error(column: str, available: list[str]) -> CurvesError:
    """Return the error for a column that was named and does not exist."""
    return CurvesError(
        f"No column is called {column!r}; {did_you_mean(column, available)}"
    )


def missing_column_error(part: str, available: list[str]) -> CurvesError:
    """Return the error for a part that none of the remaining columns is usually called."""
    usual = "/".join(USUAL_NAMES[part])
    if not available:
        return CurvesError(
            f"There is no column left that could be the {part}. Add one, usually called {usual}."
        )
    return CurvesError(
        f"Which column is the {part}? None of the remaining columns has a usual name "
        f"({usual}); {did_you_mean('', available)} Name the column with "
        f"{argument(part, 'COLUMN')}."
    )


def step_columns(available: list[str]) -> dict[str, float]:
    """Return the columns of a wide table that are steps, such as ``200`` or ``step_200``."""
    matches = {column: STEP_COLUMN.fullmatch(column.strip()) for column in available}
    return {column: float(match[1]) for column, match in matches.items() if match}

"""Which column is what: named by the caller, or recognised by its usual name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from curvewise.errors import CurvesError, nearest

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Columns", "Wanted", "missing", "recognised", "step_columns"]

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


class Columns(NamedTuple):
    """The column of each part; None where it was not named, or there is none."""

    algorithm: str | None = None
    run: str | None = None
    step: str | None = None
    score: str | None = None
    block: str | None = None

    def described(self) -> str:
        """Say which column was taken for what."""
        return ", ".join(
            f"{part} from {column!r}" for part, column in self._asdict().items() if column
        )


class Wanted(NamedTuple):
    """What to read: columns of names, columns of numbers, and which hold lists."""

    names: list[str]
    numbers: list[str]
    lists: frozenset[str] = frozenset()

    def schema(self) -> dict[str, pl.DataType]:
        """Return the type of each column; what does not fit it becomes null."""
        import polars as pl

        number = pl.Float64()
        types: dict[str, pl.DataType] = {name: pl.String() for name in self.names}
        for column in self.numbers:
            types[column] = pl.List(number) if column in self.lists else number
        return types


def recognised(named: Columns, available: list[str]) -> Columns:
    """Fill in the columns the caller did not name; refuse names that are not there."""
    for column in named:
        if column is not None and column not in available:
            msg = f"No column is called {column!r}; {nearest(column, available)}"
            raise CurvesError(msg)
    # A block may also be what tells the runs apart, such as a shared seed.
    taken = {column for column in named._replace(block=None) if column is not None}
    found = {
        part: _usual(part, [column for column in available if column not in taken])
        for part in USUAL_NAMES
        if getattr(named, part) is None
    }
    return named._replace(**found)


def _usual(part: str, available: list[str]) -> str | None:
    """Find the one column with a usual name; the part's own name goes before others."""
    candidates = [
        column for column in available if column.strip().lower() in USUAL_NAMES[part]
    ]
    own = [column for column in candidates if column.strip().lower() == part]
    if len(own) == 1:
        return own[0]
    if len(candidates) > 1:
        listed = " and ".join(map(repr, candidates))
        msg = (
            f"The columns {listed} could each be the {part}. Say which it is: "
            f"{part}={candidates[0]!r} in Python, --{part} {candidates[0]} on the command line."
        )
        raise CurvesError(msg)
    return candidates[0] if candidates else None


def missing(part: str, available: list[str]) -> CurvesError:
    """Return the error for a part that none of the columns left is usually called."""
    usual = "/".join(USUAL_NAMES[part])
    listed = nearest("", available)
    return CurvesError(
        f"Which column is the {part}? None of those left has a usual name ({usual}); {listed} "
        f"Name it: {part}=… in Python, --{part} … on the command line."
    )


def step_columns(available: list[str]) -> dict[str, float]:
    """Find the columns of a wide table that are steps, such as ``200`` or ``step_200``."""
    matches = {column: STEP_COLUMN.fullmatch(column.strip()) for column in available}
    return {column: float(match[1]) for column, match in matches.items() if match}

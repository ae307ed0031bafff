"""Names of algorithms, runs, blocks and tasks: any value as text, and in which order."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError
from curvewise.text import encodable, shown_value

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["name_of", "natural_order"]


def name_of(value: object) -> str | None:
    """Return a value as a name; None if it is missing.

    Whole numbers are written without a point: frame libraries turn them into floats in a
    column with gaps. Raise CurvesError if the value is none that names anything, such as a
    list, or an object that is written differently in each process.

    >>> name_of("DQN"), name_of(3.0), name_of(b"PPO"), name_of(float("nan"))
    ('DQN', '3', 'PPO', None)
    """
    if isinstance(value, str):
        return encodable(str(value))  # NumPy has texts of its own
    if _is_missing(value):
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    kind = type(value)
    is_anonymous = kind.__repr__ is object.__repr__ and kind.__str__ is object.__str__
    if is_anonymous or isinstance(value, frozenset) or not _is_hashable(value):
        msg = f"{shown_value(value)} is no name. Names must be text or numbers."
        raise CurvesError(msg)
    try:
        return encodable(str(value))
    except ValueError:  # Python writes no number of more than 4,300 digits
        msg = f"{shown_value(value)} is too long for a name. Shorten it."
        raise CurvesError(msg) from None


def _is_missing(value: object) -> bool:
    """Whether a value stands for none: None, NaN, a date that is none, the NA of pandas."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 (NaN differs from itself)
    except TypeError:  # NA is neither equal nor unequal to itself
        return True
    except ValueError:  # an array
        return False


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def natural_order(names: Iterable[str]) -> list[str]:
    """Sort names as people do, ``run 2`` before ``run 10``.

    >>> natural_order(["run 10", "nan", "run 2", "-1", "0.5"])
    ['-1', '0.5', 'nan', 'run 2', 'run 10']
    """

    def key(name: str) -> tuple[int, float, list[tuple[int, int, str]], str]:
        try:
            number = float(name)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return 0, number, [], name
        # Also what Python takes for a number that has no place among others: nan, infinity.
        # Numbers of any length: the longer one is the larger one.
        parts = [
            (0, len(part.lstrip("0")), part.lstrip("0"))
            if part.isdecimal()
            else (1, 0, part)
            for part in re.split(r"(\d+)", name)
        ]
        return 1, 0.0, parts, name

    return sorted(names, key=key)

"""What curvewise says when it cannot go on: what is wrong, where, and what to do."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["CurvesError", "CurvewiseError", "OptionError", "counted", "nearest"]


class CurvewiseError(ValueError):
    """Anything curvewise refuses; the message is written for the person who asked."""


class CurvesError(CurvewiseError):
    """The data cannot be used as they are."""


class OptionError(CurvewiseError):
    """An argument has a value that means nothing."""


def nearest(name: str, available: Iterable[str], *, most: int = 20) -> str:
    """Say what there is to choose from, and which of it looks like what was meant.

    >>> nearest("agnet", ["agent", "run"])
    "there are 'agent', 'run'; did you mean 'agent'?"
    """
    names = list(available)
    listed = ", ".join(map(repr, names[:most]))
    if len(names) > most:
        listed += f" and {len(names) - most} more"
    lowered = {other.lower(): other for other in names}
    close = get_close_matches(name.lower(), lowered, n=1)
    hint = f"; did you mean {lowered[close[0]]!r}?" if close else "."
    return f"there are {listed}{hint}" if names else "there are none."


def counted(number: int, noun: str) -> str:
    """Write a number with its noun.

    >>> counted(1, "run"), counted(1_200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

"""Checks of options that data and questions share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from curvewise.errors import OptionError
from curvewise.text import argument, shown_value

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["check_choice", "check_drawn", "refuse_option"]


def refuse_option(option: str, text: str) -> NoReturn:
    """Raise for an option: its name as the reader types it, then the text."""
    msg = f"{argument(option)} {text}"
    raise OptionError(msg, option=option) from None


def check_choice(option: str, value: object, choices: Sequence[str]) -> None:
    """Raise unless the value of an option is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        *others, last = map(repr, choices)
        known = f"{', '.join(others)} or {last}" if others else last
        refuse_option(option, f"must be {known}, not {shown_value(value)}.")


def check_drawn(given: object, kinds: type | tuple[type, ...], what: str) -> None:
    """Raise unless a picture is made of what it draws; ``what`` says so in words."""
    if not isinstance(given, kinds):
        msg = f"{what}; it was given {type(given).__name__}."
        raise OptionError(msg)

"""Checks of options that data and questions share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from curvewise.errors import OptionError
from curvewise.text import argument

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["check_choice", "refuse_option"]


def refuse_option(option: str, text: str) -> NoReturn:
    """Raise for an option: its name as the reader types it, then the text."""
    msg = f"{argument(option)} {text}"
    raise OptionError(msg, option=option) from None


def check_choice(option: str, value: object, choices: Sequence[str]) -> None:
    """Raise unless the value of an option is one of ``choices``."""
    if value not in choices:
        *others, last = map(repr, choices)
        known = f"{', '.join(others)} or {last}" if others else last
        refuse_option(option, f"must be {known}, not {value!r}.")

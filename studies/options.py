"""Options that the commands of the studies share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["integer_from"]


def integer_from(minimum: int) -> Callable[[str], int]:
    """Return a parser for an option that is an integer of at least ``minimum``."""

    def parse(text: str) -> int:
        if text.isdecimal() and int(text) >= minimum:
            return int(text)
        msg = f"must be an integer of at least {minimum}, not {text!r}"
        raise argparse.ArgumentTypeError(msg)

    return parse

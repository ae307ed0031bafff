"""What is taken of each run, as it is written on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["measure_of"]


def measure_of(text: str, named: Mapping[str, str], *, reach: bool = False) -> Any:
    """Read what is taken of each run: a name, FROM:TO in steps, or where allowed reach:SCORE."""
    if text in named:
        return named[text]
    first, _, second = text.partition(":")
    try:
        return first if reach and first == "reach" else float(first), float(second)
    except ValueError:
        forms = [*named, "FROM:TO", *(["reach:SCORE"] if reach else [])]
        msg = f"{text!r} is none of {', '.join(forms)}."
        raise typer.BadParameter(msg, param_hint="'--on'") from None

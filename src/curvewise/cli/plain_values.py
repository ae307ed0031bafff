"""Values of options that are what was typed: texts, paths, and what options are by default."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from curvewise.text import encodable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["PlainCommand", "PlainGroup"]


def _texts(values: Iterable[str]) -> list[str]:
    return [encodable(value) for value in values]


def _paths(values: Sequence[str]) -> list[Path]:
    """Return what is to be read; an empty name would be that of the current folder."""
    if "" in values:
        msg = "The name of a file or folder is empty; for this folder write a dot."
        raise typer.BadParameter(msg)
    return [Path(value) for value in values]


# What becomes of the text, or of the texts, that were typed.
TAKEN: dict[Any, Callable[[Any], Any]] = {
    str: encodable,
    str | None: encodable,
    list[str]: _texts,
    list[str] | None: _texts,
    Path: Path,
    Path | None: Path,
    list[Path]: _paths,
    list[Path] | None: _paths,
}


class PlainCommand(TyperCommand):
    """A command that takes texts and paths as they are, and defaults too.

    Typer would have pydantic check them. Any text is one, and importing pydantic takes as long
    as importing NumPy. Numbers and choices are checked when they are given.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options of the command."""
        _take_plainly(self, ctx)
        return super().parse_args(ctx, args)


class PlainGroup(TyperGroup):
    """The commands, with options of their own that are taken as those of a `PlainCommand`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options before the command."""
        _take_plainly(self, ctx)
        return super().parse_args(ctx, args)


def _take_plainly(command: Any, ctx: Any) -> None:
    """Let the parameters of a command take what need not be checked as it is."""
    hints = get_type_hints(command.callback)
    for parameter in command.get_params(ctx):
        checked = parameter.process_value
        if not isinstance(checked, partial):
            hint = hints.get(parameter.name)
            parameter.process_value = partial(_taken, parameter, hint, checked)


def _taken(
    parameter: Any, hint: Any, checked: Callable[[Any, Any], Any], ctx: Any, value: Any
) -> Any:
    """Return what was given, or else the default, as the command gets it."""
    if value is None or value == ():
        if parameter.required:
            return checked(ctx, value)  # which says that it is missing
        taken = () if parameter.multiple or parameter.nargs == -1 else None
    elif value is parameter.default and _is_of(value, hint):
        taken = value
    elif hint in TAKEN:
        taken = TAKEN[hint](value)
    else:
        return checked(ctx, value)
    return (
        taken if parameter.callback is None else parameter.callback(ctx, parameter, taken)
    )


def _is_of(value: object, hint: Any) -> bool:
    """Whether a default is of the type that an option has, or one of its choices."""
    kinds = (hint, *get_args(hint))
    return type(value) in kinds or any(
        get_origin(kind) is Literal and value in get_args(kind) for kind in kinds
    )

"""``curvewise schema``: what ``--json`` prints, for programs."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from curvewise.errors import OptionError
from curvewise.schemas import SAME_AS, SCHEMAS, schema_name, schema_of
from curvewise.text import did_you_mean

__all__ = ["schema"]


def schema(
    command: Annotated[
        str | None,
        typer.Argument(
            metavar="COMMAND",
            help="Whose --json; error: the line on standard error if there is no result.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print the JSON schema of what a command prints with --json.

    Without a command, list the schemas. They are of draft 2020-12. The first key of what --json
    prints, "schema", names the one that describes it.

    Example: curvewise schema compare > compare.schema.json
    """
    known = {**SCHEMAS, **SAME_AS}
    if command is None:
        typer.echo("\n".join(f"{name:<10} {schema_name(name)}" for name in known))
    elif command not in known:
        msg = f"There is no schema of {command!r}; {did_you_mean(command, known)}"
        raise OptionError(msg)
    else:
        typer.echo(json.dumps(schema_of(command), indent=2, ensure_ascii=False))

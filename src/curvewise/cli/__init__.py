"""The command: parse, call, print; one command per question."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from curvewise import __version__
from curvewise.cli.exit_codes import BUG, UNUSABLE, summary
from curvewise.cli.option_groups import with_option_groups
from curvewise.cli.printing import prepare_streams

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "build_app", "main"]

# In the order of --help; each is a function in a module of its own name.
COMMANDS = (
    "inspect",
    "compare",
    "locate",
    "pairs",
    "contrast",
    "transfer",
    "criteria",
    "power",
    "plan",
    "calibrate",
    "gate",
    "monitor",
    "tasks",
    "report",
    "serve",
    "schema",
    "demo",
)

EPILOG = summary()


def build_app(names: Sequence[str] = COMMANDS) -> typer.Typer:
    """Return the application with some commands; only their modules are imported."""
    app = typer.Typer(
        name="curvewise",
        no_args_is_help=True,
        # Errors that users can do something about are sentences; any other is a bug, and its
        # traceback is shown.
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog=EPILOG,
        callback=_curvewise,
    )
    for name in names:
        command = getattr(import_module(f"{__name__}.{name}"), name)
        app.command(epilog=EPILOG)(with_option_groups(command))
    return app


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"curvewise {__version__}")
        raise typer.Exit


def _curvewise(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    """Are these learning curves really different, in height or in shape, and how sure?"""


def main() -> None:
    """Run the command."""
    prepare_streams()
    # Only the command that was asked for is imported; --help and mistakes need all of them.
    asked = sys.argv[1:2]
    names = asked if asked and asked[0] in COMMANDS else COMMANDS
    try:
        build_app(names)()
    except OSError as error:
        # The disk is full, or something like it.
        sys.stderr.write(f"Error: the output cannot be written: {error.strerror}.\n")
        sys.exit(UNUSABLE)
    except Exception:  # noqa: BLE001 (whatever it is, its exit code must not be that of a gate)
        traceback.print_exc()
        sys.stderr.write(
            "This is a bug in curvewise. Please report it with the lines above.\n"
        )
        sys.exit(BUG)

"""The command: parse, call, print; one command per question."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from curvewise import __version__
from curvewise.cli.exit_codes import BUG, UNUSABLE, summary
from curvewise.cli.interrupts import take_signals
from curvewise.cli.option_groups import GroupedCommand, with_option_groups
from curvewise.cli.plain_values import PlainGroup
from curvewise.cli.printing import say_warnings
from curvewise.cli.streams import discard_output, prepare_streams, say

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["COMMANDS", "build_app", "main"]

# In the order of --help, each with the first line of its own; each is a function in a module
# of its own name.
COMMANDS = {
    "inspect": "Which runs, algorithms, tasks and metrics are in PATH?",
    "compare": "Do the curves in PATH differ, in height or in shape?",
    "locate": "At which steps do the curves in PATH differ?",
    "pairs": "Which algorithms in PATH differ, and which may be the best?",
    "contrast": "Is a weighted sum of algorithms in PATH different from zero?",
    "transfer": "How much does one condition in PATH gain on another?",
    "criteria": "Which learning-comparison metric meets which of ten criteria?",
    "power": "How often would an experiment find a difference?",
    "plan": "How many runs does it take to find a difference?",
    "calibrate": "How often would common tests cry wolf on the runs in PATH?",
    "gate": "May the candidate replace the baseline?",
    "monitor": "May I stop, or do the algorithms in PATH need more runs?",
    "tasks": "Which algorithm in PATH is better on many tasks?",
    "report": "Write curves, verdict, tables and windows into one HTML file.",
    "serve": "Open a page in the browser to drop results on.",
    "schema": "Print the JSON schema of what a command prints with --json.",
    "demo": "Compare embedded curves: a verdict, a table, a figure.",
}
HELP_FLAGS = ["-h", "--help"]

EPILOG = summary()


def build_app(
    names: Collection[str] = COMMANDS.keys(), *, is_outline: bool = False
) -> typer.Typer:
    """Return the application with some commands; only their modules are imported.

    In outline commands can be listed but not run, and nothing is imported.
    """
    app = typer.Typer(
        name="curvewise",
        cls=PlainGroup,
        no_args_is_help=True,
        # Errors that users can do something about are sentences; any other is a bug, and its
        # traceback is shown.
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": HELP_FLAGS},
        epilog=EPILOG,
        callback=_curvewise,
    )
    for name in names:
        if is_outline:
            app.command(name, help=COMMANDS[name])(_nothing)
            continue
        command = getattr(import_module(f"{__name__}.{name}"), name)
        app.command(epilog=EPILOG, cls=GroupedCommand)(with_option_groups(command))
    return app


def _nothing() -> None:
    """Do nothing, as a command in outline."""


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
    take_signals()
    say_warnings()
    # Only the command that was asked for is imported; mistakes and completion need all of them.
    asked = sys.argv[1:2]
    names = asked if asked and asked[0] in COMMANDS else COMMANDS.keys()
    is_completing = any(name.endswith("_COMPLETE") for name in os.environ)
    asks_for_list = not is_completing and set(sys.argv[1:]) <= {*HELP_FLAGS}
    try:
        try:
            build_app(names, is_outline=asks_for_list)()
        finally:
            sys.stdout.flush()  # here its failure can be told
    except OSError as error:
        # The disk is full, or something like it.
        say(f"Error: the output cannot be written: {error.strerror}.")
        discard_output()
        sys.exit(UNUSABLE)
    except Exception:  # noqa: BLE001 (whatever it is, its exit code must not be that of a gate)
        traceback.print_exc()
        sys.stderr.write(
            "This is a bug in curvewise. Please report it with the lines above.\n"
        )
        sys.exit(BUG)

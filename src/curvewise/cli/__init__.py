"""The command: which commands there are, and how a process runs one of them."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from curvewise import __version__
from curvewise.cli.terminal import (
    BUG,
    EPILOG,
    UNUSABLE,
    discard_output,
    interrupted_by,
    prepare_streams,
    say,
    say_warnings,
    take_signals,
)
from curvewise.files import remove_unfinished
from curvewise.text import pairs

# In the order of --help, each with the first line of its own.
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
# The modules of commands that are not in `commands`.
MODULES = pairs("gate gate  tasks tasks  report report  serve report")
# What the system says where an open stream cannot be written.
OUTPUT_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


class Commands(click.Group):
    """The commands; one is imported when it is asked for."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """Return a command."""
        if name in COMMANDS and name not in self.commands:
            from curvewise.cli.command import built

            module = import_module(f"{__name__}.{MODULES.get(name, 'commands')}")
            self.commands[name] = built(getattr(module, name))
        return self.commands.get(name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command that the words ask for; say which may be meant if there is none."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            close = " or ".join(map(repr, get_close_matches(name, COMMANDS)))
            ctx.fail(f"No such command {name!r}.{f' Did you mean {close}?' if close else ''}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, which are not imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command, or an option before it."""
        begun = [name for name in COMMANDS if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [CompletionItem(name, help=COMMANDS[name]) for name in begun] + options


def _completion(ctx: click.Context, option: click.Parameter, shell: str | None) -> None:
    if shell is not None and not ctx.resilient_parsing:
        from curvewise.cli import completion

        (completion.show if option.name == "show_completion" else completion.install)(shell)
        ctx.exit()


# Of an option that may name a shell, and else takes the one that runs.
SHELL: dict[str, Any] = {"is_flag": False, "flag_value": "", "metavar": "[SHELL]"}
SHELL |= {"callback": _completion, "expose_value": False, "is_eager": True}


@click.group(
    "curvewise",
    cls=Commands,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(
    __version__, prog_name="curvewise", message="%(prog)s %(version)s", help="Show the version."
)
@click.option("--install-completion", help="Install completion for the current shell.", **SHELL)
@click.option(
    "--show-completion", help="Show completion for the current shell, to copy it.", **SHELL
)
def app() -> None:
    """Are these learning curves really different, in height or in shape, and how sure?"""


def main() -> None:
    """Run the command."""
    prepare_streams()
    take_signals()
    say_warnings()
    if "_CURVEWISE_COMPLETE" in os.environ:
        import_module("curvewise.cli.completion")  # which knows more shells
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # here its failure can be told
    except SystemExit as ended:
        if interrupted_by():
            # Threads of libraries may still work, and crash while the interpreter shuts down.
            remove_unfinished()
            sys.stderr.flush()
            os._exit(int(ended.code or 0))
        raise
    except OSError as error:
        # The disk is full, or something like it. Errors of files have their names.
        is_output = error.errno in OUTPUT_ERRORS and error.filename is None
        what = "the output cannot be written" if is_output else "the system reports"
        say(f"Error: {what}: {(is_output and error.strerror) or error}.")
        discard_output()
        sys.exit(UNUSABLE)
    except Exception:  # noqa: BLE001 (whatever it is, its exit code must not be that of a gate)
        traceback.print_exc()
        sys.stderr.write("This is a bug in curvewise. Please report it with the lines above.\n")
        sys.exit(BUG)

"""How a command ends, and how it prints results in four styles."""

from __future__ import annotations

import json
import os
import signal
import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

import click

from curvewise.cli.process import (
    OUTPUT_CLOSED,
    UNUSABLE,
    begin_writing,
    discard_output,
    interrupted_by,
    interruptible,
    note,
    say,
)
from curvewise.errors import CurvewiseError, OptionError
from curvewise.inference.result import Warned, warnings_of
from curvewise.rendering.figures import SCREEN_DPI, save_figures
from curvewise.schemas import schema_name
from curvewise.text import argument, markdown_text, naming_flags, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.console import Console

    from curvewise.rendering.tables import Table


MIN_WIDTH, MAX_LINE, MAX_WIDTH = 40, 90, 1_000  # characters

NO_RESULT = "Interrupted; no result was written."
# The command that runs; its name is the schema of what it prints as JSON.
_command: ContextVar[str] = ContextVar("command", default="")


def chosen_style(**flags: bool) -> str:
    """Return the one style of printing that was asked for, or "terminal"; several are an error."""
    asked = [style for style, wanted in flags.items() if wanted]
    if len(asked) > 1:
        names = " and ".join(f"--{style}" for style in asked)
        msg = f"{names} exclude each other; choose one."
        raise click.BadParameter(msg)
    return asked[0] if asked else "terminal"


@contextmanager
def exit_with_message(command: str = "", *, as_json: bool = False) -> Iterator[None]:
    """Turn errors into a sentence and an exit code; name options as flags in all texts.

    ``as_json`` adds a line of JSON to the sentence, the last one on standard error.
    """
    token = _command.set(command)
    with naming_flags():
        try:
            with interruptible():
                yield
        except click.exceptions.Exit:
            raise
        # Signals change nothing here: a second one cannot interrupt what is said about the first.
        except BaseException as error:
            code, text, flag = UNUSABLE, str(error), None
            # Whatever is interrupted may fail in ways of its own: a reader, a compiler, Rust.
            if isinstance(error, KeyboardInterrupt) or interrupted_by():
                code, text = 128 + (interrupted_by() or signal.SIGINT), NO_RESULT
            elif isinstance(error, BrokenPipeError):
                discard_output()
                raise click.exceptions.Exit(OUTPUT_CLOSED) from None
            elif isinstance(error, MemoryError):
                text = "There is not enough memory for these data. Keep fewer steps or runs."
            elif not isinstance(error, CurvewiseError):
                raise
            elif isinstance(error, OptionError) and error.option is not None:
                flag = argument(error.option)
            note(f"Error: {text}" if code == UNUSABLE else text)
            if as_json:
                record = {"schema": schema_name("error"), "exit_code": code}
                say(json.dumps({**record, "error": text, "option": flag}))
            raise click.exceptions.Exit(code) from None
        finally:
            _command.reset(token)


class Shown(Warned, Protocol):
    """What can be shown: a result, or a listing."""

    def describe(self) -> str:
        """Return the paragraph to quote."""

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON-ready data."""


def show(
    results: Sequence[Shown],
    style: str,
    *,
    lines: Mapping[str, str] | None = None,
    record: Mapping[str, Any] | None = None,
) -> None:
    """Print results on standard output: verdicts, further lines, tables, warnings.

    As JSON the first result is the record itself; ``record`` is added to it.
    """
    begin_writing()
    verdicts = [result.describe() for result in results]
    cautions = warnings_of(results)
    sentences = [*verdicts, *(f"{word}: {text}" for word, text in (lines or {}).items())]
    tables = [table for result in results for table in result.tables()]
    if style == "json":
        print_json({"verdict": verdicts[0], **results[0].to_dict(), **(record or {})})
    elif style == "markdown":
        parts = [*map(markdown_text, sentences), *(table.markdown() for table in tables)]
        parts += [f"**Warning:** {markdown_text(caution)}" for caution in cautions]
        click.echo("\n\n".join(parts))
    elif style == "latex":
        comments = [*sentences, *(f"Warning: {caution}" for caution in cautions)]
        shown = [f"% {printable(comment)}" for comment in comments]
        body = "\n\n".join(table.latex() for table in tables)
        click.echo("\n".join(["% needs \\usepackage{booktabs}", *shown, body]))
    else:
        _show_on_terminal(verdicts, lines or {}, tables, cautions)


def print_json(record: Mapping[str, Any]) -> None:
    """Print a record as strict JSON; its first key says which schema describes it."""
    whole = {"schema": schema_name(_command.get()), **record}
    click.echo(json.dumps(whole, indent=2, allow_nan=False))


def _show_on_terminal(
    verdicts: Sequence[str],
    lines: Mapping[str, str],
    tables: Sequence[Table],
    cautions: Sequence[str],
) -> None:
    from rich.text import Text

    console = _console()
    # What is not printed on a terminal is as wide as it needs to be.
    is_measured = console.is_terminal or "COLUMNS" in os.environ
    width = max(console.width, MIN_WIDTH) if is_measured else MAX_WIDTH
    console.width = min(max(console.width, MIN_WIDTH), MAX_LINE)
    for place, verdict in enumerate(verdicts):
        if place:
            console.print()
        console.print(Text(printable(verdict), style="bold"))
    for word, line in lines.items():
        console.print()
        console.print(Text.assemble((f"{word}: ", "bold"), printable(line)))
    # A narrow window wraps long lines by itself; numbers must never be cut.
    unbounded = _console(width=MAX_WIDTH)
    for table in tables:
        for part in table.portions(width):
            console.print()
            unbounded.print(part.rich())
        for line in table.terminal_notes():
            console.print(Text(line, style="dim"))
    for caution in cautions:
        console.print()
        console.print(Text(f"Warning: {printable(caution)}", style="yellow"))


def _console(width: int | None = None) -> Console:
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            # Rich would exit with 1, which is reserved.
            raise BrokenPipeError

    return Terminal(highlight=False, width=width)


def save_plots(draws: Mapping[Path, Callable[[], Any]], dpi: int = SCREEN_DPI) -> None:
    """Draw and save figures, all of them or none."""
    with warnings.catch_warnings():
        # A name in a script the font lacks is drawn as boxes, and a very long one crowds
        # the figure; neither is a reason to warn.
        for message in ("Glyph .* missing from", "constrained_layout not applied"):
            warnings.filterwarnings("ignore", message=message, category=UserWarning)
        save_figures(draws, dpi, when_drawn=begin_writing)

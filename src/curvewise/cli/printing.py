"""How a command ends, and how it prints results in four styles."""

from __future__ import annotations

import json
import os
import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import typer

from curvewise.cli.exit_codes import INTERRUPTED, OUTPUT_CLOSED, UNUSABLE
from curvewise.cli.interrupts import begin_writing, interrupted_by, interruptible
from curvewise.cli.streams import discard_output, say
from curvewise.errors import CurvewiseError, CurvewiseWarning, OptionError
from curvewise.inference.shown_together import Warned, warnings_of
from curvewise.rendering.figures import SCREEN_DPI, check_figure_path, save_figures
from curvewise.schemas import schema_name
from curvewise.text import argument, markdown_text, naming_flags, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import TextIO

    from rich.console import Console

    from curvewise.rendering.tables import Table

__all__ = [
    "Style",
    "check_plot",
    "exit_with_message",
    "note",
    "print_json",
    "save_plot",
    "save_plots",
    "say_warnings",
    "show",
]

MIN_WIDTH, MAX_LINE, MAX_WIDTH = 40, 90, 1_000  # characters

NO_RESULT = "Interrupted; no result was written."
# The command that runs; its name is the schema of what it prints as JSON.
_command: ContextVar[str] = ContextVar("command", default="")


class Style(StrEnum):
    """How a result is printed."""

    TERMINAL = "terminal"
    JSON = "json"
    MARKDOWN = "markdown"
    LATEX = "latex"

    @classmethod
    def chosen(cls, *, json: bool, markdown: bool, latex: bool) -> Style:
        """Return the one style that was asked for; several are a usage error."""
        flags = {cls.JSON: json, cls.MARKDOWN: markdown, cls.LATEX: latex}
        asked = [style for style, wanted in flags.items() if wanted]
        if len(asked) > 1:
            names = " and ".join(f"--{style}" for style in asked)
            msg = f"{names} exclude each other; choose one."
            raise typer.BadParameter(msg)
        return asked[0] if asked else cls.TERMINAL


@contextmanager
def exit_with_message(command: str = "", *, as_json: bool = False) -> Iterator[None]:
    """Turn errors into a sentence and an exit code; name options as flags in all texts.

    ``as_json`` adds a line of JSON to the sentence, the last one on standard error.
    """
    with interruptible(), naming_flags():
        token = _command.set(command)
        try:
            yield
        except KeyboardInterrupt:
            raise _ending(_interrupted(), NO_RESULT, as_json=as_json) from None
        except typer.Exit:
            raise
        except Exception as error:
            # Whatever is interrupted may fail in ways of its own: a reader, a compiler.
            if interrupted_by() is not None:
                raise _ending(_interrupted(), NO_RESULT, as_json=as_json) from None
            if isinstance(error, BrokenPipeError):
                discard_output()
                raise typer.Exit(OUTPUT_CLOSED) from None
            text, flag = str(error), None
            if isinstance(error, OptionError) and error.option is not None:
                flag = argument(error.option)
            if isinstance(error, MemoryError):
                text = (
                    "There is not enough memory for these data. Keep fewer steps or runs."
                )
            elif not isinstance(error, CurvewiseError):
                raise
            raise _ending(UNUSABLE, text, flag, as_json=as_json) from None
        finally:
            _command.reset(token)


def _interrupted() -> int:
    """Return the exit code of a command that was told to end."""
    number = interrupted_by()
    return INTERRUPTED if number is None else 128 + number


def _ending(
    code: int, text: str, option: str | None = None, *, as_json: bool
) -> typer.Exit:
    """Say why there is no result, and return how the command ends."""
    note(f"Error: {text}" if code == UNUSABLE else text)
    if as_json:
        record = {"schema": schema_name("error"), "exit_code": code}
        say(json.dumps({**record, "error": text, "option": option}))
    return typer.Exit(code)


def note(text: str) -> None:
    """Say something beside the result, on standard error; it may have several lines."""
    say("\n".join(map(printable, text.split("\n"))))


def say_warnings() -> None:
    """Say warnings of our own as sentences, from now on."""
    warnings.showwarning = partial(_show_warning, warnings.showwarning)


def _show_warning(
    otherwise: Callable[..., None],
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Say a warning of our own as a sentence; show any other as Python does."""
    if issubclass(category, CurvewiseWarning):
        note(f"Note: {message}")
    else:
        otherwise(message, category, filename, lineno, file, line)


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
    style: Style,
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
    if style is Style.JSON:
        print_json({"verdict": verdicts[0], **results[0].to_dict(), **(record or {})})
    elif style is Style.MARKDOWN:
        parts = [*map(markdown_text, sentences), *(table.markdown() for table in tables)]
        parts += [f"**Warning:** {markdown_text(caution)}" for caution in cautions]
        typer.echo("\n\n".join(parts))
    elif style is Style.LATEX:
        comments = [*sentences, *(f"Warning: {caution}" for caution in cautions)]
        shown = [f"% {printable(comment)}" for comment in comments]
        body = "\n\n".join(table.latex() for table in tables)
        typer.echo("\n".join(["% needs \\usepackage{booktabs}", *shown, body]))
    else:
        _show_on_terminal(verdicts, lines or {}, tables, cautions)


def print_json(record: Mapping[str, Any]) -> None:
    """Print a record as strict JSON; its first key says which schema describes it."""
    whole = {"schema": schema_name(_command.get()), **record}
    typer.echo(json.dumps(whole, indent=2, allow_nan=False))


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


def check_plot(path: Path | None) -> None:
    """Raise if a figure could not be saved there, before any work is done."""
    if path is not None:
        check_figure_path(path)


def save_plot(draw: Callable[[], Any], path: Path, dpi: int = SCREEN_DPI) -> None:
    """Draw and save a figure."""
    save_plots({path: draw}, dpi)


def save_plots(draws: Mapping[Path, Callable[[], Any]], dpi: int = SCREEN_DPI) -> None:
    """Draw and save several figures, all of them or none."""
    with warnings.catch_warnings():
        # A name in a script the font lacks is drawn as boxes, and a very long one crowds
        # the figure; neither is a reason to warn.
        for message in ("Glyph .* missing from", "constrained_layout not applied"):
            warnings.filterwarnings("ignore", message=message, category=UserWarning)
        save_figures(draws, dpi, when_drawn=begin_writing)

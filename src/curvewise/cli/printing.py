"""How a command ends, and how it prints results in four styles.

Exit codes: 0 success, 2 usage error, 3 unusable data or option value, 130 interrupted, 141
nobody reads the output any more. 1 and 4 are verdicts of a gate: failed, undecided.
"""

from __future__ import annotations

import _thread
import codecs
import io
import json
import os
import signal
import sys
import threading
import warnings
from contextlib import contextmanager, suppress
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import typer

from curvewise.errors import CurvewiseError, CurvewiseWarning
from curvewise.rendering.figures import SCREEN_DPI, check_figure_path, save_figures
from curvewise.text import markdown_text, naming_flags, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import FrameType
    from typing import TextIO

    from rich.console import Console

    from curvewise.rendering.tables import Table

__all__ = [
    "FAILED",
    "UNDECIDED",
    "UNUSABLE",
    "Style",
    "check_plot",
    "exit_with_message",
    "ignore_closed_pipes",
    "note",
    "prepare_streams",
    "save_plot",
    "save_plots",
    "show",
]

FAILED = 1
UNUSABLE = 3
UNDECIDED = 4
INTERRUPTED = 130
MIN_WIDTH, MAX_LINE, MAX_WIDTH = 40, 90, 1_000  # characters
SECONDS_TO_INTERRUPT = 0.05
SPELT = "curvewise-spelt"  # what is done about letters that an encoding lacks
# Signs that curvewise itself prints, on terminals that lack them.
PLAIN_SIGNS = {
    "α": "alpha",
    "ω": "omega",
    "τ": "tau",
    "≤": "<=",
    "≥": ">=",
    "−": "-",
    "–": "-",
    "×": "x",
    "²": "^2",
    "∞": "infinity",
    "✓": "yes",
    "…": "...",
}
OUTPUT_CLOSED = 141  # what a shell reports of a command that SIGPIPE ended


# The interrupts that came so far.
_interrupts: list[int] = []


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
def exit_with_message() -> Iterator[None]:
    """Turn errors into a sentence and an exit code; name options as flags in all texts."""
    try:
        with naming_flags():
            yield
    except CurvewiseError as error:
        note(f"Error: {error}")
        raise typer.Exit(UNUSABLE) from None
    except MemoryError:
        note(
            "Error: There is not enough memory for these data. Keep fewer steps or runs."
        )
        raise typer.Exit(UNUSABLE) from None
    except KeyboardInterrupt:
        note("Interrupted; no result was written.")
        raise typer.Exit(INTERRUPTED) from None
    except RuntimeError:
        # A compiler that is interrupted may fail in ways of its own.
        if not _interrupts:
            raise
        note("Interrupted; no result was written.")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _discard_output()
        raise typer.Exit(OUTPUT_CLOSED) from None


def note(text: str) -> None:
    """Say something beside the result, on standard error; it may have several lines."""
    typer.echo("\n".join(map(printable, text.split("\n"))), err=True)


def prepare_streams() -> None:
    """Let the process print any name, and end quietly when nobody reads what it prints."""
    codecs.register_error(SPELT, _spell)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a letter shows its code instead, and signs of ours in words.
            stream.reconfigure(errors=SPELT)
    if hasattr(signal, "SIGPIPE"):
        # As other commands end in `curvewise … | head -1`. Python would raise an error, for
        # which typer exits with 1.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    warnings.showwarning = partial(_show_warning, warnings.showwarning)
    sys.unraisablehook = _interrupt_again
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _note_interrupt)


def _spell(error: UnicodeError) -> tuple[str | bytes, int]:
    """Write signs that an encoding lacks in others, and any other letter as its code."""
    if isinstance(error, UnicodeEncodeError):
        sign = error.object[error.start]
        if sign in PLAIN_SIGNS:
            return PLAIN_SIGNS[sign], error.start + 1
        rest = error.object[error.start : error.start + 1]
        alone = UnicodeEncodeError(error.encoding, rest, 0, 1, error.reason)
        return codecs.backslashreplace_errors(alone)[0], error.start + 1
    return codecs.backslashreplace_errors(error)


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


def _note_interrupt(number: int, frame: FrameType | None) -> None:
    """Remember that the user interrupted, then do what Python does."""
    _interrupts.append(number)
    signal.default_int_handler(number, frame)


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Interrupt once more if an interrupt fell into code that cannot raise, such as __del__."""
    if unraisable.exc_type is KeyboardInterrupt:
        # Not at once: this is still code that cannot raise.
        timer = threading.Timer(SECONDS_TO_INTERRUPT, _interrupt)
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(unraisable)


def _interrupt() -> None:
    """Interrupt the main thread, also one that sleeps where the system can wake it."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


def ignore_closed_pipes() -> None:
    """Let a closed pipe or connection raise an error, instead of ending the process."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def _discard_output() -> None:
    """Send what is still buffered nowhere, or flushing it at exit would fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a stream without a file, or closed
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


class Shown(Protocol):
    """What can be shown: a result, or a listing."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know, in a sentence each."""

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
    verdicts = [result.describe() for result in results]
    cautions = list(dict.fromkeys(w for result in results for w in result.warnings))
    sentences = [*verdicts, *(f"{word}: {text}" for word, text in (lines or {}).items())]
    tables = [table for result in results for table in result.tables()]
    if style is Style.JSON:
        whole = {"verdict": verdicts[0], **results[0].to_dict(), **(record or {})}
        typer.echo(json.dumps(whole, indent=2, allow_nan=False))
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
        save_figures(draws, dpi)

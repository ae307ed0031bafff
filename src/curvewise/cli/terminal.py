"""How a process runs a command: exit codes, streams, signals, progress, results in four styles.

What prints a result is imported when there is one: ``curvewise --help`` needs none of it.

A result that cannot be printed is an error; what is said beside it, on standard error, is not.

A command that is told to end, by Ctrl-C or by a system that shuts down, ends at once before the
work begins. In the work, `KeyboardInterrupt` is raised, so that files are left whole and a
checkpoint is written. Once a result is being written the work is done, and it is written to the
end: a command that says it was interrupted has printed no result.
"""

from __future__ import annotations

import _thread
import codecs
import io
import json
import os
import re
import signal
import sys
import threading
import time
import warnings
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

import click

from curvewise.errors import CurvewiseError, CurvewiseWarning, OptionError
from curvewise.text import argument, markdown_text, naming_flags, pairs, printable, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import FrameType

    from rich.console import Console

    from curvewise.inference.result import Result
    from curvewise.readers.scan import Scan
    from curvewise.rendering.tables import Table

    Shown = Result | Scan


SUCCESS = 0
FAILED = 1
USAGE = 2
UNUSABLE = 3
UNDECIDED = 4
BUG = 70  # EX_SOFTWARE of sysexits.h; Python's own 1 would read as a gate that failed
INTERRUPTED = 130
OUTPUT_CLOSED = 141  # what a shell reports of a command that SIGPIPE ended
TERMINATED = 143  # what a shell reports of a command that SIGTERM ended

MEANINGS = {
    SUCCESS: "success",
    FAILED: "gate failed",
    USAGE: "usage error",
    UNUSABLE: "unusable data or option value",
    UNDECIDED: "gate undecided",
    BUG: "bug in curvewise",
    INTERRUPTED: "interrupted",
    OUTPUT_CLOSED: "nobody reads the output any more",
    TERMINATED: "told to end",
}
# What help texts say about them.
SHOWN_CODES = sorted({*MEANINGS} - {BUG, OUTPUT_CLOSED, TERMINATED})
EPILOG = f"Exit codes: {', '.join(f'{code} {MEANINGS[code]}' for code in SHOWN_CODES)}."


SPELT = "curvewise-spelt"  # what is done about letters that an encoding lacks
# What GitHub's log takes for a command: the second sign is spelt, as JSON spells it too.
WORKFLOW_COMMAND = re.compile(r"(?m)^\s*::|##(?=\[)")
# Signs that curvewise itself prints, on terminals that lack them.
PLAIN_SIGNS = pairs(
    "α alpha  ω omega  τ tau  ≤ <=  ≥ >=  − -  – -  × x  ² ^2  ∞ infinity  ✓ yes  … ..."
)


def prepare_streams() -> None:
    """Let the process print any name, and end quietly when nobody reads what it prints."""
    _replace_closed_streams()
    codecs.register_error(SPELT, _spell)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a letter shows its code instead, and signs of ours in others.
            stream.reconfigure(errors=SPELT)
            if os.environ.get("GITHUB_ACTIONS"):
                stream.write = partial(_write, stream.write)  # type: ignore[method-assign]
    if hasattr(signal, "SIGPIPE"):
        # As other commands end in `curvewise … | head -1`. Python would raise an error, for
        # which click exits with 1.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def _spell(error: UnicodeError) -> tuple[str | bytes, int]:
    """Write signs that an encoding lacks in others, and any other letter as its code."""
    if isinstance(error, UnicodeEncodeError):
        sign = error.object[error.start]
        if sign in PLAIN_SIGNS:
            return PLAIN_SIGNS[sign], error.start + 1
        alone = UnicodeEncodeError(error.encoding, sign, 0, 1, error.reason)
        return codecs.backslashreplace_errors(alone)[0], error.start + 1
    return codecs.backslashreplace_errors(error)


def _write(write: Callable[[str], int], text: str) -> int:
    """Write a text in which nothing is a command of a workflow, whatever names it holds."""
    return write(WORKFLOW_COMMAND.sub(lambda own: f"{own[0][:-1]}\\u{ord(own[0][-1]):04x}", text))


def _replace_closed_streams() -> None:
    """Put something in place of streams that are closed, or the next file would be in theirs.

    Printing to standard output then fails as it should. Standard error goes nowhere.
    """
    for number in range(3) if os.name == "posix" else ():
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is given; no one can read or write it this way round.
            os.open(os.devnull, os.O_RDONLY if number else os.O_WRONLY)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def say(text: str) -> None:
    """Print a line on standard error, if that is possible."""
    try:
        click.echo(text, err=True)
    except BrokenPipeError:
        raise
    except OSError:
        _send_nowhere(sys.stderr)


def note(text: str) -> None:
    """Say something beside the result, on standard error; it may have several lines."""
    say("\n".join(map(printable, text.split("\n"))))


def say_warnings() -> None:
    """Say warnings of our own as sentences, from now on."""
    warnings.showwarning = partial(_show_warning, warnings.showwarning)


def _show_warning(
    otherwise: Callable[..., None], message: Warning | str, category: type[Warning], *place: Any
) -> None:
    """Say a warning of our own as a sentence; show any other as Python does."""
    if issubclass(category, CurvewiseWarning):
        note(f"Note: {message}")
    else:
        otherwise(message, category, *place)


def ignore_closed_pipes() -> None:
    """Let a closed pipe or connection raise an error, instead of ending the process."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def discard_output() -> None:
    """Send what is still buffered nowhere, or flushing it at exit would fail again."""
    for stream in (sys.stdout, sys.stderr):
        _send_nowhere(stream)


def _send_nowhere(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError, AttributeError):  # without a file, or closed
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


# A terminal that is closed, and a limit of time, end a command as others do.
NAMES = words("SIGINT SIGTERM SIGHUP SIGXCPU")
SIGNALS = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
SECONDS_TO_INTERRUPT = 0.05

# The signals that came so far.
_came: list[int] = []
# Those that this process handles; none if others run commands in a process of theirs.
_taken: list[signal.Signals] = []


def take_signals() -> None:
    """Handle signals in this process, which runs one command; to be called by the main thread.

    Those that whoever started it wants ignored stay ignored.
    """
    _taken.extend(number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN)
    _handle_with(_end_at_once)
    sys.unraisablehook = _interrupt_again


@contextmanager
def interruptible() -> Iterator[None]:
    """Let signals raise KeyboardInterrupt inside the block; after it they change nothing."""
    try:
        _handle_with(_interrupt)
        yield
    finally:
        _handle_with(signal.SIG_IGN)
        if _came:
            # CPython notes an interrupt of code that it compiled from text, as for dataclasses,
            # and would end with that signal whatever our exit code; running such code forgets it.
            exec("")  # noqa: S102


def begin_writing() -> None:
    """Go on to write the result: signals that come from now on change nothing.

    Raises KeyboardInterrupt if one came before, and was lost in code that cannot raise.
    """
    if _came:
        raise KeyboardInterrupt
    _handle_with(signal.SIG_IGN)


def interrupted_by() -> int | None:
    """Return the first signal that came while the command worked, if any did."""
    return _came[0] if _came else None


def _handle_with(handler: Any) -> None:
    for number in _taken:
        signal.signal(number, handler)


def _end_at_once(number: int, _frame: FrameType | None) -> None:
    os._exit(128 + number)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    _came.append(number)
    raise KeyboardInterrupt


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Interrupt once more if an interrupt fell into code that cannot raise, such as __del__."""
    if unraisable.exc_type is KeyboardInterrupt:
        # Not at once: this is still code that cannot raise.
        timer = threading.Timer(SECONDS_TO_INTERRUPT, _interrupt_main_thread)
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(unraisable)


def _interrupt_main_thread() -> None:
    """Interrupt the main thread if it still works, also one that the system must wake."""
    if signal.getsignal(signal.SIGINT) is not _interrupt:
        return
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


SECONDS_BEFORE_BAR = 1.0


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Show a bar with what is done and the time left, on a terminal.

    For work that takes over a second.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn(what),
        BarColumn(),
        TextColumn("{task.percentage:3.0f}%"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    started = time.monotonic()
    tasks: list[Any] = []

    def report(done: int, total: int) -> None:
        if not tasks:
            if time.monotonic() - started < SECONDS_BEFORE_BAR or done == total:
                return
            bar.start()
            tasks.append(bar.add_task("", total=total))
        bar.update(tasks[0], completed=done, total=total)

    from curvewise.shuffling.visit import reporting_progress

    try:
        with reporting_progress(report):
            yield
    finally:
        bar.stop()


# --- How a command ends, and how it prints results in four styles.

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
                from curvewise.schemas import schema_name

                record = {"schema": schema_name("error"), "exit_code": code}
                say(json.dumps({**record, "error": text, "option": flag}))
            raise click.exceptions.Exit(code) from None
        finally:
            _command.reset(token)


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
    from curvewise.inference.result import warnings_of

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
    from curvewise.schemas import schema_name

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


def save_plots(draws: Mapping[Path, Callable[[], Any]], dpi: int | None = None) -> None:
    """Draw and save figures, all of them or none."""
    from curvewise.rendering.figures import SCREEN_DPI, save_figures

    with warnings.catch_warnings():
        # A name in a script the font lacks is drawn as boxes, and a very long one crowds
        # the figure; neither is a reason to warn.
        for message in ("Glyph .* missing from", "constrained_layout not applied"):
            warnings.filterwarnings("ignore", message=message, category=UserWarning)
        save_figures(draws, dpi or SCREEN_DPI, begin_writing)

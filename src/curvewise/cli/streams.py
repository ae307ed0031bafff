"""The streams of a command: closed, full, in another encoding, or with nobody who reads them.

A result that cannot be printed is an error; what is said beside it, on standard error, is not.
"""

from __future__ import annotations

import codecs
import io
import os
import signal
import sys
from contextlib import suppress
from typing import TextIO

import typer

__all__ = [
    "discard_output",
    "ignore_closed_pipes",
    "prepare_streams",
    "say",
]


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


def prepare_streams() -> None:
    """Let the process print any name, and end quietly when nobody reads what it prints."""
    _replace_closed_streams()
    codecs.register_error(SPELT, _spell)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a letter shows its code instead, and signs of ours in others.
            stream.reconfigure(errors=SPELT)
    if hasattr(signal, "SIGPIPE"):
        # As other commands end in `curvewise … | head -1`. Python would raise an error, for
        # which typer exits with 1.
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
        typer.echo(text, err=True)
    except BrokenPipeError:
        raise
    except OSError:
        _send_nowhere(sys.stderr)


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

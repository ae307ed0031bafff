"""What happens to a command that is told to end, by Ctrl-C or by a system that shuts down.

Before the work begins it ends at once. In the work, `KeyboardInterrupt` is raised, so that files
are left whole and a checkpoint is written. Once a result is being written the work is done, and it
is written to the end: a command that says it was interrupted has printed no result.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = ["begin_writing", "interrupted_by", "interruptible", "take_signals"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)
SECONDS_TO_INTERRUPT = 0.05

# The signals that came so far.
_came: list[int] = []
# Those that this process handles; none if others run commands in a process of theirs.
_taken: list[signal.Signals] = []


def take_signals() -> None:
    """Handle signals in this process, which runs one command; to be called by the main thread.

    Those that whoever started it wants ignored stay ignored.
    """
    _taken.extend(
        number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN
    )
    _handle_with(_end_at_once)
    sys.unraisablehook = _interrupt_again


@contextmanager
def interruptible() -> Iterator[None]:
    """Let signals raise KeyboardInterrupt inside the block; after it they change nothing."""
    _handle_with(_interrupt)
    try:
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

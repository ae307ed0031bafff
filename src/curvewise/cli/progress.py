"""A progress bar for long work."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from curvewise.shuffling.parallel import reporting_progress

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["progress"]

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

    try:
        with reporting_progress(report):
            yield
    finally:
        bar.stop()

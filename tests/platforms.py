"""What only some systems have, for tests that need it."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

__all__ = [
    "HEARS_INTERRUPTS",
    "IGNORES_INTERRUPTS",
    "ended",
    "needs_links",
    "needs_posix",
    "needs_proc",
]

needs_posix = pytest.mark.skipif(os.name != "posix", reason="needs the signals and pipes of POSIX")
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="needs Linux's /proc"
)
needs_links = pytest.mark.skipif(os.name == "nt", reason="links need special rights on Windows")


def _hear_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# Arguments of Popen for a process that an interrupt ends, also where this one ignores them: a
# shell starts what it puts into the background so.
HEARS_INTERRUPTS: dict[str, Any] = {"preexec_fn": _hear_interrupts} if os.name == "posix" else {}


IGNORES_INTERRUPTS: dict[str, Any] = (
    {"preexec_fn": _ignore_interrupts} if os.name == "posix" else {}
)


def ended(process: subprocess.Popen[str], seconds: float) -> tuple[str, str]:
    """Return what a process says until it ends; one that does not end in time is killed."""
    try:
        return process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise

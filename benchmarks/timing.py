"""Time in CPU seconds: what else the machine does counts little."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["best_seconds", "seconds_of_process", "timed"]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Do the work once; return what it gives, and the CPU time of this process."""
    started = time.process_time()
    found = work()
    return found, time.process_time() - started


def best_seconds(work: Callable[[], Any], n_rounds: int = 3) -> float:
    """Return the least CPU time of several rounds."""
    return min(timed(work)[1] for _ in range(n_rounds))


def seconds_of_process(line: list[str]) -> float:
    """Return the CPU time of a process of its own, all its threads added up.

    It keeps the bytecode it compiles, so that later processes need not.
    """
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(line, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

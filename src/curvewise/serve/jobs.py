"""Work for the page: one process at a time, which tells how far it is and can be stopped."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvewiseError

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Callable, Mapping

__all__ = ["BusyError", "Job", "Jobs"]

GIGABYTE = 2**30
MAX_THREADS = 4  # of libraries: each reserves a part of the address space
MAX_LINE = 2**24
HEARTBEAT = 10.0  # seconds without news after which a stream shows that it lives
LAST = ("done", "refused", "failed", "stopped")
DIED = (
    "The process that worked on this ended without a word, perhaps for lack of memory. Keep "
    "fewer steps or runs, or give the page more with --max-memory."
)
BUSY = "The page is still working on something else. Wait for it, or stop it first."


class BusyError(CurvewiseError):
    """One job is under way already."""


@dataclass
class Job:
    """One task, and what is known of it.

    Attributes
    ----------
    number : str
    gives_way : bool
        Whether a new job stops it.
    state : dict
        The last news: progress and step, or one of done, refused, failed, stopped.
    """

    number: str
    gives_way: bool = False
    state: dict[str, Any] = field(default_factory=lambda: {"progress": 0.0})
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _process: Process | None = None

    @property
    def is_over(self) -> bool:
        """Whether no more news will come."""
        return any(word in self.state for word in LAST)

    async def tell(self, state: Mapping[str, Any]) -> None:
        """Take news, unless it is over."""
        async with self._news:
            if not self.is_over:
                self.state = dict(state)
                self._news.notify_all()

    async def events(self) -> AsyncIterator[dict[str, Any] | None]:
        """Yield the state and each change of it until it is over; None where nothing changes."""
        state: dict[str, Any] = {}
        while not any(word in state for word in LAST):
            changed = True
            async with self._news:
                if self.state == state:
                    try:
                        await asyncio.wait_for(self._news.wait(), HEARTBEAT)
                    except TimeoutError:
                        changed = False
                state = self.state
            yield state if changed else None

    async def run(self, task: Mapping[str, Any]) -> None:
        """Start the process, and take its news until it ends."""
        process = await _process()
        self._process = process
        if process.stdin is None or process.stdout is None:  # both are pipes
            raise AssertionError
        try:
            if not self.is_over:  # it may have been stopped before it began
                process.stdin.write(json.dumps(task).encode() + b"\n")
                await process.stdin.drain()
            while not self.is_over and (line := await process.stdout.readline()):
                await self.tell(json.loads(line))
        except (ConnectionError, ValueError):
            pass  # it died, in the middle of a line perhaps
        finally:
            await self._end()
            await self.tell({"failed": DIED})

    async def stop(self) -> None:
        """End the process at once."""
        await self.tell({"stopped": True})
        await self._end()

    async def _end(self) -> None:
        process = self._process
        if process is None:
            return
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        await process.wait()
        if process.stdin is not None:
            process.stdin.close()


@dataclass
class Jobs:
    """The jobs of a session.

    Attributes
    ----------
    memory : int
        The bytes that a process may ask for.
    """

    memory: int = 4 * GIGABYTE
    _all: dict[str, Job] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def is_busy(self) -> bool:
        """Whether one is under way."""
        return any(not job.is_over for job in self._all.values())

    def __getitem__(self, number: str) -> Job:
        return self._all[number]

    async def start(
        self,
        number: str,
        task: Mapping[str, Any],
        *,
        gives_way: bool = False,
        then: Callable[[], None],
    ) -> Job:
        """Start a job, and call ``then`` when it is over.

        Raises `BusyError` while another one is under way that does not give way.
        """
        if any(not job.is_over and not job.gives_way for job in self._all.values()):
            raise BusyError(BUSY)
        job = Job(number, gives_way)
        before, self._all = self._all, {number: job}  # what is over is forgotten
        for other in before.values():
            await other.stop()
        running = asyncio.create_task(job.run({**task, "memory": self.memory}))
        self._tasks.add(running)
        running.add_done_callback(self._tasks.discard)
        running.add_done_callback(lambda _: then())
        return job

    async def close(self) -> None:
        """Stop what is under way, and wait until no process is left."""
        for job in list(self._all.values()):
            await job.stop()
        if self._tasks:
            await asyncio.wait(self._tasks)


async def _process() -> Process:
    """Start a fresh interpreter that sees what this one sees, and no more threads than needed."""
    threads = str(min(os.cpu_count() or 1, MAX_THREADS))
    libraries = ("OPENBLAS", "MKL", "OMP", "NUMBA")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "POLARS_MAX_THREADS": threads,
        "MALLOC_ARENA_MAX": threads,
        **{f"{name}_NUM_THREADS": threads for name in libraries},
    }
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-P", "-m", "curvewise.serve.worker"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environment,
        limit=MAX_LINE,
        # An interrupt of the terminal is for the server, which then ends its processes.
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )

"""One process at a time: news, stopping, and what is left of it."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from curvewise.serve import work as jobs_module
from curvewise.serve.work import BusyError, Jobs
from tests.platforms import needs_posix
from tests.serve.running import write_table
from tests.serve.test_worker import task_of

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from pathlib import Path

    from curvewise.serve.work import Job

ENDLESS = {"n_shuffles": 10**8, "exact": False}

pytestmark = needs_posix  # they look at processes by their numbers


def endless(tmp_path: Path) -> dict[str, Any]:
    write_table(tmp_path / "runs.csv", n_steps=300)
    output = str(tmp_path / "report.html")
    return task_of(tmp_path, "runs.csv", output=output, shuffling=ENDLESS)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_stop_ends_the_process_and_a_second_job_has_to_wait(tmp_path: Path) -> None:
    async def scene() -> None:
        jobs = Jobs()
        over: list[str] = []
        job = await jobs.start("1", endless(tmp_path), then=lambda: over.append("1"))
        with pytest.raises(BusyError, match="still working"):
            await jobs.start("2", endless(tmp_path), then=lambda: over.append("2"))
        seen = []
        async for state in job.events():
            seen.append(state)
            if state is not None and "step" in state:
                assert jobs.is_busy
                assert job._process is not None
                pid = job._process.pid
                await job.stop()
        assert seen[-1] == {"stopped": True}
        assert not is_alive(pid)
        assert not jobs.is_busy
        await jobs.close()
        assert over == ["1"]

    asyncio.run(scene())


def test_a_preview_gives_way_and_a_process_that_dies_is_told(tmp_path: Path) -> None:
    async def scene() -> None:
        jobs = Jobs()
        first = await jobs.start("1", endless(tmp_path), gives_way=True, then=lambda: None)
        second = await jobs.start("2", endless(tmp_path), then=lambda: None)
        assert first.state == {"stopped": True}
        with pytest.raises(KeyError):
            jobs["1"]
        assert jobs["2"] is second
        async for state in second.events():
            if state is not None and "step" in state:
                assert second._process is not None
                os.kill(second._process.pid, signal.SIGKILL)
        assert "for lack of memory" in second.state["failed"]
        await jobs.close()

    asyncio.run(scene())


def test_of_many_previews_at_once_only_the_last_gets_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []
    original = jobs_module._process

    async def counted() -> Process:
        started.append(1)
        return await original()

    monkeypatch.setattr(jobs_module, "_process", counted)

    async def scene() -> None:
        jobs = Jobs()
        over: list[str] = []

        async def ask(name: str) -> Job:
            task = endless(tmp_path)
            return await jobs.start(name, task, gives_way=True, then=lambda: over.append(name))

        first = await ask("first")
        async for state in first.events():
            if state is not None and "step" in state:
                break
        names = [str(place) for place in range(30)]
        asked = await asyncio.gather(*map(ask, names))
        assert [job.is_over for job in asked] == [True] * 29 + [False]
        assert len(started) <= 2
        await jobs.close()
        assert sorted(over) == sorted(["first", *names])

    asyncio.run(scene())

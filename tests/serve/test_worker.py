"""The process that works for the page."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from curvewise.errors import CurvesError
from curvewise.serve.work import _bound_memory, command_of, work
from curvewise.text import naming_flags
from tests.serve.running import write_table

if TYPE_CHECKING:
    from pathlib import Path


def task_of(folder: Path, *paths: str, **more: Any) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "paths": list(paths),
        "options": {},
        "output": None,
        "shuffling": {"n_shuffles": 99, "rng": 0},
        "size": 10**6,
        "memory": 2**32,
        **more,
    }


def test_a_report_is_written_and_progress_only_rises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "runs.csv")
    said: list[Any] = []
    task = task_of(tmp_path, "runs.csv", output=str(tmp_path / "report.html"))
    work(task, lambda record: said.append(dict(record)))
    *progress, last = said
    values = [own["progress"] for own in progress]
    assert values == sorted(values)
    assert (values[0], values[-1]) == (0, 1)
    steps = list(dict.fromkeys(own["step"] for own in progress))
    asked = ["do they differ?", "where do they differ?"]
    assert steps == ["reading", *asked, "writing the report"]
    assert last["done"]["title"] == "Runs: A and B"
    assert last["done"]["headline"].startswith("B ")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "curvewise report runs.csv" in text
    assert str(tmp_path) not in text


def test_what_parquet_unpacks_to_is_checked_of_files_that_were_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import polars as pl

    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"score": [0.0] * 1_000}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(CurvesError, match="when it is unpacked"):
        work(task_of(tmp_path, "a.parquet", size=7_999), lambda _: None)


def test_the_command_in_the_report_can_be_typed() -> None:
    options = {
        "only": ["A b", "C"],
        "where": {"game": "pong"},
        "short": "carry",
        "higher_is_better": True,
        "task": None,
    }
    with naming_flags():
        command = command_of(["a b.csv"], options)
    assert command == (
        "curvewise report 'a b.csv' --only 'A b' --only C --where game=pong --short carry "
        "--higher-is-better"
    )


def lines_of(task: dict[str, Any]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-c", KEPT_OPEN],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


# The input stays open, as the server keeps it.
KEPT_OPEN = """
import subprocess, sys
command = [sys.executable, "-m", "curvewise.serve.work"]
worker = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
worker.stdin.write(sys.stdin.read() + "\\n")
worker.stdin.flush()
worker.wait()
"""


def test_a_refusal_names_options_as_flags(tmp_path: Path) -> None:
    write_table(tmp_path / "runs.csv", ragged=True)
    task = task_of(tmp_path, "runs.csv", output=str(tmp_path / "report.html"))
    *_, last = lines_of(task)
    assert "--short" in last["refused"]


def test_a_bug_is_no_silence(tmp_path: Path) -> None:
    (last,) = lines_of(task_of(tmp_path, "runs.csv", options={"nonsense": 1}))
    assert last["failed"].startswith("TypeError: ")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds address spaces")
def test_memory_is_bounded(tmp_path: Path) -> None:
    code = (
        "from curvewise.serve.work import _bound_memory\n"
        "_bound_memory(2**30)\n"
        "try: bytearray(2**31)\n"
        "except MemoryError: print('bounded')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "bounded\n"


def test_it_ends_when_the_server_is_gone(tmp_path: Path) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-m", "curvewise.serve.work"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    write_table(tmp_path / "runs.csv", n_steps=400)
    task = task_of(tmp_path, "runs.csv", output=str(tmp_path / "report.html"))
    task["shuffling"] = {"n_shuffles": 10**7, "exact": False}
    worker.communicate(json.dumps(task) + "\n", timeout=60)
    assert worker.returncode == 1


def test_without_limits_of_the_system_memory_is_not_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")  # to see that nothing was asked of it
    before = resource.getrlimit(resource.RLIMIT_AS)
    monkeypatch.setitem(sys.modules, "resource", None)
    _bound_memory(1)  # would end this process
    assert resource.getrlimit(resource.RLIMIT_AS) == before

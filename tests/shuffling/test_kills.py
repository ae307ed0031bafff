"""Work that is killed, at any instant and by anyone: it goes on with the same digits, or says why not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

from curvewise import CurvewiseError, compare
from curvewise.shuffling.visit import chunks_of, in_chunks
from tests.simulation import some_curves

ROOT = Path(__file__).parents[2]
# Work that writes its checkpoint after every chunk, and takes its time about it.
OPTIONS = {"n_shuffles": 60_000, "exact": False, "rng": 0}
PROGRAM = """
import json, sys, time
from curvewise import compare
from curvewise.shuffling import checkpoint
from tests.shuffling.test_kills import OPTIONS
from tests.simulation import some_curves
checkpoint.SECONDS_BETWEEN_WRITES = 0.0
write = checkpoint.Checkpoint.write
def slowly(self):
    write(self)
    time.sleep(0.15)
checkpoint.Checkpoint.write = slowly
print("begun", flush=True)
try:
    found = compare(some_curves(0, (8, 8)), **OPTIONS, checkpoint=sys.argv[1])
except KeyboardInterrupt:
    sys.exit(130)
print(json.dumps(found.to_dict()))
"""
MAX_KILLS = 12


def started(path: Path) -> subprocess.Popen[str]:
    """Begin the work in a process of its own; return once it is about to shuffle."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    return process


def finished(process: subprocess.Popen[str]) -> Any:
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    return json.loads(stdout)


def expected() -> Any:
    found = compare(some_curves(0, (8, 8)), **OPTIONS)  # type: ignore[arg-type]
    return json.loads(json.dumps(found.to_dict()))


def check_killed_and_resumed(path: Path, number: signal.Signals, n_kills: int) -> None:
    rng = np.random.default_rng(0)
    n_killed = 0
    for _ in range(n_kills):
        process = started(path)
        time.sleep(rng.uniform(0.0, 0.5))
        process.send_signal(number)
        process.communicate(timeout=120)
        n_killed += process.returncode != 0
        if number == signal.SIGINT:  # whom others end cannot tidy up
            assert {file.name for file in path.parent.iterdir()} <= {path.name}
    assert n_killed > 0
    assert finished(started(path)) == expected()


def test_killed_work_goes_on_with_the_same_digits(tmp_path: Path) -> None:
    check_killed_and_resumed(tmp_path / "work.npz", signal.SIGKILL, n_kills=1)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_work_that_is_killed_again_and_again_goes_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    check_killed_and_resumed(tmp_path / "work.npz", number, n_kills=MAX_KILLS)


@pytest.mark.slow
def test_two_processes_share_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "work.npz"
    both = [started(path), started(path)]
    answers = [finished(process) for process in both]
    assert answers == [expected()] * 2
    assert finished(started(path)) == expected()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


# --- workers of a cluster --------------------------------------------------------------


def _dies_once(flag: str, chunk: range) -> int:
    path = Path(flag)
    if chunk.start == 2 and not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return sum(chunk)


def _dies_in_workers(client: int, chunk: range) -> int:
    if os.getpid() != client:
        os.kill(os.getpid(), signal.SIGKILL)
    return sum(chunk)


@pytest.mark.slow
def test_dask_workers_that_die_cost_a_retry_or_are_told(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    chunks = chunks_of(range(12), 2)
    expected = [(chunk, sum(chunk)) for chunk in chunks]
    once = partial(_dies_once, str(tmp_path / "flag"))
    with (
        warnings.catch_warnings(),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        warnings.simplefilter("ignore")
        assert list(in_chunks(once, chunks, n_jobs=2)) == expected
        assert (tmp_path / "flag").exists()
        # With no worker left, joblib may also do the work itself.
        always = partial(_dies_in_workers, os.getpid())
        try:
            assert list(in_chunks(always, chunks, n_jobs=2)) == expected
        except CurvewiseError as refused:
            assert "Workers died" in str(refused)  # noqa: PT017 (either may happen)

"""The same digits on threads, processes, dask and ray; lost workers cost time, not counts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

from curvewise import CurvewiseError, compare
from curvewise.shuffling import parallel
from curvewise.shuffling import visiting as shuffling
from curvewise.shuffling.parallel import in_chunks, watched
from tests.simulation import some_curves

CURVES = some_curves(3, (9, 8, 7))
OPTIONS: dict[str, Any] = {"n_shuffles": 300_000, "rng": 11}


@pytest.fixture(scope="module", autouse=True)
def compiled_soon() -> Any:
    """Let compiled code serve small work too, so that both engines are spread."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffling, "REPAYS", 1_000_000)
        patch.setattr(shuffling, "COMPILED_CHUNK", 32)
        patch.setattr(shuffling, "CHUNK", 16)
        yield


@pytest.fixture(scope="module")
def serial() -> dict[str, Any]:
    found = compare(CURVES, **OPTIONS)
    assert found.engine == "compiled shuffles"
    return found.to_dict()


def test_threads_and_processes(serial: dict[str, Any]) -> None:
    assert compare(CURVES, n_jobs=2, **OPTIONS).to_dict() == serial
    with joblib.parallel_config(backend="loky"):
        assert compare(CURVES, n_jobs=2, **OPTIONS).to_dict() == serial


def test_dask(serial: dict[str, Any]) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        warnings.catch_warnings(),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        as cluster,
        distributed.Client(cluster),
    ):  # fmt: skip
        warnings.simplefilter("ignore")
        with joblib.parallel_config("dask"):
            assert compare(CURVES, n_jobs=-1, **OPTIONS).to_dict() == serial


def test_ray(serial: dict[str, Any]) -> None:
    pytest.importorskip("ray")
    # In a process of its own: ray leaves sockets and threads behind.
    code = (
        "import json, warnings, joblib, ray\n"
        "warnings.simplefilter('ignore')\n"
        "from ray.util.joblib import register_ray\n"
        "from tests.shuffling.test_parallel import CURVES, OPTIONS\n"
        "from curvewise import compare\nfrom curvewise.shuffling import visiting as shuffling\n"
        "shuffling.REPAYS, shuffling.COMPILED_CHUNK, shuffling.CHUNK = 1_000_000, 32, 16\n"
        "ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)\n"
        "register_ray()\n"
        "with joblib.parallel_config('ray'):\n"
        "    print('RESULT', json.dumps(compare(CURVES, n_jobs=2, **OPTIONS).to_dict()))\n"
    )
    import json

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        },
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, done.stderr[-2_000:]
    assert json.loads(lines[0].removeprefix("RESULT ")) == json.loads(json.dumps(serial))


def _dies_once(flag: str, items: range) -> int:
    path = Path(flag)
    if items.start == 2 and not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return sum(items)


def _always_dies(items: range) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return sum(items)


def test_a_worker_that_dies_costs_a_retry(tmp_path: Path) -> None:
    from functools import partial

    work = partial(_dies_once, str(tmp_path / "flag"))
    with warnings.catch_warnings(), joblib.parallel_config(backend="loky"):
        warnings.simplefilter("ignore")
        found = in_chunks(work, range(12), chunk=2, n_jobs=2)
    assert found == [1, 5, 9, 13, 17, 21]
    assert (tmp_path / "flag").exists()


def test_workers_that_keep_dying_are_an_error() -> None:
    with warnings.catch_warnings(), joblib.parallel_config(backend="loky"):
        warnings.simplefilter("ignore")
        with pytest.raises(CurvewiseError, match="Workers died 3 times over"):
            in_chunks(_always_dies, range(12), chunk=2, n_jobs=2)


def test_other_errors_are_not_retried() -> None:
    def fail(_: range) -> int:
        msg = "no"
        raise ZeroDivisionError(msg)

    with pytest.raises(ZeroDivisionError):
        in_chunks(fail, range(12), chunk=2, n_jobs=2)


def test_progress_is_told_chunk_by_chunk() -> None:
    seen: list[tuple[int, int]] = []
    with watched(lambda done, total: seen.append((done, total))):
        in_chunks(len, range(7), chunk=3, n_jobs=1)
    assert seen == [(3, 7), (6, 7), (7, 7)]
    in_chunks(len, range(7), chunk=3, n_jobs=1)
    assert len(seen) == 3


def test_threads_do_not_start_blas_threads_of_their_own() -> None:
    from threadpoolctl import threadpool_info

    def blas_threads(_: range) -> int:
        time.sleep(0.01)
        np.ones((64, 64)) @ np.ones((64, 64))
        return max(p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas")

    assert set(in_chunks(blas_threads, range(4), chunk=1, n_jobs=2)) == {1}
    assert parallel.N_TRIES == 3


def test_pairs_are_told_one_by_one() -> None:
    from curvewise import compare_pairs
    from curvewise.shuffling.parallel import watched

    told: list[tuple[int, int]] = []
    with watched(lambda done, total: told.append((done, total))):
        compare_pairs(some_curves(0, (4, 4, 4)))
    assert told == [(1, 3), (2, 3), (3, 3)]

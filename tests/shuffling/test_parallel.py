"""The same digits on threads, processes, dask and ray; lost workers cost time, not counts."""

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
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
import pytest

from curvewise import CurvewiseError, compare
from curvewise.questions.compare import method
from curvewise.questions.compare.method import Overall
from curvewise.shuffling.visit import (
    N_TRIES,
    chunks_of,
    in_chunks,
    reporting_progress,
    single_blas,
    track_items,
)
from curvewise.text import naming_flags
from tests.simulation import some_curves

if TYPE_CHECKING:
    from collections.abc import Iterator

CURVES = some_curves(3, (9, 8, 7))
OPTIONS: dict[str, Any] = {"n_shuffles": 300_000, "rng": 11}
ROOT = Path(__file__).parents[2]
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one way to end a process


def compile_soon(patch: pytest.MonkeyPatch) -> None:
    """Let compiled code serve small work too, in chunks so small that both engines share it."""
    patch.setattr(method, "compiling_repays", lambda numpy, _: numpy > 0.01)
    patch.setattr(Overall, "chunk", 16)


@pytest.fixture(scope="module", autouse=True)
def compiled_soon() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        compile_soon(patch)
        yield


@pytest.fixture(scope="module")
def serial() -> dict[str, Any]:
    pytest.importorskip("numba", reason="both engines share the work")
    found = compare(CURVES, **OPTIONS)
    assert found.engine == "compiled shuffles"
    return found.to_dict()


@pytest.mark.slow
def test_threads_and_processes(serial: dict[str, Any]) -> None:
    assert compare(CURVES, n_jobs=2, **OPTIONS).to_dict() == serial
    with joblib.parallel_config(backend="loky"):
        assert compare(CURVES, n_jobs=2, **OPTIONS).to_dict() == serial


@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_dask(serial: dict[str, Any], processes: bool) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        warnings.catch_warnings(),
        # Any port that is free: other tests may have a cluster at the same time.
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=processes, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster),
    ):  # fmt: skip
        warnings.simplefilter("ignore")
        with joblib.parallel_config("dask"):
            assert compare(CURVES, n_jobs=-1, **OPTIONS).to_dict() == serial


@pytest.mark.slow
def test_ray(serial: dict[str, Any]) -> None:
    pytest.importorskip("ray")
    # In a process of its own: ray leaves sockets and threads behind.
    code = (
        "import json, warnings, joblib, ray, pytest\n"
        "warnings.simplefilter('ignore')\n"
        "from ray.util.joblib import register_ray\n"
        "from tests.shuffling.test_parallel import CURVES, OPTIONS, compile_soon\n"
        "from curvewise import compare\n"
        "compile_soon(pytest.MonkeyPatch())\n"
        "ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)\n"
        "register_ray()\n"
        "with joblib.parallel_config('ray'):\n"
        "    print('RESULT', json.dumps(compare(CURVES, n_jobs=2, **OPTIONS).to_dict()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"},
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, done.stderr[-2_000:]
    assert json.loads(lines[0].removeprefix("RESULT ")) == json.loads(json.dumps(serial))


# --- chunks --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "size", "chunks"),
    [
        (range(0), 3, []),
        (range(3), 3, [range(3)]),
        (range(7), 3, [range(3), range(3, 6), range(6, 7)]),
        (range(5, 9), 2, [range(5, 7), range(7, 9)]),
    ],
)
def test_a_range_is_cut_into_chunks(items: range, size: int, chunks: list[range]) -> None:
    assert chunks_of(items, size) == chunks


CHUNKS = chunks_of(range(12), 2)


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_chunks_come_back_in_order(n_jobs: int) -> None:
    def slower_at_first(chunk: range) -> int:
        time.sleep(0.01 * (12 - chunk.start) / 12)
        return sum(chunk)

    found = list(in_chunks(slower_at_first, CHUNKS, n_jobs=n_jobs))
    assert found == [(chunk, sum(chunk)) for chunk in CHUNKS]


def _dies_once(flag: str, chunk: range) -> int:
    path = Path(flag)
    if chunk.start == 2 and not path.exists():
        path.touch()
        os.kill(os.getpid(), KILL)
    return sum(chunk)


def _always_dies(chunk: range) -> int:
    os.kill(os.getpid(), KILL)
    return sum(chunk)


def test_a_worker_that_dies_costs_a_retry(tmp_path: Path) -> None:
    work = partial(_dies_once, str(tmp_path / "flag"))
    with warnings.catch_warnings(), joblib.parallel_config(backend="loky"):
        warnings.simplefilter("ignore")
        found = list(in_chunks(work, CHUNKS, n_jobs=2))
    assert found == [(chunk, sum(chunk)) for chunk in CHUNKS]
    assert (tmp_path / "flag").exists()


@pytest.mark.slow
def test_workers_that_keep_dying_are_an_error() -> None:
    with warnings.catch_warnings(), joblib.parallel_config(backend="loky"):
        warnings.simplefilter("ignore")
        with naming_flags(), pytest.raises(CurvewiseError) as refused:
            list(in_chunks(_always_dies, CHUNKS, n_jobs=2))
    assert str(refused.value) == (
        f"Workers died {N_TRIES} times over (TerminatedWorkerError), perhaps for lack of "
        "memory. Use threads, or fewer jobs (--jobs)."
    )


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_other_errors_are_not_retried(n_jobs: int) -> None:
    tried = []

    def fail(chunk: range) -> int:
        tried.append(chunk)
        msg = "no"
        raise ZeroDivisionError(msg)

    with pytest.raises(ZeroDivisionError):
        list(in_chunks(fail, CHUNKS, n_jobs=n_jobs))
    assert len(tried) == len(set(tried))


# --- progress ------------------------------------------------------------------------


def test_progress_is_reported_chunk_by_chunk() -> None:
    seen: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: seen.append((done, total))):
        list(in_chunks(len, chunks_of(range(7), 3), n_jobs=1))
    assert seen == [(3, 7), (6, 7), (7, 7)]
    list(in_chunks(len, chunks_of(range(7), 3), n_jobs=1))
    assert len(seen) == 3


def test_what_was_done_before_counts_as_done() -> None:
    seen: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: seen.append((done, total))):
        list(in_chunks(len, chunks_of(range(4, 10), 3), n_jobs=1, n_done=4))
    assert seen == [(7, 10), (10, 10)]


def test_items_are_reported_one_by_one_and_nothing_inside_them() -> None:
    seen: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: seen.append((done, total))):
        for item in track_items(["a", "b", "c"]):
            list(in_chunks(len, chunks_of(range(4), 1), n_jobs=1))
            assert item
        list(in_chunks(len, [range(2)], n_jobs=1))
    assert seen == [(1, 3), (2, 3), (3, 3), (2, 2)]
    assert list(track_items([1, 2])) == [1, 2]


def test_pairs_are_reported_one_by_one() -> None:
    from curvewise import compare_pairs

    seen: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: seen.append((done, total))):
        compare_pairs(some_curves(0, (4, 4, 4)))
    # Then all partitions at once.
    assert seen == [(1, 3), (2, 3), (3, 3), (1, 1)]


# --- BLAS ----------------------------------------------------------------------------


def blas_threads(_: range) -> int:
    from threadpoolctl import threadpool_info

    time.sleep(0.01)
    np.ones((64, 64)) @ np.ones((64, 64))
    return max(p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas")


def test_threads_do_not_start_blas_threads_of_their_own() -> None:
    found = in_chunks(blas_threads, chunks_of(range(4), 1), n_jobs=2)
    assert {threads for _, threads in found} == {1}


def test_blas_has_its_threads_again_afterwards() -> None:
    before = blas_threads(range(1))
    with single_blas():
        assert blas_threads(range(1)) == 1
    assert blas_threads(range(1)) == before


def test_blas_inside_a_single_one_stays_single_until_the_outer_ends() -> None:
    before = blas_threads(range(1))
    with single_blas():
        with single_blas():
            assert blas_threads(range(1)) == 1
        assert blas_threads(range(1)) == 1
    assert blas_threads(range(1)) == before

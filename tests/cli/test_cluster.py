"""--cluster: the same digits from elsewhere, or a sentence."""

from __future__ import annotations

import builtins
import json
import os
import signal
import sys
import time
import tomllib
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import curvewise as cw
from curvewise import MissingPackageError, OptionError
from curvewise.cli import cluster
from curvewise.cli.cluster import on_cluster
from curvewise.shuffling.visit import chunks_of, in_chunks
from tests.cli.running import invoke, one_line, run_process
from tests.simulation import some_curves

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "SECONDS_TO_ANSWER", 0.5)


@pytest.mark.usefixtures("impatient")
def test_a_cluster_that_does_not_answer_is_told(table: Path) -> None:
    result = invoke("compare", table, "--cluster", "tcp://127.0.0.1:9")
    assert result.exit_code == 3
    assert "No cluster answers at 'tcp://127.0.0.1:9'" in result.stderr
    assert "Check that its scheduler runs." in " ".join(result.stderr.split())


@pytest.mark.parametrize(("address", "library"), [("ray://x", "ray"), ("tcp://x", "dask")])
def test_a_library_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, address: str, library: str
) -> None:
    found = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name in {"ray", "distributed"}:
            raise ModuleNotFoundError(name)
        return found(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with (
        pytest.raises(MissingPackageError, match=rf'pip install "curvewise\[{library}\]"'),
        on_cluster(address),
    ):
        pass


@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_dask_cluster_gives_the_same_digits(table: Path, processes: bool) -> None:
    distributed = pytest.importorskip("distributed")
    options = ["compare", table, "--sampled", "--json", "--shuffles", "200000"]
    alone = invoke(*options)
    # Any port that is free: other tests may have a cluster at the same time.
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=processes,
        protocol="tcp://",
        dashboard_address=":0",
    ) as local:
        spread = run_process(*options, "--cluster", local.scheduler_address)
    assert spread.returncode == 0, spread.stderr
    found, expected = (json.loads(done.stdout) for done in (spread, alone))
    # This process may have imported numba before, which then serves small work too.
    assert "shuffles" in found.pop("engine")
    assert "shuffles" in expected.pop("engine")
    assert found == expected


@contextmanager
def dask_cluster(**options: Any) -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    given = {"threads_per_worker": 1, "processes": False, "protocol": "tcp://", **options}
    with distributed.LocalCluster(dashboard_address=":0", **given) as local:
        yield local


def test_a_cluster_of_one_thread_is_used_and_gets_the_curves_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    curves = some_curves(0, (8, 8), n_steps=400)
    options: dict[str, Any] = {
        "n_shuffles": 40_000,
        "windows": False,
        "exact": False,
        "rng": 0,
        "n_resamples": 0,
    }
    with (
        dask_cluster(n_workers=1) as local,
        on_cluster(local.scheduler_address),
        counting_bytes(local.scheduler_address) as sent,
    ):
        spread = cw.locate(curves, **options, n_jobs=-1)
    assert "has 1 worker with 1 thread." in capsys.readouterr().err
    assert spread.to_dict() == cw.locate(curves, **options).to_dict()
    assert curves.scores.nbytes < sent[0] < 15 * curves.scores.nbytes


@contextmanager
def counting_bytes(address: str) -> Iterator[list[int]]:
    """Count what is sent to a scheduler of dask: work, and nothing that comes back."""
    from distributed.comm.tcp import TCP

    sent, write = [0], TCP.write

    async def counted(self: Any, msg: Any, *rest: Any, **more: Any) -> Any:
        done: int = await write(self, msg, *rest, **more)  # type: ignore[no-untyped-call]
        sent[0] += done * (self.peer_address == address)
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TCP, "write", counted)
        yield sent


def test_little_work_is_done_here_and_said(table: Path) -> None:
    with dask_cluster(n_workers=1) as local:
        few = ("compare", table, "--sampled", "--shuffles", 99)
        done = invoke(*few, "--cluster", local.scheduler_address)
    assert done.exit_code == 0
    assert "done here, not on the cluster" in done.stderr


def test_a_cluster_without_workers_is_waited_for_and_told(table: Path) -> None:
    with dask_cluster(n_workers=0) as local:
        at = ("--cluster", local.scheduler_address)
        done = invoke("compare", table, *at, "--cluster-timeout", 1)
        assert done.exit_code == 3
        assert "up to 1 seconds (--cluster-timeout)" in done.stderr
        assert "has had no worker for 1 seconds. Start workers" in one_line(done.stderr)
        local.scale(1)  # as it says
        assert invoke("compare", table, *at, "--cluster-timeout", 60).exit_code == 0


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ("raise ModuleNotFoundError(\"No module named 'curvewise'\")", "No module named"),
        ("__version__ = '0.0.1'", "have curvewise 0.0.1"),
    ],
)
def test_workers_that_lack_curvewise_are_told_before_the_work(
    table: Path, tmp_path: Path, there: str, told: str
) -> None:
    (tmp_path / "curvewise.py").write_text(there, encoding="utf-8")
    with (
        dask_cluster(n_workers=0) as local,
        started_worker(local.scheduler_address, PYTHONPATH=str(tmp_path)),
    ):
        done = invoke("compare", table, "--cluster", local.scheduler_address)
    assert done.exit_code == 3
    assert told in one_line(done.stderr)
    assert f"=={cw.__version__}" in done.stderr


@contextmanager
def started_worker(address: str, **environment: str) -> Iterator[Popen[bytes]]:
    words = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny"]
    worker = Popen(
        [*words, "--nthreads", "1", "--no-dashboard"],
        env={**os.environ, **environment},
        stdout=DEVNULL,
        stderr=DEVNULL,
    )
    try:
        yield worker
    finally:
        worker.kill()
        worker.wait()


@pytest.mark.parametrize("loss", ["worker", "scheduler"])
def test_a_cluster_that_is_lost_ends_with_a_sentence_and_a_checkpoint(
    table: Path, tmp_path: Path, loss: str
) -> None:
    counts = tmp_path / "counts.npz"
    work = ("--sampled", "--shuffles", "3e8", "--checkpoint", str(counts))
    with dask_cluster(n_workers=0) as local, started_worker(local.scheduler_address) as worker:
        at = ("--cluster", local.scheduler_address, "--cluster-timeout", "20")
        process = Popen(
            [sys.executable, "-m", "curvewise", "compare", str(table), *work, *at],
            stdout=PIPE,
            stderr=PIPE,
            text=True,
        )
        deadline = time.monotonic() + 60
        while not counts.exists() and time.monotonic() < deadline:
            time.sleep(0.2)
        if loss == "worker":
            worker.kill()
        else:
            local.close()
        _, stderr = process.communicate(timeout=90)
    assert process.returncode == 3, stderr
    assert "Traceback" not in stderr
    assert f"The work done so far is in {counts}" in stderr
    expected = "has given no result for 20" if loss == "worker" else "was lost"
    assert expected in stderr.splitlines()[-1]


def test_certificates_of_dask_are_used(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    security = pytest.importorskip("distributed.security")
    pytest.importorskip("cryptography")
    temporary = security.Security.temporary()
    with dask_cluster(n_workers=1, protocol="tls://", security=temporary) as local:
        at = ("compare", table, "--cluster", local.scheduler_address)
        done = invoke(*at)
        assert done.exit_code == 3
        own = {
            "CA_FILE": temporary.tls_ca_file,
            "CLIENT__CERT": temporary.tls_client_cert,
            "CLIENT__KEY": temporary.tls_client_key,
        }
        named = {}
        for name, text in own.items():
            named[f"{cluster.TLS}{name}"] = str(tmp_path / name)
            (tmp_path / name).write_text(text, encoding="utf-8")
        assert all(name in one_line(done.stderr) for name in named)
        assert run_process(*at, cwd=None, **named).returncode == 0


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_time_to_give_up_is_a_number_of_seconds(table: Path, seconds: str) -> None:
    at = ("--cluster", "tcp://127.0.0.1:9", "--cluster-timeout", seconds)
    done = invoke("compare", table, *at)
    assert done.exit_code == 3
    assert "--cluster-timeout must be a number of seconds above 0" in done.stderr


def fake_ray(calls: list[object]) -> Any:
    """What is asked of ray, done at once; what counts is what is asked."""
    ray: Any = ModuleType("ray")
    ray.init = lambda address, log_to_driver: calls.append(address)
    ray.shutdown = lambda: calls.append("shut down")
    ray.nodes = lambda: [{"Alive": True, "NodeID": "n", "Resources": {"CPU": 2.0}}]
    ray.put = lambda work: calls.append("put") or work  # type: ignore[func-returns-value]
    ray.get = lambda value, timeout: value

    def remote(function: Any) -> Any:
        own = SimpleNamespace(remote=function)
        own.options = lambda **_: own
        return own

    ray.remote = remote
    return ray


@pytest.mark.parametrize(("address", "expected"), [("ray", None), ("ray://x:1", "ray://x:1")])
def test_ray_is_started_used_and_shut_down(
    monkeypatch: pytest.MonkeyPatch, address: str, expected: str | None
) -> None:
    calls: list[object] = []
    strategies: Any = ModuleType("ray.util.scheduling_strategies")
    strategies.NodeAffinitySchedulingStrategy = lambda *_, **__: None
    monkeypatch.setitem(sys.modules, "ray", fake_ray(calls))
    monkeypatch.setitem(sys.modules, "ray.util.scheduling_strategies", strategies)
    monkeypatch.setitem(sys.modules, "grpc", ModuleType("grpc"))
    with on_cluster(address):
        found = list(in_chunks(sum, chunks_of(range(9), 2), n_jobs=-1))
    assert [total for _, total in found] == [1, 5, 9, 13, 8]
    assert calls == [expected, "put", "shut down"]


def test_what_ray_needs_for_an_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra installs it: ray itself does without."""
    pytest.importorskip("ray")
    monkeypatch.setitem(sys.modules, "grpc", None)
    with (
        pytest.raises(MissingPackageError, match=r'pip install "curvewise\[ray\]"'),
        on_cluster("ray://127.0.0.1:9"),
    ):
        pass
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert extra["project"]["optional-dependencies"]["ray"][0].startswith("ray[client]")


@pytest.mark.usefixtures("impatient")
def test_a_closed_connection_does_not_end_the_process() -> None:
    """What main() sets for pipes would end the process without a word."""
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        with pytest.raises(OptionError), on_cluster("tcp://127.0.0.1:9"):
            pass
        assert signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGPIPE, before)

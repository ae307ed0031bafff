"""--cluster: the same digits from elsewhere, or a sentence."""

from __future__ import annotations

import builtins
import re
import signal
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import joblib
import pytest

from curvewise import MissingPackageError, OptionError
from curvewise.cli import cluster
from curvewise.cli.cluster import on_cluster
from tests.cli.running import invoke, run_process

if TYPE_CHECKING:
    from pathlib import Path


def test_without_an_address_the_work_stays_here() -> None:
    from joblib import parallel

    before = type(parallel.get_active_backend()[0])
    with on_cluster(None):
        assert type(parallel.get_active_backend()[0]) is before


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


@pytest.mark.parametrize(
    ("address", "library"), [("ray://x", "ray"), ("tcp://x", "dask")]
)
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
        pytest.raises(
            MissingPackageError, match=rf'pip install "curvewise\[{library}\]"'
        ),
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
    # Which engine is faster depends on whether numba is imported yet: here it may be.
    engine = re.compile(r'"engine": "(NumPy|compiled) ')
    assert engine.sub("", spread.stdout) == engine.sub("", alone.stdout)


@pytest.mark.parametrize(
    ("address", "expected"), [("ray", None), ("ray://x:1", "ray://x:1")]
)
def test_ray_is_started_used_and_shut_down(
    monkeypatch: pytest.MonkeyPatch, address: str, expected: str | None
) -> None:
    calls: list[object] = []
    ray: Any = ModuleType("ray")
    ray.init = lambda address, log_to_driver: calls.append(address)
    ray.shutdown = lambda: calls.append("shut down")
    backend: Any = ModuleType("ray.util.joblib")
    # Threads under another name: what counts is which backend is chosen.
    threads = joblib.parallel.ThreadingBackend
    monkeypatch.setitem(joblib.parallel.BACKENDS, "ray", threads)
    backend.register_ray = lambda: calls.append("registered")
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.util.joblib", backend)
    with on_cluster(address):
        chosen, _ = joblib.parallel.get_active_backend()
        assert isinstance(chosen, threads)
    assert calls == [expected, "registered", "shut down"]


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

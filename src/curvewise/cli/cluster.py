"""--cluster: send the work to dask or ray.

Workers are asked before the work whether they have this version of curvewise, what the work needs
is sent once, and waiting is told: a cluster that gives no result for long is given up.
"""

from __future__ import annotations

import logging
import operator
import time
import warnings
from collections import deque
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from curvewise import __version__
from curvewise.cli.terminal import ignore_closed_pipes, note
from curvewise.errors import OptionError, needed_for, refuse
from curvewise.shuffling.visit import LOST_WORKER, working_elsewhere
from curvewise.text import listed, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


SECONDS_TO_ANSWER = 10.0  # of a scheduler; and from then on waiting is told
SECONDS_TO_GIVE_UP = 120.0
SECONDS_BETWEEN_LOOKS = 0.5
AHEAD = 2  # chunks under way for each thread, so that none waits for the next
TLS = "DASK_DISTRIBUTED__COMM__TLS__"


@contextmanager
def on_cluster(address: str, seconds: float = SECONDS_TO_GIVE_UP) -> Iterator[None]:
    """Send work to a dask scheduler (``tcp://host:port``) or a ray cluster (``ray://…``).

    Raises `OptionError` if none answers, if its workers lack this version of curvewise, and if
    it is lost or gives no result for so many ``seconds``.
    """
    if not 0 < seconds < float("inf"):
        text = f"--cluster-timeout must be a number of seconds above 0; it is {seconds}."
        refuse(text, "cluster_timeout")
    ignore_closed_pipes()  # a lost connection is then an error, which is handled
    name, connect = ("ray", _ray) if address.startswith("ray") else ("dask", _dask)
    with ExitStack() as stack:
        logging.disable()  # what goes wrong is told in a sentence
        stack.callback(logging.disable, logging.NOTSET)
        # Tasks of a cluster that was lost may end, unheard, after this.
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        with needed_for(f"The cluster {address!r}", name, f"curvewise[{name}]"):
            cluster = _connected(connect, address, seconds)
        stack.callback(cluster.close)
        n_threads = cluster.check()
        with working_elsewhere(partial(cluster.results, n_threads)):
            yield
        if not cluster.is_used:
            note("It was so little work that it was done here, not on the cluster.")


def _connected(connect: Callable[[str, float], _Cluster], address: str, seconds: float) -> _Cluster:
    try:
        return connect(address, seconds)
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        msg = (
            f"No cluster answers at {address!r} ({_reason(error)}). Check that its scheduler runs."
        )
        if address.startswith("tls"):
            msg += (
                " Certificates are named in dask's configuration, or by the variables "
                f"{TLS}CA_FILE, {TLS}CLIENT__CERT and {TLS}CLIENT__KEY."
            )
        raise OptionError(msg, option="cluster") from None


def _reason(error: Exception) -> str:
    """Return the first line of what an error says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


@dataclass
class _Cluster:
    """What is done with a cluster; a future is whatever stands for a result to come."""

    address: str
    seconds: float  # after which it is given up
    close: Callable[[], Any]
    # How many threads there are, and a future for the version of each worker.
    ask: Callable[[Callable[[], str]], tuple[int, list[Any]]]
    send: Callable[[Callable[[range], Any]], Any]
    submit: Callable[[Any, range], Any]
    get: Callable[[Any, float], Any]
    is_used: bool = False

    def check(self) -> int:
        """Say what the cluster has, and return how many threads; raise if it is of no use."""

        # Inside, so that it is sent whole to workers without curvewise.
        def version() -> str:
            import curvewise

            return curvewise.__version__

        with self._told("has had no worker"):
            deadline = None
            while not (answer := self.ask(version))[1]:
                if deadline is None:
                    self._say_waiting()
                    deadline = time.monotonic() + self.seconds
                elif time.monotonic() > deadline:
                    raise TimeoutError
                time.sleep(SECONDS_BETWEEN_LOOKS)
        n_threads, asked = answer
        found = [self._result(future) for future in asked]
        others = sorted(set(found) - {__version__})
        if others:
            refuse(
                f"Workers of the cluster at {self.address!r} have curvewise {listed(others, 3)}, and "
                f'this is {__version__}. There, pip install "curvewise=={__version__}"',
                "cluster",
            )
        workers, threads = plural(len(found), "worker"), plural(n_threads, "thread")
        note(f"The cluster at {self.address} has {workers} with {threads}.")
        return n_threads

    def results(
        self, n_threads: int, work: Callable[[range], Any], chunks: list[range], n_jobs: int
    ) -> Iterator[Any]:
        """Yield what each chunk gives, in order; so many jobs are under way at a time."""
        self.is_used = True
        with self._told("has taken no work"):
            sent = self.send(work)
        most = n_jobs if n_jobs > 0 else AHEAD * n_threads
        under_way: deque[Any] = deque()
        for chunk in chunks:
            if len(under_way) >= most:
                yield self._result(under_way.popleft())
            with self._told("has taken no work"):
                under_way.append(self.submit(sent, chunk))
        yield from map(self._result, under_way)

    def _result(self, future: Any) -> Any:
        """Return a result, or raise when it has been waited for long enough."""
        patience = min(SECONDS_TO_ANSWER, self.seconds / 2)
        with self._told("has given no result"):
            try:
                return self.get(future, patience)
            except TimeoutError:
                self._say_waiting()
                return self.get(future, self.seconds - patience)

    def _say_waiting(self) -> None:
        note(
            f"Waiting for the cluster at {self.address}, up to {self.seconds:g} seconds "
            "(--cluster-timeout)."
        )

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Tell in a sentence what a cluster that is lost does not do any more."""
        try:
            yield
        except Exception as error:
            name, module = type(error).__name__, type(error).__module__
            place, reason = f"cluster at {self.address!r}", _reason(error)
            lost = isinstance(error, OSError) or name in LOST_WORKER
            lost |= module.startswith(("ray.", "distributed.")) and "Task" not in name
            if isinstance(error, TimeoutError):
                told = (
                    f"The {place} {what} for {self.seconds:g} seconds. Start workers, or wait longer "
                    "with --cluster-timeout."
                )
            elif isinstance(error, ImportError):
                told = (
                    f"A worker of the {place} lacks something ({reason}). There, "
                    f'pip install "curvewise[fast]=={__version__}"'
                )
            elif lost:
                told = (
                    f"The {place} was lost ({reason}). Check that its scheduler and its workers "
                    "run, and ask again."
                )
            else:
                raise
            raise OptionError(told, option="cluster") from error


def _dask(address: str, seconds: float) -> _Cluster:
    from distributed import Client

    client: Any = Client(address, timeout=min(SECONDS_TO_ANSWER, seconds))  # type: ignore[no-untyped-call]

    def ask(question: Callable[[], str]) -> tuple[int, list[Any]]:
        found = client.nthreads()
        asked = [client.submit(question, workers=[own], pure=False) for own in found]
        return sum(found.values()), asked

    def send(work: Callable[[range], Any]) -> Any:
        # The result of a task, which dask makes again should its worker be lost.
        with warnings.catch_warnings(action="ignore"):  # that it is large
            return client.submit(partial, work, pure=False)

    submit = lambda sent, chunk: client.submit(operator.call, sent, chunk, pure=False)
    get = lambda future, patience: future.result(timeout=patience)
    return _Cluster(address, seconds, client.close, ask, send, submit, get)


def _ray(address: str, seconds: float) -> _Cluster:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    if address.startswith("ray://"):
        # Ray needs it for such an address, and does not bring it.
        import grpc  # type: ignore[import-untyped]  # noqa: F401

    ray.init(address=None if address == "ray" else address, log_to_driver=False)

    def ask(question: Callable[[], str]) -> tuple[int, list[Any]]:
        task, asked, n_threads = ray.remote(question), [], 0
        for node in ray.nodes():  # type: ignore[no-untyped-call]
            if node["Alive"] and (n_cpus := node["Resources"].get("CPU")):
                there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                asked.append(task.options(scheduling_strategy=there).remote())
                n_threads += int(n_cpus)
        return n_threads, asked

    call: Any = ray.remote(lambda work, chunk: work(chunk))
    get = lambda future, patience: ray.get(future, timeout=patience)
    return _Cluster(address, seconds, ray.shutdown, ask, ray.put, call.remote, get)

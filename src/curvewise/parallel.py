"""Work cut into chunks, spread over joblib, watched and taken up again.

Chunks are the same whatever does them and however many at a time, and what they give is
added up in their order, so no backend changes a digit. A chunk that is lost with a worker is
done again; nothing is counted twice or left out.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol, TypeVar

from curvewise.errors import CurvewiseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Ledger", "in_chunks", "one_by_one", "single_blas", "watched"]

T = TypeVar("T")
N_TRIES = 3
# What backends raise when a worker dies: loky, multiprocessing, dask, ray.
LOST_WORKER = {
    "TerminatedWorkerError",
    "BrokenProcessPool",
    "KilledWorker",
    "WorkerCrashedError",
    "ActorDiedError",
    "RayActorError",
}

_watcher: ContextVar[Callable[[int, int], None] | None] = ContextVar(
    "watcher", default=None
)


class Ledger(Protocol[T]):
    """Where finished chunks are written down, so that they need not be done again."""

    def find(self, chunk: range) -> T | None:
        """Return what a chunk gave, if it is known."""

    def enter(self, chunk: range, result: T) -> None:
        """Write down what a chunk gave."""


@contextmanager
def watched(watcher: Callable[[int, int], None]) -> Iterator[None]:
    """Call ``watcher(done, total)`` as chunks are finished, inside the with block."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def one_by_one(items: Sequence[T]) -> Iterator[T]:
    """Yield items, telling the watcher of each; what is done meanwhile is not told."""
    watcher = _watcher.get()
    for done, item in enumerate(items, start=1):
        token = _watcher.set(None)
        try:
            yield item
        finally:
            _watcher.reset(token)
        if watcher:
            watcher(done, len(items))


def in_chunks(
    work: Callable[[range], T],
    items: range,
    *,
    chunk: int,
    n_jobs: int,
    ledger: Ledger[T] | None = None,
) -> list[T]:
    """Do ``work`` on consecutive parts of a range, and return what it gave, in order.

    Threads by default; `joblib.parallel_config` chooses any other backend. ``work`` must
    then be picklable.
    """
    chunks = [items[start : start + chunk] for start in range(0, len(items), chunk)]
    found = {part: ledger.find(part) for part in chunks} if ledger else {}
    results = {part: result for part, result in found.items() if result is not None}
    missing = [part for part in chunks if part not in results]
    watcher = _watcher.get()
    done = len(items) - sum(map(len, missing))
    for part, result in zip(missing, _spread(work, missing, n_jobs), strict=True):
        results[part] = result
        if ledger:
            ledger.enter(part, result)
        done += len(part)
        if watcher:
            watcher(done, len(items))
    return [results[part] for part in chunks]


def _spread(work: Callable[[range], T], chunks: list[range], n_jobs: int) -> Iterator[T]:
    """Yield what each chunk gives, in order, taking up lost work again."""
    if n_jobs == 1 or len(chunks) <= 1:
        yield from map(work, chunks)
        return
    from joblib import Parallel, delayed, parallel

    backend, _ = parallel.get_active_backend(prefer="threads")
    as_they_come = (
        "generator" if getattr(backend, "supports_return_generator", False) else "list"
    )
    n_done = 0
    for attempt in range(N_TRIES):
        try:
            # Threads share one BLAS, which must not start threads of its own for each.
            with (
                single_blas()
                if getattr(backend, "supports_sharedmem", False)
                else nullcontext()
            ):
                tasks = (delayed(work)(part) for part in chunks[n_done:])
                for result in Parallel(n_jobs, prefer="threads", return_as=as_they_come)(
                    tasks
                ):
                    yield result
                    n_done += 1
        except Exception as error:
            if type(error).__name__ not in LOST_WORKER:
                raise
            if attempt == N_TRIES - 1:
                msg = (
                    f"Workers died {N_TRIES} times over ({type(error).__name__}), perhaps for "
                    "lack of memory. Use fewer jobs, or threads."
                )
                raise CurvewiseError(msg) from error
        else:
            return


@contextmanager
def single_blas() -> Iterator[None]:
    """Keep BLAS from starting threads: for small products they cost more than they do."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield

"""Work in chunks, over joblib: threads, processes, dask, ray; with progress.

Chunks are the same whatever does them and however many at a time. A chunk that is lost with a
worker is done again; nothing is counted twice or left out.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from curvewise.errors import CurvewiseError
from curvewise.text import argument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["chunks_of", "in_chunks", "reporting_progress", "single_blas", "track_items"]

T = TypeVar("T")
N_TRIES = 3
PARTS = 100  # of an item, in which progress is reported
# What backends raise when a worker dies: loky, multiprocessing, dask, ray.
LOST_WORKER = {
    "TerminatedWorkerError",
    "BrokenProcessPool",
    "KilledWorker",
    "WorkerCrashedError",
    "ActorDiedError",
    "RayActorError",
}

_report: ContextVar[Callable[[int, int], None] | None] = ContextVar(
    "report", default=None
)


_is_single: ContextVar[bool] = ContextVar("is_single", default=False)


@contextmanager
def reporting_progress(report: Callable[[int, int], None]) -> Iterator[None]:
    """Call ``report(done, total)`` as chunks are finished, inside the with block."""
    token = _report.set(report)
    try:
        yield
    finally:
        _report.reset(token)


def track_items(items: Sequence[T], *, in_parts: bool = False) -> Iterator[T]:
    """Yield items and report progress per item.

    Nested work reports nothing; with ``in_parts``, how much of an item is done. It must then
    go once from nothing to all of it.
    """
    report = _report.get()
    parts = PARTS if in_parts else 1

    def nested(before: int, done: int, total: int) -> None:
        if report:
            report(parts * before + parts * done // total, parts * len(items))

    for before, item in enumerate(items):
        inner = partial(nested, before) if report and in_parts else None
        token = _report.set(inner)
        try:
            yield item
        finally:
            _report.reset(token)
        nested(before, 1, 1)


def chunks_of(items: range, size: int) -> list[range]:
    """Cut a range into consecutive chunks of a size; the last may be shorter."""
    return [items[start : start + size] for start in range(0, len(items), size)]


def in_chunks(
    work: Callable[[range], T], chunks: list[range], *, n_jobs: int, n_done: int = 0
) -> Iterator[tuple[range, T]]:
    """Do ``work`` on each chunk; yield chunk and result, in order.

    Threads by default; `joblib.parallel_config` chooses any other backend, for which ``work``
    must be picklable. ``n_done`` items count as done already when progress is reported.
    """
    report = _report.get()
    total = n_done + sum(map(len, chunks))
    results = _results(work, chunks, n_jobs)
    for chunk in chunks:
        # Not named, so that a result can be gone when the next one is computed.
        yield chunk, next(results)
        n_done += len(chunk)
        if report:
            report(n_done, total)


def _results(work: Callable[[range], T], chunks: list[range], n_jobs: int) -> Iterator[T]:
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
                    f"lack of memory. Use threads, or fewer jobs ({argument('n_jobs')})."
                )
                raise CurvewiseError(msg) from error
        else:
            return


@contextmanager
def single_blas() -> Iterator[None]:
    """Keep BLAS from starting threads: for small products they cost more than they save.

    Inside another one it does nothing: to find the libraries takes as long as a small comparison.
    """
    if _is_single.get():
        yield
        return
    from threadpoolctl import threadpool_limits

    token = _is_single.set(True)
    try:
        with threadpool_limits(1, user_api="blas"):
            yield
    finally:
        _is_single.reset(token)

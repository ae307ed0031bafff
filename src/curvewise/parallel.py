"""Work cut into chunks and spread over joblib."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["in_chunks"]

T = TypeVar("T")


def in_chunks(
    work: Callable[[range], T], items: range, *, chunk: int, n_jobs: int
) -> list[T]:
    """Do ``work`` on consecutive parts of a range, and return what it gave, in order.

    Threads by default; `joblib.parallel_config` chooses any other backend. ``work`` must
    then be picklable.
    """
    chunks = [items[start : start + chunk] for start in range(0, len(items), chunk)]
    if n_jobs == 1 or len(chunks) <= 1:
        return [work(part) for part in chunks]
    from joblib import Parallel, delayed

    return list(
        Parallel(n_jobs=n_jobs, prefer="threads")(delayed(work)(part) for part in chunks)
    )

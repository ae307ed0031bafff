"""Work cut into chunks and spread over joblib."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["in_chunks"]

T = TypeVar("T")


def in_chunks(
    work: Callable[[range], T], n_items: int, *, chunk: int, n_jobs: int
) -> list[T]:
    """Do ``work`` on consecutive ranges of items, and return what it gave, in order.

    Threads by default; `joblib.parallel_config` chooses any other backend. ``work`` must
    then be picklable.
    """
    chunks = [
        range(start, min(start + chunk, n_items)) for start in range(0, n_items, chunk)
    ]
    if n_jobs == 1 or len(chunks) == 1:
        return [work(items) for items in chunks]
    from joblib import Parallel, delayed

    return list(
        Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(work)(items) for items in chunks
        )
    )

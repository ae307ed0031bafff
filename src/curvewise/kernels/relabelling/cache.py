"""Batches of relabellings drawn once and shared by several tables of one shape."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.kernels.codes import distinct

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from curvewise.kernels import Integers

__all__ = ["cached_batch", "shape_of", "shared_batches"]

MAX_CACHED_BYTES = 2**27  # when more would be kept, all are dropped


@dataclass
class _Cache:
    batches: dict[Any, Integers] = field(default_factory=dict)
    n_bytes: int = 0


_cache: ContextVar[_Cache | None] = ContextVar("cache", default=None)


@contextmanager
def shared_batches() -> Iterator[None]:
    """Keep the batches drawn inside the with block, and reuse them for the same key."""
    token = _cache.set(_Cache())
    try:
        yield
    finally:
        _cache.reset(token)


def cached_batch(key: Hashable, draw: Callable[[], Integers]) -> Integers:
    """Return the batch kept under a key, or call ``draw`` and keep what it returns.

    Outside `shared_batches` nothing is kept.
    """
    cache = _cache.get()
    if cache is None:
        return draw()
    found = cache.batches.get(key)
    if found is None:
        found = draw()
        if cache.n_bytes + found.nbytes > MAX_CACHED_BYTES:
            cache.batches.clear()
            cache.n_bytes = 0
        cache.batches[key] = found
        cache.n_bytes += found.nbytes
    return found


def shape_of(labels: Integers, blocks: Integers) -> tuple[Any, ...]:
    """Return all that relabellings depend on: the block of each run, and the sizes in each.

    Tables with the same shape have the same relabellings.
    """
    sizes = [
        tuple(np.bincount(labels[blocks == block]).tolist()) for block in distinct(blocks)
    ]
    return tuple(sizes), blocks.tobytes()

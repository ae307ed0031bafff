"""Batches of relabellings drawn once for several tables of one shape."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from curvewise.kernels import Integers

__all__ = ["recalled", "remembered", "shape_of"]

MOST_REMEMBERED = 512  # batches; a few megabytes for each hundred runs
_memory: ContextVar[dict[Any, Integers] | None] = ContextVar("memory", default=None)


@contextmanager
def remembered() -> Iterator[None]:
    """Draw no batch twice inside the with block: tables of one shape share them."""
    token = _memory.set({})
    try:
        yield
    finally:
        _memory.reset(token)


def recalled(key: Hashable, draw: Callable[[], Integers]) -> Integers:
    """Return what was drawn under a key, drawing it if need be."""
    memory = _memory.get()
    if memory is None:
        return draw()
    if key not in memory:
        if len(memory) >= MOST_REMEMBERED:
            memory.clear()
        memory[key] = draw()
    return memory[key]


def shape_of(labels: Integers, blocks: Integers) -> tuple[Any, ...]:
    """Return all that relabellings depend on: which block has how many runs of whom."""
    counts = [
        tuple(np.bincount(labels[blocks == block]).tolist())
        for block in np.unique(blocks)
    ]
    return tuple(counts), blocks.tobytes()

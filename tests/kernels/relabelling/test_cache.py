from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.relabel import cached_batch, shape_of, shared_batches

if TYPE_CHECKING:
    import pytest


class Draw:
    """A draw that knows how often it was called."""

    def __init__(self) -> None:
        self.n_calls = 0

    def __call__(self) -> np.ndarray:
        self.n_calls += 1
        return np.full((2, 3), self.n_calls)


def test_a_batch_is_drawn_once_for_a_key_inside_the_block_only() -> None:
    draw = Draw()
    with shared_batches():
        first = cached_batch(("a", 0), draw)
        assert cached_batch(("a", 0), draw) is first
        assert cached_batch(("a", 1), draw) is not first
        assert draw.n_calls == 2
    cached_batch(("a", 0), draw)
    cached_batch(("a", 0), draw)
    assert draw.n_calls == 4


def test_a_block_inside_another_starts_with_nothing_and_takes_nothing_away() -> None:
    draw = Draw()
    with shared_batches():
        outer = cached_batch("key", draw)
        with shared_batches():
            assert cached_batch("key", draw) is not outer
        assert cached_batch("key", draw) is outer


def test_only_so_many_batches_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Draw()
    most = 2 * draw().nbytes
    draw.n_calls = 0
    monkeypatch.setattr("curvewise.kernels.relabel.MAX_CACHED_BYTES", most)
    with shared_batches():
        for key in (1, 2, 1, 2, 3, 1):
            cached_batch(key, draw)
    # 1 and 2 are drawn and found again; 3 makes room, so 1 is drawn once more.
    assert draw.n_calls == 4


def test_shape_is_the_block_of_each_run_and_the_sizes_in_it() -> None:
    labels, blocks = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1])
    shape = shape_of(labels, blocks)
    assert shape == shape_of(np.array([1, 0, 0, 1, 1]), blocks)
    assert shape != shape_of(np.array([0, 1, 1, 1, 1]), blocks)
    assert shape != shape_of(labels, np.array([0, 0, 1, 1, 1]))
    assert hash(shape) == hash(shape_of(labels, blocks))

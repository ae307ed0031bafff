from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.compiled_kernels import batch_key, draw_labels, n_bits
from curvewise.kernels.compiling import njit
from curvewise.kernels.relabel import BATCH, Shuffles, stream_key


@njit()
def _n_bits(word: np.uint64) -> object:
    return n_bits(word)  # type: ignore[call-arg]


def test_bits_of_a_word_are_counted() -> None:
    words = np.array([0, 1, 2**63, 2**64 - 1, 0xF0F], dtype=np.uint64)
    assert [int(_n_bits(word)) for word in words] == [0, 1, 1, 64, 8]


@pytest.mark.parametrize(("seed", "batch"), [(0, 0), (5, 3), (2**64 - 1, 2**40)])
def test_keys_are_those_of_the_streams(seed: int, batch: int) -> None:
    assert batch_key(np.uint64(seed), batch) == stream_key(seed, batch)


@pytest.mark.parametrize(
    ("sizes", "blocks"),
    [
        ((3, 3), None),
        ((10, 10), None),
        ((20, 20), None),
        ((25, 35), None),
        ((4, 5), None),
        ((5, 4), None),
        ((40, 31), None),
        ((3, 1, 4), None),
        ((2, 2, 3), [0, 0, 0, 1, 1, 1, 1]),
    ],
)
def test_labels_are_those_of_numpy(sizes: tuple[int, ...], blocks: list[int] | None) -> None:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    of_run = np.zeros_like(labels) if blocks is None else np.array(blocks)
    shuffles = Shuffles(np.random.default_rng(0).permutation(labels), of_run, BATCH, 2**64 - 3)
    if shuffles.masks is not None:
        expected = shuffles.masks.labels(shuffles.masks.draw(shuffles.seed, 5, BATCH))
    else:
        expected = shuffles.draw_plan.draw(shuffles.seed, 5, BATCH)
    np.testing.assert_array_equal(draw_labels(shuffles, 5), expected)

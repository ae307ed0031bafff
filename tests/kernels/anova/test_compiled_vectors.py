from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova.compiled_vectors import (
    LANES,
    MIN_PARTS,
    squared_sum,
    sums_of_parts,
)
from curvewise.kernels.compiling import OPTIONS, njit


@njit(**OPTIONS)
def _squared_sum(rows, starts, begin, end, first, last):  # type: ignore[no-untyped-def]
    return squared_sum(rows, starts, begin, end, (first, last))  # type: ignore[call-arg]


@pytest.mark.parametrize("n_vectors", [1, 2, 4, 5, 9])
@pytest.mark.parametrize("n_rows", [0, 1, 7])
def test_squares_of_summed_rows_are_added_up(n_rows: int, n_vectors: int) -> None:
    """Of whole numbers, so that nothing is rounded."""
    rng = np.random.default_rng(0)
    width = n_vectors * LANES
    rows = rng.integers(-9, 10, size=(20, width)).astype(np.float32)
    starts = (rng.permutation(20) * width).astype(np.uint64)
    for first in range(0, width, LANES):
        chosen = rows[starts[3 : 3 + n_rows].astype(int) // width, first:width]
        expected = np.sum(chosen.sum(axis=0) ** 2)
        found = _squared_sum(rows.ravel(), starts, 3, 3 + n_rows, first, width)
        assert found == expected


@njit(**OPTIONS)
def _sums_of_parts(rows, numbers, mask, bits, n_parts, width):  # type: ignore[no-untyped-def]
    return sums_of_parts(rows, numbers, mask, bits, n_parts, width)  # type: ignore[call-arg]


@pytest.mark.parametrize("n_vectors", [1, 2, 5, 6])
@pytest.mark.parametrize("n_parts", [MIN_PARTS, MIN_PARTS + 1, MIN_PARTS + 3])
def test_parts_of_a_mask_are_looked_up(n_parts: int, n_vectors: int) -> None:
    """Of whole numbers, so that nothing is rounded."""
    rng = np.random.default_rng(0)
    bits, width = 3, n_vectors * LANES
    rows = rng.integers(-9, 10, size=(n_parts * 2**bits, width)).astype(np.float32)
    numbers = rng.integers(-9, 10, size=len(rows)).astype(float)
    for values in rng.integers(0, 2**bits, size=(5, n_parts)):
        mask = np.uint64(
            sum(int(value) << bits * part for part, value in enumerate(values))
        )
        places = values + 2**bits * np.arange(n_parts)
        words = (np.uint64(each) for each in (bits, n_parts, width))
        number, squares = _sums_of_parts(rows.ravel(), numbers, mask, *words)
        assert number == numbers[places].sum()
        assert squares == np.sum(rows[places].sum(axis=0) ** 2)

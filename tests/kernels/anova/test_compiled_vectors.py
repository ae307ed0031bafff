from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova.compiled_vectors import LANES, squared_sum
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

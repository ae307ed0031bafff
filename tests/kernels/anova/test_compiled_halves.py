from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.invert import Halves, largest_of_halves, squares_of_halves, sums_of_halves


@pytest.mark.parametrize("n_columns", [0, 1, 5, 8, 19])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("labels", [[0, 0, 0, 1, 1, 1], [0, 1, 1, 0, 1, 1, 1], [1, 0]])
def test_compiled_sums_of_halves_are_those_of_numpy(
    labels: list[int], whole: bool, n_columns: int
) -> None:
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(len(labels), n_columns))
    columns = np.round(columns) if whole else columns
    slack = rng.uniform(0, 0.1, size=n_columns)
    halves = Halves.of(np.array(labels), columns, compiled=False)
    compiled = Halves.of(np.array(labels), columns, compiled=True)
    for own, other in zip(halves, compiled, strict=True):
        np.testing.assert_array_equal(own, other)
    sums = sums_of_halves(halves, compiled=False)
    squares, compiled_squares = np.empty((2, sums.shape[1]))
    squares_of_halves(halves, compiled=False, out=squares)
    squares_of_halves(halves, compiled=True, out=compiled_squares)
    largest = largest_of_halves(halves, slack, compiled=False)
    np.testing.assert_array_equal(sums_of_halves(halves, compiled=True), sums)
    np.testing.assert_array_equal(compiled_squares, squares)
    np.testing.assert_array_equal(largest_of_halves(halves, slack, compiled=True), largest)
    np.testing.assert_allclose(squares, np.sum(sums**2, axis=0), atol=1e-12)
    expected = (np.abs(sums) + slack[:, None]).max(axis=0, initial=-np.inf)
    np.testing.assert_array_equal(largest, expected)

from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova.halving import (
    halves,
    largest_of_halves,
    squares_of_halves,
)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("labels", [[0, 0, 0, 1, 1, 1], [0, 1, 1, 0, 1, 1, 1]])
def test_compiled_sums_of_halves_are_those_of_numpy(
    labels: list[int], whole: bool
) -> None:
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(len(labels), 5))
    columns = np.round(columns) if whole else columns
    slack = rng.uniform(0, 0.1, size=5)
    n_parts = 0
    for left, right in halves(np.array(labels), columns):
        n_parts += 1
        plain, compiled = (
            squares_of_halves(left, right, compiled=compiled)
            for compiled in (False, True)
        )
        np.testing.assert_array_equal(compiled, plain)
        plain, compiled = (
            largest_of_halves(left, right, slack, compiled=compiled)
            for compiled in (False, True)
        )
        np.testing.assert_array_equal(compiled, plain)
        expected = np.abs(left[:, :, None] + right[:, None, :]) + slack[:, None, None]
        np.testing.assert_array_equal(plain, expected.max(axis=0).ravel())
    assert n_parts > 1

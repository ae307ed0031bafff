from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova import _added_up_squares
from curvewise.kernels.compiled_kernels import added_up_squares


@pytest.mark.parametrize("sizes", [[5] * 12, [1, 7, 2, 2, 3, 1, 1, 4, 9, 2]])
def test_digits_are_those_of_numpy(sizes: list[int]) -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    relabelled = rng.permuted(np.tile(labels, (100, 1)), axis=1)
    columns = rng.normal(size=(len(labels), 13))
    found = added_up_squares(relabelled, columns, np.array(sizes))
    assert np.array_equal(found, _added_up_squares(relabelled, columns, np.array(sizes)))

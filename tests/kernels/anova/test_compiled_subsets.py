from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.compiled_kernels import count_pairs, count_pairs_apart


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("n_sums", "n_others"), [(1, 1), (1, 7), (6, 1), (20, 30)])
def test_pairs_that_make_up_a_limit_are_counted_ties_included(
    n_sums: int, n_others: int, whole: bool
) -> None:
    rng = np.random.default_rng(n_sums)
    sums, others = np.sort(rng.normal(size=n_sums)), np.sort(rng.normal(size=n_others))
    if whole:
        sums, others = np.round(sums), np.round(others)
    for limit in (-9.0, -1.0, 0.0, 1.0, 9.0):
        totals = others[None, :] - (limit - sums[:, None])
        assert count_pairs(sums, others, limit, False) == np.sum(totals >= 0)
        assert count_pairs(sums, others, limit, True) == np.sum(totals <= 0)
        for below in (False, True):
            count, gap = count_pairs_apart(sums, others, limit, below)
            assert count == count_pairs(sums, others, limit, below)
            assert gap == np.abs(totals).min()

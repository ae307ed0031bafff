from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from curvewise.errors import OptionError
from curvewise.kernels.relabel import BATCH, N_STREAMS, RandomDraws, chances

NONE = np.zeros(3, dtype=np.int64)


def test_the_first_draws_do_not_depend_on_how_many_are_asked_for() -> None:
    draws = RandomDraws(NONE, NONE, width=7)
    many = draws.drawn(2 * BATCH + 5, seed=4)
    assert [len(many.batch(number)) for number in range(3)] == [BATCH, BATCH, 5]
    few = draws.drawn(10, seed=4).batch(0)
    assert few.shape == (10, 7)
    np.testing.assert_array_equal(few, many.batch(0)[:10])
    assert not np.array_equal(few, draws.drawn(10, seed=5).batch(0))


def test_draws_are_no_list() -> None:
    draws = RandomDraws(NONE, NONE, width=7)
    assert draws.count == N_STREAMS
    assert draws.unit == "draw"
    with pytest.raises(OptionError, match="cannot be listed one by one"):
        draws.every()


def test_chances_are_uniform_and_never_0_nor_1() -> None:
    words = RandomDraws(NONE, NONE, width=20).drawn(BATCH, seed=1).batch(0)
    assert stats.kstest(chances(words).ravel(), "uniform").pvalue > 1e-3
    ends = chances(np.array([0, -1], dtype=np.int64))
    assert 0 < ends[0] < 1e-15
    assert 1 - 1e-15 < ends[1] < 1

from __future__ import annotations

import numpy as np
from scipy import stats

from curvewise.kernels.relabel import resample_counts

STRATA = np.array([0, 1, 1, 0, 1, 0, 0])


def test_every_stratum_keeps_its_number_of_units() -> None:
    counts = resample_counts(STRATA, 200, seed=3)
    assert counts.shape == (200, 7)
    assert np.all(counts[:, STRATA == 0].sum(axis=1) == 4)
    assert np.all(counts[:, STRATA == 1].sum(axis=1) == 3)


def test_units_are_drawn_independently_and_with_equal_chances() -> None:
    counts = resample_counts(np.zeros(4, dtype=np.int64), 20_000, seed=1)
    # A unit of four is drawn 0, 1, … 4 times with the chances of the binomial distribution.
    for unit in range(4):
        found = np.bincount(counts[:, unit].astype(np.int64), minlength=5)
        expected = 20_000 * stats.binom.pmf(np.arange(5), 4, 0.25)
        assert stats.chisquare(found, expected).pvalue > 1e-4


def test_resamples_are_those_of_the_seed() -> None:
    counts = resample_counts(STRATA, 50, seed=3)
    np.testing.assert_array_equal(counts, resample_counts(STRATA, 50, seed=3))
    assert not np.array_equal(counts, resample_counts(STRATA, 50, seed=4))
    # More resamples do not change the first, and a stratum does not change another.
    np.testing.assert_array_equal(counts, resample_counts(STRATA, 90, seed=3)[:50])
    alone = resample_counts(np.zeros(4, dtype=np.int64), 50, seed=3)
    np.testing.assert_array_equal(counts[:, STRATA == 0], alone)

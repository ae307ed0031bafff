from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.bootstrap.resamples import resample_counts, resampled_means

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


def test_means_and_variances_are_those_of_the_units_drawn() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(5, 3))
    counts = resample_counts(np.zeros(5, dtype=np.int64), 30, seed=2)
    means, variances = resampled_means(values, np.ones(5), counts)
    for row, mean, variance in zip(
        counts.astype(np.int64), means, variances, strict=True
    ):
        drawn = np.repeat(values, row, axis=0)
        np.testing.assert_allclose(mean, drawn.mean(axis=0))
        np.testing.assert_allclose(variance, drawn.var(axis=0, ddof=1) / 5, atol=1e-14)


def test_weights_count_as_in_a_weighted_mean() -> None:
    values, weights = np.array([[1.0], [4.0], [6.0]]), np.array([1.0, 2.0, 3.0])
    means, variances = resampled_means(values, weights, np.ones((1, 3)))
    mean = (1 + 8 + 18) / 6
    assert means[0, 0] == pytest.approx(mean)
    squares = (1 - mean) ** 2 + 4 * (4 - mean) ** 2 + 9 * (6 - mean) ** 2
    assert variances[0, 0] == pytest.approx(squares / 36 * 3 / 2)


def test_a_single_unit_has_no_variance() -> None:
    means, variances = resampled_means(np.array([[7.0]]), np.ones(1), np.ones((4, 1)))
    assert means.tolist() == [[7.0]] * 4
    assert variances.tolist() == [[0.0]] * 4

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.bootstrap.intervals import (
    MIN_ERROR_SHARE,
    bca,
    jackknife_error,
    left_out,
    percentile,
    studentised,
)
from curvewise.kernels.bootstrap.resamples import resample_counts


def test_percentiles_are_rounded_outwards_and_may_be_infinite() -> None:
    values = np.random.default_rng(0).permutation(np.arange(100.0))
    # 0.025 · 99 = 2.475 and 0.975 · 99 = 96.525; 0.0275 · 99 = 2.72 and 0.9725 · 99 = 96.28.
    assert percentile(values, 0.05) == (2.0, 97.0)
    assert percentile(values, 0.055) == (2.0, 97.0)
    values[values > 90] = np.inf
    assert percentile(values, 0.05) == (2.0, math.inf)
    assert percentile(np.array([3.0]), 0.05) == (3.0, 3.0)


def test_each_drawn_unit_is_left_out_once() -> None:
    units = np.array([0, 0, 1, 2, 2])
    counts = np.array([[1, 1, 2, 0, 0], [0, 0, 1, 2, 2]], dtype=np.float64)
    reduced, (rows, left) = left_out(counts, units)
    assert rows.tolist() == [0, 0, 1, 1]
    assert left.tolist() == [0, 1, 1, 2]
    assert reduced.tolist() == [
        [0, 0, 2, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 0, 0, 2, 2],
        [0, 0, 1, 1, 1],
    ]


def jackknifed_mean(
    values: np.ndarray, strata: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Error and acceleration of the mean of stratum 0 less that of stratum 1."""
    reduced, (rows, left) = left_out(counts, np.arange(len(values)))

    def statistic(weights: np.ndarray) -> np.ndarray:
        parts = [
            weights[:, strata == stratum]
            @ values[strata == stratum]
            / weights[:, strata == stratum].sum(axis=1)
            for stratum in np.unique(strata)
        ]
        return parts[0] - parts[1] if len(parts) > 1 else parts[0]

    return jackknife_error(
        statistic(reduced), counts[rows, left], strata[left], rows, len(counts)
    )


def test_error_and_acceleration_of_a_mean_in_closed_form() -> None:
    values = np.random.default_rng(1).gamma(2.0, size=8)
    strata = np.zeros(8, dtype=np.int64)
    errors, accelerations = jackknifed_mean(values, strata, np.ones((1, 8)))
    assert errors[0] == pytest.approx(values.std(ddof=1) / math.sqrt(8))
    deviations = values - values.mean()
    # The influences are the deviations over n (Efron & Tibshirani, 14.15); their sum of
    # squares is s²/n.
    cubes = np.sum((deviations / 8) ** 3)
    assert accelerations[0] == pytest.approx(cubes / (6 * errors[0] ** 3))


def test_errors_of_strata_add_up_as_variances() -> None:
    values = np.random.default_rng(2).normal(size=9)
    strata = np.repeat([0, 1], [4, 5])
    errors, _ = jackknifed_mean(values, strata, np.ones((1, 9)))
    parts = [values[strata == s].var(ddof=1) / np.sum(strata == s) for s in (0, 1)]
    assert errors[0] == pytest.approx(math.sqrt(sum(parts)))


def test_error_of_a_resample_is_that_of_the_units_drawn() -> None:
    values = np.random.default_rng(3).normal(size=6)
    strata = np.zeros(6, dtype=np.int64)
    counts = resample_counts(strata, 20, seed=1)
    errors, _ = jackknifed_mean(values, strata, counts)
    for row, error in zip(counts.astype(np.int64), errors, strict=True):
        drawn = np.repeat(values, row)
        assert error == pytest.approx(drawn.std(ddof=1) / math.sqrt(6))


def test_bca_without_bias_and_acceleration_is_the_percentile_interval() -> None:
    values = np.random.default_rng(4).normal(size=1_000)
    assert bca(float(np.median(values)), values, 0.0, 0.1) == percentile(values, 0.1)


def test_bca_takes_the_quantiles_of_its_formula() -> None:
    values = np.arange(10_001.0)
    observed, acceleration = 4_500.0, 0.04
    low, high = bca(observed, values, acceleration, 0.1)
    bias = stats.norm.ppf((4_500 + 0.5) / 10_001)
    for end, tail in ((low, 0.05), (high, 0.95)):
        z = bias + stats.norm.ppf(tail)
        level = stats.norm.cdf(bias + z / (1 - acceleration * z))
        assert end == pytest.approx(level * 10_000, abs=1.0)


def test_bca_of_a_value_beyond_all_resamples_is_finite() -> None:
    low, high = bca(99.0, np.arange(50.0), 0.0, 0.05)
    assert 0 <= low <= high <= 49


def test_studentised_interval_in_closed_form() -> None:
    ratios = np.random.default_rng(5).permutation(np.linspace(-2, 3, 101))
    errors = np.random.default_rng(6).uniform(0.5, 2, size=101)
    low, high = studentised(10.0, 1.4, 10.0 + ratios * errors, errors, 0.1)
    # The 5th and the 96th of the sorted t, outwards: −1.75 and 2.75, crosswise.
    assert (low, high) == pytest.approx((10 - 2.75 * 1.4, 10 + 1.75 * 1.4))


@pytest.mark.parametrize("share", [0.0, 1e-6, 0.2])
def test_a_resample_without_spread_has_a_third_of_the_observed_error(
    share: float,
) -> None:
    """Without this floor such resamples make the interval of any width, or of none."""
    values = 10.0 + np.linspace(-1, 1, 201)
    errors = np.full(201, share * 2.0)
    low, high = studentised(10.0, 2.0, values, errors, 0.1)
    # t = ±0.9 / (2/3), times the observed error of 2.
    assert (low, high) == pytest.approx((10 - 0.9 * 3, 10 + 0.9 * 3))
    assert MIN_ERROR_SHARE == 1 / 3


def test_larger_errors_of_resamples_are_left_as_they_are() -> None:
    values = 10.0 + np.linspace(-1, 1, 201)
    low, high = studentised(10.0, 2.0, values, np.full(201, 0.8), 0.1)
    assert (low, high) == pytest.approx((10 - 0.9 / 0.8 * 2, 10 + 0.9 / 0.8 * 2))


def test_without_any_error_the_interval_is_a_point() -> None:
    assert studentised(3.0, 0.0, np.full(20, 3.0), np.zeros(20), 0.1) == (3.0, 3.0)

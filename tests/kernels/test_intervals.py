"""Percentile intervals, how much few units widen them, and jackknife errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.pvalues import jackknife_error, percentile, widened_level


def test_percentiles_are_rounded_outwards_and_may_be_infinite() -> None:
    values = np.random.default_rng(0).permutation(np.arange(100.0))
    # 0.025 · 99 = 2.475 and 0.975 · 99 = 96.525; 0.0275 · 99 = 2.72 and 0.9725 · 99 = 96.28.
    assert percentile(values, 0.05) == (2.0, 97.0)
    assert percentile(values, 0.055) == (2.0, 97.0)
    values[values > 90] = np.inf
    assert percentile(values, 0.05) == (2.0, math.inf)
    assert percentile(np.array([3.0]), 0.05) == (3.0, 3.0)


def test_a_widened_interval_of_a_mean_is_the_textbooks() -> None:
    """Resampled means are normal with (n − 1)/n of the variance: Student's t is restored."""
    n, alpha = 8, 0.05
    level = widened_level(alpha, np.array([n]))
    shrunk = math.sqrt((n - 1) / n)
    assert -stats.norm.ppf(level / 2) * shrunk == pytest.approx(stats.t.isf(0.025, n - 1))


def test_the_fewer_units_the_wider() -> None:
    sizes = [np.array([n, n]) for n in (2, 3, 5, 20, 10**6)]
    levels = [widened_level(0.05, own) for own in sizes]
    assert levels == sorted(levels)
    assert levels[-1] == pytest.approx(0.05, rel=1e-4)


def left_out_difference(values: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """The difference of two means with each unit left out in turn."""
    found = []
    for unit in range(len(values)):
        rest = np.arange(len(values)) != unit
        means = [values[rest & (strata == side)].mean() for side in (0, 1)]
        found.append(means[1] - means[0])
    return np.array(found)


def test_the_jackknife_of_a_difference_of_means_is_welchs() -> None:
    rng = np.random.default_rng(1)
    strata = np.array([0] * 5 + [1] * 9)
    values = rng.normal(size=14) * (1 + 2 * strata)
    error, df = jackknife_error(left_out_difference(values, strata), strata)
    welch = stats.ttest_ind(values[strata == 1], values[strata == 0], equal_var=False)
    difference = values[strata == 1].mean() - values[strata == 0].mean()
    assert difference / error == pytest.approx(welch.statistic)
    assert df == pytest.approx(welch.df)


def test_what_is_undefined_without_a_unit_is_passed_over() -> None:
    strata = np.zeros(4, dtype=np.int64)
    whole = jackknife_error(np.array([1.0, 2.0, 3.0]), strata[:3])
    assert jackknife_error(np.array([1.0, math.nan, 2.0, 3.0]), strata) == whole
    assert jackknife_error(np.array([1.0, math.inf]), strata[:2]) == (math.inf, 1.0)
    assert jackknife_error(np.array([2.0, 2.0]), strata[:2]) == (0.0, 1.0)


def test_errors_of_very_large_and_small_values() -> None:
    values, strata = np.array([2.5, 2.0, 1.5, 3.0]), np.array([0, 0, 1, 1])
    error, df = jackknife_error(values, strata)
    for power in (-1_000, 900):
        scaled = jackknife_error(values * 2.0**power, strata)
        assert scaled == (error * 2.0**power, df)

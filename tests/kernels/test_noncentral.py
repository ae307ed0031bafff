"""Noncentral t against its integral, and its inverses against itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from curvewise.kernels.pvalues import (
    noncentral_limit,
    noncentral_quantile,
    noncentral_survival,
    spread_factor,
    t_quantile,
)


def integrated_survival(t: float, df: int, effect: float) -> float:
    """The chance of a normal above t times an estimated spread, over all spreads."""

    def part(spread: float) -> float:
        density = 2 * df * spread * stats.chi2.pdf(df * spread**2, df)
        return float(stats.norm.cdf(effect - t * spread) * density)

    below, _ = integrate.quad(part, 0, 1, epsrel=1e-10)
    above, _ = integrate.quad(part, 1, np.inf, epsrel=1e-10)
    return float(below + above)


# SciPy before 1.17 is less exact in the tails: 8e-10 off where the chance is 2e-6.
@pytest.mark.parametrize("df", [1, 4, 28])
@pytest.mark.parametrize("effect", [-3.0, 0.0, 2.5])
@pytest.mark.parametrize("t", [-4.0, 0.0, 1.7, 6.0])
def test_survival_is_its_integral(t: float, df: int, effect: float) -> None:
    assert noncentral_survival(t, df, effect) == pytest.approx(
        integrated_survival(t, df, effect), rel=1e-6, abs=2e-9
    )


def test_many_degrees_of_freedom_are_nearly_normal() -> None:
    for df in (401, 1_000):
        for effect in (0.0, 2.0, 4.0):
            for t in (1.0, 1.65, 3.0):
                exact = integrated_survival(t, df, effect)
                assert noncentral_survival(t, df, effect) == pytest.approx(exact, abs=5e-4)


def test_infinite_t_has_no_chance() -> None:
    assert noncentral_survival(math.inf, 5, 1.0) == 0
    assert noncentral_survival(-math.inf, 5, 1.0) == 1
    assert noncentral_limit(math.inf, 5, 0.05) == math.inf


@pytest.mark.parametrize("t", [-30.0, -1.0, 0.5, 12.0])
def test_limits_and_quantiles_undo_the_survival(t: float) -> None:
    for level in (0.05, 0.95):
        limit = noncentral_limit(t, 8, level)
        assert noncentral_survival(t, 8, limit) == pytest.approx(level, abs=1e-6)
        quantile = noncentral_quantile(level, 8, t)
        assert noncentral_survival(quantile, 8, t) == pytest.approx(1 - level, abs=1e-6)


def test_quantiles_and_factors_are_those_of_scipy() -> None:
    assert t_quantile(0.95, 7) == pytest.approx(stats.t.ppf(0.95, 7))
    for df in (2, 8, 50):
        expected = np.sqrt(df / stats.chi2.ppf(0.2, df))
        assert spread_factor(df, 0.8) == pytest.approx(expected)

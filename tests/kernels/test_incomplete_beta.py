"""The incomplete beta function against SciPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import betainc, betaincinv

from curvewise.kernels.pvalues import beta_quantile, beta_tail

SHAPES = [(0.5, 0.5), (1, 3), (2.5, 40), (9, 9), (500, 0.5), (5_000, 4_999), (1e5, 12.5)]


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_tails(a: float, b: float) -> None:
    middle = a / (a + b)
    for x in [1e-9, 0.5 * middle, 0.99 * middle, middle, 1 - 0.5 * (1 - middle)]:
        assert beta_tail(a, b, x, 1 - x) == pytest.approx(betainc(a, b, x), rel=1e-11, abs=1e-290)
    assert (beta_tail(a, b, 0, 1), beta_tail(a, b, 1, 0)) == (0, 1)
    assert math.isnan(beta_tail(a, b, math.nan, math.nan))


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_quantiles(a: float, b: float) -> None:
    for probability in np.array([1e-6, 0.025, 0.5, 0.975]).tolist():
        assert beta_quantile(a, b, probability) == pytest.approx(
            betaincinv(a, b, probability), rel=1e-10
        )

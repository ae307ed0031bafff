from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.pvalues import (
    clopper_pearson,
    critical_value,
    f_survival,
    hedges_correction,
    pvalue,
)


def test_a_sample_never_gives_zero_and_an_enumeration_counts_itself() -> None:
    assert pvalue(0, 999, exact=False) == 1 / 1000
    assert pvalue(1, 10, exact=True) == 1 / 10
    assert pvalue(999, 999, exact=False) == 1


@pytest.mark.parametrize(("count", "total"), [(0, 50), (3, 50), (50, 50), (120, 9_999)])
def test_interval_is_the_binomial_one(count: int, total: int) -> None:
    expected = stats.binomtest(count, total).proportion_ci(0.95, method="exact")
    np.testing.assert_allclose(clopper_pearson(count, total, 0.95), expected, rtol=1e-9)


def test_conventional_p_is_that_of_the_f_distribution() -> None:
    assert f_survival(170.63, (1, 1592)) == pytest.approx(stats.f.sf(170.63, 1, 1592))
    assert f_survival(math.inf, (1, 8)) == 0


@pytest.mark.parametrize(
    ("alpha", "count", "rank"),
    [(0.05, 1000, 950), (0.1, 10, 9), (0.05, 126, 120), (0.9, 3, 1)],
)
def test_critical_value_is_the_papers_order_statistic(
    alpha: float, count: int, rank: int
) -> None:
    values = np.random.default_rng(0).permutation(count).astype(np.float64) + 1
    assert critical_value(values, alpha) == rank


def test_hedges_correction_in_closed_form() -> None:
    # Γ(df/2) / (√(df/2) Γ((df−1)/2)) for df = 2 and df = 3.
    assert hedges_correction(2) == pytest.approx(1 / math.sqrt(math.pi))
    assert hedges_correction(3) == pytest.approx(math.sqrt(math.pi) / 2 / math.sqrt(1.5))

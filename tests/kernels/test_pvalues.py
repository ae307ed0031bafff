from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.pvalues import (
    clopper_pearson,
    critical_value,
    f_quantile,
    f_survival,
    hedges_correction,
    n_allowed,
    pvalue,
    t_survival,
    upper_quantile,
)


def test_a_sample_never_gives_zero_and_an_enumeration_counts_itself() -> None:
    assert pvalue(0, 999, exact=False) == 1 / 1000
    assert pvalue(1, 10, exact=True) == 1 / 10
    assert pvalue(999, 999, exact=False) == 1


@pytest.mark.parametrize("exact", [False, True])
def test_an_array_of_counts_gives_the_p_of_each(exact: bool) -> None:
    counts = np.array([[0, 3], [7, 40]])
    found = pvalue(counts, 40, exact=exact)
    expected = [[pvalue(int(n), 40, exact=exact) for n in row] for row in counts]
    assert found.tolist() == expected


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("alpha", ["0.001", "0.05", "0.07", "0.29", "0.5", "0.999", "1"])
@pytest.mark.parametrize("count", [1, 19, 20, 99, 100, 999, 1000, 1716])
def test_so_many_may_be_as_extreme_while_p_is_at_most_alpha(
    count: int, alpha: str, exact: bool
) -> None:
    """In rational arithmetic, where 29 of 100 are exactly 0.29."""
    added = 0 if exact else 1
    allowed = max(
        (n for n in range(-1, count) if Fraction(n + added, count + added) <= Fraction(alpha)),
        default=-1,
    )
    assert n_allowed(count, float(alpha), exact=exact) == allowed


@pytest.mark.parametrize("n", [19, 20, 100, 333])
def test_a_sampled_p_is_at_most_alpha_above_the_quantile_only(n: int) -> None:
    null = np.random.default_rng(n).normal(size=n)
    limit = upper_quantile(null, 0.05)
    for observed in [*np.linspace(-1, 4, 60), *null]:
        p = pvalue(int(np.sum(null >= observed)), n, exact=False)
        assert (p <= 0.05) == (observed > limit)


@pytest.mark.parametrize("n", [5, 20, 100, 333])
def test_an_exact_p_is_at_most_alpha_above_the_quantile_only(n: int) -> None:
    null = np.random.default_rng(n).normal(size=n)
    limit = upper_quantile(null, 0.1, exact=True)
    # The observed statistic is one of an enumeration.
    for observed in null:
        p = pvalue(int(np.sum(null >= observed)), n, exact=True)
        assert (p <= 0.1) == (observed > limit)


def test_a_sample_that_is_too_small_has_no_quantile() -> None:
    null = np.random.default_rng(0).normal(size=19)
    assert upper_quantile(null[:18], 0.05) == math.inf
    assert upper_quantile(null, 0.05) == null.max()


@pytest.mark.parametrize(("count", "total"), [(0, 50), (3, 50), (50, 50), (120, 9_999)])
def test_interval_is_the_binomial_one(count: int, total: int) -> None:
    expected = stats.binomtest(count, total).proportion_ci(0.95, method="exact")
    np.testing.assert_allclose(clopper_pearson(count, total, 0.95), expected, rtol=1e-9)


def test_conventional_p_is_that_of_the_f_distribution() -> None:
    assert f_survival(170.63, (1, 1592)) == pytest.approx(stats.f.sf(170.63, 1, 1592))
    assert f_survival(math.inf, (1, 8)) == 0


def test_quantile_of_f_has_the_p_asked_for() -> None:
    assert f_survival(f_quantile(0.03, (2, 17)), (2, 17)) == pytest.approx(0.03)


@pytest.mark.parametrize("t", [-2.5, 0.0, 0.7, 12.0])
@pytest.mark.parametrize("df", [1.0, 3.7, 200.0])
def test_upper_tail_of_t_is_that_of_student(t: float, df: float) -> None:
    assert t_survival(t, df) == pytest.approx(stats.t.sf(t, df), rel=1e-9)
    assert t_survival(math.inf, df) == 0


@pytest.mark.parametrize(
    ("alpha", "count", "rank"),
    [(0.05, 1000, 950), (0.1, 10, 9), (0.05, 126, 120), (0.9, 3, 1), (0.059, 1000, 941)],
)
def test_critical_value_is_the_papers_order_statistic(alpha: float, count: int, rank: int) -> None:
    values = np.random.default_rng(0).permutation(count).astype(np.float64) + 1
    assert critical_value(values, alpha) == rank


def test_hedges_correction_in_closed_form() -> None:
    # Γ(df/2) / (√(df/2) Γ((df−1)/2)) for df = 2 and df = 3.
    assert hedges_correction(2) == pytest.approx(1 / math.sqrt(math.pi))
    assert hedges_correction(3) == pytest.approx(math.sqrt(math.pi) / 2 / math.sqrt(1.5))

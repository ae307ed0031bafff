"""V against brute force, against SciPy on one task, and against its normal approximation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm

from curvewise.kernels import tasks as module
from curvewise.kernels.invert import midranks
from curvewise.kernels.tasks import Stratum, exact_pvalue, smallest_pvalue, strata_of, van_elteren


def stratum(
    rng: np.random.Generator, n_first: int, n_second: int, *, tied: bool = False
) -> Stratum:
    numbers = rng.normal(size=n_first + n_second)
    if tied:
        numbers = np.round(numbers)
    labels = np.repeat([0, 1], [n_first, n_second])
    blocks = np.zeros_like(labels)
    return strata_of(midranks(numbers, blocks), labels, blocks)[0]


def brute_pvalue(strata: list[Stratum]) -> float:
    """Go through every relabelling of all strata together."""
    totals = np.zeros(1)
    for own in strata:
        n_first, size = own.sizes[0], len(own.first)
        own_values = [
            (own.doubled[list(chosen)].sum() / 2 - n_first * (size + 1) / 2) / (size + 1)
            for chosen in itertools.combinations(range(size), n_first)
        ]
        totals = np.add.outer(totals, own_values).ravel()
    return float(np.mean(np.abs(totals) >= abs(van_elteren(strata)) - 1e-9))


sizes = st.tuples(st.integers(1, 4), st.integers(1, 4))


@settings(max_examples=60, deadline=None)
@given(st.lists(sizes, min_size=1, max_size=3), st.booleans(), st.integers(0, 10**6))
def test_p_is_the_share_of_all_relabellings(
    all_sizes: list[tuple[int, int]], tied: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    strata = [stratum(rng, *own, tied=tied) for own in all_sizes]
    assert exact_pvalue(strata) == pytest.approx(brute_pvalue(strata), rel=1e-9)


@pytest.mark.parametrize(("n_first", "n_second"), [(5, 5), (3, 8), (9, 2), (12, 12)])
def test_one_task_is_the_exact_test_of_mann_and_whitney(n_first: int, n_second: int) -> None:
    rng = np.random.default_rng(n_first)
    for _ in range(10):
        numbers = rng.normal(size=n_first + n_second)
        labels = np.repeat([0, 1], [n_first, n_second])
        blocks = np.zeros_like(labels)
        strata = strata_of(midranks(numbers, blocks), labels, blocks)
        theirs = mannwhitneyu(numbers[:n_first], numbers[n_first:], method="exact")
        assert exact_pvalue(strata) == pytest.approx(theirs.pvalue, rel=1e-9)
        u = strata[0].probability * n_first * n_second
        assert u == pytest.approx(theirs.statistic)


def test_many_tasks_agree_with_the_normal_approximation() -> None:
    """Var V = Σ n₁ n₂ / (12 (N + 1)) without ties (van Elteren 1960)."""
    rng = np.random.default_rng(1)
    strata = [stratum(rng, 5, 5) for _ in range(150)]
    strata += [stratum(rng, 4, 7) for _ in range(100)]
    variance = sum(math.prod(s.sizes) / (12 * (len(s.first) + 1)) for s in strata)
    expected = 2 * norm.sf(abs(van_elteren(strata)) / math.sqrt(variance))
    assert exact_pvalue(strata) == pytest.approx(expected, rel=0.01)


def test_tasks_of_several_sizes_share_a_lattice() -> None:
    rng = np.random.default_rng(2)
    strata = [stratum(rng, 2, 3), stratum(rng, 3, 3), stratum(rng, 2, 2), stratum(rng, 1, 3)]
    assert exact_pvalue(strata) == pytest.approx(brute_pvalue(strata), rel=1e-9)


def test_clear_wins_on_many_tasks_keep_their_digits() -> None:
    clear = Stratum(np.arange(2, 22, 2), np.arange(10) >= 5)
    p = exact_pvalue([clear] * 57)
    assert p == pytest.approx(2 / 252**57, rel=1e-9)
    assert p == pytest.approx(smallest_pvalue([clear] * 57), rel=1e-9)


def test_p_is_never_zero() -> None:
    clear = Stratum(np.arange(2, 22, 2), np.arange(10) >= 5)
    assert exact_pvalue([clear] * 200) == smallest_pvalue([clear] * 200) == module.TINY


@pytest.mark.parametrize("n_runs", [40, 200])
def test_too_much_work_is_left_to_sampling(n_runs: int) -> None:
    rng = np.random.default_rng(3)
    odd = [stratum(rng, n, n + k) for n in range(3, 12) for k in range(4)]
    assert exact_pvalue(odd) is None, "sums of so many different sizes hardly ever coincide"
    large = [stratum(rng, n_runs, n_runs, tied=True) for _ in range(20)]
    assert exact_pvalue(large) is None


def test_too_many_values_are_left_to_sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    strata = [stratum(rng, 3, 3), stratum(rng, 3, 4), stratum(rng, 4, 4)]
    assert exact_pvalue(strata) is not None
    monkeypatch.setattr(module, "MAX_SUPPORT", 10)
    assert exact_pvalue(strata) is None


def test_v_weighs_the_share_of_wins() -> None:
    rng = np.random.default_rng(5)
    strata = [stratum(rng, 4, 6), stratum(rng, 2, 9, tied=True)]
    weighted = sum(own.weight * (own.probability - 0.5) for own in strata)
    assert van_elteren(strata) == pytest.approx(weighted)


def test_blocks_are_strata_and_those_of_one_group_say_nothing() -> None:
    labels = np.array([0, 1, 0, 1, 0, 0])
    blocks = np.array([0, 0, 1, 1, 2, 2])
    ranks = midranks(np.array([1.0, 2, 5, 3, 8, 9]), blocks)
    strata = strata_of(ranks, labels, blocks)
    assert [own.sizes for own in strata] == [(1, 1), (1, 1)]
    assert [own.probability for own in strata] == [0.0, 1.0]
    assert exact_pvalue(strata) == 1.0

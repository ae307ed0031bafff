"""The exact test of how many runs fail."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from curvewise.kernels import survival
from curvewise.kernels.survival import failure_pvalue


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 40)), min_size=2, max_size=2))
def test_two_algorithms_are_fishers_test(counts: list[tuple[int, int]]) -> None:
    n_runs = [n for n, _ in counts]
    failed = [min(k, n) for n, k in counts]
    table = [failed, [n - k for n, k in zip(n_runs, failed, strict=True)]]
    assert failure_pvalue(failed, n_runs) == pytest.approx(fisher_exact(np.array(table))[1])


@pytest.mark.parametrize(
    ("failed", "n_runs"), [([2, 0, 1], [3, 3, 3]), ([0, 3, 1], [2, 4, 3]), ([1, 1], [4, 5])]
)
def test_the_share_of_relabellings_no_more_probable(failed: list[int], n_runs: list[int]) -> None:
    """Brute force: who failed stays, labels are shuffled among all runs."""
    total, labels = sum(n_runs), np.repeat(np.arange(len(n_runs)), n_runs)
    tables = [
        tuple(np.bincount(labels[list(chosen)], minlength=len(n_runs)).tolist())
        for chosen in combinations(range(total), sum(failed))
    ]
    often = {table: tables.count(table) for table in set(tables)}
    limit = often[tuple(failed)]
    share = sum(n for n in often.values() if n <= limit) / len(tables)
    assert failure_pvalue(failed, n_runs) == pytest.approx(share)


def test_no_failures_and_only_failures_prove_nothing() -> None:
    assert failure_pvalue([0, 0, 0], [5, 5, 5]) == 1
    assert failure_pvalue([5, 4], [5, 4]) == 1
    assert failure_pvalue([2], [5]) == 1


def test_the_order_of_algorithms_does_not_matter() -> None:
    assert failure_pvalue([4, 0, 1], [8, 6, 7]) == pytest.approx(
        failure_pvalue([1, 4, 0], [7, 8, 6])
    )


def test_large_numbers_of_runs_do_not_overflow() -> None:
    table = [[60, 20], [940, 980]]
    assert failure_pvalue([60, 20], [1_000, 1_000]) == pytest.approx(
        fisher_exact(np.array(table))[1]
    )


def exactly(failed: list[int], n_runs: list[int]) -> float:
    """All tables, one by one."""
    total = math.comb(sum(n_runs), sum(failed))
    ways = [
        math.prod(math.comb(n, k) for n, k in zip(n_runs, table, strict=True))
        for table in product(*(range(n + 1) for n in n_runs))
        if sum(table) == sum(failed)
    ]
    observed = math.prod(math.comb(n, k) for n, k in zip(n_runs, failed, strict=True))
    return sum(way for way in ways if way <= observed) / total


def test_many_tables_err_upwards_and_little(monkeypatch: pytest.MonkeyPatch) -> None:
    failed, n_runs = [5, 0, 3, 1, 4], [9, 8, 7, 6, 10]
    exact = exactly(failed, n_runs)
    assert failure_pvalue(failed, n_runs) == pytest.approx(exact)
    monkeypatch.setattr(survival, "MAX_DISTINCT", 100)
    original = survival._merged
    monkeypatch.setattr(survival, "_merged", lambda parts, tie, _most: original(parts, tie, 150))
    rough = failure_pvalue(failed, n_runs)
    assert exact <= rough < 1.3 * exact

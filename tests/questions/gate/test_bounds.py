"""Tests of one bound: closed forms, and limits that agree with p."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from curvewise.inference.work import shuffling_work
from curvewise.questions.gate.method import GateNumbers, normal_test, shift_test, welch_shift_test
from tests.questions.gate.runs import curves_of
from tests.simulation import some_curves


def numbers_of(seed: int, sizes: tuple[int, int]) -> GateNumbers:
    rng = np.random.default_rng(seed)
    curves = curves_of(*(rng.normal(size=size) for size in sizes))
    return GateNumbers.of(curves, np.ones(1), "candidate", "baseline")


def test_the_normal_test_is_that_of_noncentral_t() -> None:
    numbers = numbers_of(1, (6, 8))
    candidate, baseline = numbers.sides
    found = normal_test(numbers, -1.0)
    t = stats.ttest_ind(candidate, baseline).statistic
    root = math.sqrt(6 * 8 / 14)
    assert found.pvalue_above == pytest.approx(stats.nct.sf(t, 12, -root))
    assert found.value == pytest.approx(t / root)
    low = found.end(0.05, -1)
    assert stats.nct.sf(t, 12, low * root) == pytest.approx(0.05)
    assert stats.nct.sf(t, 12, found.end(0.05, 1) * root) == pytest.approx(0.95)


def test_the_test_of_welch_is_near_his_t_for_many_runs() -> None:
    numbers = numbers_of(2, (30, 40))
    candidate, baseline = numbers.sides
    with shuffling_work(
        "gate", n_shuffles=9_999, exact=None, n_jobs=1, rng=0, checkpoint=None
    ) as work:
        found = welch_shift_test(numbers, -0.4, work, alpha=0.05)
    expected = stats.ttest_ind(candidate + 0.4, baseline, equal_var=False, alternative="greater")
    assert found.pvalue_above == pytest.approx(expected.pvalue, abs=0.01)
    assert found.pvalue_above + found.pvalue_below == pytest.approx(1)
    low = expected.confidence_interval(0.95).low - 0.4
    assert found.end(0.05, -1) == pytest.approx(low, abs=0.02)


def test_limits_agree_with_p_where_shuffles_are_sampled() -> None:
    numbers = numbers_of(3, (12, 12))
    with shuffling_work(
        "gate", n_shuffles=99, exact=False, n_jobs=1, rng=0, checkpoint=None
    ) as work:
        for bound in np.linspace(-1, 1, 9):
            found = shift_test(numbers, float(bound), work, alpha=0.05)
            assert (found.end(0.05, -1) > bound) == (found.pvalue_above <= 0.05)
            assert (found.end(0.05, 1) < bound) == (found.pvalue_below <= 0.05)
            both = found.agreeing_with(welch_shift_test(numbers, bound, work, alpha=0.05))
            assert both.pvalue_above >= found.pvalue_above
            assert both.end(0.05, -1) <= found.end(0.05, -1)


def test_ways_to_choose_the_runs_are_counted_inside_blocks() -> None:
    curves = some_curves(0, (4, 4), blocks=[1, 1, 2, 2] * 2)
    numbers = GateNumbers.of(curves, np.full(6, 1 / 6), "A", "B")
    assert numbers.n_ways == 6 * 6
    assert numbers_of(0, (3, 4)).n_ways == 35

"""The bootstrap and the jackknife of the metrics, and intervals from them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves
from curvewise.kernels.bootstrap.intervals import jackknife_error
from curvewise.kernels.bootstrap.resamples import resample_counts
from curvewise.kernels.transfer.metrics import METRICS
from curvewise.questions.transfer import conditions as conditions_module
from curvewise.questions.transfer.conditions import TwoConditions
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.options import TransferOptions
from curvewise.questions.transfer.resampling import (
    leave_out,
    percentile_ends,
    resample_metrics,
    student_ends,
)
from tests.questions.resuming import progress_of
from tests.questions.transfer.gains import pair, rising

ALPHA = 0.05
REDUCTION, TIME = (
    RECORDS[name] for name in ("average_relative_reduction", "time_to_threshold")
)


def laid_out(curves: Curves, **options: Any) -> TwoConditions:
    return TwoConditions.of(curves, TransferOptions("C", "E", **options))


def test_resamples_are_the_metrics_of_runs_drawn_again() -> None:
    conditions = laid_out(rising(0, 5), optimum=9.0)
    found = resample_metrics(conditions, 99, seed=7)
    assert found is not None
    counts = resample_counts(conditions.strata, 99, seed=7)
    # Runs are drawn within their condition.
    assert (counts[:, conditions.member == 0].sum(axis=1) == 5).all()
    values = conditions.resampled(counts)
    for place, name in enumerate(METRICS):
        np.testing.assert_array_equal(found[name], values[place])


def test_neither_jobs_nor_portions_of_work_change_a_digit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conditions = laid_out(rising(2, 5), optimum=9.0)
    monkeypatch.setattr(conditions_module, "MAX_VALUES", 2**10)
    one, two = (resample_metrics(conditions, 999, 3, n_jobs=n) for n in (1, 2))
    assert one is not None
    assert two is not None
    for name in METRICS:
        np.testing.assert_array_equal(one[name], two[name])


def test_progress_is_reported_in_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = laid_out(rising(2, 5))
    monkeypatch.setattr(conditions_module, "MAX_VALUES", 2**10)
    (resamples,) = progress_of(lambda: resample_metrics(conditions, 999, 3))
    assert resamples[-1] == (999, 999)
    assert len(resamples) > 5


def test_what_cannot_be_resampled_is_not() -> None:
    assert resample_metrics(laid_out(rising(0)), 0, seed=0) is None
    single = laid_out(pair([[0.0, 1]], [[1.0, 2], [2.0, 2]]))
    scores, labels = np.random.default_rng(0).normal(size=(4, 3)), ["C", "E"] * 2
    block = laid_out(Curves(scores, labels, blocks=[0] * 4))
    for conditions in (single, block):
        assert resample_metrics(conditions, 99, seed=0) is None
        assert leave_out(conditions) is None


def test_the_error_of_a_mean_difference_is_the_textbooks() -> None:
    curves = rising(1, 8)
    conditions = laid_out(curves)
    without = leave_out(conditions)
    assert without is not None
    heights = curves.scores.mean(axis=1)
    variances = [heights[curves.labels == side].var(ddof=1) / 8 for side in ("C", "E")]
    error, _ = jackknife_error(without["average_gain"], conditions.strata)
    assert error == pytest.approx(math.sqrt(sum(variances)))


def test_whole_blocks_are_left_out() -> None:
    scores = np.random.default_rng(0).normal(size=(6, 4))
    curves = Curves(scores, ["C", "E"] * 3, blocks=[0, 0, 1, 1, 2, 2])
    without = leave_out(laid_out(curves))
    assert without is not None
    pairs = (scores[1::2] - scores[::2]).mean(axis=1)
    expected = [np.delete(pairs, block).mean() for block in range(3)]
    assert sorted(without["average_gain"]) == pytest.approx(sorted(expected))


def test_students_interval_takes_the_outer_ends_of_two_scales() -> None:
    strata = np.zeros(4, dtype=np.int64)
    without = np.array([0.9, 1.0, 1.1, 1.3])
    found = student_ends(TIME, 1.05, without, strata, ALPHA)
    quantile = stats.t.isf(0.025, 3)
    plain, log = (
        quantile * jackknife_error(values, strata)[0]
        for values in (without, np.log(without))
    )
    low = min(1.05 - plain, 1.05 * math.exp(-log))
    high = max(1.05 + plain, 1.05 * math.exp(log))
    assert found == pytest.approx((low, high))
    # A reduction is 1 minus such a ratio.
    turned = student_ends(REDUCTION, 1 - 1.05, 1 - without, strata, ALPHA)
    assert turned == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(
    ("value", "without"),
    [
        (math.inf, [1.0, 1.1]),
        (1.0, [math.inf, 1.1]),
        (1.0, [math.nan, 1.1]),
        (0.0, [0.5, 1.1]),
        (1.0, [1.0, 1.0]),
    ],
)
def test_without_finite_logarithms_there_is_no_students_interval(
    value: float, without: list[float]
) -> None:
    strata = np.zeros(2, dtype=np.int64)
    assert student_ends(TIME, value, np.array(without), strata, ALPHA) is None


def test_an_undefined_resample_could_have_been_anything() -> None:
    values, many = np.arange(1_000.0), np.array([10**9])
    assert percentile_ends(values, many, 0.1) == (49, 950)
    values[:30] = np.nan
    assert percentile_ends(values, many, 0.1) == (49, 980)
    values[:100] = np.nan
    assert percentile_ends(values, many, 0.1) == (-math.inf, math.inf)


def test_few_units_widen_the_percentile_interval() -> None:
    values = np.arange(1_000.0)
    assert percentile_ends(values, np.array([5, 5]), 0.1)[0] < 49

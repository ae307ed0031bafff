"""The bootstrap of the metrics, and intervals from it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves
from curvewise.kernels.bootstrap.resamples import resample_counts
from curvewise.kernels.transfer.metrics import METRICS
from curvewise.questions.transfer import conditions as conditions_module
from curvewise.questions.transfer.conditions import TwoConditions
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.options import TransferOptions
from curvewise.questions.transfer.resampling import (
    Resampled,
    metric_intervals,
    percentile_interval,
    resample_metrics,
)
from tests.questions.resuming import progress_of
from tests.questions.transfer.gains import pair, rising

if TYPE_CHECKING:
    from curvewise.questions.transfer.metrics import MetricRecord

ALPHA = 0.05


def laid_out(curves: Curves, **options: Any) -> TwoConditions:
    return TwoConditions.of(curves, TransferOptions("C", "E", **options))


def resampled(values: np.ndarray, **fields: Any) -> Resampled:
    given: dict[str, Any] = {"errors": np.full(len(values), 0.2), "error": 0.2}
    return Resampled(values, **{**given, "acceleration": 0.0, **fields})


def test_resamples_are_the_metrics_of_runs_drawn_again() -> None:
    conditions = laid_out(rising(0, 5), optimum=9.0)
    found = resample_metrics(conditions, 99, seed=7)
    assert found is not None
    counts = resample_counts(conditions.strata, 99, seed=7)
    # Runs are drawn within their condition.
    assert (counts[:, conditions.member == 0].sum(axis=1) == 5).all()
    values = conditions.resampled(counts)
    for place, name in enumerate(METRICS):
        np.testing.assert_array_equal(found[name].values, values[place])


def test_the_error_of_a_mean_difference_is_the_textbooks() -> None:
    curves = rising(1, 8)
    conditions = laid_out(curves)
    found = resample_metrics(conditions, 199, seed=1)
    assert found is not None
    heights = curves.scores.mean(axis=1)
    variances = [heights[curves.labels == side].var(ddof=1) / 8 for side in ("C", "E")]
    assert found["average_gain"].error == pytest.approx(math.sqrt(sum(variances)))
    # So is that of every resample.
    counts = resample_counts(conditions.strata, 199, seed=1).astype(int)
    own = []
    for side in (0, 1):
        runs = np.flatnonzero(conditions.member == side)
        drawn = np.repeat(runs, counts[0, runs])
        own.append(conditions.scores[drawn].mean(axis=1).var(ddof=1) / 8)
    assert found["average_gain"].errors[0] == pytest.approx(math.sqrt(sum(own)))


def test_neither_jobs_nor_portions_of_work_change_a_digit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conditions = laid_out(rising(2, 5), optimum=9.0)
    monkeypatch.setattr(conditions_module, "MAX_VALUES", 2**10)
    one, two = (resample_metrics(conditions, 999, 3, n_jobs=n) for n in (1, 2))
    assert one is not None
    assert two is not None
    for name in METRICS:
        np.testing.assert_array_equal(one[name].values, two[name].values)
        np.testing.assert_array_equal(one[name].errors, two[name].errors)
        assert one[name].error == two[name].error


def test_progress_is_reported_in_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = laid_out(rising(2, 5))
    monkeypatch.setattr(conditions_module, "MAX_VALUES", 2**10)
    resamples, *_, left_out = progress_of(lambda: resample_metrics(conditions, 999, 3))
    assert resamples[-1] == (999, 999)
    assert len(resamples) > 5
    # With each drawn run left out once; at least one of ten is drawn in any resample.
    assert 999 < left_out[-1][1] <= 9_990


def test_many_units_have_fewer_resamples_with_errors() -> None:
    few = resample_metrics(laid_out(rising(0, 5)), 1_500, seed=0)
    many = resample_metrics(laid_out(rising(0, 60, n_steps=3)), 1_500, seed=0)
    assert few is not None
    assert many is not None
    assert len(few["jumpstart"].errors) == 999
    assert len(many["jumpstart"].errors) == 40_000 // 120
    assert len(many["jumpstart"].values) == 1_500


def test_what_cannot_be_resampled_is_not() -> None:
    assert resample_metrics(laid_out(rising(0)), 0, seed=0) is None
    single = laid_out(pair([[0.0, 1]], [[1.0, 2], [2.0, 2]]))
    assert resample_metrics(single, 99, seed=0) is None
    scores, labels = np.random.default_rng(0).normal(size=(4, 3)), ["C", "E"] * 2
    block = laid_out(Curves(scores, labels, blocks=[0] * 4))
    assert resample_metrics(block, 99, seed=0) is None


def test_an_error_is_infinite_where_a_metric_is_not_finite() -> None:
    # One run reaches the threshold, and so does the mean with it, but not without.
    one_reaches = [[0.0, 1, 3], [0.0, 1, 1], [0.0, 1, 1]]
    conditions = laid_out(pair([[0.0, 3, 3]] * 3, one_reaches), threshold=1.5)
    found = resample_metrics(conditions, 99, seed=0)
    assert found is not None
    assert found["time_to_threshold"].error == math.inf
    assert found["time_to_threshold"].acceleration == 0
    assert math.isfinite(found["average_gain"].error)


DEVIATIONS = np.random.default_rng(0).normal(0, 0.2, size=1_999)
VALUES = 0.9 + DEVIATIONS


@pytest.mark.parametrize("kind", ["percentile", "bca", "studentised"])
@pytest.mark.parametrize("record", RECORDS.values(), ids=lambda record: record.name)
def test_no_interval_leaves_the_bounds_of_its_metric(
    record: MetricRecord, kind: str
) -> None:
    for bound, side in zip(record.bounds, (-1, 1), strict=True):
        # Near the bound, or near 1, an interval of this width would go beyond.
        limit = bound if math.isfinite(bound) else side
        value = limit - 0.1 * side
        near = resampled(value + DEVIATIONS)
        end = metric_intervals(record, value, near, ALPHA, 1.0)[kind][side > 0]
        if math.isfinite(bound):
            assert end == bound
        else:
            assert side * end > 1.1


def test_every_interval_holds_the_estimate() -> None:
    record = RECORDS["average_gain"]
    far = resampled(VALUES + 5)
    found = metric_intervals(record, 0.9, far, ALPHA, 1.0)
    assert found["percentile"].low == 0.9
    assert found["percentile"].high > 6


def test_a_sign_turns_the_interval_round() -> None:
    record = RECORDS["jumpstart"]
    up = metric_intervals(record, 0.9, resampled(VALUES), ALPHA, 1.0)
    down = metric_intervals(record, 0.9, resampled(VALUES), ALPHA, -1.0)
    for kind, interval in up.items():
        assert down[kind] == (-interval.high, -interval.low)
    nothing = metric_intervals(record, 0.0, resampled(np.zeros(99)), ALPHA, -1.0)
    assert [str(end) for end in nothing["percentile"]] == ["0.0", "0.0"]


def test_which_kinds_of_interval_there_are() -> None:
    record = RECORDS["time_to_threshold"]
    kinds = {"percentile", "bca", "studentised"}
    assert set(metric_intervals(record, 0.9, resampled(VALUES), ALPHA, 1.0)) == kinds
    infinite = metric_intervals(record, math.inf, resampled(VALUES), ALPHA, 1.0)
    assert set(infinite) == {"percentile"}
    no_error = metric_intervals(record, 0.9, resampled(VALUES, error=np.inf), ALPHA, 1.0)
    assert set(no_error) == {"percentile", "bca"}


def test_an_undefined_resample_could_have_been_anything() -> None:
    values = np.arange(1_000.0)
    assert percentile_interval(values, 0.1) == (49, 950)
    values[:30] = np.nan
    assert percentile_interval(values, 0.1) == (49, 980)
    values[:100] = np.nan
    assert percentile_interval(values, 0.1) == (-math.inf, math.inf)

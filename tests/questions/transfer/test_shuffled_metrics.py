"""The metrics in relabellings, which count as extreme, and p."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import OptionError
from curvewise.inference.asking import asked_of
from curvewise.inference.work import Work
from curvewise.kernels.metrics import METRICS
from curvewise.questions.transfer.ask import transfer
from curvewise.questions.transfer.method import (
    ShuffledMetrics,
    TwoConditions,
    shuffle_metrics,
    smaller_tail_twice,
    tail_counts,
)
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.shuffling import visit
from tests.questions.transfer.gains import pair, rising

if TYPE_CHECKING:
    from curvewise import Curves

WORK = Work(999, None, 1, (1,), seed=5, checkpoint=None)
ALPHA = 0.05


def laid_out(curves: Curves, **options: Any) -> TwoConditions:
    return TwoConditions(curves, asked_of(transfer, control="C", experimental="E", **options))


def observed(conditions: TwoConditions) -> np.ndarray:
    return conditions.relabelled(conditions.member[None, :])[:, 0]


def shuffled(conditions: TwoConditions, **work: Any) -> Any:
    return shuffle_metrics(conditions, observed(conditions), replace(WORK, **work), alpha=ALPHA)


def test_an_enumeration_measures_mirror_images_after_their_batch() -> None:
    conditions = laid_out(rising(0, 4), optimum=9.0)
    tests, sampling = shuffled(conditions)
    assert sampling.exact
    assert sampling.n_shuffles == sampling.n_relabellings == math.comb(8, 4)
    labels = conditions.restriction.every().batch(0)
    expected = np.concatenate(
        [conditions.relabelled(labels), conditions.relabelled(1 - labels)], axis=1
    )
    for place, name in enumerate(METRICS):
        np.testing.assert_array_equal(tests[name].null_distribution, expected[place])
    # Differences change their sign in a mirror image.
    gains = tests["average_gain"].null_distribution
    np.testing.assert_allclose(gains[35:], -gains[:35])


def test_unequal_sizes_have_no_mirror_images() -> None:
    scores = np.random.default_rng(0).normal(size=(7, 5))
    tests, sampling = shuffled(laid_out(pair(scores[:3], scores[3:])))
    assert sampling.n_shuffles == sampling.n_relabellings == 35
    assert sampling.smallest_pvalue == pytest.approx(1 / 35)
    assert len(tests["jumpstart"].null_distribution) == 35


def test_the_smallest_p_counts_a_relabelling_with_its_mirror_image() -> None:
    far = np.arange(5.0)
    conditions = laid_out(pair([far, far + 0.1, far + 0.2], [far + 9, far + 9.1, far + 9.2]))
    tests, sampling = shuffled(conditions)
    assert sampling.n_relabellings == 20
    assert sampling.smallest_pvalue == pytest.approx(0.1)
    assert sampling.to_dict()["smallest_pvalue"] == sampling.smallest_pvalue
    assert tests["average_gain"].pvalue == pytest.approx(0.1)
    assert sampling.with_seed(3).smallest_pvalue == sampling.smallest_pvalue
    few = replace(sampling, exact=False, n_shuffles=4)
    assert few.smallest_pvalue == pytest.approx(0.2)


def test_the_seed_is_reported_also_where_p_is_exact() -> None:
    conditions = laid_out(rising(0, 4))
    assert shuffled(conditions)[1].seed == 5
    assert shuffled(conditions, exact=False)[1].seed == 5


def test_samples_count_every_shuffle_once() -> None:
    conditions = laid_out(rising(0, 4))
    tests, sampling = shuffled(conditions, exact=False)
    assert not sampling.exact
    assert sampling.n_shuffles == 999
    assert sampling.n_relabellings == 70
    values = tests["average_gain"].null_distribution
    assert len(values) == 999
    value = observed(conditions)[METRICS.index("average_gain")]
    n_extreme = np.sum(np.abs(values) >= abs(value) * (1 - 1e-9))
    assert tests["average_gain"].pvalue == pytest.approx((1 + n_extreme) / 1_000)


def test_undefined_metrics_have_no_p() -> None:
    conditions = laid_out(pair(np.ones((3, 4)), np.ones((3, 4)), steps=[1, 2, 3, 4]))
    tests, _ = shuffled(conditions)
    undefined = {name for name, test in tests.items() if test.pvalue is None}
    values = observed(conditions)
    assert undefined == {n for n, v in zip(METRICS, values, strict=True) if np.isnan(v)}
    assert undefined == {
        "transfer_regret",
        "calibrated_transfer_ratio",
        "average_relative_reduction",
    }


def test_what_is_exact_depends_on_how_many_there_are() -> None:
    scores = np.random.default_rng(0).normal(size=(24, 2))
    conditions = laid_out(pair(scores[:12], scores[12:]))
    assert conditions.restriction.count == 1_352_078
    assert not shuffled(conditions)[1].exact
    larger = laid_out(pair(np.vstack([scores, scores]), np.vstack([scores, scores])))
    with pytest.raises(OptionError, match="more than can be visited one by one") as no:
        shuffled(larger, exact=True)
    assert no.value.option == "exact"


def test_more_relabellings_than_are_kept_are_all_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = laid_out(rising(5, 6), optimum=9.0)
    every, exact = shuffled(conditions)
    monkeypatch.setattr(visit, "MAX_FREE", 100)
    monkeypatch.setattr(visit.Statistic, "n_kept", 1)
    tests, sampling = shuffled(conditions, exact=True)
    assert sampling == exact
    assert sampling.n_shuffles == math.comb(12, 6)
    for name in METRICS:
        assert tests[name].pvalue == every[name].pvalue
        # A sample of one batch, with its mirror images.
        assert len(tests[name].null_distribution) == 2 * 1_024


def test_jobs_change_no_digit() -> None:
    conditions = laid_out(rising(4, 12), optimum=9.0)
    one, two = (shuffled(conditions, n_shuffles=9_000, n_jobs=n)[0] for n in (1, 2))
    for name in METRICS:
        assert one[name].pvalue == two[name].pvalue
        np.testing.assert_array_equal(one[name].null_distribution, two[name].null_distribution)


def test_the_smaller_tail_counts_twice() -> None:
    values = np.array([0.5, 0.6, 0.4, -9.0, math.nan])
    assert tail_counts(0.5, values) == (3, 4)
    assert smaller_tail_twice((3, 4), 9) == 6
    assert smaller_tail_twice(np.array([5, 4]), 7) == 7
    values = np.array([0.5 - 1e-10, 0.5 + 1e-10, 0.4])
    assert tail_counts(0.5, values) == (2, 3)


def test_p_is_that_of_the_difference_or_of_the_metric_itself() -> None:
    conditions = laid_out(rising(6, 4, gain=0.5), optimum=9.0)
    tests, sampling = shuffled(conditions)
    for record, value in zip(RECORDS.values(), observed(conditions), strict=True):
        test = tests[record.name]
        if record.tested_as == "log_rank":
            labels = conditions.restriction.every().batch(0)
            n_extreme = 2 * conditions.counts(conditions.sums(labels))[-1]
        elif record.tested_as:
            own = tests[record.tested_as].null_distribution
            reached = abs(observed(conditions)[METRICS.index(record.tested_as)])
            n_extreme = np.sum(np.abs(own) >= reached * (1 - 1e-9))
        else:
            tails = tail_counts(value, test.null_distribution)
            n_extreme = smaller_tail_twice(tails, sampling.n_shuffles)
        assert test.pvalue == n_extreme / sampling.n_shuffles, record.name


def test_a_reduction_of_nothing_is_no_evidence() -> None:
    """A value of no effect lies in no tail, whatever the others are."""
    same = np.arange(5.0)
    conditions = laid_out(pair([same, same], [same, same]))
    values = observed(conditions)
    assert values[METRICS.index("average_relative_reduction")] == 0
    tests, _ = shuffled(conditions)
    assert tests["average_relative_reduction"].pvalue == 1


def test_only_defined_metrics_decide_when_to_stop() -> None:
    conditions = laid_out(rising(0, 4))
    values = observed(conditions)
    values[METRICS.index("average_relative_reduction")] = np.nan
    statistic = ShuffledMetrics(conditions, values, mirrored=False, compiled_reduction=False)
    (counts,), _ = statistic.measure(conditions.restriction.every().batch(0), keep=False)
    assert counts.shape == (5, 2)
    assert statistic.deciding((counts,)).tolist() == counts.min(axis=1)[[1, 2, 3, 4]].tolist()


def test_auto_stops_when_every_p_is_settled() -> None:
    clear = laid_out(rising(0, 12, gain=5.0), optimum=20.0)
    settled, sampling = shuffled(clear, n_shuffles="auto", exact=False)
    assert sampling.n_shuffles == 2**14
    again, _ = shuffled(clear, n_shuffles=2**14, exact=False)
    assert {n: t.pvalue for n, t in settled.items()} == {n: t.pvalue for n, t in again.items()}
    nothing = laid_out(rising(1, 12, gain=0.8), optimum=20.0)
    _, sampling = shuffled(nothing, n_shuffles="auto", exact=False)
    assert 2**14 < sampling.n_shuffles <= 2**20


def test_precise_waits_for_a_hundred_in_the_smaller_tail() -> None:
    conditions = laid_out(rising(3, 12, gain=0.7), optimum=20.0)
    tests, sampling = shuffled(conditions, n_shuffles="precise", exact=False)
    for test in tests.values():
        assert test.pvalue >= 100 / sampling.n_shuffles

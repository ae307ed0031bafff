from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr

import curvewise as cw
from curvewise.questions.plan.method import Pairing, pairing_of
from tests.simulation import some_curves


def test_the_correlation_is_that_of_paired_curve_means() -> None:
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(7, 1))
    scores = np.concatenate([shared + rng.normal(size=(7, 3)) for _ in "AB"])
    pairs = rng.permutation(7)
    blocks = np.concatenate([np.arange(7), pairs])
    found = pairing_of(cw.Curves(scores, list("AAAAAAABBBBBBB"), blocks=blocks), 0.95)
    assert found is not None
    means = scores.mean(axis=1)
    expected = pearsonr(means[:7][pairs], means[7:])
    assert found.correlation == pytest.approx(expected.statistic)
    ends = expected.confidence_interval(0.95)
    assert found.interval == pytest.approx((ends.low, ends.high))


def test_without_pairs_there_is_no_correlation() -> None:
    assert pairing_of(some_curves(0, (5, 5)), 0.95) is None
    assert pairing_of(some_curves(0, (2, 2), blocks=[0, 1, 0, 1]), 0.95) is None
    three = some_curves(0, (3, 3, 3), blocks=[0, 1, 2] * 3)
    assert pairing_of(three, 0.95) is None
    flat = cw.Curves(
        [[1.0], [1.0], [1.0], [1.0], [2.0], [3.0]], list("AAABBB"), blocks=[0, 1, 2] * 2
    )
    assert pairing_of(flat, 0.95) is None
    few = pairing_of(some_curves(0, (3, 3), blocks=[0, 1, 2] * 2), 0.95)
    assert few is not None
    assert few.interval == (-1, 1)


def test_when_pairing_pays() -> None:
    def pays(correlation: float, n_runs: int) -> bool:
        return Pairing(9, correlation, cw.Interval(-1, 1), 0.95).pays(n_runs)

    assert not pays(0.9, 5)
    assert (pays(0.6, 6), pays(0.4, 7)) == (True, False)
    assert (pays(0.2, 8), pays(0.1, 40)) == (True, False)

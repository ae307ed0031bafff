"""Margins that are a share of the baseline."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise import Curves
from tests.questions.gate.runs import asked, brute_force, curves_of


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("sizes", [(4, 4), (3, 5)])
def test_scores_of_either_sign_have_shares(sign: int, sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(5)
    candidate, baseline = (sign * rng.normal(10, 1, size) for size in sizes)
    found = asked(curves_of(candidate, baseline), margin=0.1, unit="relative", spread="equal")
    # Worse means lower, whatever the sign.
    worse = baseline * (1 - sign * 0.1)
    expected = brute_force(candidate, worse)
    assert (found.pvalue_pass, found.pvalue_fail) == pytest.approx(expected)
    share = (candidate.mean() - baseline.mean()) / abs(baseline.mean())
    assert found.difference == pytest.approx(share)
    assert found.limits.low < share < found.limits.high


def test_blocks_that_are_even_have_the_ratio_of_means() -> None:
    rng = np.random.default_rng(1)
    candidate, baseline = rng.normal(10, 1, (2, 6))
    found = asked(
        curves_of(candidate, baseline, blocks=[*range(6)] * 2), margin=0.1, unit="relative"
    )
    assert found.difference == pytest.approx(candidate.mean() / baseline.mean() - 1)
    assert found.pvalue_pass >= 1 / 2**6


def test_the_limits_of_welch_are_those_of_fieller_for_many_runs() -> None:
    rng = np.random.default_rng(2)
    candidate, baseline = rng.normal(9, 1, 60), rng.normal(10, 1, 40)
    found = asked(curves_of(candidate, baseline), margin=0.2, unit="relative", spread="unequal")
    for limit, sign in ((found.limits.low, 1), (found.limits.high, -1)):
        factor = 1 + limit
        error = np.sqrt(candidate.var(ddof=1) / 60 + factor**2 * baseline.var(ddof=1) / 40)
        t = (candidate.mean() - factor * baseline.mean()) / error
        assert sign * t == pytest.approx(1.66, abs=0.05)


def test_a_baseline_far_from_settled_has_an_open_end() -> None:
    rng = np.random.default_rng(3)
    curves = curves_of(rng.normal(5, 3, 3), np.array([0.01, 0.02, 30.0, 0.01]))
    found = asked(curves, margin=0.5, unit="relative", spread="unequal")
    assert np.isinf(found.limits.high)
    assert found.to_dict()["limits"][1] is None


def test_many_runs_are_sampled() -> None:
    rng = np.random.default_rng(4)
    curves = Curves(rng.normal(10, 1, (60, 1)), ["candidate"] * 30 + ["baseline"] * 30)
    found = asked(curves, margin=0.1, unit="relative", n_shuffles=999)
    exact = asked(curves, margin=0.1, unit="relative", n_shuffles=9_999)
    np.testing.assert_allclose(found.limits, exact.limits, atol=0.01)

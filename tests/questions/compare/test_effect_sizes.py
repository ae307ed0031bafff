"""Effect sizes of two algorithms, by hand and by what they must agree with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, compare
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise.questions.compare.result import Difference


def difference_of(curves: Curves, **options: object) -> Difference:
    found = compare(curves, **options).difference  # type: ignore[arg-type]
    assert found is not None
    return found


def test_effect_sizes_by_hand() -> None:
    scores = np.array([[1.0, 3.0], [3.0, 5.0], [5.0, 7.0], [0.0, 2.0], [2.0, 2.0], [0.0, 6.0]])
    found = difference_of(Curves(scores, list("AAABBB")))
    # Curve means 2, 4, 6 and 1, 2, 3.
    assert (found.a, found.b, found.value) == ("A", "B", 2.0)
    pooled_sd = math.sqrt((8 + 2) / 4)
    correction = math.gamma(2) / (math.sqrt(2) * math.gamma(1.5))
    assert found.hedges_g == pytest.approx(correction * 2 / pooled_sd)
    # Of nine pairs A wins 7 (2>1, 4>1,2,3, 6>1,2,3), ties one, loses one.
    assert found.probability_of_superiority == pytest.approx((7 + 0.5) / 9)
    lower = difference_of(Curves(scores, list("AAABBB"), higher_is_better=False))
    assert lower.probability_of_superiority == pytest.approx(1 - 7.5 / 9)
    # What is better changes words, not differences.
    assert (lower.value, lower.hedges_g) == (found.value, found.hedges_g)


@pytest.mark.parametrize("seed", range(20))
def test_the_interval_leaves_zero_out_just_when_height_is_significant(seed: int) -> None:
    curves = some_curves(seed, (6, 5))
    curves = Curves(curves.scores + 0.9 * (curves.codes == 0)[:, None], curves.labels)
    found = compare(curves)
    assert found.difference is not None
    low, high = found.difference.interval
    assert (low > 0 or high < 0) == found.algorithm.significant


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_holds_the_shifts_that_are_not_rejected(seed: int) -> None:
    curves = some_curves(seed, (5, 5))
    low, high = difference_of(curves).interval

    def rejected(shift: float) -> bool:
        moved = curves.scores - shift * (curves.codes == 0)[:, None]
        return compare(Curves(moved, curves.labels)).algorithm.significant

    inside = 1e-6 * (high - low)
    assert not rejected(low + inside)
    assert not rejected(high - inside)
    assert rejected(low - inside)
    assert rejected(high + inside)


def test_differences_follow_scale_and_shift() -> None:
    curves = some_curves(4, (6, 6))
    plain = difference_of(curves)
    moved = difference_of(Curves(1e6 * curves.scores - 3e5, curves.labels))
    assert moved.value == pytest.approx(1e6 * plain.value)
    assert moved.interval == pytest.approx(tuple(1e6 * end for end in plain.interval))
    assert plain.hedges_g is not None
    assert moved.hedges_g == pytest.approx(plain.hedges_g)
    assert moved.probability_of_superiority == plain.probability_of_superiority


def test_superiority_is_the_statistic_of_mann_and_whitney() -> None:
    curves = some_curves(5, (6, 9))
    a, b = (curves.scores[curves.codes == code].mean(axis=1) for code in (0, 1))
    expected = stats.mannwhitneyu(a, b).statistic / 54
    assert difference_of(curves).probability_of_superiority == pytest.approx(expected)


def test_effect_sizes_are_taken_within_blocks() -> None:
    heights = np.array([0, 1, 1, 0, 1, 1, 10, 10, 11, 10, 10, 11.0])
    labels = list("BAABAABBABBA")
    scores = heights[:, None] + 0.01 * np.random.default_rng(0).normal(size=(12, 3))
    blocks = np.repeat(range(4), 3)
    found = difference_of(Curves(scores, labels, blocks=blocks).select("A", "B"))
    assert found.value == pytest.approx(1, abs=0.05)
    assert found.hedges_g is not None
    assert found.hedges_g > 0
    assert found.probability_of_superiority == 1


def test_the_difference_of_pairs_is_their_mean_difference() -> None:
    rng = np.random.default_rng(1)
    shared = 50 * rng.normal(size=(6, 1))
    first, second = shared + rng.normal(size=(6, 3)), shared + rng.normal(size=(6, 3))
    curves = Curves(np.vstack([first, second]), ["A"] * 6 + ["B"] * 6, blocks=[*range(6)] * 2)
    found = difference_of(curves)
    own = (first - second).mean(axis=1)
    assert found.value == pytest.approx(own.mean())
    # In a pair, what the block leaves is half of the difference with either sign.
    spread = math.sqrt(np.sum((own - own.mean()) ** 2) / 2 / 5)
    correction = math.gamma(2.5) / (math.sqrt(2.5) * math.gamma(2))
    assert found.hedges_g == pytest.approx(correction * own.mean() / spread)


def test_runs_that_do_not_vary_have_no_standardised_difference() -> None:
    curve = np.arange(4.0)
    steady = Curves([curve] * 4 + [curve + 1] * 4, list("AAAABBBB"))
    assert difference_of(steady).hedges_g is None
    assert difference_of(steady).value == -1
    # One run of either, and one degree of freedom.
    assert difference_of(some_curves(0, (1, 2))).hedges_g is None


def test_equal_heights_differ_by_nothing_at_all() -> None:
    """An end that rounding moves away from zero would change what readers see."""
    scores = np.random.default_rng(0).normal(size=(5, 8)).round(1)
    vector = np.array([-7, -5, -3, -1, 1, 3, 5, 7]) / 10
    found = difference_of(Curves(np.vstack([scores, scores + vector]), list("AAAAABBBBB")))
    assert found.value == 0
    assert found.probability_of_superiority == 0.5


def test_more_than_two_algorithms_have_no_single_difference() -> None:
    assert compare(some_curves(0, (3, 3, 3)), n_shuffles=99, rng=0).difference is None


def test_too_few_relabellings_leave_the_interval_open() -> None:
    assert difference_of(some_curves(0, (3, 3))).interval == (-math.inf, math.inf)
    few = difference_of(some_curves(0, (6, 6)), exact=False, n_shuffles=10, rng=0)
    assert few.interval == (-math.inf, math.inf)


def test_partial_omega_squared_is_that_of_its_definition() -> None:
    found = compare(some_curves(2, (6, 6)))
    row, error = found.table["algorithm"], found.table["curves"]
    assert row.ms is not None
    assert error.ms is not None
    expected = (row.ss - row.df * error.ms) / (row.ss + (12 - row.df) * error.ms)
    assert found.algorithm.effect_size == pytest.approx(expected)


def test_interval_and_p_agree_on_ties() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        scores = rng.integers(0, 6, size=(9, 2)) / 10
        found = compare(Curves(scores, list("AAAAABBBB")))
        assert found.difference is not None
        low, high = found.difference.interval
        assert (low > 0 or high < 0) == found.algorithm.significant, seed
        above = found.algorithm.statistic > found.algorithm.critical_value
        assert above == found.algorithm.significant or found.algorithm.significant


def test_equal_means_tie_in_superiority_and_have_no_spread() -> None:
    first, second = (0.1, 0.2, 0.3, 0.7), (0.1, 0.7, 0.3, 0.2)
    difference = compare(Curves([first] * 3 + [second] * 3, list("AAABBB"))).difference
    assert difference is not None
    assert difference.value == 0
    assert difference.probability_of_superiority == 0.5
    assert difference.hedges_g is None

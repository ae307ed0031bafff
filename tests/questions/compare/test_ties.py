"""p, interval and effect sizes agree on ties, whatever rounding does to the numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from curvewise import Curves, compare
from tests.kernels.anova.test_thresholds import exact_counts


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("offset", "dtype"), [("0", "f8"), ("100000", "f8"), ("-7000000", "f8"), ("0", "f4")]
)
def test_p_counts_ties_and_nothing_else(seed: int, offset: str, dtype: str) -> None:
    tenths = np.random.default_rng(seed).integers(0, 4, size=(7, 3))
    scores = [
        [f"{float(Fraction(offset) + Fraction(int(t), 10)):.1f}" for t in row]
        for row in tenths
    ]
    found = compare(Curves(np.array(scores, dtype=float).astype(dtype), list("AAABBBB")))
    ours = [
        found.overall.pvalue,
        found.algorithm.pvalue,
        found.effects["split"]["interaction"].pvalue,
        found.effects["pooled"]["algorithm"].pvalue,
        found.effects["pooled"]["interaction"].pvalue,
    ]
    counts, n_relabellings = exact_counts(scores, (3, 4))
    assert ours == pytest.approx([count / n_relabellings for count in counts])


def test_the_observed_labelling_counts_itself_under_a_huge_effect() -> None:
    scores = [[5, 0], [3, 4], [2, 1], [9, 9], [5, 8], [4, 9]]
    scores += [[3000, 3006], [3000, 3005], [3008, 3008]]
    found = compare(Curves(scores, list("AAABBBCCC")), error="pooled")
    assert found.interaction is not None
    assert found.interaction.n_extreme == 1
    assert found.interaction.pvalue == 1 / 280


def test_little_error_is_not_no_error() -> None:
    noise = 1e-6 * np.random.default_rng(0).normal(size=(10, 4))
    scores = noise + np.repeat([0, 1], 5)[:, None]
    found = compare(Curves(scores, list("AAAAABBBBB")))
    row, error = found.table["algorithm"], found.table["curves"]
    assert row.ms is not None
    assert error.ms is not None
    assert found.algorithm.statistic == pytest.approx(row.ms / error.ms)
    assert 1e11 < found.algorithm.statistic < 1e14
    assert found.warnings == ()


def test_parallel_decimals_have_no_shape() -> None:
    shape = np.array([0.1, 0.4, 0.6, 0.7, 0.8])
    heights = np.array([0.01, 0.02, 0.03, 0.02, 0.01, 0.11, 0.12, 0.13, 0.12, 0.11])
    for offset in (0, 1e4, 1e7):
        scores = np.round(offset + shape + heights[:, None], 2)
        found = compare(Curves(scores, list("AAAAABBBBB")))
        assert found.interaction is not None
        assert found.interaction.statistic == 0
        assert found.interaction.pvalue == 1


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

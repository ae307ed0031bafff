"""Ties count and nothing else does, whatever rounding does to the numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from curvewise import Curves, compare
from tests.textbook import all_relabellings


def exact_counts(scores: list[list[str]], sizes: tuple[int, ...]) -> dict[str, int]:
    """Count the extreme relabellings in rational arithmetic, where a tie is a tie."""
    curves = [[Fraction(score) for score in row] for row in scores]
    n_steps = len(curves[0])

    def parts(labels: Any) -> tuple[Any, Any, Any]:
        groups = [
            [c for c, g in zip(curves, labels, strict=True) if g == i]
            for i in range(len(sizes))
        ]
        cells = [
            [sum(c[h] for c in group) / len(group) for h in range(n_steps)]
            for group in groups
        ]
        steps = [sum(c[h] for c in curves) / len(curves) for h in range(n_steps)]
        grand = sum(steps) / Fraction(n_steps)
        means = [sum(cell) / n_steps for cell in cells]
        algorithm = sum(
            (
                n_steps * n * (mean - grand) ** 2
                for n, mean in zip(sizes, means, strict=True)
            ),
            Fraction(0),
        )
        interaction = sum(
            (
                n * (cell[h] - mean - steps[h] + grand) ** 2
                for n, cell, mean in zip(sizes, cells, means, strict=True)
                for h in range(n_steps)
            ),
            Fraction(0),
        )
        total = sum(
            ((c[h] - steps[h]) ** 2 for c in curves for h in range(n_steps)), Fraction(0)
        )
        return algorithm, interaction, total

    observed = parts(np.repeat(np.arange(len(sizes)), sizes))
    counts = dict.fromkeys(
        ("overall", "algorithm", "interaction", "pooled a", "pooled i"), 0
    )
    n_relabellings = 0
    for labels in all_relabellings(sizes):
        n_relabellings += 1
        algorithm, interaction, total = parts(labels)
        error, seen = total - algorithm - interaction, total - observed[0] - observed[1]
        counts["overall"] += algorithm + interaction >= observed[0] + observed[1]
        counts["algorithm"] += algorithm >= observed[0]
        counts["interaction"] += interaction >= observed[1]
        counts["pooled a"] += algorithm * seen >= observed[0] * error
        counts["pooled i"] += interaction * seen >= observed[1] * error
    return {name: count * 10**6 // n_relabellings for name, count in counts.items()}


def check(scores: list[list[str]], sizes: tuple[int, ...], dtype: str = "f8") -> None:
    labels = np.repeat(list("ABCD")[: len(sizes)], sizes)
    found = compare(Curves(np.array(scores, dtype=float).astype(dtype), labels))
    ours = {
        "overall": found.overall.pvalue,
        "algorithm": found.algorithm.pvalue,
        "interaction": found.effects["split"]["interaction"].pvalue,
        "pooled a": found.effects["pooled"]["algorithm"].pvalue,
        "pooled i": found.effects["pooled"]["interaction"].pvalue,
    }
    expected = exact_counts(scores, sizes)
    assert {name: int(p * 10**6 + 1e-6) for name, p in ours.items()} == expected


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("offset", "dtype"), [("0", "f8"), ("100000", "f8"), ("-7000000", "f8"), ("0", "f4")]
)
def test_decimals_tie_where_they_should(seed: int, offset: str, dtype: str) -> None:
    tenths = np.random.default_rng(seed).integers(0, 4, size=(7, 3))
    scores = [
        [str(Fraction(offset) + Fraction(int(t), 10)) for t in row] for row in tenths
    ]
    decimal = [[f"{float(Fraction(s)):.1f}" for s in row] for row in scores]
    check(decimal, (3, 4), dtype)


@pytest.mark.parametrize("seed", range(5))
def test_one_far_algorithm_does_not_blur_the_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = (
        rng.integers(0, 10, size=(8, 2)) + np.repeat([0, 12, 10**7], [3, 2, 3])[:, None]
    )
    check([[str(int(s)) for s in row] for row in scores], (3, 2, 3))


@pytest.mark.parametrize("seed", range(5))
def test_one_large_stratum_does_not_drown_the_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    heights = rng.integers(0, 10**7, size=(7, 1)) * 3
    shapes = rng.integers(0, 5, size=(7, 3))
    check([[str(int(s)) for s in row] for row in heights + shapes], (3, 4))


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

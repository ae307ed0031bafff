"""Ties count and nothing else does, whatever rounding does to the numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from curvewise.kernels.anova import (
    EPSILON,
    Design,
    Totals,
    effect_ratio,
    extreme_rule,
    group_squares,
    rounding,
    step_rounding,
)
from tests.simulation import random_walk
from tests.textbook import all_relabellings, f_ratios


def exact_counts(scores: list[list[str]], sizes: tuple[int, ...]) -> tuple[list[int], int]:
    """Count the extreme relabellings in rational arithmetic, where a tie is a tie.

    For the five statistics in the order of `thresholds`, and the number of relabellings.
    """
    curves = [[Fraction(score) for score in row] for row in scores]
    n_steps = len(curves[0])

    def parts(labels: Any) -> tuple[Any, Any, Any]:
        groups = [
            [c for c, g in zip(curves, labels, strict=True) if g == i] for i in range(len(sizes))
        ]
        cells = [
            [sum(c[h] for c in group) / len(group) for h in range(n_steps)] for group in groups
        ]
        steps = [sum(c[h] for c in curves) / len(curves) for h in range(n_steps)]
        grand = sum(steps) / Fraction(n_steps)
        means = [sum(cell) / n_steps for cell in cells]
        algorithm = sum(
            (n_steps * n * (mean - grand) ** 2 for n, mean in zip(sizes, means, strict=True)),
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
        total = sum(((c[h] - steps[h]) ** 2 for c in curves for h in range(n_steps)), Fraction(0))
        return algorithm, interaction, total

    observed = parts(np.repeat(np.arange(len(sizes)), sizes))
    counts = [0] * 5
    n_relabellings = 0
    for labels in all_relabellings(sizes):
        n_relabellings += 1
        algorithm, interaction, total = parts(labels)
        error, seen = total - algorithm - interaction, total - observed[0] - observed[1]
        counts[0] += algorithm + interaction >= observed[0] + observed[1]
        counts[1] += algorithm >= observed[0]
        counts[2] += interaction >= observed[1]
        counts[3] += algorithm * seen >= observed[0] * error
        counts[4] += interaction * seen >= observed[1] * error
    return counts, n_relabellings


def check(scores: list[list[str]], sizes: tuple[int, ...], dtype: str = "f8") -> None:
    given = np.array(scores, dtype=float).astype(dtype)
    table = given.astype(np.float64)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    noise = rounding(table, float(np.finfo(dtype).eps))
    design = Design.from_scores(table, labels, np.zeros_like(labels), noise)
    relabelled = np.stack(list(all_relabellings(sizes)))
    between = group_squares(relabelled, design.coordinates, design.factor)
    expected, _ = exact_counts(scores, sizes)
    assert design.extreme_rule.n_extreme(between).tolist() == expected


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("offset", "dtype"), [("0", "f8"), ("100000", "f8"), ("-7000000", "f8"), ("0", "f4")]
)
def test_decimals_tie_where_they_should(seed: int, offset: str, dtype: str) -> None:
    tenths = np.random.default_rng(seed).integers(0, 4, size=(7, 3))
    scores = [[str(Fraction(offset) + Fraction(int(t), 10)) for t in row] for row in tenths]
    decimal = [[f"{float(Fraction(s)):.1f}" for s in row] for row in scores]
    check(decimal, (3, 4), dtype)


@pytest.mark.parametrize("seed", range(5))
def test_one_far_algorithm_does_not_blur_the_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 10, size=(8, 2)) + np.repeat([0, 12, 10**7], [3, 2, 3])[:, None]
    check([[str(int(s)) for s in row] for row in scores], (3, 2, 3))


@pytest.mark.parametrize("seed", range(5))
def test_one_large_stratum_does_not_drown_the_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    heights = rng.integers(0, 10**7, size=(7, 1)) * 3
    shapes = rng.integers(0, 5, size=(7, 3))
    check([[str(int(s)) for s in row] for row in heights + shapes], (3, 4))


@pytest.mark.parametrize("offset", [0, 1e4, 1e7])
def test_parallel_decimals_tie_in_shape(offset: float) -> None:
    shape = np.array([0.1, 0.4, 0.6, 0.7, 0.8])
    heights = np.array([0.01, 0.02, 0.03, 0.02, 0.11, 0.12, 0.13])
    scores = np.round(offset + shape + heights[:, None], 2)
    check([[f"{score:.2f}" for score in row] for row in scores], (4, 3))


def test_bounds_are_the_observed_values_but_for_rounding() -> None:
    """A bound that is a little lower would let relabellings in that do not tie."""
    labels = np.repeat(np.arange(3), [3, 4, 2])
    scores = random_walk(np.random.default_rng(0), 9, 5)
    design = Design.from_scores(scores, labels, np.zeros_like(labels), 1e-14)
    observed = np.array([design.ss["algorithm"], design.ss["interaction"]])
    values = design.extreme_rule.slopes @ observed
    assert np.all(design.extreme_rule.bounds <= values)
    np.testing.assert_allclose(design.extreme_rule.bounds, values, rtol=1e-11)


@pytest.mark.parametrize("sizes", [(4, 4), (2, 5), (3, 2, 2)])
def test_the_rule_orders_relabellings_as_f_does(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    scores, labels = (random_walk(rng, sum(sizes), 4), np.repeat(np.arange(len(sizes)), sizes))
    noise = rounding(scores, EPSILON)
    design = Design.from_scores(scores, labels, np.zeros_like(labels), noise)
    shuffled = rng.permuted(np.tile(labels, (40, 1)), axis=1)
    between = group_squares(shuffled, design.coordinates, design.factor)
    observed = np.array(list(f_ratios(scores, labels).values()))
    f = np.array([list(f_ratios(scores, row).values()) for row in shuffled])
    expected = np.sum(f >= observed * (1 - 1e-9), axis=0)
    np.testing.assert_array_equal(design.extreme_rule.n_extreme(between), expected)
    assert np.any(expected < 40)


def test_noise_lowers_a_bound_by_what_two_tables_can_be_moved() -> None:
    between, totals = np.array([9.0, 4.0]), Totals(16.0, 20.0)
    bounds = extreme_rule(between, (7.0, 16.0), totals, 0.25).bounds
    assert bounds[:3].tolist() == pytest.approx([(13**0.5 - 0.5) ** 2, 2.5**2, 1.5**2])
    # share · (total − what cancels), with share = effect / (effect + error).
    total = 36 - 64 * EPSILON * 36 - 4 * 23**0.5 * 0.25
    assert bounds[3] == pytest.approx(2.5**2 / (2.5**2 + 23) * total)
    assert bounds[4] == pytest.approx(1.5**2 / (1.5**2 + 23) * total)


def test_nothing_is_less_extreme_than_no_effect() -> None:
    rule = extreme_rule(np.zeros(2), (7.0, 16.0), Totals(7.0, 16.0), 1e-9)
    assert rule.n_extreme(np.array([[0.0, 3.0], [0.0, 0.0]])).tolist() == [2] * 5


def test_rounding_is_half_a_unit_of_every_score_and_some_arithmetic() -> None:
    scores = np.array([[1.0, -1000.0], [2.0, 500.0], [0.5, 250.0]])
    arithmetic = 4 * EPSILON
    expected = 6**0.5 * 1000 * (1e-7 / 2 + arithmetic)
    assert rounding(scores, 1e-7) == pytest.approx(expected, rel=1e-12)
    by_step = [3**0.5 * (size * 1e-7 / 2 + 1000 * arithmetic) for size in (2, 1000)]
    np.testing.assert_allclose(step_rounding(scores, 1e-7), by_step, rtol=1e-12)


def test_ratios_without_error_are_infinite_and_zero_without_effect() -> None:
    totals = Totals(8.0, 0.0)
    # All heights between groups, half of them, none; there are no shapes.
    between = np.array([[8.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    found = [effect_ratio(between, totals, row) for row in range(5)]
    expected = [np.inf, 1.0, 0.0]
    for row, values in enumerate([expected, expected, [0.0] * 3, expected, [0.0] * 3]):
        assert found[row].tolist() == values

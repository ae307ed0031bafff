from __future__ import annotations

import math

import numpy as np
import pytest

from curvewise.kernels.adjustments import max_adjusted, upper_quantile
from curvewise.kernels.anova.subset_sums import count_above, count_heights
from curvewise.kernels.contrasts import (
    Fit,
    group_sums,
    is_mirrored,
    least_ratio,
    pair_maxima,
    pair_parts,
    pair_ratios,
    shuffled_pair_t,
    shuffled_t,
    student_t,
)
from curvewise.kernels.relabelling.shuffles import Shuffles

SIZES = [4, 3, 5]
LABELS = np.repeat(np.arange(3), SIZES)
UNEVEN = np.array([0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1])


def regressed(
    values: np.ndarray, labels: np.ndarray, blocks: np.ndarray, contrast: np.ndarray
) -> tuple[float, float]:
    """A contrast and its t by ordinary least squares on dummy variables."""
    groups = (labels[:, None] == np.arange(labels.max() + 1)).astype(float)
    others = (blocks[:, None] == np.unique(blocks)[1:]).astype(float)
    matrix = np.hstack([groups, others])
    beta, _, rank, _ = np.linalg.lstsq(matrix, values, rcond=None)
    error = float(np.sum((values - matrix @ beta) ** 2)) / (len(values) - rank)
    padded = np.concatenate([contrast, np.zeros(others.shape[1])])
    spread = padded @ np.linalg.pinv(matrix.T @ matrix) @ padded
    value = float(padded @ beta)
    return value, value / math.sqrt(error * spread)


@pytest.mark.parametrize("blocks", [np.zeros(12, dtype=int), UNEVEN])
def test_estimates_and_t_are_those_of_least_squares(blocks: np.ndarray) -> None:
    values = np.random.default_rng(0).normal(size=12) + 3 * LABELS
    contrast = np.array([1.0, -0.25, -0.75])
    fit = Fit.of(values[:, None], LABELS, blocks)
    directions, (length,) = fit.directions(contrast[None, :])
    value, t = regressed(values, LABELS, blocks, contrast)
    assert float(contrast @ fit.estimates[:, 0]) == pytest.approx(value)
    u = directions @ group_sums(LABELS[None, :], fit.values, 3)[0]
    assert float(u[0, 0] * length) == pytest.approx(value)
    found = student_t(u[0], fit.errors[:1], fit.df)
    assert float(found[0]) == pytest.approx(t)


@pytest.mark.parametrize("blocks", [np.zeros(12, dtype=np.int64), UNEVEN])
def test_shuffled_t_is_that_of_least_squares_on_shuffled_residuals(
    blocks: np.ndarray,
) -> None:
    values = np.random.default_rng(1).normal(size=12)
    contrasts = np.array([[1.0, -0.5, -0.5], [0.0, 1.0, -1.0]])
    fit = Fit.of(values[:, None], LABELS, blocks)
    shuffles = Shuffles(LABELS, blocks, 20, 7)
    found = np.concatenate(list(shuffled_t(fit, shuffles, contrasts)))
    for labels, row in zip(shuffles.batch(0), found, strict=True):
        for contrast, t in zip(contrasts, row, strict=True):
            expected = regressed(fit.residuals[:, 0], labels, blocks, contrast)[1]
            assert t == pytest.approx(expected)


@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("blocks", [np.zeros(12, dtype=np.int64), UNEVEN])
def test_pairs_by_the_obvious_way(blocks: np.ndarray, pooled: bool) -> None:
    values = np.random.default_rng(2).normal(size=(12, 5))
    fit = Fit.of(values, LABELS, blocks)
    shuffles = Shuffles(LABELS, blocks, 15, 3)
    found = pair_maxima(fit.residuals, fit, shuffles, np.arange(3), pooled=pooled)
    for place, labels in enumerate(shuffles.batch(0)):
        again = Fit.of(fit.residuals, labels, blocks)
        errors = (
            [again.errors.sum()] * 3 if pooled else [again.errors.sum(), *again.errors]
        )
        largest = np.zeros(3)
        for contrast in ([1, -1, 0], [1, 0, -1], [0, 1, -1]):
            c = np.array([contrast], dtype=float)
            d = (c @ again.estimates)[0] / again.directions(c)[1]
            squares = [np.sum(d**2), d[0] ** 2, np.sum(d[1:] ** 2)]
            largest = np.maximum(largest, np.array(squares) / errors)
        np.testing.assert_allclose(found[:, place], largest)
    observed = pair_ratios(
        pair_parts(fit.estimates[None], fit.factor), fit.errors[None], pooled=pooled
    )
    whole = pair_maxima(fit.values, fit, one_shuffle(blocks), np.arange(3), pooled=pooled)
    assert observed.shape == (3, 1, 3)
    assert whole.shape == (3, 1)


def one_shuffle(blocks: np.ndarray) -> Shuffles:
    return Shuffles(LABELS, blocks, 1, 0)


@pytest.mark.parametrize("blocks", [np.zeros(12, dtype=np.int64), UNEVEN])
def test_t_of_pairs_is_that_of_their_contrasts(blocks: np.ndarray) -> None:
    fit = Fit.of(np.random.default_rng(8).normal(size=(12, 1)), LABELS, blocks)
    pairs = np.array([[1.0, -1, 0], [1, 0, -1], [0, 1, -1]])
    shuffles = Shuffles(LABELS, blocks, 2_000, 3)
    np.testing.assert_allclose(
        np.concatenate(list(shuffled_pair_t(fit, shuffles))),
        np.concatenate(list(shuffled_t(fit, shuffles, pairs))),
    )


def test_sums_of_one_column_are_those_of_many() -> None:
    labels = np.random.default_rng(3).permuted(np.tile(LABELS, (9, 1)), axis=1)
    values = np.random.default_rng(4).normal(size=(12, 2))
    np.testing.assert_allclose(
        group_sums(labels, values[:, :1], 3)[:, :, 0],
        group_sums(labels, values, 3)[:, :, 0],
    )


def test_sums_of_many_groups_are_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = np.random.default_rng(3).permuted(np.tile(LABELS, (9, 1)), axis=1)
    values = np.random.default_rng(4).normal(size=(12, 3))
    products = group_sums(labels, values, 3)
    monkeypatch.setattr("curvewise.kernels.contrasts.FEW_GROUPS", 2)
    np.testing.assert_allclose(group_sums(labels, values, 3), products)


def test_without_error_t_is_infinite_and_never_nan() -> None:
    t = student_t(np.array([2.0, -2.0, 0.0]), np.zeros(1), 4)
    assert t.tolist() == [math.inf, -math.inf, 0.0]
    ratios = pair_ratios(
        (np.array([[1.0]]), np.array([[0.0]])), np.zeros((1, 2)), pooled=False
    )
    assert ratios[:, 0, 0].tolist() == [math.inf, math.inf, 0.0]
    adjusted = max_adjusted(np.array([np.inf, 1.0]), np.array([np.inf, 0.0]), exact=False)
    assert adjusted.tolist() == [2 / 3, 2 / 3]


def test_what_rounding_explains_counts_as_a_tie() -> None:
    assert least_ratio(3.0, 2.0, 0.0, two_sided=True) == pytest.approx(1.5)
    assert least_ratio(3.0, 2.0, 1e-3, two_sided=True) < 1.5
    assert least_ratio(-3.0, 2.0, 1e-3, two_sided=False) < -1.5
    assert least_ratio(1e-9, 2.0, 1e-3, two_sided=True) == 0
    assert least_ratio(-1.0, 0.0, 1e-3, two_sided=False) == -math.inf


def test_halves_count_one_side_as_enumeration_does() -> None:
    from itertools import combinations

    heights = np.random.default_rng(5).normal(size=11)
    sums = np.array([sum(chosen) for chosen in combinations(heights.tolist(), 4)])
    for least in (-2.0, 0.0, 0.7, 3.0, 99.0):
        assert count_above(heights, 4, least) == np.sum(sums >= least)
    assert count_heights(heights, 4, 4.0) == np.sum(np.abs(sums) >= 2)


def test_names_may_be_swapped_only_where_blocks_are_even() -> None:
    none = np.zeros(4, dtype=np.int64)
    assert is_mirrored(np.array([0, 0, 1, 1]), none)
    assert not is_mirrored(np.array([0, 0, 0, 1]), none)
    assert is_mirrored(np.array([0, 1, 1, 0, 1]), np.array([0, 0, 1, 1, 2]))
    assert not is_mirrored(np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1]))


@pytest.mark.parametrize("n", [19, 20, 100, 333])
def test_the_quantile_agrees_with_p(n: int) -> None:
    null = np.random.default_rng(n).normal(size=n)
    limit = upper_quantile(null, 0.05)
    for observed in np.linspace(-1, 4, 60):
        p = (1 + np.sum(null >= observed)) / (1 + n)
        assert (p <= 0.05) == (observed > limit)
    assert upper_quantile(null[:18], 0.05) == math.inf

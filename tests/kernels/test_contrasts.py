from __future__ import annotations

import math

import numpy as np
import pytest

from curvewise.kernels.contrasts import (
    Fit,
    group_sums,
    is_mirrored,
    least_extreme,
    least_ratio,
    pair_maxima,
    pair_parts,
    pair_ratios,
    shuffled_t,
    student_t,
)
from curvewise.kernels.relabel import Shuffles

SIZES = [4, 3, 5]
LABELS = np.repeat(np.arange(3), SIZES)
NO_BLOCKS = np.zeros(12, dtype=np.int64)
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


@pytest.mark.parametrize("blocks", [NO_BLOCKS, UNEVEN])
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


@pytest.mark.parametrize("blocks", [NO_BLOCKS, UNEVEN])
def test_shuffled_t_is_that_of_least_squares_on_shuffled_residuals(blocks: np.ndarray) -> None:
    values = np.random.default_rng(1).normal(size=12)
    contrasts = np.array([[1.0, -0.5, -0.5], [0.0, 1.0, -1.0]])
    fit = Fit.of(values[:, None], LABELS, blocks)
    shuffled = Shuffles(LABELS, blocks, 20, 7).batch(0)
    found = shuffled_t(fit, shuffled, contrasts)
    for labels, row in zip(shuffled, found.T, strict=True):
        for contrast, t in zip(contrasts, row, strict=True):
            expected = regressed(fit.residuals[:, 0], labels, blocks, contrast)[1]
            assert t == pytest.approx(expected)


@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("blocks", [NO_BLOCKS, UNEVEN])
def test_pairs_by_the_obvious_way(blocks: np.ndarray, pooled: bool) -> None:
    values = np.random.default_rng(2).normal(size=(12, 5))
    fit = Fit.of(values, LABELS, blocks)
    shuffled = Shuffles(LABELS, blocks, 15, 3).batch(0)
    found = pair_maxima(fit.residuals, fit, shuffled, np.arange(3), pooled=pooled)
    for place, labels in enumerate(shuffled):
        again = Fit.of(fit.residuals, labels, blocks)
        errors = [again.errors.sum()] * 3 if pooled else [again.errors.sum(), *again.errors]
        largest = np.zeros(3)
        for contrast in ([1, -1, 0], [1, 0, -1], [0, 1, -1]):
            c = np.array([contrast], dtype=float)
            d = (c @ again.estimates)[0] / again.directions(c)[1]
            squares = [np.sum(d**2), d[0] ** 2, np.sum(d[1:] ** 2)]
            largest = np.maximum(largest, np.array(squares) / errors)
        np.testing.assert_allclose(found[:, place], largest)
    # The runs themselves, with the labels as they are: the observed ratios.
    observed = pair_ratios(
        pair_parts(fit.estimates[None], fit.factor), fit.errors[None], pooled=pooled
    )[:, 0]
    whole = pair_maxima(fit.values, fit, LABELS[None, :], np.arange(3), pooled=pooled)
    np.testing.assert_allclose(whole[:, 0], observed.max(axis=1))
    some = pair_maxima(fit.values, fit, LABELS[None, :], np.array([1]), pooled=pooled)
    np.testing.assert_allclose(some[:, 0], observed[:, 1])


def test_portions_of_shuffles_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = Fit.of(np.random.default_rng(9).normal(size=(12, 4)), LABELS, NO_BLOCKS)
    labels = Shuffles(LABELS, NO_BLOCKS, 50, 3).batch(0)
    contrasts = np.array([[1.0, -1, 0]])

    def everything() -> list[np.ndarray]:
        return [
            shuffled_t(fit, labels, contrasts),
            pair_maxima(fit.residuals, fit, labels, np.arange(3), pooled=False),
        ]

    whole = everything()
    monkeypatch.setattr("curvewise.kernels.contrasts.MAX_NUMBERS_AT_ONCE", 200)
    for part, expected in zip(everything(), whole, strict=True):
        np.testing.assert_allclose(part, expected)


def test_sums_of_one_column_are_those_of_many() -> None:
    labels = np.random.default_rng(3).permuted(np.tile(LABELS, (9, 1)), axis=1)
    values = np.random.default_rng(4).normal(size=(12, 2))
    np.testing.assert_allclose(
        group_sums(labels, values[:, :1], 3)[:, :, 0], group_sums(labels, values, 3)[:, :, 0]
    )


def test_sums_of_many_groups_are_those_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = np.random.default_rng(3).permuted(np.tile(LABELS, (9, 1)), axis=1)
    values = np.random.default_rng(4).normal(size=(12, 3))
    products = group_sums(labels, values, 3)
    monkeypatch.setattr("curvewise.kernels.contrasts.MAX_GROUPS_BY_PRODUCTS", 2)
    added = group_sums(labels, values, 3)
    np.testing.assert_allclose(added, products)
    compiled = group_sums(labels, values, 3, compiled=True)
    np.testing.assert_array_equal(compiled, added)


def test_without_error_t_is_infinite_and_never_nan() -> None:
    t = student_t(np.array([2.0, -2.0, 0.0]), np.zeros(1), 4)
    assert t.tolist() == [math.inf, -math.inf, 0.0]
    ratios = pair_ratios((np.array([[1.0]]), np.array([[0.0]])), np.zeros((1, 2)), pooled=False)
    assert ratios[:, 0, 0].tolist() == [math.inf, math.inf, 0.0]


def test_what_rounding_explains_counts_as_a_tie() -> None:
    assert least_ratio(3.0, 2.0, 0.0, two_sided=True) == pytest.approx(1.5)
    # Rounding moves both lengths, and both roots, by 0.001.
    found = least_ratio(3.0, 2.0, 1e-3, two_sided=True)
    assert found == pytest.approx(2.998 / 2.002, rel=1e-7)
    found = least_ratio(-3.0, 2.0, 1e-3, two_sided=False)
    assert found == pytest.approx(-3.002 / 1.998, rel=1e-7)
    assert least_ratio(1e-9, 2.0, 1e-3, two_sided=True) == 0
    assert least_ratio(-1.0, 0.0, 1e-3, two_sided=False) == -math.inf


def test_lengths_count_from_the_least_on_and_on_both_sides_if_asked() -> None:
    lengths = np.array([-3.0, -2.0, 0.0, 2.0, 3.0])
    least = least_extreme(2.0, 0.0, two_sided=True)
    assert np.sum(np.abs(lengths) >= least) == 4
    assert np.sum(lengths >= least) == 2
    # Rounding can move the observed length, and that of a relabelling.
    assert least_extreme(-2.0, 0.25, two_sided=True) == 1.5
    assert least_extreme(-2.0, 0.25, two_sided=False) == -2.5
    assert least_extreme(0.1, 0.25, two_sided=True) == 0


def test_variation_within_rounding_is_none() -> None:
    values = np.random.default_rng(0).normal(size=(12, 3))
    values[:, 1:] *= 1e-9
    fit = Fit.of(values, LABELS, NO_BLOCKS, noise=1e-7)
    assert np.all(fit.values[:, 1:] == 0)
    assert fit.errors[0] > 1
    assert fit.errors[1] == 0
    steady = Fit.of(10.0 * LABELS[:, None] + 1e-9 * values[:, :1], LABELS, NO_BLOCKS, 1e-7)
    assert steady.errors[0] == 0
    assert np.sum(steady.values**2) > 1


def test_names_may_be_swapped_only_where_blocks_are_even() -> None:
    none = np.zeros(4, dtype=np.int64)
    assert is_mirrored(np.array([0, 0, 1, 1]), none)
    assert not is_mirrored(np.array([0, 0, 0, 1]), none)
    assert is_mirrored(np.array([0, 1, 1, 0, 1]), np.array([0, 0, 1, 1, 2]))
    assert not is_mirrored(np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1]))


def test_shuffles_that_leave_no_error_have_an_infinite_statistic() -> None:
    # The runs that are equal are in the same group; rounding can leave a little error.
    sorted_out = np.array([[0, 0, 1, 1] * 2])
    for size in np.random.default_rng(5).uniform(0.1, 9, size=20):
        values = size * np.array([[1.0, 0.3]] * 2 + [[-1, -0.3]] * 2)
        fit = Fit.of(np.vstack([values, values]), np.repeat([0, 1], 4), np.zeros(8, dtype=np.int64))
        t = shuffled_t(fit, sorted_out, np.array([[1.0, -1.0]]))
        assert t.tolist() == [[math.inf]]
        ratios = pair_maxima(fit.residuals, fit, sorted_out, np.array([0]), pooled=False)
        assert ratios.tolist() == [[math.inf]] * 3

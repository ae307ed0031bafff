from __future__ import annotations

import math

import numpy as np
import pytest

from curvewise.kernels.steps import (
    Difference,
    StepDesign,
    band_ends,
    critical_t,
    sign_changes,
    zero_crossing,
)
from tests.simulation import random_walk
from tests.textbook import all_relabellings

LABELS = np.repeat([0, 1], [5, 7])
NONE = np.zeros(12, dtype=np.int64)
BLOCKS = np.array([0, 0, 1, 2, 3, 0, 1, 1, 1, 2, 2, 4])
STEPS = np.arange(6.0)
NOISE = np.full(6, 1e-15)


def scores_of(seed: int) -> np.ndarray:
    return random_walk(np.random.default_rng(seed), 12, 6)


def difference_of(scores: np.ndarray, blocks: np.ndarray = NONE) -> Difference:
    design = StepDesign.from_scores(scores, LABELS, blocks, NOISE[: scores.shape[1]])
    return Difference.of(design, LABELS, blocks)


def largest_t(scores: np.ndarray, labels: np.ndarray) -> float:
    """The largest |t| over the steps, with the pooled error."""
    first, second = scores[labels == 0], scores[labels == 1]
    squares = sum(((part - part.mean(axis=0)) ** 2).sum(axis=0) for part in (first, second))
    error = np.sqrt(squares / (len(scores) - 2) * (1 / len(first) + 1 / len(second)))
    return float(np.max(np.abs(first.mean(axis=0) - second.mean(axis=0)) / error))


def test_difference_and_pooled_error_are_those_of_the_textbook() -> None:
    scores = scores_of(0)
    found = difference_of(scores)
    first, second = scores[:5], scores[5:]
    np.testing.assert_allclose(found.values, first.mean(axis=0) - second.mean(axis=0))
    pooled = (4 * first.var(axis=0, ddof=1) + 6 * second.var(axis=0, ddof=1)) / 10
    np.testing.assert_allclose(found.errors, np.sqrt(pooled * (1 / 5 + 1 / 7)))


def test_with_blocks_both_are_those_of_least_squares() -> None:
    """Blocks 3 and 4 have one algorithm only; the others have both in different numbers."""
    scores = scores_of(1) + 10 * BLOCKS[:, None]
    found = difference_of(scores, BLOCKS)
    columns = np.column_stack([LABELS == 0, *(np.equal(BLOCKS, b) for b in range(5))])
    fitted, squares, rank, _ = np.linalg.lstsq(columns.astype(float), scores, rcond=None)
    np.testing.assert_allclose(found.values, fitted[0])
    inverse = np.linalg.inv(columns.T.astype(float) @ columns)
    np.testing.assert_allclose(found.errors, np.sqrt(squares / (12 - rank) * inverse[0, 0]))


def test_residuals_are_shuffled_without_the_difference() -> None:
    scores = scores_of(2)
    far = scores + 1000.0 * (LABELS == 0)[:, None]
    relabelled = np.array(list(all_relabellings((5, 7))))[::40]
    left = scores.copy()
    for code in (0, 1):
        left[code == LABELS] -= left[code == LABELS].mean(axis=0)
    expected = [largest_t(left, labels) for labels in relabelled]
    for table in (scores, far):
        roots = difference_of(table).largest_roots(relabelled, compiled=False)
        found = [critical_t(float(root), 10) for root in roots]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-10)


def test_steps_without_variation_or_error_take_no_part_in_the_quantile() -> None:
    scores = scores_of(3)
    scores[:, 1] = 7.0
    scores[:, 4] = LABELS
    found = difference_of(scores)
    assert found.values[1] == found.errors[1] == 0
    assert found.values[4] == pytest.approx(-1)
    assert found.errors[4] == 0
    others = difference_of(np.delete(scores, [1, 4], axis=1))
    relabelled = np.array(list(all_relabellings((5, 7))))[::40]
    np.testing.assert_allclose(
        found.largest_roots(relabelled, compiled=False),
        others.largest_roots(relabelled, compiled=False),
        atol=1e-12,  # of the labels as they are, nothing but rounding is left
    )


def test_the_band_is_so_many_errors_wide() -> None:
    difference, errors = np.array([3.0, -1.0, 0.5]), np.array([1.0, 2.0, 0.1])
    named = np.abs(difference) > 2 * errors
    low, high = band_ends(difference, errors, 2.0, named)
    np.testing.assert_allclose(low, difference - 2 * errors)
    np.testing.assert_allclose(high, difference + 2 * errors)


def test_the_band_leaves_0_out_at_named_steps_and_nowhere_else() -> None:
    difference = np.array([3.0, -3.0, 3.0, -3.0, 0.0])
    errors = np.array([2.0, 2.0, 1.0, 1.0, 0.0])
    named = np.array([True, True, False, False, False])
    low, high = band_ends(difference, errors, 2.0, named)
    assert ((low > 0) | (high < 0)).tolist() == named.tolist()
    # Only the end at 0 is moved.
    assert low[0] == pytest.approx(0, abs=1e-300)
    assert high[1] == pytest.approx(0, abs=1e-300)
    assert (high[0], low[1]) == (7, -7)
    assert (low[2], high[2], low[3], high[3]) == (0, 5, -5, 0)
    assert (low[4], high[4]) == (0, 0)


def test_a_band_without_ends_still_agrees_with_the_steps() -> None:
    difference, errors = np.array([1.0, 1.0, 0.0, 2.0]), np.array([1.0, 1.0, 0.0, 0.0])
    named = np.array([True, False, False, False])
    low, high = band_ends(difference, errors, math.inf, named)
    assert ((low > 0) | (high < 0)).tolist() == named.tolist()
    assert high.tolist() == [math.inf, math.inf, 0, math.inf]
    assert low.tolist()[1:] == [-math.inf, 0, -math.inf]


def test_no_error_left_is_an_infinite_t() -> None:
    assert critical_t(math.inf, 8) == critical_t(1.0 - 1e-16, 8) == math.inf
    assert critical_t(0.0, 8) == 0


@pytest.mark.parametrize(
    ("signs", "changes"),
    [
        ([], []),
        ([0, 0], []),
        ([1, 0, 1], []),
        ([0, -1, 0, 0, 1, 0], [(1, 4)]),
        ([1, -1, -1, 0, 1], [(0, 1), (2, 4)]),
    ],
)
def test_signs_change_between_the_last_of_one_and_the_first_of_the_other(
    signs: list[int], changes: list[tuple[int, int]]
) -> None:
    assert sign_changes(np.array(signs, dtype=np.int64)) == changes


def test_curves_that_cross_once_cross_there() -> None:
    assert zero_crossing(np.array([2.0, 1.0, -1.0, -3.0]), STEPS[:4]) == 1.5
    assert zero_crossing(np.array([-2.0, -1.0, 3.0]), np.array([0.0, 10, 20])) == 12.5
    assert zero_crossing(np.array([1.0, -3.0]), STEPS[:2]) == 0.25


def test_curves_that_cross_often_are_separated_where_the_areas_are_largest() -> None:
    difference = np.array([1.0, -0.1, 2.0, -1.0, 0.2, -3.0])
    areas = [difference[:cut].sum() - difference[cut:].sum() for cut in range(7)]
    assert int(np.argmax(areas)) == 3
    assert zero_crossing(difference, STEPS) == pytest.approx(2 + 2 / 3)

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.kernels.anova.compiled_rule import (
    EMPTY_TALLY,
    add_if_sure,
    count_one,
    is_near,
    tallied,
)
from curvewise.kernels.anova.thresholds import Totals, extreme_rule

if TYPE_CHECKING:
    from curvewise.kernels.anova.thresholds import ExtremeRule

MARGIN = 1e-6
MARGINS = (MARGIN,) * 5


@pytest.fixture
def rule() -> ExtremeRule:
    return extreme_rule(np.array([3.0, 2.0]), (4.0, 5.0), Totals(7.0, 7.0), 0.0)


@pytest.fixture
def between(rule: ExtremeRule) -> np.ndarray:
    """SS_alg and SS_int on both sides of every bound, and none nearer than 0.001 to it."""
    found = np.random.default_rng(0).uniform(0, 7, size=(2, 500))
    distances = np.abs(rule.slopes @ found - rule.bounds[:, None])
    return found[:, distances.min(axis=0) > 1e-3]


def bounds_of(rule: ExtremeRule) -> tuple[float, ...]:
    return tuple(rule.bounds.tolist())


def test_counts_one_by_one_are_those_of_the_rule(
    rule: ExtremeRule, between: np.ndarray
) -> None:
    counts = np.zeros(5, dtype=np.int64)
    for height, shape in between.T:
        count_one(height, shape, rule.slopes, bounds_of(rule), counts)
    np.testing.assert_array_equal(counts, rule.n_extreme(between))
    assert np.all((counts > 0) & (counts < between.shape[1]))


def test_a_tally_far_from_all_bounds_is_added(
    rule: ExtremeRule, between: np.ndarray
) -> None:
    tally = EMPTY_TALLY
    for height, shape in between.T:
        tally = tallied(tally, height, shape, rule.slopes, bounds_of(rule), MARGINS)
    counts = np.ones(5, dtype=np.int64)
    assert add_if_sure(tally, counts)
    np.testing.assert_array_equal(counts, 1 + rule.n_extreme(between))


@pytest.mark.parametrize("statistic", range(5))
@pytest.mark.parametrize("side", [-0.5, 0.0, 0.5])
def test_one_relabelling_near_a_bound_keeps_its_tally_out(
    rule: ExtremeRule, between: np.ndarray, statistic: int, side: float
) -> None:
    slopes, bounds = rule.slopes, bounds_of(rule)
    # A point on the line of this statistic, moved along its slopes, away from the others.
    slope = slopes[statistic]
    point = slope * (bounds[statistic] + side * MARGIN) / (slope @ slope)
    point += np.array([-slope[1], slope[0]]) * 0.123
    others = np.delete(slopes @ point - rule.bounds, statistic)
    assert np.abs(others).min() > 1e-3
    assert is_near(point[0], point[1], slopes, bounds, MARGINS)
    tally = tallied(EMPTY_TALLY, point[0], point[1], slopes, bounds, MARGINS)
    for height, shape in between[:, :20].T:
        assert not is_near(height, shape, slopes, bounds, MARGINS)
        tally = tallied(tally, height, shape, slopes, bounds, MARGINS)
    counts = np.zeros(5, dtype=np.int64)
    assert not add_if_sure(tally, counts)
    assert counts.tolist() == [0] * 5


def test_a_relabelling_beyond_the_margin_is_sure(rule: ExtremeRule) -> None:
    slopes, bounds = rule.slopes, bounds_of(rule)
    for side, expected in ((2.0, 1), (-2.0, 0)):
        height = bounds[1] + side * MARGIN
        tally = tallied(EMPTY_TALLY, height, 0.05, slopes, bounds, MARGINS)
        counts = np.zeros(5, dtype=np.int64)
        assert add_if_sure(tally, counts)
        assert counts[1] == expected

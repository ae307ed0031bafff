from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from curvewise.kernels.invert import agreeing, lowest_shift, shift_interval


def relabelled(first: list[float], second: list[float]) -> tuple[float, np.ndarray, np.ndarray]:
    """The difference of each relabelling, and its likeness to the observed one."""
    pool = np.array([*first, *second])
    member = np.repeat([1.0, 0.0], [len(first), len(second)])
    differences, likeness = [], []
    for chosen in combinations(range(len(pool)), len(first)):
        inside = np.isin(np.arange(len(pool)), chosen)
        differences.append(float(pool[inside].mean() - pool[~inside].mean()))
        likeness.append(float(member[inside].mean() - member[~inside].mean()))
    observed = float(np.mean(first) - np.mean(second))
    return observed, np.array(differences), np.array(likeness)


def pvalue_at(
    shift: float, first: list[float], second: list[float], *, two_sided: bool = True
) -> float:
    """The shuffle test of a shift, by brute force."""
    observed, differences, _ = relabelled([x - shift for x in first], second)
    if two_sided:
        observed, differences = abs(observed), np.abs(differences)
    return float(np.mean(differences >= observed - 1e-12))


@pytest.mark.parametrize(("n_first", "n_second"), [(5, 5), (4, 6), (3, 8)])
def test_interval_has_the_shifts_that_the_test_does_not_reject(n_first: int, n_second: int) -> None:
    rng = np.random.default_rng(n_first)
    first, second = (rng.normal(1, 1, n_first).tolist(), rng.normal(0, 2, n_second).tolist())
    observed, differences, likeness = relabelled(first, second)
    low, high = shift_interval(observed, differences, likeness, 0.05, exact=True)
    assert low < observed < high
    for inside in np.linspace(low + 1e-9, high - 1e-9, 9):
        assert pvalue_at(inside, first, second) > 0.05
    for outside in (low - 1e-6, high + 1e-6, low - 3, high + 3):
        assert pvalue_at(outside, first, second) <= 0.05


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.7])
def test_lowest_shift_is_where_the_one_sided_test_begins_to_accept(alpha: float) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(1, 1, 4).tolist(), rng.normal(0, 2, 5).tolist()
    observed, differences, likeness = relabelled(first, second)
    lowest = lowest_shift(observed, differences, likeness, alpha, exact=True)
    for accepted in (lowest + 1e-6, lowest + 0.5, lowest + 9):
        assert pvalue_at(accepted, first, second, two_sided=False) > alpha
    for rejected in (lowest - 1e-6, lowest - 0.5, lowest - 9):
        assert pvalue_at(rejected, first, second, two_sided=False) <= alpha


def test_too_few_runs_reject_no_shift() -> None:
    observed, differences, likeness = relabelled([1.0, 2.0, 3.0], [4.0, 5.0, 7.0])
    found = shift_interval(observed, differences, likeness, 0.05, exact=True)
    assert found == (-math.inf, math.inf)
    assert lowest_shift(observed, differences, likeness, 0.04, exact=True) == -math.inf
    assert lowest_shift(observed, differences[:18], likeness[:18], 0.05, exact=False) == (-math.inf)


def test_sampled_interval_comes_near_the_exact_one() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(0, 1, 7).tolist(), rng.normal(0, 1, 7).tolist()
    observed, differences, likeness = relabelled(first, second)
    exact = shift_interval(observed, differences, likeness, 0.05, exact=True)
    drawn = rng.integers(len(differences), size=50_000)
    sampled = shift_interval(observed, differences[drawn], likeness[drawn], 0.05, exact=False)
    np.testing.assert_allclose(sampled, exact, atol=0.1)


def test_shifting_the_runs_shifts_the_interval() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.normal(0, 1, 6).tolist(), rng.normal(0, 1, 5).tolist()
    found = shift_interval(*relabelled(first, second), 0.1, exact=True)
    moved = shift_interval(*relabelled([x + 3 for x in first], second), 0.1, exact=True)
    np.testing.assert_allclose(np.array(moved), np.array(found) + 3)


def test_the_observed_difference_is_inside_whatever_rounding_does() -> None:
    # Both roots are the observed difference, but for the last digit.
    for likeness in np.linspace(-0.9, 0.9, 50):
        shuffled = np.array([0.1 * likeness])
        low, high = shift_interval(0.1, shuffled, np.array([likeness]), 0.5, exact=True)
        assert low <= 0.1 <= high


NONE = np.empty(0)


def test_an_interval_is_stretched_to_what_the_test_does_not_reject() -> None:
    assert agreeing((0.2, 0.4), 0.3, 0.0, NONE, rejected=False) == (0.0, 0.4)
    assert agreeing((-0.4, -0.2), -0.3, 0.0, NONE, rejected=False) == (-0.4, 0.0)
    assert agreeing((0.8, 1.4), 1.2, 1.0, NONE, rejected=False) == (0.8, 1.4)


def test_an_interval_ends_before_what_the_test_rejects() -> None:
    values = np.array([-0.1, 0.0, 0.05, 0.2, 0.6])
    assert agreeing((-0.2, 0.9), 0.5, 0.0, values, rejected=True) == (0.05, 0.9)
    assert agreeing((-0.9, 0.0), -0.5, 0.0, -values, rejected=True) == (-0.9, -0.05)
    # Without a candidate the value itself is the end.
    assert agreeing((-0.2, 0.9), 0.5, 0.0, NONE, rejected=True) == (0.5, 0.9)
    assert agreeing((0.1, 0.9), 0.5, 0.0, values, rejected=True) == (0.1, 0.9)


def test_every_interval_holds_the_value() -> None:
    assert agreeing((0.2, 0.4), 0.5, 0.0, NONE, rejected=True) == (0.2, 0.5)
    assert agreeing((0.2, 0.4), 0.1, 0.0, NONE, rejected=True) == (0.1, 0.4)


@pytest.mark.parametrize(
    ("ends", "estimate", "rejected", "expected"),
    [
        ((-1.0, 2.0), 1.0, False, (-1.0, 2.0)),
        ((1e-12, 2.0), 1.0, False, (0.0, 2.0)),
        ((0.1, 2.0), 1.0, False, (0.0, 2.0)),
        ((0.1, 2.0), 1.0, True, (0.1, 2.0)),
        ((0.0, 2.0), 1.0, True, (1e-9, 2.0)),
        ((-2.0, 0.1), -1.0, True, (-2.0, -1e-9)),
        ((-math.inf, 2.0), 1.0, False, (-math.inf, 2.0)),
    ],
)
def test_an_interval_agrees_with_p(
    ends: tuple[float, float], estimate: float, rejected: bool, expected: tuple[float, float]
) -> None:
    beside = np.array([-1e-9, 1e-9])
    assert agreeing(ends, estimate, 0.0, beside, rejected=rejected) == expected


def test_an_interval_agrees_with_a_p_from_more_relabellings() -> None:
    observed, differences, likeness = relabelled([5.0, 6.0, 7.0, 9.0], [1.0, 2.0, 3.0, 4.0])
    options = {"alpha": 0.1, "exact": True}
    low, high = shift_interval(observed, differences, likeness, **options)  # type: ignore[arg-type]
    assert low > 0
    kept = shift_interval(observed, differences, likeness, rejected=True, **options)  # type: ignore[arg-type]
    assert kept == (low, high)
    held = shift_interval(observed, differences, likeness, rejected=False, **options)  # type: ignore[arg-type]
    assert held == (0.0, high)
    wide = shift_interval(observed, differences, likeness, 0.03, exact=True)
    cut = shift_interval(observed, differences, likeness, 0.03, exact=True, rejected=True)
    assert wide[0] < cut[0] or wide[0] > 0
    assert 0 < cut[0] <= observed

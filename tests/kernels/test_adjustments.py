from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from curvewise.kernels.pvalues import (
    TIE,
    MaxCounts,
    benjamini_hochberg,
    bonferroni,
    holm,
    n_different_at_least,
    over_families,
)

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

# Values that tie, nearly tie, are negative, zero or infinite.
NEARBY = [-np.inf, -2.0, -1.0, 0.0, 1.0, 2.0, np.inf]
NEARBY += [side * (1 + TIE * share) for side in (-1, 1) for share in (-2, -0.5, 0.5, 2)]
values = st.lists(st.sampled_from(NEARBY), max_size=12).map(np.array)


def counted_one_by_one(observed: Floats, maxima: Floats) -> Integers:
    """How many maxima reach each observed value, or miss it by no more than rounding."""
    reached = [
        [
            maximum >= value or (np.isfinite(value) and maximum >= value - TIE * abs(value))
            for maximum in maxima
        ]
        for value in observed.ravel()
    ]
    return np.array([sum(row) for row in reached], dtype=np.int64).reshape(observed.shape)


@settings(deadline=None)
@given(observed=values, maxima=values)
def test_counts_are_those_of_comparing_one_by_one(observed: Floats, maxima: Floats) -> None:
    found = MaxCounts.of(observed).count(maxima)
    np.testing.assert_array_equal(found, counted_one_by_one(observed, maxima))
    assert found.dtype == np.int64


@settings(deadline=None)
@given(observed=values, maxima=values, cut=st.integers(0, 12))
def test_counts_of_batches_add_up(observed: Floats, maxima: Floats, cut: int) -> None:
    counts = MaxCounts.of(observed)
    n_extreme = counts.count(maxima[:cut]) + counts.count(maxima[cut:])
    np.testing.assert_array_equal(n_extreme, counts.count(maxima))


def test_counts_keep_the_shape_of_what_was_observed_and_can_be_pickled() -> None:
    rng = np.random.default_rng(0)
    observed, maxima = rng.normal(size=(3, 4)), rng.normal(size=50)
    counts = pickle.loads(pickle.dumps(MaxCounts.of(observed)))  # noqa: S301
    np.testing.assert_array_equal(counts.count(maxima), counted_one_by_one(observed, maxima))
    assert counts.count(np.empty(0)).tolist() == np.zeros((3, 4)).tolist()


def test_an_enumeration_has_the_observed_maximum_among_its_own() -> None:
    maxima = np.array([3.0, 1.0, 2.0, 0.5])
    assert MaxCounts.of(np.array([3.0, 0.7])).count(maxima).tolist() == [1, 3]
    infinite = MaxCounts.of(np.array([np.inf, 1.0]))
    assert infinite.count(np.array([np.inf, 0.0])).tolist() == [1, 1]


def holm_by_definition(pvalues: Floats) -> list[float]:
    """The smallest alpha at which the step-down procedure rejects each hypothesis."""
    n_tests = len(pvalues)
    return [
        min(
            1.0,
            max((n_tests - np.sum(pvalues < other)) * other for other in pvalues if other <= value),
        )
        for value in pvalues
    ]


@pytest.mark.parametrize("seed", range(5))
def test_holm_is_the_step_down_of_bonferroni(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pvalues = rng.uniform(0, 0.5, size=7)
    np.testing.assert_allclose(holm(pvalues), holm_by_definition(pvalues))
    assert np.all(pvalues <= holm(pvalues))
    assert np.all(holm(pvalues) <= bonferroni(pvalues))
    assert holm(pvalues).min() == bonferroni(pvalues).min()


def test_adjusted_p_does_not_depend_on_the_order_of_the_tests() -> None:
    pvalues = np.array([0.04, 0.01, 0.03, 0.01, 0.9])
    order = np.array([3, 0, 4, 2, 1])
    assert holm(pvalues)[order].tolist() == holm(pvalues[order]).tolist()
    assert bonferroni(pvalues).tolist() == [0.2, 0.05, 0.15, 0.05, 1.0]


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=20))
def test_benjamini_and_hochberg_reject_as_they_define_it(pvalues: list[float]) -> None:
    array = np.array(pvalues)
    adjusted = benjamini_hochberg(array)
    for alpha in (0.01, 0.05, 0.2):
        ranked = np.sort(array)
        passing = np.flatnonzero(ranked <= alpha * np.arange(1, len(array) + 1) / len(array))
        bound = ranked[passing[-1]] if len(passing) else -1.0
        near = np.isclose(adjusted, alpha, rtol=1e-9)
        np.testing.assert_array_equal((adjusted <= alpha)[~near], (array <= bound)[~near])
    assert np.all(adjusted >= array)
    assert np.all(adjusted <= holm(array) + 1e-12)


def test_at_least_so_many_differ_by_fishers_combination() -> None:
    pvalues = np.array([0.9, 0.002, 0.001, 0.6])
    for left_out, rejected in ((0, True), (1, True), (2, False)):
        rest = np.sort(pvalues)[left_out:]
        combined = stats.combine_pvalues(rest, "fisher").pvalue
        assert (combined <= 0.05) == rejected
    assert n_different_at_least(pvalues, 0.05) == 2
    assert n_different_at_least(np.full(5, 1e-9), 0.05) == 5
    assert n_different_at_least(np.ones(5), 0.05) == 0


@pytest.mark.parametrize(("n_tests", "n_false", "n_levels"), [(10, 9, 35), (57, 28, 126)])
def test_at_least_is_rarely_too_many(n_tests: int, n_false: int, n_levels: int) -> None:
    """Of hypotheses with the smallest p there can be, and others with any p equally likely."""
    rng, n_trials = np.random.default_rng(0), 400
    too_many = 0
    for _ in range(n_trials):
        null = rng.integers(1, n_levels + 1, size=n_tests - n_false) / n_levels
        pvalues = np.concatenate([np.full(n_false, 1 / n_levels), null])
        too_many += n_different_at_least(pvalues, 0.05) > n_false
    assert too_many <= stats.binom.ppf(0.9999, n_trials, 0.05)


def found_in_families(families: list[Floats], alpha: float) -> list[list[bool]]:
    """Select families by Benjamini & Hochberg, and test each at the level that goes with it."""
    smallest = np.sort([own.min() for own in families])
    ranks = np.arange(1, len(families) + 1)
    below = ranks[smallest <= alpha * ranks / len(families)]
    n_selected = int(below.max()) if len(below) else 0
    return [(own <= alpha * n_selected / len(families)).tolist() for own in families]


@given(
    st.lists(st.lists(st.integers(1, 100), min_size=1, max_size=4), min_size=1, max_size=7),
    st.sampled_from([0.0107, 0.0503, 0.2011]),
)
def test_families_are_adjusted_as_they_are_selected(counts: list[list[int]], alpha: float) -> None:
    families = [np.array(own) / 400 for own in counts]
    adjusted = over_families(families)
    assert [(own <= alpha).tolist() for own in adjusted] == found_in_families(families, alpha)


@given(st.lists(st.integers(1, 100), min_size=1, max_size=9))
def test_families_of_one_are_adjusted_by_benjamini_and_hochberg(counts: list[int]) -> None:
    pvalues = np.array(counts) / 100
    adjusted = over_families([pvalues[i : i + 1] for i in range(len(pvalues))])
    np.testing.assert_allclose(np.concatenate(adjusted), benjamini_hochberg(pvalues))


def test_a_family_without_tests_only_counts() -> None:
    first, second = over_families([np.array([0.01]), np.array([])])
    assert first.tolist() == [0.02]
    assert second.tolist() == []

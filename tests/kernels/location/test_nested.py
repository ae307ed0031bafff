from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.location.nested import (
    moments,
    nested_scores,
    nested_statistics,
    standardised,
)


@pytest.fixture
def shares() -> np.ndarray:
    return np.random.default_rng(0).uniform(size=(6, 30))


def test_statistics_are_those_of_every_window_that_shrinks_from_one_end(
    shares: np.ndarray,
) -> None:
    found = nested_statistics(shares)
    assert found.shape == (2, 2, 6, 30)
    for step in range(6):
        windows = shares[step:], shares[: step + 1]
        for side, window in enumerate(windows):
            np.testing.assert_allclose(found[side, 0, step] ** 4, window.sum(axis=0))
            np.testing.assert_allclose(found[side, 1, step] ** 4, window.max(axis=0))


def test_the_whole_training_is_a_window_from_either_end(shares: np.ndarray) -> None:
    found = nested_statistics(shares)
    np.testing.assert_allclose(found[0, :, 0], found[1, :, -1])


def test_standardised_statistics_have_mean_0_and_deviation_1(shares: np.ndarray) -> None:
    statistics = nested_statistics(shares)
    scores = standardised(statistics, moments(statistics))
    np.testing.assert_allclose(scores.mean(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(scores.std(axis=-1), 1)


def test_statistics_that_do_not_vary_score_0() -> None:
    constant = np.full((3, 10), 0.3)
    means, scales = moments(constant)
    assert scales.tolist() == [[0.0]] * 3
    assert (
        standardised(constant + 1, (means, scales)).tolist() == np.zeros((3, 10)).tolist()
    )


def test_the_larger_of_sum_and_maximum_is_taken(shares: np.ndarray) -> None:
    scale = moments(nested_statistics(shares))
    # One narrow difference, and one that is wide and faint.
    narrow, wide = np.full((6, 1), 0.01), np.full((6, 1), 0.7)
    narrow[3] = 0.999
    for observed in (narrow, wide):
        sums, maxima = standardised(nested_statistics(observed), scale).transpose(
            1, 0, 2, 3
        )
        found = nested_scores(observed, scale)
        np.testing.assert_array_equal(found, np.maximum(sums, maxima))
    of_narrow = standardised(nested_statistics(narrow), scale)[0, :, 0, 0]
    of_wide = standardised(nested_statistics(wide), scale)[0, :, 0, 0]
    assert of_narrow[1] > of_narrow[0]
    assert of_wide[0] > of_wide[1]

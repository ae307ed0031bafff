from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.welch import equal_spread_pvalue, n_directions, spreads


def residuals(rng: np.random.Generator, sizes: list[int], scales: np.ndarray) -> list[np.ndarray]:
    """Normal curves with a standard deviation at each step, less the mean of their group."""
    groups = [rng.normal(size=(size, len(scales))) * scales for size in sizes]
    return [group - group.mean(axis=0) for group in groups]


def test_variances_and_unevenness_are_traces() -> None:
    (group,) = residuals(np.random.default_rng(0), [6], np.arange(1.0, 5.0))
    covariance = np.cov(group.T)
    found = spreads([group])
    trace = np.trace(covariance)
    assert found.variances[0] == pytest.approx(trace)
    assert found.unevenness[0] == pytest.approx(
        np.trace(covariance @ covariance) / trace**2 - 1 / 5
    )


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("scales", [np.ones(20), np.array([5.0, 1.0, 1.0])])
def test_directions_are_counted_without_the_bias_of_few_runs(size: int, scales: np.ndarray) -> None:
    """Many groups pin down the pooled number; each takes n − 1 parts in n of it at most."""
    found = spreads(residuals(np.random.default_rng(1), [size] * 4_000, scales))
    true = np.sum(scales**2) ** 2 / np.sum(scales**4)
    most = found.directions.max()
    assert most == pytest.approx(max(1, true * (size - 1) / size), rel=0.1)
    assert most < true
    assert np.all(found.directions >= 1)


def test_heights_have_one_direction() -> None:
    groups = residuals(np.random.default_rng(2), [2, 3, 9], np.ones(1))
    assert spreads(groups).directions.tolist() == [1.0] * 3


def test_a_group_that_does_not_vary_has_one_direction() -> None:
    group, other = residuals(np.random.default_rng(3), [5, 5], np.ones(6))
    found = spreads([0 * group, other])
    assert found.variances[0] == 0
    assert found.directions[0] == 1
    assert np.all(np.isfinite(found.directions))


def test_of_one_step_p_is_bartletts() -> None:
    rng = np.random.default_rng(4)
    for _ in range(5):
        groups = residuals(rng, [4, 6, 9], np.ones(1))
        expected = stats.bartlett(*(group[:, 0] for group in groups)).pvalue
        assert equal_spread_pvalue(groups) == pytest.approx(expected)


def test_groups_without_variation_differ_from_those_with() -> None:
    group, other = residuals(np.random.default_rng(5), [5, 5], np.ones(3))
    assert equal_spread_pvalue([0 * group, other]) == 0
    assert equal_spread_pvalue([0 * group, 0 * other]) == 1
    assert equal_spread_pvalue([group, group]) == pytest.approx(1)


def test_directions_of_vectors() -> None:
    assert n_directions(np.eye(4)) == pytest.approx(4)
    assert n_directions(np.ones((5, 3))) == pytest.approx(1)
    assert n_directions(np.zeros((5, 3))) == 1


@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_no_scale_is_too_large_or_too_small(scale: float) -> None:
    groups = residuals(np.random.default_rng(6), [4, 5], np.ones(6))
    found, expected = spreads([scale * group for group in groups]), spreads(groups)
    np.testing.assert_allclose(found.directions, expected.directions)
    np.testing.assert_allclose(found.unevenness, expected.unevenness)

from __future__ import annotations

import math

import numpy as np
import pytest

from curvewise.kernels.bootstrap.resamples import resample_counts
from curvewise.kernels.location.bands import DifferenceUnits, fit_band, zero_crossing
from tests.simulation import random_walk

LABELS = np.repeat([0, 1], [5, 7])
NONE = np.zeros(12, dtype=np.int64)
BLOCKS = np.array([0, 0, 1, 2, 3, 0, 1, 1, 1, 2, 2, 4])
STEPS = np.arange(6.0)


def scores_of(seed: int) -> np.ndarray:
    return random_walk(np.random.default_rng(seed), 12, 6)


def test_without_blocks_runs_are_drawn_within_their_algorithm() -> None:
    scores = scores_of(0)
    units = DifferenceUnits.of(scores, LABELS, NONE)
    assert units.strata.tolist() == LABELS.tolist()
    assert units.min_stratum_size == 5
    (difference,), (errors,) = units.differences(np.ones((1, 12)))
    first, second = scores[:5], scores[5:]
    np.testing.assert_allclose(difference, first.mean(axis=0) - second.mean(axis=0))
    variance = first.var(axis=0, ddof=1) / 5 + second.var(axis=0, ddof=1) / 7
    np.testing.assert_allclose(errors, np.sqrt(variance))


def test_with_blocks_each_block_of_both_algorithms_is_a_unit() -> None:
    scores = scores_of(1)
    units = DifferenceUnits.of(scores, LABELS, BLOCKS)
    # Blocks 3 and 4 have one algorithm only.
    assert units.min_stratum_size == len(units.values) == 3
    assert units.weights.tolist() == pytest.approx([2 * 1 / 3, 1 * 3 / 4, 1 * 2 / 3])
    for unit in range(3):
        first = scores[np.equal(BLOCKS, unit) & (LABELS == 0)].mean(axis=0)
        second = scores[np.equal(BLOCKS, unit) & (LABELS == 1)].mean(axis=0)
        np.testing.assert_allclose(units.values[unit], first - second)
    (difference,), _ = units.differences(np.ones((1, 3)))
    expected = np.average(units.values, axis=0, weights=units.weights)
    np.testing.assert_allclose(difference, expected)


def largest_t(units: DifferenceUnits, row: np.ndarray, least: float) -> float:
    """The largest |t| of one resample, without products of matrices."""
    drawn = np.repeat(np.arange(12), row.astype(np.int64))
    means, variances, observed, errors = [], [], [], []
    for group in (0, 1):
        everyone = units.values[units.strata == group]
        runs = units.values[drawn[units.strata[drawn] == group]]
        means.append(runs.mean(axis=0))
        variances.append(runs.var(axis=0, ddof=1) / len(runs))
        observed.append(everyone.mean(axis=0))
        errors.append(everyone.var(axis=0, ddof=1) / len(everyone))
    error = np.maximum(np.sqrt(sum(variances)), least * np.sqrt(sum(errors)))
    difference = (means[0] - means[1]) - (observed[0] - observed[1])
    return float(np.max(np.abs(difference) / error))


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_half_width_is_a_quantile_of_the_largest_t(alpha: float) -> None:
    # Few runs, and steps at which all but one of them tie: some resamples have no spread.
    scores = scores_of(2)
    scores[:4, 2] = scores[6:, 2] = 1.0
    units = DifferenceUnits.of(scores, LABELS, NONE)
    fit = fit_band(units, STEPS, alpha, 199, seed=5)
    counts = resample_counts(LABELS, 199, 5)
    largest = sorted(largest_t(units, row, 1 / 3) for row in counts)
    assert fit.critical == pytest.approx(largest[math.ceil((1 - alpha) * 200) - 1])


def test_resamples_without_spread_do_not_make_the_band_infinite() -> None:
    scores = np.zeros((12, 2))
    scores[0, 0] = scores[5, 0] = 1.0
    units = DifferenceUnits.of(scores, LABELS, NONE)
    fit = fit_band(units, STEPS[:2], 0.05, 499, seed=1)
    assert 0 < fit.critical < 3 * 12
    # Step 1 does not vary: no error there, and no part in the band.
    assert fit.errors[1] == 0
    # With the floor removed, resamples without spread would have an infinite t.
    assert fit.critical >= abs(fit.difference[0]) / (fit.errors[0] / 3) * (1 - 1e-9)


def test_too_few_resamples_have_no_band() -> None:
    units = DifferenceUnits.of(scores_of(3), LABELS, NONE)
    assert fit_band(units, STEPS, 0.05, 18, seed=1).critical == math.inf
    assert fit_band(units, STEPS, 0.05, 19, seed=1).critical < math.inf


def test_portions_of_resamples_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    units = DifferenceUnits.of(scores_of(4), LABELS, NONE)
    whole = fit_band(units, STEPS, 0.1, 50, seed=1)
    monkeypatch.setattr("curvewise.kernels.location.bands.MAX_RESAMPLED_SCORES", 42)
    parts = fit_band(units, STEPS, 0.1, 50, seed=1)
    assert parts.critical == pytest.approx(whole.critical)
    np.testing.assert_allclose(parts.crossings, whole.crossings)


def test_curves_that_cross_once_cross_there() -> None:
    assert zero_crossing(np.array([2.0, 1.0, -1.0, -3.0]), STEPS[:4]) == (1.5, 1.0)
    assert zero_crossing(np.array([-2.0, -1.0, 3.0]), np.array([0.0, 10, 20])) == (
        12.5,
        -1.0,
    )


def test_curves_that_cross_often_are_separated_where_the_areas_are_largest() -> None:
    difference = np.array([1.0, -0.1, 2.0, -1.0, 0.2, -3.0])
    step, direction = zero_crossing(difference, STEPS)
    assert direction == 1
    areas = [difference[:cut].sum() - difference[cut:].sum() for cut in range(7)]
    assert int(np.argmax(areas)) == 3
    assert step == pytest.approx(2 + 2 / 3)


def test_a_curve_that_leads_throughout_does_not_cross() -> None:
    assert zero_crossing(np.array([1.0, 2.0, -0.5]), STEPS[:3])[0] == pytest.approx(1.8)
    assert zero_crossing(np.array([1.0, 2.0, 0.5]), STEPS[:3]) == (None, 1.0)
    assert zero_crossing(np.array([-1.0, 0.5, -2.0]), STEPS[:3])[0] is None


def test_crossings_of_resamples_are_those_of_their_differences() -> None:
    scores = scores_of(6) + np.outer(2 * (LABELS == 0) - 1, 2.5 - STEPS)
    units = DifferenceUnits.of(scores, LABELS, NONE)
    fit = fit_band(units, STEPS, 0.1, 60, seed=2)
    assert fit.crossing == zero_crossing(fit.difference, STEPS)[0]
    assert fit.crossing is not None
    differences, _ = units.differences(resample_counts(LABELS, 60, 2))
    for difference, crossing in zip(differences, fit.crossings, strict=True):
        step, direction = zero_crossing(difference, STEPS)
        if direction == 1 and step is not None:
            assert crossing == pytest.approx(step)
    assert np.mean(np.isfinite(fit.crossings)) > 0.5

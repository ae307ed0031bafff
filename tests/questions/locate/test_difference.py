"""The band of a difference, and the changes of places that it proves."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from curvewise import Curves, Interval, locate
from curvewise.questions.locate.ask import crossings_of
from curvewise.questions.locate.result import Band
from tests.simulation import autoregressive, some_curves

STEPS = np.array([0.0, 10, 20, 30, 40])


def largest_t(scores: np.ndarray, first: np.ndarray) -> np.ndarray:
    """|t| of every step, with the pooled error."""
    one, other = scores[first], scores[~first]
    squares = sum(((part - part.mean(axis=0)) ** 2).sum(axis=0) for part in (one, other))
    error = np.sqrt(squares / (len(scores) - 2) * (1 / len(one) + 1 / len(other)))
    return np.asarray(np.abs(one.mean(axis=0) - other.mean(axis=0)) / error)


@pytest.mark.parametrize("shift", [0.0, 1.0, 9.0])
def test_the_half_width_is_the_larger_quantile_of_curves_and_residuals(shift: float) -> None:
    scores = autoregressive(np.random.default_rng(4), 9, 6)
    scores[:4] += shift
    labels = np.arange(9) < 4
    band = locate(Curves(scores, np.where(labels, "A", "B")), windows=False).band
    assert band is not None
    left = scores.copy()
    for group in (labels, ~labels):
        left[group] -= left[group].mean(axis=0)
    chosen = [np.isin(np.arange(9), c) for c in itertools.combinations(range(9), 4)]
    # 6 of 126 relabellings may be larger.
    quantiles = [
        np.sort([largest_t(table, first).max() for first in chosen])[-7] for table in (scores, left)
    ]
    t = largest_t(scores, labels)
    errors = np.abs(band.difference) / t
    named = t > quantiles[0]
    half = max(quantiles) * errors
    # Where the two disagree about a step, the end at 0 is moved.
    agreed = named == (t > max(quantiles))
    assert agreed.any()
    np.testing.assert_allclose((band.high - band.difference)[agreed], half[agreed])
    np.testing.assert_allclose((band.difference - band.low)[agreed], half[agreed])
    assert ((band.low > 0) | (band.high < 0)).tolist() == named.tolist()
    if shift == 9:
        # Shuffled curves alone would give a band that is much too narrow.
        assert quantiles[0] < 0.8 * quantiles[1]


def band(low: list[float], high: list[float]) -> Band:
    ends = np.array(low), np.array(high)
    return Band("A", "B", (ends[0] + ends[1]) / 2, *ends, 0.95)


def test_a_crossing_lies_between_the_steps_at_which_either_lead_is_known() -> None:
    found = band([1, 1, -1, -4, -5], [3, 5, 2, 1, -1])
    (crossing,) = crossings_of(found, STEPS, higher_is_better=True)
    assert crossing.interval == Interval(10, 40)
    assert (crossing.leads_before, crossing.leads_after) == ("A", "B")
    assert 20 < crossing.step < 30
    assert crossing.confidence == 0.95
    (other,) = crossings_of(found, STEPS, higher_is_better=False)
    assert (other.leads_before, other.leads_after) == ("B", "A")
    assert other.step == crossing.step


def test_without_two_leads_there_is_no_crossing() -> None:
    one_lead = band([1, -1, -9, -9, 2], [3, 1, 1, 0, 4])
    assert crossings_of(one_lead, STEPS, higher_is_better=True) == ()
    assert crossings_of(None, STEPS, higher_is_better=True) == ()


def test_curves_that_change_places_often_have_several_crossings() -> None:
    found = band([1, -3, 1, -1, -3], [3, -1, 3, 1, -1])
    several = crossings_of(found, STEPS, higher_is_better=True)
    assert [crossing.interval for crossing in several] == [
        Interval(0, 10),
        Interval(10, 20),
        Interval(20, 40),
    ]
    assert [crossing.leads_before for crossing in several] == ["A", "B", "A"]


def test_only_two_algorithms_have_a_band() -> None:
    assert locate(some_curves(0, (4, 4, 4)), windows=False).band is None
    assert locate(some_curves(0, (2, 6)), windows=False, n_resamples=0).band is not None


def test_too_few_relabellings_give_a_band_without_ends() -> None:
    found = locate(some_curves(0, (3, 3)), windows=False).band
    assert found is not None
    assert np.isinf(found.low).all()
    assert np.isinf(found.high).all()
    assert found.to_dict()["low"] == [None] * 6

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.kernels.anova import EPSILON, Design, group_squares, step_rounding
from curvewise.kernels.relabel import Shuffles
from curvewise.kernels.steps import MIN_RESIDUAL_SHARE, StepDesign
from curvewise.kernels.windows import LOWEST_SCORE, Places, PlaceSums, Windows, intervalwise
from tests.simulation import integer_tied, random_walk

if TYPE_CHECKING:
    from collections.abc import Callable

LABELS = np.repeat(np.arange(3), [3, 4, 2])
NONE = np.zeros(9, dtype=np.int64)
N_STEPS = 5
WINDOWS = [(a, b) for a in range(N_STEPS) for b in range(a, N_STEPS)]


def step_design(scores: np.ndarray) -> StepDesign:
    return StepDesign.from_scores(scores, LABELS, NONE, step_rounding(scores, EPSILON))


def drawn(count: int, seed: int) -> np.ndarray:
    return Shuffles(LABELS, NONE, count, seed).batch(0)


def windows_of(scores: np.ndarray, max_places: int = 9) -> tuple[StepDesign, Windows]:
    design = step_design(scores)
    pilot = drawn(200, 1)
    return design, Windows.of(design, LABELS, pilot, max_places, compiled=False)


def place_sums(design: StepDesign, windows: Windows, labels: np.ndarray) -> PlaceSums:
    return PlaceSums.of(windows.places, design, labels, compiled=False)


def striking(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The fourth roots of r / √(1 − r) of a table, one effect after the other."""
    design = Design.from_scores(scores, LABELS, NONE)
    between = group_squares(labels, design.coordinates, design.factor)
    totals = np.array(design.totals)[:, None]
    shares = np.where(totals > 1e-9, between / np.maximum(totals, 1e-9), 0.0)
    return (shares / np.sqrt(np.maximum(1 - shares, MIN_RESIDUAL_SHARE))) ** 0.25


def test_each_window_has_the_sums_of_squares_of_the_table_restricted_to_it() -> None:
    scores = random_walk(np.random.default_rng(0), 9, N_STEPS)
    _, windows = windows_of(scores)
    for first, last in WINDOWS:
        table = Design.from_scores(scores[:, first : last + 1], LABELS, NONE)
        at = (slice(None), first, last)
        expected = [table.ss["algorithm"], table.ss["interaction"]]
        np.testing.assert_allclose(windows.observed[at], expected, atol=1e-9)
        np.testing.assert_allclose(windows.totals[at], table.totals, atol=1e-9)
        assert windows.lengths[first, last] == last - first + 1


def test_the_scale_is_that_of_the_pilot() -> None:
    scores = random_walk(np.random.default_rng(1), 9, N_STEPS)
    _, windows = windows_of(scores)
    for first, last in WINDOWS:
        values = striking(scores[:, first : last + 1], drawn(200, 1))
        means, deviations = values.mean(axis=1), values.std(axis=1)
        np.testing.assert_allclose(windows.means[:, first, last], means, atol=1e-6)
        for effect in range(2 if last > first else 1):
            found = windows.scales[effect, first, last]
            assert found == pytest.approx(1 / deviations[effect], rel=1e-6)
    # A window of one step has no shape.
    assert np.all(np.diagonal(windows.scales[1]) == 0)


@pytest.mark.parametrize("curves", [random_walk, integer_tied])
def test_counts_and_largest_scores_are_those_of_each_window_by_itself(
    curves: Callable[[np.random.Generator, int, int], np.ndarray],
) -> None:
    scores = curves(np.random.default_rng(2), 9, N_STEPS)
    design, windows = windows_of(scores)
    labels = drawn(300, 2)
    n_extreme, largest = windows.count(place_sums(design, windows, labels), compiled=False)
    expected_largest = np.full(300, LOWEST_SCORE)
    for first, last in WINDOWS:
        table = Design.from_scores(scores[:, first : last + 1], LABELS, NONE, 1e-13)
        between = group_squares(labels, table.coordinates, table.factor)
        expected = table.extreme_rule.n_extreme(between)[1:3]
        assert n_extreme[:, first, last].tolist() == expected.tolist()
        values = striking(scores[:, first : last + 1], labels)
        for effect in range(2):
            scale = windows.scales[effect, first, last]
            if scale:
                score = (values[effect] - windows.means[effect, first, last]) * scale
                np.maximum(expected_largest, score, out=expected_largest)
    np.testing.assert_allclose(largest, expected_largest, rtol=1e-5)


def test_the_observed_labelling_is_as_extreme_as_itself_in_every_window() -> None:
    scores = np.round(random_walk(np.random.default_rng(3), 9, N_STEPS), 1)
    design, windows = windows_of(scores)
    n_extreme, largest = windows.count(place_sums(design, windows, LABELS[None, :]), compiled=False)
    upper = np.triu(np.ones((N_STEPS, N_STEPS))) > 0
    assert np.all(n_extreme[:, upper] == 1)
    assert np.all(largest[0] >= windows.scores[:, upper] * (1 - 1e-9) - 1e-9)
    # Bounds are what was observed, but for rounding.
    np.testing.assert_allclose(windows.bounds, windows.observed, rtol=1e-9, atol=1e-9)


def test_many_steps_are_gathered_into_places() -> None:
    places = Places.of(10, 4)
    assert places.starts.tolist() == [0, 2, 5, 7]
    assert places.lengths.tolist() == [2, 3, 2, 3]
    values = np.arange(20.0).reshape(10, 2)
    assert places.gather(values).tolist() == [[2, 4], [18, 21], [22, 24], [48, 51]]
    every = Places.of(4, 10)
    assert every.n_places == 4
    np.testing.assert_array_equal(every.gather(values[:4]), values[:4])


def test_windows_of_places_are_those_of_their_steps() -> None:
    scores = random_walk(np.random.default_rng(4), 9, 10)
    _, every = windows_of(scores, max_places=10)
    _, gathered = windows_of(scores, max_places=4)
    # Places 1 and 2 are the steps 2 to 6.
    for name in ("totals", "observed"):
        found = getattr(gathered, name)[:, 1, 2]
        np.testing.assert_allclose(found, getattr(every, name)[:, 2, 6])
    assert gathered.lengths[1, 2] == 5


def test_intervalwise_p_is_the_largest_of_all_windows_around_a_place() -> None:
    pvalues = np.random.default_rng(5).uniform(size=(6, 6))
    found = intervalwise(pvalues)
    for place in range(6):
        around = [pvalues[a, b] for a in range(place + 1) for b in range(place, 6)]
        assert found[place] == max(around)

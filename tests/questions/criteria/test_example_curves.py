"""The curves of the cases have the properties that make them cases."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise.questions.criteria.example_curves import (
    AHEAD,
    CONTROL,
    FAST_AHEAD,
    FAST_CONTROL,
    MIDDLING,
    SLOW_AHEAD,
    SLOW_CONTROL,
    TASKS,
    a_level_every_trial,
    a_level_every_two_trials,
    curve_pair,
    experimental_above_control,
    flat_conditions,
    squeezed,
    windows,
)


def test_a_pair_is_one_run_or_several_and_steps_count_from_1() -> None:
    one = curve_pair("one", [1, 2, 3], [2, 3, 4])
    assert one.control.tolist() == [[1, 2, 3]]
    assert one.steps.tolist() == [1, 2, 3]
    assert one.optimum == 1
    several = curve_pair("several", np.zeros((4, 2)), np.ones((5, 2)), None)
    assert several.control.shape == (4, 2)
    assert several.experimental.shape == (5, 2)
    assert several.optimum is None
    with pytest.raises(ValueError, match="read-only"):
        one.control[0, 0] = 9


def test_the_pairs_of_figure_3_have_the_same_area_between_them() -> None:
    slow = np.subtract(SLOW_AHEAD, SLOW_CONTROL).sum()
    fast = np.subtract(FAST_AHEAD, FAST_CONTROL).sum()
    assert slow == pytest.approx(2.6)
    assert fast == pytest.approx(2.6)


def test_flat_conditions_never_change() -> None:
    low, high = flat_conditions(-0.5, 0.25)
    assert (low.name, high.name) == ("at -0.5", "at 0.25")
    assert np.ptp(low.experimental) == 0
    assert high.experimental[0, 0] == 0.25
    assert low.control.tolist() == [list(MIDDLING)]


def test_windows_cut_the_same_two_curves() -> None:
    short, long = windows(5, 18)
    assert short.name == "5 steps"
    assert long.control[0, :12].tolist() == list(CONTROL)
    assert np.ptp(long.experimental[0, 11:]) == 0
    assert short.experimental[0].tolist() == list(AHEAD[:5])


def test_all_experimental_scores_are_above_all_of_the_control() -> None:
    cases = experimental_above_control()
    assert len(cases) == 2
    for pairs in cases.values():
        for pair in pairs:
            assert pair.experimental.min() > pair.control.max()
        gaps = [pair.experimental.min() - pair.control.max() for pair in pairs]
        assert gaps == sorted(gaps)


def test_levels_are_reached_every_trial_or_every_two() -> None:
    for levels, optimum in TASKS.values():
        every, every_two = a_level_every_trial(levels), a_level_every_two_trials(levels)
        assert max(levels) <= optimum
        for k, level in enumerate(levels[1:], start=1):
            # Trials count from 1.
            assert np.argmax(every >= level) + 1 == k
            assert np.argmax(every_two >= level) + 1 == 2 * k


def test_squeezing_leaves_the_optimum_in_place() -> None:
    assert squeezed((0.0, 0.5, 1.0)).tolist() == [0.75, 0.875, 1.0]

"""Steps as numbers, in windows, as weights."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise import CurvesError
from curvewise.data.checks import MAX_STEP, as_steps
from curvewise.data.points import cut, in_window, trapezoids

STEPS = np.array([0, 1, 2])


def test_whole_steps_become_integers() -> None:
    assert as_steps(np.array([0.0, 5000.0])).dtype == np.int64
    assert as_steps(np.array([0.0, 0.5])).dtype == np.float64
    assert as_steps(np.array([float(MAX_STEP)])).dtype == np.float64


def test_windows_include_both_ends() -> None:
    assert in_window(STEPS, None, None).all()
    assert in_window(STEPS, 1, None).tolist() == [False, True, True]
    assert in_window(STEPS, 1, 1).tolist() == [False, True, False]


def test_rounding_leaves_no_step_out() -> None:
    tenths = np.array([0.1, 0.2, 0.1 + 0.2])
    assert in_window(tenths, None, 0.3).all()


@pytest.mark.parametrize(
    ("start", "stop", "message"),
    [
        (5, None, "No step lies in the window from 5; the steps range from 0 to 2. Choose a"),
        (2, 1, "The window from 2 to 1 ends before it begins. Swap the two steps."),
        (None, -1, "No step lies in the window to -1"),
        ("a", None, "The start of a window must be a step, a number, not 'a'"),
        (None, [1], r"The stop of a window must be a step, a number, not \[1\]"),
    ],
)
def test_empty_windows_are_refused(start: float, stop: float, message: str) -> None:
    with pytest.raises(CurvesError, match=message):
        in_window(STEPS, start, stop)


def test_trapezoids_give_areas() -> None:
    steps = np.array([0.0, 0.5, 4.0, 5.0])
    scores = np.array([1.0, 3.0, 2.0, -1.0])
    assert trapezoids(steps) @ scores == pytest.approx(np.trapezoid(scores, steps))
    assert trapezoids(np.array([7])).tolist() == [0]


@pytest.mark.parametrize(
    ("steps", "start", "stop", "kept"),
    [
        ([0, 1, 2, 10**12], 1, None, [1, 2, 10**12]),
        ([0, 1, 2, 10**12], None, 0, [0]),
        ([0, 10**10, 10**10 + 1], 10**10 + 1, None, [10**10 + 1]),
        ([1.5, 1e12], None, 1, []),
        ([0.1, 0.3, 1e9], None, 0.1 + 0.2, [0.1, 0.3]),
        ([0.1, 0.1 + 0.2, 1e9], None, 0.3, [0.1, 0.1 + 0.2]),
        ([-0.1, 2.8e-17, 0.1], None, 0, [-0.1, 2.8e-17]),
        ([0.5, 1.5, 1e12], 1, None, [1.5, 1e12]),
    ],
)
def test_a_window_takes_no_slack_from_other_steps(
    steps: list[float], start: float | None, stop: float | None, kept: list[float]
) -> None:
    values = np.array(steps)
    if not kept:
        with pytest.raises(CurvesError, match="No step lies in the window"):
            in_window(values, start, stop)
        return
    assert values[in_window(values, start, stop)].tolist() == kept


def test_a_log_is_cut_between_its_points() -> None:
    steps, scores = np.array([0.0, 10, 20]), np.array([0.0, 1, 3])
    assert cut(steps, scores, None, None)[0] is steps
    assert [part.tolist() for part in cut(steps, scores, 5, 15)] == [[5, 10, 15], [0.5, 1, 2]]
    assert [len(part) for part in cut(steps, scores, 30, None)] == [0, 0]
    assert cut(steps[:0], scores[:0], 0, 1)[0].tolist() == []

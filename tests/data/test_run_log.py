"""RunLog: one metric of one run, checked as it is built."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from curvewise import CurvesError, RunLog


def test_steps_and_scores_are_copied_and_cannot_be_changed() -> None:
    steps = np.array([0, 10, 20])
    log = RunLog("A", "1", "return", steps, [1, np.nan, np.inf])
    steps[0] = 5
    np.testing.assert_array_equal(log.steps, [0, 10, 20])
    np.testing.assert_array_equal(log.scores, [1, np.nan, np.inf])
    assert log.steps.dtype == log.scores.dtype == np.float64
    for values in (log.steps, log.scores):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1
    assert (log.n_points, log.where) == (3, "run '1' of 'A'")


def test_a_run_can_be_empty() -> None:
    log = RunLog("A", "1", "return", [], [])
    assert log.n_points == 0
    assert repr(log) == "RunLog('A', '1', 'return': no points)"


@pytest.mark.parametrize(
    ("steps", "scores", "message"),
    [
        ([0, 1], [1.0], r"Run '1' of 'A' has 2 steps but 1 score; give a step for each"),
        ([0, 2, 1], [1, 2, 3], r"must increase, but 1 comes after 2\. Sort them"),
        ([0, 1, 1], [1, 2, 3], r"must increase, but 1 comes after 1\."),
        ([0, np.nan], [1, 2], r"The steps of run '1' of 'A' must be finite"),
        ([0, np.inf], [1, 2], r"must be finite"),
        ([0, 1], ["low", "high"], r"The scores of run '1' of 'A' must be numbers"),
        ([[0, 1]], [1, 2], r"a sequence of numbers, not an array of 2 dimensions"),
        (0, 1, r"not an array of 0 dimensions"),
        ([0, [1]], [1, 2], r"The steps of run '1' of 'A' must be numbers"),
        (
            np.array(["2026-01-01", "2026-01-02"], dtype="M8[D]"),
            [1, 2],
            r"The steps of run '1' of 'A' are dates or times\. Give numbers, such as seconds",
        ),
        ([10**18, 10**18 + 1], [1, 2], r"go beyond 2\^53, .* Count them from the start"),
    ],
)
def test_what_cannot_be_a_run_is_refused(steps: Any, scores: Any, message: str) -> None:
    with pytest.raises(CurvesError, match=message):
        RunLog("A", "1", "return", steps, scores)

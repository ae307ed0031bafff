from __future__ import annotations

import numpy as np
import pytest

from curvewise import Curves, CurvesError
from curvewise.inference.two_groups import final_weights, mean_weights, window_weights


def of_steps(*steps: float) -> Curves:
    return Curves(np.zeros((2, len(steps))), ["A", "B"], steps)


def test_the_mean_weighs_all_steps_alike() -> None:
    weights, label = mean_weights(of_steps(0, 10, 50))
    assert weights.tolist() == [1 / 3] * 3
    assert label == "mean over training"


@pytest.mark.parametrize(
    ("n_steps", "n_last", "label"),
    [
        (1, 1, "last step (of 1)"),
        (10, 1, "last step (of 10)"),
        (11, 2, "mean of the last 2 steps (of 11)"),
        (200, 20, "mean of the last 20 steps (of 200)"),
    ],
)
def test_the_end_is_the_last_tenth(n_steps: int, n_last: int, label: str) -> None:
    weights, found = final_weights(of_steps(*range(n_steps)))
    assert np.flatnonzero(weights).tolist() == list(range(n_steps - n_last, n_steps))
    assert weights.sum() == pytest.approx(1)
    assert found == label


def test_a_window_includes_both_ends() -> None:
    weights, label = window_weights(np.array([0.0, 0.1, 0.3]), 0.1, 0.1 + 0.2)
    assert weights.tolist() == [0, 0.5, 0.5]
    assert label == "mean from step 0.1 to 0.3"
    with pytest.raises(CurvesError, match="No step lies in the window from 4 to 9"):
        window_weights(np.array([0, 1]), 4, 9)

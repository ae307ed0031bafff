"""One number of each run."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise import CurvesError
from curvewise.questions.gate.method import GateNumbers, measured
from tests.simulation import some_curves


@pytest.mark.parametrize(("n_steps", "n_last"), [(1, 1), (8, 1), (10, 1), (11, 2), (50, 5)])
def test_the_last_tenth_of_the_steps_is_final(n_steps: int, n_last: int) -> None:
    profile, label = measured(some_curves(0, n_steps=n_steps), "final")
    assert np.count_nonzero(profile) == n_last
    assert profile[-n_last:].sum() == pytest.approx(1)
    assert f"(of {n_steps})" in label


def test_windows_and_means_are_those_of_contrasts() -> None:
    curves = some_curves(0, n_steps=6)
    assert measured(curves, "mean")[0].tolist() == [1 / 6] * 6
    profile, label = measured(curves, (1, 3))
    assert profile.tolist() == [0, 1 / 3, 1 / 3, 1 / 3, 0, 0]
    assert label == "mean from step 1 to 3"
    with pytest.raises(CurvesError, match="No step lies in the window"):
        measured(curves, (10, 20))


def test_lower_scores_are_turned_round() -> None:
    curves = some_curves(0, (2, 3), higher_is_better=False)
    numbers = GateNumbers.of(curves, np.full(6, 1 / 6), "A", "B")
    np.testing.assert_allclose(numbers.values, -curves.scores.mean(axis=1))
    assert numbers.n_runs == (2, 3)
    np.testing.assert_allclose(
        numbers.weights @ numbers.values, numbers.sides[0].mean() - numbers.sides[1].mean()
    )

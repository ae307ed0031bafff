from __future__ import annotations

import numpy as np
import pytest

import curvewise as cw
from curvewise.questions.power.method import observed_truth, stated_truth
from tests.simulation import some_curves

STEPS = np.arange(4.0)
BASE = np.array([1.0, 2, 3, 4])


def test_a_stated_truth_changes_the_last_algorithm() -> None:
    truth = stated_truth(cw.scenario("lift", 2), BASE, STEPS, 1.0, 3)
    shift = truth.shift(np.array([0, 1, 2]), 1.5)
    assert shift.tolist() == [BASE.tolist(), BASE.tolist(), (BASE + 3).tolist()]
    assert truth.lift == 2
    assert truth.of_heights().shift(np.array([0, 2]), 1.0).tolist() == [[2.5], [4.5]]


def test_noisy_curves_are_changed_one_by_one() -> None:
    truth = stated_truth(cw.scenario("stretch", 3, on="curves"), BASE, STEPS, 1.0, 2)
    noise = np.ones((1, 2, 4))
    changed = truth.changed(noise, np.array([0, 1]), 0.5)
    assert changed[0, 0].tolist() == (BASE + 1).tolist()
    assert changed[0, 1].tolist() == (2 * (BASE + 1)).tolist()
    assert not truth.lacks("algorithm")


def test_what_a_truth_lacks() -> None:
    lift = stated_truth(cw.scenario("lift", 2), BASE, STEPS, 1.0, 2)
    cross = stated_truth(cw.scenario([1, -1, 1, -1]), BASE, STEPS, 1.0, 2)
    assert (lift.lacks("interaction"), lift.lacks("algorithm")) == (True, False)
    assert (cross.lacks("interaction"), cross.lacks("algorithm")) == (False, True)
    assert not lift.lacks("overall")


def test_observed_differences_are_shrunk_by_f() -> None:
    pilots = some_curves(5, (4, 5))
    shifted = pilots.scores + 1.5 * (pilots.codes == 1)[:, None]
    pilots = cw.Curves(shifted, pilots.labels)
    compared = cw.compare(pilots, overall="F")
    assert compared.interaction is not None
    truth = observed_truth(pilots, pilots.steps.astype(float), 1.0)
    difference = shifted[4:].mean(axis=0) - shifted[:4].mean(axis=0)
    kept = [max(1 - 1 / effect.f, 0) for effect in (compared.algorithm, compared.interaction)]
    height = difference.mean()
    assert truth.lift == pytest.approx(kept[0] * height)
    expected = kept[0] * height + kept[1] * (difference - height)
    assert np.allclose(truth.differences[1], expected)


def test_observed_differences_within_the_noise_are_none() -> None:
    scores = np.array([[0.0, 5], [4, 1], [1, 4.1], [3, 2]] * 2)
    pilots = cw.Curves(scores, ["A"] * 4 + ["B"] * 4)
    assert not observed_truth(pilots, np.arange(2.0), 1.0).differences.any()

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw
from curvewise.questions.power.method import stated_truth
from tests.questions.power.test_modelling import model_of
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise.questions.power.method import Model


def simulation(**options: Any) -> Model:
    return replace(model_of(some_curves(0, (6,)), **options), keys=(1, 2))


def test_designs() -> None:
    assert simulation(ratio=2.5).sizes(3) == (8, 3)
    pairs = model_of(some_curves(0, (4, 4), blocks=[*range(4)] * 2), blocks=True)
    labels, blocks = pairs.design(3)
    assert labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert blocks.tolist() == [0, 1, 2, 0, 1, 2]
    assert pairs.smallest_n() == 6


def test_the_first_runs_are_the_same_however_many_there_are() -> None:
    few, many = (simulation()._noise(n, range(50, 100)).scores() for n in (3, 7))
    assert np.allclose(few[:, :3], many[:, :3])
    assert np.allclose(few[:, 3:], many[:, 7:10])
    other = simulation()._noise(3, range(100, 150)).scores()
    assert not np.allclose(few, other)


def test_cases_with_fewer_experiments_have_the_first_of_them() -> None:
    base, steps = np.zeros(6), np.arange(6.0)
    truth = stated_truth(cw.scenario("lift", 1), base, steps, 1.0, 2)
    noisy = stated_truth(cw.scenario("lift", 1, on="curves"), base, steps, 1.0, 2)
    counts = simulation().n_rejected(5, [(truth, 1.0, 620), (truth, 1.0, 130)])
    alone = simulation().n_rejected(5, [(truth, 1.0, 130), (noisy, 1.0, 130)])
    assert (counts[1] == alone[0]).all()
    assert (alone[0] == alone[1]).all()  # a lift of curves is a lift of their mean
    assert counts[0, 1] > counts[1, 1]
    height = simulation().n_rejected(5, [(truth, 1.0, 620)], tests="height")
    assert height[0].tolist() == [0, counts[0, 1], 0, 0, 0]
    overall, of_height, _, claimed, _ = counts[0]
    assert of_height + overall - 620 <= claimed <= min(of_height, overall)

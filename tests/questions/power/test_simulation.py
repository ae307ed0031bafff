from __future__ import annotations

import numpy as np

import curvewise as cw
from curvewise.inference.noise import pilot_noise
from curvewise.questions.power.simulation import Simulation, smallest_n
from curvewise.questions.power.truth import stated_truth
from tests.simulation import some_curves


def simulation(**options: object) -> Simulation:
    values: dict[str, object] = {
        "noises": (pilot_noise(some_curves(0, (6,)))[0],) * 2,
        "n_algorithms": 2,
        "ratio": 1.0,
        "in_blocks": False,
        "alpha": 0.05,
        "n_shuffles": 99,
        "combined": True,
        "keys": (1, 2),
    }
    return Simulation(**{**values, **options})  # type: ignore[arg-type]


def test_designs() -> None:
    assert simulation(ratio=2.5).sizes(3) == (8, 3)
    labels, blocks = simulation(in_blocks=True).design(3)
    assert labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert blocks.tolist() == [0, 1, 2, 0, 1, 2]
    assert smallest_n(simulation(in_blocks=True)) == 6


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

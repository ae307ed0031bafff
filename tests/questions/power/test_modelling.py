from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import chi2

import curvewise as cw
from curvewise.questions.power.modelling import modelled
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise.questions.power.modelling import Model

OPTIONS: dict[str, Any] = {
    "effect": cw.scenario("lift", 1, unit="sd"),
    "noise": "gaussian",
    "pool": True,
    "base": None,
    "n_algorithms": 2,
    "ratio": 1,
    "blocks": False,
    "alpha": 0.05,
    "overall": "combined",
    "n_experiments": 100,
    "n_shuffles": 99,
    "confidence": 0.9,
    "n_jobs": 1,
    "rng": 0,
}


def model_of(pilots: cw.Curves | None, **options: Any) -> Model:
    return modelled(pilots, "plan()", **{**OPTIONS, **options})


def test_the_range_is_that_of_the_spread() -> None:
    low, high = model_of(some_curves(0, (5, 4))).range_factors()
    assert low == pytest.approx(math.sqrt(chi2.ppf(0.05, 7) / 7))
    assert high == pytest.approx(math.sqrt(chi2.ppf(0.95, 7) / 7))
    assumed = model_of(None, noise=cw.noise(sd=1, n_steps=3))
    assert assumed.range_factors() == (1, 1)


def test_the_base_is_the_algorithm_that_is_named() -> None:
    pilots = some_curves(1, (3, 4))
    for name in "AB":
        model = model_of(pilots, base=name)
        assert model.assumptions.base == name
        assert np.allclose(model.base, pilots.select(name).scores.mean(axis=0))


def test_without_labels_all_pilots_are_one_group() -> None:
    pilots = some_curves(1, (3, 4))
    model = model_of(pilots, label_blind=True)
    assert model.assumptions.noise_df == 6
    assert np.allclose(model.base, pilots.scores.mean(axis=0))
    sd = pilots.scores.mean(axis=1).std(ddof=1)
    assert model.assumptions.height_sd == pytest.approx(sd)
    assert model.assumptions.lift == pytest.approx(sd)


def test_heights_alone_are_simulated_alike() -> None:
    model = model_of(some_curves(2, (5,)))
    simulation, truth = model.of_heights()
    whole = model.simulation._noise(4, range(50)).scores().mean(axis=2)
    assert np.allclose(simulation._noise(4, range(50)).scores()[:, :, 0], whole)
    assert truth.lift == pytest.approx(model.truth().lift)
    assumed = model_of(None, noise=cw.noise(sd=1, n_steps=3))
    assert assumed.of_heights()[0] is assumed.simulation

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import chi2

import curvewise as cw
from curvewise.inference.asking import asked_of
from curvewise.questions.power.ask import estimate_power
from curvewise.questions.power.method import modelled
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise.questions.power.method import Model

OPTIONS: dict[str, Any] = {
    "effect": cw.scenario("lift", 1, unit="sd"),
    "n_experiments": 100,
    "n_shuffles": 99,
    "rng": 0,
}


def model_of(pilots: cw.Curves | None, *, label_blind: bool = False, **options: Any) -> Model:
    asked = asked_of(estimate_power, pilots=pilots, **{**OPTIONS, **options})
    return modelled(asked, label_blind=label_blind)


def test_the_range_is_that_of_the_spread() -> None:
    one, low, high = model_of(some_curves(0, (5, 4))).range_factors()
    assert one == 1
    assert low == pytest.approx(math.sqrt(chi2.ppf(0.05, 7) / 7))
    assert high == pytest.approx(math.sqrt(chi2.ppf(0.95, 7) / 7))
    assumed = model_of(None, noise=cw.noise(sd=1, n_steps=3))
    assert assumed.range_factors() == (1,)


def test_the_base_is_the_algorithm_that_is_named() -> None:
    pilots = some_curves(1, (3, 4))
    for name in "AB":
        model = model_of(pilots, base=name)
        assert model.assumptions.base == name
        assert np.allclose(model.truth.base, pilots.select(name).scores.mean(axis=0))


def test_without_labels_all_pilots_are_one_group() -> None:
    pilots = some_curves(1, (3, 4))
    model = model_of(pilots, label_blind=True)
    assert model.assumptions.noise_df == 6
    assert np.allclose(model.truth.base, pilots.scores.mean(axis=0))
    sd = pilots.scores.mean(axis=1).std(ddof=1)
    assert model.assumptions.height_sd == pytest.approx(sd)
    assert model.assumptions.lift == pytest.approx(sd)


def test_heights_alone_are_simulated_alike() -> None:
    model = model_of(some_curves(2, (5,)))
    heights = model.of_heights()
    whole = model._noise(4, range(50)).scores().mean(axis=2)
    assert np.allclose(heights._noise(4, range(50)).scores()[:, :, 0], whole)
    assert heights.truth.lift == pytest.approx(model.truth.lift)
    assumed = model_of(None, noise=cw.noise(sd=1, n_steps=3))
    assert assumed.of_heights() is assumed

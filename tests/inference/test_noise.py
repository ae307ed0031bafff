from __future__ import annotations

import math

import numpy as np
import pytest

import curvewise as cw
from curvewise.inference.simulate import pilot_noise, residuals_of
from tests.simulation import autoregressive, some_curves


def pilots_of(seed: int, sizes: tuple[int, ...]) -> cw.Curves:
    rng = np.random.default_rng(seed)
    means = 10.0 * np.repeat(np.arange(len(sizes)), sizes)
    scores = autoregressive(rng, sum(sizes), 5) + means[:, None]
    return cw.Curves(scores, np.repeat(list("ABC")[: len(sizes)], sizes))


def test_residuals_have_the_mean_of_their_algorithm_taken_off() -> None:
    residuals = residuals_of(pilots_of(0, (4, 3)))
    assert np.allclose(residuals[:4].mean(axis=0), 0)
    assert np.allclose(residuals[4:].mean(axis=0), 0)


@pytest.mark.parametrize("kind", ["gaussian", "resample"])
def test_noise_has_the_pooled_covariance_of_the_pilots(kind: str) -> None:
    pilots = pilots_of(1, (12, 9))
    own, other = pilot_noise(pilots, kind)  # type: ignore[arg-type]
    assert own is other
    assert own.df == 19
    pooled = residuals_of(pilots).T @ residuals_of(pilots) / 19
    curves = own.draw(np.random.default_rng(2), 200_000)
    assert np.allclose(curves.mean(axis=0), 0, atol=4 * math.sqrt(pooled.max() / 200_000))
    assert np.allclose(np.cov(curves.T), pooled, atol=0.02 * pooled.max())
    assert own.height_sd == pytest.approx(curves.mean(axis=1).std(), rel=0.01)


def test_noise_of_each_algorithm_may_be_its_own() -> None:
    pilots = pilots_of(3, (9, 8))
    scores = pilots.scores * np.where(pilots.codes == 0, 1.0, 5.0)[:, None]
    wide = cw.Curves(scores, pilots.labels)
    first, second = pilot_noise(wide, pool=False)
    assert (first.df, second.df) == (8, 7)
    assert second.height_sd == pytest.approx(scores[9:].mean(axis=1).std(ddof=1), rel=1e-12)
    assert second.height_sd > 2 * first.height_sd


def test_the_first_runs_are_the_same_however_many_are_drawn() -> None:
    model = pilot_noise(pilots_of(1, (4,)))[0]
    few, many = (model.draw(np.random.default_rng(5), n) for n in (3, 30))
    assert np.allclose(few, many[:3])


def test_an_algorithm_with_one_run_adds_nothing_to_the_noise() -> None:
    with_single, without = (pilot_noise(pilots_of(4, sizes))[0] for sizes in ((5, 1), (5,)))
    assert with_single.df == without.df == 4
    assert len(with_single.residuals) == 5


@pytest.mark.parametrize("correlation", [0.0, 0.7, 1.0])
def test_assumed_noise_is_an_autoregression(correlation: float) -> None:
    model = cw.noise(sd=3, correlation=correlation, n_steps=4)
    curves = model.draw(np.random.default_rng(1), 100_000)
    distance = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    assert np.allclose(np.cov(curves.T), 9 * correlation**distance, atol=0.2)
    assert model.height_sd == pytest.approx(curves.mean(axis=1).std(), rel=0.02)
    assert model.df == math.inf
    assert model.with_steps(9).n_steps == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sd": 0}, "sd must be positive"),
        ({"sd": 1e200}, "sd must be from 1e-140 to 1e\\+140"),
        ({"sd": math.nan}, "sd must be a finite number"),
        ({"sd": 1, "correlation": 1.1}, "correlation must lie between 0 and 1"),
        ({"sd": 1, "n_steps": 0}, "n_steps must be a positive integer"),
    ],
)
def test_impossible_noise_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(cw.OptionError, match=message):
        cw.noise(**options)  # type: ignore[arg-type]


def test_assumed_noise_needs_a_number_of_steps() -> None:
    with pytest.raises(cw.OptionError, match="n_steps must be given"):
        cw.noise(sd=1).draw(np.random.default_rng(0), 3)


def test_pilots_that_tell_nothing_are_refused() -> None:
    with pytest.raises(cw.CurvesError, match="single run each tell nothing"):
        pilot_noise(some_curves(0, (1, 1)))
    same = cw.Curves(np.tile([1.1, 2.2], (4, 1)), ["A", "A", "B", "B"])
    with pytest.raises(cw.CurvesError, match="have the same curve"):
        pilot_noise(same)
    with pytest.raises(cw.CurvesError, match=r"B has 7 pilots: .* at least 8"):
        pilot_noise(some_curves(0, (8, 7)), pool=False)
    with pytest.raises(cw.CurvesError, match="19 pilots are too few to resample"):
        pilot_noise(some_curves(0, (10, 9)), "resample")
    half = np.concatenate([np.ones((8, 6)), some_curves(0, (8, 8)).scores[:8]])
    with pytest.raises(cw.CurvesError, match="All pilots of A have the same curve"):
        pilot_noise(cw.Curves(half, ["A"] * 8 + ["B"] * 8), pool=False)
    with pytest.raises(cw.OptionError, match="noise must be 'gaussian' or 'resample'"):
        pilot_noise(some_curves(0), "cauchy")  # type: ignore[arg-type]

"""The chance to find a stated effect: against experiments that are simulated and looked at."""

from __future__ import annotations

import math

import numpy as np
import pytest

from curvewise import Curves, OptionError, monitor, scenario
from curvewise.questions.monitor.method import N_EXPERIMENTS, Prospect
from tests.questions.monitor.batched import batched, first
from tests.questions.monitor.test_plan import plan_of


def prospect(curves: Curves, size: float, kind: str = "lift") -> Prospect:
    return Prospect.of(curves, scenario(kind, size), plan_of(n_batches=4))


def test_the_chance_is_that_of_experiments_that_go_on() -> None:
    """The batches to come are simulated here, and looked at by monitor() itself."""
    curves = batched(13, n_batches=1, heights=(0, 0.6), shift=0)
    found = prospect(curves, 1.0)
    chance = found.chance(("A", "B"), ("1",))
    rng = np.random.default_rng(0)
    mean = curves.scores[curves.labels == "A"].mean(axis=0)
    n_found, n_sets = 0, 60
    for _ in range(n_sets):
        more = mean + found.noise.draw(rng, 24)
        labels = np.tile(np.repeat(["A", "B"], 4), 3)
        more[labels == "B"] += 1.0
        whole = Curves(
            np.vstack([curves.scores, more]),
            [*curves.labels, *labels],
            blocks=["1"] * 8 + ["2"] * 8 + ["3"] * 8 + ["4"] * 8,
        )
        n_found += monitor(whole, n_batches=4, seed=1, n_shuffles=199).overall.significant
    share = n_found / n_sets
    assert 0.2 < share < 0.95
    error = math.sqrt(0.25 / n_sets + 0.25 / N_EXPERIMENTS)
    assert abs(chance - share) <= 4 * error


def test_larger_effects_have_larger_chances() -> None:
    curves = first(batched(1, n_batches=2), 1)
    chances = [prospect(curves, size).chance(("A", "B"), ("1",)) for size in (0.2, 1, 4)]
    assert chances == sorted(chances)
    assert chances[-1] > 0.9


def test_the_chance_does_not_depend_on_names_and_repeats_itself() -> None:
    curves = batched(3, n_batches=2, heights=(0, 0.5))
    found = prospect(curves, 0.8)
    chance = found.chance(("A", "B"), ("1", "2"))
    assert found.chance(("A", "B"), ("1", "2")) == chance
    assert found.chance(("B", "A"), ("1", "2")) == chance


def test_a_loss_is_given_to_the_one_that_is_behind() -> None:
    """The data lean to B: a lift of B and a drop of A are the same difference."""
    curves = batched(3, n_batches=2, heights=(0, 0.8), shift=0)
    lift = prospect(curves, 0.8).chance(("A", "B"), ("1", "2"))
    drop = prospect(curves, -0.8).chance(("A", "B"), ("1", "2"))
    assert lift == pytest.approx(drop, abs=0.15)
    assert lift > 0.3


@pytest.mark.parametrize("kind", ["stretch", "speed", "c"])
def test_every_kind_of_scenario_is_understood(kind: str) -> None:
    curves = batched(2, n_batches=2)
    rising = Curves(curves.scores + np.arange(curves.n_steps), curves.labels, blocks=curves.blocks)
    assert 0 <= prospect(rising, 1.5, kind).chance(("A", "B"), ("1", "2")) <= 1


def test_noisy_curves_can_be_changed_instead_of_means() -> None:
    curves = batched(2, n_batches=2)
    plan = plan_of(n_batches=4)
    lifts = [
        Prospect.of(curves, scenario("lift", 1.0, on=on), plan).chance(("A", "B"), ("1", "2"))
        for on in ("mean", "curves")
    ]
    assert lifts[0] == lifts[1]


def test_long_curves_are_shortened_for_the_simulation() -> None:
    curves = batched(2, n_batches=2, n_steps=120)
    assert 0 <= prospect(curves, 1.0).chance(("A", "B"), ("1", "2")) <= 1


def test_the_noise_is_that_inside_batches_and_algorithms() -> None:
    curves = batched(4, n_batches=2, heights=(0, 50), shift=100)
    noise = prospect(curves, 1).noise
    assert noise.df == 16 - 4
    assert noise.height_sd < 2


def test_experiments_are_simulated_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = batched(2, n_batches=2)
    at_once = prospect(curves, 1.0).chance(("A", "B"), ("1", "2"))
    monkeypatch.setattr("curvewise.questions.monitor.method.MAX_VALUES", 7_000)
    assert prospect(curves, 1.0).chance(("A", "B"), ("1", "2")) == at_once


@pytest.mark.parametrize("kind", ["lift", "stretch", "a"])
def test_an_effect_beyond_all_scores_is_refused(kind: str) -> None:
    effect = scenario(kind, 1e90)
    with pytest.raises(OptionError, match=r"1e\+90.* more than a billion times as large"):
        monitor(batched(2, n_batches=2), effect=effect, seed=1)
    sooner = monitor(batched(2, n_batches=2), effect=scenario("speed", 1e90), seed=1)
    assert sooner.pairs[0].chance is not None

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import curvewise as cw

STEPS = np.array([0.0, 10, 20, 30])
CURVE = np.array([1.0, 3, 5, 9])


def changed(scenario: cw.Scenario, curve: object = CURVE) -> list[Any]:
    curves = np.asarray(curve, dtype=float)
    return np.round(scenario.changed(curves, steps=STEPS, height_sd=2.5), 10).tolist()


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        (cw.scenario("lift", 5), [6, 8, 10, 14]),
        (cw.scenario("lift", 2, unit="sd"), [6, 8, 10, 14]),
        (cw.scenario("stretch", 1.5), [1.5, 4.5, 7.5, 13.5]),
        (cw.scenario("speed", 2), [1, 5, 9, 9]),
        (cw.scenario("speed", 0.5), [1, 2, 3, 4]),
        (cw.scenario([1, 0, 0, -1], 3), [4, 3, 5, 6]),
        (cw.scenario(np.sqrt), np.sqrt(CURVE).round(10).tolist()),
        (cw.scenario(lambda curve: curve + 1, 0.5), [1.5, 3.5, 5.5, 9.5]),
        # The formulas of the paper, with r = 8 and f = 10.
        (cw.scenario("a", 10), [2, 4, 6, 10]),
        (cw.scenario("b", 10), [1 + 1.6, 3 + 0.8, 5 - 0.8, 9 - 1.6]),
        (cw.scenario("c", 10), [1, 3 + 0.2, 5 + 0.8, 9 + 2.4]),
        (cw.scenario("d", 10), [1, 3 + 0.8, 5 + 0.8, 9]),
    ],
)
def test_curves_are_changed_as_said(scenario: cw.Scenario, expected: list[float]) -> None:
    assert changed(scenario) == expected
    # And each of several by itself.
    assert changed(scenario, [CURVE, CURVE]) == [expected, expected]


def test_a_crossing_leaves_the_height_as_it_is() -> None:
    curves = np.random.default_rng(0).normal(size=(5, 4))
    crossed = cw.scenario("b", 7).changed(curves, steps=STEPS, height_sd=1.0)
    assert np.allclose(crossed.mean(axis=1), curves.mean(axis=1))


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        (cw.scenario("lift", 5), "a lift of 5"),
        (cw.scenario("lift", unit="sd"), "a lift of 1 standard deviation of curve means"),
        (cw.scenario("lift", 2, unit="sd"), "a lift of 2 standard deviations of curve means"),
        (cw.scenario("speed", 1.5), "learning 1.5 times as fast"),
        (cw.scenario("stretch", 1.1, on="curves"), "a stretch by 1.1, of noisy curves"),
        (cw.scenario([1, 2]), "the given difference"),
        (cw.scenario([1, 2], 2), "the given difference, times 2"),
        (cw.scenario(np.sqrt), "the change by sqrt"),
    ],
)
def test_a_scenario_prints_as_words(scenario: cw.Scenario, words: str) -> None:
    assert str(scenario) == words


def test_a_scenario_is_frozen_and_knows_when_it_changes_nothing() -> None:
    found = cw.scenario("stretch", 1.0)
    assert found.is_nothing
    assert not found.with_size(0.0).is_nothing
    assert cw.scenario("lift", 0).is_nothing
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.size = 2.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("jump",), {}, "kind must be 'lift', 'stretch'"),
        (("lift", float("nan")), {}, "size must be a finite number"),
        (("speed", 0), {}, "size must be positive for 'speed'"),
        (("stretch", 2), {"unit": "sd"}, "unit must be 'score' for 'stretch'"),
        (([1, 2],), {"unit": "sd"}, "unit must be 'score' for numbers"),
        (([1, float("inf")],), {}, "kind must be one of lift, .* a finite number"),
        (({"x": 1},), {}, "kind must be one of lift"),
        (("lift",), {"unit": "points"}, "unit must be 'score' or 'sd'"),
        (("lift",), {"on": "runs"}, "on must be 'mean' or 'curves'"),
    ],
)
def test_what_is_no_scenario_is_refused(
    arguments: tuple[object], options: dict[str, str], message: str
) -> None:
    with pytest.raises(cw.OptionError, match=message):
        cw.scenario(*arguments, **options)  # type: ignore[arg-type]


def test_numbers_for_other_steps_are_refused() -> None:
    with pytest.raises(cw.OptionError, match=r"The given difference has 3 numbers.* 4 steps"):
        changed(cw.scenario([1, 2, 3]))
    with pytest.raises(cw.OptionError, match="has 2 numbers, and curves have 4 steps"):
        changed(cw.scenario(lambda curve: curve[:2]))
    with pytest.raises(cw.OptionError, match="not finite at every step"):
        changed(cw.scenario(lambda curve: curve * np.inf))
    with pytest.raises(cw.CurvesError, match="even number of steps, and there are 3"):
        cw.scenario("b").changed(CURVE[:3], steps=STEPS[:3], height_sd=1.0)

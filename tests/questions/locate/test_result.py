"""Location: short ways in, shares and windows looked up, everything as JSON."""

from __future__ import annotations

import dataclasses
import json
import pickle
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import CurvesError, OptionError, locate
from tests.questions.locate.planted import with_regions
from tests.simulation import some_curves

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise import Location


@cache
def where() -> Location:
    return locate(with_regions(1, (4, 4), 6, 1.0), n_resamples=99, rng=0)


def test_short_ways_in_are_those_of_the_effects() -> None:
    effect = where().effects["algorithm"]
    assert where().regions is effect.regions
    assert where().statistic is effect.statistic
    assert where().pvalue_adjusted is effect.pvalue_adjusted
    assert where().algorithm_profile is effect.profile
    assert where().interaction_profile is where().effects["interaction"].profile


def test_everything_is_json_ready_and_nothing_is_rounded() -> None:
    record = json.loads(json.dumps(where().to_dict(), allow_nan=False))
    assert record["question"] == "locate"
    assert record["algorithm"]["pvalue_adjusted"] == where().pvalue_adjusted.tolist()
    assert record["pvalue_from"] == where().pvalue_from.tolist()
    assert record["steps"] == [0, 10, 20, 30, 40, 50]
    assert record["windows"]["n_windows"] == 21
    band = where().band
    assert band is not None
    assert record["band"]["low"] == band.low.tolist()
    for name in ("exact", "n_relabellings", "n_shuffles", "engine", "seed"):
        assert record[name] == getattr(where(), name)
    without = locate(
        some_curves(0, (4, 4, 4)), windows=False, n_resamples=0, n_shuffles=99
    )
    record = json.loads(json.dumps(without.to_dict(), allow_nan=False))
    assert record["windows"] is record["band"] is record["crossing"] is None
    assert record["algorithm"]["pvalue_intervalwise"] is None


def test_the_seed_is_reported_even_when_all_are_visited() -> None:
    """The resamples depend on it."""
    assert where().exact
    assert where().seed == 0


def test_a_location_is_frozen_and_survives_pickling() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        where().alpha = 0.1  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(where()))  # noqa: S301 (our own)
    assert again.to_dict() == where().to_dict()
    assert again.share("algorithm", 10, 30) == where().share("algorithm", 10, 30)
    assert str(again) == str(where())


def test_shares_of_effects_and_windows_are_looked_up() -> None:
    profile = where().algorithm_profile
    whole, part = where().shares("algorithm", [(None, None), (20, 30)])
    assert whole == pytest.approx(1)
    assert part == pytest.approx(profile[2:4].sum() / profile.sum())
    assert where().share("algorithm", 20, 30) == part
    assert where().share("interaction", stop=10) == pytest.approx(
        where().effects["interaction"].cumulative_share[1]
    )


def test_a_profile_of_nothing_has_no_shares() -> None:
    effect = where().effects["algorithm"]
    flat = dataclasses.replace(effect, profile=np.zeros(6))
    assert flat.cumulative_share.tolist() == [0.0] * 6


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda w: w.window(200, 300),
            (
                "No step lies in the window from 200 to 300; the steps range from 0 to 50. "
                "Choose a window inside the range of steps."
            ),
        ),
        (
            lambda w: w.window(40, 10),
            (
                "No step lies in the window from 40 to 10; the steps range from 0 to 50. Choose "
                "a window inside the range of steps."
            ),
        ),
        (
            lambda w: w.window(41, 49),
            (
                "No step lies in the window from 41 to 49; the steps range from 0 to 50. Choose "
                "a window inside the range of steps."
            ),
        ),
        (
            lambda w: w.window(stop=-5),
            (
                "No step lies in the window to -5; the steps range from 0 to 50. Choose a window "
                "inside the range of steps."
            ),
        ),
        (
            lambda w: w.window("a", 20),
            "The start of a window must be a step, a number, not 'a'.",
        ),
        (
            lambda w: w.share("algorithm", start=200),
            (
                "No step lies in the window from 200; the steps range from 0 to 50. Choose a "
                "window inside the range of steps."
            ),
        ),
    ],
)
def test_windows_that_hold_no_step_are_refused(
    ask: Callable[[Location], object], message: str
) -> None:
    with pytest.raises(CurvesError) as refused:
        ask(where())
    assert str(refused.value) == message


def test_what_was_left_out_cannot_be_looked_up() -> None:
    without = locate(some_curves(0), windows=False, n_resamples=0)
    with pytest.raises(OptionError) as refused:
        without.window(0, 1)
    assert str(refused.value) == (
        "Windows were left out: locate the curves with windows=True."
    )
    with pytest.raises(OptionError) as refused:
        where().share("height")
    assert str(refused.value) == (
        "No effect is called 'height'; there are 'algorithm', 'interaction'."
    )
    assert refused.value.option == "effect"

"""Location: short ways in, shares and windows looked up, everything as JSON."""

from __future__ import annotations

import dataclasses
import json
import pickle
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvewise import Curves, CurvesError, Interval, OptionError, locate
from curvewise.questions.locate.result import Crossing
from tests.questions.locate.agreement import contradictions
from tests.questions.locate.planted import with_regions
from tests.simulation import autoregressive, some_curves

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
    without = locate(some_curves(0, (4, 4, 4)), windows=False, n_resamples=0, n_shuffles=99)
    record = json.loads(json.dumps(without.to_dict(), allow_nan=False))
    assert record["windows"] is record["band"] is record["crossing"] is None
    assert record["crossings"] == []
    assert record["algorithm"]["pvalue_intervalwise"] is None


def test_of_several_crossings_the_one_between_the_longest_leads_is_the_crossing() -> None:
    def crossing(step: float) -> Crossing:
        return Crossing(step, Interval(step - 1, step + 1), "A", "B", 0.95)

    # A region holds every step but 0.
    named = np.array([0.9, *[0.01] * 5])
    effect = dataclasses.replace(where().effects["algorithm"], pvalue_adjusted=named)
    early, late = crossing(5.0), crossing(15.0)
    several = dataclasses.replace(where(), effects={"algorithm": effect}, crossings=(early, late))
    assert several.crossing is late
    assert several.to_dict()["crossing"] == late.to_dict()
    assert [c["step"] for c in several.to_dict()["crossings"]] == [5.0, 15.0]
    assert dataclasses.replace(several, crossings=()).crossing is None


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
            "The window from 40 to 10 ends before it begins. Swap the two steps.",
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
        (lambda w: w.window("a", 20), "The start of a window must be a step, a number, not 'a'."),
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
    assert str(refused.value) == ("Windows were left out: locate the curves with windows=True.")
    with pytest.raises(OptionError) as refused:
        where().share("height")
    assert str(refused.value) == (
        "No effect is called 'height'; there are 'algorithm', 'interaction'."
    )
    assert refused.value.option == "effect"


# --- no statement contradicts another ------------------------------------------------------


def curves_of(seed: int, sizes: tuple[int, ...], kind: str, size: float, blocked: bool) -> Curves:
    """Curves of 12 steps with a difference of some kind, some with ties, some in blocks."""
    rng = np.random.default_rng(seed)
    n_steps = 12
    scores = autoregressive(rng, sum(sizes), n_steps)
    steps = np.arange(n_steps)
    differences = {
        "none": 0.0 * steps,
        "shift": np.ones(n_steps),
        "late": 1.0 * (steps >= 7),
        "cross": np.linspace(-1, 1, n_steps),
        "cross often": np.where(steps // 3 % 2, 1.0, -1.0),
    }
    codes = np.repeat(np.arange(len(sizes)), sizes)
    scores += size * codes[:, None] * differences[kind]
    if seed % 3 == 0:
        scores = np.rint(scores)
    blocks = np.concatenate([np.arange(n) // 2 for n in sizes]) if blocked else None
    return Curves(
        scores,
        np.array(list("ABCD"))[codes],
        10 * steps,
        blocks=blocks,
        higher_is_better=seed % 2 == 0,
    )


def told(where: Location) -> set[str]:
    return {
        name
        for name, is_told in {
            "regions": where.regions,
            "changes": where.effects["interaction"].regions,
            "crossings": where.crossings,
            "several crossings": len(where.crossings) > 1,
            "until after the regions": where.regions
            and where.differs_until != where.regions[-1].stop,
        }.items()
        if is_told
    }


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    sizes=st.sampled_from([(5, 5), (4, 7), (3, 3), (8, 8), (3, 4, 4), (3, 3, 3, 3)]),
    kind=st.sampled_from(["none", "shift", "late", "cross", "cross often"]),
    size=st.sampled_from([0.7, 2.0, 6.0, 30.0]),
    blocked=st.booleans(),
    adjust=st.sampled_from(["max-f", "step-down"]),
    exact=st.sampled_from([None, False]),
)
def test_no_statement_contradicts_another(
    seed: int,
    sizes: tuple[int, ...],
    kind: str,
    size: float,
    blocked: bool,
    adjust: Literal["max-f", "step-down"],
    exact: bool | None,
) -> None:
    curves = curves_of(seed, sizes, kind, size, blocked)
    found = locate(curves, adjust=adjust, exact=exact, n_shuffles=399, n_resamples=0, rng=seed)
    assert contradictions(found) == []


def test_statements_of_every_kind_are_compared() -> None:
    """The search above would find nothing if nothing were ever told."""
    seen: set[str] = set()
    for seed in range(12):
        noise = np.random.default_rng(seed).normal(size=(12, 40))
        apart = noise + 1.5 * np.repeat([0, 1], 6)[:, None]
        for curves in (
            curves_of(seed, (6, 6), "cross", 4.0, blocked=False),
            curves_of(seed, (6, 6), "cross often", 4.0, blocked=False),
            Curves(apart, np.repeat(["A", "B"], 6)),
        ):
            found = locate(curves, n_shuffles=399, n_resamples=0, windows=False, rng=seed)
            assert contradictions(found) == []
            seen |= told(found)
    assert seen == {
        "regions",
        "changes",
        "crossings",
        "several crossings",
        "until after the regions",
    }


def test_contradictions_would_be_found() -> None:
    curves = curves_of(1, (6, 6), "cross", 6.0, blocked=False)
    found = locate(curves, n_resamples=0, rng=0)
    assert found.crossings
    assert found.band is not None
    wide = dataclasses.replace(found.band, low=np.full(12, -np.inf))
    wrongs: tuple[dict[str, Any], ...] = (
        {"band": wide},
        {"crossings": ()},
        {"differs_from": 100},
        {"differs_until": None},
        {"alpha": 0.5},
    )
    for wrong in wrongs:
        assert contradictions(dataclasses.replace(found, **wrong)) != []

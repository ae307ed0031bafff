"""The number of runs is enough, and no fewer are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import curvewise as cw
from tests.questions.power.test_question import exact_pairs, noncentral_t
from tests.simulation import some_curves

ONE_SD = cw.scenario("lift", 1, unit="sd")
SMOOTH = cw.noise(sd=1, correlation=0.9, n_steps=5)


def test_the_plan_is_that_of_the_t_test() -> None:
    # Of a single step there is nothing but height to claim.
    single = cw.noise(sd=1, n_steps=1)
    found = cw.plan(None, effect=ONE_SD, noise=single, rng=1)
    exact = next(n for n in range(4, 99) if noncentral_t(n, n) >= 0.8)
    assert exact == 17
    assert abs(found.n_runs - exact) <= 1
    assert set(found.n_runs_range) == {found.n_runs}
    assert found.reachable
    assert found.power_at[found.n_runs] >= 0.8
    assert found.power_at[found.n_runs + 1] >= 0.8


def test_the_plan_is_for_what_is_claimed() -> None:
    found = cw.plan(None, effect=ONE_SD, noise=SMOOTH, n_shuffles=399, rng=1)
    assert found.n_runs > 17  # the test of height alone takes 17
    assert found.power_at[found.n_runs] >= 0.8
    assert found.test_power_at[found.n_runs] == pytest.approx(
        noncentral_t(found.n_runs, found.n_runs), abs=0.04
    )
    assert all(found.power_at[n] <= found.test_power_at[n] for n in found.power_at)
    fresh = cw.estimate_power(
        None, effect=ONE_SD, noise=SMOOTH, n_runs=found.n_runs, rng=7
    ).algorithm.verdict
    assert abs(fresh.power[0, 0] - 0.8) < 0.05


def test_ends_of_the_range_do_not_cross() -> None:
    # So few experiments that power does not rise steadily.
    for seed in range(4):
        found = cw.plan(
            some_curves(3, (40,)),
            effect=cw.scenario("lift", 1.5),
            question="overall",
            n_experiments=100,
            n_shuffles=39,
            rng=seed,
        )
        low, high = found.n_runs_range
        assert low <= found.n_estimate <= high


@pytest.mark.parametrize("question", ["overall", "algorithm", "interaction"])
def test_the_power_is_reached_when_simulated_afresh(question: Any) -> None:
    pilots = some_curves(8, (5, 4))
    effect = cw.scenario(np.linspace(-1, 5, 6))
    options: dict[str, Any] = {"effect": effect, "n_experiments": 600, "n_shuffles": 199}
    found = cw.plan(pilots, question=question, rng=1, **options)
    fresh = cw.estimate_power(pilots, n_runs=(found.n_runs - 2, found.n_runs), rng=2, **options)
    power = getattr(fresh, question).verdict.power[:, 0]
    error = math.sqrt(0.16 / 600 * 2)
    assert power[1] > 0.8 - 4 * error
    if found.n_runs - 2 >= found.smallest_n:
        assert power[0] < 0.8 + 4 * error


def test_the_range_is_what_the_pilots_leave_open() -> None:
    pilots = some_curves(3, (5,))
    options: dict[str, Any] = {
        "effect": cw.scenario("lift", 2),
        "n_experiments": 600,
        "n_shuffles": 199,
        "rng": 0,
    }
    found = cw.plan(pilots, **options)
    low, high = found.n_runs_range
    assert low < found.n_runs < high
    cautious = cw.plan(pilots, cautious=True, **options)
    assert cautious.n_runs == high
    assert cautious.n_estimate == found.n_runs
    # At the far end effects are smaller by the root of the quantile of chi-squared.
    from scipy.stats import chi2

    times = math.sqrt(chi2.ppf(0.05, 4) / 4)
    sd = found.assumptions.height_sd
    far = next(n for n in range(4, 999) if noncentral_t(n, n, times * 2 / sd) >= 0.8)
    assert -0.1 * far - 1 <= high - far <= 0.25 * far + 1  # claims take some more


def test_a_cheap_baseline_saves_runs_of_the_other() -> None:
    one, four = (
        cw.plan(
            None, effect=ONE_SD, noise=cw.noise(sd=1, n_steps=1), ratio=ratio, n_shuffles=399, rng=1
        )
        for ratio in (1, 4)
    )
    assert four.sizes == (4 * four.n_runs, four.n_runs)
    assert four.n_runs < one.n_runs
    exact = next(n for n in range(2, 99) if noncentral_t(4 * n, n) >= 0.8)
    assert abs(four.n_runs - exact) <= 1


@pytest.mark.slow
def test_pairs_that_correlate_need_fewer_runs() -> None:
    options: dict[str, Any] = {
        "effect": cw.scenario("lift", 1.5, unit="sd"),
        "n_experiments": 300,
        "n_shuffles": 199,
        "rng": 0,
    }
    plans = {
        correlation: cw.plan(exact_pairs(correlation), blocks=True, **options)
        for correlation in (0.0, 0.6)
    }
    assert plans[0.6].n_runs < 0.7 * plans[0.0].n_runs
    assert plans[0.6].smallest_n == 6
    assert plans[0.6].pairing is not None
    assert plans[0.6].pairing.correlation == pytest.approx(0.6, abs=1e-6)
    apart = cw.plan(exact_pairs(0.6), **options)
    assert apart.n_runs > plans[0.6].n_runs


def test_a_pilot_that_stays_is_looked_at_without_labels() -> None:
    pilots = some_curves(4, (5, 5))
    scores = pilots.scores + 3.0 * (pilots.codes == 1)[:, None]
    effect = cw.scenario("stretch", 1.5)
    plans = [
        cw.plan(
            cw.Curves(scores, labels),
            effect=effect,
            question="overall",
            reuse_pilot=True,
            max_runs=20,
            n_experiments=100,
            n_shuffles=99,
            rng=0,
        )
        for labels in (list("AAAAABBBBB"), list("ABABABABAB"), list("BBABABABAA"))
    ]
    assert plans[0].to_dict() == plans[1].to_dict() == plans[2].to_dict()
    assert plans[0].assumptions.noise_df == 9
    # Never fewer runs than there are already.
    large = cw.plan(
        pilots, effect=cw.scenario("lift", 50), reuse_pilot=True, n_experiments=100, rng=0
    )
    assert large.n_runs == 5


def test_what_cannot_be_reached_is_said() -> None:
    found = cw.plan(
        some_curves(0, (5,)), effect=cw.scenario("lift", 0.1), max_runs=20, n_experiments=200, rng=0
    )
    assert (found.reachable, found.n_runs, found.n_estimate) == (False, 20, math.inf)
    assert found.caveats[0].kind == "not reachable"
    assert found.to_dict()["n_estimate"] is None


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (some_curves(0, (5,)), {"effect": None}, "must be stated"),
        (some_curves(0, (5,)), {"effect": cw.scenario("lift", 0)}, "With a lift of 0 nothing"),
        (some_curves(0, (5,)), {"effect": cw.scenario("stretch", 1)}, "nothing differs"),
        (
            some_curves(0, (5,)),
            {"question": "interaction"},
            'do not differ in shape, .* question="algorithm"',
        ),
        (
            some_curves(0, (5,)),
            {"effect": cw.scenario("b", 3)},
            'do not differ in height, .* question="interaction"',
        ),
        (some_curves(0, (5,)), {"power": 1.0}, "power must lie between 0 and 1"),
        (some_curves(0, (5,)), {"question": "height"}, "question must be 'overall'"),
        (some_curves(0, (5,)), {"max_runs": 3}, "max_runs must be at least 4"),
        (some_curves(0, (5,)), {"max_runs": 9.5}, "max_runs must be an integer"),
        (some_curves(0, (1, 1)), {}, "single run each tell nothing"),
        (None, {"reuse_pilot": True}, "reuse_pilot is for pilots"),
        (
            some_curves(0, (5,)),
            {"reuse_pilot": True},
            "there are only those of A: .* Train pilots of the others too, or set these aside",
        ),
        (
            some_curves(0, (5, 5, 5)),
            {"reuse_pilot": True},
            "there are pilots of 3. Use n_algorithms=3",
        ),
        (
            some_curves(0, (5, 9)),
            {"reuse_pilot": True, "max_runs": 8},
            "max_runs must be at least 9, as many as the pilots have",
        ),
        (some_curves(0, (5,)), {"max_runs": 10**9}, "from 2 to 10,000"),
        (
            some_curves(0, (5, 5)),
            {"reuse_pilot": True, "base": "A"},
            "takes all pilots together: base and pool=False",
        ),
        (exact_pairs(0.5), {"reuse_pilot": True, "blocks": True}, "does not go with blocks"),
        (
            some_curves(0, (5, 5)),
            {"reuse_pilot": True, "effect": "observed"},
            "does not go with an observed effect",
        ),
        (
            cw.Curves(np.array([[0.0, 5], [4, 1], [1, 4.1], [3, 2]] * 2), list("AAAABBBB")),
            {"effect": "observed"},
            "show no difference in height beyond their noise",
        ),
        (cw.Curves(np.ones((4, 3)), list("AABB")), {}, "have the same curve"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    given: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(cw.CurvewiseError, match=message):
        cw.plan(given, **{"effect": cw.scenario("lift", 1), **options})

"""Power is what it says: against closed forms, brute force and the numbers of others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import curvewise as cw
from tests.simulation import autoregressive, some_curves

ONE_SD = cw.scenario("lift", 1, unit="sd")
SMOOTH = cw.noise(sd=1, correlation=0.9, n_steps=5)


def noncentral_t(first: int, second: int, effect: float = 1.0) -> float:
    """The power of the two-sided t test at .05, for an effect in standard deviations."""
    from scipy.stats import nct, t

    df = first + second - 2
    shift = effect * math.sqrt(first * second / (first + second))
    critical = t.ppf(0.975, df)
    return float(nct.sf(critical, df, shift) + nct.cdf(-critical, df, shift))


def exact_pairs(correlation: float, n_pairs: int = 30) -> cw.Curves:
    """Pairs of curves whose heights have this correlation, and standard deviation 1, exactly."""
    rng = np.random.default_rng(1)
    raw = rng.normal(size=(n_pairs, 2))
    raw -= raw.mean(axis=0)
    white = raw @ np.linalg.inv(np.linalg.cholesky(np.cov(raw.T))).T
    mixing = np.linalg.cholesky([[1.0, correlation], [correlation, 1.0]])
    heights = (white @ mixing.T).T.reshape(-1, 1)
    shapes = rng.normal(size=(2 * n_pairs, 4))
    scores = heights + shapes - shapes.mean(axis=1, keepdims=True)
    return cw.Curves(scores, np.repeat(["A", "B"], n_pairs), blocks=np.tile(np.arange(n_pairs), 2))


@pytest.mark.parametrize(
    ("n_runs", "ratio", "measured"),
    [(5, 1, 0.279), (10, 1, 0.561), (20, 1, 0.875), (5, 3, 0.451), (5, 8, 0.536)],
)
def test_height_has_nearly_the_power_of_the_t_test(
    n_runs: int, ratio: float, measured: float
) -> None:
    found = cw.estimate_power(None, effect=ONE_SD, noise=SMOOTH, n_runs=n_runs, ratio=ratio, rng=1)
    power = found.algorithm.power[0, 0]
    error = math.sqrt(measured * (1 - measured) / 2_000)
    assert abs(power - measured) < 4 * error
    assert abs(power - noncentral_t(round(ratio * n_runs), n_runs)) < 0.015 + 4 * error


def test_with_four_runs_only_one_relabelling_counts() -> None:
    found = cw.estimate_power(None, effect=ONE_SD, noise=SMOOTH, n_runs=4, rng=1)
    assert abs(found.algorithm.power[0, 0] - 0.127) < 4 * 0.0075
    assert noncentral_t(4, 4) == pytest.approx(0.223, abs=0.005)


# Power within pairs, and ignoring the pairs, by correlation: effect 1 sd.
PAIRED = {
    6: {0.0: (0.20, 0.34), 0.3: (0.26, 0.33), 0.6: (0.44, 0.31), 0.9: (0.93, 0.31)},
    8: {0.0: (0.39, 0.46), 0.3: (0.53, 0.46), 0.6: (0.74, 0.46), 0.9: (1.00, 0.47)},
    10: {0.0: (0.51, 0.57), 0.3: (0.66, 0.59), 0.6: (0.88, 0.59), 0.9: (1.00, 0.65)},
}


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6, 0.9])
def test_pairs_have_the_power_of_their_correlation(correlation: float) -> None:
    found = cw.estimate_power(
        exact_pairs(correlation),
        effect=ONE_SD,
        n_runs=(5, 6, 8, 10),
        blocks=True,
        n_experiments=1_000,
        rng=1,
    )
    assert found.smallest_n == 6
    powers = dict(zip(found.n_runs, found.algorithm.power[:, 0], strict=True))
    assert powers[5] == 0  # five pairs can never be significant
    for n_pairs, row in PAIRED.items():
        expected = row[correlation][0]
        error = math.sqrt(max(expected * (1 - expected), 0.01) / 1_000)
        assert abs(powers[n_pairs] - expected) < 4 * error + 0.01, n_pairs


SCENARIOS = {
    "lift": cw.scenario("lift", 1.3),
    "crossing": cw.scenario(np.linspace(2, -2, 8)),
    "speed": cw.scenario("speed", 2),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_power_is_how_often_compare_finds_the_difference(name: str) -> None:
    rng = np.random.default_rng(2)
    n_sets, steps = 150, np.arange(8.0)
    base = 5 * (1 - np.exp(-steps / 3))
    flat = cw.Curves(np.stack([base, base]), ["A", "A"], steps)
    other = SCENARIOS[name].changed(base, steps=steps)
    significant = np.zeros(3)
    for _ in range(n_sets):
        runs = autoregressive(rng, 10, 8) + np.repeat([base, other], 5, axis=0)
        found = cw.compare(cw.Curves(runs, ["A"] * 5 + ["B"] * 5, steps))
        significant += [
            effect is not None and effect.significant
            for effect in (found.overall, found.algorithm, found.interaction)
        ]
    power = cw.estimate_power(
        flat, effect=SCENARIOS[name], noise=cw.noise(sd=1, correlation=0.9), n_runs=5, rng=3
    )
    for test, share in zip(power.curves, significant / n_sets, strict=True):
        expected = test.power[0, 0]
        error = math.sqrt(max(expected * (1 - expected), 0.01) * (1 / n_sets + 1 / 2_000))
        assert abs(share - expected) < 4 * error, test.name


def test_without_a_difference_power_is_alpha() -> None:
    found = cw.estimate_power(
        some_curves(0, (8,)), effect=cw.scenario("lift", 0), n_runs=(5, 9), rng=0
    )
    for curve in found.curves:
        assert np.all(np.abs(curve.power - 0.05) < 4 * math.sqrt(0.0475 / 2_000) + 0.005)


def pilot_estimates(n_pilots: int, n_sets: int, **options: Any) -> tuple[float, float, float]:
    """The mean estimate of a true power of .53, its standard error, and how often the range holds."""
    rng = np.random.default_rng(n_pilots)
    estimates, holds = [], 0
    for _ in range(n_sets):
        pilots = cw.Curves(
            rng.normal(size=(2 * n_pilots, 1)) + 0.3 * rng.normal(size=(2 * n_pilots, 4)),
            ["A"] * n_pilots + ["B"] * n_pilots,
        )
        sd = math.sqrt(1 + 0.09 / 4)
        effect = cw.scenario("lift", 0.96 * sd)
        found = cw.estimate_power(
            pilots,
            **{"effect": effect, "n_runs": 10, "n_experiments": 200, **options},
            n_shuffles=99,
            rng=rng,
        )
        estimates.append(found.algorithm.power[0, 0])
        low, high = found.algorithm.range[0, 0]
        holds += low - 0.035 <= 0.53 <= high + 0.035
    return (float(np.mean(estimates)), float(np.std(estimates)) / math.sqrt(n_sets), holds / n_sets)


@pytest.mark.slow
@pytest.mark.parametrize(("n_pilots", "measured"), [(3, 0.65), (5, 0.61), (10, 0.55)])
def test_few_pilots_are_optimistic_and_their_range_is_honest(
    n_pilots: int, measured: float
) -> None:
    estimate, error, coverage = pilot_estimates(n_pilots, 60)
    assert abs(estimate - measured) < 4 * math.hypot(error, 0.025)
    assert coverage > 0.9 - 4 * math.sqrt(0.09 / 60)


@pytest.mark.slow
@pytest.mark.parametrize(("n_pilots", "measured"), [(3, 0.17), (5, 0.11), (10, 0.10)])
def test_observed_effects_promise_little_where_there_is_none(
    n_pilots: int, measured: float
) -> None:
    estimate, error, _ = pilot_estimates(n_pilots, 60, effect="observed")
    assert abs(estimate - measured) < 4 * math.hypot(error, 0.02)


def test_power_rises_with_runs_and_sizes() -> None:
    found = cw.estimate_power(
        some_curves(1, (5, 5)),
        effect=cw.scenario("lift"),
        n_runs=(4, 6, 9),
        sizes=(0.5, 1, 2),
        n_experiments=300,
        rng=0,
    )
    power = found.algorithm.power
    assert np.all(np.diff(power, axis=0) > -0.03)
    assert np.all(np.diff(power, axis=1) >= 0)
    for curve in (*found.curves, *(curve.verdict for curve in found.curves)):
        assert np.all(curve.range[..., 0] <= curve.power)
        assert np.all(curve.range[..., 1] >= curve.power)
        assert np.all(curve.interval[..., 0] <= curve.power)


def test_neither_order_nor_units_of_the_pilots_change_a_digit() -> None:
    pilots = some_curves(2, (5, 4))
    order = np.random.default_rng(0).permutation(5)
    mixed = cw.Curves(np.concatenate([pilots.scores[:5][order], pilots.scores[5:]]), pilots.labels)
    scaled = cw.Curves(8 * pilots.scores, pilots.labels)
    powers = [
        cw.estimate_power(
            given, effect=cw.scenario("lift", size), n_runs=(4, 7), n_experiments=300, rng=0
        ).to_dict()["overall"]
        for given, size in ((pilots, 1), (mixed, 1), (scaled, 8))
    ]
    assert powers[0] == powers[1] == powers[2]


def test_noise_of_each_algorithm_is_its_own_if_asked() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(24, 5)) * np.repeat([1.0, 4.0], 12)[:, None]
    pilots = cw.Curves(scores, ["A"] * 12 + ["B"] * 12)
    options: dict[str, Any] = {"effect": cw.scenario("lift", 1), "n_runs": 10, "rng": 0}
    narrow = cw.estimate_power(pilots.select("A"), **options)
    pooled = cw.estimate_power(pilots, **options)
    own = cw.estimate_power(pilots, pool=False, **options)
    assert narrow.algorithm.power > pooled.algorithm.power
    assert abs(own.algorithm.power - pooled.algorithm.power) < 0.1
    assert own.noise_df == 11


def test_curves_may_be_changed_with_their_noise() -> None:
    pilots = some_curves(3, (6,))
    pilots = cw.Curves(pilots.scores + 10, pilots.labels)
    options: dict[str, Any] = {"n_runs": 8, "n_experiments": 500, "rng": 0}
    mean = cw.estimate_power(pilots, effect=cw.scenario("stretch", 1.2), **options)
    noisy = cw.estimate_power(pilots, effect=cw.scenario("stretch", 1.2, on="curves"), **options)
    # The spread grows with the mean, so that a little less is found.
    assert 0 < mean.algorithm.power[0, 0] - noisy.algorithm.power[0, 0] < 0.2


def test_runs_that_cannot_be_significant_have_no_power() -> None:
    found = cw.estimate_power(
        some_curves(0, (5,)), effect=cw.scenario("lift", 9), n_runs=(2, 3, 4), rng=0
    )
    assert found.algorithm.power[:2].tolist() == [[0], [0]]
    assert found.algorithm.power[2, 0] > 0.9
    assert found.caveats[0].kind == "not attainable"


@pytest.mark.parametrize(
    ("options", "smallest"),
    [
        ({}, 4),
        ({"n_algorithms": 3}, 3),
        ({"ratio": 3}, 2),
        ({"ratio": 4 / 3}, 3),
        ({"alpha": 0.01}, 5),
    ],
)
def test_the_smallest_number_of_runs(options: dict[str, Any], smallest: int) -> None:
    found = cw.estimate_power(
        None, effect=ONE_SD, noise=SMOOTH, n_runs=2, n_experiments=100, rng=0, **options
    )
    assert found.smallest_n == smallest


def test_other_curves_or_an_assumption_can_say_how_runs_vary() -> None:
    other = some_curves(4, (9,))
    options: dict[str, Any] = {"n_runs": 6, "n_experiments": 200, "rng": 0}
    without = cw.estimate_power(None, effect=cw.scenario("lift", 1), noise=other, **options)
    assert without.noise_df == 8
    assert without.assumptions.base == ""
    single = some_curves(5, (1,))
    base = cw.estimate_power(
        single, effect=cw.scenario("speed", 2), noise=cw.noise(sd=1), **options
    )
    assert base.assumptions.base == "A"
    assert base.algorithm.range.tolist()[0][0] == [base.algorithm.power[0, 0]] * 2


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (some_curves(0, (5,)), {"effect": None}, "The difference to be found must be stated"),
        (some_curves(0, (5,)), {"effect": 5}, "5 is no effect"),
        (some_curves(0, (1, 1)), {}, "single run each tell nothing"),
        (some_curves(0, (2, 2)), {"effect": "observed"}, "at least 3 pilots of each"),
        (some_curves(0, (5,)), {"effect": "observed"}, "and there is only A"),
        (None, {"effect": "observed"}, "Without pilots no effect was observed"),
        (None, {}, "Without pilots, noise must say how runs vary"),
        (None, {"noise": cw.noise(sd=1)}, "n_steps must be given"),
        (
            None,
            {"noise": SMOOTH, "effect": cw.scenario("speed", 2)},
            "no mean curve for learning 2 times as fast",
        ),
        (np.zeros((3, 3)), {}, r"estimate_power\(\) takes Curves"),
        (some_curves(0, (5,)), {"n_runs": 2.5}, "n_runs must be positive integers"),
        (some_curves(0, (5,)), {"n_runs": ()}, "n_runs must be positive integers"),
        (some_curves(0, (5,)), {"sizes": "x"}, "sizes must be finite numbers"),
        (
            some_curves(0, (5,)),
            {"sizes": [0], "effect": cw.scenario("speed", 2)},
            "sizes must be positive numbers",
        ),
        (
            some_curves(0, (5, 5)),
            {"effect": "observed", "sizes": [1]},
            "sizes are for stated effects",
        ),
        (some_curves(0, (5,)), {"n_experiments": 50}, "from 100 to 1,000,000, not 50"),
        (some_curves(0, (5,)), {"n_algorithms": 1}, "from 2 to 50, not 1"),
        (
            some_curves(0, (5,)),
            {"n_shuffles": "auto"},
            "n_shuffles must be an integer from 1 to 100,000",
        ),
        (some_curves(0, (5,)), {"n_experiments": 10**12}, "from 100 to 1,000,000"),
        (
            cw.Curves(np.random.default_rng(0).normal(size=(153, 2)), np.repeat(range(51), 3)),
            {"effect": "observed"},
            "pilots are of 51 algorithms",
        ),
        (some_curves(0, (5,)), {"n_runs": 10**6}, "of at most 10,000"),
        (
            some_curves(0, (5,)),
            {"n_algorithms": 20, "n_runs": 10_000, "n_shuffles": 999},
            "take too much memory. Use fewer runs, or n_shuffles=",
        ),
        (some_curves(0, (5,)), {"sizes": [1e308]}, "sizes must be finite numbers"),
        (some_curves(0, (5,)), {"ratio": 1e300}, "ratio must be positive, from 0.01 to"),
        (some_curves(0, (5,)), {"ratio": 0.01, "alpha": 1e-99}, "alpha must be 1e-12 or more"),
        (cw.Curves(some_curves(0, (5,)).scores * 1e-150, ["A"] * 5), {}, "vanish when squared"),
        (
            cw.Curves(np.random.default_rng(0).normal(size=(4, 5_001)), ["A"] * 4),
            {},
            "Average neighbouring steps: read",
        ),
        (
            some_curves(0, (5,)),
            {"effect": cw.scenario(lambda curve: curve + 1e300)},
            "so large that they overflow when squared",
        ),
        (some_curves(0, (5,)), {"effect": cw.scenario(str)}, "which is no curve"),
        (some_curves(0, (5,)), {"base": "B"}, "No algorithm is called 'B'"),
        (some_curves(0, (5,)), {"confidence": 1}, "confidence must lie between 0 and 1"),
        (some_curves(0, (5,)), {"ratio": -1}, "ratio must be positive"),
        (exact_pairs(0.5), {"blocks": True, "ratio": 2}, "ratio must be 1 with them"),
        (exact_pairs(0.5), {"blocks": True, "noise": SMOOTH}, "how runs of a block correlate"),
        (
            exact_pairs(0.5),
            {"blocks": True, "n_algorithms": 3},
            "hold 2 algorithms, and blocks of 3",
        ),
        (
            some_curves(0, (5,)),
            {"noise": some_curves(0, (5,), 4)},
            "have 4 steps, and the pilots 6",
        ),
        (some_curves(0, (5,)), {"noise": "cauchy"}, "noise must be 'gaussian'"),
    ],
)
def test_what_cannot_be_simulated_is_refused(
    given: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(cw.CurvewiseError, match=message):
        cw.estimate_power(given, **{"effect": cw.scenario("lift", 1), **options})


def test_ranges_hold_no_luck_of_the_simulation() -> None:
    # A lift moves no shape, whatever the spread of the runs: its test finds the same.
    found = cw.estimate_power(
        some_curves(3, (4,)), effect=cw.scenario("lift", 1), n_runs=(5, 8), rng=0
    )
    assert found.interaction is not None
    power, ends = found.interaction.power, found.interaction.range
    assert np.array_equal(ends, np.stack([power, power], axis=2))
    # With so many pilots the spread is known, and the ends are near.
    many = some_curves(3, (300,))
    known = cw.estimate_power(many, effect=cw.scenario("lift", 1), n_runs=8, rng=0)
    from scipy.stats import chi2

    times = math.sqrt(chi2.ppf(0.05, 299) / 299)
    sd = known.assumptions.height_sd
    expected = noncentral_t(8, 8, 1 / sd) - noncentral_t(8, 8, times / sd)
    found_power = float(known.algorithm.power[0, 0])
    assert 0 < found_power - known.algorithm.range[0, 0, 0] < expected + 0.01


def test_what_is_claimed_is_what_compare_claims() -> None:
    scores = np.random.default_rng(5)
    noise = cw.noise(sd=1, correlation=0.9, n_steps=12)
    lift = cw.scenario("lift", 1.3)
    n_sets, claims, heights = 150, 0, 0
    for _ in range(n_sets):
        table = autoregressive(scores, 12, 12)
        table[6:] += 1.3
        found = cw.compare(cw.Curves(table, ["A"] * 6 + ["B"] * 6), n_shuffles=499)
        heights += found.algorithm.significant
        claims += found.algorithm.significant and found.overall.significant
    power = cw.estimate_power(None, effect=lift, noise=noise, n_runs=6, rng=0).algorithm
    assert power.claimed is not None
    for count, curve in ((heights, power), (claims, power.claimed)):
        share = float(curve.power[0, 0])
        error = math.sqrt(share * (1 - share) / n_sets)
        assert abs(count / n_sets - share) < 4 * error
    assert power.claimed.power < power.power - 0.04


def test_blocks_of_three_that_vary_alike_give_no_false_alarms() -> None:
    # Pilots whose spreads differ by chance or in truth; under a lift shapes are all alike.
    rng = np.random.default_rng(2)
    wide = np.repeat([1.0, 1.0, 3.0], 8)[:, None]
    scores = wide * rng.normal(size=(24, 5))
    pilots = cw.Curves(scores, np.repeat(list("ABC"), 8), blocks=np.tile(range(8), 3))
    asked: dict[str, Any] = {"n_algorithms": 3, "blocks": True, "n_runs": 6, "rng": 0}
    lift = cw.scenario("lift", 1)
    pooled = cw.estimate_power(pilots, effect=lift, n_experiments=3_000, **asked)
    assert pooled.interaction is not None
    assert pooled.interaction.power[0, 0] <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 3_000)
    assert pooled.noise_df == 14
    own = cw.estimate_power(pilots, effect=lift, n_experiments=500, pool=False, **asked)
    assert own.interaction is not None
    assert own.interaction.power[0, 0] > 0.08
    assert own.noise_df == 7


def test_scores_that_are_not_numbers_never_become_curves() -> None:
    with pytest.raises(cw.CurvesError, match="not a number"):
        cw.Curves([[1.0, math.nan], [1.0, 2.0]], ["A", "A"])

"""gate(): error rates at the margin, brute force, agreement of p, limits and answer, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import curvewise as cw
from curvewise import Curves, CurvesError, OptionError, gate
from tests.questions.gate.runs import asked, brute_force, curves_of
from tests.simulation import some_curves

KINDS: dict[str, Any] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n) - 1,
    "skewed down": lambda rng, n: 1 - rng.exponential(size=n),
    "t3": lambda rng, n: rng.standard_t(3, size=n),
    "failing": lambda rng, n: rng.normal(size=n) - 5 * (rng.random(n) < 0.15),
}


def rates(
    kind: str, runs: tuple[int, int], n_sets: int, *, wide: float = 1.0, **options: Any
) -> tuple[float, float]:
    """How often a candidate that is worse by exactly the margin passes, and fails."""
    rng = np.random.default_rng(sum(runs))
    answers = []
    for number in range(n_sets):
        values = KINDS[kind](rng, sum(runs))
        mine = wide * values[: runs[0]] - 1.5
        curves = curves_of(mine, values[runs[0] :])
        given = {"margin": 1.5, "n_shuffles": 199, "rng": number, **options}
        if sum(runs) > 10 and given.get("spread") != "unequal":
            given["exact"] = False
        answers.append(asked(curves, **given).answer)
    return answers.count("pass") / n_sets, answers.count("fail") / n_sets


def bound(n_sets: int, rate: float = 0.05) -> float:
    """A rate that is exceeded by chance once in thirty thousand times."""
    return rate + 4 * math.sqrt(rate * (1 - rate) / n_sets)


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_passes_and_wrong_fails_are_at_most_alpha(kind: str) -> None:
    passed, failed = rates(kind, (4, 4), 60)
    assert max(passed, failed) <= bound(60)


@pytest.mark.slow
@pytest.mark.parametrize("runs", [(3, 3), (5, 5), (10, 10), (20, 20)])
@pytest.mark.parametrize("kind", KINDS)
def test_wrong_passes_and_wrong_fails_are_at_most_alpha_in_all_designs(
    kind: str, runs: tuple[int, int]
) -> None:
    # Shuffles that are sampled for equal numbers of runs keep the promise as well.
    passed, failed = rates(kind, runs, 100, spread="equal")
    assert max(passed, failed) <= bound(100)


@pytest.mark.slow
def test_unequal_spread_with_unequal_runs_is_allowed_for() -> None:
    passed, _ = rates("normal", (3, 10), 200, wide=2.0)
    plain, _ = rates("normal", (3, 10), 200, wide=2.0, spread="equal")
    assert plain > 0.08  # what is warned of
    assert passed <= bound(200, 0.085)


SHARES = {(3, 1.0): 0.26, (3, 3.0): 0.89, (5, 1.0): 0.42, (5, 2.0): 0.88, (10, 1.0): 0.69}


def passes_as_tabulated(n: int, margin: float, n_sets: int) -> bool:
    rng = np.random.default_rng(n)
    passed = 0
    for number in range(n_sets):
        values = rng.normal(size=2 * n)
        options: dict[str, Any] = {} if n <= 5 else {"exact": False, "n_shuffles": 199}
        found = asked(curves_of(values[:n], values[n:]), margin=margin, rng=number, **options)
        passed += found.answer == "pass"
    share = SHARES[n, margin]
    error = math.sqrt(share * (1 - share) * (1 / n_sets + 1 / 1_500))
    return abs(passed / n_sets - share) <= 4 * error


@pytest.mark.parametrize(("n", "margin"), [(3, 3.0), (5, 1.0)])
def test_the_share_that_passes_is_as_tabulated(n: int, margin: float) -> None:
    assert passes_as_tabulated(n, margin, 60)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "margin"), SHARES)
def test_the_shares_that_pass_are_as_tabulated(n: int, margin: float) -> None:
    assert passes_as_tabulated(n, margin, 200)


@pytest.mark.parametrize(
    "options",
    [
        {"margin": 0.15, "unit": "relative"},
        {"margin": 1.5, "unit": "sd"},
        {"margin": 1.5, "spread": "unequal"},
        {"margin": 0.15, "unit": "relative", "spread": "unequal"},
    ],
)
def test_margins_of_every_kind_keep_alpha(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    answers = []
    for number in range(50):
        values = 10 + rng.normal(size=10)
        mine = values[:5] - 1.5
        given = {"n_shuffles": 199, **options}
        answers.append(asked(curves_of(mine, values[5:]), rng=number, **given).answer)
    assert max(answers.count("pass"), answers.count("fail")) / 50 <= bound(50, 0.06)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sizes", [(3, 3), (3, 5), (5, 4)])
def test_p_is_that_of_brute_force(seed: int, sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    candidate, baseline = (rng.normal(10, 2, size).round(seed % 2) for size in sizes)
    found = asked(curves_of(candidate, baseline), margin=1, spread="equal")
    expected = brute_force(candidate + 1, baseline)
    assert (found.pvalue_pass, found.pvalue_fail) == pytest.approx(expected)
    relative = asked(curves_of(candidate, baseline), margin=0.2, unit="relative", spread="equal")
    expected = brute_force(candidate, 0.8 * baseline)
    assert (relative.pvalue_pass, relative.pvalue_fail) == pytest.approx(expected)


@pytest.mark.parametrize("unit", ["score", "relative"])
@pytest.mark.parametrize("seed", range(3))
def test_limits_are_where_p_crosses_alpha(unit: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    candidate, baseline = rng.normal(10, 2, (2, 5))
    found = asked(curves_of(candidate, baseline), margin=0.3, unit=unit)

    def pvalues(difference: float) -> tuple[float, float]:
        if unit == "score":
            return brute_force(candidate - difference, baseline)
        return brute_force(candidate, (1 + difference) * baseline)

    step = 1e-6
    assert pvalues(found.limits.low - step)[0] <= 0.05 < pvalues(found.limits.low + step)[0]
    high = found.limits.high
    assert pvalues(high + step)[1] <= 0.05 < pvalues(high - step)[1]


def gates(values: Any, sizes: tuple[int, int], **options: Any) -> cw.Gate:
    curves = curves_of(values[: sizes[0]], values[sizes[0] :])
    return asked(curves, n_shuffles=199, **options)


OPTIONS: list[dict[str, Any]] = [
    {"margin": 1.0},
    {"margin": 0.0},
    {"margin": 0.1, "unit": "relative"},
    {"margin": 1.0, "unit": "sd"},
    {"margin": 2.0, "two_sided": True},
    {"margin": 1.0, "spread": "unequal"},
    {"margin": 0.1, "unit": "relative", "spread": "unequal"},
    {"margin": 1.0, "exact": False, "spread": "equal"},
    {"margin": 1.0, "alpha": 0.1, "on": "every step"},
]


@given(
    seed=st.integers(0, 10**6),
    sizes=st.tuples(st.integers(2, 6), st.integers(2, 6)),
    moved=st.sampled_from([-4.0, -1.0, 0.0, 4.0]),
    tied=st.booleans(),
    options=st.sampled_from(OPTIONS),
)
@settings(max_examples=40, deadline=None)
def test_p_limits_and_answer_never_contradict_each_other(
    seed: int, sizes: tuple[int, int], moved: float, tied: bool, options: dict[str, Any]
) -> None:
    rng = np.random.default_rng(seed)
    values = 10 + rng.normal(size=sum(sizes))
    values[: sizes[0]] += moved
    values = values.round() if tied else values
    if np.ptp(values) < 2:
        values[0] += 2  # or the margin could make all runs the same
    found = gates(values, sizes, **options)
    low, high = found.limits
    passes = low > -found.margin
    fails = found.limits_fail.high < -found.margin
    if found.two_sided:
        passes = passes and high < found.margin
        fails = fails or found.limits_fail.low > found.margin
    assert passes == (found.pvalue_pass <= found.alpha) == (found.answer == "pass")
    assert fails == (found.pvalue_fail <= found.alpha) == (found.answer == "fail")
    assert low <= high
    assert found.answer in found.describe().lower()
    assert f"margin {'±' if found.two_sided else ''}{found.margin_text}" in found.describe()
    assert "equal" not in found.describe().replace("unequal", "")
    if found.smallest_pvalue > found.alpha:
        assert found.answer == "undecided"
    assert min(found.pvalue_pass, found.pvalue_fail) >= found.smallest_pvalue - 1e-12


@given(seed=st.integers(0, 10**6), scale=st.sampled_from([0.25, 8.0]))
@settings(max_examples=20, deadline=None)
def test_units_and_offsets_of_the_score_do_not_matter(seed: int, scale: float) -> None:
    values = np.random.default_rng(seed).normal(10, 1, 10)
    plain = gates(values, (5, 5), margin=1.0)
    other = gates(scale * values + 32.0, (5, 5), margin=scale)
    assert (other.answer, other.pvalue_pass) == (plain.answer, plain.pvalue_pass)
    np.testing.assert_allclose(other.limits, scale * np.array(plain.limits), atol=1e-9)
    share = gates(values, (5, 5), margin=0.1, unit="relative")
    scaled = gates(scale * values, (5, 5), margin=0.1, unit="relative")
    assert scaled.pvalue_pass == share.pvalue_pass
    np.testing.assert_allclose(scaled.limits, share.limits)


def test_a_loss_is_the_mirror_image_of_a_score() -> None:
    values = np.random.default_rng(3).normal(10, 1, 10)
    score = gates(values, (5, 5), margin=1.0)
    loss = asked(curves_of(-values[:5], -values[5:], higher_is_better=False), margin=1.0)
    assert loss.pvalue_pass == score.pvalue_pass
    np.testing.assert_allclose(loss.limits, score.limits)
    assert loss.means == pytest.approx([-mean for mean in score.means or ()])
    share = gates(values, (5, 5), margin=0.1, unit="relative")
    negative = asked(
        curves_of(-values[:5], -values[5:], higher_is_better=False), margin=0.1, unit="relative"
    )
    assert negative.pvalue_pass == share.pvalue_pass
    np.testing.assert_allclose(negative.limits, share.limits)


def test_roles_swapped_turn_a_pass_against_0_into_a_fail() -> None:
    values = np.random.default_rng(4).normal(10, 1, 10)
    values[:5] += 3
    curves = curves_of(values[:5], values[5:])
    one = asked(curves, margin=0)
    other = gate(curves, candidate="baseline", baseline="candidate", margin=0)
    assert (one.answer, other.answer) == ("pass", "fail")
    assert one.pvalue_pass == other.pvalue_fail
    np.testing.assert_allclose(one.limits, [-other.limits[1], -other.limits[0]])


def test_the_order_of_rows_changes_no_digit() -> None:
    curves = some_curves(1, (6, 5))
    order = np.random.default_rng(0).permutation(11)
    shuffled = Curves(curves.scores[order], curves.labels[order])
    sampled: dict[str, Any] = {"exact": False, "n_shuffles": 99, "spread": "equal"}
    for options in ({}, sampled):
        told = [
            gate(own, candidate="A", baseline="B", margin=1, rng=1, **options).to_dict()
            for own in (curves, shuffled)
        ]
        assert told[0]["pvalue_pass"] == told[1]["pvalue_pass"]
        assert told[0]["limits"] == pytest.approx(told[1]["limits"])


def test_other_algorithms_are_left_out() -> None:
    curves = some_curves(2, (5, 5, 5))
    two = curves.select("A", "C")
    found = [gate(own, candidate="C", baseline="A", margin=1) for own in (curves, two)]
    assert found[0].to_dict() == found[1].to_dict()


def test_the_mean_is_the_contrast_of_the_shifted_curves() -> None:
    curves = some_curves(5, (5, 6), n_steps=20)
    found = gate(curves, candidate="A", baseline="B", margin=0, spread="equal")
    contrast = cw.contrast(curves, {"A": 1, "B": -1}, alternative="greater")
    assert found.pvalue_pass == contrast.pvalue
    assert found.limits.low == pytest.approx(contrast.interval.low)
    assert found.difference == pytest.approx(contrast.value)
    window = gate(curves, candidate="A", baseline="B", margin=0, spread="equal", on=(3, 9))
    weights = ("window", 3, 9)
    contrast = cw.contrast(curves, {"A": 1, "B": -1}, weights=weights, alternative="less")
    assert window.pvalue_fail == contrast.pvalue
    final = gate(curves, candidate="A", baseline="B", margin=0, spread="equal", on="final")
    assert final.difference == pytest.approx(
        curves.scores[:5, -2:].mean() - curves.scores[5:, -2:].mean()
    )


def test_blocks_are_kept_together() -> None:
    rng = np.random.default_rng(0)
    of_block = 5 * rng.normal(size=8)
    candidate, baseline = of_block - 0.5 + 0.1 * rng.normal(size=8), of_block
    blocks = [*range(8)] * 2
    within = asked(curves_of(candidate, baseline, blocks=blocks), margin=1)
    without = asked(curves_of(candidate, baseline), margin=1)
    assert (within.answer, without.answer) == ("pass", "undecided")
    assert within.pvalue_pass == 1 / 2**8
    signs = np.array([candidate - baseline + 1])
    flips = np.array(np.meshgrid(*[[1, -1]] * 8)).reshape(8, -1).T
    assert within.pvalue_fail == pytest.approx(
        np.mean((flips * signs).sum(axis=1) <= signs.sum() + 1e-9)
    )


def test_typical_runs_are_not_moved_by_one_that_failed() -> None:
    rng = np.random.default_rng(2)
    candidate, baseline = rng.normal(10, 1, (2, 7))
    candidate[0] = -40
    plain = asked(curves_of(candidate, baseline), margin=2)
    typical = asked(curves_of(candidate, baseline), margin=2, center="trimmed")
    assert (plain.answer, typical.answer) == ("undecided", "pass")
    ranks = asked(curves_of(candidate, baseline), margin=2, center="ranks")
    assert ranks.pvalue_pass < plain.pvalue_pass
    assert "typical runs" in typical.describe()


def test_a_margin_in_sds_of_a_reference_is_a_fixed_number() -> None:
    rng = np.random.default_rng(3)
    curves = curves_of(*rng.normal(10, 1, (2, 6)))
    earlier = Curves(rng.normal(10, 2, (12, 1)), ["old"] * 12)
    sd = float(earlier.scores.std(ddof=1))
    found = asked(curves, margin=0.5, unit="sd", sd_from=earlier)
    plain = asked(curves, margin=0.5 * sd)
    assert found.margin_score == pytest.approx(plain.margin)
    assert found.pvalue_pass == plain.pvalue_pass
    np.testing.assert_allclose(np.array(found.limits) * sd, plain.limits)
    assert f"0.5 SD = {plain.margin:.4f}"[:14] in found.describe()


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"margin": -1}, "margin must be 0 or more: it is how much worse"),
    ({"margin": math.nan}, "margin must be a finite number"),
    ({"margin": "2"}, "margin must be a finite number"),
    ({"margin": "2%"}, "margin=0.02, unit='relative' for 2%"),
    ({"margin": 10**400}, "margin must be a finite number"),
    ({"margin": 1e308}, "more than a billion times any score; the largest is 4.000"),
    ({"margin": 1e20, "on": "every step"}, "more than a billion times any score"),
    ({"margin": 1, "two_sided": "no"}, "two_sided must be True or False, not 'no'"),
    ({"margin": 1, "exact": "no"}, "exact must be True or False, not 'no'"),
    ({"margin": 10, "unit": "relative"}, r"below 1: 0.1 is 10%. It is 10"),
    ({"margin": 1, "unit": "percent"}, "unit"),
    ({"margin": 0, "two_sided": True}, "needs a margin above 0"),
    ({"margin": 1, "alpha": 0.6}, "alpha must lie below 0.5 for a gate"),
    ({"margin": 1, "on": "area"}, "on"),
    ({"margin": 1, "on": 3}, "on must be 'mean', 'final'"),
    ({"margin": 1, "on": "every step", "unit": "relative"}, "does not go with unit"),
    ({"margin": 1, "on": "every step", "two_sided": True}, "Leave two_sided=True out"),
    ({"margin": 1, "center": "trimmed", "spread": "unequal"}, "does not go with center"),
    ({"margin": 0.9, "on": ("reach", 1)}, "a factor of 1 or more: 1.2 lets"),
    ({"margin": 2, "on": ("reach", 1), "unit": "sd"}, 'does not go with unit="sd"'),
    ({"margin": 2, "on": ("reach", "high")}, "on must be a finite score"),
    ({"margin": 1, "power": 1.0}, "power must lie between 0 and 1"),
    ({"margin": 1, "assumed": "good"}, "assumed must be a finite number"),
    ({"margin": 1, "sd_from": some_curves(0)}, 'sd_from goes with unit="sd" only'),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_cannot_be_asked_is_refused(options: dict[str, Any], message: str) -> None:
    given = {"unit": "relative", **options} if "unit" in options else options
    if options.get("unit") == "relative" and "on" in options:
        given = {**options, "margin": 0.5}
    with pytest.raises(OptionError, match=message):
        asked(curves_of([1, 2, 3], [1, 2, 4]), **given)


def test_a_margin_must_be_given() -> None:
    with pytest.raises(TypeError, match="margin"):
        gate(some_curves(0), candidate="A", baseline="B")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("candidate", "baseline", "message"),
    [
        ("A", "Z", "No algorithm is called 'Z'.* Name the baseline with baseline"),
        ("a", "B", "did you mean 'A'.*Name the candidate with candidate"),
        ("A", "A", "both 'A'; name two different"),
    ],
)
def test_names_that_are_wrong_are_told(candidate: str, baseline: str, message: str) -> None:
    with pytest.raises(cw.CurvewiseError, match=message):
        gate(some_curves(0), candidate=candidate, baseline=baseline, margin=1)


def test_runs_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(CurvesError, match="single run"):
        asked(curves_of([1], [2]), margin=1)
    with pytest.raises(CurvesError, match=r"range from -1.000 to 3.000.* near 0"):
        asked(curves_of([1, 2, 3], [-1, 2, 3]), margin=0.1, unit="relative")
    blocked = curves_of([1, 2, 3.5], [1, 2, 4], blocks=[1, 2, 3] * 2)
    with pytest.raises(CurvesError, match="needs sd_from"):
        asked(blocked, margin=1, unit="sd")
    reference = Curves(np.arange(9.0)[:, None], ["A"] * 9)
    with pytest.raises(CurvesError, match="at least 10 runs"):
        asked(curves_of([1, 2, 3], [1, 2, 4]), margin=1, unit="sd", sd_from=reference)
    with pytest.raises(CurvesError, match="one algorithm, and there are 2: A and B"):
        asked(curves_of([1, 2, 3], [1, 2, 4]), margin=1, unit="sd", sd_from=some_curves(0))
    flat = Curves(np.ones((10, 1)), ["A"] * 10)
    with pytest.raises(CurvesError, match="do not vary"):
        asked(curves_of([1, 2, 3], [1, 2, 4]), margin=1, unit="sd", sd_from=flat)
    with pytest.raises(CurvesError, match=r"No run reaches a score of 9.*best score of all is 4"):
        asked(curves_of([1, 2, 3], [1, 2, 4]), margin=1, on=("reach", 9))


@pytest.mark.parametrize(
    ("runs", "alpha", "enough"),
    [
        ((2, 2), 0.05, (3, 3)),
        ((2, 4), 0.05, (2, 5)),
        ((4, 4), 0.01, (5, 4)),
        ((3, 3), 0.05, None),
        ((2, 5), 0.05, None),
    ],
)
def test_few_runs_cannot_decide(
    runs: tuple[int, int], alpha: float, enough: tuple[int, int] | None
) -> None:
    values = np.arange(sum(runs), dtype=float)
    curves = curves_of(values[: runs[0]] + 99, values[runs[0] :])
    found = asked(curves, margin=1, alpha=alpha)
    assert (found.n_enough is None) == (found.answer == "pass")
    if enough is not None:
        assert sum(found.n_enough or ()) == sum(enough)
        said = " + ".join(map(str, found.n_enough or ()))
        shown = " + ".join(map(str, runs))
        assert found.describe().startswith(
            f"Undecided: with {shown} runs no result could pass (margin 1); {said} could."
        )


def test_three_runs_of_each_pass_only_if_all_are_better() -> None:
    assert asked(curves_of([2.1, 3.1, 4.1], [0, 1, 3]), margin=1).answer == "pass"
    assert asked(curves_of([1.9, 3.1, 4.1], [0, 1, 3]), margin=1).answer == "undecided"


@pytest.mark.parametrize(
    ("given", "limit"),
    [
        ({"margin": 2}, -2.0),
        ({"margin": 2, "spread": "unequal"}, -2.0),
        ({"margin": 2, "center": "trimmed"}, -2.0),
        ({"margin": 2, "center": "ranks"}, -2.0),
        ({"margin": 2, "on": "every step"}, -2.0),
        ({"margin": 0.4, "unit": "relative"}, -0.4),
    ],
)
@pytest.mark.parametrize("n_baseline", [5, 6])
def test_runs_that_are_all_the_same_at_the_margin_are_undecided(
    given: dict[str, Any], limit: float, n_baseline: int
) -> None:
    found = asked(curves_of([3] * 5, [5] * n_baseline), **given)
    assert (found.answer, found.pvalue_pass, found.pvalue_fail) == ("undecided", 1, 1)
    assert found.limits == pytest.approx((limit, limit))


def test_candidates_that_are_level_are_not_shown_to_be_better() -> None:
    # All runs end at the same score, though they took different ways.
    scores = np.array([[0, 1], [0.5, 1], [0.2, 1], [0.1, 1], [0.3, 1], [0.4, 1]])
    labels = ["candidate"] * 3 + ["baseline"] * 3
    found = asked(Curves(scores, labels), margin=0, on="final")
    assert found.answer == "undecided"
    assert found.describe().startswith(
        "Undecided: it is not shown that the candidate is better than the baseline, nor that it is "
        "worse (margin 0). By the last step (of 2), the candidate is level with the baseline; the 90% "
        "interval is 0 to 0."
    )
    assert asked(Curves(scores, labels), margin=0.1, on="final").answer == "pass"


def test_a_first_step_at_which_all_runs_are_alike_is_no_obstacle() -> None:
    rng = np.random.default_rng(0)
    scores = np.hstack([np.zeros((10, 1)), rng.normal(size=(10, 2))])
    scores[:5, 1:] += 9
    curves = Curves(scores, ["candidate"] * 5 + ["baseline"] * 5)
    found = asked(curves, margin=0, on="every step")
    assert (found.answer, found.step, found.limits) == ("undecided", 0, (0, 0))
    assert asked(curves, margin=0.1, on="every step").answer == "pass"


def test_without_variation_there_is_no_standard_deviation_to_take() -> None:
    scores = np.array([[3, 1], [1, 3], [2, 2], [0.1, 3.9], [2, 2], [1, 3]])
    curves = Curves(scores, ["candidate"] * 3 + ["baseline"] * 3)
    with pytest.raises(CurvesError, match=r"vary: .* Give the margin in units of the score"):
        asked(curves, margin=1, unit="sd")
    reference = Curves(np.tile(scores, (2, 1)), ["old"] * 12)
    with pytest.raises(CurvesError, match=r"do not vary: .* in units of the score"):
        asked(some_runs(), margin=1, unit="sd", sd_from=reference)


def some_runs() -> Curves:
    rng = np.random.default_rng(4)
    return curves_of(rng.normal(size=5), rng.normal(size=6))


@pytest.mark.parametrize("given", [{"unit": "sd"}, {"spread": "unequal"}, {}])
def test_no_digit_depends_on_the_order_of_runs(given: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    runs = rng.normal(size=7), rng.normal(size=6)
    found = asked(curves_of(*runs), margin=0.5, **given).to_dict()
    for _ in range(5):
        mixed = curves_of(*(rng.permutation(own) for own in runs))
        again = asked(mixed, margin=0.5, **given).to_dict()
        for name in ("pvalue_pass", "pvalue_fail", "means", "sds"):
            assert again[name] == found[name]


def test_too_few_runs_for_a_fail_on_either_side_are_warned_of() -> None:
    found = asked(curves_of([1, 2, 3], [1, 2, 4]), margin=1, two_sided=True)
    assert (found.answer, found.limits_fail) == ("undecided", (-math.inf, math.inf))
    assert "inf" not in found.describe()
    assert any("no result could fail. Passing is not" in own for own in found.warnings)
    passed = asked(curves_of([1, 2, 3], [1, 2, 4]), margin=9, two_sided=True)
    assert passed.answer == "pass"


@pytest.mark.parametrize("options", [{}, {"unit": "relative"}, {"on": "every step"}])
def test_margins_and_levels_at_the_ends_of_their_range(options: dict[str, Any]) -> None:
    curves = curves_of([11, 12, 14, 13.5, 9], [10, 12.5, 11])
    found = asked(curves, margin=-0.0, alpha=1e-12, **options)
    assert math.copysign(1, found.margin) == 1
    assert tuple(found.limits) == (-math.inf, math.inf)


def test_squares_of_large_scores_do_not_overflow() -> None:
    runs = [11, 12, 14, 13.5, 9], [10, 12.5, 11]
    plain, large = (
        asked(curves_of(*(unit * np.array(own) for own in runs)), margin=0.1, unit="relative")
        for unit in (1.0, 1e100)
    )
    np.testing.assert_allclose(large.limits, plain.limits)


def test_an_open_window_is_all_of_training() -> None:
    curves = some_curves(1, (5, 5))
    window: Any = (None, math.inf)
    found = [gate(curves, candidate="A", baseline="B", margin=1, on=on) for on in ("mean", window)]
    assert found[0].limits == found[1].limits
    assert "mean from step 0 to " in found[1].describe()

"""The cases of each criterion: what the paper describes, and what decides."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import Interval, transfer
from curvewise.questions.criteria.ask import (
    AHEAD,
    ALPHA,
    CONTROL,
    CRITERIA,
    FAST_AHEAD,
    FAST_CONTROL,
    MIDDLING,
    SLOW_AHEAD,
    SLOW_CONTROL,
    TASKS,
    are_defined,
    are_equal,
    are_significant,
    curve_pair,
    differ,
    experimental_above_control,
    flat_conditions,
    reaching,
    rise,
    rise_through_no_effect,
    squeezed,
    windows,
)
from curvewise.questions.criteria.result import JUDGED, PUBLISHED, Outcome
from tests.questions.criteria.decided import case_result, decided

if TYPE_CHECKING:
    from curvewise.kernels import Floats


def test_the_criteria_are_the_papers_and_each_has_cases_of_its_own() -> None:
    assert list(CRITERIA) == list(dict.fromkeys(name for name, _ in PUBLISHED))
    for cases in CRITERIA.values():
        tests = list(cases(np.random.default_rng(0)))
        assert len({test.case.name for test in tests}) == len(tests) > 0
        # The paper's own come before ours, for they decide first.
        sources = [bool(test.case.source) for test in tests]
        assert sources[0]
        assert sources == sorted(sources, reverse=True)
        for test in tests:
            assert test.case.wanted
            assert test.case.pairs


def test_only_meaningful_is_met_by_one_case() -> None:
    met_by_one = {own.criterion for own in decided().values() if own.one_case_suffices}
    assert met_by_one == {"meaningful"}


def test_only_testable_simulates_runs() -> None:
    for name, cases in CRITERIA.items():
        first, second = (
            [
                pair.control
                for test in cases(np.random.default_rng(seed))
                for pair in test.case.pairs
            ]
            for seed in (1, 2)
        )
        same = all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
        assert same is (name != "testable")


def by_hand(control: Floats, ahead: Floats, optimum: float) -> list[float]:
    """The first three metrics, straight from their definitions."""
    scores = np.concatenate([control, ahead])
    return [
        ahead.sum() / control.sum(),
        (ahead - control).sum() / (np.ptp(scores) * len(control)),
        1 - (optimum - ahead).sum() / (optimum - control).sum(),
    ]


def test_figure_3_has_the_same_area_in_the_same_box() -> None:
    case = case_result("distinguishing", "regret", "the same area").case
    areas, values = [], []
    for pair in case.pairs:
        control, ahead = pair.control[0], pair.experimental[0]
        assert min(control.min(), ahead.min()) == 0
        assert max(control.max(), ahead.max()) == pair.optimum == 1
        areas.append((ahead - control).sum())
        values.append(by_hand(control, ahead, 1))
    assert areas[0] == pytest.approx(areas[1])
    for place, metric in enumerate(("ratio", "regret", "CTR")):
        result = case_result("distinguishing", metric, "the same area")
        assert result.values == pytest.approx([pair[place] for pair in values])
        assert result.holds is (metric != "regret")
    assert case_result("distinguishing", "ARR", "the same area").holds


def test_for_equal_areas_ratio_and_ctr_rank_the_pairs_of_figure_3_oppositely() -> None:
    ratio = case_result("distinguishing", "ratio", "the same area").values
    ctr = case_result("distinguishing", "CTR", "the same area").values
    assert sorted(map(float, filter(None, ratio)), reverse=True) == list(ratio)
    assert sorted(map(float, filter(None, ctr))) == list(ctr)


@pytest.mark.parametrize("metric", JUDGED)
def test_figure_4_is_an_affine_change_and_only_the_ratio_sees_it(metric: str) -> None:
    result = case_result("similar", metric, "squeezed")
    squeezed, whole = result.case.pairs
    for name in ("control", "experimental"):
        slope, height = np.polyfit(getattr(whole, name)[0], getattr(squeezed, name)[0], 1)
        assert (slope, height) == (pytest.approx(0.25), pytest.approx(0.75))
    assert squeezed.optimum == whole.optimum == 1
    assert result.holds is (metric != "transfer_ratio")
    assert (result.values[0] == pytest.approx(result.values[1])) is result.holds


@pytest.mark.parametrize("metric", JUDGED)
def test_multiplied_scores_change_no_metric(metric: str) -> None:
    assert case_result("similar", metric, "multiplied").holds
    assert decided()["unitless", metric].holds


def test_a_metric_with_units_would_fail_unitless() -> None:
    for case in (each.case for each in decided()["unitless", "ratio"].tried):
        areas = [
            transfer(
                pair.curves,
                control="control",
                experimental="experimental",
                integration=pair.integration,
                n_resamples=0,
                n_shuffles=2,
                rng=0,
            ).area_difference.value
            for pair in case.pairs
        ]
        assert areas[0] != pytest.approx(areas[1])


def test_arr_is_1_above_a_control_only_if_that_never_improves() -> None:
    flat = case_result("consistent", "ARR", "a control that never improves")
    rising = case_result("consistent", "ARR", "an improving control")
    assert flat.values == pytest.approx((1, 1, 1))
    assert not flat.holds
    assert rising.holds
    for pair, value in zip(rising.case.pairs, rising.values, strict=True):
        assert pair.experimental.min() > pair.control.max()
        # What the control reaches on trial x was reached on trial 1.
        control, last = pair.control[0], pair.experimental[0, -1]
        trials = np.arange(2, len(control) + 1)
        saved = np.sum(np.diff(control) * (1 - 1 / trials)) + (last - control[-1])
        assert value == pytest.approx(saved / (last - control[0]))


def test_each_metric_is_undefined_where_it_divides_by_0() -> None:
    undefined = {
        metric: {each.case.name for each in decided()["defined", metric].tried if not each.holds}
        for metric in JUDGED.values()
    }
    assert undefined["ratio"] == {"the control scores 0 throughout"}
    assert undefined["regret"] == {"all scores are equal"}
    assert undefined["CTR"] == {"the control is optimal throughout"}
    assert "the experimental condition ends where the control begins" in undefined["ARR"]
    ends = case_result("defined", "ARR", "ends where").case.pairs[0]
    assert ends.experimental[0, -1] == ends.control[0, 0]


def test_a_standard_has_the_value_its_words_say() -> None:
    assert case_result("meaningful", "CTR", "optimal").values == pytest.approx((1, 1, 1))
    assert case_result("meaningful", "CTR", "half of what").values == pytest.approx([0.5] * 3)
    assert case_result("meaningful", "ARR", "half the training").values == pytest.approx([0.5] * 3)
    assert not case_result("meaningful", "ARR", "optimal").holds


# --- The curves of the cases have the properties that make them cases.


def test_a_pair_is_one_run_or_several_and_steps_count_from_1() -> None:
    one = curve_pair("one", [1, 2, 3], [2, 3, 4])
    assert one.control.tolist() == [[1, 2, 3]]
    assert one.steps.tolist() == [1, 2, 3]
    assert one.optimum == 1
    several = curve_pair("several", np.zeros((4, 2)), np.ones((5, 2)), None)
    assert several.control.shape == (4, 2)
    assert several.experimental.shape == (5, 2)
    assert several.optimum is None
    with pytest.raises(ValueError, match="read-only"):
        one.control[0, 0] = 9


def test_the_pairs_of_figure_3_have_the_same_area_between_them() -> None:
    slow = np.subtract(SLOW_AHEAD, SLOW_CONTROL).sum()
    fast = np.subtract(FAST_AHEAD, FAST_CONTROL).sum()
    assert slow == pytest.approx(2.6)
    assert fast == pytest.approx(2.6)


def test_flat_conditions_never_change() -> None:
    low, high = flat_conditions(-0.5, 0.25)
    assert (low.name, high.name) == ("at -0.5", "at 0.25")
    assert np.ptp(low.experimental) == 0
    assert high.experimental[0, 0] == 0.25
    assert low.control.tolist() == [list(MIDDLING)]


def test_windows_cut_the_same_two_curves() -> None:
    short, long = windows(5, 18)
    assert short.name == "5 steps"
    assert long.control[0, :12].tolist() == list(CONTROL)
    assert np.ptp(long.experimental[0, 11:]) == 0
    assert short.experimental[0].tolist() == list(AHEAD[:5])


def test_all_experimental_scores_are_above_all_of_the_control() -> None:
    cases = experimental_above_control()
    assert len(cases) == 2
    for pairs in cases.values():
        for pair in pairs:
            assert pair.experimental.min() > pair.control.max()
        gaps = [pair.experimental.min() - pair.control.max() for pair in pairs]
        assert gaps == sorted(gaps)


def test_levels_are_reached_every_trial_or_every_two() -> None:
    for levels, optimum in TASKS.values():
        every, every_two = reaching(levels, every=1), reaching(levels)
        assert max(levels) <= optimum
        for k, level in enumerate(levels[1:], start=1):
            # Trials count from 1.
            assert np.argmax(every >= level) + 1 == k
            assert np.argmax(every_two >= level) + 1 == 2 * k


def test_squeezing_leaves_the_optimum_in_place() -> None:
    assert squeezed((0.0, 0.5, 1.0)).tolist() == [0.75, 0.875, 1.0]


# --- What a criterion can ask of values.


def outcomes(*values: float | None) -> list[Outcome]:
    return [Outcome(value) for value in values]


def test_every_pair_must_have_a_value() -> None:
    assert are_defined(outcomes(1.0, 0.0), 0)
    assert not are_defined(outcomes(1.0, None), 0)


def test_equal_but_for_rounding_is_equal() -> None:
    assert are_equal(outcomes(0.3, 0.1 + 0.2), 0)
    assert are_equal(outcomes(0.0, 1e-12), 0)
    assert not are_equal(outcomes(0.3, 0.3001), 0)
    # Undefined values are a matter of "defined" alone.
    assert are_equal(outcomes(0.3, None, 0.3), 0)
    assert are_equal(outcomes(None), 0)


def test_no_two_may_be_the_same() -> None:
    assert differ(outcomes(0.2, 0.1, 0.3), 0)
    assert not differ(outcomes(0.3, 0.1, 0.1 + 0.2), 0)


def test_each_must_be_larger_than_the_one_before() -> None:
    assert rise(outcomes(0.1, 0.2, 0.3), 0)
    assert not rise(outcomes(0.1, 0.3, 0.2), 0)
    assert not rise(outcomes(0.1, 0.1 + 1e-12), 0)


def test_the_middle_one_must_be_that_of_no_effect() -> None:
    assert rise_through_no_effect(outcomes(0.5, 1.0, 2.0), 1)
    assert not rise_through_no_effect(outcomes(0.5, 1.0, 2.0), 0)
    assert not rise_through_no_effect(outcomes(1.0, 1.0, 2.0), 1)
    assert not rise_through_no_effect(outcomes(0.5, None, 2.0), 1)


@pytest.mark.parametrize(
    ("interval", "pvalue", "holds"),
    [
        (Interval(0.1, 0.3), ALPHA, True),
        (Interval(-0.3, -0.1), 0.01, True),
        (Interval(0.1, 0.3), ALPHA + 0.01, False),
        (Interval(-0.1, 0.3), 0.01, False),
        (Interval(0.0, 0.3), 0.01, False),
        (Interval(0.1, math.inf), 0.01, False),
        (None, 0.01, False),
        (Interval(0.1, 0.3), None, False),
    ],
)
def test_interval_and_p_must_both_exclude_no_effect(
    interval: Interval | None, pvalue: float | None, holds: bool
) -> None:
    assert are_significant([Outcome(0.2, interval, pvalue)], 0) is holds

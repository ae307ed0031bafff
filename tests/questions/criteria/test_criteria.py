"""The cases of each criterion: what the paper describes, and what decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import transfer
from curvewise.questions.criteria.criteria import CRITERIA
from curvewise.questions.criteria.published import PUBLISHED
from curvewise.questions.criteria.result import JUDGED
from tests.questions.criteria.decided import case_result, decided

if TYPE_CHECKING:
    from curvewise.kernels import Floats


def test_the_criteria_are_the_papers_and_each_has_cases_of_its_own() -> None:
    assert list(CRITERIA) == list(dict.fromkeys(name for name, _ in PUBLISHED))
    for name, criterion in CRITERIA.items():
        assert criterion.name == name
        tests = list(criterion.cases(np.random.default_rng(0)))
        assert len({test.case.name for test in tests}) == len(tests) > 0
        # The paper's own come before ours, for they decide first.
        sources = [bool(test.case.source) for test in tests]
        assert sources[0]
        assert sources == sorted(sources, reverse=True)
        for test in tests:
            assert test.case.wanted
            assert test.case.pairs


def test_only_meaningful_is_met_by_one_case() -> None:
    assert [c.name for c in CRITERIA.values() if c.one_case_suffices] == ["meaningful"]


def test_only_testable_simulates_runs() -> None:
    for name, criterion in CRITERIA.items():
        first, second = (
            [
                pair.control
                for test in criterion.cases(np.random.default_rng(seed))
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
        metric: {
            each.case.name
            for each in decided()["defined", metric].tried
            if not each.holds
        }
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
    assert case_result("meaningful", "CTR", "half of what").values == pytest.approx(
        [0.5] * 3
    )
    assert case_result("meaningful", "ARR", "half the training").values == pytest.approx(
        [0.5] * 3
    )
    assert not case_result("meaningful", "ARR", "optimal").holds

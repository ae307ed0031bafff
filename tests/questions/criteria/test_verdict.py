"""One verdict: which case decides, and whether the paper agrees."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from curvewise import Interval, Verdict
from curvewise.questions.criteria.example_curves import curve_pair
from curvewise.questions.criteria.verdict import Case, CaseResult, Outcome


def result(name: str, *, holds: bool, source: str = "") -> CaseResult:
    case = Case(name, "there should be a value", (curve_pair("p", [1], [2]),), source)
    return CaseResult(case, (Outcome(0.5),), holds)


def verdict(*results: CaseResult, **fields: Any) -> Verdict:
    given: dict[str, Any] = {"published": True, **fields}
    return Verdict("defined", "calibrated_transfer_ratio", tried=results, **given)


GOOD, BETTER = result("good", holds=True, source="5.1"), result("better", holds=True)
BAD, WORSE = result("bad", holds=False), result("worse", holds=False, source="5.2")


@pytest.mark.parametrize(
    ("results", "one_suffices", "holds", "deciding"),
    [
        ((GOOD, BETTER), False, True, BETTER),
        ((GOOD, BAD, WORSE), False, False, BAD),
        ((GOOD, BETTER), True, True, GOOD),
        ((BAD, BETTER, GOOD), True, True, BETTER),
        ((BAD, WORSE), True, False, BAD),
    ],
)
def test_one_case_that_fails_decides_or_one_that_holds_suffices(
    results: tuple[CaseResult, ...],
    one_suffices: bool,
    holds: bool,
    deciding: CaseResult,
) -> None:
    found = verdict(*results, one_case_suffices=one_suffices)
    assert found.holds is holds
    assert found.deciding is deciding
    assert found.case is deciding.case
    assert found.values == (0.5,)


def test_the_papers_own_cases_are_those_with_a_source() -> None:
    assert verdict(GOOD, BAD).holds_in_paper
    assert not verdict(GOOD, BAD).holds
    assert not verdict(WORSE, BETTER).holds_in_paper


@pytest.mark.parametrize(
    ("published", "agrees"), [(True, False), (False, True), (None, True)]
)
def test_the_paper_agrees_or_says_nothing(published: bool | None, agrees: bool) -> None:
    found = verdict(BAD, published=published)
    assert found.agrees is agrees
    assert (found.reason == "") is agrees


def test_the_metric_has_its_title_and_its_abbreviation() -> None:
    assert verdict(GOOD).title == "calibrated transfer ratio"
    assert verdict(GOOD).short == "CTR"


def test_as_json_a_verdict_has_its_curves_and_all_that_was_tried() -> None:
    record = verdict(GOOD, BAD).to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["holds"] is False
    assert record["holds_in_paper"] is True
    assert record["agrees"] is False
    assert record["sentence"] == "Bad: 0.5000. There should be a value."
    assert record["case"]["name"] == "bad"
    assert record["case"]["pairs"][0]["control"] == [[1]]
    assert [tried["case"] for tried in record["tried"]] == ["good", "bad"]
    assert record["tried"][0]["source"] == "5.1"
    assert record["tried"][0]["holds"] is True
    assert verdict(GOOD, published=None).to_dict()["published"] is None


def test_as_json_an_outcome_has_no_infinities() -> None:
    outcome = Outcome(math.inf, Interval(0.5, math.inf), 0.04)
    assert outcome.to_dict() == {
        "value": None,
        "interval": [0.5, None],
        "pvalue": 0.04,
        "undefined": None,
        "reason": "",
    }
    undefined = Outcome(None, undefined="single step")
    assert undefined.to_dict()["reason"] == (
        "with a single step there is no training to be saved."
    )


def test_a_pair_can_be_measured_again() -> None:
    curves = curve_pair("p", [[1, 2], [2, 3]], [3, 4], steps=None).curves
    assert curves.algorithms == ("control", "experimental")
    assert curves.scores.tolist() == [[1, 2], [2, 3], [3, 4]]
    assert curves.steps.tolist() == [1, 2]

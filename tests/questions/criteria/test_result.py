"""The verdicts as a mapping, as tables and as JSON."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from curvewise import Interval, Verdict
from curvewise.inference.result import Result
from curvewise.questions.criteria.ask import CRITERIA, curve_pair
from curvewise.questions.criteria.result import (
    CITATION,
    JUDGED,
    PUBLISHED,
    Case,
    CaseResult,
    Outcome,
)
from tests.questions.criteria.decided import DIFFERENCES, decided


def test_the_result_is_frozen_data_without_caveats() -> None:
    assert isinstance(decided(), Result)
    assert decided().caveats == ()
    assert decided().warnings == ()
    with pytest.raises(FrozenInstanceError):
        decided().seed = 3  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(decided()))  # noqa: S301
    assert again.to_dict() == decided().to_dict()


def test_the_metrics_judged_are_the_papers() -> None:
    assert JUDGED == {
        "transfer_ratio": "ratio",
        "transfer_regret": "regret",
        "calibrated_transfer_ratio": "CTR",
        "average_relative_reduction": "ARR",
    }


def test_verdicts_are_found_by_any_name_of_the_metric() -> None:
    criteria = decided()
    verdict = criteria["defined", "transfer_regret"]
    assert criteria["Defined", "regret"] is verdict
    assert criteria["defined", "Transfer Regret"] is verdict
    assert ("defined", "CTR") in criteria
    assert ("defined", "jumpstart") not in criteria
    with pytest.raises(KeyError, match="did you mean 'similar'"):
        criteria["simliar", "ratio"]
    with pytest.raises(KeyError, match="No criterion is called 'meaning'"):
        criteria.select("meaning")


def test_the_tables_have_every_cell_and_every_cross() -> None:
    table, crosses, why = decided().tables()
    assert [row[0] for row in table.rows] == list(CRITERIA)
    marked = {
        (row[0], metric)
        for row in table.rows
        for metric, cell in zip(JUDGED, row[1:], strict=True)
        if "(" in cell
    }
    assert marked == set(DIFFERENCES)
    assert len(crosses.rows) == sum(not v.holds for v in decided().values()) == 20
    assert len(why.rows) == len(DIFFERENCES)
    assert str(decided()).count("\n\n") == 2
    assert decided()._repr_html_().count("<table>") == 3
    assert len(decided().select("unitless").tables()) == 1


def test_as_json_everything_is_finite_and_complete() -> None:
    record = json.loads(json.dumps(decided().to_dict(), allow_nan=False))
    assert record["question"] == "criteria"
    assert [tuple(key) for key in record["differences"]] == DIFFERENCES
    assert len(record["verdicts"]) == 40
    for verdict in record["verdicts"]:
        for pair in verdict["case"]["pairs"]:
            assert len(pair["control"][0]) == len(pair["steps"])


def test_the_note_says_what_the_papers_own_cases_give() -> None:
    own = "drawn here with its table in view, its ticks and crosses come out."
    assert decided().table().notes[1].endswith(own)
    verdict = decided()["similar", "ratio"]
    contrary = replace(verdict, published=not verdict.published)
    other = replace(
        decided(), verdicts=tuple(contrary if v is verdict else v for v in decided().verdicts)
    )
    assert other.table().notes[1].endswith("1 cell would still differ.")
    (row,) = other.select("similar").table().rows
    assert row == ("similar", "(✓) ×", "✓", "✓", "✓")


def test_a_cross_says_whose_case_it_is() -> None:
    _, crosses, _ = decided().tables()
    cases = {(row[0], row[1]): row[2] for row in crosses.rows}
    assert cases["similar", "ratio"] == "Figure 4"
    assert cases["degenerate", "regret"] == "ours"


# --- The paper's Table 2 as it is printed.


def test_the_published_table_as_it_is_printed() -> None:
    ticks = [sum(PUBLISHED[c, metric] for c in CRITERIA) for metric in JUDGED]
    assert ticks == [5, 7, 7, 7]
    printed = {
        "transfer_ratio": "xxx✓✓✓xx✓✓",
        "transfer_regret": "✓✓x✓x✓x✓✓✓",
        "calibrated_transfer_ratio": "x✓✓✓✓xx✓✓✓",
        "average_relative_reduction": "xx✓✓✓✓✓✓x✓",
    }
    for metric, column in printed.items():
        assert [PUBLISHED[c, metric] for c in CRITERIA] == [s == "✓" for s in column]
    assert len(PUBLISHED) == 40


def test_the_source_is_cited() -> None:
    assert "Gorski & Laird (2009)" in CITATION
    assert "Table 2" in CITATION


# --- One verdict: which case decides, and whether the paper agrees.


def result(name: str, *, holds: bool, source: str = "") -> CaseResult:
    case = Case(
        name=name,
        wanted="there should be a value",
        pairs=(curve_pair("p", [1], [2]),),
        source=source,
    )
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
    results: tuple[CaseResult, ...], one_suffices: bool, holds: bool, deciding: CaseResult
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


@pytest.mark.parametrize(("published", "agrees"), [(True, False), (False, True), (None, True)])
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


def test_a_pair_can_be_measured_again() -> None:
    curves = curve_pair("p", [[1, 2], [2, 3]], [3, 4], steps=None).curves
    assert curves.algorithms == ("control", "experimental")
    assert curves.scores.tolist() == [[1, 2], [2, 3], [3, 4]]
    assert curves.steps.tolist() == [1, 2]

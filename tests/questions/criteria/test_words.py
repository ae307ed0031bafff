"""Every sentence about criteria: read them aloud."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from curvewise import Interval, describe
from curvewise.questions.criteria.result import Case, CaseResult, Outcome, Verdict
from curvewise.questions.criteria.tell import outcome_text, reason, sentence
from tests.questions.criteria.decided import decided


def test_the_words_tell_who_fails_what() -> None:
    text = describe(decided())
    assert text.startswith("Of 10 criteria the metrics meet: CTR 7 (not defined,")
    assert "6 verdicts of 40 differ" in text
    unitless = describe(decided().select("unitless"))
    assert unitless == (
        "Unitless: all of ratio, regret, CTR and ARR. Gorski & Laird (2009) found the same."
    )
    assert describe(decided().select("defined")).startswith("Defined: none of ratio,")
    assert describe(decided().select("similar")).startswith("Similar: regret, CTR and ARR;")


def test_of_criteria_that_the_paper_lacks_nothing_is_said_about_it() -> None:
    similar = decided().select("similar")
    ours = replace(similar, verdicts=tuple(replace(v, published=None) for v in similar.verdicts))
    assert describe(ours) == "Similar: regret, CTR and ARR; not ratio."


def test_one_difference_differs() -> None:
    assert describe(decided().select("defined")).endswith(
        "1 verdict of 4 differs from Table 2 of Gorski & Laird (2009): defined (regret)."
    )


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Outcome(None), "undefined"),
        (Outcome(0.21667), "0.2167"),
        (Outcome(-1e-15), "0"),
        (Outcome(0.5, Interval(0.25, 0.75)), "0.5000 (interval 0.2500 to 0.7500)"),
        (
            Outcome(0.5, Interval(0.25, 0.75), 0.0123),
            "0.5000 (interval 0.2500 to 0.7500, p = 0.0123)",
        ),
    ],
)
def test_an_outcome(outcome: Outcome, text: str) -> None:
    assert outcome_text(outcome) == text


def verdict(*results: CaseResult, **fields: Any) -> Verdict:
    given: dict[str, Any] = {"published": True, **fields}
    return Verdict("similar", "transfer_ratio", tried=results, **given)


def result(name: str, *outcomes: Outcome, holds: bool, note: str = "") -> CaseResult:
    pairs = decided()["similar", "ratio"].tried[1].case.pairs[: len(outcomes)]
    case = Case(name=name, wanted="the values should be equal", pairs=pairs, note=note)
    return CaseResult(case, outcomes, holds)


def test_the_sentence_names_the_deciding_case_and_its_values() -> None:
    good = result("first case", Outcome(1.0), holds=True)
    bad = result("second case", Outcome(1.0), Outcome(2.0), holds=False)
    assert sentence(verdict(good, good)) == ("First case: 1.000. Holds in 2 of 2 cases tried.")
    assert sentence(verdict(good, bad)) == (
        "Second case: 4a, squeezed: 1.000; 4b, whole range: 2.000. The values should be equal."
    )
    why = "all scores are equal, so the curves span no box."
    none = result("third case", Outcome(None, reason=why), holds=False)
    assert sentence(verdict(none)) == (
        "Third case: undefined (all scores are equal, so the curves span no box). The values "
        "should be equal."
    )
    assert sentence(verdict(bad, none, one_case_suffices=True)) == (
        "Second case: 4a, squeezed: 1.000; 4b, whole range: 2.000. The values should be equal. "
        "None of the 2 tried does."
    )


def test_the_reason_is_the_note_of_the_case_where_the_paper_differs() -> None:
    bad = result("a case", Outcome(1.0), holds=False, note="The paper overlooks this.")
    assert reason(verdict(bad)) == "The paper overlooks this."
    assert reason(verdict(bad, published=False)) == ""
    assert reason(verdict(bad, published=None)) == ""
    good = result("a case", Outcome(1.0), holds=True)
    assert reason(verdict(good, published=False)) == (
        "None of the cases tried makes the metric fail."
    )

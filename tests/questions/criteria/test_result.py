"""The verdicts as a mapping, as tables and as JSON."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from curvewise.inference.result import Result
from curvewise.questions.criteria.criteria import CRITERIA
from curvewise.questions.criteria.result import JUDGED
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
        decided(),
        verdicts=tuple(contrary if v is verdict else v for v in decided().verdicts),
    )
    assert other.table().notes[1].endswith("1 cell would still differ.")
    (row,) = other.select("similar").table().rows
    assert row == ("similar", "(✓) ×", "✓", "✓", "✓")


def test_a_cross_says_whose_case_it_is() -> None:
    _, crosses, _ = decided().tables()
    cases = {(row[0], row[1]): row[2] for row in crosses.rows}
    assert cases["similar", "ratio"] == "Figure 4"
    assert cases["degenerate", "regret"] == "ours"

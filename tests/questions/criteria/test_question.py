"""check_criteria(): every cell is computed, and the paper's table is reproduced on its cases."""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import check_criteria, transfer
from curvewise.questions.criteria import ask
from curvewise.questions.criteria import ask as cases
from curvewise.questions.criteria.ask import CRITERIA
from curvewise.questions.criteria.result import PUBLISHED
from tests.questions.criteria.decided import CELLS, DIFFERENCES, decided

if TYPE_CHECKING:
    from curvewise import Transfer
    from curvewise.questions.criteria.result import CurvePair


def test_every_cell_is_decided() -> None:
    assert list(decided()) == CELLS
    assert len(decided()) == 40
    for key, verdict in decided().items():
        assert (verdict.criterion, verdict.metric) == key
        assert verdict.published is PUBLISHED[key]
        assert len(verdict.values) == len(verdict.case.pairs)
        assert verdict.sentence


def test_the_paper_is_reproduced_on_its_own_cases() -> None:
    for key, verdict in decided().items():
        assert verdict.holds_in_paper is PUBLISHED[key], key


def test_it_differs_from_the_paper_where_it_is_said_to() -> None:
    assert [(v.criterion, v.metric) for v in decided().differences] == DIFFERENCES
    for verdict in decided().differences:
        assert not verdict.holds
        assert not verdict.case.source
        assert verdict.reason == verdict.case.note != ""
    assert all(v.reason == "" for v in decided().values() if v.agrees)


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "testable"])
def test_the_curves_that_are_kept_give_the_values_that_are_kept(criterion: str) -> None:
    @cache
    def again(pair: CurvePair) -> Transfer:
        return transfer(
            pair.curves,
            control="control",
            experimental="experimental",
            optimum=pair.optimum,
            integration=pair.integration,
            n_resamples=0,
            n_shuffles=2,
            rng=0,
        )

    for verdict in decided().select(criterion).values():
        for each in verdict.tried:
            for pair, value in zip(each.case.pairs, each.values, strict=True):
                assert again(pair).metrics[verdict.metric].value == value


def test_no_tick_rests_on_undefined_values() -> None:
    for verdict in decided().values():
        if verdict.holds:
            assert all(None not in each.values for each in verdict.tried)


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3))])
def test_only_testable_depends_on_chance_and_its_verdicts_do_not(seed: int) -> None:
    other = check_criteria(rng=seed)
    for key, verdict in other.items():
        assert verdict.holds is decided()[key].holds
        same = verdict.values == decided()[key].values
        assert same is (verdict.criterion != "testable")
    assert other.seed == seed


def test_the_same_rng_gives_the_same_result() -> None:
    again = check_criteria(rng=0)
    assert again.to_dict() == decided().to_dict()
    assert check_criteria(rng=np.random.default_rng(0)).seed is None


def test_testable_keeps_intervals_and_p() -> None:
    for verdict in decided().select("testable").values():
        (outcome,) = verdict.deciding.outcomes
        assert outcome.interval is not None
        assert outcome.value is not None
        assert outcome.interval.low < outcome.value < outcome.interval.high
        assert outcome.pvalue is not None
        assert 0 < outcome.pvalue <= 0.05
        assert "p = " in verdict.sentence


def test_an_eleventh_criterion_needs_no_published_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    (similar,) = [
        test
        for test in cases.CRITERIA["similar"](np.random.default_rng(0))
        if "multiplied" in test.case.name
    ]
    monkeypatch.setattr(ask, "CRITERIA", {"scalable": lambda _: iter([similar])})
    found = check_criteria()
    assert found.criteria == ("scalable",)
    for verdict in found.values():
        assert verdict.published is None
        assert verdict.holds
        assert verdict.agrees
    assert found.differences == ()
    assert found.to_dict()["verdicts"][0]["published"] is None
    assert found.describe() == "Scalable: all of ratio, regret, CTR and ARR."
    (table,) = found.tables()
    assert table.rows == (("scalable", "✓", "✓", "✓", "✓"),)
    assert len(found.figure().axes) == 4


def test_why_it_takes_no_options_of_shuffling_is_said() -> None:
    parameters = inspect.signature(check_criteria).parameters
    assert list(parameters) == ["rng"]
    for option in ("n_shuffles", "exact", "n_jobs", "checkpoint"):
        assert f"``{option}``" in (check_criteria.__doc__ or "")


def test_outcomes_say_why_a_value_is_missing() -> None:
    outcome = decided()["defined", "regret"].deciding.outcomes[0]
    assert outcome.value is None
    assert outcome.undefined == "all scores equal"
    assert outcome.reason == "all scores are equal, so the curves span no box."

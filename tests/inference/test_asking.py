"""The signature of a question says what can be asked, and everything else follows from it."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

import pytest

import curvewise as cw
from curvewise.inference.asking import asked_of
from curvewise.questions.compare.ask import compare
from curvewise.questions.contrast.ask import contrast
from curvewise.questions.gate.ask import gate
from tests.simulation import some_curves

CURVES = some_curves(0, (4, 4))
QUESTIONS = (
    *("aggregate", "best", "best_many", "calibrate", "compare", "compare_many", "compare_pairs"),
    *("compare_tasks", "contrast", "contrast_many", "estimate_power", "gate", "gate_many"),
    *("locate", "monitor", "overview", "plan", "transfer", "transfer_many"),
)


@pytest.mark.parametrize("name", QUESTIONS)
def test_annotations_can_be_read_at_run_time(name: str) -> None:
    question = getattr(cw, name)
    assert get_type_hints(question).keys() == {*inspect.signature(question).parameters, "return"}


def test_what_is_not_given_has_its_default() -> None:
    asked = asked_of(compare, curves=CURVES, alpha=1e-2)
    assert (asked.alpha, asked.error, asked.n_shuffles) == (0.01, "split", 9_999)
    assert asked.but(error="pooled").error == "pooled"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"curves": 3}, r"compare\(\) takes Curves, not a int"),
        ({"alpha": True}, "alpha must lie between 0 and 1"),
        ({"error": "none"}, "error must be 'split' or 'pooled', not 'none'"),
        ({"exact": 1}, "exact must be True or False, not 1"),
    ],
)
def test_an_option_is_checked_by_its_annotation(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cw.OptionError, match=message):
        asked_of(compare, **{"curves": CURVES, **options})


def test_an_unknown_option_is_an_error_of_the_caller() -> None:
    with pytest.raises(TypeError, match=r"compare\(\) got an unexpected keyword argument 'colour'"):
        asked_of(compare, curves=CURVES, colour="red")


def test_another_question_is_asked_with_the_options_that_both_have() -> None:
    asked = asked_of(compare, curves=CURVES, center="ranks", error="split", alpha=0.2)
    own = asked.to(contrast, coefficients={"A": 1, "B": -1}, alternative="less")
    assert own.curves is CURVES
    assert (own.center, own.alpha, own.alternative) == ("ranks", 0.2, "less")
    assert not hasattr(own, "error")


def test_options_that_exclude_each_other_are_refused_by_their_question() -> None:
    with pytest.raises(cw.OptionError, match="needs a margin above 0"):
        asked_of(gate, candidate="A", baseline="B", margin=0, two_sided=True)


def test_errors_of_members_have_their_name_and_those_of_the_family_none() -> None:
    tables: dict[str, Any] = {"maze": CURVES}
    with pytest.raises(cw.OptionError, match=r"^maze: error must be"):
        cw.compare_many(tables, error="none")  # type: ignore[arg-type]
    with pytest.raises(cw.OptionError, match=r"^alpha must lie"):
        cw.compare_many(tables, alpha=2)
    with pytest.raises(cw.OptionError, match=r"^compare_many\(\) takes Curves"):
        cw.compare_many({"maze": 3})  # type: ignore[dict-item]

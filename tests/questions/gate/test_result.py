"""What gates tell, as data and as tables."""

from __future__ import annotations

import json

import numpy as np

from curvewise import gate_many
from tests.questions.gate.runs import asked, curves_of

RNG = np.random.default_rng(0)
CURVES = curves_of(20 + RNG.normal(size=5), 20 + RNG.normal(size=5))


def test_to_dict_says_what_was_asked_and_found() -> None:
    record = asked(CURVES, margin=2, assumed=0.5).to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["answer"] == "pass"
    assert (record["margin"], record["unit"], record["assumed"]) == (2.0, "score", 0.5)
    assert record["n_runs"] == [5, 5]
    assert record["limits"] == record["limits_fail"]
    assert record["smallest_pvalue"] == 1 / 252


def test_an_open_end_is_none() -> None:
    record = asked(curves_of([1, 2], [2, 3.5]), margin=1).to_dict()
    assert record["limits"] == [None, None]
    assert record["n_enough"] == [3, 3]


def test_tables_name_roles_once() -> None:
    sides, _ = asked(CURVES, margin=2).tables()
    assert [row[:2] for row in sides.rows] == [("candidate", ""), ("baseline", "")]
    single = asked(curves_of([1], [1, 2, 3, 4]), margin=1).tables()[0]
    assert single.rows[0][-1] == ""


def test_the_smallest_p_is_that_of_the_test() -> None:
    assert asked(CURVES, margin=1, unit="sd").smallest_pvalue == 1 / 252
    drawn = asked(CURVES, margin=1, spread="unequal", n_shuffles=99)
    assert drawn.smallest_pvalue == 0.005
    sampled = asked(CURVES, margin=1, exact=False, n_shuffles=99)
    assert sampled.smallest_pvalue == 0.01


def test_a_family_shows_a_row_for_each() -> None:
    found = gate_many(
        {"a": CURVES, "b": CURVES}, candidate="candidate", baseline="baseline", margin=2
    )
    (table,) = found.tables()
    assert [row[0] for row in table.rows] == ["a", "b"]
    assert table.header[-1] == "answer"
    assert len(found) == 2
    assert found.to_dict()["answers"] == {"a": "pass", "b": "pass"}
    two = asked(CURVES, margin=2, two_sided=True).tables()[1]
    assert "interval for fail" in two.header
    assert "±2" in two.rows[0]
    assert "half of alpha at either end" in two.notes[0]
    worse = gate_many(
        {"a": CURVES, "b": CURVES}, candidate="candidate", baseline="baseline", margin=0.9
    )
    assert "after Holm's adjustment" in worse.tables()[0].notes[0]


def test_notes_say_what_is_compared() -> None:
    assert "typical runs" in str(asked(CURVES, margin=2, center="trimmed"))
    loss = curves_of([1, 2, 3], [1, 2, 4], higher_is_better=False)
    assert "Lower scores are better." in str(asked(loss, margin=2))


def test_only_a_pass_is_true() -> None:
    passes = asked(CURVES, margin=2)
    fails = asked(curves_of([1, 2, 3, 4.0], [11, 12, 13, 14.0]), margin=1)
    undecided = asked(curves_of([1, 2], [2, 3.5]), margin=1)
    answers = [own.answer for own in (passes, fails, undecided)]
    assert answers == ["pass", "fail", "undecided"]
    truths = [(bool(own), own.passed) for own in (passes, fails, undecided)]
    assert truths == [(True, True), (False, False), (False, False)]
    family = gate_many(
        {"a": CURVES, "b": curves_of([1, 2, 3, 4.0], [11, 12, 13, 14.0])},
        candidate="candidate",
        baseline="baseline",
        margin=2,
    )
    assert not family
    assert not family.passed

"""Several gates: all pass, any fails, in order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from curvewise import Curves, OptionError, gate, gate_many
from tests.questions.gate.runs import curves_of

ROLES: dict[str, Any] = {"candidate": "candidate", "baseline": "baseline", "rng": 0}


def member(moved: float, seed: int, n: int = 8) -> Curves:
    rng = np.random.default_rng(seed)
    return curves_of(rng.normal(size=n) + moved, rng.normal(size=n))


GOOD, MIDDLING, BAD = member(0.5, 1), member(-1, 2), member(-4, 3)


def test_all_pass_needs_each_to_pass() -> None:
    assert gate_many({"a": GOOD, "b": GOOD}, margin=1.5, **ROLES).answer == "pass"
    found = gate_many({"a": GOOD, "b": MIDDLING}, margin=1, **ROLES)
    assert (found.answer, found.answers["a"]) == ("undecided", "pass")
    assert found.describe().startswith("Undecided: not all gates pass, and none fails (margin 1)")
    assert "passed: a" in found.describe()


def test_any_fails_by_holm() -> None:
    members = {"a": GOOD, "b": MIDDLING, "c": BAD}
    found = gate_many(members, margin=1, **ROLES)
    assert found.answer == "fail"
    assert found.answered("fail") == ("c",)
    alone = gate(BAD, margin=1, **ROLES)
    assert found["c"].pvalue_fail == alone.pvalue_fail
    assert found["c"].pvalue_fail_adjusted == pytest.approx(3 * alone.pvalue_fail)
    assert found["c"].alpha_fail == pytest.approx(0.05 / 3)
    assert found["c"].limits_fail.high < -1
    assert found["c"].limits_fail.high > found["c"].limits.high
    assert "Fail: c fails after Holm's adjustment (margin 1)." in found.describe()


def test_members_agree_with_their_limits_after_adjustment() -> None:
    for seed in range(12):
        members = {str(n): member(-1 - n / 2, 10 * seed + n, 5) for n in range(4)}
        found = gate_many(members, margin=1, **ROLES)
        for own in found.values():
            assert (own.answer == "fail") == (own.limits_fail.high < -1)
            assert (own.answer == "pass") == (own.limits.low > -1)


def test_an_order_ends_at_the_first_without_a_pass() -> None:
    members = {"a": GOOD, "b": MIDDLING, "c": BAD}
    found = gate_many(members, margin=1, order=["a", "b", "c"], **ROLES)
    assert found.answers == {"a": "pass", "b": "undecided", "c": "not examined"}
    assert found.answer == "undecided"
    assert "Not examined: c" in found.describe() or "not examined: c" in found.describe()
    assert gate_many(members, margin=1, order=["c", "a", "b"], **ROLES).answer == "fail"


def test_each_has_a_margin_unit_and_measure_of_its_own() -> None:
    positive = Curves(GOOD.scores + 20, GOOD.labels)
    found = gate_many(
        {"a": GOOD, "b": positive},
        margin={"a": 1.5, "b": 0.1},
        unit={"a": "score", "b": "relative"},
        on={"a": "mean", "b": "final"},
        **ROLES,
    )
    assert (found["a"].margin_text, found["b"].margin_text) == ("1.5", "10%")
    assert (
        found["b"].pvalue_pass
        == gate(positive, margin=0.1, unit="relative", on="final", **ROLES).pvalue_pass
    )
    assert "margins 1.5 for a and 10% for b" in found.describe()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": {"a": 1}}, "margin has no value for 'b'"),
        ({"margin": {"a": 1, "b": 1, "z": 2}}, "margin names 'z', and no gate is called so"),
        ({"margin": 1, "order": ["a"]}, "order must name every gate once"),
        ({"margin": 1, "order": "ab"}, "order must name every gate once"),
        ({"margin": -1}, "a: margin must be 0 or more"),
    ],
)
def test_what_does_not_fit_is_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        gate_many({"a": GOOD, "b": BAD}, **options, **ROLES)
    with pytest.raises(OptionError, match="mapping from names"):
        gate_many({}, margin=1, **ROLES)


def test_too_many_gates_to_fail_are_told() -> None:
    members = {str(n): member(0, n, 3) for n in range(3)}
    found = gate_many(members, margin=1, **ROLES)
    assert "none of them can fail" in found.warnings[0]


@pytest.mark.slow
def test_wrong_all_passes_and_wrong_fails_are_at_most_alpha() -> None:
    answers = []
    for seed in range(100):
        members = {"a": member(-1.0, 2 * seed, 5), "b": member(3.0, 2 * seed + 1, 5)}
        answers.append(gate_many(members, margin=1, **ROLES).answer)
    # One is worse by exactly the margin, so both a pass and a fail are wrong.
    for answer in ("pass", "fail"):
        assert answers.count(answer) / 100 <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 100)

"""The verdict in words: the margin beside it, never a word of equality."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from curvewise import Curves, gate, gate_many
from curvewise.questions.gate.tell import advice, verdict
from tests.questions.gate.runs import asked, curves_of

RNG = np.random.default_rng(0)
BASE = RNG.normal(size=5)
BASE = (BASE - BASE.mean()) / BASE.std(ddof=1)
AS_GOOD = curves_of(BASE[::-1], BASE)


def test_an_undecided_gate_says_what_would_decide() -> None:
    text = asked(AS_GOOD, margin=1).describe()
    low = asked(AS_GOOD, margin=1).limits.low
    assert text.startswith(
        f"Undecided: the candidate may be up to {-low:.3f} worse than the baseline (margin 1)."
    )
    assert "14 runs of each (up to 23, should runs vary more) would decide in 4 of 5 cases" in text
    assert "if it is in truth as good as the baseline; there are 5." in text


def test_other_truths_and_powers_are_named() -> None:
    found = asked(AS_GOOD, margin=1, assumed=-0.5, power=0.9)
    assert "would decide in 90% of cases if it is in truth 0.5000 worse" in found.describe()
    worse = asked(AS_GOOD, margin=1, assumed=-1)
    assert "No number of runs would let a candidate pass that is in truth 1.000 worse" in (
        worse.describe()
    )
    tiny = asked(AS_GOOD, margin=1e-5)
    assert "Even 100,000 runs of each would not decide" in tiny.describe()


def test_more_runs_than_needed_are_told() -> None:
    rng = np.random.default_rng(1)
    wide = rng.normal(size=(2, 12))
    curves = curves_of(wide[0] - wide[0].mean() - 1.4, wide[1] - wide[1].mean())
    found = asked(curves, margin=1.5)
    assert found.answer == "undecided"
    assert "there are 12, and this one did not." in found.describe()


def test_a_larger_algorithm_is_told_apart() -> None:
    rng = np.random.default_rng(2)
    found = asked(curves_of(rng.normal(size=4), rng.normal(size=30)), margin=0.7)
    assert " runs of the candidate" in found.describe()
    other = asked(curves_of(rng.normal(size=30), rng.normal(size=4)), margin=0.1)
    assert " runs of the baseline" in other.describe()


def test_blocks_are_counted_as_such() -> None:
    curves = curves_of(BASE[::-1], BASE, blocks=[*range(5)] * 2)
    assert " blocks (up to " in asked(curves, margin=1).describe()


@pytest.mark.parametrize(
    ("moved", "options", "said"),
    [
        (0, {"margin": 9}, "Pass: the candidate is not worse than the baseline by more than"),
        (-9, {"margin": 1}, "Fail: the candidate is worse than the baseline by more than"),
        (9, {"margin": 0}, "Pass: the candidate is better than the baseline (margin 0, exact p"),
        (-9, {"margin": 0}, "Fail: the candidate is worse than the baseline (margin 0, exact p"),
        (0, {"margin": 9, "two_sided": True}, "Pass: the candidate differs from the baseline by"),
        (9, {"margin": 1, "two_sided": True}, "by more than the margin (margin ±1, exact p"),
        (5, {"margin": 5, "two_sided": True}, "better than the baseline (margin ±5)"),
    ],
)
def test_verdicts(moved: float, options: dict[str, Any], said: str) -> None:
    found = asked(curves_of(BASE[::-1] + moved, BASE), **options)
    assert said in verdict(found)
    assert verdict(found) in found.describe()


def test_names_are_used_where_there_are_names() -> None:
    curves = Curves(AS_GOOD.scores, ["new\x1b[31m"] * 5 + ["old"] * 5)
    found = gate(curves, candidate="new\x1b[31m", baseline="old", margin=9)
    assert "new\\x1b[31m is not worse than old" in found.describe()
    assert "\x1b" not in found.describe()


def test_lower_is_better_is_said() -> None:
    loss = curves_of(BASE, BASE + 0.1, higher_is_better=False)
    assert "(lower is better)" in asked(loss, margin=1).describe()


def test_advice_is_what_to_do_next() -> None:
    assert "may replace the baseline" in advice(asked(AS_GOOD, margin=9))
    assert "14 runs of each" in advice(asked(AS_GOOD, margin=1))
    assert "ask of those alone" in advice(asked(AS_GOOD, margin=1))
    bad = curves_of(BASE - 9, BASE)
    assert "locate()" in advice(asked(bad, margin=1))
    few = curves_of(BASE[:2], BASE[:2] + 0.1)
    assert "Make at least 3 + 3 runs." in advice(asked(few, margin=1))
    assert "alone" not in advice(asked(few, margin=1))  # these could not have decided
    roles: dict[str, Any] = {"candidate": "candidate", "baseline": "baseline"}
    family = gate_many({"x": AS_GOOD, "y": AS_GOOD}, margin={"x": 9, "y": 1}, **roles)
    assert advice(family).startswith("y: 14 runs of each")
    every = asked(AS_GOOD, margin=0.5, on="every step")
    assert advice(every).startswith("Make new runs and ask of those alone")


def test_one_gate_of_a_family_passes() -> None:
    roles: dict[str, Any] = {"candidate": "candidate", "baseline": "baseline"}
    found = gate_many({"x": AS_GOOD}, margin=9, **roles)
    assert found.describe() == "Pass: the gate passes (margin 9; α = 0.05 each)."


def test_few_runs_of_the_candidate_pass_on_a_condition() -> None:
    old = np.random.default_rng(3).normal(size=19)
    for runs in ([0.1], [0.1, 0.2]):
        found = asked(curves_of(runs, old), margin=4)
        assert (found.answer, found.test) == ("pass", "shuffle")
        assert found.condition == found.to_dict()["condition"] == "equal spread"
        start = "Pass: if its runs vary as those of the baseline, the candidate is not worse"
        assert found.describe().startswith(start)
        assert found.headline().startswith("Pass: if runs vary alike, ")
    some = asked(curves_of([0.1, 0.2, 0.0], old), margin=4)
    assert (some.answer, some.test, some.condition) == ("pass", "both", None)
    assert "vary as those" not in some.describe()
    few = asked(curves_of([0.1, 0.2], old[:3]), margin=4)
    assert few.describe().startswith("Undecided: with 2 + 3 runs no result could pass")


def test_it_is_said_what_equal_spread_would_give() -> None:
    old = np.random.default_rng(3).normal(size=19)
    for sign, answer in ((1, "pass"), (-1, "fail")):
        curves = curves_of(sign * np.array([-0.5, 1.5, 5]), old)
        found = asked(curves, margin=0)
        assert (found.answer, found.answer_equal) == ("undecided", answer)
        said = f"It would {answer} if runs of the candidate vary as those of the baseline."
        assert said in found.describe()
        alone = asked(curves, margin=0, spread="equal")
        assert (alone.answer, alone.answer_equal) == (answer, None)

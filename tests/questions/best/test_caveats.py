from __future__ import annotations

import json

import pytest

from curvewise.inference.caveats import DifferentSpread
from curvewise.questions.best.result import (
    KeptUncompared,
    SpreadsOnTasks,
    TooFewOnTasks,
    TooFewToRuleOut,
)
from curvewise.text import naming_flags


@pytest.mark.parametrize(
    ("caveat", "remedy", "typed"),
    [
        (
            TooFewToRuleOut(("B", "C"), 0.15, 0.05, 3, True, 4),
            'Use 4 runs of each algorithm, or adjust="max-t".',
            "Use 4 runs of each algorithm, or --adjust max-t.",
        ),
        (
            TooFewToRuleOut(("B", "C"), 0.15, 0.05, 3, True, None),
            'Use more runs, or adjust="max-t".',
            "Use more runs, or --adjust max-t.",
        ),
        # Of two algorithms max-t would be the same test.
        (
            TooFewToRuleOut(("B", "C"), 0.15, 0.05, 2, True, 4),
            "Use 4 runs of each algorithm.",
            "Use 4 runs of each algorithm.",
        ),
        (
            TooFewToRuleOut(("B", "C"), 0.15, 0.05, 3, False, 4),
            "Use at least n_shuffles=59.",
            "Use at least --shuffles 59.",
        ),
    ],
)
def test_too_few_to_rule_out_says_what_to_do(
    caveat: TooFewToRuleOut, remedy: str, typed: str
) -> None:
    what = (
        "With these runs the smallest p possible is 0.150 after adjustment, which is above "
        "alpha = 0.05: no data could rule out B and C as the best. "
    )
    assert caveat.sentence() == what + remedy
    with naming_flags():
        assert caveat.sentence() == what + typed


def test_of_many_algorithms_six_are_named() -> None:
    caveat = TooFewToRuleOut(tuple("ABCDEFGH"), 0.15, 0.05, 8, True, None)
    assert "could rule out A, B, C, D, E, F and 2 more as the best." in caveat.sentence()


def test_what_is_kept_uncompared() -> None:
    caveat = KeptUncompared("C", "A", "No block holds both.")
    assert caveat.sentence() == (
        "C is kept, since it cannot be compared with A: No block holds both."
    )
    assert json.loads(json.dumps(caveat.to_dict())) == {
        "kind": "kept uncompared",
        "algorithm": "C",
        "leader": "A",
        "reason": "No block holds both.",
    }


@pytest.mark.parametrize(
    ("adjust", "alone", "remedy"),
    [
        ("bonferroni", True, 'Use more runs, or adjust="bh".'),
        ("bonferroni", False, "Use more runs."),
        ("bh", False, "Use more runs."),
    ],
)
def test_too_few_on_tasks_says_what_to_do(adjust: str, alone: bool, remedy: str) -> None:
    caveat = TooFewOnTasks(57, 0.452, 0.05, adjust, alone)
    assert caveat.sentence() == (
        "With these runs the smallest p possible is 0.452 after adjustment for 57 tasks, which is "
        "above alpha = 0.05: no data could rule out any algorithm as the best on any of them. "
        + remedy
    )


def test_spreads_on_tasks_quote_the_widest() -> None:
    widest = DifferentSpread("A", "B", float("inf"), "curve means", (5, 5))
    caveat = SpreadsOnTasks(("x", "y\x1b"), 9, "y\x1b", widest)
    assert caveat.doubts_means
    assert caveat.sentence() == (
        "On 2 of 9 tasks the runs of some algorithms vary more than those of others, most on "
        f"y\\x1b: {widest.sentence()}"
    )
    record = json.loads(json.dumps(caveat.to_dict(), allow_nan=False))
    assert record["kind"] == "spreads on tasks"
    assert record["members"] == ["x", "y\x1b"]
    assert record["wide"] == "A"

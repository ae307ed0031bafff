from __future__ import annotations

import json

import pytest

from curvewise.questions.best.caveats import KeptUncompared, TooFewToRuleOut
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

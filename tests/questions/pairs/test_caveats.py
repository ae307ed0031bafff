from __future__ import annotations

import json

import pytest

from curvewise.questions.pairs.result import LeftOut, TooManyPairs
from curvewise.text import naming_flags


@pytest.mark.parametrize(
    ("caveat", "remedy", "typed"),
    [
        (
            TooManyPairs(15, 15 / 126, 0.05, True, 6, "closed"),
            'Use 6 runs of each algorithm, or adjust="closed".',
            "Use 6 runs of each algorithm, or --adjust closed.",
        ),
        (
            TooManyPairs(15, 15 / 126, 0.05, True, None, "max-t"),
            'Use more blocks that hold both algorithms of a pair, or adjust="max-t".',
            "Use more blocks that hold both algorithms of a pair, or --adjust max-t.",
        ),
        (
            TooManyPairs(15, 15 / 126, 0.05, False, 6, "closed"),
            "Use at least n_shuffles=299.",
            "Use at least --shuffles 299.",
        ),
    ],
)
def test_too_many_pairs_say_what_to_do(caveat: TooManyPairs, remedy: str, typed: str) -> None:
    what = (
        "With these runs the smallest p possible is 0.119 after adjustment for 15 pairs, "
        "which is above alpha = 0.05: no data could be significant. "
    )
    assert caveat.sentence() == what + remedy
    with naming_flags():
        assert caveat.sentence() == what + typed


def test_of_one_pair_no_other_adjustment_helps() -> None:
    assert TooManyPairs(1, 0.1, 0.05, True, 4, None).sentence() == (
        "With these runs the smallest p possible is 0.100 after adjustment for 1 pair, which "
        "is above alpha = 0.05: no data could be significant. Use 4 runs of each algorithm."
    )


def test_pairs_left_out_are_named_up_to_three() -> None:
    pairs = ("A and B", "A and C", "A and D", "B and C", "B and D")
    assert LeftOut(pairs[:3], "Why.").sentence() == ("Left out: A and B; A and C; A and D. Why.")
    assert LeftOut(pairs, "Why.").sentence() == (
        "Left out: A and B; A and C; A and D; and 2 other pairs. Why."
    )


def test_caveats_are_data() -> None:
    shown = json.loads(json.dumps(TooManyPairs(3, 0.1, 0.05, True, None, None).to_dict()))
    assert shown == {
        "kind": "too many pairs",
        "n_pairs": 3,
        "smallest_pvalue": 0.1,
        "alpha": 0.05,
        "by_runs": True,
        "n_enough": None,
        "instead": None,
    }
    assert json.loads(json.dumps(LeftOut(("A and B",), "Why.").to_dict())) == {
        "kind": "left out",
        "pairs": ["A and B"],
        "reason": "Why.",
    }

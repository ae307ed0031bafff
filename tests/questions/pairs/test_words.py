"""Every sentence about pairs, in full: read them aloud."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from curvewise import Pairs, compare_pairs
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Pair


@cache
def _pair() -> Pair:
    return compare_pairs(some_curves(0, (5, 5)))[0]


def pair(a: str, b: str, height: float, shape: float | None, difference: float) -> Pair:
    """A pair with these adjusted p and this difference; no p is below 1 / 10,000."""
    found = _pair()
    assert found.interaction is not None
    return replace(
        found,
        a=a,
        b=b,
        algorithm=replace(found.algorithm, pvalue_adjusted=height),
        interaction=None if shape is None else replace(found.interaction, pvalue_adjusted=shape),
        difference=difference,
        n_relabellings=10_000,
    )


def pairs(*found: Pair, **fields: Any) -> Pairs:
    names = tuple(dict.fromkeys(name for each in found for name in (each.a, each.b)))
    given: dict[str, Any] = {"adjust": "holm", "error": "split", "alpha": 0.05}
    return Pairs(pairs=found, algorithms=names, **{**given, "caveats": (), **fields})


PROMISE = (
    "For each question the chance of any false claim is at most 0.05. Pairs that were not "
    "told apart may still differ."
)
THREE = (
    pair("PPO", "DQN", 0.035, 0.3, 5.3),
    pair("PPO", "SAC", 0.012, 0.03, -2.25),
    pair("DQN", "SAC", 0.5, 0.05, 0.4),
)
MANY = [
    pair(a, b, 0.01 + number / 1_000, 0.9, 1.0)
    for number, (a, b) in enumerate(combinations("ABCDE", 2))
]


@pytest.mark.parametrize(
    ("found", "paragraph"),
    [
        (
            pairs(*THREE),
            "After Holm's adjustment, 2 of 3 pairs differ in height: SAC > PPO by 2.250 "
            "(p = 0.012); PPO > DQN by 5.300 (p = 0.035). After Holm's adjustment, 2 of 3 "
            "pairs differ in shape: SAC and PPO (p = 0.030); DQN and SAC (p = 0.050). " + PROMISE,
        ),
        (
            pairs(*THREE, higher_is_better=False, adjust="bonferroni"),
            "After Bonferroni's adjustment, 2 of 3 pairs differ in height (lower is better): "
            "PPO < SAC by 2.250 (p = 0.012); DQN < PPO by 5.300 (p = 0.035). After "
            "Bonferroni's adjustment, 2 of 3 pairs differ in shape: PPO and SAC (p = 0.030); "
            "SAC and DQN (p = 0.050). " + PROMISE,
        ),
        (
            pairs(*THREE, adjust="closed"),
            "After closed testing, 2 of 3 pairs differ in height: SAC > PPO by 2.250 "
            "(p = 0.012); PPO > DQN by 5.300 (p = 0.035). After closed testing, 2 of 3 "
            "pairs differ in shape: SAC and PPO (p = 0.030); DQN and SAC (p = 0.050). " + PROMISE,
        ),
        (
            pairs(*THREE, adjust="max-t"),
            "After adjustment by the largest statistic (max-t), 2 of 3 pairs differ in "
            "height: SAC > PPO by 2.250 (p = 0.012); PPO > DQN by 5.300 (p = 0.035). After "
            "adjustment by the largest statistic (max-t), 2 of 3 pairs differ in shape: SAC "
            "and PPO (p = 0.030); DQN and SAC (p = 0.050). " + PROMISE.replace("at most", "about"),
        ),
        (
            pairs(pair("PPO", "DQN", 0.035, None, 5.3), pair("PPO", "SAC", 0.4, None, 0.1)),
            "After Holm's adjustment, 1 of 2 pairs differs in height: PPO > DQN by 5.300 "
            "(p = 0.035). " + PROMISE,
        ),
        (
            pairs(pair("PPO", "DQN", 0.4, 0.3, 5.3), pair("PPO", "SAC", 0.6, 0.9, 0.1)),
            "After Holm's adjustment, no difference in height was detected in any of 2 pairs "
            "(smallest adjusted p = 0.40). After Holm's adjustment, no difference in shape "
            "was detected in any of 2 pairs (smallest adjusted p = 0.30). " + PROMISE,
        ),
        (
            pairs(*MANY),
            "After Holm's adjustment, 10 of 10 pairs differ in height: A > B by 1.000 "
            "(p = 0.010); A > C by 1.000 (p = 0.011); A > D by 1.000 (p = 0.012); A > E by "
            "1.000 (p = 0.013); B > C by 1.000 (p = 0.014); B > D by 1.000 (p = 0.015); and "
            "4 more. After Holm's adjustment, no difference in shape was detected in any of "
            "10 pairs (smallest adjusted p = 0.90). " + PROMISE,
        ),
        (
            pairs(*(replace(each, n_relabellings=10) for each in THREE)),
            (
                "Which of 3 pairs differ cannot be decided with so few runs after Holm's "
                "adjustment: the smallest p possible is 0.30, above α = 0.05."
            ),
        ),
        (pairs(), "No pair could be compared; the warnings say why."),
        # Of two algorithms there is one pair, and nothing to adjust for.
        (
            pairs(pair("PPO", "DQN", 0.035, 0.3, 5.3)),
            (
                "PPO and DQN differ in height: PPO > DQN by 5.300 (p = 0.035). No difference in "
                "shape was detected (p = 0.30). For each question the chance of any false claim "
                "is at most 0.05."
            ),
        ),
        (
            pairs(pair("PPO", "DQN", 0.035, 0.002, 5.3), higher_is_better=False),
            (
                "PPO and DQN differ in height (lower is better): PPO > DQN by 5.300 (p = 0.035). "
                "PPO and DQN differ in shape (p = 0.0020). For each question the chance of any "
                "false claim is at most 0.05."
            ),
        ),
        (
            pairs(pair("PPO", "DQN", 0.35, None, 5.3), adjust="max-t"),
            (
                "No difference in height was detected (p = 0.35). For each question the chance "
                "of any false claim is about 0.05."
            ),
        ),
        (
            pairs(replace(pair("PPO", "DQN", 0.1, 0.1, 5.3), n_relabellings=10)),
            (
                "Whether PPO and DQN differ cannot be decided with so few runs: the smallest p "
                "possible is 0.10, above α = 0.05."
            ),
        ),
        (
            pairs(pair("red \x1b[31m", "DQN", 0.035, 0.03, 5.3), THREE[2]),
            "After Holm's adjustment, 1 of 2 pairs differs in height: red \\x1b[31m > DQN by "
            "5.300 (p = 0.035). After Holm's adjustment, 2 of 2 pairs differ in shape: red "
            "\\x1b[31m and DQN (p = 0.030); DQN and SAC (p = 0.050). " + PROMISE,
        ),
    ],
    ids=[
        "some",
        "lower is better",
        "by closed testing",
        "by max-t",
        "height only",
        "none",
        "more than six",
        "undecidable",
        "empty",
        "one pair",
        "one pair, lower is better",
        "one pair, no shape",
        "one pair, undecidable",
        "odd names",
    ],
)
def test_the_paragraph(found: Pairs, paragraph: str) -> None:
    assert found.describe() == paragraph

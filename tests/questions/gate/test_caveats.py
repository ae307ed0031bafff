"""When a gate warns, and in which words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from curvewise.questions.gate.result import GateOutOfReach
from curvewise.text import naming_flags
from tests.questions.gate.runs import asked, curves_of
from tests.simulation import some_curves


def kinds(candidate: Any, baseline: Any, **options: Any) -> list[str]:
    found = asked(curves_of(candidate, baseline), **{"margin": 1.0, **options})
    return [caveat.kind for caveat in found.caveats]


RNG = np.random.default_rng(0)
WIDE, NARROW = 9 * RNG.normal(size=6), 0.5 * RNG.normal(size=14)


def test_runs_that_cannot_decide_are_told_with_what_could() -> None:
    found = asked(curves_of([1, 2], [2, 3.5]), margin=1)
    (warning,) = found.warnings
    assert warning == (
        "With 2 + 2 runs the smallest one-sided p possible is 0.167, which is above alpha = "
        "0.05: no result could pass or fail. 3 + 3 runs could."
    )


def test_blocks_that_cannot_decide_are_told_with_how_many_could() -> None:
    curves = curves_of([1, 2, 3], [2, 2.5, 4], blocks=[1, 2, 3] * 2)
    found = asked(curves, margin=1)
    assert "5 such blocks could." in found.warnings[0]
    assert found.n_enough == (5, 5)


def test_unequal_spread_matters_for_unequal_numbers_of_runs() -> None:
    assert "spread matters" in kinds(WIDE, NARROW, spread="equal")
    assert "spread matters" in kinds(NARROW, WIDE, spread="equal")
    assert "spread matters" in kinds(WIDE, NARROW[:6])
    assert kinds(WIDE, WIDE + 1) == []
    same = asked(curves_of(WIDE, NARROW[:6]), margin=1).warnings[0]
    assert "skewed as well, as where some of them fail" in same
    assert "welch is approximate" in kinds(WIDE, NARROW)
    found = asked(curves_of(WIDE, NARROW), margin=1, spread="equal")
    (told,) = found.warnings
    assert "wrong passes and wrong fails are then more frequent than alpha" in told
    with naming_flags():
        assert "use --spread unequal, or have as many runs of each" in found.warnings[0]
    trimmed = asked(curves_of(WIDE, NARROW), margin=1, center="trimmed")
    assert "To be safe, have as many runs of each." in trimmed.warnings[0]
    other = asked(curves_of(NARROW, WIDE), margin=1, spread="equal")
    assert "more frequent than alpha" in other.warnings[0]
    few = asked(curves_of(NARROW[:5], np.tile(WIDE, 3)), margin=1, spread="equal")
    assert "decides too seldom" in few.warnings[0]


def test_what_is_assumed_is_told() -> None:
    assert kinds(WIDE, WIDE + 1, unit="sd") == ["assumes normal"]
    assert kinds([1], [1, 2, 3, 4, 5, 6]) == ["gate out of reach", "single run"]
    assert "few runs for ranks" in kinds(WIDE, WIDE + 1, center="ranks")
    curves = some_curves(0, (5, 5))
    from curvewise import gate

    found = gate(curves, candidate="A", baseline="B", margin=1, on="every step")
    assert [caveat.kind for caveat in found.caveats] == ["every step is strict"]


def test_too_few_shuffles_are_told() -> None:
    assert kinds(WIDE, WIDE + 1, exact=False, n_shuffles=9) == ["too few shuffles"]


@pytest.mark.parametrize("n_blocks", [None, 5])
def test_a_sentence_without_a_remedy_ends_all_the_same(n_blocks: int | None) -> None:
    told = GateOutOfReach((2, 2), None, 0.2, 0.05, n_blocks).sentence()
    assert told.endswith(".")

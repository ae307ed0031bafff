"""Words about a look: they quote the sequential p only, and never say equal."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from curvewise import monitor, scenario
from curvewise.text import p_short
from tests.questions.monitor.batched import batched
from tests.questions.monitor.test_result import looked_at

if TYPE_CHECKING:
    from curvewise import Monitoring


def last_look(*heights: float) -> Monitoring:
    curves = batched(5, 4, heights=heights)
    return monitor(curves, seed=1, n_shuffles=499, n_batches=4)


def advised(*heights: float) -> Monitoring:
    return looked_at(*heights, n_batches=3, effect=scenario("lift", 0.1))


ALL = {
    "different": lambda: looked_at(0, 4),
    "go on": lambda: looked_at(0, 0),
    "first look": lambda: looked_at(0, 0, n_batches=1),
    "stated": lambda: looked_at(0, 0, effect=scenario("lift", 9)),
    "advised": lambda: advised(0, 0),
    "not decided": lambda: last_look(0, 0),
    "several go on": lambda: looked_at(0, 0, 6),
    "several alike": lambda: last_look(0, 0, 0),
    "several advised": lambda: advised(0, 0, 6),
    "many pairs": lambda: looked_at(0, 6, 12, 18, 24),
}


@pytest.mark.parametrize("name", ALL)
def test_every_look_quotes_its_p_its_plan_and_what_is_spent(name: str) -> None:
    found = ALL[name]()
    said = found.describe()
    assert f"(plan {found.plan_id})" in said
    assert f"at most {found.alpha:g}" in said
    assert not re.search(r"\b(same|no difference\.|equivalent)", said)
    assert "equal" not in said.replace("no evidence that they are equal", "").replace(
        "no evidence that algorithms are equal", ""
    )
    assert "  " not in said


def test_a_stop_says_what_differs_and_that_sizes_are_overstated() -> None:
    found = looked_at(0, 4)
    said = found.describe()
    p = p_short(found.overall.pvalue_sequential)
    since = found.overall.rejected_at
    assert said.startswith(
        f"Stop: A and B differ (sequential p = {p}, found at look {since} of 4). They differ in "
        "height (p ="
    )
    assert "A difference in shape was not found; the batches still planned may show one" in said
    assert re.search(
        r"A scores [\d.]+ less than B, as estimated; sequential designs overstate it\.", said
    )
    lower = replace(found, higher_is_better=False)
    assert "less than B (lower is better), as estimated" in lower.describe()


def test_going_on_says_how_many_runs_come_next() -> None:
    said = looked_at(0, 0).describe()
    assert said.startswith("Go on: after look 2 of 4 (8 runs of each) no difference between A")
    assert "Next batch: 4 runs each of A and B." in said
    first = looked_at(0, 0, n_batches=1).describe()
    assert "So few runs could not have shown any: the smallest p possible is 0.11." in first
    stated = looked_at(0, 0, effect=scenario("lift", 9)).describe()
    assert "If there is a lift of 9, the chance to find it by look 4 is 100%." in stated
    several = looked_at(0, 0, 6).describe()
    assert "2 of 3 pairs differ: A < C by " in several
    assert "Next batch: 4 runs each of A and B; C gets no more." in several
    assert "p is sequential, and adjusted by Holm." in several


def test_what_was_not_decided_is_no_evidence() -> None:
    said = last_look(0, 0).describe()
    assert said.startswith("Stop: not decided. After all 4 looks (16 runs of each) no difference")
    assert "That is no evidence that they are equal. More runs would be a new" in said
    several = last_look(0, 0, 0).describe()
    assert "no two of A, B and C were told apart (smallest sequential p = " in several
    assert "That is no evidence that algorithms are equal. More runs would be a" in several


def test_advice_says_what_the_chance_is_and_that_it_does_not_bind() -> None:
    said = advised(0, 0).describe()
    assert said.startswith("Stopping is advised: after look 3 of 4 (12 runs of each)")
    assert "If there is a lift of 0.1, the chance to find it by look 4 is " in said
    assert "This is no evidence that they are equal. Going on is allowed: alpha holds" in said
    several = advised(0, 0, 6).describe()
    assert "If there is a lift of 0.1 between A and B, the chance to find it" in several
    assert "Not to be told apart is no evidence that algorithms are equal." in several


def test_of_many_pairs_some_are_named() -> None:
    assert "; and 4 more." in looked_at(0, 6, 12, 18, 24).describe()


def test_several_chances_are_listed() -> None:
    said = looked_at(0, 0, 0, effect=scenario("lift", 9)).describe()
    assert "the chance to find it by look 4 is A and B 100%; A and C 100%;" in said


def test_unequal_runs_are_told_as_a_range() -> None:
    curves = batched(0, 2)
    found = monitor(curves.with_blocks(curves.blocks), seed=1, n_shuffles=99, batch_size=5)
    assert "(8 runs of each)" in found.describe()
    fewer = replace(found, batches={"1": {"A": 4, "B": 3}, "2": {"A": 4, "B": 4}})
    assert "(7 to 8 runs of each)" in fewer.describe()


def test_a_stop_at_the_last_look_promises_no_further_batches() -> None:
    said = last_look(0, 4).describe()
    assert said.startswith("Stop: A and B differ")
    assert "A difference in shape was not found. Averaged over training" in said


def test_what_differs_in_neither_height_nor_shape_for_sure_differs_all_the_same() -> None:
    found = looked_at(0, 4)
    unknown = replace(found.algorithm, pvalues_adjusted=(0.2, 0.2))
    pair = replace(found.pairs[0], algorithm=unknown)
    said = replace(found, pairs=(pair,), algorithm=unknown).describe()
    assert "A difference in height or shape was not found" in said

"""Looks at an experiment: answers, next batches, several algorithms, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvewise import Curves, CurvesError, OptionError, monitor, scenario
from tests.questions.monitor.batched import batched, first, rows_of
from tests.questions.monitor.test_batches import without

FEW: dict[str, Any] = {"seed": 1, "n_shuffles": 199}


def test_alike_algorithms_go_on_until_nothing_is_left() -> None:
    curves = batched(0, n_batches=3)
    answers = [monitor(first(curves, look), n_batches=3, **FEW).answer for look in (1, 2, 3)]
    assert answers == ["go on", "go on", "stop: not decided"]
    found = monitor(first(curves, 2), n_batches=3, **FEW)
    assert found.next_batch == {"A": 4, "B": 4}
    assert found.spent == pytest.approx(0.05 * 2 / 3)
    assert found.look == 2
    assert found.n_runs == {"A": 8, "B": 8}
    assert monitor(curves, n_batches=3, **FEW).next_batch == {"A": 0, "B": 0}


def test_a_difference_stops_and_is_never_withdrawn() -> None:
    curves = batched(1, n_batches=4, heights=(0, 3))
    seen = []
    for look in range(1, 5):
        found = monitor(first(curves, look), n_batches=4, **FEW)
        seen.append(found.overall.rejected_at)
        if found.overall.significant:
            assert found.answer == "stop: different"
            assert found.next_batch == {"A": 0, "B": 0}
    known = [look for look in seen if look is not None]
    assert known
    assert len(set(known)) == 1
    assert seen == [None] * (known[0] - 1) + known
    assert found.algorithm.significant
    assert not found.interaction.significant
    (pair,) = found.pairs
    assert pair.overall is found.overall
    assert pair.difference < -2


@given(st.integers(0, 10**6))
@settings(max_examples=5, deadline=None)
def test_looks_one_by_one_and_all_at_once_agree(seed: int) -> None:
    curves = batched(seed, n_batches=3, size=3, heights=(0, 1, 2))
    options: dict[str, Any] = {**FEW, "n_batches": 3, "batch_size": 3}
    whole = monitor(curves, **options)
    for look in (1, 2):
        found = monitor(first(curves, look), **options)
        for name in ("overall", "algorithm", "interaction"):
            assert found.effect(name).pvalues == whole.effect(name).pvalues[:look]
            for pair, later in zip(found.pairs, whole.pairs, strict=True):
                at, then = pair.effect(name), later.effect(name)
                assert at.pvalues_adjusted == then.pvalues_adjusted[:look]
                if at.rejected_at is not None:
                    assert then.rejected_at == at.rejected_at


@given(st.integers(0, 10**6))
@settings(max_examples=5, deadline=None)
def test_neither_the_order_of_runs_nor_that_of_algorithms_matters(seed: int) -> None:
    curves = batched(seed, n_batches=2, heights=(0, 1, 2))
    rng = np.random.default_rng(seed)
    other = rows_of(curves, rng.permutation(curves.n_runs))
    one, two = (monitor(own, n_batches=2, **FEW) for own in (curves, other))
    assert one.plan_id == two.plan_id
    pairs = {frozenset((pair.a, pair.b)): pair for pair in two.pairs}
    for pair in one.pairs:
        same = pairs[frozenset((pair.a, pair.b))]
        assert same.overall.pvalues == pair.overall.pvalues
        assert abs(same.difference) == pytest.approx(abs(pair.difference))


# --- several algorithms


def test_who_is_decided_gets_no_more_runs() -> None:
    curves = batched(5, n_batches=2, heights=(0, 0, 6))
    options: dict[str, Any] = {"seed": 1, "n_shuffles": 999, "n_batches": 5}
    found = monitor(curves, **options)
    assert found.answer == "go on"
    assert found.next_batch == {"A": 4, "B": 4, "C": 0}
    more = without(batched(5, n_batches=3, heights=(0, 0, 6)), ("C", "3"))
    later = monitor(more, **options)
    assert [pair.n_looks for pair in later.pairs] == [3, 2, 2]
    assert later.pairs[1].overall.pvalues[:2] == found.pairs[1].overall.pvalues
    assert later.pairs[1].overall.pvalues[2] == found.pairs[1].overall.pvalues[1]
    assert later.n_runs == {"A": 12, "B": 12, "C": 8}
    assert later.next_batch["C"] == 0


def test_who_is_not_decided_must_not_be_missing_unless_given_up() -> None:
    curves = without(batched(5, n_batches=3, heights=(0, 0, 0)), ("C", "2"), ("C", "3"))
    with pytest.raises(
        CurvesError,
        match=r"Batch '2' has no runs of 'C'\. .* Against 'A' and 'B' nothing is decided yet; if "
        "'C' gets no more runs, give_up=\"C\" says so",
    ):
        monitor(curves, **FEW)
    found = monitor(curves, give_up=["C"], **FEW)
    assert [pair.status for pair in found.pairs] == ["undecided", "given up", "given up"]
    assert found.next_batch == {"A": 4, "B": 4, "C": 0}
    both = without(curves, ("B", "3"))
    with pytest.raises(CurvesError, match=r"Batch '3' has no runs of 'B'.*Against 'A'"):
        monitor(both, give_up=["C"], **FEW)
    ended = monitor(both, give_up=["B", "C"], **FEW)
    assert ended.answer == "stop: not decided"
    assert set(ended.next_batch.values()) == {0}


def test_all_pairs_different_is_a_stop() -> None:
    found = monitor(batched(6, 3, heights=(0, 8, 16)), seed=1, n_shuffles=999)
    assert found.answer == "stop: different"
    assert all(pair.status == "different" for pair in found.pairs)


# --- what a stated effect adds


def test_stopping_is_advised_where_a_stated_effect_has_little_chance() -> None:
    curves = batched(0, n_batches=4)
    options: dict[str, Any] = {**FEW, "n_batches": 5}
    plain = monitor(curves, **options)
    advised = monitor(curves, effect=scenario("lift", 0.3), **options)
    assert advised.answer == "stopping advised"
    assert advised.next_batch == {"A": 0, "B": 0}
    assert advised.pairs[0].chance is not None
    assert advised.pairs[0].chance < 0.1
    hopeful = monitor(curves, effect=scenario("lift", 20), **options)
    assert hopeful.answer == "go on"
    assert hopeful.pairs[0].chance is not None
    assert hopeful.pairs[0].chance > 0.3
    for found in (advised, hopeful):
        assert found.overall.pvalues == plain.overall.pvalues
        assert found.plan_id == plain.plan_id
    last = monitor(batched(0, n_batches=5), effect=scenario("lift", 0.3), **options)
    assert last.answer == "stop: not decided"
    assert last.pairs[0].chance is None


# --- what is refused


def test_what_is_not_curves_is_refused() -> None:
    with pytest.raises(OptionError, match=r"monitor\(\) takes Curves, not a list"):
        monitor([1, 2], seed=0)  # type: ignore[arg-type]


def test_the_seed_is_required() -> None:
    with pytest.raises(TypeError, match="seed"):
        monitor(batched(0))  # type: ignore[call-arg]


def test_curves_that_do_not_vary_are_refused() -> None:
    curves = batched(0)
    flat = Curves(np.ones_like(curves.scores), curves.labels, blocks=curves.blocks)
    with pytest.raises(CurvesError, match="there is nothing to compare"):
        monitor(flat, **FEW)


@pytest.mark.parametrize("effect", ["lift", 5, "observed"])
def test_an_effect_must_be_a_scenario(effect: Any) -> None:
    with pytest.raises(OptionError, match="effect must be a scenario") as refused:
        monitor(batched(0), effect=effect, **FEW)
    assert refused.value.option == "effect"


def test_an_effect_that_changes_nothing_is_refused() -> None:
    with pytest.raises(OptionError, match="effect is a lift of 0, which changes nothing"):
        monitor(batched(0), effect=scenario("lift", 0), **FEW)

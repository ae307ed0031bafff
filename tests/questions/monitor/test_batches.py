"""Batches: their order, their sizes, and what is refused of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import CurvesError, OptionError
from curvewise.questions.monitor.method import (
    batches_of,
    check_gaps,
    given_up_of,
    in_batches,
    smaller_batches,
)
from curvewise.text import naming_flags
from tests.questions.monitor.batched import batched, rows_of
from tests.questions.monitor.test_plan import plan_of

if TYPE_CHECKING:
    from curvewise import Curves

PLAN = plan_of()


def without(curves: Curves, *dropped: tuple[str, str]) -> Curves:
    """The curves without the runs of an algorithm in a batch."""
    assert curves.blocks is not None
    places = zip(curves.labels, curves.blocks, strict=True)
    return rows_of(curves, [row for row, at in enumerate(places) if at not in dropped])


def test_batches_come_in_the_natural_order_of_their_names() -> None:
    curves = batched(0, n_batches=2, size=2)
    names = np.where(np.asarray(curves.blocks) == "1", "week 10", "week 2")
    found = batches_of(curves.with_blocks(names), PLAN)
    assert found.names == ("week 2", "week 10")
    assert found.sizes() == {"week 2": {"A": 2, "B": 2}, "week 10": {"A": 2, "B": 2}}


def test_an_array_or_the_blocks_say_which_batch() -> None:
    curves = batched(0, n_batches=2, size=2)
    plain = curves.with_blocks(None)
    assert in_batches(curves, None) == curves
    assert in_batches(plain, curves.blocks) == curves
    assert in_batches(curves, list(np.asarray(curves.blocks))) == curves
    assert in_batches(plain, np.repeat([1, 2], 4)) == curves


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ("week", r"not 'week': curves keep no other columns\. .*read\(path, block='week'\)"),
        (None, "Which run came in which batch is not known.* Give batch, an array"),
    ],
)
def test_batches_must_be_known(batch: object, message: str) -> None:
    with pytest.raises(OptionError, match=message) as refused:
        in_batches(batched(0).with_blocks(None), batch)
    assert refused.value.option == "batch"


def test_flags_are_named_where_flags_are_typed() -> None:
    with naming_flags(), pytest.raises(OptionError, match="Give --batch, the column"):
        in_batches(batched(0).with_blocks(None), None)


def test_a_batch_for_each_run_is_needed() -> None:
    plain = batched(0, 2, 2).with_blocks(None)
    with pytest.raises(CurvesError, match="There are 8 runs but 1 batch; give every run a batch"):
        in_batches(plain, [1])
    with pytest.raises(CurvesError, match="Batch 2 is missing"):
        in_batches(plain, [1, None, 1, 1, 2, 2, 2, 2])


def test_blocks_and_batches_must_not_disagree() -> None:
    with pytest.raises(OptionError, match="puts their runs into others"):
        in_batches(batched(0, 2, 2), np.tile([1, 2], 4))


def test_more_batches_or_runs_than_planned_are_refused() -> None:
    with pytest.raises(
        CurvesError, match=r"There are 3 batches \(1, 2 and 3\), and 2 were planned\. .* new exp"
    ):
        batches_of(batched(0, n_batches=3), plan_of(n_batches=2))
    with pytest.raises(
        CurvesError, match=r"Batch '1' has 4 runs of 'A', and 3 were planned \(batch_size\)"
    ):
        batches_of(batched(0), plan_of(batch_size=3))


@pytest.mark.parametrize("batch", ["1", "2", "3"])
def test_two_algorithms_are_needed_in_every_batch(batch: str) -> None:
    found = batches_of(without(batched(0), ("B", batch)), PLAN)
    with pytest.raises(
        CurvesError, match=f"Batch '{batch}' has no runs of 'B'. Wait for them, or merge"
    ):
        check_gaps(found)


def test_of_several_one_may_end_but_not_come_back() -> None:
    curves = batched(0, heights=(0, 0, 0))
    ended = batches_of(without(curves, ("C", "2"), ("C", "3")), PLAN)
    check_gaps(ended)
    assert given_up_of(ended, ["C"]) == given_up_of(ended, "C") == {"C"}
    assert given_up_of(ended, ()) == frozenset()
    assert ended.last_of("C") == 1
    assert ended.sizes_of("A", "C") == [(4, 4)]
    assert ended.sizes_of("A", "B") == [(4, 4)] * 3
    back = batches_of(without(curves, ("C", "2")), PLAN)
    with pytest.raises(CurvesError, match="Batch '2' has no runs of 'C'"):
        check_gaps(back)
    late = batches_of(without(curves, ("C", "1")), PLAN)
    with pytest.raises(CurvesError, match="Batch '1' has no runs of 'C'"):
        check_gaps(late)


@pytest.mark.parametrize(
    ("give_up", "message"),
    [(["Z"], "No algorithm is called 'Z'"), ("Z", "No algorithm is called 'Z'")],
)
def test_who_is_given_up_must_be_known(give_up: Any, message: str) -> None:
    found = batches_of(batched(0, heights=(0, 0, 0)), PLAN)
    with pytest.raises(OptionError, match=message) as refused:
        given_up_of(found, give_up)
    assert refused.value.option == "give_up"


def test_of_two_none_can_be_given_up() -> None:
    with pytest.raises(OptionError, match="give_up is for three algorithms or more"):
        given_up_of(batches_of(batched(0), PLAN), ["A"])


def test_smaller_batches_are_told() -> None:
    curves = batched(0)
    assert not list(smaller_batches(batches_of(curves, PLAN), PLAN))
    fewer = batches_of(rows_of(curves, np.arange(1, curves.n_runs)), PLAN)
    (caveat,) = smaller_batches(fewer, PLAN)
    assert "the 4 runs planned of each algorithm are in batch '1' (3)" in caveat.sentence()
    # Who has ended is not missing.
    three = batched(0, heights=(0, 0, 0))
    ended = batches_of(without(three, ("C", "2"), ("C", "3")), PLAN)
    assert not list(smaller_batches(ended, PLAN))

"""Plan.of: exact or sampled, how many, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import OptionError
from curvewise.kernels.relabel import BATCH, WithinBlocks
from curvewise.shuffling.visit import (
    MAX_FREE,
    MAX_IN_NUMPY,
    MAX_SHUFFLES,
    Limits,
    Plan,
    StoppingRule,
)
from curvewise.text import naming_flags

if TYPE_CHECKING:
    from curvewise.kernels.relabel import Relabellings


@dataclass(frozen=True)
class SoMany:
    """A restriction that allows so many relabellings."""

    count: int
    unit: str = "shuffle"

    def every(self) -> Relabellings:
        pytest.fail("a plan visits nothing")

    def drawn(self, count: int, seed: int) -> Relabellings:
        pytest.fail("a plan draws nothing")


LIMITS = Limits(free=100, exact=1_000, shuffles=5_000)


def planned(
    count: int, n_shuffles: int | str = 50, exact: bool | None = None, **options: object
) -> Plan:
    return Plan.of(
        SoMany(count),
        n_shuffles=n_shuffles,
        exact=exact,
        key=7,
        **{"limits": LIMITS, **options},  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("count", "n_shuffles", "is_exact"),
    [
        # Free up to 100, whatever is asked for …
        (100, 50, True),
        (101, 50, False),
        (100, "auto", True),
        (101, "auto", False),
        (101, "precise", False),
        # … up to as many as would be shuffled anyway …
        (500, 500, True),
        (501, 500, False),
        # … and never beyond what can be visited.
        (1_000, 2_000, True),
        (1_001, 2_000, False),
    ],
)
def test_all_relabellings_are_visited_when_that_is_cheap(
    count: int, n_shuffles: int | str, is_exact: bool
) -> None:
    assert planned(count, n_shuffles).exact == is_exact


@pytest.mark.parametrize("n_shuffles", [50, 5_000, "auto", "precise"])
def test_what_is_asked_for_is_planned(n_shuffles: int | str) -> None:
    assert planned(1_000, n_shuffles, exact=True).exact
    assert not planned(10, n_shuffles, exact=False).exact
    with pytest.raises(OptionError, match="There are 1,001 relabellings"):
        planned(1_001, n_shuffles, exact=True)


def test_the_refusal_names_the_option_as_the_reader_types_it() -> None:
    with pytest.raises(OptionError) as refused:
        planned(1_001, exact=True)
    assert str(refused.value) == (
        "There are 1,001 relabellings, more than can be visited one by one. Sample them "
        "instead: exact=False."
    )
    assert refused.value.option == "exact"
    with naming_flags(), pytest.raises(OptionError) as refused:
        planned(1_001, exact=True)
    assert str(refused.value).endswith("Sample them instead: --sampled.")


def test_very_many_relabellings_are_told_by_their_size() -> None:
    with pytest.raises(OptionError, match="are 999,999,999,999,999 relabellings"):
        planned(10**15 - 1, exact=True)
    with pytest.raises(OptionError, match=r"are more than 10\^15 relabellings"):
        planned(10**15 + 1, exact=True)
    with pytest.raises(OptionError, match=r"are more than 10\^56 relabellings"):
        planned(2 * 10**56, exact=True)
    with pytest.raises(OptionError, match=r"are more than 10\^5000 relabellings"):
        planned(2 * 10**5000, exact=True)


def test_a_rule_goes_with_sampling_only() -> None:
    auto = planned(101, "auto", levels=(0.05, 0.01))
    assert auto.rule == StoppingRule("auto", (0.05, 0.01))
    assert auto.n_shuffles == LIMITS.shuffles
    assert planned(101, "precise").rule == StoppingRule("precise", (0.05,))
    assert planned(100, "auto").rule is None
    assert planned(101, 50).rule is None
    assert planned(101, 50).n_shuffles == 50


def test_a_cut_plan_is_the_beginning_of_the_same_shuffles() -> None:
    labels = np.array([0] * 8 + [1] * 9)
    whole = Plan.of(
        WithinBlocks(labels, np.zeros_like(labels)),
        n_shuffles="auto",
        exact=False,
        key=4,
        limits=Limits(shuffles=3 * BATCH),
    )
    part = whole.cut(BATCH + 5)
    assert part.rule is None
    assert (part.n_batches, whole.n_batches) == (2, 3)
    np.testing.assert_array_equal(part.relabellings.batch(0), whole.relabellings.batch(0))
    np.testing.assert_array_equal(part.relabellings.batch(1), whole.relabellings.batch(1)[:5])


def test_all_are_kept_of_a_small_enumeration_only() -> None:
    labels = np.repeat([0, 1], 5)
    restriction = WithinBlocks(labels, np.zeros_like(labels))

    def plan(exact: bool) -> Plan:
        return Plan.of(restriction, n_shuffles=99, exact=exact, key=0)

    assert plan(exact=True).keeps_all
    assert plan(exact=True).relabellings.count == restriction.count == 126
    assert plan(exact=True).n_batches == 1
    assert not plan(exact=False).keeps_all
    large = np.repeat([0, 1], 12)
    many = WithinBlocks(large, np.zeros_like(large))
    assert many.count > MAX_FREE
    assert not Plan.of(many, n_shuffles=99, exact=True, key=0).keeps_all


def test_the_limits_are_those_that_the_docstrings_promise() -> None:
    limits = Limits()
    assert limits.free == MAX_FREE == 400_000
    assert limits.exact == MAX_IN_NUMPY == 10_000_000
    assert limits.shuffles == MAX_SHUFFLES == 2**30

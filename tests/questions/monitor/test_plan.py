"""The plan: what it may be, what changes its id, and what it can decide."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from curvewise import OptionError
from curvewise.inference.asking import asked_of
from curvewise.questions.monitor.ask import monitor
from curvewise.questions.monitor.result import checked_plan
from curvewise.text import naming_flags

if TYPE_CHECKING:
    from curvewise.questions.monitor.result import MonitoringPlan

GIVEN: dict[str, Any] = {
    "n_batches": 5,
    "batch_size": 4,
    "spending": "linear",
    "alpha": 0.05,
    "n_shuffles": 9_999,
    "seed": 1,
}


def plan_of(*algorithms: str, **options: Any) -> MonitoringPlan:
    return checked_plan(asked_of(monitor, **{**GIVEN, **options}), algorithms or ("A", "B"))


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("n_batches", 0, "n_batches must be an integer from 1 to 100, not 0."),
        ("n_batches", 2.5, "n_batches must be an integer from 1 to 100, not 2.5."),
        ("n_batches", 10**6, "n_batches must be an integer from 1 to 100, not 1000000."),
        ("batch_size", 1, "batch_size must be an integer from 2 to 1,000, not 1."),
        ("batch_size", 10**9, "batch_size must be an integer from 2 to 1,000"),
        ("batch_size", True, "batch_size must be an integer"),
        ("spending", "pocock", "spending must be 'linear' or 'obf', not 'pocock'."),
        ("alpha", 2, "alpha must lie between 0 and 1"),
        ("alpha", 1e-300, "alpha must be 1e-12 or more"),
        ("alpha", 1e-9, "n_shuffles is 9,999: .* Use 1,000,000, and a larger alpha."),
        ("n_shuffles", "auto", "n_shuffles must be an integer from 1 to 1,000,000, not 'auto'."),
        ("n_shuffles", 10**12, "n_shuffles must be an integer from 1 to 1,000,000"),
        ("seed", None, "seed must be a non-negative integer of 128 bits at most, the same"),
        ("seed", 10**400, "seed must be a .*, not an integer of more than 40 digits."),
        ("seed", -1, "seed must be a non-negative integer"),
    ],
)
def test_what_cannot_be_planned_is_told(option: str, value: object, message: str) -> None:
    with pytest.raises(OptionError, match=f"^{message}") as refused:
        plan_of(**{option: value})
    assert refused.value.option == ("n_shuffles" if "n_shuffles" in message else option)


def test_the_largest_plan_is_no_obstacle() -> None:
    largest = plan_of(n_batches=100, batch_size=1_000)
    assert not largest.exact
    assert largest.smallest_pvalues()[-1] == 1 / (1 + largest.n_shuffles)


def test_a_plan_that_can_decide_nothing_is_refused() -> None:
    with pytest.raises(
        OptionError,
        match=r"1 batch of 3 runs of each algorithm the smallest p possible is 0\.100, above "
        r"alpha = 0\.05: no data could be significant\. Plan larger batches, or 2 of them",
    ):
        plan_of(n_batches=1, batch_size=3)
    plan_of(n_batches=2, batch_size=3)
    with pytest.raises(OptionError, match=r"adjusted for 6 pairs, is 0\.171"):
        plan_of("A", "B", "C", "D", n_batches=1)
    plan_of("A", "B", "C", "D", n_batches=2)
    with (
        naming_flags(),
        pytest.raises(OptionError, match=r"--shuffles is 18: .* Use at least 19\."),
    ):
        plan_of(n_shuffles=18)
    plan_of(n_shuffles=19)


def test_the_id_changes_with_anything_in_the_plan() -> None:
    others = [
        plan_of(n_batches=4),
        plan_of(batch_size=5),
        plan_of(spending="obf"),
        plan_of(alpha=0.01),
        plan_of(n_shuffles=999),
        plan_of(seed=2),
        plan_of("A", "C"),
        plan_of(),
    ]
    assert len({plan.plan_id for plan in others}) == len(others)
    assert plan_of("B", "A").plan_id == plan_of("A", "B").plan_id
    assert len(plan_of().plan_id) == 12


def test_few_relabellings_are_all_visited() -> None:
    assert plan_of(n_batches=5, batch_size=2).exact
    assert plan_of(n_batches=5, batch_size=2).n_relabellings == 6**5
    assert not plan_of(n_batches=6, batch_size=2).exact
    assert plan_of(n_batches=2, batch_size=4).exact
    assert not plan_of().exact


def test_the_smallest_p_of_each_look() -> None:
    plan = plan_of(n_batches=3, batch_size=2)
    assert plan.smallest_pvalues() == pytest.approx([1, 2 / 36 / (2 / 3), 2 / 216])
    # As many shuffles as there are bound p as well.
    drawn = plan_of(n_batches=5, n_shuffles=999).smallest_pvalues()
    assert drawn[0] == pytest.approx(2 / math.comb(8, 4) / 0.2)
    assert drawn[-1] == pytest.approx(1 / 1_000)
    # Batches in which the two cannot change places have no mirror image.
    uneven = plan.smallest_pvalues_of([(2, 1), (2, 2)])
    assert uneven[1] == pytest.approx(1 / 18 / (2 / 3))

"""The results of compare_tasks as data."""

from __future__ import annotations

from typing import Any

import pytest

import curvewise as cw
from tests.questions.tasks.simulated import some_tasks

OPTIONS: dict[str, Any] = {"n_shuffles": 199, "rng": 0}


def test_the_smallest_p_of_a_task_depends_on_runs_tasks_and_adjustment() -> None:
    tasks = some_tasks(1, (3.0,) * 10)
    bh = cw.compare_tasks(tasks, a="A", b="B", **OPTIONS)
    assert bh.smallest_pvalue_per_task == pytest.approx(1 / 126)
    assert bh.smallest_pvalue_alone == pytest.approx(10 / 126)
    assert bh.smallest_pvalue == pytest.approx(2 / 252**10)
    holm = cw.compare_tasks(tasks, a="A", b="B", adjust="holm", **OPTIONS)
    assert holm.smallest_pvalue_per_task == pytest.approx(10 / 126)
    assert not holm.different


def test_reversing_turns_everything() -> None:
    found = cw.compare_tasks(some_tasks(2, (4.0, -4.0, 4.0, 1.0)), a="A", b="B", **OPTIONS)
    turned = found.reversed()
    assert (turned.a, turned.b) == ("B", "A")
    assert turned.on_the_whole.probability == 1 - found.on_the_whole.probability
    assert turned.at_least.a_better == found.at_least.b_better
    for task, own in found.per_task.items():
        other = turned.per_task[task]
        assert other.difference == -own.difference
        assert other.winner == own.winner
        assert other.n_runs == own.n_runs[::-1]
    again = turned.reversed()
    assert again.per_task.keys() == found.per_task.keys()
    for task, own in found.per_task.items():
        record = {**own.to_dict(), "probability": pytest.approx(own.probability)}
        assert again.per_task[task].to_dict() == record
    assert again.at_least == found.at_least


def test_pairs_are_looked_up_from_either_side() -> None:
    found = cw.compare_tasks(some_tasks(3, (1.0, 2.0), (4, 4, 4)), **OPTIONS)
    assert isinstance(found, cw.TaskComparisons)
    assert found.pair("A", "C") is found["A", "C"]
    assert found.pair("C", "A").a == "C"
    assert found.tasks == ("task 0", "task 1")
    with pytest.raises(cw.OptionError, match="No algorithm is called 'D'"):
        found.pair("A", "D")
    some = cw.compare_tasks(some_tasks(3, (1.0, 2.0), (4, 4, 4)), a="A", **OPTIONS)
    assert isinstance(some, cw.TaskComparisons)
    with pytest.raises(cw.OptionError, match="'B' and 'C' were not compared"):
        some.pair("B", "C")
    assert found.smallest_pvalue == pytest.approx(3 * 2 / 70**2)

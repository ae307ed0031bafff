"""What is known of each task, and of all together."""

from __future__ import annotations

from typing import Any

import curvewise as cw
from tests.questions.tasks.simulated import some_tasks

OPTIONS: dict[str, Any] = {"n_shuffles": 199, "rng": 0}


def test_who_is_said_to_be_better_differs() -> None:
    found = cw.compare_tasks(some_tasks(4, (6.0, 6.0, -6.0, 0.0)), a="A", b="B", **OPTIONS)
    assert found.won_by("B") == ("task 0", "task 1")
    assert found.won_by("A") == ("task 2",)
    assert found.different == ("task 0", "task 1", "task 2")
    record = found.to_dict()
    assert record["tasks"]["task 2"]["winner"] == "A"
    assert record["at_least"]["differ"] == found.at_least.differ


def test_an_unbounded_interval_is_none_in_json() -> None:
    found = cw.compare_tasks(some_tasks(5, (0.0, 0.0), (3, 3)), a="A", b="B", **OPTIONS)
    assert found.to_dict()["tasks"]["task 0"]["interval"] == [None, None]

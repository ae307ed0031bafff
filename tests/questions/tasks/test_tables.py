"""Tables of compare_tasks."""

from __future__ import annotations

from typing import Any

import numpy as np

import curvewise as cw
from curvewise.questions.tasks.result import by_lead
from tests.questions.tasks.simulated import some_tasks

OPTIONS: dict[str, Any] = {"n_shuffles": 199, "rng": 0}


def test_tasks_are_sorted_by_the_lead_of_the_first() -> None:
    tasks = some_tasks(1, (0.0, 9.0, -9.0))
    for flip in (1, -1):
        turned = {
            name: cw.Curves(flip * own.scores, own.labels, higher_is_better=flip > 0)
            for name, own in tasks.items()
        }
        found = cw.compare_tasks(turned, a="B", b="A", **OPTIONS)
        assert [task for task, _ in by_lead(found)] == ["task 1", "task 0", "task 2"]
        assert [row[0] for row in found.tables()[1].rows] == ["task 1", "task 0", "task 2"]


def test_what_was_visited_is_said() -> None:
    found = cw.compare_tasks(some_tasks(2, (1.0,) * 4), a="A", b="B", **OPTIONS)
    whole, per_task = found.tables()
    assert [row[-1] for row in whole.rows] == ["all relabellings", "199 shuffles", "199 shuffles"]
    assert "plain mean" not in str(found)
    assert per_task.rows[0][1] == "5 + 5"
    assert "Benjamini-Hochberg over 4 tasks" in per_task.notes[0]


def test_the_plain_mean_is_told_where_it_differs() -> None:
    tasks = {**some_tasks(3, (3.0,), (8, 8)), "x": some_tasks(4, (0.0,), (3, 3))["task 0"]}
    found = cw.compare_tasks(tasks, a="A", b="B", **OPTIONS)
    note = f"plain mean over tasks is {found.on_the_whole.mean_probability:.3f}"
    assert any(note in each for each in found.tables()[0].notes)


def test_a_family_has_a_row_for_each_pair() -> None:
    found = cw.compare_tasks(some_tasks(5, (2.0,) * 5, (4, 4, 4)), **OPTIONS)
    (table,) = found.tables()
    assert [row[:2] for row in table.rows] == [("A", "B"), ("A", "C"), ("B", "C")]
    pair = found["A", "C"].tables()[0]
    assert "adjusted" in pair.header


def test_a_single_step_has_no_whole_curves() -> None:
    tasks = some_tasks(6, (1.0, 1.0), n_steps=1)
    found = cw.compare_tasks(tasks, a="A", b="B", **OPTIONS)
    assert found.anywhere_in_curves is None
    assert len(found.tables()[0].rows) == 2
    assert np.isfinite(found.anywhere.pvalue)

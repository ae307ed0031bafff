"""Who is compared on which tasks, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import curvewise as cw
from curvewise.questions.tasks.ask import chosen_pairs, chosen_tasks
from tests.questions.tasks.simulated import some_tasks

THREE = some_tasks(1, (0.0, 1.0), (3, 3, 3))


@pytest.mark.parametrize(
    ("tasks", "options", "message"),
    [
        (THREE, {"a": "D"}, "No algorithm is called 'D'; there are 'A', 'B', 'C'"),
        (THREE, {"a": "A", "b": "A"}, "a and b are both 'A'. Name two algorithms."),
        (THREE, {"missing": "keep"}, "missing must be"),
        (THREE, {"adjust": "max-t"}, "adjust must be"),
        (THREE, {"alpha": 2}, "alpha must lie between 0 and 1"),
        ({}, {}, "There are no tasks"),
        ({"x": 3}, {}, "Task 'x' must be Curves, not int"),
        (
            {"x": THREE["task 0"].select("A")},
            {},
            "Comparing needs two algorithms, and there is only 'A'",
        ),
        (
            {"x": THREE["task 0"].select("A"), "y": THREE["task 1"].select("B")},
            {},
            "No task has two algorithms to compare: 'x' has A; 'y' has B",
        ),
        (
            {"x": THREE["task 0"].select("A", "C"), "y": THREE["task 1"].select("B", "C")},
            {"a": "A", "b": "B"},
            "No task has both 'A' and 'B': 'x' has A and C; 'y' has B and C",
        ),
        (
            {"x": THREE["task 0"], "y": THREE["task 1"].select("B", "C")},
            {"a": "A", "b": "B"},
            "1 of 2 tasks lacks an algorithm .* 'y' lacks A",
        ),
        (some_tasks(1, (0.0, 0.0), (1, 1)), {}, "Each algorithm has a single run on every task"),
        (
            {**some_tasks(1, (0.0,), (3, 3)), "y": some_tasks(2, (0.0,), (1, 1))["task 0"]},
            {},
            "Each algorithm has a single run on y, so",
        ),
        (
            {"x": THREE["task 0"], "y": THREE["task 0"]},
            {},
            "Run '0' of 'A' on 'y' has the scores of run '0' of 'A' on 'x' at every step",
        ),
    ],
)
def test_refusals(tasks: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(cw.CurvewiseError, match=message):
        cw.compare_tasks(tasks, **options)


def test_mixed_directions_are_refused() -> None:
    own = THREE["task 1"]
    lower = cw.Curves(own.scores, own.labels, higher_is_better=False)
    with pytest.raises(cw.CurvesError, match="Higher scores are better in x but lower"):
        cw.compare_tasks({"x": THREE["task 0"], "y": lower})


def test_what_a_task_refuses_has_its_name_before_it() -> None:
    own = THREE["task 1"].select("A", "B")
    apart = own.with_blocks(["p"] * 3 + ["q"] * 3)
    with pytest.raises(cw.CurvesError, match=r"^Task 'y': No block holds both"):
        cw.compare_tasks({"x": THREE["task 0"].select("A", "B"), "y": apart})


def test_a_table_that_is_no_mapping_is_refused() -> None:
    with pytest.raises(cw.CurvesError, match="These are the curves of one task"):
        cw.compare_tasks(THREE["task 0"])  # type: ignore[call-overload]


def test_tasks_that_lack_an_algorithm_can_be_left_out() -> None:
    tasks = {**THREE, "short": some_tasks(5, (0.0,), (3, 3))["task 0"]}
    found = cw.compare_tasks(tasks, missing="drop", n_shuffles=99, rng=0)
    assert isinstance(found, cw.TaskComparisons)
    assert found.dropped == ("short",)
    assert any("left out for lack of an algorithm: short" in w for w in found.warnings)
    assert "1 task (short) was left out" in found.describe()
    before = cw.Tasks(tasks, missing="drop")
    again = cw.compare_tasks(before, a="A", b="C", n_shuffles=99, rng=0)
    assert again.dropped == ("short",)


def test_scores_of_a_few_values_may_repeat() -> None:
    scores = np.tile([[0.0, 0, 1], [0, 1, 1]], (3, 1))
    tasks = {name: cw.Curves(scores, list("AAABBB")) for name in ("x", "y")}
    assert len(chosen_tasks(tasks, None, None, "refuse")) == 2


def test_pairs() -> None:
    chosen = cw.Tasks(THREE)
    assert chosen_pairs(chosen, "B", "A") == [("B", "A")]
    assert chosen_pairs(chosen, "B", None) == [("B", "A"), ("B", "C")]
    assert chosen_pairs(chosen, None, "B") == [("A", "B"), ("C", "B")]
    assert len(chosen_pairs(chosen, None, None)) == 3

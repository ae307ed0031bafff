from __future__ import annotations

import numpy as np
import pytest

import curvewise as cw
from curvewise.questions.aggregate.method import check_on, stacked
from tests.questions.aggregate.several_tasks import some_tasks


def test_a_single_run_is_refused_by_name() -> None:
    tasks = cw.Tasks(some_tasks(sizes=(2, 1)))
    sentence = r"2 runs of an algorithm on each task are needed .* 1 of B on task 0, B on task 1"
    with pytest.raises(cw.CurvesError, match=sentence):
        stacked(tasks, "mean", None)


def test_a_task_without_variation_gives_no_scale() -> None:
    tasks = some_tasks()
    flat = tasks["task 5"]
    tasks["task 5"] = cw.Curves(np.full_like(flat.scores, 2.0), flat.labels)
    left_out = stacked(cw.Tasks(tasks), "mean", None)
    assert left_out.without_scale == ("task 5",)
    others = {name: own for name, own in tasks.items() if name != "task 5"}
    without = stacked(cw.Tasks(others), "mean", None)
    assert without.without_scale == ()
    assert left_out.scales == without.scales
    for name, runs in without.runs.items():
        assert np.array_equal(left_out.runs[name].scores, runs.scores)
        assert np.array_equal(left_out.runs[name].tasks, runs.tasks)
    sentence = "All runs of task 5 have the same score, .* normalise it by. Give reference."
    with pytest.raises(cw.CurvesError, match=sentence):
        stacked(cw.Tasks({"task 5": tasks["task 5"]}), "mean", None)
    made = stacked(cw.Tasks(tasks), "mean", dict.fromkeys(tasks, (0.0, 4.0)))
    assert made.runs["A"].scores[made.runs["A"].tasks == 7].tolist() == [[0.5]] * 4


def test_a_window_that_a_task_does_not_have_is_refused_by_name() -> None:
    tasks = some_tasks()
    own = tasks["task 1"]
    tasks["task 1"] = cw.Curves(own.scores, own.labels, np.arange(100, 105))
    with pytest.raises(cw.CurvesError, match="Task 'task 1': No step lies in the window"):
        stacked(cw.Tasks(tasks), (0, 4), None)


def test_a_task_of_one_step_has_no_share_of_training() -> None:
    tasks = some_tasks()
    tasks["task 1"] = tasks["task 1"].window(0, 0)
    with pytest.raises(cw.CurvesError, match=r'task 1 a single one.*Use on="final"'):
        stacked(cw.Tasks(tasks), "every step", None)
    single = {task: own.window(2, 2) for task, own in some_tasks().items()}
    assert stacked(cw.Tasks(single), "every step", None).steps is not None


def test_the_end_of_tasks_with_different_steps_has_a_name() -> None:
    tasks = some_tasks(n_steps=20)
    assert stacked(cw.Tasks(tasks), "final", None).measure == "mean of the last 2 steps (of 20)"
    tasks["task 1"] = tasks["task 1"].window(0, 5)
    found = stacked(cw.Tasks(tasks), "final", None).measure
    assert found == "mean of the last tenth of the steps"


def test_two_steps_are_a_window_and_lists_count() -> None:
    check_on([0, 3])
    check_on((0.5, 3))

"""What to know before believing a comparison on many tasks."""

from __future__ import annotations

from typing import Any

import numpy as np

import curvewise as cw
from tests.questions.tasks.simulated import some_tasks

OPTIONS: dict[str, Any] = {"n_shuffles": 199, "rng": 0}


def kinds(found: Any) -> list[str]:
    return [caveat.kind for caveat in found.caveats]


def test_what_no_data_could_show_comes_first() -> None:
    one = cw.compare_tasks(some_tasks(1, (1.0,), (3, 3)), **OPTIONS)
    assert kinds(one)[0] == "undecidable on the whole"
    assert "nothing per task" not in kinds(one), "the task is all that there is"
    assert "smallest p on the whole is 0.100" in one.warnings[0]
    two = cw.compare_tasks(some_tasks(1, (1.0, 1.0), (2, 2)), **OPTIONS)
    assert kinds(two)[:2] == ["undecidable on the whole", "nothing per task"]
    assert "not affected" not in two.warnings[1]
    several = cw.compare_tasks(some_tasks(1, (1.0,) * 5, (3, 3)), **OPTIONS)
    assert kinds(several)[0] == "nothing per task"
    assert "no task can be named. What is said of all tasks together" in several.warnings[0]
    assert "too few runs" not in kinds(several), "said once, for all tasks"
    alone = cw.compare_tasks(some_tasks(1, (1.0,) * 8), **OPTIONS)
    assert "only several together can be named" in alone.warnings[0]
    holm = cw.compare_tasks(some_tasks(1, (1.0,) * 8), adjust="holm", **OPTIONS)
    assert 'adjust="bh" can name more' in holm.warnings[0]
    enough = cw.compare_tasks(some_tasks(1, (1.0,) * 2, (6, 6)), **OPTIONS)
    assert "nothing per task" not in kinds(enough)


def test_too_few_shuffles_are_said() -> None:
    found = cw.compare_tasks(some_tasks(2, (1.0,) * 8), n_shuffles=9, rng=0)
    assert "too few shuffles" in kinds(found)


def test_spreads_and_strays_of_all_tasks_are_one_warning_each() -> None:
    tasks = {}
    rng = np.random.default_rng(3)
    for number in range(6):
        scores = rng.normal(size=(14, 4)) * np.where(np.arange(14) < 7, 20, 1)[:, None]
        scores[13] += 400
        tasks[f"t{number}"] = cw.Curves(scores, ["A"] * 7 + ["B"] * 7)
    found = cw.compare_tasks(tasks, **OPTIONS)
    assert kinds(found).count("strays on tasks") == 1
    wide = {name: cw.Curves(own.scores[:13], own.labels[:13]) for name, own in tasks.items()}
    other = cw.compare_tasks(wide, **OPTIONS)
    assert kinds(other).count("spreads differ") == 1
    said = "On 6 of 6 tasks runs of one algorithm vary more"
    assert any(said in warning for warning in other.warnings)


def test_pairs_share_what_is_said_of_tasks() -> None:
    rng = np.random.default_rng(4)
    tasks = {
        f"t{n}": cw.Curves(
            rng.normal(size=(18, 4)) * np.repeat([20, 1, 1], 6)[:, None],
            np.repeat(["A", "B", "C"], 6),
        )
        for n in range(5)
    }
    found = cw.compare_tasks(tasks, **OPTIONS)
    assert kinds(found).count("spreads differ") == 1
    assert "On 5 of 5 tasks (in 3 pairs) runs of one algorithm" in found.warnings[-1]
    assert found.to_dict()["caveats"]


def test_identical_runs_of_a_task_are_told() -> None:
    tasks = some_tasks(5, (1.0, 1.0))
    own = tasks["task 1"]
    scores = own.scores.copy()
    scores[1] = scores[0]
    found = cw.compare_tasks({**tasks, "task 1": cw.Curves(scores, own.labels)}, **OPTIONS)
    assert "identical runs" in kinds(found)


def test_unequal_numbers_of_runs_are_told_once_for_all_pairs() -> None:
    same = cw.compare_tasks(some_tasks(5, (1.0,) * 3), **OPTIONS)
    assert "unequal runs" not in kinds(same)
    unequal = {**some_tasks(5, (1.0,) * 3), "odd": some_tasks(6, (0.0,), (4, 9))["task 0"]}
    found = cw.compare_tasks(unequal, **OPTIONS)
    (said,) = (own for own in found.warnings if "has more runs than the other" in own)
    assert said.startswith("On 1 of 4 tasks one algorithm has more runs than the other (odd)")
    assert "89 to 92% of cases instead of 95%" in said
    three = cw.compare_tasks(some_tasks(7, (1.0,) * 2, (5, 5, 6)), **OPTIONS)
    (said,) = (own for own in three.warnings if "has more runs than the other" in own)
    assert said.startswith("On 2 of 2 tasks (in 2 pairs) one algorithm has more runs")

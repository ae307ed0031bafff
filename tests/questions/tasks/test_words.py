"""What is said about many tasks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import curvewise as cw
from curvewise.questions.tasks.tell import describe
from tests.questions.tasks.simulated import some_tasks

OPTIONS: dict[str, Any] = {"n_shuffles": 199, "rng": 0}


def said(seed: int, shifts: tuple[float, ...], *sizes: int, **options: Any) -> str:
    tasks = some_tasks(seed, shifts, sizes or (5, 5))
    names = {} if len(sizes) > 2 else {"a": "A", "b": "B"}
    return cw.compare_tasks(tasks, **{**names, **OPTIONS, **options}).describe()


def test_the_winner_is_the_subject() -> None:
    words = said(1, (5.0,) * 6)
    assert words.startswith("B beats A on these 6 tasks as a whole: a run of B beats a run")
    assert "with probability 1.00 (between 0.9" in words
    assert "exact p = " in words
    assert "differ on at least 6 of the 6 tasks; B is better on at least 6, A on" in words
    assert "B is better on 6 tasks (task 0, task 1" in words
    assert "about these tasks, not about others" in words
    assert "A beats B on these 6 tasks" in said(1, (-5.0,) * 6)


def test_without_a_winner_nothing_is_called_equal() -> None:
    words = said(2, (0.0,) * 4)
    assert words.startswith("Neither ")
    assert "was found to be better on these 4 tasks as a whole" in words
    assert "detected neither in height (p = " in words
    assert "no single task is named" in words
    assert "equal" not in words
    assert "the p of single tasks give no least number of tasks that differ." in words


def test_what_cannot_be_found_is_said_first() -> None:
    words = said(3, (9.0,) * 3, 3, 3)
    assert words.startswith("With so few runs no single one of these 3 tasks can be named")
    assert "smallest p possible is 0.10, above α = 0.05. B beats A" in words
    one = said(3, (9.0,), 3, 3)
    assert one.startswith("Whether B or A is better on this task cannot be decided")
    holm = said(1, (5.0,) * 8, adjust="holm")
    assert holm.startswith("With so few runs no single one of these 8 tasks can be named")


def test_opposite_ways() -> None:
    words = said(4, (5.0, -5.0) * 4)
    assert "Whichever way they go, differences on single tasks are detected in height" in words
    assert "B is better on 4 tasks" in words
    assert "A is better on 4 tasks" in words


def test_tasks_that_differ_without_a_winner() -> None:
    found = cw.compare_tasks(some_tasks(5, (5.0,) * 4), a="A", b="B", **OPTIONS)
    crossing = {
        task: replace(own, pvalue_height_adjusted=0.5) for task, own in found.per_task.items()
    }
    words = describe(replace(found, per_task=crossing))
    assert "they differ on 4 tasks" in words
    assert "where neither is found to be better" in words
    counts = replace(found.at_least, a_better=0, b_better=0)
    assert "without a least number for either being better" in describe(
        replace(found, at_least=counts)
    )


def test_families() -> None:
    words = said(6, (3.0,) * 8, 5, 5, 5)
    assert words.startswith("On these 8 tasks as a whole, after Holm's adjustment for 3 pairs")
    assert "C beats A with probability" in words
    assert "In 1 pair neither was found to be better." in words
    nobody = said(7, (0.0,) * 3, 4, 4, 4)
    assert nobody.startswith("No algorithm was found to beat another on these 3 tasks")
    few = said(8, (0.0,), 3, 3, 3)
    assert few.startswith("Which of 3 algorithms is better on this task cannot be decided")


def test_many_pairs_are_counted_not_listed() -> None:
    tasks = {
        name: cw.Curves(own.scores + 9 * own.scores.std() * own.codes[:, None], own.labels)
        for name, own in some_tasks(9, (0.0,) * 3, (4,) * 5).items()
    }
    words = cw.compare_tasks(tasks, **OPTIONS).describe()
    assert "and so in 4 more pairs" in words


def test_control_characters_in_names_are_spelt_out() -> None:
    tasks = {
        name: cw.Curves(own.scores, ["A\x1b[31m" if c == "A" else c for c in own.labels])
        for name, own in some_tasks(1, (5.0,) * 4).items()
    }
    assert "\x1b" not in cw.compare_tasks(tasks, **OPTIONS).describe()


def headline(seed: int, shifts: tuple[float, ...], *sizes: int) -> str:
    tasks = some_tasks(seed, shifts, sizes or (5, 5))
    return cw.compare_tasks(tasks, **OPTIONS).headline()


def test_the_headline_says_who_is_better_as_a_whole() -> None:
    assert headline(1, (5.0,) * 6).startswith(
        "B beats A on these 6 tasks, with probability 1.00 (exact p = "
    )
    assert headline(1, (-5.0,) * 6).startswith("A beats B on these 6 tasks")
    assert headline(2, (0.0,) * 4).startswith("Neither ")
    assert headline(3, (9.0,) * 6, 4, 4, 4) == (
        "In 2 of 3 pairs one is better on these 6 tasks as a whole, after Holm's adjustment."
    )
    assert headline(3, (0.0,) * 4, 4, 4, 4).startswith("In all pairs neither was found")


def test_what_no_shuffles_could_show_of_pairs_is_said() -> None:
    tasks = some_tasks(1, (9.0,) * 6, (4, 4, 4))
    found = cw.compare_tasks(tasks, n_shuffles=49, rng=0)
    words = describe(found)
    assert "single tasks are out of reach with so few shuffles: the smallest p" in words
    assert "adjusted likewise, is 0.060." in words
    one = describe(cw.compare_tasks(some_tasks(1, (9.0,), (3, 3, 3)), rng=0))
    assert "A difference in height is out of reach with so few runs" in one
    assert "about this task, not about others like it." in one
    many = cw.compare_tasks(tasks, n_shuffles=199, rng=0)
    assert "are detected in 2 of 3 pairs, adjusted likewise" in describe(many)


def test_the_one_that_wins_more_tasks_is_named_first() -> None:
    words = said(7, (-6.0, 6.0, 6.0, 6.0))
    assert "tasks, B is better on 3 tasks (task 1, task 2 and task 3), and A is" in words

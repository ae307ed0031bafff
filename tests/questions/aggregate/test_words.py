from __future__ import annotations

import numpy as np

import curvewise as cw
from curvewise.text import number_text
from tests.questions.aggregate.several_tasks import some_tasks


def test_values_come_best_first_with_intervals_and_the_lead_of_the_first() -> None:
    found = cw.aggregate(some_tasks(lead=2.0), rng=0)
    words = found.describe()
    assert words.startswith(
        "The interquartile mean (IQM) of normalised scores over 12 tasks (mean over training) is "
        f"{number_text(found['C'].value)} (95% interval {number_text(found['C'].interval.low)} to "
    )
    assert words.index("for C") < words.index("for B") < words.index("for A")
    pair = found.difference("B", "C")
    assert f"C is ahead of B by {number_text(pair.value)} (95% interval" in words
    assert "chance could explain" not in words
    assert "Scores were normalised by this data; not comparable across papers" in words
    assert "4 runs per algorithm and task" in words
    assert "Conclusions are about these tasks: task 0, task 1" in words
    assert "and 4 more." in words


def test_a_lead_that_may_be_chance_is_called_that() -> None:
    words = cw.aggregate(some_tasks(lead=0.0)).describe()
    assert "which chance could explain: these runs do not tell which of them is better" in words


def test_a_smaller_gap_is_ahead_by_a_positive_amount() -> None:
    found = cw.aggregate(some_tasks(lead=2.0), statistic="gap")
    words = found.describe()
    pair = found.differences[0]
    assert pair.value < 0
    assert "The optimality gap below 1.000 of normalised scores" in words
    assert "lower is better" in words
    ends = f"{number_text(-pair.interval.high)} to {number_text(-pair.interval.low)}"
    assert f"C is ahead of B by {number_text(-pair.value)} (95% interval {ends})." in words


def test_the_mean_of_few_tasks_says_why_it_is_no_iqm() -> None:
    words = cw.aggregate(some_tasks(n_tasks=4, sizes=(3, 5))).describe()
    assert "with fewer than 10 tasks the mean of tasks, not the IQM" in words
    assert "3 to 5 runs per algorithm and task" in words
    asked = cw.aggregate(some_tasks(n_tasks=4), statistic="mean").describe()
    assert "fewer than 10" not in asked


def test_curves_say_where_the_first_is_ahead() -> None:
    tasks = some_tasks(lead=0.0, sizes=(6, 6))
    late = {
        task: cw.Curves(own.scores + 60 * np.outer(own.labels == "B", [0, 0, 0, 1, 1]), own.labels)
        for task, own in tasks.items()
    }
    words = cw.aggregate(late, on="every step", rng=0).describe()
    assert "for all steps at once, B is ahead from step 3 to 4." in words
    assert "bands by 4,999 multipliers of whole runs" in words
    even = cw.aggregate(tasks, on="every step", rng=0).describe()
    assert "At no step does the 95% band of this difference" in even
    shares = {
        task: cw.Curves(own.scores, own.labels, (1 + place) * np.arange(5))
        for place, (task, own) in enumerate(late.items())
    }
    found = cw.aggregate(shares, on="every step", rng=0)
    words = found.describe()
    assert "B is ahead from 75% to 100% of training." in words
    assert "compared at 5 shares of their training, by linear interpolation" in words
    always = {
        task: cw.Curves(own.scores + 60 * (own.labels == "B")[:, None], own.labels)
        for task, own in tasks.items()
    }
    assert "B is ahead at every step." in cw.aggregate(always, on="every step").describe()
    once = {
        task: cw.Curves(own.scores + 60 * np.outer(own.labels == "B", [0, 1, 0, 0, 0]), own.labels)
        for task, own in tasks.items()
    }
    assert "B is ahead at step 1." in cw.aggregate(once, on="every step", rng=0).describe()


def test_scores_as_they_are_are_not_called_normalised() -> None:
    words = cw.aggregate(some_tasks(), reference="raw").describe()
    assert "of scores over 12 tasks" in words
    assert "Scores were aggregated as they are." in words
    losses = some_tasks(higher_is_better=False)
    told = cw.aggregate(losses, reference="raw").describe()
    assert "as they are; lower scores are better, so they were turned." in told


def test_dropped_tasks_and_odd_names_are_told() -> None:
    tasks = some_tasks()
    tasks["bad\x1b[31m"] = tasks.pop("task 3").select("A", "B")
    words = cw.aggregate(tasks, missing="drop").describe()
    assert "Left out, since they lack an algorithm: bad\\x1b[31m." in words
    assert "\x1b" not in words


def test_of_many_algorithms_not_all_are_quoted() -> None:
    tasks = {
        str(task): cw.Curves(
            np.random.default_rng(task).normal(size=(28, 2)), np.repeat(np.arange(14), 2)
        )
        for task in range(3)
    }
    assert "; 2 more follow." in cw.aggregate(tasks).describe()


def test_the_headline_says_who_is_ahead_and_whether_chance_could_explain_it() -> None:
    found = cw.aggregate(some_tasks(lead=2.0), rng=0)
    size = number_text(found.difference("C", "B").value)
    assert found.headline() == (
        f"C is ahead of B by {size} in the IQM of normalised scores over 12 tasks."
    )
    level = cw.aggregate(some_tasks(lead=0.0)).headline()
    assert level.endswith("over 12 tasks, which chance could explain.")
    one = {task: own.select("A") for task, own in some_tasks(n_tasks=3, sizes=(4, 4)).items()}
    alone = cw.aggregate(one)
    value = number_text(alone["A"].value)
    assert alone.headline() == (f"The mean of normalised scores of A over 3 tasks is {value}.")

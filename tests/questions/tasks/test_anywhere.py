"""Sums of shares: listed and shuffled relabellings give the same p."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from curvewise import Curves, TaskComparison, compare_tasks
from curvewise.inference.work import shuffling_work
from curvewise.questions.tasks.method import OneTask, judge_anywhere
from tests.questions.tasks.simulated import some_tasks, unlisted


def judged(tasks: list[OneTask], **options: Any) -> Any:
    asked: dict[str, Any] = {"n_shuffles": 9_999, "exact": None, "n_jobs": 1, "rng": 1}
    with shuffling_work("test", **{**asked, "checkpoint": None, **options}) as work:
        return judge_anywhere(tasks, work, 0.05)


def test_listed_and_shuffled_tasks_agree() -> None:
    tasks = [OneTask(own) for own in some_tasks(1, (1.0, 0.5), (4, 4)).values()]
    others = [unlisted(own) for own in tasks]
    for listed, shuffled in zip(judged(tasks), judged(others), strict=True):
        assert listed.exact
        assert shuffled.exact
        assert shuffled.pvalue == pytest.approx(listed.pvalue)
        assert shuffled.statistic == listed.statistic
    several = [OneTask(own) for own in some_tasks(2, (0.8,) * 6, (4, 5)).values()]
    others = [unlisted(own) for own in several]
    for listed, shuffled in zip(judged(several), judged(others), strict=True):
        assert not listed.exact
        assert shuffled.pvalue == pytest.approx(listed.pvalue, abs=0.03)
        low, high = listed.pvalue_interval
        assert low <= listed.pvalue <= high


def test_too_many_to_visit_are_sampled_also_where_all_are_asked_for() -> None:
    tasks = [OneTask(own) for own in some_tasks(3, (0.0,) * 4).values()]
    heights, curves = judged(tasks, exact=True)
    assert not heights.exact
    assert heights.n_shuffles == curves.n_shuffles == 9_999
    assert heights.smallest_pvalue == 1e-4
    few, _ = judged(tasks[:2], exact=True)
    assert few.exact
    assert few.n_shuffles == 126**2
    assert few.smallest_pvalue == pytest.approx(126**-2)
    assert few.pvalue_interval == (few.pvalue, few.pvalue)


@pytest.mark.parametrize("n_runs", [40, 600])
def test_very_many_relabellings_are_no_obstacle(n_runs: int) -> None:
    rng = np.random.default_rng(3)
    tasks = {
        task: Curves.from_dict({name: rng.normal(size=(n_runs, 2)) for name in "AB"}, rows="runs")
        for task in ("one", "two")
    }
    found = compare_tasks(tasks, n_shuffles=99, rng=1)
    assert isinstance(found, TaskComparison)
    assert found.anywhere.smallest_pvalue == 1 / 100

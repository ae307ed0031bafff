"""One task: one-sided p by listing, by counting subsets and by sampling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import curvewise as cw
from curvewise.inference.work import shuffling_work
from curvewise.questions.tasks.method import OneTask, compare_task
from tests.questions.tasks.simulated import some_tasks, unlisted

OPTIONS: dict[str, Any] = {
    "n_shuffles": 40_000,
    "exact": None,
    "n_jobs": 1,
    "rng": 0,
    "checkpoint": None,
}


def one_sided(task: OneTask) -> tuple[float, float]:
    with shuffling_work("test", **OPTIONS) as work:
        own, _ = compare_task(task, work, alpha=0.05, levels=(0.05,))
    return own.pvalue_a_better, own.pvalue_b_better


def test_the_three_ways_agree() -> None:
    curves = some_tasks(3, (0.4,), (7, 6), n_steps=3)["task 0"]
    task = OneTask(curves)
    assert task.listed is not None
    listed = one_sided(task)
    assert listed == pytest.approx(one_sided(unlisted(task)))
    # In one block more than 44 runs, or in several blocks, relabellings are sampled.
    blocked = OneTask(curves.with_blocks([0, 1] * 6 + [0]))
    exact = one_sided(blocked)
    sampled = one_sided(unlisted(blocked))
    assert sampled == pytest.approx(exact, abs=0.015)


def test_one_sided_p_adds_up_to_more_than_one() -> None:
    for seed in range(5):
        up, down = one_sided(OneTask(some_tasks(seed, (0.5,), (4, 5))["task 0"]))
        assert 1 <= up + down <= 1 + 2 / 126 + 1e-9


def test_better_is_turned_where_lower_scores_are() -> None:
    curves = some_tasks(4, (3.0,))["task 0"]
    lower = cw.Curves(curves.scores, curves.labels, higher_is_better=False)
    up, down = one_sided(OneTask(curves))
    assert one_sided(OneTask(lower)) == (down, up)
    assert down < up


def test_runs_without_variation_have_no_standardised_difference() -> None:
    scores = np.repeat([[1.0, 2.0], [2.0, 3.0]], 3, axis=0)
    task = OneTask(cw.Curves(scores, list("AAABBB")))
    with shuffling_work("test", **OPTIONS) as work:
        own, caveats = compare_task(task, work, alpha=0.05, levels=(0.05,))
    assert own.hedges_g is None
    assert own.standardised is None
    assert own.better == "B"
    assert own.standardised_lead(higher_is_better=True) == -np.inf
    assert caveats

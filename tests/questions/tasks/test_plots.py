"""Pictures of many tasks."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import curvewise as cw
from curvewise.questions.tasks.tell import MAX_SHOWN
from tests.questions.tasks.simulated import some_tasks

OPTIONS: dict[str, Any] = {"n_shuffles": 199, "rng": 0}


def labels(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("higher", [True, False])
def test_tasks_are_drawn_from_the_best_of_the_first_down(higher: bool) -> None:
    tasks = {
        name: cw.Curves(own.scores if higher else -own.scores, own.labels, higher_is_better=higher)
        for name, own in some_tasks(1, (0.0, 9.0, -9.0, 3.0, 2.0, -3.0, 2.5)).items()
    }
    found = cw.compare_tasks(tasks, a="B", b="A", **OPTIONS)
    ax = cw.plot_tasks(found, ax=Figure(figsize=(8, 4)).subplots())
    assert labels(ax)[0] == "task 1"
    assert labels(ax)[-1] == "task 2"
    assert legend(ax) == ["B better", "A better", "not told apart"]
    assert "A better     B better" in ax.get_xlabel()
    left, right = ax.get_xlim()
    assert 1.5 * MAX_SHOWN > right > MAX_SHOWN, "what is beyond is an arrow at the edge"
    assert -1.5 * MAX_SHOWN < left < -MAX_SHOWN
    assert "arrows: beyond 5" in ax.get_xlabel()


def test_fifty_seven_tasks_are_readable() -> None:
    found = cw.compare_tasks(some_tasks(2, (1.0,) * 57), a="A", b="B", **OPTIONS)
    figure = found.figure()
    (ax,) = figure.axes
    assert len(labels(ax)) == 57
    assert ax.get_yticklabels()[0].get_fontsize() >= 6


def test_a_task_without_variation_has_a_mark_at_zero() -> None:
    flat = cw.Curves(np.zeros((10, 6)), list("AAAAABBBBB"))
    found = cw.compare_tasks({**some_tasks(3, (2.0, 2.0)), "flat": flat}, a="B", b="A", **OPTIONS)
    ax = cw.plot_tasks(found, ax=Figure().subplots())
    assert labels(ax)[-1] == "flat"
    marks = [line.get_xydata() for line in ax.lines if line.get_marker() == "o"]
    assert [[0.0, 2.0]] in [np.asarray(mark).tolist() for mark in marks]


def test_pairs_are_drawn_from_the_one_ahead() -> None:
    found = cw.compare_tasks(some_tasks(4, (3.0,) * 5, (5, 5, 5)), **OPTIONS)
    assert isinstance(found, cw.TaskComparisons)
    (ax,) = found.figure().axes
    assert set(labels(ax)[:2]) == {"C against A", "C against B"}
    assert ax.get_xlim()[1] == pytest.approx(1.01)
    assert legend(ax)[0] == "better on the whole (adjusted p ≤ 0.05)"
    one = cw.plot_task_pairs(found["A", "C"], ax=Figure().subplots())
    assert labels(one) == ["C against A"]
    assert math.isclose(
        1 - found["A", "C"].on_the_whole.probability,
        float(one.lines[-1].get_xdata()[0]),  # type: ignore[index, arg-type]
    )


@pytest.mark.parametrize("n_algorithms", [2, 3])
def test_a_column_of_a_paper_leaves_room_for_the_rows(n_algorithms: int) -> None:
    tasks = some_tasks(1, (2.0,) * 6, (5,) * n_algorithms)
    long = {
        task: cw.Curves(own.scores, [f"Algorithm {name} of the lab" for name in own.labels])
        for task, own in tasks.items()
    }
    figure = cw.compare_tasks(long, n_shuffles=99, rng=0).figure(width=3.3, style="paper")
    figure.draw_without_rendering()
    ax: Any = figure.axes[0]
    assert ax.get_window_extent().width > 0.3 * figure.bbox.width
    ticks = [own.get_window_extent() for own in ax.get_xticklabels() if own.get_text()]
    assert all(a.x1 < b.x0 for a, b in pairwise(ticks))
    names = [own.get_window_extent() for own in ax.get_yticklabels()]
    assert all(a.y0 > b.y1 - 1 for a, b in pairwise(names))
    assert min(own.get_fontsize() for own in ax.get_yticklabels()) >= 5.9

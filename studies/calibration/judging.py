"""What is claimed by `compare_tasks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import curvewise as cw
from studies.calibration.claims import ALPHA, N_SHUFFLES, NEAR, Claim, Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.calibration.data_sets import DataSet

__all__ = ["QUESTIONS"]

PAGE = "method.md"
N_TASKS = 10


def _ask(data: DataSet) -> cw.TaskComparison:
    return cw.compare_tasks(
        data.tasks,
        a="A",
        b="B",
        alpha=ALPHA,
        n_shuffles=N_SHUFFLES,
        exact=data.design.exact,
        rng=data.rng,
    )


def _winner_on_the_whole(found: cw.TaskComparison, data: DataSet) -> bool | None:
    """Tell whether an algorithm is called better although neither is ahead on the whole."""
    is_level = not data.truly_different or sum(data.leads.values()) == 0
    return found.on_the_whole.significant if is_level else None


def _anywhere(name: str) -> Callable[[cw.TaskComparison, DataSet], bool | None]:
    def is_wrong(found: cw.TaskComparison, data: DataSet) -> bool | None:
        return None if data.truly_different else getattr(found, name).significant

    return is_wrong


def _too_many(found: cw.TaskComparison, data: DataSet) -> bool:
    return found.at_least.differ > len(data.truly_different)


def _too_many_better(found: cw.TaskComparison, data: DataSet) -> bool:
    counts = found.at_least
    ours, theirs = (
        sum(sign * data.leads[task] > 0 for task in data.truly_different) for sign in (1, -1)
    )
    return counts.a_better > ours or counts.b_better > theirs


def _false_discovery(found: cw.TaskComparison, data: DataSet) -> bool:
    """Tell whether one of the tasks named, drawn at random, does not differ."""
    named = found.different
    return bool(named) and data.rng.choice(named) not in data.truly_different


def _false_winner(found: cw.TaskComparison, data: DataSet) -> bool:
    """Tell whether one of the winners named, of a task drawn at random, is not better there."""
    won = [task for task, own in found.per_task.items() if own.winner is not None]
    if not won:
        return False
    task = str(data.rng.choice(won))
    sign = 1 if found.per_task[task].winner == found.a else -1
    return not (task in data.truly_different and sign * data.leads[task] > 0)


def _probability_missed(found: cw.TaskComparison, data: DataSet) -> bool:
    low, high = found.on_the_whole.interval
    truth = float(np.mean([data.winning(task) for task in data.tasks]))
    return not low <= truth <= high


QUESTIONS = (
    Question(
        "compare_tasks",
        _ask,
        (
            Claim("a winner on the whole found", _winner_on_the_whole, PAGE),
            Claim("height differs anywhere", _anywhere("anywhere"), PAGE),
            Claim("curves differ anywhere", _anywhere("anywhere_in_curves"), PAGE),
            Claim("fewer tasks differ than stated", _too_many, PAGE),
            Claim("better on fewer tasks than stated", _too_many_better, PAGE),
            Claim("a named task does not differ", _false_discovery, PAGE),
            Claim("a named winner is not better", _false_winner, PAGE),
            Claim("interval of the probability misses", _probability_missed, PAGE, promised=NEAR),
        ),
        n_tasks=N_TASKS,
    ),
)

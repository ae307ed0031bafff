from __future__ import annotations

import numpy as np

import curvewise as cw
from curvewise.text import naming_flags
from tests.questions.aggregate.several_tasks import some_tasks


def test_too_few_tasks_for_an_iqm() -> None:
    found = cw.aggregate(some_tasks(n_tasks=4), statistic="iqm")
    (warning,) = found.warnings
    assert warning.startswith("4 tasks are too few for an IQM: it jumps between tasks")
    assert 'Use statistic="mean"' in warning
    with naming_flags():
        assert "Use --statistic mean" in found.warnings[0]


def test_few_runs_below_gamma_are_counted() -> None:
    tasks = some_tasks(lead=0)
    found = cw.aggregate(tasks, statistic="gap", gamma=0.1)
    (caveat,) = found.caveats
    below = {
        name: sum(int(np.sum(own.scores < 0.1)) for own in (found.runs[name],)) for name in "ABC"
    }
    few = {name: n for name, n in below.items() if n < 10}
    told = caveat.to_dict()
    assert dict(zip(told["algorithms"], told["n_runs"], strict=True)) == few
    assert found.warnings[0].startswith("Few runs fall below gamma = 0.1000 (")
    assert not cw.aggregate(tasks, statistic="gap").caveats


def test_runs_that_count_the_same_give_an_interval_without_width() -> None:
    tasks = {
        name: cw.Curves([[height], [height], [0.0], [2.0]], ["A", "A", "B", "B"])
        for name, height in (("x", 1.0), ("y", 0.5))
    }
    found = cw.aggregate(tasks)
    assert found["A"].interval == (found["A"].value,) * 2
    assert found["A"].df is None
    assert any(
        own.startswith("On every task the runs of A count the same") for own in found.warnings
    )


def test_what_is_said_of_some_tasks_names_them() -> None:
    tasks = some_tasks(n_steps=6)
    own = tasks["task 2"]
    scores = own.scores.copy()
    scores[1] = scores[0]
    tasks["task 2"] = cw.Curves(scores, own.labels)
    (warning,) = cw.aggregate(tasks).warnings
    assert "task 2" in warning
    assert "Check that they are separate runs" in warning

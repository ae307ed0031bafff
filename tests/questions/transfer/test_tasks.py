"""transfer_many(): each task alone, and means over tasks where that is fair."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from curvewise import CurvesError, OptionError, transfer, transfer_many
from curvewise.questions.transfer.method import ShuffledMetrics
from tests.questions.resuming import check_refuses, check_resumes, digits, progress_of
from tests.questions.transfer.gains import SIDES, pair, rising

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise import Curves, Transfers

CTR, ARR = "calibrated_transfer_ratio", "average_relative_reduction"


@cache
def two_tasks() -> dict[str, Curves]:
    return {"easy": rising(1, gain=2), "hard": rising(2, gain=2)}


@cache
def measured() -> Transfers:
    return transfer_many(two_tasks(), **SIDES, optimum=20.0, rng=0)


def test_tasks_are_measured_alone_and_averaged_where_that_is_fair() -> None:
    found = measured()
    assert list(found) == ["easy", "hard"]
    assert list(found.across) == [CTR, ARR]
    for name, across in found.across.items():
        alone = [task.metrics[name].value for task in found.values()]
        assert across.value == pytest.approx(np.mean(alone))  # type: ignore[arg-type]
        assert across.interval is not None
        assert across.interval.low < across.value < across.interval.high
        assert (across.n_tasks, across.n_all) == (2, 2)
    assert found.across[CTR].pvalue < 0.05
    unknown = transfer_many(two_tasks(), **SIDES, rng=0, n_resamples=0)
    assert list(unknown.across) == [ARR]
    assert unknown.across[ARR].interval is None


def test_a_task_has_the_numbers_it_has_alone() -> None:
    streams = np.random.default_rng(0).spawn(3)
    for (name, curves), stream in zip(two_tasks().items(), streams, strict=False):
        alone = transfer(curves, **SIDES, optimum=20.0, rng=stream)
        assert alone.to_dict() == measured()[name].to_dict()
        assert alone.seed is None
    assert measured().seed == 0


@pytest.mark.parametrize("gain", [0.3, 1.0, -1.0])
def test_p_across_is_twice_the_smaller_tail_of_all_pairs_of_relabellings(gain: float) -> None:
    tasks = {str(seed): rising(seed, 4, gain=gain) for seed in (3, 4)}
    found = transfer_many(tasks, **SIDES, optimum=20.0, n_resamples=0, rng=1)
    for name, across in found.across.items():
        first, second = (task.metrics[name].null_distribution for task in found.values())
        assert first is not None
        assert second is not None
        means = np.add.outer(first, second).ravel() / 2
        assert len(means) == math.comb(8, 4) ** 2
        upper = np.mean((means >= across.value - 1e-9) | np.isnan(means))
        lower = np.mean((means <= across.value + 1e-9) | np.isnan(means))
        tail = min(upper, lower)
        expected = min(2 * tail, 1.0)
        error = 2 * math.sqrt(tail * (1 - tail) / 9_999)
        assert across.pvalue == pytest.approx(expected, abs=5 * error + 2e-4), name


def test_p_across_is_that_of_independent_shuffles() -> None:
    """Two tasks with the same small gain are better evidence than either."""
    tasks = {str(seed): rising(seed, 5, gain=1.3) for seed in range(4)}
    found = transfer_many(tasks, **SIDES, optimum=20.0, n_resamples=0, rng=1)
    alone = [task.metrics[CTR].pvalue or 1.0 for task in found.values()]
    assert 0 < found.across[CTR].pvalue < min(alone)


def test_the_interval_across_is_narrower_than_those_of_tasks() -> None:
    across = measured().across[CTR]
    assert across.interval is not None
    width = across.interval.high - across.interval.low
    for task in measured().values():
        own = task.metrics[CTR].interval
        assert own is not None
        assert width < own.high - own.low


def test_the_interval_across_ends_where_the_metric_does() -> None:
    """Nearly optimal on both tasks, and no metric can be above 1."""
    rng = np.random.default_rng(29)
    tasks = {
        name: pair(rng.uniform(0, 5, (4, 6)), rng.uniform(6, 10, (4, 1)) + np.zeros(6))
        for name in "ab"
    }
    found = transfer_many(tasks, **SIDES, optimum=10, n_resamples=999, confidence=0.99, rng=0)
    across = found.across[CTR]
    assert across.value < 1
    assert across.interval is not None
    assert across.interval.high == 1
    assert across.interval.low < across.value


def test_the_interval_across_is_that_of_a_mean_of_independent_estimates() -> None:
    found = measured()
    for name, across in found.across.items():
        own = [task.metrics[name] for task in found.values()]
        variances = [(metric.error or math.nan) ** 2 for metric in own]
        squares = [
            variance**2 / (metric.error_df or math.nan)
            for variance, metric in zip(variances, own, strict=True)
        ]
        df = sum(variances) ** 2 / sum(squares)
        reach = stats.t.isf(0.025, df) * math.sqrt(sum(variances)) / len(own)
        assert not across.moved_by_test
        ends = across.value - reach, across.value + reach
        assert across.interval == pytest.approx(ends), name


def test_a_mean_across_tasks_agrees_with_its_p() -> None:
    moved = 0
    for seed in range(12):
        tasks = {str(k): rising(10 * seed + k, 4, gain=seed / 8) for k in range(3)}
        found = transfer_many(tasks, **SIDES, optimum=20, n_resamples=99, rng=seed)
        for across in found.across.values():
            assert across.interval is not None
            low, high = across.interval
            assert low <= across.value <= high
            assert (low <= 0 <= high) == (across.pvalue > 0.05)
            moved += across.moved_by_test
    assert moved > 0


def test_an_undefined_resample_leaves_an_interval() -> None:
    # With the better run of the control left out, the experimental condition is below it.
    shaky = pair([[0.0, 1, 2], [5.0, 6, 7]], [[1.0, 3, 4], [2.0, 3, 9]])
    found = transfer_many({"a": shaky, "b": shaky}, **SIDES, n_resamples=199, rng=0)
    values = found["a"].metrics[ARR].resamples
    assert values is not None
    assert np.isnan(values).any()
    across = found.across[ARR]
    assert across.interval is not None
    assert across.interval.low <= across.value <= across.interval.high <= 1


def test_tasks_on_which_a_metric_is_undefined_are_left_out_and_named() -> None:
    fails = pair(3 + np.zeros((4, 6)) + np.arange(6), np.zeros((4, 6)) + 0.1 * np.arange(6))
    tasks = {"one": rising(1), "two": rising(2), "disaster": fails}
    found = transfer_many(tasks, **SIDES, rng=0, n_resamples=0)
    across = found.across[ARR]
    assert (across.n_tasks, across.n_all) == (2, 3)
    assert any("leaves out disaster" in warning for warning in found.warnings)


def test_one_task_has_no_mean() -> None:
    found = transfer_many({"one": rising(1)}, **SIDES, optimum=20, rng=0, n_resamples=0)
    assert found.across == {}


def test_an_optimum_for_each_task() -> None:
    optimum = {"easy": 10.0, "hard": 20.0}
    found = transfer_many(two_tasks(), **SIDES, optimum=optimum, n_resamples=0)
    assert {name: task.optimum for name, task in found.items()} == optimum
    one = transfer_many(two_tasks(), **SIDES, optimum={"easy": 10.0}, n_resamples=0)
    assert [task.optimum_known for task in one.values()] == [True, False]


@pytest.mark.parametrize(
    ("tasks", "options", "error", "message"),
    [
        ({}, {}, OptionError, "Give a mapping from names to Curves"),
        ([], {}, OptionError, "Give a mapping from names to Curves"),
        ({"a": 3}, {}, OptionError, r"transfer_many\(\) takes Curves, not a int"),
        (None, {"control": "X"}, CurvesError, "Task 'easy': No condition is called 'X'"),
        (None, {"optimum": {"other": 1.0}}, OptionError, "'other', and no such task"),
        (None, {"optimum": -99.0}, OptionError, "Task 'easy': The optimum -99.00 lies"),
        (None, {"confidence": 95}, OptionError, "^confidence must lie between"),
        (None, {"n_shuffles": "many"}, OptionError, "^n_shuffles must be"),
        (None, {"n_jobs": 0}, OptionError, "^n_jobs must be"),
    ],
)
def test_what_cannot_be_used_is_refused(
    tasks: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    given = two_tasks() if tasks is None else tasks
    with pytest.raises(error, match=message):
        transfer_many(given, **{**SIDES, **options})


def test_an_unknown_option_is_refused_as_by_any_function() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'treshold'"):
        transfer_many(two_tasks(), **SIDES, treshold=1)


def asked(**options: Any) -> Transfers:
    given = {"n_resamples": 99, "n_shuffles": 2_000, "exact": False, "rng": 1}
    return transfer_many(two_tasks(), **{**SIDES, **given, **options})


def test_interrupted_work_goes_on_with_the_same_digits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ShuffledMetrics, "chunk", 1)
    check_resumes(asked, tmp_path / "work.npz", monkeypatch)


def test_without_a_seed_work_goes_on_with_the_streams_it_was_begun_with(tmp_path: Path) -> None:
    path = tmp_path / "work.npz"
    first, again = (asked(rng=None, checkpoint=path) for _ in range(2))
    assert digits(first) == digits(again)
    assert first.across[ARR].pvalue == again.across[ARR].pvalue
    assert digits(asked(rng=None)) != digits(first)


def test_the_checkpoint_of_another_question_is_refused(tmp_path: Path) -> None:
    tasks = {**two_tasks(), "hard": rising(3, gain=2)}
    swapped = {"hard": two_tasks()["easy"], "easy": two_tasks()["hard"]}
    few: dict[str, Any] = {**SIDES, "n_resamples": 99, "n_shuffles": 99, "exact": False}
    check_refuses(
        lambda **k: asked(n_shuffles=99, **k),
        {
            "rng": lambda **k: asked(n_shuffles=99, **{**k, "rng": 2}),
            "optimum": lambda **k: asked(n_shuffles=99, optimum=99.0, **k),
            "n_shuffles": lambda **k: asked(n_shuffles=100, **k),
            "curves": lambda **k: transfer_many(tasks, **few, rng=1, **k),
            "names": lambda **k: transfer_many(swapped, **few, rng=1, **k),
        },
        tmp_path / "work.npz",
    )


def test_jobs_change_no_digit() -> None:
    one, two = (asked(n_jobs=n_jobs, n_shuffles=9_000) for n_jobs in (1, 2))
    assert json.dumps(one.to_dict()) == json.dumps(two.to_dict())


def test_progress_is_reported_task_by_task() -> None:
    assert progress_of(asked) == [[(1, 2), (2, 2)]]


def test_a_generator_gives_streams_of_its_own_each_time() -> None:
    rng = np.random.default_rng(0)
    first, second = asked(rng=rng), asked(rng=rng)
    assert digits(first) != digits(second)
    assert digits(first) == digits(asked(rng=np.random.default_rng(0)))
    assert first.seed is None

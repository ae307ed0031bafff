"""Time to a threshold."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

import curvewise as cw
from curvewise import Curves, CurvesError, gate
from curvewise.kernels.survival import Times, log_rank_scores
from tests.questions.gate.runs import asked, subsets
from tests.simulation import some_curves


def curves_with(times: Any, n_candidate: int, n_steps: int = 60, **options: Any) -> Curves:
    """Curves that step up to 1 at these times, or not at all."""
    steps = np.arange(1, n_steps + 1)
    scores = (steps >= np.asarray(times, dtype=float)[:, None]).astype(float)
    # What never matters, so that no two runs are the same.
    rising = np.sort(np.random.default_rng(0).random(scores.shape), axis=1)
    scores[scores == 0] = 0.01 * rising[scores == 0]
    n_baseline = len(scores) - n_candidate
    labels = ["candidate"] * n_candidate + ["baseline"] * n_baseline
    return Curves(scores, labels, steps, **options)


def reach(curves: Curves, margin: float, **options: Any) -> Any:
    asked: dict[str, Any] = {"candidate": "candidate", "baseline": "baseline", "rng": 0}
    return gate(curves, margin=margin, on=("reach", 1.0), **asked, **options)


@pytest.mark.parametrize("margin", [1.0, 1.5, 2.5])
@pytest.mark.parametrize("n_candidate", [3, 4])
def test_p_is_that_of_brute_force(margin: float, n_candidate: int) -> None:
    times = np.array([10, 25, 70, 40, 22, 33, 80, 51.0])
    found = reach(curves_with(times, n_candidate), margin)
    mine = np.arange(8) < n_candidate
    stretched = np.where(mine, times, margin * times)
    # A run reaches 1 at the first whole step; what comes after the end is censored there.
    reached = (times <= 60) & (np.where(mine, 1.0, margin) * np.ceil(times) <= 60)
    stretched = np.where(mine, np.ceil(times), margin * np.ceil(times))
    scores = log_rank_scores(Times(np.minimum(stretched, 60.0), reached))
    sums = np.array([scores[own].sum() for own in subsets(8, n_candidate)])
    observed = scores[mine].sum()
    assert found.pvalue_pass == pytest.approx(np.mean(sums >= observed - 1e-9))
    assert found.pvalue_fail == pytest.approx(np.mean(sums <= observed + 1e-9))


def test_p_limits_and_answer_agree() -> None:
    rng = np.random.default_rng(1)
    answers = set()
    for factor in (0.4, 0.8, 1.2, 4.0):
        times = 12 * np.exp(0.2 * rng.normal(size=12)) * np.repeat([factor, 1], 6)
        for margin in (1.0, 1.5):
            found = reach(curves_with(times, 6), margin)
            answers.add(found.answer)
            low, high = found.limits
            assert (high < margin) == (found.pvalue_pass <= 0.05) == (found.answer == "pass")
            assert (found.limits_fail.low > margin) == (found.answer == "fail")
            assert low <= found.difference <= high
            assert f"margin {margin:g} times" in found.describe()
    assert answers == {"pass", "fail", "undecided"}


def test_runs_that_never_get_there_count_as_late() -> None:
    early, never = [10, 11, 12, 13.0], [99, 98, 97, 96.0]
    found = reach(curves_with([*never, *early], 4), 2)
    assert found.answer == "fail"
    assert found.n_reached == (0, 4)
    assert found.to_dict()["medians"] == [None, 11]
    assert "0 of 4 runs of the candidate reach it, not half of them" in found.describe()
    assert "never" in str(found)


def test_losses_are_reached_from_above() -> None:
    score = curves_with([10, 11, 12, 30, 31, 32.0], 3)
    loss = Curves(-score.scores, score.labels, score.steps, higher_is_better=False)
    asked: dict[str, Any] = {"candidate": "candidate", "baseline": "baseline"}
    found = gate(loss, margin=1, on=("reach", -1.0), **asked)
    assert found.pvalue_pass == reach(score, 1).pvalue_pass == 1 / 20


def test_times_of_many_runs_are_looked_at_in_portions() -> None:
    times = np.random.default_rng(3).uniform(5, 50, 60)
    found = reach(curves_with(times, 30), 1.3, n_shuffles=99)
    assert found.limits.low < 1 < found.limits.high
    assert not found.exact


def test_times_of_0_tell_nothing_of_multiples() -> None:
    scores = [[1], [1], [1], [5], [5], [5]]
    curves = Curves(scores, ["candidate"] * 3 + ["baseline"] * 3)
    failed = asked(curves, margin=2, on=("reach", 3))
    assert failed.answer == "fail"
    assert failed.limits == (math.nextafter(2, 3), math.inf)
    assert "is later, whatever the times of the baseline are multiplied by" in failed.describe()
    mixed = Curves([[1], [1], [5], [5], [5], [5]], curves.labels)
    open_end = asked(mixed, margin=2, on=("reach", 3))
    assert (open_end.answer, open_end.limits) == ("undecided", (0, math.inf))
    assert "inf" not in open_end.describe()


def test_a_score_that_all_runs_have_from_the_start_is_refused() -> None:
    curves = some_curves(0, (4, 4))
    with pytest.raises(CurvesError, match="All runs are at a score of -1000 from the first"):
        gate(curves, candidate="A", baseline="B", margin=1.2, on=("reach", -1000))


def test_without_enough_runs_nothing_limits_the_multiple() -> None:
    scores = np.tile(np.arange(6.0), (4, 1)) + np.arange(4)[:, None] / 2
    curves = Curves(scores, ["A", "A", "B", "B"], steps=np.arange(1, 7))
    found = gate(curves, candidate="A", baseline="B", margin=1e308, on=("reach", 3.0))
    assert tuple(found.limits) == (0, math.inf)
    assert "these runs set the multiple no limits" in found.describe()


def test_times_are_read_between_the_points_of_each_log() -> None:
    """Runs are logged every 125 steps, and reach the score between two of them."""
    rng = np.random.default_rng(0)
    rows = [
        {"algorithm": name, "run": run, "step": step, "loss": 4 - step / slow}
        for name, pace, last in (("old", 3100, 3325), ("new", 3050, 3275))
        for run, slow in enumerate(pace / 0.7 + rng.normal(0, 10, 6))
        for step in (*range(0, 3251, 125), last)
    ]
    curves = cw.Curves.from_frame(
        pl.DataFrame(rows),
        algorithm="algorithm",
        run="run",
        step="step",
        score="loss",
        higher_is_better=False,
    )
    names: dict[str, Any] = {"candidate": "new", "baseline": "old"}
    found = gate(curves, margin=1, on=("reach", 3.3), **names)
    assert found.medians == pytest.approx((3050, 3100), abs=15)
    assert found.pvalue_pass == 1 / 924
    assert 0.97 < found.limits.low < found.difference < found.limits.high < 1
    sides: dict[str, Any] = {"control": "old", "experimental": "new"}
    moved = cw.transfer(curves, threshold=3.3, n_resamples=0, rng=0, **sides)
    assert moved.survival.pvalue == 2 / 924
    assert moved.survival.medians == pytest.approx((3100, 3050), abs=15)


def test_times_are_those_of_logs_that_are_finer_than_common_steps() -> None:
    def log(name: str, run: int, every: int) -> cw.RunLog:
        steps = np.arange(0, 1001, every)
        # Slow at first: a line between distant points lies above it.
        return cw.RunLog(name, str(run), "score", steps, (steps / 1000) ** 4 + run / 1e6)

    logs = [log("old", run, 500) for run in range(4)]
    logs += [log("new", run, 50) for run in range(4)]
    curves = cw.align(logs)
    assert curves.n_steps == 3
    names: dict[str, Any] = {"candidate": "new", "baseline": "old"}
    found = gate(curves, margin=1, on=("reach", 0.3), **names)
    assert found.medians == pytest.approx((740, 627), abs=2)
    early = gate(curves.window(0, 500), margin=1, on=("reach", 0.05), **names)
    assert early.medians == pytest.approx((471, 400), abs=2)
    again = pickle.loads(pickle.dumps(curves.with_blocks(None)))  # noqa: S301
    assert gate(again, margin=1, on=("reach", 0.3), **names).medians == found.medians

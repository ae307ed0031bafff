from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from curvewise.kernels.tasks import (
    STATISTICS,
    StratifiedRuns,
    gap,
    interquartile_mean,
    quartiles,
    spread_of,
    t_quantiles,
)
from tests.reference.aggregates_rliable import GAMMAS, scores

REFERENCE = Path(__file__).parents[1] / "reference" / "aggregates_rliable.json"


def some_runs(seed: int, sizes: list[int], n_steps: int = 3) -> StratifiedRuns:
    rng = np.random.default_rng(seed)
    tasks = np.repeat(np.arange(len(sizes)), sizes)
    heights = rng.normal(size=len(sizes))
    made = heights[tasks, None] + rng.normal(size=(len(tasks), n_steps))
    return StratifiedRuns(made, tasks)


@pytest.mark.parametrize("case", json.loads(REFERENCE.read_text())["cases"])
def test_point_estimates_are_those_of_rliable(case: dict[str, Any]) -> None:
    n_runs, n_tasks = case["n_runs"], case["n_tasks"]
    made = scores(n_runs, n_tasks, 0).T.reshape(-1, 1)
    runs = StratifiedRuns(made, np.repeat(np.arange(n_tasks), n_runs))
    for name in ("iqm", "mean"):
        found = STATISTICS[name].value(runs, 1.0)
        np.testing.assert_allclose(found, case[name], rtol=1e-12)
    gaps = [float(STATISTICS["gap"].value(runs, gamma)[0]) for gamma in GAMMAS]
    np.testing.assert_allclose(gaps, case["gap"], rtol=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(2, 9))
@settings(max_examples=40, deadline=None)
def test_the_iqm_of_equally_many_runs_is_scipys(seed: int, n_tasks: int, n: int) -> None:
    runs = some_runs(seed, [n] * n_tasks)
    found = interquartile_mean(runs.scores, runs.weights)
    np.testing.assert_allclose(found, stats.trim_mean(runs.scores, 0.25), rtol=1e-9)


def test_the_iqm_weighs_tasks_alike_whatever_their_runs() -> None:
    # Every run of the second task is there twice: its weight stays that of a task.
    once = StratifiedRuns(np.arange(8.0)[:, None], np.repeat([0, 1], 4))
    again = np.array([*range(4), *np.repeat(range(4, 8), 2)], dtype=float)[:, None]
    twice = StratifiedRuns(again, np.repeat([0, 1], [4, 8]))
    for name in ("iqm", "mean"):
        one, other = (STATISTICS[name].value(runs, 1.0) for runs in (once, twice))
        np.testing.assert_allclose(one, other)
    np.testing.assert_allclose(quartiles(once.scores, once.weights)[:, 0], [1.5, 5.5], atol=1e-12)


def test_quartiles_of_equal_weights_are_hazens() -> None:
    runs = some_runs(3, [5] * 7)
    expected = np.quantile(runs.scores, [0.25, 0.75], axis=0, method="hazen")
    np.testing.assert_allclose(quartiles(runs.scores, runs.weights), expected)


def test_one_task_is_a_one_sample_t_test() -> None:
    runs = some_runs(1, [6])
    spread = spread_of([runs.squares(runs.residuals(runs.scores))])
    np.testing.assert_allclose(spread.df, 5)
    np.testing.assert_allclose(spread.error, stats.sem(runs.scores))


def test_the_spread_of_a_mean_is_that_of_strata() -> None:
    sizes = [3, 5, 2, 8]
    runs = some_runs(2, sizes)
    spread = spread_of([runs.squares(runs.residuals(runs.scores))])
    parts = np.split(runs.scores, np.cumsum(sizes)[:-1])
    v = np.array([own.var(axis=0, ddof=1) / len(own) for own in parts])
    np.testing.assert_allclose(spread.error**2, v.sum(axis=0) / 16)
    dfs = np.array(sizes)[:, None] - 1
    np.testing.assert_allclose(spread.df, v.sum(axis=0) ** 2 / (v**2 / dfs).sum(axis=0))


def test_two_algorithms_of_one_task_are_welchs_t_test() -> None:
    one, other = some_runs(1, [6], 1), some_runs(2, [4], 1)
    spread = spread_of([own.squares(own.residuals(own.scores)) for own in (one, other)])
    found = stats.ttest_ind(one.scores[:, 0], other.scores[:, 0], equal_var=False)
    assert spread.df[0] == pytest.approx(found.df)
    difference = float(one.scores.mean() - other.scores.mean())
    assert difference / spread.error[0] == pytest.approx(found.statistic)


@given(
    st.integers(0, 10_000),
    st.lists(st.integers(2, 7), min_size=1, max_size=12),
    st.floats(0.01, 100),
    st.floats(-50, 50),
)
@settings(max_examples=40, deadline=None)
def test_aggregates_move_with_the_scale(
    seed: int, sizes: list[int], factor: float, offset: float
) -> None:
    runs = some_runs(seed, sizes)
    moved = StratifiedRuns(factor * runs.scores + offset, runs.tasks)
    for name, statistic in STATISTICS.items():
        gamma, moved_gamma = 0.7, factor * 0.7 + offset
        value, other = statistic.value(runs, gamma), statistic.value(moved, moved_gamma)
        expected = factor * value + (0 if name == "gap" else offset)
        np.testing.assert_allclose(other, expected, rtol=1e-6, atol=1e-6 * factor)
        spread, spread_moved = (
            spread_of([own.squares(own.residuals(statistic.influences(own, at)))])
            for own, at in ((runs, gamma), (moved, moved_gamma))
        )
        np.testing.assert_allclose(
            spread_moved.error, factor * spread.error, rtol=1e-6, atol=1e-9 * factor
        )


def test_runs_that_do_not_vary_have_no_error_and_no_degrees_of_freedom() -> None:
    # The means of tasks are rounded, so that runs differ from them by rounding.
    runs = StratifiedRuns(np.repeat([[0.1], [0.7], [1 / 3]], 3, axis=0), np.repeat(range(3), 3))
    spread = spread_of([runs.squares(runs.residuals(runs.scores))])
    assert spread.error.tolist() == [0.0]
    assert np.isnan(spread.df).all()
    assert t_quantiles(1.96, spread.df).tolist() == [0.0]


def test_the_influence_on_the_iqm_is_its_derivative() -> None:
    # What a run of a large sample moves the IQM by, when it is moved, is the influence function.
    rng = np.random.default_rng(0)
    made = rng.normal(size=(4_000, 1))
    runs = StratifiedRuns(made, np.zeros(4_000, dtype=np.int64))
    influences = STATISTICS["iqm"].influences(runs, 1.0)[:, 0]
    base = float(STATISTICS["iqm"].value(runs, 1.0)[0])
    for place in np.argsort(made[:, 0])[[40, 1_500, 2_500, 3_900]]:
        without = np.delete(made, place, axis=0)
        left = float(stats.trim_mean(without[:, 0], 0.25))
        expected = (influences[place] - influences.mean()) / 4_000
        assert base - left == pytest.approx(expected, abs=1e-5)


def test_a_gap_counts_what_is_below() -> None:
    assert gap(np.array([[0.2], [1.5]]), 1.0).ravel().tolist() == [0.8, 0.0]


@pytest.mark.parametrize("n_tasks", [10, 26])
@pytest.mark.parametrize("name", ["iqm", "mean", "gap"])
def test_intervals_hold_as_often_as_they_say(name: str, n_tasks: int) -> None:
    n_sets, n_runs, gamma = 1_500, 3, 0.5
    rng = np.random.default_rng(5)
    heights, spreads = rng.normal(size=n_tasks), rng.lognormal(0, 0.4, size=n_tasks)
    tasks = np.repeat(np.arange(n_tasks), n_runs)

    def drawn(of: np.ndarray, n_columns: int) -> np.ndarray:
        noise = rng.normal(size=(len(of), n_columns))
        return np.asarray(heights[of, None] + spreads[of, None] * noise)

    many = drawn(np.arange(n_tasks), 40_000)
    truth = {
        "mean": heights.mean(),
        "iqm": stats.trim_mean(many, 0.25, axis=None),
        "gap": gap(many, gamma).mean(),
    }[name]
    runs = StratifiedRuns(drawn(tasks, n_sets), tasks)
    statistic = STATISTICS[name]
    spread = spread_of([runs.squares(runs.residuals(statistic.influences(runs, gamma)))])
    reach = t_quantiles(1.959964, spread.df) * spread.error
    held = np.mean(np.abs(statistic.value(runs, gamma) - truth) <= reach)
    # Three standard errors of a rate of .95 around it, and what a small sample costs.
    assert 0.925 < held < 0.975

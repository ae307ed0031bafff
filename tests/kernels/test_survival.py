"""Times to a threshold as survival data: scores, curves, medians, means."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from curvewise.kernels.survival import (
    Times,
    kaplan_meier,
    log_rank_scores,
    median_times,
    rising_fit,
    score_noise,
    time_edges,
    time_to_threshold,
)

if TYPE_CHECKING:
    import random

runs = st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=2, max_size=14)


def times_of(drawn: list[tuple[int, bool]]) -> Times:
    steps, reached = zip(*drawn, strict=True)
    return Times(np.array(steps, dtype=float), np.array(reached))


def test_a_rising_log_is_crossed_between_its_points() -> None:
    steps, scores = np.array([10.0, 20, 30, 40]), np.array([0, 1, 1, 3.0])
    for threshold, time in ((1, 20), (2, 35), (3, 40), (0, 10), (-1, 10), (3.1, math.inf)):
        assert time_to_threshold(steps, scores, threshold) == time
        assert np.isinf(time) or np.interp(time, steps, scores) == max(threshold, 0)
    assert time_to_threshold(steps[:0], scores[:0], 1) == math.inf
    assert time_to_threshold(steps, scores, 3 + 1e-13, slack=1e-12) == 40


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=45))
def test_the_fit_is_isotonic_regression_up_to_the_peak(drawn: list[int]) -> None:
    scores = np.array(drawn, dtype=float)
    width = max(len(scores) // 20, 1)
    means = [sum(drawn[at : at + width]) for at in range(len(drawn) - width + 1)]
    stop = means.index(max(means)) + width
    centres, values = rising_fit(np.arange(float(len(scores))), scores)
    assert (np.diff(values) >= 0).all()
    assert (np.diff(centres) > 0).all()
    from scipy.optimize import isotonic_regression

    fit = isotonic_regression(scores[:stop]).x
    assert np.allclose(np.unique(fit.round(9)), np.unique(values.round(9)))


def test_a_spike_is_no_time_and_what_is_lost_later_stays_reached() -> None:
    steps = np.arange(100.0)
    rng = np.random.default_rng(0)
    scores = steps / 100 + rng.normal(0, 0.05, 100)
    assert abs(time_to_threshold(steps, scores, 0.5) - 50) < 4
    assert np.argmax(scores >= 0.5) < 47  # the first score there is early
    forgotten = np.append(scores, np.zeros(50))
    assert time_to_threshold(np.arange(150.0), forgotten, 0.5) == time_to_threshold(
        steps, scores, 0.5
    )


@pytest.mark.parametrize(("hold", "time"), [(2, 2.5), (3, 2.5), (4, math.inf), (9, math.inf)])
def test_a_threshold_must_be_held(hold: int, time: float) -> None:
    """At steps 1, 3, 4 and 5; that it would have held on is not known."""
    scores = np.array([0, 2, 0, 4, 2, 2.0])
    assert time_to_threshold(np.arange(6.0), scores, 2, hold=hold) == time


def test_edges_are_ratios_of_times() -> None:
    ours, others = times_of([(2, True), (4, False)]), times_of([(1, True)])
    assert time_edges(ours, others, 8.0).tolist() == [0.25, 0.5, 1, 2, 4, 8]
    many = Times(np.arange(1.0, 101), np.ones(100, dtype=bool))
    assert len(time_edges(many, many, 200.0)) == 512


def test_scores_by_hand() -> None:
    """Of six runs, one is censored at a step at which another reaches the threshold."""
    times = Times(np.array([2.0, 3, 3, 5, 5, 7]), np.array([True, True, False, True, True, False]))
    at_2, at_3, at_5 = Fraction(1, 6), Fraction(1, 5), Fraction(2, 3)
    expected = [
        1 - at_2,
        1 - at_2 - at_3,
        -at_2 - at_3,
        1 - at_2 - at_3 - at_5,
        1 - at_2 - at_3 - at_5,
        -at_2 - at_3 - at_5,
    ]
    assert log_rank_scores(times) == pytest.approx([float(own) for own in expected])


@given(runs)
def test_scores_sum_to_zero(drawn: list[tuple[int, bool]]) -> None:
    scores = log_rank_scores(times_of(drawn))
    assert abs(float(scores.sum())) <= score_noise(scores)


@given(runs)
def test_only_the_order_of_times_matters(drawn: list[tuple[int, bool]]) -> None:
    times = times_of(drawn)
    later = Times(np.exp(times.steps), times.reached)
    assert log_rank_scores(later) == pytest.approx(log_rank_scores(times))


@given(runs, st.randoms(use_true_random=False))
def test_the_order_of_runs_does_not_matter(
    drawn: list[tuple[int, bool]], draws: random.Random
) -> None:
    order = list(range(len(drawn)))
    draws.shuffle(order)
    scores = log_rank_scores(times_of(drawn))
    shuffled = log_rank_scores(times_of([drawn[place] for place in order]))
    assert shuffled == pytest.approx(scores[order])


@given(runs, runs)
def test_their_sum_is_the_numerator_of_scipys_log_rank_test(
    first: list[tuple[int, bool]], second: list[tuple[int, bool]]
) -> None:
    """The statistic is the sum over its standard deviation, hypergeometric at each step."""
    times = times_of(first + second)
    is_first = np.arange(len(times.steps)) < len(first)
    variance = 0.0
    for step in np.unique(times.steps[times.reached]):
        n_all = int((times.steps >= step).sum())
        n_own = int((times.steps[is_first] >= step).sum())
        n_now = int((times.reached & (times.steps == step)).sum())
        if n_all > 1:
            share = n_own / n_all
            variance += n_now * share * (1 - share) * (n_all - n_now) / (n_all - 1)
    if variance < 1e-9:
        return
    one, other = (
        stats.CensoredData(uncensored=own.steps[own.reached], right=own.steps[~own.reached])
        for own in (times.of(is_first), times.of(~is_first))
    )
    statistic = stats.logrank(one, other).statistic
    ours = float(log_rank_scores(times)[is_first].sum()) / math.sqrt(variance)
    assert ours == pytest.approx(statistic, abs=1e-9)


@given(runs)
def test_the_curve_is_scipys(drawn: list[tuple[int, bool]]) -> None:
    times = times_of(drawn)
    curve = kaplan_meier(times)
    sample = stats.CensoredData(
        uncensored=times.steps[times.reached], right=times.steps[~times.reached]
    )
    expected = stats.ecdf(sample).sf
    assert curve.at(expected.quantiles) == pytest.approx(expected.probabilities)
    assert curve.at(np.array([0.0])).tolist() == [1]


def test_medians_and_restricted_means_by_hand() -> None:
    """Nobody is lost before the end: the median is that of times, never being late."""
    times = Times(np.array([2.0, 4, 6, 10]), np.array([True, True, True, False]))
    curve = kaplan_meier(times)
    assert curve.median == 4
    assert curve.restricted_mean(10) == pytest.approx((2 + 4 + 6 + 10) / 4)
    assert curve.restricted_mean(5) == pytest.approx((2 + 4 + 5 + 5) / 4)
    # Of the other three, one is lost at 4: of two that remain one reaches it at 6.
    lost = kaplan_meier(Times(times.steps, np.array([True, False, True, False])))
    assert lost.shares == pytest.approx([3 / 4, 3 / 8])
    assert lost.median == 6
    assert lost.restricted_mean(10) == pytest.approx(2 + 4 * 3 / 4 + 4 * 3 / 8)


def test_a_median_that_is_not_reached_is_infinite() -> None:
    nobody = kaplan_meier(Times(np.array([8.0, 8]), np.array([False, False])))
    assert nobody.median == math.inf
    assert nobody.restricted_mean(8) == 8
    third = Times(np.array([1.0, 8, 8]), np.array([True, False, False]))
    assert kaplan_meier(third).median == math.inf


@given(runs, st.integers(0, 2**32 - 1))
def test_many_samples_have_the_medians_of_each(drawn: list[tuple[int, bool]], seed: int) -> None:
    times = times_of(drawn)
    counts = np.random.default_rng(seed).integers(0, 4, (5, len(drawn))).astype(float)
    for own, median in zip(counts, median_times(times, counts), strict=True):
        rows = np.repeat(np.arange(len(drawn)), own.astype(int))
        if not len(rows):
            assert math.isnan(median)
            continue
        sample = Times(times.steps[rows], times.reached[rows])
        assert median == kaplan_meier(sample).median


def test_stretched_times_end_together() -> None:
    times = Times(np.array([2.0, 6, 10, 5]), np.array([True, True, False, True]))
    slower = times.stretched(np.array([1.0, 2.0, 1.0, 2.0]), 10.0)
    assert slower.steps.tolist() == [2, 10, 10, 10]
    assert slower.reached.tolist() == [True, False, False, True]
    faster = times.stretched(np.array([1.0, 0.5, 0.5, 1.0]), 10.0)
    assert faster.steps.tolist() == [2, 3, 5, 5]
    assert faster.reached.tolist() == [True, True, False, True]


def test_the_exact_test_rejects_as_often_as_promised() -> None:
    """5 + 5 runs, exponential times, 28 of 100 never get there: the share of p at most .05."""
    rng = np.random.default_rng(5)
    horizon = -math.log(0.28)
    chosen = np.array(list(combinations(range(10), 5)))
    member = np.zeros((len(chosen), 10))
    np.put_along_axis(member, chosen, 1.0, axis=1)
    n_sets, n_rejected = 600, 0
    for _ in range(n_sets):
        drawn = rng.exponential(size=10)
        times = Times(np.minimum(drawn, horizon), drawn <= horizon)
        scores = log_rank_scores(times)
        sums = np.abs(member @ scores)
        p = np.mean(sums >= abs(scores[:5].sum()) - score_noise(scores))
        n_rejected += p <= 0.05
    assert n_rejected / n_sets <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / n_sets)


# Scales of the two algorithms, shares that never get there, spread of logarithms (exponential
# times for 0), horizon; and how often the exact log-rank test finds a difference with 5 + 5 and
# 10 + 10 runs, of 800 data sets.
SCENARIOS = {
    "same": ((1, 1), (0, 0), 0, 1.273, (0.055, 0.044)),
    "twice as fast": ((0.5, 1), (0, 0), 0, 1.273, (0.14, 0.32)),
    "less time": ((0.6, 1), (0, 0), 0.6, 2.0, (0.19, 0.39)),
    "more never": ((1, 1), (0.1, 0.55), 0.5, 99.0, (0.26, 0.53)),
    "crossing": ((1, 2), (0.4, 0), 0.3, 99.0, (0.15, 0.09)),
}


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("place", [0, 1])
def test_how_much_is_found_is_as_known(name: str, place: int) -> None:
    scales, nevers, spread, horizon, known = SCENARIOS[name]
    n_runs, n_sets = (5, 10)[place], 800
    rng = np.random.default_rng(3)
    member = np.array([rng.permutation(np.repeat([1.0, 0.0], n_runs)) for _ in range(399)])
    n_found = 0
    for _ in range(n_sets):
        size = 2 * n_runs
        drawn = rng.exponential(size=size)
        if spread:
            drawn = np.exp(spread * rng.normal(size=size))
        times = drawn * np.repeat(scales, n_runs)
        times[rng.random(size) < np.repeat(nevers, n_runs)] = math.inf
        scores = log_rank_scores(Times(np.minimum(times, horizon), times <= horizon))
        sums = np.abs(member @ scores)
        least = abs(scores[:n_runs].sum()) - score_noise(scores)
        n_found += (1 + int(np.sum(sums >= least))) / 400 <= 0.05
    # Both were simulated.
    error = math.sqrt(2 * known[place] * (1 - known[place]) / n_sets)
    assert n_found / n_sets == pytest.approx(known[place], abs=4 * error)

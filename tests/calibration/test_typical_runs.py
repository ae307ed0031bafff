"""Typical runs: false alarms, and what is gained and lost where some runs fail.

``make test`` runs a short form; the tables of docs/method.md are `rates` with 1,000 data sets.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, compare
from tests.simulation import autoregressive

ALPHA, N_STEPS = 0.05, 30
CENTERS = ("mean", "trimmed", "ranks")


class Rates(NamedTuple):
    """Of some data sets: how often height was found, and the interval held the truth."""

    found: float
    covered: float
    width: float


def runs(stream: np.random.Generator, kind: str, n_runs: int) -> np.ndarray:
    """AR(1) curves; "heavy": their scale is that of t with 2 df; "failing": one in eight fails."""
    scores = autoregressive(stream, n_runs, N_STEPS)
    if kind == "heavy":
        scores /= np.sqrt(stream.chisquare(2, (n_runs, 1)))
    if kind == "failing":
        scores -= 3.5 * (stream.random((n_runs, 1)) < 1 / 8)
    return scores


def rates(
    kind: str, n_runs: int, shift: float, n_trials: int, center: str = "mean"
) -> Rates:
    """Compare two algorithms of which the first is higher by ``shift`` throughout."""
    found, covered, widths = 0, 0, []
    for stream in np.random.default_rng(2_026).spawn(n_trials):
        scores = runs(stream, kind, 2 * n_runs)
        scores[:n_runs] += shift
        own = compare(
            Curves(scores, np.repeat(["A", "B"], n_runs)),
            center=center,  # type: ignore[arg-type]
            overall="F",
            n_shuffles=199,
            exact=n_runs == 5,
            rng=stream,
        )
        assert own.difference is not None
        low, high = own.difference.interval
        assert (low <= 0 <= high) == (not own.algorithm.significant)
        found += own.algorithm.significant
        covered += low <= shift <= high
        widths.append(high - low)
    return Rates(found / n_trials, covered / n_trials, float(np.median(widths)))


def check(center: str, kind: str, n_runs: int, n_trials: int) -> None:
    found = rates(kind, n_runs, 0.0, n_trials, center)
    most = stats.binom.isf(1e-4, n_trials, ALPHA) / n_trials
    assert found.found <= most
    assert found.covered >= 1 - most


@pytest.mark.parametrize("center", ["trimmed", "ranks"])
@pytest.mark.parametrize("n_runs", [5, 10])
def test_equal_algorithms_are_rarely_told_apart(center: str, n_runs: int) -> None:
    check(center, "failing", n_runs, n_trials=100)


@pytest.mark.calibration
@pytest.mark.parametrize("center", CENTERS)
@pytest.mark.parametrize("kind", ["normal", "heavy", "failing"])
@pytest.mark.parametrize("n_runs", [5, 10])
def test_equal_algorithms_are_rarely_told_apart_in_full(
    center: str, kind: str, n_runs: int
) -> None:
    check(center, kind, n_runs, int(os.environ.get("CURVEWISE_TRIALS", "2000")))


@pytest.mark.parametrize("center", ["trimmed", "ranks"])
def test_typical_runs_find_more_where_runs_fail(center: str) -> None:
    typical = rates("failing", 10, 1.0, 120, center).found
    assert typical > rates("failing", 10, 1.0, 120).found


@pytest.mark.parametrize("center", ["trimmed", "ranks"])
def test_little_is_lost_where_none_fails(center: str) -> None:
    typical = rates("normal", 10, 1.0, 120, center).found
    assert typical > rates("normal", 10, 1.0, 120).found - 0.1


def found_and_claimed(
    kind: str, sizes: tuple[int, ...], shift: float, n_trials: int, center: str
) -> tuple[float, float]:
    """Return how often height was found, and how often it was so behind the overall test."""
    found = claimed = 0
    for stream in np.random.default_rng(7).spawn(n_trials):
        scores = runs(stream, kind, sum(sizes))
        scores[: sizes[0]] += shift
        curves = Curves(scores, np.repeat(list("ABC"[: len(sizes)]), sizes))
        own = compare(curves, center=center, n_shuffles=199, exact=False, rng=stream)  # type: ignore[arg-type]
        found += own.algorithm.significant
        claimed += own.algorithm.significant and own.overall.significant
    return found / n_trials, claimed / n_trials


def test_the_overall_test_takes_back_some_of_the_gain() -> None:
    found, claimed = found_and_claimed("failing", (10, 10), 1.0, 60, "trimmed")
    assert claimed < found


def advised(kind: str, n_runs: int, n_trials: int) -> float:
    """Return how often a plain comparison of two algorithms tells of stray runs."""
    count = 0
    for stream in np.random.default_rng(8).spawn(n_trials):
        scores = runs(stream, kind, 2 * n_runs)
        curves = Curves(scores, np.repeat(["A", "B"], n_runs))
        own = compare(curves, exact=False, n_shuffles=1, rng=stream)
        count += any(caveat.kind == "stray runs" for caveat in own.caveats)
    return count / n_trials


@pytest.mark.parametrize("n_runs", [5, 10])
def test_stray_runs_are_told_rarely_where_none_fails(n_runs: int) -> None:
    assert advised("normal", n_runs, 200) <= stats.binom.isf(1e-4, 200, 0.08) / 200


def test_stray_runs_are_told_where_runs_fail() -> None:
    assert advised("failing", 10, 100) > 0.3

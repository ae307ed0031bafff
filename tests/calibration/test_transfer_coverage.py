"""How often the intervals of learning-comparison metrics hold the truth, and p cries wolf."""

from __future__ import annotations

import os

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, transfer
from curvewise.kernels.transfer.metrics import METRICS, MetricSettings, metric_values
from tests.simulation import autoregressive

N_STEPS = 30
RATES = (0.08, 0.15)
OPTIMUM = 3.0
THRESHOLD = 0.6
STEPS = np.arange(1, N_STEPS + 1)


def mean_curve(rate: float) -> np.ndarray:
    return np.asarray(1 - np.exp(-rate * STEPS))


def runs(rng: np.random.Generator, n_runs: int, rate: float) -> np.ndarray:
    """Curves that differ in height, and wander."""
    mean = mean_curve(rate)
    lifted = 0.09 * rng.normal(size=(n_runs, 1)) * mean
    return np.asarray(mean + lifted + 0.1 * autoregressive(rng, n_runs, N_STEPS))


def simulated(
    rng: np.random.Generator, n_runs: int, rates: tuple[float, float]
) -> Curves:
    scores = np.vstack([runs(rng, n_runs, rate) for rate in rates])
    # Far from 0, so that no shift is added to the transfer ratio.
    return Curves(1 + scores, ["C"] * n_runs + ["E"] * n_runs, STEPS)


def truth() -> dict[str, float]:
    curves = [1 + mean_curve(rate)[None, :] for rate in RATES]
    setting = MetricSettings(
        np.ones(N_STEPS), 0.0, OPTIMUM, 1 + THRESHOLD, N_STEPS // 10, STEPS.astype(float)
    )
    values = metric_values(curves[0], curves[1], setting)
    return {name: float(value[0]) for name, value in values.items()}


def coverage(n_runs: int, n_trials: int) -> dict[str, float]:
    """Return how often the interval that is shown holds the true value of each metric."""
    true = truth()
    hits: dict[str, list[bool]] = {name: [] for name in METRICS}
    for stream in np.random.default_rng([3, n_runs]).spawn(n_trials):
        found = transfer(
            simulated(stream, n_runs, RATES),
            control="C",
            experimental="E",
            optimum=OPTIMUM,
            threshold=1 + THRESHOLD,
            n_resamples=499,
            n_shuffles=499,
            exact=None if n_runs == 5 else False,
            rng=stream,
        )
        for name, metric in found.metrics.items():
            assert metric.interval is not None
            low, high = metric.interval
            hits[name].append(low <= true[name] <= high)
    return {name: float(np.mean(values)) for name, values in hits.items()}


def check_coverage(n_runs: int, n_trials: int) -> None:
    rates = coverage(n_runs, n_trials)
    for name in METRICS:
        # Some metrics approach 95 %, and do not reach it.
        least = stats.binom.ppf(1e-4, n_trials, 0.93) / n_trials
        assert rates[name] >= least, (name, rates)


@pytest.mark.parametrize("n_runs", [5, pytest.param(10, marks=pytest.mark.slow)])
def test_default_intervals_nearly_cover(n_runs: int) -> None:
    check_coverage(n_runs, 60)


@pytest.mark.calibration
@pytest.mark.parametrize("n_runs", [5, 10, 20])
def test_default_intervals_nearly_cover_in_full(n_runs: int) -> None:
    check_coverage(n_runs, int(os.environ.get("CURVEWISE_TRIALS", "10000")) // 10)


def alarms(n_runs: int, n_trials: int) -> dict[str, int]:
    """Count data sets without any effect in which each metric has p of at most .05."""
    counts = dict.fromkeys(METRICS, 0)
    for stream in np.random.default_rng([4, n_runs]).spawn(n_trials):
        found = transfer(
            simulated(stream, n_runs, (0.1, 0.1)),
            control="C",
            experimental="E",
            optimum=OPTIMUM,
            threshold=1 + THRESHOLD,
            n_resamples=0,
            n_shuffles=199,
            exact=None if n_runs == 5 else False,
            rng=stream,
        )
        for name, metric in found.metrics.items():
            counts[name] += metric.pvalue is not None and metric.pvalue <= 0.05
    return counts


def check_alarms(n_runs: int, n_trials: int) -> None:
    most = stats.binom.isf(1e-4 / len(METRICS), n_trials, 0.05)
    for name, count in alarms(n_runs, n_trials).items():
        assert count <= most, f"{name}: {count} of {n_trials}"


@pytest.mark.parametrize("n_runs", [5, pytest.param(10, marks=pytest.mark.slow)])
def test_no_metric_cries_wolf(n_runs: int) -> None:
    check_alarms(n_runs, 150)


@pytest.mark.calibration
@pytest.mark.parametrize("n_runs", [5, 10])
def test_no_metric_cries_wolf_in_full(n_runs: int) -> None:
    check_alarms(n_runs, int(os.environ.get("CURVEWISE_TRIALS", "10000")) // 5)

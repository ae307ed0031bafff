"""The four metrics of Gorski & Laird (2009) for a pair of mean curves."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

import curvewise as cw
from studies.gorski2009.published import METRICS
from studies.sources.grid_worlds import WORLDS

if TYPE_CHECKING:
    from studies.gorski2009.mean_curves import Floats, Means
    from studies.gorski2009.published import Row

__all__ = [
    "OPTIMUM",
    "interval_ends",
    "measure",
    "measure_with_intervals",
    "metric_values",
    "overtaking_episode",
    "relative_reduction",
]

OPTIMUM = 1.0  # the best reward of an episode, in both worlds


def measure(
    control: Floats,
    transfer: Floats,
    *,
    optimum: float = OPTIMUM,
    until_asymptote: float | None = None,
) -> cw.Transfer:
    """Measure a pair of mean curves, without intervals."""
    return cw.transfer(
        _two_conditions(control, transfer),
        control="control",
        experimental="transfer",
        optimum=optimum,
        until_asymptote=until_asymptote,
        n_resamples=0,
        rng=0,
    )


def measure_with_intervals(world: str, means: Means, rng: np.random.Generator) -> cw.Transfer:
    """Measure the plain reading, with the means of batches of trials as runs."""
    stop = WORLDS[world].n_episodes
    return cw.transfer(
        _two_conditions(means.control[:, :stop], means.transfer[:, :stop]),
        control="control",
        experimental="transfer",
        optimum=OPTIMUM,
        n_resamples=1999,
        n_shuffles=99,
        rng=rng,
    )


def _two_conditions(control: Floats, transfer: Floats) -> cw.Curves:
    """Return the curves of both conditions, with episodes counted from 1."""
    runs = {"control": np.atleast_2d(control), "transfer": np.atleast_2d(transfer)}
    return cw.Curves.from_dict(runs, steps=range(1, runs["control"].shape[1] + 1), rows="runs")


def metric_values(found: cw.Transfer) -> Row:
    """Return the four metrics; NaN where undefined."""
    found_values = {metric: found.metrics[metric].value for metric in METRICS}
    return {metric: np.nan if each is None else each for metric, each in found_values.items()}


def interval_ends(found: cw.Metric) -> tuple[float, float]:
    """Return the ends of the interval of a metric; NaN where there is none."""
    low, high = (None, None) if found.interval is None else found.interval
    return (np.nan if low is None else low), (np.nan if high is None else high)


def overtaking_episode(control: Floats, transfer: Floats) -> int | None:
    """Return the first episode from which the control stays ahead, or None."""
    behind = np.flatnonzero(control <= transfer)
    if not len(behind):
        return 1
    last = int(behind[-1])
    return None if last == len(control) - 1 else last + 2


def relative_reduction(control: Floats, transfer: Floats, *, first: int) -> float:
    """Return the average relative reduction with trials counted from ``first``, 0 or 1."""
    end = float(transfer[-max(1, round(len(transfer) / 10)) :].mean())
    start = float(control[0])
    levels = np.unique([start, end, *control, *transfer])
    levels = levels[(levels >= start) & (levels <= end)]
    total = 0.0
    for low, high in itertools.pairwise(levels):
        by_transfer = first + int(np.argmax(transfer >= high))
        reached = bool((control >= high).any())
        by_control = first + int(np.argmax(control >= high)) if reached else np.inf
        total += (high - low) * (1 - by_transfer / by_control)
    return float(total / (end - start))

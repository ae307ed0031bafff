"""The metrics of two conditions in resamples, and intervals from them."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.inference.effects import Interval
from curvewise.kernels.bootstrap.intervals import (
    bca,
    jackknife_error,
    left_out,
    percentile,
    studentised,
)
from curvewise.kernels.bootstrap.resamples import resample_counts
from curvewise.kernels.transfer.metrics import METRICS
from curvewise.shuffling.parallel import chunks_of, in_chunks

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.questions.transfer.conditions import TwoConditions
    from curvewise.questions.transfer.metrics import MetricRecord

__all__ = ["Resampled", "metric_intervals", "percentile_interval", "resample_metrics"]

N_STUDENTISED = 999  # resamples that have standard errors of their own, at most
MIN_STUDENTISED = 199
MAX_LEFT_OUT = 40_000  # resamples with a unit left out that these errors may take


class Resampled(NamedTuple):
    """A metric in resamples, its standard error in the first of them, and in the data.

    ``acceleration`` says how the error varies with the value, for BCa intervals.
    """

    values: Floats
    errors: Floats
    error: float
    acceleration: float


def resample_metrics(
    conditions: TwoConditions, n_resamples: int, seed: int, *, n_jobs: int = 1
) -> dict[str, Resampled] | None:
    """Bootstrap every metric over runs, or blocks; ``n_jobs`` changes no digit.

    None without resamples, or when a condition has a single run, or there is a single block.
    """
    strata, units = conditions.strata, conditions.units
    if not n_resamples or np.bincount(strata).min() < 2:
        return None
    counts = resample_counts(strata, n_resamples, seed)[:, units]
    values = _in_portions(conditions, counts, n_jobs)
    reduced, (rows, units_out) = left_out(np.ones((1, len(units))), units)
    observed_reduced = _in_portions(conditions, reduced, n_jobs)
    # Leaving out each of many units in turn is much work, and many units need it less.
    n_studentised = min(N_STUDENTISED, MAX_LEFT_OUT // len(strata))
    first_counts = counts[: max(n_studentised, MIN_STUDENTISED)]
    reduced, places = left_out(first_counts, units)
    resamples_reduced = _in_portions(conditions, reduced, n_jobs)
    first_run = np.array([np.argmax(units == unit) for unit in range(len(strata))])
    weights = first_counts[places[0], first_run[places[1]]]
    found = {}
    for place, name in enumerate(METRICS):
        error, acceleration = _jackknife(
            observed_reduced[place], np.ones(len(units_out)), strata[units_out], rows, 1
        )
        errors, _ = _jackknife(
            resamples_reduced[place],
            weights,
            strata[places[1]],
            places[0],
            len(first_counts),
        )
        found[name] = Resampled(
            values[place], errors, float(error[0]), float(acceleration[0])
        )
    return found


def _in_portions(conditions: TwoConditions, counts: Floats, n_jobs: int) -> Floats:
    """Return the metrics of resamples, (n_metrics, n_resamples), and report progress.

    Portions are the same for any number of jobs: matrix products of other shapes may differ
    in their last bit.
    """
    compiled = conditions.repays_compiling(len(counts))
    work = partial(_measure_portion, conditions, counts, compiled=compiled)
    portions = chunks_of(range(len(counts)), conditions.portion)
    return np.concatenate(
        [values for _, values in in_chunks(work, portions, n_jobs=n_jobs)], axis=1
    )


def _measure_portion(
    conditions: TwoConditions, counts: Floats, rows: range, *, compiled: bool
) -> Floats:
    return conditions.resampled(counts[rows.start : rows.stop], compiled=compiled)


def _jackknife(
    values: Floats, weights: Floats, strata: Integers, rows: Integers, n_rows: int
) -> tuple[Floats, Floats]:
    """Return jackknife errors and accelerations; infinite and 0 where a value is not finite."""
    is_finite = np.isfinite(values)
    filled = np.where(is_finite, values, 0.0)
    error, acceleration = jackknife_error(filled, weights, strata, rows, n_rows)
    is_broken = np.bincount(rows, ~is_finite, n_rows) > 0
    return np.where(is_broken, np.inf, error), np.where(is_broken, 0.0, acceleration)


def metric_intervals(
    record: MetricRecord, value: float, resampled: Resampled, alpha: float, sign: float
) -> dict[str, Interval]:
    """Return every kind of interval that can be had of a metric with this value.

    Percentile intervals always can; BCa needs a finite value, and studentised ones finite
    values and errors in all resamples. The ends are multiplied by ``sign``, 1 or -1.
    """
    values, errors, error, acceleration = resampled
    ends = {"percentile": percentile_interval(values, alpha)}
    if math.isfinite(value):
        lowest, highest = _extremes(values)
        ends["bca"] = (
            bca(value, lowest, acceleration, alpha)[0],
            bca(value, highest, acceleration, alpha)[1],
        )
        first = values[: len(errors)]
        if (
            math.isfinite(error)
            and np.isfinite(errors).all()
            and np.isfinite(first).all()
        ):
            ends["studentised"] = studentised(value, error, first, errors, alpha)
    # No interval needs to hold what the metric cannot be; and every interval holds the
    # estimate, however skewed the resamples are.
    least, most = record.bounds
    found = {}
    for kind, (low, high) in ends.items():
        inside = min(max(low, least), value), max(min(high, most), value)
        # Adding 0 turns -0.0 into 0.0.
        found[kind] = Interval(*sorted(sign * end + 0.0 for end in inside))
    return found


def percentile_interval(values: Floats, alpha: float) -> tuple[float, float]:
    """Return the percentile interval of resamples; undefined ones could have been anything."""
    lowest, highest = _extremes(values)
    return percentile(lowest, alpha)[0], percentile(highest, alpha)[1]


def _extremes(values: Floats) -> tuple[Floats, Floats]:
    """Return the values with undefined ones as low, and as high, as can be."""
    is_undefined = np.isnan(values)
    return np.where(is_undefined, -np.inf, values), np.where(is_undefined, np.inf, values)

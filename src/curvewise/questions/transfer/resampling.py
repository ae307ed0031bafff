"""The metrics of two conditions in resamples, and with runs left out, and their intervals."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.bootstrap.intervals import (
    jackknife_error,
    percentile,
    widened_level,
)
from curvewise.kernels.bootstrap.resamples import resample_counts
from curvewise.kernels.transfer.metrics import METRICS
from curvewise.shuffling.parallel import chunks_of, in_chunks

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.questions.transfer.conditions import TwoConditions
    from curvewise.questions.transfer.metrics import MetricRecord

__all__ = ["leave_out", "percentile_ends", "resample_metrics", "student_ends"]


ROWS_AT_ONCE = 128  # resamples, or a portion if that is more, for one of several workers


def resample_metrics(
    conditions: TwoConditions, n_resamples: int, seed: int, *, n_jobs: int = 1
) -> dict[str, Floats] | None:
    """Bootstrap every metric over runs, or blocks; ``n_jobs`` changes no digit.

    None without resamples, or when a condition has a single run, or there is a single block.
    """
    if not n_resamples or conditions.n_units.min() < 2:
        return None
    counts = resample_counts(conditions.strata, n_resamples, seed)[:, conditions.units]
    compiled = conditions.repays_compiling(n_resamples)
    work = partial(_measure_portion, conditions, counts, compiled=compiled)
    # Whole portions, which are the same for any number of jobs: matrix products of other shapes
    # may differ in their last bit.
    n_together = max(ROWS_AT_ONCE // conditions.portion, 1) * conditions.portion
    portions = chunks_of(range(n_resamples), n_together)
    values = np.concatenate(
        [values for _, values in in_chunks(work, portions, n_jobs=n_jobs)], axis=1
    )
    return dict(zip(METRICS, values, strict=True))


def _measure_portion(
    conditions: TwoConditions, counts: Floats, rows: range, *, compiled: bool
) -> Floats:
    return conditions.resampled(counts[rows.start : rows.stop], compiled=compiled)


def leave_out(conditions: TwoConditions) -> dict[str, Floats] | None:
    """Return every metric with each run, or block, left out in turn; (n_units,).

    None when a condition has a single run, or there is a single block.
    """
    if conditions.n_units.min() < 2:
        return None
    units = np.arange(len(conditions.strata))
    counts = (conditions.units != units[:, None]).astype(np.float64)
    compiled = conditions.repays_compiling(len(counts))
    values = conditions.resampled(counts, compiled=compiled)
    return dict(zip(METRICS, values, strict=True))


def student_ends(
    record: MetricRecord, value: float, without: Floats, strata: Integers, alpha: float
) -> tuple[float, float] | None:
    """Return the ends by jackknife errors and Student's t, of the metric and its logarithm.

    The logarithm is that of a ratio, or of 1 minus a reduction; of the two intervals each end
    is the outer one. ``without`` has the metric with each unit left out, ``strata`` the stratum
    of each unit. None where a logarithm is infinite or undefined, or all are equal.
    """
    from scipy.special import stdtrit

    offset, slope = (0.0, 1.0) if record.scale == "ratio" else (1.0, -1.0)
    ratios = offset + slope * np.append(without, value)
    if not np.all((ratios > 0) & np.isfinite(ratios)) or np.ptp(ratios) == 0:
        return None
    ends = []
    for scaled in (ratios, np.log(ratios)):
        error, df = jackknife_error(scaled[:-1], strata)
        reach = float(stdtrit(df, 1 - alpha / 2)) * error
        ends.append([scaled[-1] - reach, scaled[-1] + reach])
    # An error of one degree of freedom can reach beyond the largest number.
    with np.errstate(over="ignore"):
        both = offset + slope * np.concatenate([ends[0], np.exp(ends[1])])
    return float(both.min()), float(both.max())


def percentile_ends(
    values: Floats, n_units: Integers, alpha: float
) -> tuple[float, float]:
    """Return the ends of the percentile interval of resamples, widened for few units.

    ``n_units`` has the number of units of each stratum. A resample in which the metric is
    undefined could have been anything.
    """
    level = widened_level(alpha, n_units)
    is_undefined = np.isnan(values)
    lowest = np.where(is_undefined, -np.inf, values)
    highest = np.where(is_undefined, np.inf, values)
    return percentile(lowest, level)[0], percentile(highest, level)[1]

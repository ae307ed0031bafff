"""Learning-comparison metrics of pairs of mean curves, all resamples at once.

Gorski & Laird (2009), CCA-TR-2009-05. Arrays are (n_resamples, n_steps); higher is better.
A metric that is undefined for a row is NaN there; callers replace NaN by the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats


CURVE_METRICS = (
    "transfer_ratio",
    "transfer_regret",
    "calibrated_transfer_ratio",
    "average_relative_reduction",
    "jumpstart",
    "asymptotic_advantage",
    "area_difference",
    "average_gain",
)
ROUNDING = 1e-12  # reductions that differ by no more are equal
# The last is of the runs themselves, not of mean curves: `curvewise.kernels.survival`.
METRICS = (*CURVE_METRICS, "time_to_threshold")


@dataclass(frozen=True, eq=False)
class MetricSettings:
    """What the metrics need to know besides the curves.

    ``weights`` integrate over steps and ``span`` is their sum: the width of the window.
    ``shift`` is added to scores for the transfer ratio, which needs them to be not negative.
    An ``optimum`` of None is the best score of the two mean curves. The last ``n_last``
    steps are the asymptote.
    """

    weights: Floats
    shift: float
    optimum: float | None
    n_last: int

    @property
    def span(self) -> float:
        """The width of the window."""
        return float(self.weights.sum())


def metric_values(
    control: Floats, experimental: Floats, settings: MetricSettings, *, compiled: bool = False
) -> dict[str, Floats]:
    """Return every metric of each pair of mean curves, ``CURVE_METRICS``; (n_resamples,).

    ``compiled`` walks along the curves with numba: faster, once it is imported.
    """
    area_c, area_e = control @ settings.weights, experimental @ settings.weights
    span = settings.span
    best_e = experimental.max(axis=1)
    best = np.maximum(control.max(axis=1), best_e)
    worst = np.minimum(control.min(axis=1), experimental.min(axis=1))
    optimum = best if settings.optimum is None else np.full_like(best, settings.optimum)
    gain = area_e - area_c
    last_c = control[:, -settings.n_last :].mean(axis=1)
    # A mean of equal scores may round to above them, and the curve never reaches that.
    last_e = np.minimum(experimental[:, -settings.n_last :].mean(axis=1), best_e)
    return {
        "transfer_ratio": _divided(area_e + settings.shift * span, area_c + settings.shift * span),
        "transfer_regret": _divided(gain, (best - worst) * span),
        "calibrated_transfer_ratio": _divided(gain, np.maximum(optimum * span - area_c, 0)),
        "average_relative_reduction": relative_reduction(
            control, experimental, last_e, compiled=compiled
        ),
        "jumpstart": experimental[:, 0] - control[:, 0],
        "asymptotic_advantage": last_e - last_c,
        "area_difference": gain,
        "average_gain": gain / span,
    }


def first_reached(curves: Floats, level: float, steps: Floats) -> Floats:
    """Return the first step of each curve at or above a level; infinite if never reached."""
    reached = curves >= level
    return np.where(reached.any(axis=1), steps[np.argmax(reached, axis=1)], np.inf)


def time_ratio(control: Floats, experimental: Floats) -> Floats:
    """Return times of the experimental condition over those of the control.

    NaN where both are infinite, or that of the control is 0.
    """
    never = np.isinf(control) & np.isinf(experimental)
    return np.where(never, np.nan, _divided(experimental, control))


def _divided(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; NaN where the denominator is 0, and 0 where only it is infinite."""
    out = np.full_like(numerator, np.nan)
    infinite = np.isinf(denominator)
    out[infinite & ~np.isinf(numerator)] = 0.0
    usable = (denominator != 0) & ~infinite
    np.divide(numerator, denominator, out=out, where=usable)
    return out


def relative_reduction(
    control: Floats, experimental: Floats, last: Floats, *, compiled: bool = False
) -> Floats:
    """Return the average over performance of 1 − x_E(p) / x_C(p).

    x(p) is the trial, counted from 1, on which performance p is first reached; the average
    is over p from the control's first score to ``last``, the asymptote of the experimental
    condition. Both x are step functions of p, so the integral is an exact sum. A level the
    control never reaches counts as a reduction of 1. The average is NaN if there is a level
    that the experimental condition never reaches, and if there is a single step.
    """
    if control.shape[1] == 1:
        return np.full(len(control), np.nan)
    if compiled:
        from curvewise.kernels.compiled_kernels import reductions

        averages = np.asarray(reductions(control, experimental, last))
    else:
        averages = _reductions(control, experimental, last)
    # No reduction exceeds 1, but rounding might; nor is one less than 1 by rounding alone.
    averages[averages > 1 - ROUNDING] = 1.0
    return averages


def _reductions(control: Floats, experimental: Floats, last: Floats) -> Floats:
    n_steps = control.shape[1]
    first = control[:, 0]
    low, high = np.minimum(first, last)[:, None], np.maximum(first, last)[:, None]
    # Between neighbouring levels of either curve both x are constant.
    reached = (np.maximum.accumulate(curve, axis=1) for curve in (control, experimental))
    levels = np.concatenate([*reached, low, high], axis=1)
    order = np.argsort(levels, axis=1, kind="stable")
    levels = np.clip(np.take_along_axis(levels, order, axis=1), low, high)
    widths = np.diff(levels, axis=1)
    # Just above a level, x is 1 plus the number of trials whose maxima are at or below it.
    is_experimental = (order >= n_steps) & (order < 2 * n_steps)
    x_c, x_e = (
        1 + np.cumsum(own[:, :-1], axis=1, dtype=np.int64)
        for own in (order < n_steps, is_experimental)
    )
    reduction = np.where(x_c > n_steps, 1.0, 1.0 - x_e / x_c)
    # Added up one after the other, as compiled code does, the last digit is the same.
    total = np.cumsum(np.where(widths > 0, widths * reduction, 0.0), axis=1)[:, -1]
    unreached = np.any((widths > 0) & (x_e > n_steps), axis=1)
    average = _divided(total, (high - low)[:, 0])
    return np.where(unreached, np.nan, average)

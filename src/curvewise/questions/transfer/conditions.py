"""A control and an experimental condition, as the metrics take them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.steps import trapezoids
from curvewise.errors import CurvesError, OptionError
from curvewise.inference.caveats import has_even_blocks
from curvewise.inference.requirements import check_connected
from curvewise.kernels.transfer.metrics import MetricSettings
from curvewise.questions.transfer.resampling import Problem
from curvewise.shuffling.layout import Layout
from curvewise.text import did_you_mean, number_text

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.questions.transfer.result import Integration

__all__ = [
    "as_window",
    "both_conditions",
    "levelled_off",
    "measured_problem",
    "until_levelled_off",
]


def both_conditions(curves: Curves, control: str, experimental: str) -> Curves:
    """Return the curves of two conditions; refuse what cannot be measured."""
    for side, name in (("control", control), ("experimental", experimental)):
        if name not in curves.algorithms:
            msg = (
                f"No condition is called {name!r} ({side}); "
                f"{did_you_mean(str(name), curves.algorithms)}"
            )
            raise CurvesError(msg)
    if control == experimental:
        msg = f"Control and experimental condition are both {control!r}: name two."
        raise OptionError(msg)
    chosen = curves.select(control, experimental)
    check_connected(chosen)
    if not has_even_blocks(chosen):
        msg = (
            "Blocks do not hold both conditions equally often, so their mean curves are not "
            "of the same blocks. Keep the blocks that hold both, or leave blocks out."
        )
        raise CurvesError(msg)
    return chosen


def measured_problem(
    curves: Curves,
    control: str,
    optimum: float | None,
    threshold: float | None,
    integration: Integration,
    *,
    allow_below: bool,
) -> Problem:
    """Turn the curves so that higher is better, and settle what the metrics need."""
    sign = 1.0 if curves.higher_is_better else -1.0
    layout = Layout.of(curves)
    scores = sign * curves.scores[layout.order]
    member = (curves.labels[layout.order] != control).astype(np.int64)
    blocks = layout.blocks
    if curves.blocks is None:
        units, strata = np.arange(curves.n_runs), member
    else:
        units, strata = blocks, np.zeros(len(np.unique(blocks)), dtype=np.int64)
    n_last = max(curves.n_steps // 10, 1)
    control_mean, experimental_mean = (
        scores[member == side].mean(axis=0) for side in (0, 1)
    )
    best = float(scores.max())
    if optimum is not None:
        _check_number("optimum", optimum)
        if sign * optimum < best and not allow_below:
            side = "below" if sign > 0 else "above"
            msg = (
                f"The optimum {number_text(optimum)} lies {side} an observed score, "
                f"{number_text(sign * best)}. Give the best score there can be, or allow it "
                "to be exceeded: allow_optimum_below=True, --allow-optimum-below."
            )
            raise OptionError(msg)
    if threshold is not None:
        _check_number("threshold", threshold)
    setting = MetricSettings(
        weights=np.ones(curves.n_steps)
        if integration == "sum" or curves.n_steps == 1
        else trapezoids(curves.steps),
        shift=max(-float(min(control_mean.min(), experimental_mean.min())), 0.0),
        optimum=None if optimum is None else sign * float(optimum),
        threshold=float(control_mean[-n_last:].mean())
        if threshold is None
        else sign * float(threshold),
        n_last=n_last,
        steps=curves.steps.astype(np.float64),
        slack=1e-12 * float(np.abs(scores).max()),
    )
    return Problem(scores, member, blocks, units, strata, setting)


def until_levelled_off(curves: Curves, control: str, tolerance: float) -> Curves:
    """End the window where both mean curves have levelled off, if they do."""
    if not isinstance(tolerance, int | float | np.number) or not 0 < tolerance < 1:
        msg = (
            "until_asymptote is a share of the range of the curves, between 0 and 1, such as "
            f"0.05; it is {tolerance!r}."
        )
        raise OptionError(msg)
    first = levelled_off(curves, control, float(tolerance))
    # Curves that are level from the start have no training to cut off.
    return curves.window(None, curves.steps[first]) if first else curves


def levelled_off(curves: Curves, control: str, tolerance: float) -> int | None:
    """Return the first step from which both curves stay near their final mean."""
    is_control = curves.labels == control
    means = [curves.scores[rows].mean(axis=0) for rows in (is_control, ~is_control)]
    n_last = max(curves.n_steps // 10, 1)
    near = tolerance * (max(m.max() for m in means) - min(m.min() for m in means))
    away = np.zeros(curves.n_steps, dtype=np.bool_)
    for mean in means:
        away |= np.abs(mean - mean[-n_last:].mean()) > near
    first = int(np.flatnonzero(away)[-1]) + 1 if away.any() else 0
    # To lie near the mean of the last steps at these steps only says nothing.
    return first if first < curves.n_steps - n_last or curves.n_steps == 1 else None


def _check_number(name: str, value: object) -> None:
    if not isinstance(value, int | float | np.number) or not math.isfinite(value):
        msg = f"{name} must be a finite number, a score; it is {value!r}."
        raise OptionError(msg)


def as_window(window: object) -> tuple[float, float]:
    """Return the ends of a window, or refuse it."""
    if isinstance(window, tuple | list) and len(window) == 2:
        return window[0], window[1]
    msg = f"window is a pair of steps, (start, stop); it is {window!r}."
    raise OptionError(msg)

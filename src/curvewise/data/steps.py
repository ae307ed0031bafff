"""Steps of training: as numbers, in a window, as weights of an area."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError
from curvewise.text import step_text

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = ["MAX_STEP", "as_steps", "check_exact", "in_window", "trapezoids"]

# Beyond it neighbouring whole numbers are the same number in double precision.
MAX_STEP = 2**53
# How far numbers drift from what they stand for by rounding, in relation to their size.
ROUNDING = 8 * float(np.finfo(np.float64).eps)
# The size of what rounding leaves in place of 0, in relation to the step beside it.
MAX_NOISE = 1e-9


def check_exact(largest: float) -> None:
    """Raise CurvesError if the largest step of a table, without its sign, is too large."""
    if largest >= MAX_STEP:
        msg = (
            f"Steps as large as {largest:.4g} are too large to be exact. Subtract the first step "
            "from all of them, or count in a larger unit."
        )
        raise CurvesError(msg)


def as_steps(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return steps as integers if they are whole, so that 5000 is shown as 5000."""
    if np.issubdtype(values.dtype, np.integer):
        return values.astype(np.int64, copy=False)
    if np.all(np.abs(values) < MAX_STEP) and np.all(values == np.rint(values)):
        return values.astype(np.int64)
    return values


def in_window(
    steps: np.ndarray[Any, Any], start: float | None, stop: float | None
) -> np.ndarray[Any, Any]:
    """Mark the steps from start to stop, both included; raise if there are none."""
    limits: dict[str, object] = {"start": start, "stop": stop}
    for name, value in limits.items():
        if value is not None and not isinstance(value, int | float | np.number):
            msg = f"The {name} of a window must be a step, a number, not {value!r}."
            raise CurvesError(msg)
    inside = np.ones(len(steps), dtype=np.bool_)
    if start is not None:
        inside &= steps >= start - _slack(steps, float(start))
    if stop is not None:
        inside &= steps <= stop + _slack(steps, float(stop))
    if not inside.any():
        asked = " ".join(
            f"{word} {step_text(value)}"
            for word, value in (("from", start), ("to", stop))
            if value is not None
        )
        if start is not None and stop is not None and start > stop:
            msg = f"The window {asked} ends before it begins. Swap the two steps."
            raise CurvesError(msg)
        msg = (
            f"No step lies in the window {asked}; the steps range from "
            f"{step_text(steps.min())} to {step_text(steps.max())}. Choose a window inside "
            "the range of steps."
        )
        raise CurvesError(msg)
    return inside


def _slack(steps: np.ndarray[Any, Any], limit: float) -> float:
    """Return how far from a limit a step may lie to be the limit, but for rounding.

    0.1 + 0.2 must match a step of 0.3, and 0 the step that rounding has left in its place. Whole
    numbers are exact, and other steps never count, however large they are.
    """
    if not math.isfinite(limit):
        return 0.0
    if limit.is_integer() and np.issubdtype(steps.dtype, np.integer):
        return 0.0
    if limit:
        return ROUNDING * abs(limit)
    sizes = np.abs(steps)
    nearest = float(sizes.min(initial=math.inf))
    next_one = float(sizes[sizes > nearest].min(initial=math.inf))
    if not math.isfinite(next_one):
        return 0.0
    is_rounded = nearest <= ROUNDING * sizes.max() and nearest <= MAX_NOISE * next_one
    return nearest if is_rounded else 0.0


def trapezoids(steps: np.ndarray[Any, Any]) -> Floats:
    """Return the weights that turn scores into the area under them, by trapezoids.

    >>> trapezoids(np.array([0, 1, 3])).tolist()
    [0.5, 1.5, 1.0]
    """
    gaps = np.diff(steps.astype(np.float64))
    return np.asarray((np.append(gaps, 0.0) + np.append(0.0, gaps)) / 2)

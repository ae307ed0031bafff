"""Steps of training: how they are written, and which of them lie in a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = ["as_steps", "in_window", "step_text", "trapezoids"]


def as_steps(values: Floats) -> np.ndarray[Any, Any]:
    """Keep whole steps as integers, so that 5000 reads as 5000."""
    if np.all(np.abs(values) < 2**53) and np.all(values == np.rint(values)):
        return values.astype(np.int64)
    return values


def step_text(step: float) -> str:
    """Write a step in full, however large.

    >>> step_text(9_999_900.0), step_text(0.05)
    ('9999900', '0.05')
    """
    return str(int(step)) if float(step).is_integer() else f"{step:.12g}"


def in_window(
    steps: np.ndarray[Any, Any], start: float | None, stop: float | None
) -> np.ndarray[Any, Any]:
    """Mark the steps from start to stop, both included; refuse an empty window."""
    limits: dict[str, object] = {"start": start, "stop": stop}
    for name, value in limits.items():
        if value is not None and not isinstance(value, int | float | np.number):
            msg = f"The {name} of a window is a step, a number; it is {value!r}."
            raise CurvesError(msg)
    inside = np.ones(len(steps), dtype=np.bool_)
    # A step of 0.1 + 0.2 is 0.3 to whoever asks for it.
    slack = 1e-9 * float(np.abs(steps).max())
    if start is not None:
        inside &= steps >= start - slack
    if stop is not None:
        inside &= steps <= stop + slack
    if not inside.any():
        asked = " ".join(
            f"{word} {step_text(value)}"
            for word, value in (("from", start), ("to", stop))
            if value is not None
        )
        msg = (
            f"No step lies in the window {asked}; the steps run from "
            f"{step_text(steps.min())} to {step_text(steps.max())}. Name a first step that "
            "is not after the last, both inside."
        )
        raise CurvesError(msg)
    return inside


def trapezoids(steps: np.ndarray[Any, Any]) -> Floats:
    """Return the weights that sum scores to the area under them, by trapezoids.

    >>> trapezoids(np.array([0, 1, 3])).tolist()
    [0.5, 1.5, 1.0]
    """
    gaps = np.diff(steps.astype(np.float64))
    return np.asarray((np.append(gaps, 0.0) + np.append(0.0, gaps)) / 2)

"""One number for a run: its mean over training, over the last steps, or over a window."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.steps import in_window
from curvewise.text import step_text

if TYPE_CHECKING:
    from typing import Any

    from curvewise.kernels import Floats

__all__ = ["EVERY_STEP", "final_weights", "mean_weights", "window_weights"]

EVERY_STEP = "every step"
FINAL_SHARE = 0.1  # of the steps


def mean_weights(steps: np.ndarray[Any, Any]) -> tuple[Floats, str]:
    """Return the weight of each step in the mean over training, and what that is called."""
    return np.full(len(steps), 1 / len(steps)), "mean over training"


def final_weights(steps: np.ndarray[Any, Any]) -> tuple[Floats, str]:
    """Return the weight of each step in the mean of the last tenth, and what it is called."""
    n_last = math.ceil(FINAL_SHARE * len(steps) - 1e-9)
    weights = np.zeros(len(steps))
    weights[-n_last:] = 1 / n_last
    last = "last step" if n_last == 1 else f"mean of the last {n_last} steps"
    return weights, f"{last} (of {len(steps)})"


def window_weights(
    steps: np.ndarray[Any, Any], start: float | None, stop: float | None
) -> tuple[Floats, str]:
    """Return the weight of each step in the mean of a window, and what it is called.

    An open end, None or infinite, is that of training. Raises `CurvesError` if no step lies in the window.
    """
    inside = in_window(steps, start, stop)
    ends = (
        own if own is not None and math.isfinite(own) else float(steps[place])
        for own, place in ((start, 0), (stop, -1))
    )
    label = f"mean from step {' to '.join(map(step_text, ends))}"
    return inside / inside.sum(), label

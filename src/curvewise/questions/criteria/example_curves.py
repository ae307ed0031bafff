"""The curves of the cases: the paper's, drawn from its descriptions, and ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.questions.criteria.verdict import CurvePair

if TYPE_CHECKING:
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.options import Integration

__all__ = [
    "AHEAD",
    "CONTROL",
    "FAST_AHEAD",
    "FAST_CONTROL",
    "MIDDLING",
    "POOR",
    "SLOW_AHEAD",
    "SLOW_CONTROL",
    "TASKS",
    "a_level_every_trial",
    "a_level_every_two_trials",
    "curve_pair",
    "experimental_above_control",
    "flat_conditions",
    "squeezed",
    "windows",
]

# Two curves that level off below the optimum, 1; and the two pairs of Figure 3, with the
# same area between the curves, 2.6, in the same box: from 0 to 1, 12 steps long.
CONTROL = (0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.7, 0.7, 0.7)
AHEAD = (0.2, 0.4, 0.55, 0.65, 0.7, 0.75, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8)
SLOW_CONTROL = (0, 0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
SLOW_AHEAD = (0.05, 0.1, 0.15, 0.25, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1)
FAST_CONTROL = (0, 0.3, 0.5, 0.65, 0.75, 0.85, 0.9, 0.95, 1, 1, 1, 1)
FAST_AHEAD = (0.6, 0.9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
MIDDLING = (0.3, 0.36, 0.42, 0.48, 0.54, 0.58, 0.62, 0.65, 0.67, 0.69, 0.7, 0.7)
POOR = (0, 0.05, 0.1, 0.15, 0.2, 0.22, 0.24, 0.26, 0.28, 0.3, 0.3, 0.3)
# The levels that a learner reaches one after the other on three tasks, and the optimum there.
TASKS = {
    "even progress": ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), 1.0),
    "high start, low end": ((0.5, 0.6, 0.65, 0.7, 0.72, 0.73), 1.0),
    "in points, fast at first": ((0.0, 60.0, 85.0, 95.0, 98.0, 99.0), 100.0),
}


def curve_pair(
    name: str,
    control: object,
    experimental: object,
    optimum: float | None = 1.0,
    *,
    steps: Floats | None = None,
    how: Integration = "sum",
) -> CurvePair:
    """Return a control and an experimental condition, each given as one run or as several.

    Steps count from 1 by default.
    """
    curves = [
        np.array(scores, dtype=np.float64, ndmin=2) for scores in (control, experimental)
    ]
    steps = np.arange(1.0, curves[0].shape[1] + 1) if steps is None else steps
    for array in (*curves, steps):
        array.setflags(write=False)
    return CurvePair(name, curves[0], curves[1], optimum, steps, how)


def flat_conditions(*levels: float) -> tuple[CurvePair, ...]:
    """Return pairs of a middling control and an experimental condition flat at each level."""
    return tuple(
        curve_pair(f"at {level:g}", MIDDLING, np.full(12, level)) for level in levels
    )


def windows(*lengths: int) -> tuple[CurvePair, ...]:
    """Return pairs of two curves that level off and go on so, cut after each length."""
    control, ahead = ([*curve, *[curve[-1]] * 6] for curve in (CONTROL, AHEAD))
    return tuple(curve_pair(f"{n} steps", control[:n], ahead[:n]) for n in lengths)


def experimental_above_control() -> dict[str, tuple[CurvePair, ...]]:
    """Return cases in which all experimental scores are above all of the control's.

    The paper says that ARR is 1 then (5.2). With trials counted from 1 that is so only where
    the control never improves: what it reaches on trial x was reached on trial 1, not on 0.
    """
    low = np.divide(MIDDLING, 2)
    above = low + np.ptp(low)
    controls = {"an improving control": low, "a control that never improves": low[:1]}
    return {
        f"above all that {name} reaches, by little and by much": tuple(
            curve_pair(f"by {gap:g}", np.broadcast_to(control, 12), above + gap)
            for gap in (0.05, 0.25, 0.45)
        )
        for name, control in controls.items()
    }


def a_level_every_two_trials(levels: tuple[float, ...]) -> Floats:
    """Return a curve that reaches the k-th level, counted from 0, on trial 2 k."""
    return np.array([levels[min(trial // 2, 5)] for trial in range(1, 13)])


def a_level_every_trial(levels: tuple[float, ...]) -> Floats:
    """Return a curve that reaches the k-th level, counted from 0, on trial k."""
    return np.array([levels[min(trial, 5)] for trial in range(1, 13)])


def squeezed(scores: tuple[float, ...]) -> Floats:
    """Squeeze scores towards the optimum, 1, by an affine change that leaves it in place."""
    return np.asarray(0.75 + np.divide(scores, 4))

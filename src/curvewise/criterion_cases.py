"""The curves that decide each criterion; the paper's cases first, for they decide first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.criterion_rules import (
    ALPHA,
    CriterionTest,
    are_defined,
    are_equal,
    are_told_apart,
    differ,
    rise,
    rise_through_no_effect,
)
from curvewise.results.verdicts import Case, CurvePair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from curvewise.kernels import Floats
    from curvewise.results.transfer import Integration

__all__ = ["criterion_tests"]

N_RUNS, NOISE = 6, 0.03  # of the simulated runs

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
# What control and experimental condition come to on three tasks, and the optimum there.
TASKS = {
    "even progress": ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), 1.0),
    "high start, low end": ((0.5, 0.6, 0.65, 0.7, 0.72, 0.73), 1.0),
    "in points, fast at first": ((0.0, 60.0, 85.0, 95.0, 98.0, 99.0), 100.0),
}


def criterion_tests(rng: np.random.Generator) -> dict[str, list[CriterionTest]]:
    """Return the tests of every criterion; ``rng`` simulates the runs of one of them."""
    return {
        "defined": list(_defined_cases()),
        "consistent": list(_consistent_cases()),
        "meaningful": list(_meaningful_cases()),
        "unitless": list(_unitless_cases()),
        "distinguishing": list(_distinguishing_cases()),
        "independent": list(_independent_cases()),
        "parameter-free": list(_parameter_cases()),
        "similar": list(_similar_cases()),
        "degenerate": list(_degenerate_cases()),
        "testable": list(_testable_cases(rng)),
    }


def _defined_cases() -> Iterator[CriterionTest]:
    inputs = {
        "two ordinary curves": ("4.1.1", CONTROL, AHEAD),
        "the control scores 0 throughout": ("5.1", np.zeros(12), AHEAD),
        "the experimental condition ends where the control begins": (
            "5.1",
            MIDDLING,
            POOR,
        ),
        "the control is optimal throughout": ("5.1", np.ones(12), AHEAD),
        "all scores are equal": ("", np.full(12, 0.5), np.full(12, 0.5)),
        "the experimental condition stays below the control": (
            "",
            np.add(np.divide(CONTROL, 2), 0.5),
            np.divide(CONTROL, 2),
        ),
        "some scores are negative": ("", np.subtract(CONTROL, 0.3), AHEAD),
    }
    for name, (section, control, experimental) in inputs.items():
        note = ""
        if name == "all scores are equal":
            note = (
                "The paper calls regret always defined (2.2, 5.1). It divides by the range "
                "of the scores observed, which is 0 when all are equal."
            )
        pair = _pair(name, control, experimental)
        wanted = "There should be a value for every valid input"
        yield CriterionTest(
            Case(name, wanted, (pair,), _section(section), note), are_defined
        )


def _consistent_cases() -> Iterator[CriterionTest]:
    shifts = (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3)
    yield CriterionTest(
        Case(
            "from worse at every step to better at every step",
            "The values should rise, and no change should give the value for no effect",
            tuple(
                _pair(f"{shift:+g}" if shift else "no change", MIDDLING, _up(shift))
                for shift in shifts
            ),
            _section("4.1.1"),
        ),
        rise_through_no_effect,
    )
    yield CriterionTest(
        Case(
            "a flat experimental condition at or below 0",
            "The better should have more",
            tuple(
                _pair(f"at {level:g}", MIDDLING, np.full(12, level))
                for level in (-0.5, -0.25, 0.0)
            ),
            _section("5.2"),
        ),
        rise,
    )
    for name, pairs in _wholly_above().items():
        wanted = "The better should have more"
        yield CriterionTest(Case(name, wanted, pairs, _section("5.2")), rise)
    start = np.add(np.divide(MIDDLING, 2), 0.15)
    better = start + 0.2
    best = np.append(better[:-1], 1.0)
    yield CriterionTest(
        Case(
            "better at the last step, and otherwise the same",
            "The better should have more",
            (_pair("before", start, better), _pair("last step better", start, best)),
            note=(
                "The paper does not consider it. One higher score widens the range observed, "
                "which regret divides by, more than it adds to the area."
            ),
        ),
        rise,
    )


def _meaningful_cases() -> Iterator[CriterionTest]:
    same = (
        "Some improvement, named without the task, should have the same value everywhere"
    )
    standards: dict[str, tuple[str, Callable[[tuple[float, ...], float], Floats]]] = {
        "an experimental condition that is optimal from the first step": (
            "5.3",
            lambda _, optimum: np.full(12, optimum),
        ),
        "half of what the control leaves to the optimum, at every step": (
            "5.3",
            lambda levels, optimum: (_in_twos(levels) + optimum) / 2,
        ),
        "the same scores in half the training": (
            "5.3",
            lambda levels, _: _at_once(levels),
        ),
    }
    for name, (section, experimental) in standards.items():
        pairs = tuple(
            _pair(task, _in_twos(levels), experimental(levels, optimum), optimum)
            for task, (levels, optimum) in TASKS.items()
        )
        yield CriterionTest(Case(name, same, pairs, _section(section)), are_equal)


def _unitless_cases() -> Iterator[CriterionTest]:
    same = "The values should be equal"
    yield CriterionTest(
        Case(
            "scores in other units",
            same,
            (
                _pair("fractions", CONTROL, AHEAD),
                _pair("percent", np.multiply(CONTROL, 100), np.multiply(AHEAD, 100), 100),
            ),
            _section("4.1.1"),
        ),
        are_equal,
    )
    episodes = np.array([1, 2, 3, 5, 8, 12, 17, 23, 30, 38, 47, 57], dtype=np.float64)
    yield CriterionTest(
        Case(
            "steps in other units, areas by trapezoids",
            same,
            tuple(
                _pair(unit, CONTROL, AHEAD, steps=episodes * size, how="trapezoid")
                for unit, size in (("episodes", 1), ("frames", 4000))
            ),
            _section("4.1.1"),
        ),
        are_equal,
    )


def _distinguishing_cases() -> Iterator[CriterionTest]:
    yield CriterionTest(
        Case(
            "the same area between the curves, on a slow and on a fast task",
            "These should be told apart",
            (
                _pair("3a", SLOW_CONTROL, SLOW_AHEAD),
                _pair("3b", FAST_CONTROL, FAST_AHEAD),
            ),
            "Figure 3",
        ),
        differ,
    )
    note = (
        "The paper counts this against consistency alone (5.2). But the same control met a "
        "better experimental condition, and the value is the same."
    )
    for name, pairs in _wholly_above().items():
        wanted = "These should be told apart"
        yield CriterionTest(Case(name, wanted, pairs, note=note), differ)
    yield CriterionTest(
        Case(
            "a flat experimental condition at 0, and below",
            "These should be told apart",
            tuple(
                _pair(f"at {level:g}", MIDDLING, np.full(12, level))
                for level in (-0.5, 0.0)
            ),
            note=note,
        ),
        differ,
    )


def _independent_cases() -> Iterator[CriterionTest]:
    optima = (1.0, 1.5, 3.0, None)
    yield CriterionTest(
        Case(
            "the same curves, whatever the optimum is taken to be",
            "The values should be equal",
            tuple(
                _pair(
                    "not told" if optimum is None else f"optimum {optimum:g}",
                    CONTROL,
                    AHEAD,
                    optimum,
                )
                for optimum in optima
            ),
            _section("5.6"),
        ),
        are_equal,
    )


def _parameter_cases() -> Iterator[CriterionTest]:
    def windows(*lengths: int) -> tuple[CurvePair, ...]:
        ends = ([*curve, *[curve[-1]] * 6] for curve in (CONTROL, AHEAD))
        control, experimental = ends
        return tuple(_pair(f"{n} steps", control[:n], experimental[:n]) for n in lengths)

    same = "The values should be equal"
    yield CriterionTest(
        Case(
            "a window that ends once both have levelled off, and later",
            same,
            windows(9, 12, 18),
            _section("5.7"),
        ),
        are_equal,
    )
    yield CriterionTest(
        Case(
            "a window that ends before both have levelled off",
            same,
            windows(5, 7, 9),
            note=(
                "The paper warns of a window that ends too early (5.7), but not for ARR. ARR "
                "averages up to the score the experimental condition ends with, and a score "
                "that the control has not yet reached counts as a reduction of 1."
            ),
        ),
        are_equal,
    )


def _similar_cases() -> Iterator[CriterionTest]:
    same = "The values should be equal"
    yield CriterionTest(
        Case(
            "all scores multiplied by 8",
            same,
            (
                _pair("as they are", CONTROL, AHEAD),
                _pair("times 8", np.multiply(CONTROL, 8), np.multiply(AHEAD, 8), 8),
            ),
            _section("4.1.2"),
        ),
        are_equal,
    )
    yield CriterionTest(
        Case(
            "the same curves in the whole range, and squeezed under a ceiling",
            same,
            (
                _pair("4a, squeezed", _squeezed(CONTROL), _squeezed(AHEAD)),
                _pair("4b, whole range", CONTROL, AHEAD),
            ),
            "Figure 4",
        ),
        are_equal,
    )


def _degenerate_cases() -> Iterator[CriterionTest]:
    yield CriterionTest(
        Case(
            "a single step",
            "There should be a value",
            (_pair("0.4 and 0.6", [0.4], [0.6]),),
            _section("5.9"),
        ),
        are_defined,
    )
    yield CriterionTest(
        Case(
            "a single step, and a small or a large gain",
            "These should be told apart",
            (_pair("0.4 and 0.5", [0.4], [0.5]), _pair("0.4 and 0.9", [0.4], [0.9])),
            note=(
                "The paper asks whether there is a form for a single trial, and there is. "
                "But the range observed is then the gain itself, so regret is 1 or -1 "
                "whatever the gain."
            ),
        ),
        differ,
    )


def _testable_cases(rng: np.random.Generator) -> Iterator[CriterionTest]:
    noise = rng.normal(0, NOISE, size=(2, N_RUNS, len(CONTROL)))
    yield CriterionTest(
        Case(
            f"{N_RUNS} simulated runs of each condition",
            "There should be a bounded interval without the value for no effect, and a p of "
            f"at most {ALPHA:g}",
            # Noise may exceed the optimum, so that it is set higher.
            (_pair("runs", CONTROL + noise[0], AHEAD + noise[1], 1.2),),
            _section("5.10"),
        ),
        are_told_apart,
    )


def _pair(
    name: str,
    control: object,
    experimental: object,
    optimum: float | None = 1.0,
    *,
    steps: Floats | None = None,
    how: Integration = "sum",
) -> CurvePair:
    curves = [
        np.array(scores, dtype=np.float64, ndmin=2) for scores in (control, experimental)
    ]
    steps = np.arange(1.0, curves[0].shape[1] + 1) if steps is None else steps
    for array in (*curves, steps):
        array.setflags(write=False)
    return CurvePair(name, curves[0], curves[1], optimum, steps, how)


def _up(shift: float) -> Floats:
    return np.asarray(np.add(MIDDLING, shift))


def _wholly_above() -> dict[str, tuple[CurvePair, ...]]:
    """All scores of the experimental condition are above all of the control's.

    Then ARR is 1, says the paper (5.2). With trials counted from 1 that is so only where the
    control never improves: what it reaches on trial x was reached on trial 1, not on 0.
    """
    low = np.divide(MIDDLING, 2)
    above = low + np.ptp(low)
    controls = {"an improving control": low, "a control that never improves": low[:1]}
    return {
        f"above all that {name} reaches, by little and by much": tuple(
            _pair(f"by {gap:g}", np.broadcast_to(control, 12), above + gap)
            for gap in (0.05, 0.25, 0.45)
        )
        for name, control in controls.items()
    }


def _in_twos(levels: tuple[float, ...]) -> Floats:
    """Reach the k-th level on trial 2 k, counted from 1."""
    return np.array([levels[min(trial // 2, 5)] for trial in range(1, 13)])


def _at_once(levels: tuple[float, ...]) -> Floats:
    """Reach the k-th level on trial k."""
    return np.array([levels[min(trial, 5)] for trial in range(1, 13)])


def _squeezed(scores: tuple[float, ...]) -> Floats:
    """Move scores under the same optimum, 1: an affine change that leaves it in place."""
    return np.asarray(0.75 + np.divide(scores, 4))


def _section(numbers: str) -> str:
    return f"section {numbers}" if numbers else ""

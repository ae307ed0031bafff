"""The criteria, and the test cases of each: the paper's own before ours.

An eleventh criterion is one more `Criterion` in the list at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.questions.criteria.example_curves import (
    AHEAD,
    CONTROL,
    FAST_AHEAD,
    FAST_CONTROL,
    MIDDLING,
    POOR,
    SLOW_AHEAD,
    SLOW_CONTROL,
    TASKS,
    a_level_every_trial,
    a_level_every_two_trials,
    curve_pair,
    experimental_above_control,
    flat_conditions,
    squeezed,
    windows,
)
from curvewise.questions.criteria.expectations import (
    ALPHA,
    CriterionTest,
    are_defined,
    are_equal,
    are_significant,
    differ,
    rise,
    rise_through_no_effect,
)
from curvewise.questions.criteria.verdict import Case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from curvewise.kernels import Floats
    from curvewise.questions.criteria.expectations import Rule
    from curvewise.questions.criteria.verdict import CurvePair

__all__ = ["CRITERIA", "Criterion"]

N_RUNS, NOISE = 6, 0.03  # of the simulated runs
WANTED: dict[Rule, str] = {
    are_defined: "There should be a value",
    are_equal: "The values should be equal",
    are_significant: "There should be a bounded interval without the value for no effect, and a "
    f"p of at most {ALPHA:g}",
    differ: "These should be told apart",
    rise: "The better should have more",
    rise_through_no_effect: "The values should rise, and no change should give the value for "
    "no effect",
}


@dataclass(frozen=True)
class Criterion:
    """What may be asked of a metric, and the cases that decide it.

    Attributes
    ----------
    cases : function from a random generator to tests
        The generator simulates runs, where a case needs several.
    one_case_suffices : bool
        Whether one case that holds is enough; else all must hold.
    """

    name: str
    cases: Callable[[np.random.Generator], Iterator[CriterionTest]]
    one_case_suffices: bool = False


def _test(
    rule: Rule,
    name: str,
    *pairs: CurvePair,
    source: str = "",
    note: str = "",
    wanted: str = "",
) -> CriterionTest:
    return CriterionTest(Case(name, wanted or WANTED[rule], pairs, source, note), rule)


def _defined_cases(_: np.random.Generator) -> Iterator[CriterionTest]:
    equal = "all scores are equal"
    inputs = {
        "two ordinary curves": ("section 4.1.1", CONTROL, AHEAD),
        "the control scores 0 throughout": ("section 5.1", np.zeros(12), AHEAD),
        "the experimental condition ends where the control begins": (
            "section 5.1",
            MIDDLING,
            POOR,
        ),
        "the control is optimal throughout": ("section 5.1", np.ones(12), AHEAD),
        equal: ("", np.full(12, 0.5), np.full(12, 0.5)),
        "the experimental condition stays below the control": (
            "",
            np.add(np.divide(CONTROL, 2), 0.5),
            np.divide(CONTROL, 2),
        ),
        "some scores are negative": ("", np.subtract(CONTROL, 0.3), AHEAD),
    }
    notes = {
        equal: "The paper calls regret always defined (2.2, 5.1). It divides by the range of "
        "the scores observed, which is 0 when all are equal."
    }
    for name, (source, control, experimental) in inputs.items():
        yield _test(
            are_defined,
            name,
            curve_pair(name, control, experimental),
            source=source,
            note=notes.get(name, ""),
            wanted="There should be a value for every valid input",
        )


def _consistent_cases(_: np.random.Generator) -> Iterator[CriterionTest]:
    shifts = (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3)
    yield _test(
        rise_through_no_effect,
        "from worse at every step to better at every step",
        *(
            curve_pair(
                f"{shift:+g}" if shift else "no change", MIDDLING, np.add(MIDDLING, shift)
            )
            for shift in shifts
        ),
        source="section 4.1.1",
    )
    yield _test(
        rise,
        "a flat experimental condition at or below 0",
        *flat_conditions(-0.5, -0.25, 0.0),
        source="section 5.2",
    )
    for name, pairs in experimental_above_control().items():
        yield _test(rise, name, *pairs, source="section 5.2")
    start = np.add(np.divide(MIDDLING, 2), 0.15)
    better = start + 0.2
    best = np.append(better[:-1], 1.0)
    yield _test(
        rise,
        "better at the last step, and otherwise the same",
        curve_pair("before", start, better),
        curve_pair("last step better", start, best),
        note=(
            "The paper does not consider it. One higher score widens the range observed, "
            "which regret divides by, more than it adds to the area."
        ),
    )


def _meaningful_cases(_: np.random.Generator) -> Iterator[CriterionTest]:
    # How each makes an experimental condition of the levels of a task and its optimum.
    standards: dict[str, Callable[[tuple[float, ...], float], Floats]] = {
        "an experimental condition that is optimal from the first step": (
            lambda _, optimum: np.full(12, optimum)
        ),
        "half of what the control leaves to the optimum, at every step": (
            lambda levels, optimum: (a_level_every_two_trials(levels) + optimum) / 2
        ),
        "the same scores in half the training": lambda levels, _: a_level_every_trial(
            levels
        ),
    }
    for name, experimental in standards.items():
        yield _test(
            are_equal,
            name,
            *(
                curve_pair(
                    task,
                    a_level_every_two_trials(levels),
                    experimental(levels, optimum),
                    optimum,
                )
                for task, (levels, optimum) in TASKS.items()
            ),
            source="section 5.3",
            wanted="Some improvement, named without the task, should have the same value "
            "everywhere",
        )


def _unitless_cases(_: np.random.Generator) -> Iterator[CriterionTest]:
    yield _test(
        are_equal,
        "scores in other units",
        curve_pair("fractions", CONTROL, AHEAD),
        curve_pair("percent", np.multiply(CONTROL, 100), np.multiply(AHEAD, 100), 100),
        source="section 4.1.1",
    )
    episodes = np.array([1, 2, 3, 5, 8, 12, 17, 23, 30, 38, 47, 57], dtype=np.float64)
    yield _test(
        are_equal,
        "steps in other units, areas by trapezoids",
        *(
            curve_pair(unit, CONTROL, AHEAD, steps=episodes * size, how="trapezoid")
            for unit, size in (("episodes", 1), ("frames", 4000))
        ),
        source="section 4.1.1",
    )


def _distinguishing_cases(_: np.random.Generator) -> Iterator[CriterionTest]:
    yield _test(
        differ,
        "the same area between the curves, on a slow and on a fast task",
        curve_pair("3a", SLOW_CONTROL, SLOW_AHEAD),
        curve_pair("3b", FAST_CONTROL, FAST_AHEAD),
        source="Figure 3",
    )
    note = (
        "The paper counts this against consistency alone (5.2). But the same control met a "
        "better experimental condition, and the value is the same."
    )
    for name, pairs in experimental_above_control().items():
        yield _test(differ, name, *pairs, note=note)
    yield _test(
        differ,
        "a flat experimental condition at 0, and below",
        *flat_conditions(-0.5, 0.0),
        note=note,
    )


def _independent_cases(_: np.random.Generator) -> Iterator[CriterionTest]:
    optima = (1.0, 1.5, 3.0, None)
    yield _test(
        are_equal,
        "the same curves, whatever the optimum is taken to be",
        *(
            curve_pair(
                "optimum unknown" if optimum is None else f"optimum {optimum:g}",
                CONTROL,
                AHEAD,
                optimum,
            )
            for optimum in optima
        ),
        source="section 5.6",
    )


def _parameter_cases(_: np.random.Generator) -> Iterator[CriterionTest]:
    yield _test(
        are_equal,
        "a window that ends once both have levelled off, and later",
        *windows(9, 12, 18),
        source="section 5.7",
    )
    yield _test(
        are_equal,
        "a window that ends before both have levelled off",
        *windows(5, 7, 9),
        note=(
            "The paper warns of a window that ends too early (5.7), but not for ARR. ARR "
            "averages up to the score the experimental condition ends with, and a score "
            "that the control has not yet reached counts as a reduction of 1."
        ),
    )


def _similar_cases(_: np.random.Generator) -> Iterator[CriterionTest]:
    yield _test(
        are_equal,
        "all scores multiplied by 8",
        curve_pair("as they are", CONTROL, AHEAD),
        curve_pair("times 8", np.multiply(CONTROL, 8), np.multiply(AHEAD, 8), 8),
        source="section 4.1.2",
    )
    yield _test(
        are_equal,
        "the same curves in the whole range, and squeezed under a ceiling",
        curve_pair("4a, squeezed", squeezed(CONTROL), squeezed(AHEAD)),
        curve_pair("4b, whole range", CONTROL, AHEAD),
        source="Figure 4",
    )


def _degenerate_cases(_: np.random.Generator) -> Iterator[CriterionTest]:
    yield _test(
        are_defined,
        "a single step",
        curve_pair("0.4 and 0.6", [0.4], [0.6]),
        source="section 5.9",
    )
    yield _test(
        differ,
        "a single step, and a small or a large gain",
        curve_pair("0.4 and 0.5", [0.4], [0.5]),
        curve_pair("0.4 and 0.9", [0.4], [0.9]),
        note=(
            "The paper asks whether there is a form for a single trial, and there is. "
            "But the range observed is then the gain itself, so regret is 1 or -1 "
            "whatever the gain."
        ),
    )


def _testable_cases(rng: np.random.Generator) -> Iterator[CriterionTest]:
    noise = rng.normal(0, NOISE, size=(2, N_RUNS, len(CONTROL)))
    yield _test(
        are_significant,
        f"{N_RUNS} simulated runs of each condition",
        # Noise may exceed the optimum, so that it is set higher.
        curve_pair("runs", CONTROL + noise[0], AHEAD + noise[1], 1.2),
        source="section 5.10",
    )


CRITERIA = {
    criterion.name: criterion
    for criterion in (
        Criterion("defined", _defined_cases),
        Criterion("consistent", _consistent_cases),
        # "Meaningful" needs one standard on which the values agree, not all of them.
        Criterion("meaningful", _meaningful_cases, one_case_suffices=True),
        Criterion("unitless", _unitless_cases),
        Criterion("distinguishing", _distinguishing_cases),
        Criterion("independent", _independent_cases),
        Criterion("parameter-free", _parameter_cases),
        Criterion("similar", _similar_cases),
        Criterion("degenerate", _degenerate_cases),
        Criterion("testable", _testable_cases),
    )
}

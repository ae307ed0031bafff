"""Which learning-comparison metric can be trusted for what? Criteria, decided by computation.

Gorski & Laird (2009), Evaluating Evaluations, CCA-TR-2009-05, sections 4 to 6. Every tick and
every cross follows from the values of the metrics on the curves that decide the criterion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.work import as_generator, known_seed
from curvewise.questions.criteria.result import (
    JUDGED,
    PUBLISHED,
    Case,
    CaseResult,
    Criteria,
    CurvePair,
    Outcome,
    Verdict,
)
from curvewise.questions.transfer.ask import transfer
from curvewise.questions.transfer.metrics import RECORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from curvewise.inference.asking import RNGLike
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.method import Integration

    Rule = Callable[[Sequence[Outcome], float], bool]


# --- The curves of the cases: the paper's, drawn from its descriptions, and ours.

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
    curves = [np.array(scores, dtype=np.float64, ndmin=2) for scores in (control, experimental)]
    steps = np.arange(1.0, curves[0].shape[1] + 1) if steps is None else steps
    for array in (*curves, steps):
        array.setflags(write=False)
    return CurvePair(name, curves[0], curves[1], optimum, steps, how)


def flat_conditions(*levels: float) -> tuple[CurvePair, ...]:
    """Return pairs of a middling control and an experimental condition flat at each level."""
    return tuple(curve_pair(f"at {level:g}", MIDDLING, np.full(12, level)) for level in levels)


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


def reaching(levels: tuple[float, ...], every: int = 2) -> Floats:
    """Return a curve that reaches the k-th level, counted from 0, on trial ``every`` × k."""
    return np.array([levels[min(trial // every, 5)] for trial in range(1, 13)])


def squeezed(scores: tuple[float, ...]) -> Floats:
    """Squeeze scores towards the optimum, 1, by an affine change that leaves it in place."""
    return np.asarray(0.75 + np.divide(scores, 4))


# --- What a criterion can ask of the values of a metric, one for each pair of curves.
#
# Undefined values fail "defined" alone; the other rules look at the values there are.

ROUNDING = 1e-9  # values closer than this, of their size, are the same
ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class CriterionTest:
    """A case, and the rule by which the criterion holds there.

    A rule takes the outcomes, one for each pair, and the value for no effect.
    """

    case: Case
    rule: Rule


def are_defined(outcomes: Sequence[Outcome], _: float) -> bool:
    """Tell whether every pair has a value."""
    return all(outcome.value is not None for outcome in outcomes)


def are_equal(outcomes: Sequence[Outcome], _: float) -> bool:
    """Tell whether all pairs have the same value."""
    values = _known(outcomes)
    return all(_same(value, values[0]) for value in values[1:])


def differ(outcomes: Sequence[Outcome], _: float) -> bool:
    """Tell whether no two pairs have the same value."""
    values = sorted(_known(outcomes))
    return not any(_same(low, high) for low, high in pairwise(values))


def rise(outcomes: Sequence[Outcome], _: float) -> bool:
    """Tell whether every pair has a larger value than the one before."""
    values = _known(outcomes)
    return all(low < high and not _same(low, high) for low, high in pairwise(values))


def rise_through_no_effect(outcomes: Sequence[Outcome], no_effect: float) -> bool:
    """Tell whether values increase, and the middle one equals the value for no effect."""
    middle = outcomes[len(outcomes) // 2].value
    centred = middle is not None and _same(middle, no_effect)
    return centred and rise(outcomes, no_effect)


def are_significant(outcomes: Sequence[Outcome], no_effect: float) -> bool:
    """Tell whether bounded intervals exclude no effect, and every p is at most ALPHA."""
    return all(
        outcome.interval is not None
        and all(map(math.isfinite, outcome.interval))
        and not outcome.interval.low <= no_effect <= outcome.interval.high
        and outcome.pvalue is not None
        and outcome.pvalue <= ALPHA
        for outcome in outcomes
    )


def _known(outcomes: Sequence[Outcome]) -> list[float]:
    return [outcome.value for outcome in outcomes if outcome.value is not None]


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=ROUNDING, abs_tol=ROUNDING)


# --- The criteria, and the test cases of each: the paper's own before ours.
#
# A criterion is a function from a random generator, which simulates runs where a case needs
# several, to the tests that decide it. An eleventh is one more row in the table at the end.

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


def _test(
    rule: Rule, name: str, *pairs: CurvePair, source: str = "", note: str = "", wanted: str = ""
) -> CriterionTest:
    return CriterionTest(Case(name, wanted or WANTED[rule], pairs, source=source, note=note), rule)


def _defined_cases(_: np.random.Generator) -> Iterator[CriterionTest]:
    equal = "all scores are equal"
    half = np.divide(CONTROL, 2)
    inputs = {
        "two ordinary curves": ("section 4.1.1", CONTROL, AHEAD),
        "the control scores 0 throughout": ("section 5.1", np.zeros(12), AHEAD),
        "the experimental condition ends where the control begins": ("section 5.1", MIDDLING, POOR),
        "the control is optimal throughout": ("section 5.1", np.ones(12), AHEAD),
        equal: ("", np.full(12, 0.5), np.full(12, 0.5)),
        "the experimental condition stays below the control": ("", half + 0.5, half),
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
    names = (f"{shift:+g}" if shift else "no change" for shift in shifts)
    yield _test(
        rise_through_no_effect,
        "from worse at every step to better at every step",
        *(
            curve_pair(n, MIDDLING, np.add(MIDDLING, by))
            for n, by in zip(names, shifts, strict=True)
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
            lambda levels, optimum: (reaching(levels) + optimum) / 2
        ),
        "the same scores in half the training": lambda levels, _: reaching(levels, every=1),
    }
    for name, experimental in standards.items():
        yield _test(
            are_equal,
            name,
            *(
                curve_pair(task, reaching(levels), experimental(levels, optimum), optimum)
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
    known = (curve_pair(f"optimum {best:g}", CONTROL, AHEAD, best) for best in (1.0, 1.5, 3.0))
    yield _test(
        are_equal,
        "the same curves, whatever the optimum is taken to be",
        *known,
        curve_pair("optimum unknown", CONTROL, AHEAD, None),
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
        are_defined, "a single step", curve_pair("0.4 and 0.6", [0.4], [0.6]), source="section 5.9"
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


CRITERIA: dict[str, Callable[[np.random.Generator], Iterator[CriterionTest]]] = {
    "defined": _defined_cases,
    "consistent": _consistent_cases,
    "meaningful": _meaningful_cases,
    "unitless": _unitless_cases,
    "distinguishing": _distinguishing_cases,
    "independent": _independent_cases,
    "parameter-free": _parameter_cases,
    "similar": _similar_cases,
    "degenerate": _degenerate_cases,
    "testable": _testable_cases,
}
# It needs one standard on which the values agree; of the others all cases must hold.
ONE_CASE_SUFFICES = "meaningful"


# --- Which learning-comparison metric can be trusted for what?

N_RESAMPLES = N_SHUFFLES = 999


def check_criteria(*, rng: RNGLike = 0) -> Criteria:
    """Decide which metric meets which criterion of Gorski & Laird (2009), by computation.

    The cases are fixed and small, so there is nothing to shuffle longer, to spread over jobs or
    to resume: ``n_shuffles``, ``exact``, ``n_jobs`` and ``checkpoint`` are not taken.

    Parameters
    ----------
    rng
        As in `compare`; for the simulated runs of "testable", their resamples and shuffles. Every
        other criterion is decided on curves that are given.

    Returns
    -------
    Criteria
        A verdict for each criterion and metric, with the cases behind it.

    Examples
    --------
    >>> import curvewise as cw
    >>> found = cw.check_criteria()
    >>> found["distinguishing", "regret"].holds
    False
    >>> found["distinguishing", "regret"].values  # Figure 3: other curves, the same regret
    (0.2167, 0.2167)
    """
    generator = as_generator(rng)
    criteria = {name: list(cases(generator)) for name, cases in CRITERIA.items()}
    verdicts = []
    for name, tests in criteria.items():
        measured = [[_measure(pair, generator) for pair in test.case.pairs] for test in tests]
        suffices = name == ONE_CASE_SUFFICES
        for metric in JUDGED:
            results = []
            for test, pairs in zip(tests, measured, strict=True):
                outcomes = tuple(pair[metric] for pair in pairs)
                holds = test.rule(outcomes, RECORDS[metric].no_effect)
                results.append(CaseResult(test.case, outcomes, holds))
            found = PUBLISHED.get((name, metric)), tuple(results)
            verdicts.append(Verdict(name, metric, *found, one_case_suffices=suffices))
    return Criteria(verdicts=tuple(verdicts), seed=known_seed(rng))


def _measure(pair: CurvePair, rng: np.random.Generator) -> dict[str, Outcome]:
    """Compute the metrics of a pair; chance plays a part only where there are several runs."""
    several = len(pair.control) > 1
    found = transfer(
        pair.curves,
        control="control",
        experimental="experimental",
        optimum=pair.optimum,
        integration=pair.integration,
        n_resamples=N_RESAMPLES,
        n_shuffles=N_SHUFFLES,
        rng=rng if several else 0,
    )
    outcomes = {}
    for name in JUDGED:
        own = found.metrics[name]
        sure = (own.interval, own.pvalue) if several else (None, None)
        outcomes[name] = Outcome(own.value, *sure, own.undefined, own.reason)
    return outcomes

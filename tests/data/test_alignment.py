"""Runs with steps of their own, on common steps."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from curvewise import CurvesError, OptionError, align, compare
from tests.data.run_logs import log

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise import RunLog
    from curvewise.kernels import Floats

NAN = float("nan")


def every(spacing: float, algorithm: str, n_runs: int = 3, **extra: Any) -> list[RunLog]:
    return [
        log(algorithm, run, np.arange(spacing, 100.5, spacing), **extra) for run in range(n_runs)
    ]


def test_runs_at_the_same_steps_are_taken_as_they_are() -> None:
    logs = [*every(10, "B"), *every(10, "A")]
    curves = align(logs, source="here")
    assert curves.preparation is None
    assert curves.source == "here"
    assert curves.algorithms == ("A", "B")
    np.testing.assert_array_equal(curves.scores, np.tile(np.sqrt(curves.steps), (6, 1)))
    assert align(logs, "previous") == curves


def test_linear_at_the_steps_of_the_run_that_was_logged_least_often() -> None:
    fine = log("A", 0, [0, 1, 2, 3, 4, 5], [0, 1, 4, 9, 16, 25])
    coarse = log("B", 0, [0.5, 2, 5], [1, 2, 3])
    curves = align([fine, coarse])
    assert curves.steps.tolist() == [0.5, 2, 5]
    assert curves.scores.tolist() == [[0.5, 4, 25], [1, 2, 3]]
    found = curves.preparation
    assert found is not None
    assert (found.how, found.grid, found.grid_run) == ("linear", "run", "B/0")
    assert (found.n_interpolated, found.n_cut, found.n_points) == (1, 1, 9)


def test_ends_are_never_held() -> None:
    logs = [log("A", 0, [0, 5, 10, 98]), log("A", 1, [2, 50, 100]), log("A", 2, range(99))]
    curves = align(logs)
    assert curves.steps.min() >= 2
    assert curves.steps.max() <= 98
    assert curves.steps.tolist() == [2, 50]


def test_a_straight_line_stays_one_whatever_its_steps() -> None:
    rng = np.random.default_rng(0)
    logs = [
        log("AB"[run % 2], run, np.sort(rng.choice(1000, 40, replace=False)), lambda x: 3 * x)
        for run in range(8)
    ]
    for n_steps in (None, 7):
        curves = align(logs, n_steps=n_steps)
        expected = np.tile(3 * curves.steps, (8, 1))
        np.testing.assert_allclose(curves.scores, expected, rtol=1e-12)


def test_episodes_get_evenly_spaced_steps() -> None:
    logs = [
        log("A", 0, [0, 1, 5, 6, 100], of_episodes=True),
        log("A", 1, [0, 30, 60, 90, 95, 100], of_episodes=True),
    ]
    assert align(logs).steps.tolist() == [0, 25, 50, 75, 100]


def test_previous_is_the_last_value_logged() -> None:
    steps = [log("A", 0, [0, 4, 8, 12], [0, 1, 2, 3]), log("B", 0, [0, 3, 7, 12], [5, 6, 7, 8])]
    curves = align(steps, "previous")
    assert curves.steps.tolist() == [0, 3, 7, 12]
    assert curves.scores.tolist() == [[0, 0, 1, 3], [5, 6, 7, 8]]


def test_bins_are_means_of_the_points_in_them() -> None:
    logs = [
        log("A", 0, [0, 1, 2, 3, 4, 6, 8], [0, 1, 2, 3, 4, 6, 8]),
        log("B", 0, [0, 1, 2, 4, 5, 8], [1, 1, 1, 3, 3, 6]),
    ]
    curves = align(logs, "bins", n_steps=2)
    assert curves.steps.tolist() == [2, 6]
    assert curves.scores.tolist() == [[1.5, 6], [1, 4]]


def test_bins_hold_a_point_of_every_run() -> None:
    logs = [log("A", 0, range(101)), log("B", 0, [0, 1, 2, 3, *range(60, 101)])]
    with pytest.raises(
        CurvesError, match=r"Run '0' of 'B' has no point in bin 2 of 10 bins, from step 10 to 20"
    ):
        align(logs, "bins", n_steps=10)
    # As many as can be filled, if nobody asks.
    assert align(logs, "bins").n_steps == 3
    assert align(every(1, "A"), "bins").n_steps == 20


@pytest.mark.parametrize("how", ["previous", "bins"])
def test_rules_that_see_the_schedule_are_refused_where_it_differs(how: Any) -> None:
    with pytest.raises(CurvesError, match=r"A logs every 1 step, B every 10.*linear"):
        align([*every(1, "A"), *every(10, "B")], how)
    align([*every(2, "A"), *every(2.5, "B")], how)  # 1.25 times is near enough
    # Runs that are filled up were logged as well.
    seldom = [log("B", run, [0.5, 20.5, 40.5]) for run in range(3)]
    with pytest.raises(CurvesError, match="A logs every 1 step, B every 20"):
        align([*every(1, "A"), *seldom], how, short="carry")
    # Where schedules differ inside each algorithm, and not between them, nothing is refused.
    mixed = [
        log(name, run, np.arange(0, 101, spacing))
        for name in "AB"
        for run, spacing in enumerate((1, 1, 10))
    ]
    align(mixed, how)


def test_steps_asked_for_are_evenly_spaced() -> None:
    curves = align([*every(10, "A"), *every(5, "B")], n_steps=4)
    assert curves.steps.tolist() == [10, 40, 70, 100]
    assert align(every(10, "A"), n_steps=2).steps.tolist() == [10, 100]


def test_windows_end_where_they_were_asked_to() -> None:
    logs = [log("A", 0, range(0, 101, 7)), log("B", 0, range(0, 101, 10))]
    curves = align(logs, start=15, stop=55)
    assert curves.steps.tolist() == [20, 30, 40, 50]
    assert align(logs, start=15, stop=55, n_steps=5).steps.tolist() == [15, 25, 35, 45, 55]
    assert align(every(10, "A"), start=50, stop=50).steps.tolist() == [50]
    for window, words in (((60, 10), "ends before it begins"), ((200, 300), "No step lies")):
        with pytest.raises(CurvesError, match=words):
            align(logs, start=window[0], stop=window[1])


def test_single_points() -> None:
    assert align([log("A", 0, [5]), log("A", 1, [5])]).steps.tolist() == [5]
    with pytest.raises(CurvesError, match=r"Run '1' of 'A' begins at step 6, but .* step 5"):
        align([log("A", 0, [5]), log("A", 1, [6])])
    with pytest.raises(CurvesError, match=r"share step 5 only, since run '0' of 'A' has a sin"):
        align([log("A", 0, [5]), log("A", 1, [0, 5, 10])], short="prefix")


def test_ranges_that_share_nothing() -> None:
    with pytest.raises(CurvesError, match="no range of steps is common"):
        align([*every(10, "A"), log("B", 0, [200, 300])])
    with pytest.raises(CurvesError, match=r"has no step in the range .* n_steps"):
        align([log("A", 0, [0, 48, 52, 100]), log("B", 0, [49, 50, 51, 100])], stop=51.5)


def test_runs_of_several_kinds_are_refused() -> None:
    with pytest.raises(CurvesError, match="no runs to align"):
        align([])
    with pytest.raises(CurvesError, match="takes RunLogs, not a str"):
        align(["A"])  # type: ignore[list-item]
    with pytest.raises(CurvesError, match="of 2 metrics: loss and score"):
        align([log("A", 0, [0, 1], metric="loss"), log("A", 1, [0, 1])])
    with pytest.raises(CurvesError, match="of 2 tasks"):
        align([log("A", 0, [0, 1], task="x"), log("A", 1, [0, 1], task="y")])
    with pytest.raises(CurvesError, match="both called '0'"):
        align([log("A", 0, [0, 1]), log("A", 0, [0, 1])])
    with pytest.raises(CurvesError, match="did you mean 'A'"):
        align(every(1, "A"), only=["a"])
    with pytest.raises(OptionError, match="how must be 'linear'"):
        align(every(1, "A"), "cubic")  # type: ignore[arg-type]


def test_only_some_algorithms() -> None:
    logs = [*every(10, "A"), *every(5, "B"), *every(1, "C")]
    curves = align(logs, only=["C", "B"])
    assert curves.algorithms == ("B", "C")
    assert curves.n_steps == 20


def test_blocks_are_of_all_runs_or_of_none() -> None:
    curves = align([log("A", 0, [0, 1], block="x"), log("B", 0, [0, 1], block="y")])
    assert curves.blocks is not None
    assert curves.blocks.tolist() == ["x", "y"]
    with pytest.raises(CurvesError, match="Run '0' of 'B' has no block"):
        align([log("A", 0, [0, 1], block="x"), log("B", 0, [0, 1])])


def test_natural_order_and_precision() -> None:
    logs = [log("A", run, [0, 1]) for run in (10, 9, 1)]
    single = float(np.finfo(np.float32).eps)
    curves = align([*logs, log("A", 2, [0, 1], precision=single)])
    assert curves.runs.tolist() == ["1", "2", "9", "10"]
    assert curves.precision == single


def test_single_holes_are_left_out() -> None:
    holes = log("A", 0, range(5), [0, NAN, 4, 9, 16])
    curves = align([holes, log("A", 1, range(5), [0, 1, 4, 9, 16])])
    assert curves.scores.tolist() == [[0, 2, 4, 9, 16], [0, 1, 4, 9, 16]]
    assert curves.preparation is not None
    assert curves.preparation.n_scores_interpolated == 1
    (note,) = curves.preparation.notes
    assert note == "run '0' of 'A': 1 score that was not finite left out"


def test_what_was_done_goes_with_the_curves() -> None:
    curves = align([*every(10, "A"), *every(5, "B")], source="logs")
    assert curves.preparation is not None
    assert curves.source == "logs; aligned (linear, 10 steps, 10 to 100)"
    for kept in (
        curves.select("B"),
        curves.window(20, 50),
        curves.in_order_of_names(),
        pickle.loads(pickle.dumps(curves)),  # noqa: S301 (our own)
    ):
        assert kept.preparation == curves.preparation


@st.composite
def run_logs(draw: st.DrawFn) -> list[RunLog]:
    """Runs of several algorithms, whole and short, on schedules of their own."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    logs = []
    for number in range(draw(st.integers(3, 8))):
        n_points = draw(st.integers(3, 12))
        steps = np.sort(rng.choice(50, n_points, replace=False)) + 1.0
        steps[0], end = 0, draw(st.sampled_from([52, 52, 52, 30]))
        steps = np.append(steps[steps < end], end)
        logs.append(log("ABC"[number % 3], number, steps, rng.normal(size=len(steps))))
    logs.append(log("A", "whole", [0, 20, 40, 52], rng.normal(size=4)))
    return logs


OPTIONS: list[dict[str, Any]] = [
    {"short": "prefix", "min_steps": 1},
    {"short": "worst"},
    {"short": "carry"},
    {"short": "worst", "n_steps": 9, "higher_is_better": False},
]


@given(run_logs(), st.sampled_from(OPTIONS), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_neither_labels_nor_order_matter(
    logs: list[RunLog], options: dict[str, Any], random: Any
) -> None:
    """The rows are the same, whoever they belong to."""

    def rows(given: list[RunLog]) -> tuple[list[float], list[list[float]]]:
        curves = align(given, **options)
        return curves.steps.tolist(), sorted(curves.scores.tolist())

    def outcome(given: list[RunLog]) -> object:
        try:
            return rows(given)
        except CurvesError:
            return "refused"

    names = [(own.algorithm, own.run) for own in logs]
    random.shuffle(names)
    relabelled = [
        log(name, run, own.steps, own.scores) for own, (name, run) in zip(logs, names, strict=True)
    ]
    assert outcome(relabelled) == outcome(logs)
    random.shuffle(logs)
    assert outcome(logs) == outcome(relabelled)


@given(run_logs())
@settings(deadline=None)
def test_values_lie_between_neighbouring_points(logs: list[RunLog]) -> None:
    try:
        curves = align(logs, short="prefix", min_steps=1)
    except CurvesError:
        return
    by_name = {(own.algorithm, own.run): own for own in logs}
    for label, run, row in zip(curves.labels, curves.runs, curves.scores, strict=True):
        own = by_name[label, run]
        after = np.searchsorted(own.steps, curves.steps)
        before = np.searchsorted(own.steps, curves.steps, side="right") - 1
        pair = np.stack([own.scores[before], own.scores[after]])
        assert (row >= pair.min(axis=0) - 1e-12).all()
        assert (row <= pair.max(axis=0) + 1e-12).all()
        assert curves.steps[0] >= own.steps[0]
        assert curves.steps[-1] <= own.steps[-1]


def rising(rng: np.random.Generator) -> Callable[[Floats], Floats]:
    """A curve that rises at a rate of its own, with noise of its own."""
    height, rate = 1 + 0.2 * rng.normal(), 30_000 * np.exp(0.2 * rng.normal())
    knots = rng.normal(size=101).cumsum() * 0.02

    def scores(steps: Floats) -> Floats:
        rise: Floats = height * (1 - np.exp(-steps / rate))
        noise = 0.05 * rng.normal(size=len(steps))
        return rise + np.interp(steps, np.linspace(0, 100_000, 101), knots) + noise

    return scores


@pytest.mark.slow
def test_schedules_that_differ_do_not_cry_wolf() -> None:
    """A is logged every 1,000 steps and B every 10,000; in truth they are alike."""
    n_sets = 200
    rng = np.random.default_rng(1)
    alarms = {"overall": 0, "algorithm": 0, "interaction": 0}
    for _ in range(n_sets):
        logs = [
            log(name, run, np.arange(first, 100_001, spacing), rising(rng))
            for name, first, spacing in (("A", 1_000, 1_000), ("B", 5_250, 10_000))
            for run in range(5)
        ]
        curves = align(logs)
        assert curves.preparation is not None
        assert curves.preparation.n_interpolated == 5
        found = compare(curves, overall="F")
        for name in alarms:
            alarms[name] += getattr(found, name).significant
        with pytest.raises(CurvesError, match="that alone makes curves differ"):
            align(logs, "bins")
    # Chance alone exceeds this once in 1,000.
    for count in alarms.values():
        assert count <= binom.ppf(0.999, n_sets, 0.05)

"""Time to threshold of `transfer`: a log-rank test of runs, and what it is told with."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import curvewise as cw
from curvewise import Curves, OptionError, transfer
from tests.questions.transfer.gains import SIDES, pair, rising

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats

QUICK: dict[str, Any] = {**SIDES, "n_resamples": 0, "rng": 0}


def ramps(times: Sequence[float], n_steps: int = 10) -> Floats:
    """Curves that are at 1 from a step on, counted from 1; never if that is infinite."""
    return np.array([np.arange(1, n_steps + 1) >= time for time in times], dtype=float)


def conditions(control: Sequence[float], experimental: Sequence[float], **options: Any) -> Curves:
    steps = np.arange(1, 11)
    return pair(ramps(control), ramps(experimental), steps=steps, **options)


def scores_by_definition(times: Sequence[float], horizon: float) -> list[float]:
    """The log-rank score of each run, one step after the other."""
    found = []
    for own in times:
        score = float(own <= horizon)
        for step in sorted({time for time in times if time <= min(own, horizon)}):
            now = sum(time == step for time in times)
            at_risk = sum(time >= step for time in times)
            score -= now / at_risk
        found.append(score)
    return found


@pytest.mark.parametrize(
    ("control", "experimental"),
    [
        ([4, 5, 9, math.inf], [2, 3, 3, 6]),
        ([4, 5, math.inf], [2, 3, 3, 6, 8]),
        ([2, 2, 2, math.inf, math.inf], [3, 4, 5]),
        ([7, 8], [1, 1, 2, 3, 3, math.inf]),
    ],
)
def test_p_is_brute_force_over_every_relabelling(
    control: list[float], experimental: list[float]
) -> None:
    found = transfer(conditions(control, experimental), **QUICK, threshold=1.0)
    times = [*control, *experimental]
    scores = np.array(scores_by_definition(times, 10))
    observed = abs(scores[: len(control)].sum())
    sums = [
        abs(scores[list(chosen)].sum()) for chosen in combinations(range(len(times)), len(control))
    ]
    share = np.mean(np.array(sums) >= observed - 1e-9)
    assert found.time_to_threshold.pvalue == pytest.approx(share)
    assert found.survival.pvalue == found.time_to_threshold.pvalue
    assert found.time_to_threshold.exact


def test_in_blocks_p_is_brute_force_over_swaps_inside_them() -> None:
    control, experimental = [4, 6, 9, math.inf, 7], [2, 3, 3, 5, 8]
    curves = conditions(control, experimental)
    blocks = [*range(5), *range(5)]
    paired = Curves(curves.scores, curves.labels, curves.steps, blocks=blocks)
    found = transfer(paired, **QUICK, threshold=1.0)
    scores = np.array(scores_by_definition([*control, *experimental], 10))
    differences = scores[:5] - scores[5:]
    sums = [abs(np.dot(signs, differences)) for signs in product((-1, 1), repeat=5)]
    share = np.mean(np.array(sums) >= abs(differences.sum()) - 1e-9)
    assert found.time_to_threshold.pvalue == pytest.approx(share)


def test_medians_means_and_counts_are_reported_as_such() -> None:
    curves = conditions([4, 6, math.inf, math.inf, math.inf], [2, 3, 5, 8, math.inf])
    found = transfer(curves, **QUICK, threshold=1.0)
    survival = found.survival
    assert survival.n_reached == (2, 4)
    assert list(survival.medians) == list(found.times) == [math.inf, 5]
    assert survival.restricted_means == pytest.approx(((4 + 6 + 30) / 5, (18 + 10) / 5))
    assert survival.horizon == 10
    assert found.time_to_threshold.value == 0
    rows = found.survival_table().rows
    assert rows[0] == ("C", "2 of 5", "not reached", "8.000")
    assert rows[1] == ("E", "4 of 5", "5", "5.600")
    assert found.to_dict()["survival"]["medians"] == [None, 5]
    assert (
        "Reaching a score of 1: 4 of 5 runs of E (median step 5), 2 of 5 of C (median not "
        "reached); log-rank test, exact p = "
    ) in found.describe()


def test_a_difference_is_tested_also_where_there_are_no_medians() -> None:
    never = math.inf
    curves = conditions([never] * 9, [2, 3, 3, 4, *[never] * 5])
    metric = transfer(curves, **QUICK, threshold=1.0).time_to_threshold
    assert metric.value is None
    assert metric.undefined == "medians not reached"
    assert metric.pvalue is not None
    assert metric.pvalue < 0.1


def test_where_no_run_reaches_it_nothing_is_tested() -> None:
    found = transfer(conditions([3, 4], [5, 6]), **QUICK, threshold=7.0)
    assert found.survival.pvalue is None
    assert found.time_to_threshold.undefined == "threshold not reached"
    assert found.survival_table().notes == ("Reaching a score of 7.",)
    assert "(median not reached)." in found.describe()


def test_the_default_threshold_does_not_depend_on_the_labels() -> None:
    curves = rising(3, 5)
    swapped = Curves(curves.scores, ["C", "E"] * 5, curves.steps)
    one, other = (transfer(own, **QUICK) for own in (curves, swapped))
    assert one.threshold == pytest.approx(other.threshold)
    assert not one.threshold_given
    assert "where the runs of both end on average" in one.survival_table().notes[0]
    assert "Reaching" not in one.describe()


def test_the_threshold_may_have_to_be_held() -> None:
    control, experimental = ramps([4, 4, 5]), ramps([2, 2, 3])
    experimental[:, 4] = 0.0  # a relapse at step 5
    curves = pair(control, experimental, steps=np.arange(1, 11))
    at_once = transfer(curves, **QUICK, threshold=1.0)
    held = transfer(curves, **QUICK, threshold=1.0, hold=4)
    assert list(at_once.times) == [4, 2]
    assert list(held.times) == [4, 6]
    assert "at 4 consecutive steps" in held.survival_table().notes[0]
    with pytest.raises(OptionError, match=r"hold is at how many consecutive steps"):
        transfer(curves, **QUICK, hold=0)


@given(
    st.lists(st.integers(1, 12), min_size=3, max_size=7),
    st.lists(st.integers(1, 12), min_size=3, max_size=7),
    st.sampled_from([0.5, 3.0, 7.0]),
)
@settings(max_examples=25, deadline=None)
def test_units_of_steps_and_scores_change_no_p(
    control: list[float], experimental: list[float], factor: float
) -> None:
    curves = conditions(control, experimental)
    assume(np.ptp(curves.scores) > 0)
    other = Curves(
        curves.scores * -factor + 2, curves.labels, curves.steps * factor, higher_is_better=False
    )
    one = transfer(curves, **QUICK, threshold=1.0)
    two = transfer(other, **QUICK, threshold=2 - factor)
    assert one.survival.pvalue == two.survival.pvalue
    assert one.time_to_threshold.value == pytest.approx(two.time_to_threshold.value)
    ends = [own.time_to_threshold.interval for own in (one, two)]
    assert ends[0] == pytest.approx(ends[1])


@given(
    st.lists(st.integers(1, 12), min_size=3, max_size=6),
    st.lists(st.integers(1, 12), min_size=3, max_size=6),
)
@settings(max_examples=25, deadline=None)
def test_swapping_the_conditions_turns_the_ratio_round(
    control: list[float], experimental: list[float]
) -> None:
    curves = conditions(control, experimental)
    assume(np.ptp(curves.scores) > 0)
    names = {"control": "E", "experimental": "C"}
    one = transfer(curves, **QUICK, threshold=1.0)
    two = transfer(curves, **{**QUICK, **names}, threshold=1.0)
    assert one.survival.pvalue == two.survival.pvalue
    assert one.survival.medians == two.survival.medians[::-1]
    ours, others = one.time_to_threshold, two.time_to_threshold
    if ours.value is None or ours.interval is None or others.interval is None:
        return
    low, high = ours.interval
    if math.isinf(low):
        assert math.isinf(others.interval.low)
    else:
        turned = (1 / high if high else math.inf, 1 / low if low else math.inf)
        assert others.interval == pytest.approx(turned)


def test_an_end_at_no_effect_that_is_rejected_is_moved_beside_it() -> None:
    """All runs of C are there at once, and one of E; ties make 1 a factor of its own."""
    found = transfer(conditions([1] * 5, [1, 11, 11, 11]), **QUICK, threshold=1.0)
    metric = found.time_to_threshold
    assert metric.significant
    assert metric.interval is not None
    assert 1 < metric.interval.low < 1 + 1e-8
    assert metric.interval.high == math.inf


def test_curves_that_cross_are_said_to() -> None:
    never = math.inf
    fast_or_never = [2, 2, 2, 3, 3, 3, never, never, never, never]
    slow_but_sure = [6, 6, 7, 7, 7, 8, 8, 8, 9, 9]
    found = transfer(conditions(slow_but_sure, fast_or_never), **QUICK, threshold=1.0)
    assert found.survival.crossing == 8
    assert found.survival.ahead_at_last == "control"
    assert "neither the medians nor the means nor p tell all" in found.describe()
    assert "cross" in found.survival_table().notes[-1]
    alike = transfer(conditions([2, 4, 6, 8], [3, 4, 5, 9]), **QUICK, threshold=1.0)
    assert alike.survival.crossing is None
    assert "cross" not in alike.describe()


def failing(short: str) -> Curves:
    """Runs of which one of E fails at step 3, before it gets anywhere."""
    rng = np.random.default_rng(2)
    rows = [
        cw.RunLog(name, f"{name}{place}", "return", range(1, end + 1), row[:end])
        for name, times in (("C", [4, 5, 6, 7, 8]), ("E", [2, 3, 3, 4, 9]))
        for place, row in enumerate(ramps([float(t) for t in times]) + 0.01 * rng.random(10))
        for end in [3 if (name, place) == ("E", 4) else 10]
    ]
    return cw.align(rows, short=short)  # type: ignore[arg-type]


def test_a_run_that_failed_counts_as_its_policy_says() -> None:
    carried = transfer(failing("carry"), **QUICK, threshold=1.0)
    kinds = [type(caveat).__name__ for caveat in carried.caveats]
    assert "TrainedDifferentlyLong" in kinds
    assert carried.survival.n_reached == (5, 4)
    assert carried.survival.censored[1].tolist() == [3]
    worst = transfer(failing("worst"), **QUICK, threshold=1.0)
    assert "TrainedDifferentlyLong" not in [type(own).__name__ for own in worst.caveats]
    assert worst.survival.censored[1].tolist() == [10]
    assert "failed counts as one that never reaches it" in worst.survival_table().notes[1]
    # Who is lost early has less to say than who never gets there.
    assert carried.survival.restricted_means[1] < worst.survival.restricted_means[1]


@pytest.mark.parametrize("n_sets", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_the_interval_of_times_misses_their_ratio_as_seldom_as_promised(n_sets: int) -> None:
    """Inverted: times of E are twice those of C; half of E would take longer than training lasts."""
    rng = np.random.default_rng(11)
    n_missed, steps = 0, np.arange(1, 41)
    for _ in range(n_sets):
        times = 6 * np.exp(rng.normal(size=12)) * np.repeat([1, 2], 6)
        curves = Curves((steps >= times[:, None]).astype(float), np.repeat(["C", "E"], 6), steps)
        found = transfer(curves, **SIDES, threshold=1.0, n_resamples=0, n_shuffles=99, rng=0)
        interval = found.time_to_threshold.interval
        n_missed += interval is not None and not interval.low <= 2 <= interval.high
    assert n_missed / n_sets <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / n_sets)

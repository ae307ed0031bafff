"""transfer(): the learning-comparison metrics by hand, their intervals and p."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from curvewise import Curves, CurvesError, OptionError, describe, transfer, transfer_many
from curvewise.kernels.transfer.metrics import relative_reduction


def pair(control: Any, experimental: Any, **options: Any) -> Curves:
    return Curves.from_dict({"C": control, "E": experimental}, **options)


def measured(
    control: list[float], experimental: list[float], **options: object
) -> dict[str, float | None]:
    """Every metric of two single curves."""
    steps = list(range(1, len(control) + 1))
    curves = pair([control], [experimental], steps=steps)
    found = transfer(curves, control="C", experimental="E", **options)  # type: ignore[arg-type]
    return {name: metric.value for name, metric in found.metrics.items()}


def test_constant_curves() -> None:
    values = measured([2.0] * 4, [3.0] * 4, optimum=5.0)
    assert values == pytest.approx(
        {
            "transfer_ratio": 1.5,
            "transfer_regret": 1.0,
            "calibrated_transfer_ratio": 1 - 2 / 3,
            "average_relative_reduction": 1.0,
            "jumpstart": 1.0,
            "asymptotic_advantage": 1.0,
            "area_difference": 4.0,
            "average_gain": 1.0,
            "time_to_threshold": 1.0,
        }
    )


def test_equal_curves_show_no_effect_or_are_undefined() -> None:
    values = measured([0.0, 1, 2, 3], [0.0, 1, 2, 3], optimum=4.0)
    assert values["transfer_ratio"] == 1
    assert values["transfer_regret"] == 0
    assert values["calibrated_transfer_ratio"] == 0
    assert values["average_relative_reduction"] == 0
    assert values["time_to_threshold"] == 1
    for name in ("jumpstart", "asymptotic_advantage", "area_difference", "average_gain"):
        assert values[name] == 0


def test_step_curves_by_hand() -> None:
    # C reaches 1 on trial 3, E on trial 1: from 0 to 1, reduction 1 - 1/3.
    values = measured([0.0, 0, 1, 1], [1.0, 1, 1, 1], optimum=1.0)
    assert values["average_relative_reduction"] == pytest.approx(2 / 3)
    assert values["transfer_ratio"] == 2
    assert values["transfer_regret"] == 0.5
    assert values["calibrated_transfer_ratio"] == 1
    assert values["jumpstart"] == 1
    assert values["asymptotic_advantage"] == 0
    assert values["time_to_threshold"] == pytest.approx(1 / 3)


def test_curves_that_cross_by_hand() -> None:
    # Levels 1..2 on trials (E, C) = (1, 2); 2..3: (3, 3); 3..4: (4, never).
    values = measured([1.0, 2, 3, 3], [2.0, 2, 3, 4])
    assert values["average_relative_reduction"] == pytest.approx((0.5 + 0 + 1) / 3)
    assert values["area_difference"] == 2
    assert values["calibrated_transfer_ratio"] == pytest.approx(1 - 5 / 7)


def test_a_slower_condition_has_a_negative_reduction() -> None:
    values = measured([0.0, 4, 4, 4], [0.0, 0, 0, 4])
    assert values["average_relative_reduction"] == pytest.approx(1 - 4 / 2)


def test_reductions_equal_a_fine_sum_and_compiled_code() -> None:
    rng = np.random.default_rng(0)
    control = rng.normal(size=(40, 12)).cumsum(axis=1)
    experimental = rng.normal(size=(40, 12)).cumsum(axis=1) + 1
    last = experimental[:, -1]
    found = relative_reduction(control, experimental, last)
    for row in range(40):
        ends = sorted((control[row, 0], last[row]))
        levels = np.linspace(ends[0], ends[1], 20_001)
        levels = (levels[1:] + levels[:-1]) / 2

        def trial(curve: np.ndarray, levels: np.ndarray = levels) -> np.ndarray:
            reached = curve[None, :] >= levels[:, None]
            return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, np.inf)

        x_e, x_c = trial(experimental[row]), trial(control[row])
        if np.isinf(x_e).any():
            assert np.isnan(found[row])
        else:
            assert found[row] == pytest.approx(np.mean(1 - x_e / x_c), abs=2e-3)
    compiled = relative_reduction(control, experimental, last, compiled=True)
    np.testing.assert_allclose(compiled, found)


def test_trapezoids_follow_the_distances_of_steps() -> None:
    curves = pair([[0.0, 1, 1]], [[1.0, 1, 2]], steps=[0, 1, 10])
    found = transfer(
        curves, control="C", experimental="E", integration="trapezoid", optimum=2
    )
    assert found.area_difference.value == pytest.approx(0.5 + 4.5)
    assert found.average_gain.value == pytest.approx(0.5)
    assert found.transfer_regret.value == pytest.approx(5 / (2 * 10))


@pytest.mark.parametrize(
    ("control", "experimental", "optimum", "name", "reason"),
    [
        ([0.0, 0, 0], [1.0, 1, 1], None, "transfer_ratio", "area under C is 0"),
        ([1.0, 1, 1], [1.0, 1, 1], None, "transfer_regret", "all scores are equal"),
        ([1.0, 1, 1], [0.0, 1, 1], 1.0, "calibrated_transfer_ratio", "C is optimal"),
        ([1.0, 2, 3], [0.0, 1, 1], None, "average_relative_reduction", "ends at the"),
        ([3.0, 3, 3], [0.0, 1, 1], None, "average_relative_reduction", "never reaches"),
    ],
)
def test_what_is_undefined_says_why(
    control: list[float],
    experimental: list[float],
    optimum: float | None,
    name: str,
    reason: str,
) -> None:
    found = transfer(
        pair([control], [experimental]), control="C", experimental="E", optimum=optimum
    )
    metric = found.metrics[name]
    assert not metric.defined
    assert metric.value is None
    assert metric.interval is None
    assert metric.pvalue is None
    assert reason in metric.reason
    json.dumps(found.to_dict(), allow_nan=False)
    assert "undefined" in str(found)


def test_a_threshold_that_is_never_reached_is_infinite_and_said() -> None:
    curves = pair([[0.0, 1, 2]], [[0.0, 0, 1]], steps=[1, 2, 3])
    found = transfer(curves, control="C", experimental="E", threshold=2)
    assert found.time_to_threshold.value == math.inf
    assert list(found.times) == [3, math.inf]
    assert "never reaches" in found.time_to_threshold.reading
    both = transfer(curves, control="C", experimental="E", threshold=9)
    assert not both.time_to_threshold.defined
    assert "neither reaches" in both.time_to_threshold.reason


def some(seed: int, n_runs: int = 6, gain: float = 1.0, n_steps: int = 12) -> Curves:
    rng = np.random.default_rng(seed)
    rising = np.linspace(0, 3, n_steps)
    control = (
        rising + rng.normal(size=(n_runs, 1)) + 0.3 * rng.normal(size=(n_runs, n_steps))
    )
    experimental = rising + gain + rng.normal(size=(n_runs, 1))
    experimental = experimental + 0.3 * rng.normal(size=(n_runs, n_steps))
    return pair(control, experimental, steps=np.arange(1, n_steps + 1))


def test_p_equals_brute_force_over_every_relabelling() -> None:
    curves = some(1, 4)
    found = transfer(curves, control="C", experimental="E", optimum=10.0, rng=0)
    assert found.exact
    far: dict[str, list[float]] = {}
    shift = max(-curves.scores.min(), 0)
    for chosen in combinations(range(8), 4):
        inside = np.isin(np.arange(8), chosen)
        control, experimental = (
            curves.scores[rows].mean(axis=0) for rows in (inside, ~inside)
        )
        ratio = (experimental + shift).sum() / (control + shift).sum()
        above = (10 - experimental).sum() / (10 - control).sum()
        values = {
            "transfer_ratio": abs(np.log(ratio)),
            "calibrated_transfer_ratio": abs(np.log(above)),
            "jumpstart": abs(experimental[0] - control[0]),
            "average_gain": abs((experimental - control).mean()),
        }
        for name, value in values.items():
            far.setdefault(name, []).append(float(value))
    for name, distances in far.items():
        observed = distances[0]  # the first four runs are the control
        share = np.mean(np.array(distances) >= observed * (1 - 1e-9))
        assert found.metrics[name].pvalue == pytest.approx(share), name


def test_intervals_hold_the_value_and_narrow_with_runs() -> None:
    widths = []
    for n_runs in (5, 40):
        found = transfer(some(2, n_runs), control="C", experimental="E", rng=0)
        for metric in found.metrics.values():
            assert metric.interval is not None
            assert metric.interval.low <= metric.value <= metric.interval.high  # type: ignore[operator]
            assert set(metric.intervals) >= {"percentile", "bca"}
        gain = found.average_gain.interval
        assert gain is not None
        widths.append(gain.high - gain.low)
    assert widths[1] < 0.6 * widths[0]


def test_the_kind_of_interval_can_be_chosen() -> None:
    curves = some(3)
    for kind in ("percentile", "bca", "studentised"):
        found = transfer(curves, control="C", experimental="E", interval=kind, rng=0)
        gain = found.average_gain
        assert gain.interval_kind == kind
        assert gain.interval == gain.intervals[kind]


def test_the_same_rng_gives_the_same_digits_and_another_does_not() -> None:
    curves = some(4, 12)
    options = {"control": "C", "experimental": "E", "exact": False}
    one = transfer(curves, rng=1, **options).to_dict()  # type: ignore[arg-type]
    assert one == transfer(curves, rng=1, **options).to_dict()  # type: ignore[arg-type]
    assert one != transfer(curves, rng=2, **options).to_dict()  # type: ignore[arg-type]


def test_lower_is_better_is_turned_round_and_said() -> None:
    curves = some(5)
    losses = Curves(
        10 - curves.scores, curves.labels, curves.steps, higher_is_better=False
    )
    up = transfer(curves, control="C", experimental="E", optimum=10.0, rng=0)
    down = transfer(losses, control="C", experimental="E", optimum=0.0, rng=0)
    assert down.calibrated_transfer_ratio.value == pytest.approx(
        up.calibrated_transfer_ratio.value
    )
    assert down.average_gain.value == pytest.approx(-up.average_gain.value)  # type: ignore[operator]
    assert down.average_gain.interval is not None
    assert down.average_gain.interval.low <= down.average_gain.value  # type: ignore[operator]
    assert "less than C" in down.average_gain.reading
    assert any("Lower scores are better" in warning for warning in down.warnings)


def test_negative_scores_are_shifted_for_the_ratio_and_that_is_said() -> None:
    curves = pair([[-2.0, 0, 1]], [[-1.0, 1, 1]])
    found = transfer(curves, control="C", experimental="E")
    assert found.shift == 2
    assert found.transfer_ratio.value == pytest.approx((1 + 3 + 3) / (0 + 2 + 3))
    assert any("2.000 was added" in warning for warning in found.warnings)


def test_a_single_run_has_values_and_no_intervals() -> None:
    found = transfer(pair([[0.0, 1, 2]], [[1.0, 2, 2]]), control="C", experimental="E")
    assert found.average_gain.value == pytest.approx(2 / 3)
    assert found.average_gain.interval is None
    assert any("single run" in warning for warning in found.warnings)


def test_one_shot_forms() -> None:
    found = transfer(
        pair([[2.0], [4.0]], [[5.0], [7.0]]), control="C", experimental="E", optimum=9.0
    )
    assert found.transfer_ratio.value == pytest.approx(2)
    assert found.calibrated_transfer_ratio.value == pytest.approx(0.5)
    assert found.transfer_regret.value == pytest.approx(1)
    assert "single step" in found.average_relative_reduction.reason
    assert found.recommended == "calibrated_transfer_ratio"


def test_blocks_are_resampled_whole() -> None:
    rng = np.random.default_rng(6)
    shared = 50 * rng.normal(size=(8, 1))
    control, experimental = (shared + rng.normal(size=(8, 5)) + g for g in (0, 1))
    scores, labels = np.vstack([control, experimental]), ["C"] * 8 + ["E"] * 8
    blocks = [*range(8), *range(8)]
    options = {"control": "C", "experimental": "E", "rng": 0}
    paired = transfer(Curves(scores, labels, blocks=blocks), **options)  # type: ignore[arg-type]
    loose = transfer(Curves(scores, labels), **options)  # type: ignore[arg-type]
    widths = [found.average_gain.interval for found in (paired, loose)]
    assert widths[0] is not None
    assert widths[1] is not None
    assert widths[0].high - widths[0].low < 0.1 * (widths[1].high - widths[1].low)
    assert paired.n_blocks == 8


def test_the_window_and_its_end_at_the_asymptote() -> None:
    curves = some(7, n_steps=20)
    part = transfer(curves, control="C", experimental="E", window=(5, 9), rng=0)
    same = transfer(curves.window(5, 9), control="C", experimental="E", rng=0)
    assert part.to_dict() == same.to_dict()
    flat = np.minimum(np.arange(40.0), 10) + 0.01 * np.random.default_rng(0).normal(
        size=(6, 40)
    )
    levelled = pair(flat[:3], flat[3:] + 1)
    found = transfer(levelled, control="C", experimental="E", until_asymptote=0.05)
    assert found.steps[-1] == 10
    rising = transfer(curves, control="C", experimental="E", until_asymptote=0.01)
    assert len(rising.steps) == 20
    assert any("No asymptote was reached" in warning for warning in rising.warnings)
    plain = transfer(curves, control="C", experimental="E")
    assert any("have not levelled off" in warning for warning in plain.warnings)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"control": "D"}, CurvesError, r"No condition is called 'D' \(control\)"),
        ({"experimental": "C"}, OptionError, "are both 'C'"),
        ({"optimum": 0.0}, OptionError, "lies below an observed score"),
        ({"optimum": math.nan}, OptionError, "optimum must be a finite number"),
        ({"window": (90, 99)}, CurvesError, "No step lies in the window"),
        ({"window": 3}, OptionError, "window is a pair of steps"),
        ({"until_asymptote": 2}, OptionError, "share of the range"),
        ({"threshold": "high"}, OptionError, "threshold must be a finite number"),
        ({"integration": "simpson"}, OptionError, "No integration is called 'simpson'"),
        ({"interval": "normal"}, OptionError, "No interval is called 'normal'"),
        ({"confidence": 95}, OptionError, "confidence must lie between 0 and 1"),
        ({"n_resamples": 1.5}, OptionError, "n_resamples must be"),
        ({"n_shuffles": 0}, OptionError, "n_shuffles must be"),
    ],
)
def test_what_cannot_be_used_is_refused(
    options: dict[str, object], error: type[Exception], match: str
) -> None:
    given = {"control": "C", "experimental": "E", **options}
    with pytest.raises(error, match=match):
        transfer(some(0), **given)  # type: ignore[arg-type]


def test_an_optimum_below_scores_is_allowed_when_asked() -> None:
    found = transfer(
        some(0), control="C", experimental="E", optimum=3.0, allow_optimum_below=True
    )
    assert found.optimum_known


def test_which_metric_is_recommended() -> None:
    known = transfer(some(0), control="C", experimental="E", optimum=20.0)
    assert known.recommended == "calibrated_transfer_ratio"
    unknown = transfer(some(0), control="C", experimental="E")
    assert unknown.recommended == "average_relative_reduction"
    assert not unknown.calibrated_transfer_ratio.comparable
    assert unknown.average_relative_reduction.comparable
    assert describe(unknown).startswith("E reached the same performance with")


def test_tasks_are_measured_alone_and_averaged_where_that_is_fair() -> None:
    tasks = {"easy": some(1, gain=2), "hard": some(2, gain=2)}
    found = transfer_many(tasks, control="C", experimental="E", optimum=20.0, rng=0)
    alone = [found[name].calibrated_transfer_ratio.value for name in tasks]
    across = found.across["calibrated_transfer_ratio"]
    assert across.value == pytest.approx(np.mean(alone))  # type: ignore[arg-type]
    assert across.interval is not None
    assert across.interval.low < across.value < across.interval.high
    assert across.pvalue < 0.05
    assert "transfer_ratio" not in found.across
    text = str(found)
    assert "do not compare or average them" in text
    assert json.dumps(found.to_dict(), allow_nan=False)
    assert "on 2 tasks" in describe(found)
    unknown = transfer_many(tasks, control="C", experimental="E", rng=0)
    assert list(unknown.across) == ["average_relative_reduction"]
    with pytest.raises(CurvesError, match="Task 'easy': No condition"):
        transfer_many(tasks, control="X", experimental="E")
    with pytest.raises(OptionError, match="no such task"):
        transfer_many(tasks, control="C", experimental="E", optimum={"other": 1.0})


def test_identical_conditions_do_not_differ_in_time_to_threshold() -> None:
    """A mean that is added up in two ways may round apart; it is the same mean."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        runs = np.round(np.linspace(0, 1, 12) + 0.2 * rng.normal(size=(6, 12)), 2)
        curves = pair(runs, runs.copy(), steps=np.arange(1, 13))
        found = transfer(curves, control="C", experimental="E", n_resamples=0)
        assert found.time_to_threshold.value == 1
        assert found.times[0] == found.times[1]


def test_losses_of_training_time_are_found_as_gains_are() -> None:
    slow = np.minimum(np.linspace(0, 1, 20), 0.9) + 0.001 * np.random.default_rng(
        0
    ).normal(size=(5, 20))
    fast = np.minimum(np.linspace(0, 3, 20), 0.9) + 0.001 * np.random.default_rng(
        1
    ).normal(size=(5, 20))
    for control, experimental in ((slow, fast), (fast, slow)):
        found = transfer(
            pair(control, experimental), control="C", experimental="E", rng=0
        )
        assert found.average_relative_reduction.pvalue == pytest.approx(2 / 252)


def test_blocks_must_hold_both_conditions() -> None:
    scores, labels = np.random.default_rng(0).normal(size=(6, 4)), ["C"] * 3 + ["E"] * 3
    apart = Curves(scores, labels, blocks=[0, 1, 2, 3, 4, 5])
    with pytest.raises(CurvesError, match="No block holds both"):
        transfer(apart, control="C", experimental="E")
    uneven = Curves(scores, labels, blocks=[0, 1, 2, 0, 1, 1])
    with pytest.raises(CurvesError, match="equally often"):
        transfer(uneven, control="C", experimental="E")


def test_a_control_above_the_optimum_leaves_nothing_to_improve() -> None:
    found = transfer(
        pair([[4.0, 5]], [[5.0, 6]]),
        control="C",
        experimental="E",
        optimum=3.0,
        allow_optimum_below=True,
    )
    assert not found.calibrated_transfer_ratio.defined
    assert "nothing is left to improve" in found.calibrated_transfer_ratio.reason


def test_what_says_nothing_is_not_recommended() -> None:
    flat = transfer(
        pair([[5.0] * 6] * 3, [[0.0, 1, 2, 3, 8, 9]] * 3), control="C", experimental="E"
    )
    assert flat.average_relative_reduction.value == 1
    assert "C never reaches any of the scores" in flat.average_relative_reduction.reading
    assert flat.recommended == "calibrated_transfer_ratio"
    shot = transfer(pair([[1.0], [2.0]], [[3.0], [4.0]]), control="C", experimental="E")
    assert shot.recommended == "average_gain"


def test_level_curves_keep_their_window() -> None:
    rng = np.random.default_rng(0)
    level = pair(5 + 0.01 * rng.normal(size=(3, 20)), 9 + 0.01 * rng.normal(size=(3, 20)))
    found = transfer(level, control="C", experimental="E", until_asymptote=0.05)
    assert len(found.steps) == 20
    assert any("level throughout" in warning for warning in found.warnings)


def test_tasks_left_out_of_a_mean_are_named() -> None:
    fails = pair(
        3 + np.zeros((4, 6)) + np.arange(6), np.zeros((4, 6)) + 0.1 * np.arange(6)
    )
    tasks = {"one": some(1), "two": some(2), "disaster": fails}
    found = transfer_many(tasks, control="C", experimental="E", rng=0)
    assert found.across["average_relative_reduction"].n_tasks == 2
    assert any("leaves out disaster" in warning for warning in found.warnings)

"""transfer(): the learning-comparison metrics by hand, their intervals and p."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, CurvesError, OptionError, load_example, transfer
from curvewise.inference.asking import asked_of
from curvewise.questions.transfer.method import ShuffledMetrics
from curvewise.text import naming_flags
from tests.questions.resuming import check_refuses, check_resumes, progress_of
from tests.questions.transfer.gains import SIDES, pair, rising

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise import Transfer


def test_a_threshold_that_is_never_reached_is_infinite_and_said() -> None:
    curves = pair([[0.0, 1, 2]], [[0.0, 0, 1]], steps=[1, 2, 3])
    found = transfer(curves, **SIDES, threshold=2)
    assert found.time_to_threshold.value == math.inf
    assert list(found.times) == [3, math.inf]
    assert "Fewer than half of the runs of E" in found.time_to_threshold.reading
    both = transfer(curves, **SIDES, threshold=9)
    assert not both.time_to_threshold.defined
    assert "no run reaches" in both.time_to_threshold.reason
    assert both.time_to_threshold.pvalue is None


def test_p_equals_brute_force_over_every_relabelling() -> None:
    curves = rising(1, 4)
    found = transfer(curves, **SIDES, optimum=10.0, rng=0)
    assert found.exact
    far: dict[str, list[float]] = {}
    shift = max(-curves.scores.min(), 0)
    for chosen in combinations(range(8), 4):
        inside = np.isin(np.arange(8), chosen)
        control, experimental = (curves.scores[rows].mean(axis=0) for rows in (inside, ~inside))
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
        found = transfer(rising(2, n_runs), **SIDES, threshold=2.0, rng=0)
        for metric in found.metrics.values():
            assert metric.interval is not None
            assert metric.interval.low <= metric.value <= metric.interval.high  # type: ignore[operator]
            assert "percentile" in metric.intervals
        gain = found.average_gain.interval
        assert gain is not None
        widths.append(gain.high - gain.low)
    assert widths[1] < 0.6 * widths[0]


def test_the_kind_of_interval_can_be_chosen() -> None:
    curves = rising(3)
    for kind in ("inverted", "student", "percentile"):
        found = transfer(curves, **SIDES, interval=kind, rng=0)
        for metric in found.metrics.values():
            shown = metric.interval_kind
            assert shown == kind or kind not in metric.intervals
            assert shown is not None
            assert metric.interval == metric.intervals[shown]
    by_default = transfer(curves, **SIDES, rng=0)
    kinds = {name: metric.interval_kind for name, metric in by_default.metrics.items()}
    assert kinds.pop("time_to_threshold") == "percentile"
    assert kinds.pop("average_relative_reduction") == "student"
    assert set(kinds.values()) == {"inverted"}


def test_the_same_rng_gives_the_same_digits_and_another_does_not() -> None:
    curves = rising(4, 12)
    options = {**SIDES, "exact": False}
    one = transfer(curves, rng=1, **options).to_dict()
    assert one == transfer(curves, rng=1, **options).to_dict()
    assert one != transfer(curves, rng=2, **options).to_dict()


def test_lower_is_better_is_turned_round_and_said() -> None:
    curves = rising(5)
    losses = Curves(10 - curves.scores, curves.labels, curves.steps, higher_is_better=False)
    up = transfer(curves, **SIDES, optimum=10.0, rng=0)
    down = transfer(losses, **SIDES, optimum=0.0, rng=0)
    assert down.calibrated_transfer_ratio.value == pytest.approx(up.calibrated_transfer_ratio.value)
    assert down.average_gain.value == pytest.approx(-up.average_gain.value)  # type: ignore[operator]
    assert down.average_gain.interval is not None
    assert down.average_gain.interval.low <= down.average_gain.value  # type: ignore[operator]
    assert "less than C" in down.average_gain.reading
    assert any("Lower scores are better" in warning for warning in down.warnings)


def test_negative_scores_are_shifted_for_the_ratio_and_that_is_said() -> None:
    curves = pair([[-2.0, 0, 1]], [[-1.0, 1, 1]])
    found = transfer(curves, **SIDES)
    assert found.shift == 2
    assert found.transfer_ratio.value == pytest.approx((1 + 3 + 3) / (0 + 2 + 3))
    assert any("2.000 was added" in warning for warning in found.warnings)


def test_a_single_run_has_values_and_no_intervals_that_say_anything() -> None:
    found = transfer(pair([[0.0, 1, 2]], [[1.0, 2, 2]]), **SIDES)
    assert found.average_gain.value == pytest.approx(2 / 3)
    assert found.average_gain.interval == (-math.inf, math.inf)
    assert found.transfer_regret.interval == (-math.inf, math.inf)
    assert found.average_relative_reduction.interval is None
    assert any("single run" in warning for warning in found.warnings)


def test_one_shot_forms() -> None:
    found = transfer(pair([[2.0], [4.0]], [[5.0], [7.0]]), **SIDES, optimum=9.0)
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
    paired = transfer(Curves(scores, labels, blocks=blocks), **SIDES, rng=0)
    loose = transfer(Curves(scores, labels), **SIDES, rng=0)
    widths = [found.average_gain.interval for found in (paired, loose)]
    assert widths[0] is not None
    assert widths[1] is not None
    assert widths[0].high - widths[0].low < 0.1 * (widths[1].high - widths[1].low)
    assert paired.n_blocks == 8


def test_the_window_and_its_end_at_the_asymptote() -> None:
    curves = rising(7, n_steps=20)
    part = transfer(curves, **SIDES, window=(5, 9), rng=0)
    same = transfer(curves.window(5, 9), **SIDES, rng=0)
    assert part.to_dict() == same.to_dict()
    flat = np.minimum(np.arange(40.0), 10) + 0.01 * np.random.default_rng(0).normal(size=(6, 40))
    levelled = pair(flat[:3], flat[3:] + 1)
    found = transfer(levelled, **SIDES, until_asymptote=0.05)
    assert found.steps[-1] == 10
    endless = transfer(curves, **SIDES, until_asymptote=0.01)
    assert len(endless.steps) == 20
    assert any("No asymptote was reached" in warning for warning in endless.warnings)
    plain = transfer(curves, **SIDES)
    assert any("have not levelled off" in warning for warning in plain.warnings)


def test_an_optimum_below_scores_is_allowed_when_asked() -> None:
    found = transfer(rising(0), **SIDES, optimum=3.0, allow_optimum_below=True)
    assert found.optimum_known


def test_which_metric_is_recommended() -> None:
    known = transfer(rising(0), **SIDES, optimum=20.0)
    assert known.recommended == "calibrated_transfer_ratio"
    unknown = transfer(rising(0), **SIDES)
    assert unknown.recommended == "average_relative_reduction"
    assert not unknown.calibrated_transfer_ratio.comparable
    assert unknown.average_relative_reduction.comparable
    no_range = transfer(pair([[1.0, 2]], [[0.0, 1]]), **SIDES)
    assert not no_range.average_relative_reduction.defined
    assert no_range.recommended == "calibrated_transfer_ratio"


def test_identical_conditions_do_not_differ_in_time_to_threshold() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        runs = np.round(np.linspace(0, 1, 12) + 0.2 * rng.normal(size=(6, 12)), 2)
        curves = pair(runs, runs.copy(), steps=np.arange(1, 13))
        found = transfer(curves, **SIDES, n_resamples=0, threshold=0.5)
        assert found.time_to_threshold.value == 1
        assert found.time_to_threshold.pvalue == 1
        assert found.times[0] == found.times[1]


def test_losses_of_training_time_are_found_as_gains_are() -> None:
    slow = np.minimum(np.linspace(0, 1, 20), 0.9) + 0.001 * np.random.default_rng(0).normal(
        size=(5, 20)
    )
    fast = np.minimum(np.linspace(0, 3, 20), 0.9) + 0.001 * np.random.default_rng(1).normal(
        size=(5, 20)
    )
    for control, experimental in ((slow, fast), (fast, slow)):
        found = transfer(pair(control, experimental), **SIDES, rng=0)
        assert found.average_relative_reduction.pvalue == pytest.approx(2 / 252)


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
    flat = transfer(pair([[5.0] * 6] * 3, [[0.0, 1, 2, 3, 8, 9]] * 3), **SIDES)
    assert flat.average_relative_reduction.value == 1
    assert "C never reaches any of the scores" in flat.average_relative_reduction.reading
    assert flat.recommended == "calibrated_transfer_ratio"
    shot = transfer(pair([[1.0], [2.0]], [[3.0], [4.0]]), **SIDES)
    assert shot.recommended == "average_gain"


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"control": "D"}, CurvesError, r"No condition is called 'D' \(control\)"),
        ({"experimental": "C"}, OptionError, "are both 'C'"),
        ({"optimum": 0.0}, OptionError, "lies below an observed score"),
        ({"window": (90, 99)}, CurvesError, "No step lies in the window"),
        ({"confidence": 95}, OptionError, "confidence must lie between 0 and 1"),
        ({"n_resamples": 1.5}, OptionError, "n_resamples must be"),
        ({"n_shuffles": 0}, OptionError, "n_shuffles must be"),
        ({"n_jobs": 0}, OptionError, "n_jobs must be"),
        ({"rng": -1}, OptionError, "rng must be"),
    ],
)
def test_what_cannot_be_used_is_refused(
    options: dict[str, object], error: type[Exception], match: str
) -> None:
    given: dict[str, Any] = {**SIDES, **options}
    with pytest.raises(error, match=match):
        transfer(rising(0), **given)


def test_only_curves_are_taken() -> None:
    scores: Any = {"C": [[1.0]], "E": [[2.0]]}
    with pytest.raises(OptionError, match=r"transfer\(\) takes Curves, not a dict"):
        transfer(scores, **SIDES)


def test_the_result_says_what_was_measured() -> None:
    curves = load_example("tictactoe")
    found = transfer(curves, control="A2", experimental="A1", optimum=100, rng=3, exact=False)
    assert found.n_runs == (10, 10)
    assert found.n_blocks is None
    assert (found.control, found.experimental) == ("A2", "A1")
    assert found.optimum == 100
    assert found.optimum_known
    for name, mean in (("A2", found.mean_control), ("A1", found.mean_experimental)):
        expected = curves.scores[curves.labels == name].mean(axis=0)
        np.testing.assert_allclose(mean, expected)
    assert found.asymptotes == pytest.approx((found.mean_control[-1], found.mean_experimental[-1]))
    assert found.threshold == pytest.approx(np.mean(found.asymptotes))
    assert not found.threshold_given
    assert found.n_resamples == 9_999
    assert (found.n_shuffles, found.seed, found.exact) == (9_999, 3, False)
    assert found.n_relabellings == math.comb(20, 10)
    assert found.source == curves.source


def test_without_an_optimum_the_best_mean_score_stands_in() -> None:
    curves = rising(3)
    up = transfer(curves, **SIDES, n_resamples=0)
    assert up.optimum == max(up.mean_control.max(), up.mean_experimental.max())
    losses = Curves(-curves.scores, curves.labels, higher_is_better=False)
    down = transfer(losses, **SIDES, n_resamples=0)
    assert down.optimum == pytest.approx(-up.optimum)


def asked(**options: Any) -> Transfer:
    return transfer(
        rising(8, 9), **{**SIDES, "n_resamples": 99, "n_shuffles": 5_000, "rng": 1, **options}
    )


def kept(found: Transfer) -> list[list[float]]:
    return [
        # What is undefined is as little the same as any NaN.
        np.nan_to_num([*metric.null_distribution, *metric.resamples], nan=-9.0).tolist()
        for metric in found.metrics.values()
        if metric.null_distribution is not None and metric.resamples is not None
    ]


def test_an_interrupted_question_goes_on_with_the_same_digits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ShuffledMetrics, "chunk", 1)
    check_resumes(lambda **k: asked(exact=False, **k), tmp_path / "work.npz", monkeypatch)
    check_resumes(asked, tmp_path / "exact.npz", monkeypatch)
    resumed = asked(exact=False, checkpoint=tmp_path / "work.npz")
    assert kept(resumed) == kept(asked(exact=False))
    assert len(kept(resumed)) == 9


def test_without_a_seed_work_goes_on_with_the_keys_it_was_begun_with(tmp_path: Path) -> None:
    path = tmp_path / "work.npz"
    first, again = (asked(rng=None, exact=False, checkpoint=path) for _ in range(2))
    assert first.to_dict() == again.to_dict()
    assert kept(first) == kept(again)
    assert kept(asked(rng=None, exact=False)) != kept(first)


def test_the_checkpoint_of_another_question_is_refused(tmp_path: Path) -> None:
    few = {"exact": False, "n_shuffles": 99}

    def ask(**options: Any) -> Transfer:
        return asked(**{**few, **options})

    others: dict[str, dict[str, Any]] = {
        "n_shuffles": {"n_shuffles": 100},
        "optimum": {"optimum": 99.0},
        "window": {"window": (2, 9)},
        "threshold": {"threshold": 1.0},
        "hold": {"hold": 2},
        "integration": {"integration": "trapezoid"},
        "confidence": {"confidence": 0.9},
        "rng": {"rng": 2},
        "conditions": {"control": "E", "experimental": "C"},
    }
    check_refuses(
        ask,
        {name: lambda own=own, **k: ask(**own, **k) for name, own in others.items()},
        tmp_path / "work.npz",
    )
    # What is not asked for differently is the same question, whoever does the work.
    ask(checkpoint=tmp_path / "work.npz", n_jobs=2)


def test_jobs_change_no_digit() -> None:
    options: dict[str, Any] = {"n_resamples": 1_999, "exact": False, "n_shuffles": 9_000}
    one, two = (asked(n_jobs=n_jobs, **options) for n_jobs in (1, 2))
    assert json.dumps(one.to_dict()) == json.dumps(two.to_dict())
    assert kept(one) == kept(two)


def test_progress_is_reported_for_resamples_and_shuffles() -> None:
    resamples, shuffles, sums, stretches = progress_of(lambda: asked(exact=False, n_shuffles=9_000))
    assert resamples[-1] == (99, 99)
    assert shuffles[-1] == sums[-1] == stretches[-1] == (9, 9)
    assert len(shuffles) == 3


@pytest.mark.parametrize("rule", ["auto", "precise"])
def test_shuffling_may_go_on_until_it_is_enough(rule: str) -> None:
    curves = rising(8, 9, gain=0.2)
    options: dict[str, Any] = {**SIDES, "exact": False, "n_resamples": 0, "rng": 0}
    found = transfer(curves, n_shuffles=rule, **options)  # type: ignore[arg-type]
    assert found.n_shuffles >= 2**14
    same = transfer(curves, n_shuffles=found.n_shuffles, **options)
    assert {n: m.pvalue for n, m in same.metrics.items()} == {
        n: m.pvalue for n, m in found.metrics.items()
    }


def test_each_kind_of_interval_holds_no_more_than_the_metric_can_be() -> None:
    """The curves hardly overlap, so regret is near 1 and its interval ends there."""
    rng = np.random.default_rng(0)
    control, experimental = (
        rng.uniform(0, 0.4, size=(6, 8)),
        rng.uniform(0.8, 2.6, size=(6, 1)) + np.zeros(8),
    )
    found = transfer(pair(control, experimental), **SIDES, rng=0, confidence=0.99)
    regret = found.transfer_regret
    assert regret.value is not None
    assert regret.value < 1
    assert regret.intervals["inverted"].high == 1
    assert all(interval.high <= 1 for interval in regret.intervals.values())


# --- What is measured is checked before anything is computed.


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("optimum", math.nan, "optimum must be a finite number"),
        ("optimum", "high", "optimum must be a finite number"),
        ("threshold", "high", "threshold must be a finite number"),
        ("window", 3, "window is a pair of steps"),
        ("window", (1, 2, 3), "window is a pair of steps"),
        ("until_asymptote", 2, "until_asymptote is a share of the range"),
        ("until_asymptote", 0, "until_asymptote is a share of the range"),
        ("integration", "simpson", "integration must be 'sum' or 'trapezoid'"),
        ("interval", "normal", "interval must be 'inverted', 'student' or 'percentile'"),
        ("confidence", 95, "confidence must lie between 0 and 1"),
        ("n_resamples", 1.5, "n_resamples must be"),
        ("n_resamples", 5, "n_resamples must be"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_name(
    option: str, value: object, message: str
) -> None:
    given: dict[str, Any] = {option: value}
    with pytest.raises(OptionError, match=message) as refused:
        asked_of(transfer, control="C", experimental="E", **given)
    assert refused.value.option == option


def test_flags_are_named_where_flags_are_typed() -> None:
    with naming_flags(), pytest.raises(OptionError, match=r"^--until-asymptote is a"):
        asked_of(transfer, control="C", experimental="E", until_asymptote=3)


@pytest.mark.parametrize(
    "options",
    [
        {"optimum": 0},
        {"optimum": np.float64(-1.5), "threshold": np.int64(3)},
        {"window": [1, 5], "until_asymptote": 0.05},
        {"n_resamples": 0, "interval": "student", "integration": "trapezoid"},
    ],
)
def test_what_can_be_used_is_kept(options: dict[str, Any]) -> None:
    found = asked_of(transfer, control="C", experimental="E", **options)
    assert {name: getattr(found, name) for name in options} == options
    assert found.optimum_known is ("optimum" in options)


def test_alpha_is_what_confidence_leaves() -> None:
    assert asked_of(transfer, control="C", experimental="E").alpha == pytest.approx(0.05)
    assert asked_of(transfer, control="C", experimental="E", confidence=0.9).alpha == pytest.approx(
        0.1
    )

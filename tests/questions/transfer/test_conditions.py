"""Two conditions laid out for the metrics: resampled, relabelled, cut where they level off."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, CurvesError, OptionError
from curvewise.inference.asking import asked_of
from curvewise.kernels.metrics import CURVE_METRICS, METRICS, metric_values, time_ratio
from curvewise.kernels.pvalues import jackknife_error
from curvewise.kernels.relabel import resample_counts
from curvewise.kernels.survival import kaplan_meier
from curvewise.questions.transfer import method as conditions_module
from curvewise.questions.transfer import method as module
from curvewise.questions.transfer.ask import transfer
from curvewise.questions.transfer.method import (
    DIFFERENCES,
    TESTED,
    TwoConditions,
    leave_out,
    levelled_off,
    percentile_ends,
    resample_metrics,
    student_ends,
)
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.text import naming_flags
from tests.questions.resuming import progress_of
from tests.questions.transfer.gains import SIDES, pair, rising


def laid_out(curves: Curves, **options: Any) -> TwoConditions:
    return TwoConditions(curves, asked_of(transfer, control="C", experimental="E", **options))


def kernel(conditions: TwoConditions, control: Any, experimental: Any) -> np.ndarray:
    """The metrics of one pair of mean curves, straight from the kernel."""
    values = metric_values(np.atleast_2d(control), np.atleast_2d(experimental), conditions.settings)
    return np.array([values[name][0] for name in CURVE_METRICS])


def test_scores_are_negated_where_lower_is_better() -> None:
    curves = rising(0)
    losses = Curves(-curves.scores, curves.labels, curves.steps, higher_is_better=False)
    up, down = laid_out(curves, optimum=9.0), laid_out(losses, optimum=-9.0)
    assert (up.sign, down.sign) == (1, -1)
    assert sorted(up.scores.sum(axis=1)) == sorted(down.scores.sum(axis=1))
    assert up.settings.optimum == down.settings.optimum == 9.0
    assert up.threshold == pytest.approx(-down.threshold)
    assert sorted(up.times.reaching) == pytest.approx(sorted(down.times.reaching))


def test_what_the_metrics_take_as_given() -> None:
    curves = pair([[-2.0, 0, 4]], [[-1.0, 1, 1]], steps=[0, 1, 10])
    found = laid_out(curves)
    assert found.n_runs == (1, 1)
    assert found.n_steps == 3
    assert found.settings.shift == 2
    assert found.threshold == 2.5  # where both end
    assert found.settings.optimum is None
    assert found.settings.weights.tolist() == [1, 1, 1]
    trapezoids = laid_out(curves, integration="trapezoid", threshold=3)
    assert trapezoids.settings.weights.tolist() == [0.5, 5, 4.5]
    assert trapezoids.threshold == 3
    assert trapezoids.times.reaching.tolist() == [7.75, math.inf]
    [control, experimental] = [mean.tolist() for mean in found.means]
    assert control == [-2, 0, 4]
    assert experimental == [-1, 1, 1]


def test_a_resample_is_the_mean_of_the_runs_drawn() -> None:
    curves = rising(1, 4)
    found = laid_out(curves, optimum=9.0)
    counts = np.random.default_rng(0).integers(0, 3, size=(20, 8)).astype(float)
    values = found.resampled(counts)
    assert values.shape == (len(METRICS), 20)
    for row, count in enumerate(counts.astype(int)):
        means = []
        for side in (0, 1):
            runs = np.flatnonzero(found.member == side)
            drawn = np.repeat(runs, count[runs])
            means.append(found.scores[drawn].mean(axis=0) if len(drawn) else np.zeros(12))
        np.testing.assert_allclose(values[:-1, row], kernel(found, *means))
        medians = [
            kaplan_meier(found.times.of(np.repeat(runs, count[runs]))).median
            for runs in (np.flatnonzero(found.member == side) for side in (0, 1))
            if count[runs].any()
        ]
        if len(medians) == 2:
            expected = time_ratio(np.array(medians[:1]), np.array(medians[1:]))
            np.testing.assert_allclose(values[-1, row], expected[0])


def test_a_relabelling_is_the_means_of_the_runs_so_labelled() -> None:
    found = laid_out(rising(2, 3), optimum=9.0)
    labels = np.array([[0, 0, 0, 1, 1, 1], [1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0]])
    values = found.relabelled(labels)
    for row, relabelled in enumerate(labels):
        means = [found.scores[relabelled == side].mean(axis=0) for side in (0, 1)]
        np.testing.assert_allclose(values[:-1, row], kernel(found, *means))
        medians = (
            np.array([kaplan_meier(found.times.of(relabelled == side)).median]) for side in (0, 1)
        )
        np.testing.assert_allclose(values[-1, row], time_ratio(*medians)[0])


def test_portions_only_cut_up_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    found = laid_out(rising(3, 5))
    labels = np.array([np.random.default_rng(k).permutation(found.member) for k in range(9)])
    whole = found.relabelled(labels)
    monkeypatch.setattr(module, "MAX_VALUES", 2 * found.n_steps)
    monkeypatch.setattr(module, "MIN_AT_ONCE", 1)
    assert found.portion == 2
    np.testing.assert_allclose(found.relabelled(labels), whole)
    monkeypatch.setattr(module, "MAX_VALUES", 1)
    assert found.portion == 1


@pytest.mark.compiled
def test_compiling_repays_for_much_work_only() -> None:
    found = laid_out(rising(3, 5))
    assert not found.repays_compiling(10)
    assert found.repays_compiling(1_000_000)
    # Of many tasks that are measured alike, each is a part of the work.
    found.n_tasks = 100_000
    assert found.repays_compiling(10)
    labels = found.member[None, :]
    compiled = found.relabelled(labels, compiled=True)
    np.testing.assert_allclose(compiled, found.relabelled(labels))


@pytest.mark.parametrize(
    ("n_control", "n_experimental", "count", "mirrored"),
    [(3, 3, 10, True), (3, 4, 35, False), (1, 1, 1, True)],
)
def test_mirror_images_are_two_relabellings(
    n_control: int, n_experimental: int, count: int, mirrored: bool
) -> None:
    scores = np.random.default_rng(0).normal(size=(n_control + n_experimental, 4))
    found = laid_out(pair(scores[:n_control], scores[n_control:]))
    assert found.restriction.count == count
    assert found.is_mirrored is mirrored


def test_units_are_runs_or_whole_blocks() -> None:
    scores, labels = np.random.default_rng(0).normal(size=(8, 3)), ["C", "E"] * 4
    loose = laid_out(Curves(scores, labels))
    assert sorted(loose.units) == list(range(8))
    assert loose.strata.tolist() == loose.member.tolist()
    blocked = laid_out(Curves(scores, labels, blocks=[0, 0, 1, 1, 2, 2, 3, 3]))
    assert sorted(blocked.units) == [0, 0, 1, 1, 2, 2, 3, 3]
    assert blocked.strata.tolist() == [0, 0, 0, 0]
    for unit in range(4):
        assert sorted(blocked.member[blocked.units == unit]) == [0, 1]


@pytest.mark.parametrize(
    ("higher", "optimum", "side"), [(True, 2.5, "below"), (False, 1.5, "above")]
)
def test_an_optimum_that_scores_exceed_is_refused(higher: bool, optimum: float, side: str) -> None:
    curves = pair([[1.0, 2]], [[2.0, 3]], higher_is_better=higher)
    best = 3 if higher else 1
    message = (
        f"The optimum {optimum:.3f} lies {side} an observed score, "
        f"{best}.000. Give the best possible score, or allow scores to exceed it: "
    )
    with pytest.raises(OptionError) as refused:
        laid_out(curves, optimum=optimum)
    assert str(refused.value) == f"{message}allow_optimum_below=True."
    assert refused.value.option == "optimum"
    with naming_flags(), pytest.raises(OptionError, match="it: --allow-optimum-below"):
        laid_out(curves, optimum=optimum)
    allowed = laid_out(curves, optimum=optimum, allow_optimum_below=True)
    assert allowed.settings.optimum == (optimum if higher else -optimum)
    assert laid_out(curves, optimum=best).settings.optimum is not None


def test_conditions_are_found_by_name_and_the_control_comes_first() -> None:
    scores = np.random.default_rng(0).normal(size=(6, 4))
    curves = Curves(scores, ["E", "C", "D"] * 2)
    found = transfer(curves, control="C", experimental="E", n_resamples=0)
    np.testing.assert_allclose(found.mean_control, scores[1::3].mean(axis=0))
    with pytest.raises(CurvesError, match=r"No condition is called 'X' \(control\)"):
        transfer(curves, control="X", experimental="E")
    with pytest.raises(CurvesError, match=r"'c' \(experimental\); .* did you mean 'C'"):
        transfer(curves, control="E", experimental="c")
    with pytest.raises(OptionError, match="are both 'C': name two"):
        transfer(curves, control="C", experimental="C")


def test_blocks_must_hold_both_conditions_equally_often() -> None:
    scores, labels = np.random.default_rng(0).normal(size=(6, 4)), ["C"] * 3 + ["E"] * 3
    apart = Curves(scores, labels, blocks=[0, 1, 2, 3, 4, 5])
    with pytest.raises(CurvesError, match="No block holds both"):
        transfer(apart, control="C", experimental="E")
    uneven = Curves(scores, labels, blocks=[0, 1, 2, 0, 1, 1])
    with pytest.raises(CurvesError, match="equally often"):
        transfer(uneven, control="C", experimental="E")


FLAT_FROM_10 = np.minimum(np.arange(40.0), 10)


@pytest.mark.parametrize(
    ("control", "experimental", "first"),
    [
        (FLAT_FROM_10, FLAT_FROM_10 + 1, 10),
        (FLAT_FROM_10, np.full(40, 5.0), 10),
        (np.full(40, 5.0), np.full(40, 9.0), 0),
        (np.arange(40.0), FLAT_FROM_10, None),
        # Near the end of the curve only: that the last steps are near their own mean.
        (np.where(np.arange(40) < 36, 0.0, 5.0), np.zeros(40), None),
    ],
)
def test_where_both_curves_have_levelled_off(
    control: np.ndarray, experimental: np.ndarray, first: int | None
) -> None:
    curves = pair([control] * 2, [experimental] * 2)
    assert levelled_off(curves, "C", 0.01) == first
    # One run more, so that something varies.
    curves = pair([control] * 2, [experimental, experimental, experimental + 1])
    cut = transfer(curves, **SIDES, until_asymptote=0.01, n_resamples=0)
    assert len(cut.steps) == (first + 1 if first else 40)


def test_a_wider_tolerance_levels_off_earlier() -> None:
    curves = pair([FLAT_FROM_10], [FLAT_FROM_10])
    assert levelled_off(curves, "C", 0.25) == 8
    assert levelled_off(pair([[1.0]], [[2.0]]), "C", 0.1) == 0


# --- What each run adds to the metrics that are linear in the runs.


def unequal(*, lower: bool = False, n_blocks: int = 1) -> Curves:
    scores = 100 + np.random.default_rng(0).normal(size=(6 * n_blocks, 23)).cumsum(axis=1)
    return Curves(
        scores,
        ["C", "C", "E", "E", "E", "E"] * n_blocks,
        np.arange(23) ** 2,
        blocks=np.repeat(np.arange(n_blocks), 6) if n_blocks > 1 else None,
        higher_is_better=not lower,
    )


@pytest.mark.parametrize("integration", ["sum", "trapezoid"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("n_blocks", [1, 3])
def test_sums_give_the_metrics_of_any_relabelling(
    integration: str, lower: bool, n_blocks: int
) -> None:
    curves = unequal(lower=lower, n_blocks=n_blocks)
    conditions = laid_out(curves, integration=integration)
    labels = conditions.restriction.drawn(50, seed=1).batch(0)
    sums, metrics = conditions.sums(labels), conditions.relabelled(labels)
    membership = conditions.observed[len(TESTED)]
    for place, name in enumerate(DIFFERENCES):
        # The sums are in scores as given.
        expected = conditions.sign * metrics[METRICS.index(name)]
        found = sums[place] / membership * conditions.unit
        np.testing.assert_allclose(found, expected, atol=1e-10)
    areas_e, areas_c, count = sums[len(TESTED) + 1 :]
    weights = conditions.settings.weights / conditions.settings.span
    areas = labels @ (conditions.scores @ weights)
    np.testing.assert_allclose(areas_e + areas_c, areas)
    np.testing.assert_array_equal(count, labels @ conditions.member)


def test_the_observed_labels_are_extreme_and_all_are_if_nothing_differs() -> None:
    conditions = laid_out(rising(0, 4))
    own = conditions.sums(conditions.member[None, :])
    assert conditions.counts(own).tolist() == [1, 1, 1, 1]
    level = laid_out(Curves(np.full((8, 3), 0.1), ["C", "E"] * 4))
    labels = level.restriction.every().batch(0)
    counts = level.counts(level.sums(labels))
    assert counts.tolist() == [len(labels)] * 4


def test_rounding_breaks_no_tie() -> None:
    """Scores of one decimal, far from 0: many relabellings are exactly as extreme."""
    scores = 1e6 + np.random.default_rng(1).integers(0, 3, size=(8, 5)) / 10
    curves = Curves(scores, ["C", "E"] * 4)
    whole = Curves(np.rint((scores - 1e6) * 10), ["C", "E"] * 4)
    found = []
    for own in (curves, whole):
        conditions = laid_out(own)
        labels = conditions.restriction.every().batch(0)
        found.append(conditions.counts(conditions.sums(labels)))
    assert found[0].tolist() == found[1].tolist()


# --- The bootstrap and the jackknife of the metrics, and intervals from them.


ALPHA = 0.05


REDUCTION, TIME = (RECORDS[name] for name in ("average_relative_reduction", "time_to_threshold"))


def test_resamples_are_the_metrics_of_runs_drawn_again() -> None:
    conditions = laid_out(rising(0, 5), optimum=9.0)
    found = resample_metrics(conditions, 99, seed=7)
    counts = resample_counts(conditions.strata, 99, seed=7)
    # Runs are drawn within their condition.
    assert (counts[:, conditions.member == 0].sum(axis=1) == 5).all()
    values = conditions.resampled(counts)
    np.testing.assert_array_equal(found, values)


def test_neither_jobs_nor_portions_of_work_change_a_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = laid_out(rising(2, 5), optimum=9.0)
    monkeypatch.setattr(conditions_module, "MAX_VALUES", 2**10)
    one, two = (resample_metrics(conditions, 999, 3, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_progress_is_reported_in_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = laid_out(rising(2, 5))
    monkeypatch.setattr(conditions_module, "MAX_VALUES", 2**10)
    (resamples,) = progress_of(lambda: resample_metrics(conditions, 999, 3))
    assert resamples[-1] == (999, 999)
    assert len(resamples) > 5


def test_what_cannot_be_resampled_is_not() -> None:
    scores, labels = np.random.default_rng(0).normal(size=(4, 3)), ["C", "E"] * 2
    single = pair([[0.0, 1]], [[1.0, 2], [2.0, 2]])
    block = Curves(scores, labels, blocks=[0] * 4)
    for curves, n_resamples in ((rising(0), 0), (single, 99), (block, 99)):
        found = transfer(curves, control="C", experimental="E", n_resamples=n_resamples)
        assert found.n_resamples == 0
        for metric in found.metrics.values():
            assert metric.resamples is None
            assert set(metric.intervals) <= {"inverted"}
            assert metric.error is None or curves.n_runs == 12


def test_the_error_of_a_mean_difference_is_the_textbooks() -> None:
    curves = rising(1, 8)
    conditions = laid_out(curves)
    without = leave_out(conditions)
    heights = curves.scores.mean(axis=1)
    variances = [heights[curves.labels == side].var(ddof=1) / 8 for side in ("C", "E")]
    error, _ = jackknife_error(without[METRICS.index("average_gain")], conditions.strata)
    assert error == pytest.approx(math.sqrt(sum(variances)))


def test_whole_blocks_are_left_out() -> None:
    scores = np.random.default_rng(0).normal(size=(6, 4))
    curves = Curves(scores, ["C", "E"] * 3, blocks=[0, 0, 1, 1, 2, 2])
    without = leave_out(laid_out(curves))
    pairs = (scores[1::2] - scores[::2]).mean(axis=1)
    expected = [np.delete(pairs, block).mean() for block in range(3)]
    assert sorted(without[METRICS.index("average_gain")]) == pytest.approx(sorted(expected))


def test_students_interval_takes_the_outer_ends_of_two_scales() -> None:
    strata = np.zeros(4, dtype=np.int64)
    without = np.array([0.9, 1.0, 1.1, 1.3])
    found = student_ends(TIME, 1.05, without, strata, ALPHA)
    quantile = stats.t.isf(0.025, 3)
    plain, log = (
        quantile * jackknife_error(values, strata)[0] for values in (without, np.log(without))
    )
    low = min(1.05 - plain, 1.05 * math.exp(-log))
    high = max(1.05 + plain, 1.05 * math.exp(log))
    assert found == pytest.approx((low, high))
    # A reduction is 1 minus such a ratio.
    turned = student_ends(REDUCTION, 1 - 1.05, 1 - without, strata, ALPHA)
    assert turned == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(
    ("value", "without"),
    [
        (math.inf, [1.0, 1.1]),
        (1.0, [math.inf, 1.1]),
        (1.0, [math.nan, 1.1]),
        (0.0, [0.5, 1.1]),
        (1.0, [1.0, 1.0]),
    ],
)
def test_without_finite_logarithms_there_is_no_students_interval(
    value: float, without: list[float]
) -> None:
    strata = np.zeros(2, dtype=np.int64)
    assert student_ends(TIME, value, np.array(without), strata, ALPHA) is None


def test_an_undefined_resample_could_have_been_anything() -> None:
    values, many = np.arange(1_000.0), np.array([10**9])
    assert percentile_ends(values, many, 0.1) == (49, 950)
    values[:30] = np.nan
    assert percentile_ends(values, many, 0.1) == (49, 980)
    values[:100] = np.nan
    assert percentile_ends(values, many, 0.1) == (-math.inf, math.inf)


def test_few_units_widen_the_percentile_interval() -> None:
    values = np.arange(1_000.0)
    assert percentile_ends(values, np.array([5, 5]), 0.1)[0] < 49

"""Two conditions laid out for the metrics: resampled, relabelled, cut where they level off."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from curvewise import Curves, CurvesError, OptionError
from curvewise.kernels.survival import kaplan_meier
from curvewise.kernels.transfer.metrics import (
    CURVE_METRICS,
    METRICS,
    metric_values,
    time_ratio,
)
from curvewise.questions.transfer import conditions as module
from curvewise.questions.transfer.conditions import (
    TwoConditions,
    levelled_off,
    select_conditions,
    until_levelled_off,
)
from curvewise.questions.transfer.options import TransferOptions
from curvewise.text import naming_flags
from tests.questions.transfer.gains import pair, rising


def laid_out(curves: Curves, **options: Any) -> TwoConditions:
    return TwoConditions.of(curves, TransferOptions("C", "E", **options))


def kernel(conditions: TwoConditions, control: Any, experimental: Any) -> np.ndarray:
    """The metrics of one pair of mean curves, straight from the kernel."""
    values = metric_values(
        np.atleast_2d(control), np.atleast_2d(experimental), conditions.settings
    )
    return np.array([values[name][0] for name in CURVE_METRICS])


def test_scores_are_negated_where_lower_is_better() -> None:
    curves = rising(0)
    losses = Curves(-curves.scores, curves.labels, curves.steps, higher_is_better=False)
    up, down = laid_out(curves, optimum=9.0), laid_out(losses, optimum=-9.0)
    assert (up.sign, down.sign) == (1, -1)
    assert sorted(up.scores.sum(axis=1)) == sorted(down.scores.sum(axis=1))
    assert up.settings.optimum == down.settings.optimum == 9.0
    assert up.threshold == pytest.approx(-down.threshold)
    assert sorted(up.times.reaching) == sorted(down.times.reaching)


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
    assert trapezoids.times.reaching.tolist() == [10, math.inf]
    [control, experimental] = [mean.tolist() for mean in found.means()]
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
            np.array([kaplan_meier(found.times.of(relabelled == side)).median])
            for side in (0, 1)
        )
        np.testing.assert_allclose(values[-1, row], time_ratio(*medians)[0])


def test_portions_only_cut_up_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    found = laid_out(rising(3, 5))
    labels = np.array(
        [np.random.default_rng(k).permutation(found.member) for k in range(9)]
    )
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
    assert replace(found, n_tasks=100_000).repays_compiling(10)
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
def test_an_optimum_that_scores_exceed_is_refused(
    higher: bool, optimum: float, side: str
) -> None:
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
    assert select_conditions(curves, "C", "E").algorithms == ("C", "E")
    with pytest.raises(CurvesError, match=r"No condition is called 'X' \(control\)"):
        select_conditions(curves, "X", "E")
    with pytest.raises(CurvesError, match=r"'c' \(experimental\); .* did you mean 'C'"):
        select_conditions(curves, "E", "c")
    with pytest.raises(OptionError, match="are both 'C': name two"):
        select_conditions(curves, "C", "C")


def test_blocks_must_hold_both_conditions_equally_often() -> None:
    scores, labels = np.random.default_rng(0).normal(size=(6, 4)), ["C"] * 3 + ["E"] * 3
    apart = Curves(scores, labels, blocks=[0, 1, 2, 3, 4, 5])
    with pytest.raises(CurvesError, match="No block holds both"):
        select_conditions(apart, "C", "E")
    uneven = Curves(scores, labels, blocks=[0, 1, 2, 0, 1, 1])
    with pytest.raises(CurvesError, match="equally often"):
        select_conditions(uneven, "C", "E")


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
    cut = until_levelled_off(curves, TransferOptions("C", "E", until_asymptote=0.01))
    assert cut.n_steps == (first + 1 if first else 40)
    assert until_levelled_off(curves, TransferOptions("C", "E")) is curves


def test_a_wider_tolerance_levels_off_earlier() -> None:
    curves = pair([FLAT_FROM_10], [FLAT_FROM_10])
    assert levelled_off(curves, "C", 0.25) == 8
    assert levelled_off(pair([[1.0]], [[2.0]]), "C", 0.1) == 0

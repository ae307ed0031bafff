"""From counts to effects at each step: regions, leaders, clusters, step-down, windows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curvewise import Curves, locate
from tests.questions.locate.planted import with_regions
from tests.reference.clusters_mne import scores
from tests.simulation import some_curves

REFERENCE = json.loads(
    (Path(__file__).parents[2] / "reference" / "clusters_mne.json").read_text("utf-8")
)


# --- clusters --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case", REFERENCE["cases"], ids=lambda case: f"{case['sizes']} {case['threshold']}"
)
def test_clusters_are_those_of_mne(case: dict[str, Any]) -> None:
    """MNE-Python asks the same question of clusters."""
    labels = np.repeat(list("ABC")[: len(case["sizes"])], case["sizes"])
    where = locate(
        Curves(scores(case["sizes"]), labels),
        cluster_threshold=case["threshold"],
        windows=False,
        n_resamples=0,
        n_shuffles=19_999,
        rng=0,
    )
    effect = where.effects["algorithm"]
    np.testing.assert_allclose(effect.statistic, case["statistic"])
    assert len(effect.clusters) == len(case["clusters"]) > 0
    for ours, theirs in zip(effect.clusters, case["clusters"], strict=True):
        assert (ours.start, ours.stop) == (theirs["first"], theirs["last"])
        assert ours.mass == pytest.approx(theirs["mass"])
        # Theirs is sampled, ours sampled or exact: four standard errors of both.
        error = np.sqrt(2 * theirs["pvalue"] * (1 - theirs["pvalue"]) / 20_000)
        assert ours.pvalue == pytest.approx(theirs["pvalue"], abs=4 * error + 1e-4)


def test_clusters_are_the_neighbouring_steps_above_the_threshold() -> None:
    where = locate(with_regions(10, (6, 6), 20, 6.0), windows=False, cluster_threshold=9.0)
    effect = where.effects["algorithm"]
    assert effect.cluster_threshold == 9
    above = effect.statistic >= 9
    assert sum(cluster.mass for cluster in effect.clusters) == pytest.approx(
        effect.statistic[above].sum()
    )
    main = max(effect.clusters, key=lambda cluster: cluster.mass)
    assert main.start <= 60
    assert main.stop >= 90
    assert main.pvalue <= 0.05


# --- regions and leaders ---------------------------------------------------------------


@pytest.mark.parametrize("adjust", ["max-f", "step-down"])
def test_regions_are_the_stretches_of_significant_steps(adjust: Any) -> None:
    where = locate(with_regions(13, (6, 6), 24, 3.0), windows=False, adjust=adjust, n_resamples=0)
    for effect in where.effects.values():
        significant = effect.pvalue_adjusted <= 0.05
        named = np.zeros(24, dtype=bool)
        for region in effect.regions:
            inside = (where.steps >= region.start) & (where.steps <= region.stop)
            assert not (named & inside).any()
            named |= inside
            assert region.n_steps == inside.sum()
            assert region.pvalue == effect.pvalue_adjusted[inside].min()
            assert region.statistic == effect.statistic[inside].max()
            share = effect.profile[inside].sum() / effect.profile.sum()
            assert region.share == pytest.approx(share)
        np.testing.assert_array_equal(named, significant)
    assert where.regions


def test_step_down_is_never_stricter() -> None:
    curves = with_regions(13, (6, 6), 12, 2.0)
    single = locate(curves, windows=False)
    down = locate(curves, windows=False, adjust="step-down")
    assert (down.pvalue_adjusted <= single.pvalue_adjusted).all()
    np.testing.assert_array_equal(down.pvalue_adjusted, single.effects["algorithm"].pvalue_stepdown)


def test_the_leader_of_a_region_is_found_within_blocks() -> None:
    """Easier blocks must not make an algorithm look better than it is."""
    rng = np.random.default_rng(0)
    rows, labels, blocks = [], [], []
    for block in range(16):
        pair = ("A", "B") if block < 8 else ("B", "C")
        ease = 10.0 if block < 8 else 0.0
        for name in pair:
            rows.append(ease + 3 * "ABC".index(name) + 0.3 * rng.normal(size=6))
            labels.append(name)
            blocks.append(block)
    curves = Curves(rows, labels, blocks=blocks)
    where = locate(curves, windows=False, rng=0)
    assert where.regions[0].leader == "C"
    means = [curves.scores[curves.codes == code].mean() for code in range(3)]
    assert np.argmax(means) != 2


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_the_leader_is_the_best_on_average_and_throughout_if_so(higher_is_better: bool) -> None:
    scores = 0.1 * np.random.default_rng(0).normal(size=(16, 10))
    scores[:8, :6] += 2
    scores[:8, 6:] -= 2
    labels = ["A"] * 8 + ["B"] * 8
    where = locate(
        Curves(scores, labels, higher_is_better=higher_is_better), windows=False, n_resamples=0
    )
    (region,) = where.regions
    assert region.leader == ("A" if higher_is_better else "B")
    assert not region.throughout
    early = locate(Curves(scores[:, :6], labels), windows=False, n_resamples=0)
    assert [(r.leader, r.throughout) for r in early.regions] == [("A", True)]
    # The change of a difference has no leader.
    assert {r.leader for r in where.effects["interaction"].regions} == {None}


# --- without error ---------------------------------------------------------------------


def test_runs_without_spread_still_have_valid_p() -> None:
    scores = np.vstack([np.tile([1.0, 2, 3], (4, 1)), np.tile([1.0, 3, 5], (4, 1))])
    where = locate(Curves(scores, ["A"] * 4 + ["B"] * 4), exact=True)
    assert where.pvalue_adjusted.tolist() == [1.0, 1 / 35, 1 / 35]
    assert where.window(1, 2).algorithm.pvalue == pytest.approx(1 / 35)
    json.dumps(where.to_dict(), allow_nan=False)


def test_steps_without_error_have_an_infinite_f() -> None:
    curves = some_curves(0, (4, 4))
    steady = curves.scores.copy()
    steady[:, 2] = curves.codes
    where = locate(Curves(steady, curves.labels), n_resamples=0)
    assert np.isinf(where.statistic).tolist() == [False, False, True, *[False] * 3]
    assert where.effects["algorithm"].pvalue[2] == pytest.approx(1 / 35)
    assert where.effects["algorithm"].pvalue_adjusted.min() == pytest.approx(1 / 35)


# --- windows ---------------------------------------------------------------------------


def test_the_intervalwise_p_is_the_largest_of_the_windows_that_hold_a_step() -> None:
    where = locate(with_regions(6, (4, 4), 6, 1.5), exact=True)
    for step in range(0, 60, 10):
        held = [
            where.window(first, last).algorithm.pvalue
            for first in range(0, step + 1, 10)
            for last in range(step, 60, 10)
        ]
        at_step = where.effects["algorithm"].pvalue_intervalwise
        assert at_step is not None
        assert at_step[step // 10] == pytest.approx(max(held))

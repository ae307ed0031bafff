"""p and interval of every metric agree; an average gain is what `compare` finds."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvewise import Curves, compare, transfer
from curvewise.inference.asking import asked_of
from curvewise.inference.work import Work
from curvewise.kernels.metrics import METRICS
from curvewise.questions.transfer import method
from curvewise.questions.transfer.method import TwoConditions, difference_tests
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.shuffling import visit
from tests.questions.transfer.gains import SIDES, pair, rising

if TYPE_CHECKING:
    from curvewise import Transfer
    from curvewise.shuffling.visit import Plan

ALPHA = 0.05


def curves_of(
    rng: np.random.Generator, design: str, *, gain: float, ties: bool, lower: bool
) -> Curves:
    """Rising curves of C and E; "paired" and "blocks" in blocks with heights of their own."""
    sizes = {
        "balanced": (5, 5),
        "unbalanced": (4, 7),
        "paired": (7, 7),
        "blocks": (6, 6),
        "many": (11, 12),
    }[design]
    blocks = None
    if design in {"paired", "blocks"}:
        own = np.arange(sizes[0]) if design == "paired" else np.repeat(np.arange(3), 2)
        blocks = np.concatenate([own, own])
    n_runs, n_steps = sum(sizes), int(rng.integers(1, 9))
    member = np.arange(n_runs) >= sizes[0]
    scores = rng.normal(size=(n_runs, 1)) + 0.4 * rng.normal(size=(n_runs, n_steps))
    scores += np.linspace(0, 3, n_steps) + gain * member[:, None]
    if blocks is not None:
        scores += 2 * rng.normal(size=(max(blocks) + 1, 1))[blocks]
    scores = np.rint(scores) if ties else scores
    return Curves(
        -scores if lower else scores,
        ["E" if own else "C" for own in member],
        np.arange(1, n_steps + 1),
        blocks=blocks,
        higher_is_better=not lower,
    )


def check_agreement(found: Transfer) -> None:
    alpha = round(1 - found.confidence, 12)
    for metric in found.metrics.values():
        if metric.value is None or metric.pvalue is None:
            assert metric.interval is None
            continue
        if metric.name == "time_to_threshold" and metric.value == 1:
            # The medians are the same; p is of all times.
            continue
        assert metric.significant == (metric.pvalue <= alpha)
        for kind, (low, high) in metric.intervals.items():
            assert low <= metric.value <= high, (metric.name, kind)
            holds = low <= metric.no_effect <= high
            assert holds == (metric.pvalue > alpha), (metric.name, kind)
    quoted = found.metrics[found.recommended]
    text = found.describe()
    assert ("This is statistically significant" in text) == quoted.significant
    assert text.count("statistically significant") == (quoted.value is not None)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    design=st.sampled_from(["balanced", "unbalanced", "paired", "blocks", "many"]),
    gain=st.sampled_from([0.0, 0.7, 1.5, 3.0]),
    ties=st.booleans(),
    lower=st.booleans(),
    exact=st.sampled_from([None, False]),
    optimum=st.sampled_from([None, 20.0]),
    confidence=st.sampled_from([0.95, 0.9, 0.5]),
)
def test_an_interval_holds_no_effect_if_and_only_if_p_is_above_alpha(
    seed: int,
    design: str,
    gain: float,
    ties: bool,
    lower: bool,
    exact: bool | None,
    optimum: float | None,
    confidence: float,
) -> None:
    rng = np.random.default_rng(seed)
    curves = curves_of(rng, design, gain=gain, ties=ties, lower=lower)
    found = transfer(
        curves,
        **SIDES,
        optimum=optimum if optimum is None or not lower else -optimum,
        n_resamples=99,
        n_shuffles=199,
        exact=exact,
        confidence=confidence,
        rng=seed % 1000,
    )
    check_agreement(found)


@pytest.mark.parametrize("design", ["balanced", "unbalanced", "paired", "blocks", "many"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_an_average_gain_is_what_compare_finds(design: str, lower: bool, ties: bool) -> None:
    rng = np.random.default_rng(len(design))
    curves = curves_of(rng, design, gain=0.8, ties=ties, lower=lower)
    compared = compare(curves.select("E", "C"), n_shuffles=499, rng=0)
    gain = transfer(curves, **SIDES, n_resamples=0, n_shuffles=499, rng=0).average_gain
    difference = compared.difference
    assert difference is not None
    assert gain.value == pytest.approx(difference.value, abs=1e-12)
    assert gain.pvalue == compared.algorithm.pvalue
    assert gain.exact == compared.algorithm.exact
    if compared.exact:
        # Equal but for the order in which runs are added up.
        assert gain.interval == pytest.approx(difference.interval, rel=1e-12)
    assert compare(curves.select("C", "E"), rng=0).algorithm.pvalue == gain.pvalue


def test_the_order_of_runs_changes_no_digit() -> None:
    curves = curves_of(np.random.default_rng(4), "many", gain=0.8, ties=False, lower=False)
    order = np.random.default_rng(5).permutation(curves.n_runs)
    other = Curves(curves.scores[order], np.array(curves.labels)[order], curves.steps)
    one, two = (
        transfer(own, **SIDES, n_resamples=99, n_shuffles=99, exact=False, rng=0)
        for own in (curves, other)
    )
    assert one.to_dict() == two.to_dict()


def test_five_metrics_share_the_test_of_the_areas() -> None:
    found = transfer(rising(1, 5), **SIDES, optimum=20, n_resamples=0)
    shared = {name for name in METRICS if RECORDS[name].tested_as == "average_gain"}
    assert len(shared) == 5
    assert len({found.metrics[name].pvalue for name in shared}) == 1
    gain, area = found.average_gain.interval, found.area_difference.interval
    assert gain is not None
    assert area is not None
    assert area == pytest.approx([end * 12 for end in gain])


def test_the_ratio_of_scaled_curves_scales_with_them() -> None:
    """Ratios are tested by multiplying runs, so that another unit of one condition shows."""
    curves = rising(2, 5, gain=0.0)
    control = 5 + curves.scores[curves.labels == "C"]
    experimental = 5 + curves.scores[curves.labels == "E"]
    one = transfer(pair(control, experimental), **SIDES).transfer_ratio.interval
    double = transfer(pair(control, 2 * experimental), **SIDES).transfer_ratio.interval
    assert one is not None
    assert double == pytest.approx([2 * end for end in one])


def laid_out(curves: Curves, **options: Any) -> TwoConditions:
    return TwoConditions(curves, asked_of(transfer, control="C", experimental="E", **options))


def planned(conditions: TwoConditions, work: Work, *, exact: bool) -> Plan:
    return replace(work, exact=exact).plan(conditions.restriction, levels=(ALPHA,))


def test_an_interval_of_few_kept_shuffles_obeys_the_p_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """p may be of more relabellings than are kept; then those kept take another level."""
    monkeypatch.setattr(visit, "MAX_KEPT_BATCHES", 1)
    n_moved = 0
    for seed in range(40):
        conditions = laid_out(rising(seed, 8, gain=1.0))
        work = Work(8_192, False, 1, (seed,), seed=None, checkpoint=None)
        tests, ends = difference_tests(
            conditions, planned(conditions, work, exact=False), work, alpha=ALPHA
        )
        low, high = ends["average_gain"]
        rejected = tests["average_gain"][0] <= ALPHA
        n_moved += rejected and math.isfinite(low)
        if rejected:
            assert not low <= 0 <= high
    assert n_moved > 5


def test_a_sampled_p_of_areas_is_exact_where_that_takes_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conditions = laid_out(rising(3, 6, gain=0.8))
    work = Work(99, None, 1, (1,), seed=None, checkpoint=None)
    every, _ = difference_tests(
        conditions, planned(conditions, work, exact=True), work, alpha=ALPHA
    )
    sample = planned(conditions, work, exact=False)
    sampled, _ = difference_tests(conditions, sample, work, alpha=ALPHA)
    assert sampled["average_gain"] == every["average_gain"]
    assert {name: exact for name, (_, exact) in sampled.items()} == {
        "average_gain": True,
        "jumpstart": False,
        "asymptotic_advantage": False,
        "log_rank": False,
    }
    monkeypatch.setattr(method, "MAX_SUBSET_RUNS", 11)
    tests, _ = difference_tests(conditions, sample, work, alpha=ALPHA)
    assert not tests["average_gain"][1]

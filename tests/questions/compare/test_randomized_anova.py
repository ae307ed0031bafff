"""The randomized ANOVA: what is counted and kept, engines, limits, and effects."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, OptionError, compare, compare_pairs, overview
from curvewise.kernels import compiling
from curvewise.kernels.relabel import BATCH
from curvewise.questions.compare import method
from curvewise.questions.compare.method import (
    Overall,
    anova_effects,
    combined_design,
    exact_height,
    label_blind_scales,
    least_to_count,
)
from curvewise.shuffling import visit as planning
from curvewise.shuffling.visit import Plan, visit
from tests.kernels.anova.test_thresholds import exact_counts
from tests.questions.compare.five_effects import five_effects
from tests.shuffling.statistics import statistic_of
from tests.simulation import NULLS, autoregressive, some_curves
from tests.textbook import all_relabellings, f_ratios, sums_of_squares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.shuffling.visit import Layout

CURVES = some_curves(0, (4, 5))


def anova_of(curves: Curves) -> tuple[Overall, Layout]:
    statistic, layout = statistic_of("randomized ANOVA", curves)
    assert isinstance(statistic, Overall)
    return statistic, layout


# --- what is counted and kept ----------------------------------------------------------


@pytest.mark.parametrize("sizes", [(4, 5), (3, 3, 2)])
def test_sums_of_squares_of_each_relabelling_are_kept(sizes: Sequence[int]) -> None:
    statistic, layout = anova_of(some_curves(1, sizes))
    labels = np.array(list(all_relabellings(sizes)))[:60]
    (counts,), kept = statistic.measure(labels, keep=True)
    textbook = [sums_of_squares(layout.scores, at) for at in labels]
    np.testing.assert_allclose(
        kept[0],
        [[ss[name] for ss in textbook] for name in ("algorithm", "interaction")],
        atol=1e-12,
    )
    observed = f_ratios(layout.scores, layout.labels)
    null = [f_ratios(layout.scores, at) for at in labels]
    expected = [
        sum(ratios[name] >= observed[name] * (1 - 1e-9) for ratios in null) for name in observed
    ]
    np.testing.assert_array_equal(counts, expected)
    # Of two algorithms also the sums over the first: of heights, and of memberships.
    assert len(kept) == (2 if len(sizes) == 2 else 1)
    if len(sizes) == 2:
        heights = layout.scores.mean(axis=1)
        centred = heights - heights.mean()
        np.testing.assert_allclose(
            kept[1][0], [centred[at == 0].sum() for at in labels], atol=1e-12
        )


def test_nothing_is_kept_where_nothing_is_asked_for() -> None:
    statistic, layout = anova_of(CURVES)
    (counts,), kept = statistic.measure(layout.labels[None, :], keep=False)
    assert kept == ()
    assert counts.tolist() == [1] * 5


@pytest.mark.parametrize(
    ("n_runs", "n_batches"), [(4, 128), (20, 128), (40, 64), (640, 4), (10_000, 4)]
)
def test_with_many_runs_fewer_values_are_kept(n_runs: int, n_batches: int) -> None:
    statistic, _ = anova_of(some_curves(0, (2, n_runs - 2)))
    assert statistic.n_kept == n_batches


# --- engines and limits ----------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    ("sizes", "n_blocks"),
    [
        ((10, 10), 1),
        ((4, 9), 1),
        ((7, 6, 5), 1),
        ((6, 6, 6), 3),
        ((5, 7, 6), 3),
        ((3,) * 8, 1),
        ((3,) * 4 + (4,) * 4, 1),
    ],
)
def test_compiled_code_counts_as_numpy_does(
    sizes: tuple[int, ...], n_blocks: int, ties: bool
) -> None:
    """F alone, and with the combined statistic, by the same labels."""
    blocks = np.concatenate([np.arange(size) % n_blocks for size in sizes])
    curves = some_curves(3, sizes, n_steps=9, blocks=blocks.tolist())
    if ties:
        curves = Curves(np.round(curves.scores), curves.labels, blocks=blocks)
    statistic, layout = anova_of(curves)
    combined = combined_design(statistic.design, layout)
    scales = label_blind_scales(combined, layout)
    for labels in (layout.labels, *(layout.restriction.drawn(2, 5).batch(0))):
        least = least_to_count(combined, scales, labels)
        for each in (statistic, Overall(statistic.design, (), combined, scales, least)):
            for number in range(4):
                batch = layout.restriction.drawn(10**6, seed=2).batch(number)
                expected = each.measure(batch, keep=False)[0][0]
                found = replace(each, compiled=True).measure(batch, keep=False)[0][0]
                np.testing.assert_array_equal(found, expected)


@pytest.mark.compiled
def test_compiled_code_counts_work_that_repays_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "compiler_is_loaded", lambda: False)
    for curves in (some_curves(0, (9, 9)), some_curves(0, (30,) * 8, n_steps=50)):
        statistic, _ = anova_of(curves)
        assert statistic.compiled_for(1) is None
        compiled = statistic.compiled_for(10**4)
        assert compiled is not None
        assert compiled.compiled


def test_beyond_a_billion_relabellings_are_not_enumerated() -> None:
    with pytest.raises(OptionError, match=r"There are 1,166,803,110 relabellings, more than"):
        compare(some_curves(0, (17, 17)), exact=True)


@pytest.mark.compiled
def test_large_enumerations_keep_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = some_curves(0, (7, 7))
    whole = compare(curves)
    assert whole.engine == "NumPy enumeration"
    monkeypatch.setattr(planning, "MAX_FREE", 1_000)
    monkeypatch.setattr(method, "compiling_repays", lambda *_: True)
    found = compare(curves, exact=True)
    assert found.exact
    assert found.engine == "compiled enumeration"
    assert len(found.algorithm.null_distribution) == 128 * BATCH
    for name, effect in five_effects(whole).items():
        assert five_effects(found)[name].pvalue == effect.pvalue, name
    critical = found.algorithm.critical_value
    assert critical == pytest.approx(whole.algorithm.critical_value, rel=0.05)


@pytest.mark.compiled
@pytest.mark.parametrize("n_shuffles", [3 * 10**6, pytest.param(10**8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["random walk", "integer-tied"])
def test_many_million_shuffles_come_near_the_exact_p(kind: str, n_shuffles: int) -> None:
    curves = Curves(NULLS[kind](np.random.default_rng(4), 20, 8), ["A"] * 10 + ["B"] * 10)
    exact = five_effects(compare(curves))
    found = compare(curves, exact=False, n_shuffles=n_shuffles, rng=3, n_jobs=2)
    assert found.engine == "compiled shuffles"
    for name, effect in five_effects(found).items():
        true = exact[name].pvalue
        error = math.sqrt(true * (1 - true) / n_shuffles)
        assert abs(effect.pvalue - true) <= 4.5 * error + 1 / n_shuffles, name


# --- effects ---------------------------------------------------------------------------


def test_two_algorithms_have_an_exact_height_beyond_enumeration() -> None:
    curves = some_curves(0, (15, 15))
    found = compare(curves, rng=0)
    assert not found.exact
    assert found.algorithm.exact
    assert found.algorithm.n_shuffles == found.n_relabellings == math.comb(30, 15) // 2
    assert not found.overall.exact
    sampled = compare(curves, rng=0, exact=False).algorithm
    assert not sampled.exact
    error = math.sqrt(found.algorithm.pvalue * (1 - found.algorithm.pvalue) / 9_999)
    assert abs(sampled.pvalue - found.algorithm.pvalue) < 5 * error


@pytest.mark.parametrize("sizes", [(6, 6), (5, 7)])
def test_the_exact_height_is_that_of_visiting_every_relabelling(sizes: tuple[int, int]) -> None:
    """Asked for by name, for a design that would be enumerated anyway."""
    statistic, layout = anova_of(some_curves(3, sizes))
    plan = Plan.of(layout.restriction, n_shuffles=99, exact=False, key=0)
    found = visit(plan, statistic)
    counted = anova_effects(
        statistic.design, found, layout, alpha=0.05, height_counter=exact_height
    )["split"]["algorithm"]
    expected = compare(some_curves(3, sizes)).algorithm
    assert (counted.n_extreme, counted.n_shuffles) == (expected.n_extreme, expected.n_shuffles)
    sampled = anova_effects(statistic.design, found, layout, alpha=0.05, height_counter=None)[
        "split"
    ]["algorithm"]
    assert sampled.n_shuffles == 99


def test_three_algorithms_blocks_and_many_runs_have_no_exact_height() -> None:
    options = {"n_shuffles": 99, "rng": 0}
    for curves in (
        some_curves(0, (9, 9, 9)),
        some_curves(0, (23, 22)),
        some_curves(0, (20, 20), blocks=[*range(20)] * 2),
    ):
        assert not compare(curves, **options).algorithm.exact  # type: ignore[arg-type]
    assert compare(some_curves(0, (22, 22)), **options).algorithm.exact  # type: ignore[arg-type]


def test_critical_value_and_p_agree() -> None:
    for seed in range(30):
        effect = compare(some_curves(seed, (5, 5))).algorithm
        if effect.statistic > effect.critical_value * (1 + 1e-9):
            assert effect.pvalue <= 0.05
        if effect.pvalue <= 0.05:
            assert effect.statistic >= effect.critical_value * (1 - 1e-9)


@pytest.mark.parametrize("kind", ["AR(1)", "integer-tied"])
def test_p_is_the_share_of_the_null_distribution(kind: str) -> None:
    """Ties, which rounding would tear apart, look like ties in the null distribution."""
    scores = NULLS[kind](np.random.default_rng(5), 10, 6)
    for effect in five_effects(compare(Curves(scores, list("AAAAABBBBB")))).values():
        assert np.mean(effect.null_distribution >= effect.statistic) == effect.pvalue


# --- ties ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("offset", "dtype"), [("0", "f8"), ("100000", "f8"), ("-7000000", "f8"), ("0", "f4")]
)
def test_p_counts_ties_and_nothing_else(seed: int, offset: str, dtype: str) -> None:
    tenths = np.random.default_rng(seed).integers(0, 4, size=(7, 3))
    scores = [
        [f"{float(Fraction(offset) + Fraction(int(t), 10)):.1f}" for t in row] for row in tenths
    ]
    found = compare(Curves(np.array(scores, dtype=float).astype(dtype), list("AAABBBB")))
    ours = [
        found.effects["pooled"]["overall"].pvalue,
        found.algorithm.pvalue,
        found.effects["split"]["interaction"].pvalue,
        found.effects["pooled"]["algorithm"].pvalue,
        found.effects["pooled"]["interaction"].pvalue,
    ]
    counts, n_relabellings = exact_counts(scores, (3, 4))
    assert ours == pytest.approx([count / n_relabellings for count in counts])


def test_the_observed_labelling_counts_itself_under_a_huge_effect() -> None:
    scores = [[5, 0], [3, 4], [2, 1], [9, 9], [5, 8], [4, 9]]
    scores += [[3000, 3006], [3000, 3005], [3008, 3008]]
    found = compare(Curves(scores, list("AAABBBCCC")), error="pooled")
    assert found.interaction is not None
    assert found.interaction.n_extreme == 1
    assert found.interaction.pvalue == 1 / 280


def test_little_error_is_not_no_error() -> None:
    noise = 1e-6 * np.random.default_rng(0).normal(size=(10, 4))
    scores = noise + np.repeat([0, 1], 5)[:, None]
    found = compare(Curves(scores, list("AAAAABBBBB")))
    row, error = found.table["algorithm"], found.table["curves"]
    assert row.ms is not None
    assert error.ms is not None
    assert found.algorithm.statistic == pytest.approx(row.ms / error.ms)
    assert 1e11 < found.algorithm.statistic < 1e14
    assert found.warnings == ()


def test_parallel_decimals_have_no_shape() -> None:
    shape = np.array([0.1, 0.4, 0.6, 0.7, 0.8])
    heights = np.array([0.01, 0.02, 0.03, 0.02, 0.01, 0.11, 0.12, 0.13, 0.12, 0.11])
    for offset in (0, 1e4, 1e7):
        scores = np.round(offset + shape + heights[:, None], 2)
        found = compare(Curves(scores, list("AAAAABBBBB")))
        assert found.interaction is not None
        assert found.interaction.statistic == 0
        assert found.interaction.pvalue == 1


@pytest.mark.compiled
@pytest.mark.parametrize("n_trials", [80, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("sizes", [[7, 7], [4, 5, 6]])
def test_compiled_shuffles_raise_no_more_false_alarms(
    sizes: list[int], n_trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(method, "compiling_repays", lambda *_: True)
    monkeypatch.setattr(Overall, "n_kept", 1)
    counts = dict.fromkeys(("overall", "algorithm", "interaction"), 0)
    for stream in np.random.default_rng(9).spawn(n_trials):
        scores = autoregressive(stream, sum(sizes), 12)
        curves = Curves(scores, np.repeat(list("ABC")[: len(sizes)], sizes))
        found = compare(curves, exact=False, n_shuffles=4_095, rng=stream)
        assert found.engine == "compiled shuffles"
        for name, effect in found.effects["split"].items():
            counts[name] += effect.significant
    # What a rate of .05 leaves with a chance of one in ten thousand, in six counts.
    low = stats.binom.ppf(1e-4 / 6, n_trials, 0.05)
    high = stats.binom.isf(1e-4 / 6, n_trials, 0.05)
    for count in counts.values():
        assert low <= count <= high


@pytest.mark.parametrize("sizes", [[600, 600], [400, 400, 400], [515, 518]])
def test_more_relabellings_than_a_double_can_hold_are_sampled(sizes: list[int]) -> None:
    rng = np.random.default_rng(1)
    labels = np.repeat(list("ABC")[: len(sizes)], sizes)
    curves = Curves(rng.normal(size=(sum(sizes), 2)), labels)
    for ask in (compare, compare_pairs, overview):
        found = ask(curves, n_shuffles=99, rng=1)
        assert json.dumps(found.to_dict())
    with pytest.raises(OptionError, match=r"more than 10\^\d{3} relabellings"):
        compare(curves, exact=True)

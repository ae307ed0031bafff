from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from curvewise import Curves, CurvesError, OptionError, compare
from curvewise.kernels.anova.design import Design
from curvewise.kernels.relabelling.enumeration import Enumeration
from curvewise.kernels.relabelling.shuffles import Shuffles
from curvewise.kernels.relabelling.streams import BATCH
from curvewise.shuffling import visiting as shuffling
from curvewise.shuffling.visiting import visit
from tests.simulation import NULLS, autoregressive, integer_tied, some_curves
from tests.textbook import exact_pvalues, f_ratios

if TYPE_CHECKING:
    from curvewise import Comparison

seeds = st.integers(0, 10_000)


def five_effects(found: Comparison) -> dict[str, Any]:
    """The effects under both error terms, by the names of tests/textbook.py."""
    split, pooled = found.effects["split"], found.effects["pooled"]
    return {
        "overall": split["overall"],
        "algorithm split": split["algorithm"],
        "interaction split": split["interaction"],
        "algorithm pooled": pooled["algorithm"],
        "interaction pooled": pooled["interaction"],
    }


@pytest.mark.parametrize(
    "sizes",
    [(4, 4), (3, 5), (2, 7), (1, 6), (3, 3, 2), (2, 2, 3), (2, 2, 2, 2), (1, 2, 3, 1)],
)
@pytest.mark.parametrize("kind", ["AR(1)", "integer-tied"])
def test_exact_p_is_that_of_visiting_every_relabelling(
    sizes: tuple[int, ...], kind: str
) -> None:
    scores = NULLS[kind](np.random.default_rng(5), sum(sizes), 6)
    found = compare(Curves(scores, np.repeat(list("ABCD")[: len(sizes)], sizes)))
    expected = exact_pvalues(scores, sizes)
    observed = f_ratios(scores, np.repeat(np.arange(len(sizes)), sizes))
    assert found.exact
    for name, effect in five_effects(found).items():
        assert effect.pvalue == pytest.approx(expected[name], rel=1e-12), name
        assert effect.statistic == pytest.approx(observed[name], rel=1e-9), name


def test_exact_p_with_blocks_is_that_of_visiting_every_relabelling() -> None:
    rng = np.random.default_rng(0)
    n_blocks, n_steps = 5, 4
    heights = rng.normal(0, 10, n_blocks)
    scores = np.vstack([autoregressive(rng, n_blocks, n_steps) + heights[:, None]] * 2)
    scores[n_blocks:] = autoregressive(rng, n_blocks, n_steps) + heights[:, None] + 0.4
    blocks = [*range(n_blocks)] * 2
    found = compare(Curves(scores, ["A"] * n_blocks + ["B"] * n_blocks, blocks=blocks))
    # Two paired algorithms: every relabelling turns the signs of some differences.
    differences = (scores[:n_blocks] - scores[n_blocks:]).mean(axis=1)
    signs = np.array(np.meshgrid(*[[-1, 1]] * n_blocks)).reshape(n_blocks, -1)
    shuffled = np.abs(differences @ signs)
    expected = np.mean(shuffled >= abs(differences.sum()) * (1 - 1e-12))
    assert found.n_relabellings == 2 ** (n_blocks - 1)
    assert found.algorithm.pvalue == pytest.approx(expected)
    # And its F is the square of the paired t.
    t = stats.ttest_1samp(differences, 0).statistic
    assert found.algorithm.statistic == pytest.approx(t**2)
    assert found.algorithm.df == (1, n_blocks - 1)


def test_algorithm_effect_is_the_one_way_anova_of_run_means() -> None:
    curves = some_curves(3, (5, 4, 6))
    means = [
        curves.scores[curves.labels == name].mean(axis=1) for name in curves.algorithms
    ]
    expected = stats.f_oneway(*means)
    found = compare(curves, exact=False, n_shuffles=99, rng=0).algorithm
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.pvalue_parametric == pytest.approx(expected.pvalue)
    assert found.df == (2, 12)


@pytest.mark.parametrize("kind", list(NULLS))
def test_sampled_p_lies_in_its_interval_around_the_exact_one(kind: str) -> None:
    scores = NULLS[kind](np.random.default_rng(8), 10, 6)
    curves = Curves(scores, list("AAAAABBBBB"))
    exact = five_effects(compare(curves))
    sampled = five_effects(compare(curves, exact=False, n_shuffles=40_000, rng=1))
    for name, effect in sampled.items():
        # Five tests on four data sets at 1e-5 each: a miss means a bug.
        error = math.sqrt(exact[name].pvalue * (1 - exact[name].pvalue) / 40_000)
        assert abs(effect.pvalue - exact[name].pvalue) <= 4.5 * error + 1 / 40_000, name
        low, high = effect.pvalue_interval
        assert low <= effect.pvalue <= high


@pytest.mark.parametrize("kind", ["random walk", "integer-tied"])
def test_a_hundred_million_shuffles_come_near_the_exact_p(kind: str) -> None:
    curves = Curves(NULLS[kind](np.random.default_rng(4), 20, 8), ["A"] * 10 + ["B"] * 10)
    exact = five_effects(compare(curves))
    sampled = five_effects(
        compare(curves, exact=False, n_shuffles=10**8, rng=3, n_jobs=2)
    )
    for name, effect in sampled.items():
        error = math.sqrt(exact[name].pvalue * (1 - exact[name].pvalue) / 10**8)
        assert abs(effect.pvalue - exact[name].pvalue) <= 4.5 * error + 1e-8, name


# --- invariances ---------------------------------------------------------------------


@given(seed=seeds, scale=st.floats(1e-120, 1e120), shift=st.floats(-1e3, 1e3))
@settings(max_examples=30, deadline=None)
def test_scale_and_shift_change_nothing(seed: int, scale: float, shift: float) -> None:
    curves = some_curves(seed)
    moved = Curves((curves.scores + shift) * scale, curves.labels)
    assert_same_effects(compare(curves), compare(moved), rel=1e-6)


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_names_and_order_of_runs_change_nothing(seed: int) -> None:
    curves = some_curves(seed, (5, 6, 5))
    order = np.random.default_rng(seed).permutation(curves.n_runs)
    renamed = np.array([{"A": "z", "B": "a", "C": "b"}[name] for name in curves.labels])
    moved = Curves(curves.scores[order], renamed[order])
    # Sampled, and yet equal: the shuffles do not know in which order the runs came.
    options: dict[str, Any] = {"exact": False, "n_shuffles": 500}
    assert_same_effects(
        compare(curves, rng=1, **options), compare(moved, rng=1, **options)
    )


def assert_same_effects(one: Comparison, other: Comparison, rel: float = 1e-9) -> None:
    for name, effect in five_effects(one).items():
        same = five_effects(other)[name]
        assert same.statistic == pytest.approx(effect.statistic, rel=rel), name
        assert same.pvalue == effect.pvalue, name


@given(seed=seeds, offsets=st.lists(st.floats(-1e3, 1e3), min_size=9, max_size=9))
@settings(max_examples=30, deadline=None)
def test_shape_ignores_the_height_of_each_curve(seed: int, offsets: list[float]) -> None:
    curves = some_curves(seed, (5, 4))
    lifted = Curves(curves.scores + np.array(offsets)[:, None], curves.labels)
    before, after = compare(curves).interaction, compare(lifted).interaction
    assert before is not None
    assert after is not None
    assert after.statistic == pytest.approx(before.statistic, rel=1e-6)
    assert after.pvalue == before.pvalue


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_height_ignores_the_order_of_steps(seed: int) -> None:
    curves = some_curves(seed, (5, 4))
    columns = np.random.default_rng(seed).permutation(curves.n_steps)
    mixed = compare(Curves(curves.scores[:, columns], curves.labels)).algorithm
    before = compare(curves).algorithm
    assert mixed.statistic == pytest.approx(before.statistic)
    assert mixed.pvalue == before.pvalue


def test_block_means_do_not_matter_inside_blocks() -> None:
    curves = some_curves(4, (4, 4), blocks=[0, 1, 2, 3] * 2)
    lifts = np.outer(np.tile([0, 50, -20, 7], 2), np.arange(6))
    assert curves.blocks is not None
    lifted = Curves(curves.scores + lifts, curves.labels, blocks=curves.blocks)
    assert_same_effects(compare(curves), compare(lifted), rel=1e-6)


# --- the same digits -----------------------------------------------------------------


def test_the_same_rng_repeats_and_another_differs() -> None:
    curves = some_curves(0, (12, 12))

    def null(rng: Any) -> Any:
        found = compare(curves, exact=False, n_shuffles=999, rng=rng)
        return found.algorithm.null_distribution

    np.testing.assert_array_equal(null(7), null(np.random.default_rng(7)))
    assert not np.array_equal(null(7), null(8))
    assert not np.array_equal(null(None), null(None))
    generator = np.random.default_rng(7)
    assert not np.array_equal(null(generator), null(generator))
    for seed in (np.random.SeedSequence(3), [1, 2], np.random.PCG64(4)):
        assert len(null(seed)) == 999


@pytest.mark.parametrize("exact", [True, False])
def test_chunks_and_jobs_change_no_digit(exact: bool) -> None:
    curves = some_curves(0, (8, 8))
    labels, blocks = curves.codes, np.zeros(16, dtype=np.int64)
    design = Design.from_scores(curves.scores, labels, blocks)
    relabellings = (
        Enumeration(labels, blocks)
        if exact
        else Shuffles(labels, blocks, 5 * BATCH + 7, 3)
    )
    expected = visit(relabellings, design)
    for chunk, n_jobs in ((1, 1), (2, 2), (1000, 1), (1, -1)):
        found = visit(relabellings, design, chunk=chunk, n_jobs=n_jobs)
        np.testing.assert_array_equal(found.n_extreme, expected.n_extreme)
        np.testing.assert_array_equal(found.between, expected.between)
        np.testing.assert_array_equal(found.contrast, expected.contrast)


def test_processes_give_the_same_digits_as_threads() -> None:
    curves = some_curves(0, (9, 9, 9))
    options: dict[str, Any] = {"n_shuffles": 80 * BATCH, "rng": 5}
    serial = compare(curves, **options)
    with joblib.parallel_config(backend="loky"):
        spread = compare(curves, n_jobs=2, **options)
    assert serial.to_dict() == spread.to_dict()


# --- what is decided and reported ----------------------------------------------------


def test_exact_or_sampled_is_decided_and_reported() -> None:
    small, large = some_curves(0, (4, 4)), some_curves(0, (10, 10, 10))
    assert compare(small).exact
    assert compare(small).n_relabellings == compare(small).n_shuffles == 35
    assert compare(small).smallest_pvalue == 1 / 35
    assert compare(small).seed is None
    sampled = compare(large, n_shuffles=99, rng=0)
    assert not sampled.exact
    assert sampled.n_shuffles == 99
    assert sampled.smallest_pvalue == 1 / 100
    assert not compare(small, exact=False, rng=0).exact
    with pytest.raises(
        OptionError, match="925,166,131,890 relabellings, more than can be"
    ):
        compare(large, exact=True)


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


def test_large_enumerations_keep_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = some_curves(0, (7, 7))
    whole = compare(curves)
    for cheap in (1_000, 10):
        monkeypatch.setattr(shuffling, "CHEAP", cheap)
        found = compare(curves, exact=True)
        assert found.exact
        assert found.engine == "compiled enumeration"
        assert len(found.algorithm.null_distribution) == 128 * BATCH
        for name, effect in five_effects(whole).items():
            assert five_effects(found)[name].pvalue == effect.pvalue, name
        critical = found.algorithm.critical_value
        assert critical == pytest.approx(whole.algorithm.critical_value, rel=0.05)


def test_critical_value_and_p_agree() -> None:
    for seed in range(30):
        effect = compare(some_curves(seed, (5, 5))).algorithm
        if effect.statistic > effect.critical_value * (1 + 1e-9):
            assert effect.pvalue <= 0.05
        if effect.pvalue <= 0.05:
            assert effect.statistic >= effect.critical_value * (1 - 1e-9)


def test_three_runs_each_cannot_be_significant() -> None:
    found = compare(some_curves(0, (3, 3)))
    assert found.smallest_pvalue == pytest.approx(0.1)
    (warning,) = found.warnings
    assert warning == (
        "With 3 + 3 runs the smallest p possible is 0.100, which is above alpha = 0.05: no "
        "data could be significant. More runs are needed: 4 of each algorithm would do."
    )
    assert found.difference is not None
    assert found.difference.interval == (-math.inf, math.inf)


def test_sampling_does_not_hide_that_runs_are_too_few() -> None:
    found = compare(some_curves(0, (3, 3)), exact=False, rng=0)
    assert found.smallest_pvalue == pytest.approx(0.1)
    assert "With 3 + 3 runs the smallest p possible is 0.100" in found.warnings[0]


def test_too_few_shuffles_are_warned_of() -> None:
    found = compare(some_curves(0, (6, 6)), exact=False, n_shuffles=10, rng=0)
    assert "Use at least 19." in found.warnings[0]


def test_pooled_error_lets_height_pass_for_shape_and_says_so() -> None:
    rng = np.random.default_rng(0)
    scores = autoregressive(rng, 10, 20)
    scores[5:] += 4  # parallel: no difference in shape
    curves = Curves(scores, list("AAAAABBBBB"))
    pooled = compare(curves, error="pooled")
    assert pooled.interaction is not None
    assert pooled.interaction.significant
    assert any(
        "difference in height can pass for one in shape" in w for w in pooled.warnings
    )
    split = compare(curves)
    assert split.interaction is not None
    assert not split.interaction.significant
    assert split.warnings == ()
    assert split.effects["pooled"]["interaction"].pvalue == pooled.interaction.pvalue


def test_a_single_run_is_used_and_warned_of() -> None:
    found = compare(some_curves(0, (1, 6)))
    assert found.n_relabellings == 7
    assert any("A has a single run" in warning for warning in found.warnings)


def test_a_single_step_still_answers_the_height() -> None:
    curves = some_curves(0, (5, 5), 1)
    found = compare(curves)
    assert found.interaction is None
    expected = stats.f_oneway(curves.scores[:5, 0], curves.scores[5:, 0])
    assert found.algorithm.statistic == pytest.approx(expected.statistic)
    assert found.table["interaction"].df == 0
    assert any("single step" in warning for warning in found.warnings)


def test_no_error_at_all_gives_infinite_f_and_a_valid_p() -> None:
    curve = np.arange(4.0)
    found = compare(Curves([curve] * 4 + [curve + 1] * 4, list("AAAABBBB")))
    assert found.algorithm.statistic == math.inf
    assert found.algorithm.pvalue == 1 / 35
    assert found.algorithm.effect_size == 1
    assert found.interaction is not None
    assert found.interaction.statistic == 0
    assert found.interaction.pvalue == 1
    assert any("F is infinite" in warning for warning in found.warnings)


def test_equal_heights_give_p_one() -> None:
    """The report's Table 4: a curve set, and the same with a zero-sum vector added."""
    scores = integer_tied(np.random.default_rng(0), 5, 8) / 10
    vector = np.array([-7, -5, -3, -1, 1, 3, 5, 7]) / 10
    found = compare(Curves(np.vstack([scores, scores + vector]), list("AAAAABBBBB")))
    assert found.table["algorithm"].ss == pytest.approx(0, abs=1e-20)
    assert found.algorithm.pvalue == 1
    assert found.effects["pooled"]["algorithm"].pvalue == 1


# --- effect sizes --------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_interval_leaves_zero_out_just_when_height_is_significant(seed: int) -> None:
    curves = some_curves(seed, (6, 5))
    curves = Curves(curves.scores + 0.9 * (curves.codes == 0)[:, None], curves.labels)
    found = compare(curves)
    assert found.difference is not None
    low, high = found.difference.interval
    assert (low > 0 or high < 0) == found.algorithm.significant


def test_effect_sizes_by_hand() -> None:
    scores = np.array(
        [[1.0, 3.0], [3.0, 5.0], [5.0, 7.0], [0.0, 2.0], [2.0, 2.0], [0.0, 6.0]]
    )
    found = compare(Curves(scores, list("AAABBB"))).difference
    assert found is not None
    # Curve means 2, 4, 6 and 1, 2, 3.
    assert (found.a, found.b, found.value) == ("A", "B", 2.0)
    pooled_sd = math.sqrt((8 + 2) / 4)
    correction = math.gamma(2) / (math.sqrt(2) * math.gamma(1.5))
    assert found.hedges_g == pytest.approx(correction * 2 / pooled_sd)
    # Of nine pairs A wins 7 (2>1, 4>1,2,3, 6>1,2,3), ties one, loses one.
    assert found.probability_of_superiority == pytest.approx((7 + 0.5) / 9)
    lower = compare(Curves(scores, list("AAABBB"), higher_is_better=False)).difference
    assert lower is not None
    assert lower.probability_of_superiority == pytest.approx(1 - 7.5 / 9)


def test_partial_omega_squared_is_that_of_its_definition() -> None:
    found = compare(some_curves(2, (6, 6)))
    row, error = found.table["algorithm"], found.table["curves"]
    assert row.ms is not None
    assert error.ms is not None
    expected = (row.ss - row.df * error.ms) / (row.ss + (12 - row.df) * error.ms)
    assert found.algorithm.effect_size == pytest.approx(expected)


def test_more_than_two_algorithms_have_no_single_difference() -> None:
    assert compare(some_curves(0, (3, 3, 3)), n_shuffles=99, rng=0).difference is None


# --- what is refused -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"error": "splt"}, "'splt'; there are 'split', 'pooled'; did you mean 'split'"),
        ({"alpha": 0}, "alpha must lie between 0 and 1, such as 0.05; it is 0"),
        ({"alpha": 1.5}, "it is 1.5"),
        ({"alpha": float("nan")}, "it is nan"),
        ({"alpha": "0.05"}, "it is '0.05'"),
        ({"n_shuffles": 0}, "n_shuffles must be a whole number, 1 or more, .* it is 0"),
        ({"n_shuffles": -5}, "it is -5"),
        ({"n_shuffles": 10.5}, "it is 10.5"),
        ({"n_shuffles": float("inf")}, "it is inf"),
        ({"n_jobs": 0}, "n_jobs must be a whole number"),
        ({"n_jobs": -5}, "it is -5"),
        ({"rng": -1, "exact": False}, "rng must be a whole number from 0 on"),
        ({"rng": "seed", "exact": False}, "it is 'seed'"),
    ],
)
def test_meaningless_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        compare(some_curves(0), **options)


def test_only_curves_are_compared() -> None:
    with pytest.raises(
        OptionError, match=r"takes Curves, not a ndarray: build them with"
    ):
        compare(np.zeros((4, 3)))  # type: ignore[arg-type]


def test_numpy_numbers_serve_as_options_and_come_out_json_ready() -> None:
    found = compare(some_curves(0), alpha=np.float32(0.05), n_shuffles=np.int64(99))  # type: ignore[arg-type]
    assert json.dumps(found.to_dict())


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        (some_curves(0, (5,)), "at least two algorithms, and there is only 'A'"),
        (
            some_curves(0, (1, 1, 1)),
            "Every algorithm has a single run.*mean scores are 'A'",
        ),
        (Curves(np.full((4, 3), 7.25), list("AABB")), "All 12 scores are 7.25"),
        (Curves([[1, 2, 3]] * 4, list("AABB")), "All runs have the same curve"),
        (
            some_curves(0, (3, 3), blocks=[1, 1, 1, 2, 2, 2]),
            "No block holds both one of 'A' and one of 'B'",
        ),
        (
            some_curves(0, (2, 2, 2, 2), blocks=[1, 2, 1, 2, 3, 4, 3, 4]),
            "one of 'A', 'B' and one of 'C', 'D'",
        ),
        (some_curves(0, (2, 1), blocks=[1, 2, 1]), "leave nothing to tell"),
    ],
)
def test_data_that_cannot_be_compared_are_refused(curves: Curves, message: str) -> None:
    with pytest.raises(CurvesError, match=message):
        compare(curves)


@pytest.mark.parametrize("n_steps", [3, 90])
def test_the_order_of_runs_and_names_of_blocks_change_nothing(n_steps: int) -> None:
    curves = some_curves(0, (8, 8), n_steps, blocks=[1, 2, 3, 4] * 4)
    # Long flat beginnings, as with sparse rewards, do not order runs.
    scores = curves.scores * (np.arange(n_steps) >= n_steps - 3)
    assert curves.blocks is not None
    order = np.random.default_rng(1).permutation(16)
    renamed = np.array(
        [{"1": "z", "2": "y", "3": "a", "4": "b"}[b] for b in curves.blocks]
    )
    options: dict[str, Any] = {"exact": False, "n_shuffles": 400, "rng": 2}
    one = compare(Curves(scores, curves.labels, blocks=curves.blocks), **options)
    other = compare(
        Curves(scores[order], curves.labels[order], blocks=renamed[order]), **options
    )
    assert_same_effects(one, other)


def test_incomplete_blocks_hide_no_effect() -> None:
    """Compared across blocks, B would look alike everywhere: A = 2, B = 1, C = 0."""
    rng = np.random.default_rng(0)
    heights = np.array([2, 1] * 4 + [1, 0] * 4)[:, None]
    scores = heights + 0.1 * rng.normal(size=(16, 3))
    labels = ["A", "B"] * 4 + ["B", "C"] * 4
    found = compare(Curves(scores, labels, blocks=np.repeat(range(8), 2)))
    # Turning round A and B, or B and C, makes no other F: 2⁸ relabellings come down to 2⁶.
    assert found.n_relabellings == 2**6
    assert found.algorithm.pvalue == 1 / 2**6
    assert found.algorithm.statistic > 100


def test_effect_sizes_are_taken_within_blocks() -> None:
    heights = np.array([0, 1, 1, 0, 1, 1, 10, 10, 11, 10, 10, 11.0])
    labels = list("BAABAABBABBA")
    scores = heights[:, None] + 0.01 * np.random.default_rng(0).normal(size=(12, 3))
    blocks = np.repeat(range(4), 3)
    difference = compare(
        Curves(scores, labels, blocks=blocks).select("A", "B")
    ).difference
    assert difference is not None
    assert difference.value == pytest.approx(1, abs=0.05)
    assert difference.hedges_g is not None
    assert difference.hedges_g > 0
    assert difference.probability_of_superiority == 1


def test_uneven_blocks_are_used_and_said() -> None:
    found = compare(some_curves(0, (4, 4), blocks=[1, 1, 2, 2, 1, 2, 2, 2]))
    assert any("equally often" in warning for warning in found.warnings)
    assert not found.even_blocks
    alone = compare(some_curves(0, (4, 4), blocks=[1, 2, 3, 3, 1, 2, 2, 1]))
    assert any("1 of 3 blocks hold a single algorithm (3)" in w for w in alone.warnings)

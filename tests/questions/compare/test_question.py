"""compare(): exact p by brute force, invariances, and what is decided and refused."""

from __future__ import annotations

import json
import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from curvewise import Curves, CurvesError, OptionError, compare
from curvewise.kernels.relabel import BATCH
from curvewise.questions.compare import ask, method
from curvewise.shuffling.visit import FIRST_LOOK, N_LOOKS, Limits, reporting_progress
from tests.questions.compare.five_effects import assert_same_effects, five_effects
from tests.simulation import NULLS, autoregressive, integer_tied, some_curves
from tests.textbook import exact_pvalues, f_ratios

if TYPE_CHECKING:
    from collections.abc import Iterator

seeds = st.integers(0, 10_000)
LOOKS = {FIRST_LOOK * 2**look for look in range(N_LOOKS)}


@contextmanager
def capped(most: int) -> Iterator[None]:
    """Let "auto" and "precise" give up early, inside the with block."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("LIMITS", "COMBINED_LIMITS"):
            patch.setattr(method, name, Limits(shuffles=most))
        patch.setattr(ask, "LIMITS", Limits(shuffles=most))
        yield


@pytest.mark.parametrize(
    "sizes", [(4, 4), (3, 5), (2, 7), (1, 6), (3, 3, 2), (2, 2, 3), (2, 2, 2, 2), (1, 2, 3, 1)]
)
@pytest.mark.parametrize("kind", ["AR(1)", "integer-tied"])
def test_exact_p_is_that_of_visiting_every_relabelling(sizes: tuple[int, ...], kind: str) -> None:
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


def test_algorithm_effect_is_the_one_way_anova_of_run_means() -> None:
    curves = some_curves(3, (5, 4, 6))
    means = [curves.scores[curves.labels == name].mean(axis=1) for name in curves.algorithms]
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
    assert_same_effects(compare(curves, rng=1, **options), compare(moved, rng=1, **options))


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


@pytest.mark.parametrize("n_steps", [3, 90])
def test_the_order_of_runs_and_names_of_blocks_change_nothing(n_steps: int) -> None:
    curves = some_curves(0, (8, 8), n_steps, blocks=[1, 2, 3, 4] * 4)
    # Long flat beginnings, as with sparse rewards, do not order runs.
    scores = curves.scores * (np.arange(n_steps) >= n_steps - 3)
    assert curves.blocks is not None
    order = np.random.default_rng(1).permutation(16)
    renamed = np.array([{"1": "z", "2": "y", "3": "a", "4": "b"}[b] for b in curves.blocks])
    options: dict[str, Any] = {"exact": False, "n_shuffles": 400, "rng": 2}
    one = compare(Curves(scores, curves.labels, blocks=curves.blocks), **options)
    other = compare(Curves(scores[order], curves.labels[order], blocks=renamed[order]), **options)
    assert_same_effects(one, other)


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
    with pytest.raises(OptionError, match="925,166,131,890 relabellings, more than can be"):
        compare(large, exact=True)


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


# --- shuffling until it is settled ----------------------------------------------------


@pytest.mark.parametrize("error", ["split", "pooled"])
def test_auto_settles_every_p_and_reports_how_often_it_shuffled(error: Any) -> None:
    seen = set()
    for seed in range(8):
        curves = some_curves(seed, (9, 9, 9))
        found = compare(curves, n_shuffles="auto", rng=0, error=error)
        assert found.n_shuffles in LOOKS
        for effect in found.effects[error].values():
            low, high = effect.pvalue_interval
            assert high < 0.05 or low > 0.05
        seen.add(found.n_shuffles)
    assert min(seen) == FIRST_LOOK


@pytest.mark.parametrize("n_seeds", [30, pytest.param(60, marks=pytest.mark.slow)])
def test_auto_decides_as_all_relabellings_would(n_seeds: int) -> None:
    """The chance of a wrong verdict is below a thousandth of alpha for each data set."""
    verdicts = set()
    for seed in range(n_seeds):
        curves = some_curves(seed, (5, 5))
        curves = Curves(curves.scores + 0.9 * (curves.codes == 0)[:, None], curves.labels)
        exact = compare(curves)
        with capped(2**17):
            auto = compare(curves, exact=False, n_shuffles="auto", rng=seed)
        if auto.n_shuffles == 2**17:
            continue  # too close to call, and said so by its interval
        for name, effect in auto.effects["split"].items():
            assert effect.significant == exact.effects["split"][name].significant
            verdicts.add(effect.significant)
    assert verdicts == {True, False}


def test_precise_goes_on_until_p_is_known_to_within_ten_percent() -> None:
    curves = some_curves(1, (9, 9, 9))
    lifted = Curves(curves.scores + 1.2 * (curves.codes == 0)[:, None], curves.labels)
    found = compare(lifted, n_shuffles="precise", rng=0)
    assert found.n_shuffles > FIRST_LOOK
    for effect in found.effects["split"].values():
        assert effect.n_extreme >= 100
        assert effect.pvalue_error <= 0.1 * effect.pvalue
    near = some_curves(3, (5, 5))
    exact = compare(near)
    precise = compare(near, exact=False, n_shuffles="precise", rng=1)
    for name, effect in precise.effects["split"].items():
        true = exact.effects["split"][name].pvalue
        assert abs(effect.pvalue - true) <= 4.5 * 0.1 * true


@pytest.mark.parametrize("rule", ["auto", "precise"])
def test_a_single_step_settles_without_a_shape(rule: Any) -> None:
    curves = some_curves(2, (5, 5), 1)
    found = compare(curves, n_shuffles=rule, exact=False, rng=0)
    assert found.n_shuffles == FIRST_LOOK
    assert found.interaction is None


def test_small_designs_are_exact_whatever_the_rule() -> None:
    assert compare(some_curves(0, (5, 5)), n_shuffles="auto").exact
    assert compare(some_curves(0, (5, 5)), n_shuffles="precise").exact


@pytest.mark.parametrize("rule", ["auto", "precise"])
def test_shuffling_gives_up_at_the_most(rule: Any) -> None:
    curves = some_curves(0, (9, 9, 9))
    lifted = Curves(curves.scores + 9 * (curves.codes == 0)[:, None], curves.labels)
    # No shuffle is as extreme; and a p so close to alpha is never settled.
    hard, alpha = (lifted, 0.05) if rule == "precise" else (curves, 0.0)
    if rule == "auto":
        alpha = compare(curves, n_shuffles=2**15, rng=0).algorithm.pvalue
    with capped(2**15):
        found = compare(hard, n_shuffles=rule, rng=0, alpha=alpha)
    assert found.n_shuffles == 2**15


@pytest.mark.parametrize("n_trials", [30, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rule", ["auto", "precise"])
def test_stopping_early_raises_no_false_alarms(rule: Any, n_trials: int) -> None:
    alarms = 0
    # The few data sets with a p next to alpha would take minutes to settle.
    with capped(2**17):
        for stream in np.random.default_rng(2).spawn(n_trials):
            curves = Curves(autoregressive(stream, 18, 5), np.repeat(list("ABC"), 6))
            found = compare(curves, n_shuffles=rule, rng=stream, alpha=0.2)
            alarms += found.algorithm.significant
    assert alarms <= stats.binom.isf(1e-4, n_trials, 0.2)


def test_progress_is_reported_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: seen.append((done, total))):
        compare(some_curves(0, (9, 9)), exact=False, n_shuffles=200 * BATCH, rng=0)
    # The batches that are kept, then the rest.
    assert [total for _, total in seen] == [128] * 8 + [72] * 5
    assert seen[7] == (128, 128)
    assert seen[-1] == (72, 72)


# --- what is refused -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"error": "splt"}, "error must be 'split' or 'pooled', not 'splt'."),
        ({"spread": "unequel"}, "spread must be 'equal' or 'unequal', not 'unequel'."),
        ({"alpha": 0}, "alpha must lie between 0 and 1, such as 0.05; it is 0."),
        (
            {"n_shuffles": 0},
            "n_shuffles must be a positive integer, or 'auto' or 'precise', not 0.",
        ),
        ({"n_jobs": 0}, "n_jobs must be a positive integer, or -1 for all cores, not 0."),
        ({"rng": -1}, "rng must be a non-negative integer or a numpy Generator, not -1."),
    ],
)
def test_options_that_cannot_be_used_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as refused:
        compare(some_curves(0), **options)
    assert str(refused.value) == message
    assert refused.value.option == next(iter(options))


def test_only_curves_are_compared() -> None:
    with pytest.raises(
        OptionError, match=r"^compare\(\) takes Curves, not a ndarray: build them with"
    ):
        compare(np.zeros((4, 3)))  # type: ignore[arg-type]


def test_numpy_numbers_serve_as_options_and_come_out_json_ready() -> None:
    found = compare(some_curves(0), alpha=np.float32(0.05), n_shuffles=np.int64(99))  # type: ignore[arg-type]
    assert json.dumps(found.to_dict())


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        (some_curves(0, (5,)), "at least two algorithms, and there is only 'A'"),
        (Curves([[1, 2, 3]] * 4, list("AABB")), "All runs have the same curve"),
        (
            Curves([[1, 2]] * 2 + [[3, 5]] * 2, list("ABAB"), blocks=[0, 0, 1, 1]),
            "All runs of a block have the same curve",
        ),
        (some_curves(0, (2, 1), blocks=[1, 2, 1]), "leave nothing to tell"),
    ],
)
def test_data_that_cannot_be_compared_are_refused(curves: Curves, message: str) -> None:
    with pytest.raises(CurvesError, match=message):
        compare(curves)

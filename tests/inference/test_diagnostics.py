"""What in the curves calls for a caveat, and what does not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from curvewise import Curves
from curvewise.inference.caveats import (
    BlocksOfOneAlgorithm,
    DifferentSpread,
    FewRunsForRanks,
    SingleRun,
    SingleStep,
    SpreadAndRunsDiffer,
    StrayRuns,
    TooFewRuns,
    TooFewShuffles,
    UnevenBlocks,
    WelchIsApproximate,
)
from curvewise.inference.diagnostics import (
    MAX_VARIANCE_RATIO,
    different_spread,
    few_for_ranks,
    single_runs_and_steps,
    spread_and_runs,
    stray_runs,
    too_few,
    too_few_for_max_t,
    uneven_blocks,
    welch_with_few_runs,
)
from curvewise.inference.sampling import Sampling
from tests.simulation import autoregressive, some_curves


def scaled(seed: int, sizes: tuple[int, ...], scales: list[float]) -> Curves:
    """Curves of which those of each algorithm vary by so much."""
    curves = some_curves(seed, sizes, 5)
    return Curves(curves.scores * np.array(scales)[curves.codes][:, None], curves.labels)


# --- too few -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "alpha", "n_enough"),
    [((3, 3), 0.05, 4), ((2, 2), 0.2, 3), ((2, 2, 2), 0.05, 3), ((4, 4), 0.01, 5)],
)
def test_so_many_runs_would_do(
    sizes: tuple[int, ...], alpha: float, n_enough: int
) -> None:
    m = len(sizes)

    def n_relabellings(n_runs: int) -> int:
        """Ways to deal out the runs, names of equally large algorithms not told apart."""
        whole = math.factorial(m * n_runs)
        return whole // math.factorial(n_runs) ** m // math.factorial(m)

    count = n_relabellings(sizes[0])
    (found,) = too_few(some_curves(0, sizes), Sampling(True, count, count), alpha)
    assert found == TooFewRuns(sizes, 1 / count, alpha, n_enough)
    assert 1 / n_relabellings(n_enough) <= alpha < 1 / n_relabellings(n_enough - 1)


def test_within_blocks_no_number_of_runs_is_named() -> None:
    curves = some_curves(0, (2, 2), blocks=[0, 1, 0, 1])
    (found,) = too_few(curves, Sampling(True, 2, 2), 0.05)
    assert found == TooFewRuns((2, 2), 0.5, 0.05, None)


def test_p_at_alpha_itself_is_possible() -> None:
    curves = some_curves(0, (4, 4))
    assert not list(too_few(curves, Sampling(True, 20, 20), 0.05))
    assert not list(too_few(curves, Sampling(False, 35, 19), 0.05))
    assert list(too_few(curves, Sampling(False, 35, 18), 0.05)) == [
        TooFewShuffles(18, 0.05)
    ]
    both = list(too_few(some_curves(0, (3, 3)), Sampling(False, 10, 5), 0.05))
    assert [found.kind for found in both] == ["too few runs", "too few shuffles"]


def test_max_t_shuffles_the_runs_of_all_algorithms() -> None:
    curves = some_curves(0, (2, 2, 2))
    # All six runs have 15 relabellings, the four of a pair only three.
    (found,) = too_few_for_max_t(curves, 9_999, 0.05)
    assert found == TooFewRuns((2, 2, 2), 1 / 15, 0.05, 3)
    assert not list(too_few_for_max_t(curves, 9_999, 0.1))
    assert list(too_few_for_max_t(curves, 5, 0.1)) == [TooFewShuffles(5, 0.1)]
    for rule in ("auto", "precise"):
        assert not list(too_few_for_max_t(curves, rule, 0.1))


def test_single_runs_and_steps_are_named() -> None:
    assert list(single_runs_and_steps(some_curves(0, (1, 4, 1)))) == [
        SingleRun("A"),
        SingleRun("C"),
    ]
    assert list(single_runs_and_steps(some_curves(0, (2, 4), 1))) == [SingleStep()]


# --- spread of whole curves ------------------------------------------------------------


@pytest.mark.parametrize("ratio", [4.0, 8.0, 25.0])
def test_the_ratio_of_spreads_is_that_of_the_runs(ratio: float) -> None:
    """Scaled copies about one median curve: the ratio is known, and so is its wrong half."""
    rng = np.random.default_rng(0)
    deviations = autoregressive(rng, 9, 6)
    deviations -= np.median(deviations, axis=0)
    curve = rng.normal(size=6)
    scores = np.vstack([curve + ratio * deviations, curve + deviations])
    curves = Curves(scores, ["wild"] * 9 + ["calm"] * 9)
    (found,) = different_spread(curves)
    assert isinstance(found, DifferentSpread)
    assert (found.wide, found.narrow) == ("wild", "calm")
    assert found.ratio == pytest.approx(ratio)
    assert f"vary about {ratio:.1f} times as much as runs of calm" in found.sentence()
    (turned,) = different_spread(Curves(scores[::-1], ["calm"] * 9 + ["wild"] * 9))
    assert turned == DifferentSpread("wild", "calm", pytest.approx(ratio))  # type: ignore[arg-type]


def test_a_ratio_of_two_is_not_worth_a_warning() -> None:
    rng = np.random.default_rng(0)
    deviations = autoregressive(rng, 40, 6)
    deviations -= np.median(deviations, axis=0)
    for ratio, n_found in ((1.9, 0), (2.1, 1)):
        scores = np.vstack([ratio * deviations, deviations])
        assert len(list(different_spread(Curves(scores, ["A"] * 40 + ["B"] * 40)))) == (
            n_found
        )


def test_runs_all_equally_far_from_their_median_are_told_apart() -> None:
    """Distances that do not vary at all leave no doubt."""
    steady = np.array([[1.0], [-1.0]] * 2) * np.ones((1, 4))
    curves = Curves(np.vstack([5 * steady, steady]), ["A"] * 4 + ["B"] * 4)
    (found,) = different_spread(curves)
    assert found == DifferentSpread("A", "B", pytest.approx(5.0))  # type: ignore[arg-type]


def test_the_widest_pair_is_named() -> None:
    curves = scaled(1, (9, 9, 9), [3.0, 1.0, 30.0])
    (found,) = different_spread(curves)
    assert isinstance(found, DifferentSpread)
    assert (found.wide, found.narrow) == ("C", "B")


def test_spread_is_not_judged_within_blocks_nor_of_two_runs_nor_of_none() -> None:
    wide = scaled(0, (6, 6), [20.0, 1.0])
    assert list(different_spread(wide))
    blocked = Curves(wide.scores, wide.labels, blocks=[*range(6)] * 2)
    assert not list(different_spread(blocked))
    assert not list(different_spread(scaled(0, (6, 2), [20.0, 1.0])))
    flat = np.where((wide.codes == 0)[:, None], wide.scores, 0.25)
    assert not list(different_spread(Curves(flat, wide.labels)))


def test_equal_spreads_are_rarely_called_different() -> None:
    n_trials, n_found = 400, 0
    for stream in np.random.default_rng(3).spawn(n_trials):
        curves = Curves(autoregressive(stream, 18, 8), np.repeat(list("ABC"), 6))
        n_found += len(list(different_spread(curves)))
    assert n_found <= stats.binom.isf(1e-4, n_trials, 0.05)


# --- spread and numbers of runs --------------------------------------------------------


def test_the_variance_ratio_is_that_of_its_definition() -> None:
    curves = scaled(0, (5, 12), [4.0, 1.0])
    (found,) = spread_and_runs(curves)
    a, b = (curves.scores[curves.codes == code].mean(axis=1) for code in (0, 1))
    true = a.var(ddof=1) / 5 + b.var(ddof=1) / 12
    pooled = (4 * a.var(ddof=1) + 11 * b.var(ddof=1)) / 15
    assert found == SpreadAndRunsDiffer(
        "A",
        "B",
        pytest.approx((a.std(ddof=1), b.std(ddof=1))),  # type: ignore[arg-type]
        (5, 12),
        pytest.approx(true / (pooled * (1 / 5 + 1 / 12))),  # type: ignore[arg-type]
    )
    # The squared t of the pooled test is that of Welch's times this ratio.
    assert isinstance(found, SpreadAndRunsDiffer)
    own = stats.ttest_ind(a, b, equal_var=False).statistic
    assert stats.ttest_ind(a, b).statistic ** 2 == pytest.approx(
        own**2 * found.variance_ratio
    )


@given(seed=st.integers(0, 500), ratio=st.floats(1.0, 20.0))
@settings(max_examples=60, deadline=None)
def test_a_warning_means_that_the_variance_is_wrong_by_half(
    seed: int, ratio: float
) -> None:
    for sizes in ((5, 12), (12, 5)):
        for found in spread_and_runs(scaled(seed, sizes, [ratio, 1.0])):
            assert isinstance(found, SpreadAndRunsDiffer)
            assert max(found.variance_ratio, 1 / found.variance_ratio) > (
                MAX_VARIANCE_RATIO
            )
            assert found.spread[0] > found.spread[1]
            fewer = found.n_runs[0] < found.n_runs[1]
            assert (found.variance_ratio > 1) == fewer


def test_the_direction_of_the_error_is_told() -> None:
    few, many = scaled(0, (5, 12), [12.0, 0.5]), scaled(0, (12, 5), [12.0, 0.5])
    (alarms,), (misses,) = spread_and_runs(few), spread_and_runs(many)
    assert isinstance(alarms, SpreadAndRunsDiffer)
    assert isinstance(misses, SpreadAndRunsDiffer)
    assert alarms.variance_ratio > 1 > misses.variance_ratio
    assert "fewer runs (5 and 12). The test then raises too many" in alarms.sentence()
    assert "more runs (12 and 5). The test then misses too many" in misses.sentence()


def test_equally_many_runs_single_runs_and_blocks_are_not_judged() -> None:
    assert not list(spread_and_runs(scaled(0, (8, 8), [20.0, 1.0])))
    assert not list(spread_and_runs(scaled(0, (1, 8), [20.0, 1.0])))
    curves = scaled(0, (4, 8), [20.0, 1.0])
    blocked = Curves(curves.scores, curves.labels, blocks=[0, 1] * 6)
    assert not list(spread_and_runs(blocked))


def test_the_worst_pair_is_named() -> None:
    (found,) = spread_and_runs(scaled(1, (5, 6, 12), [20.0, 1.0, 0.2]))
    assert isinstance(found, SpreadAndRunsDiffer)
    assert (found.wide, found.narrow) == ("A", "C")


@pytest.mark.parametrize("sizes", [(4, 9), (9, 20)])
def test_an_algorithm_may_not_vary_at_all(sizes: tuple[int, int]) -> None:
    curves = some_curves(0, sizes)
    steady = np.where((curves.codes == 0)[:, None], curves.scores, 0.25)
    (found,) = spread_and_runs(Curves(steady, curves.labels))
    assert " and 0) and has fewer runs" in found.sentence()
    both = np.where((curves.codes == 0)[:, None], 1.0, 0.25) + np.zeros((1, 3))
    assert not list(spread_and_runs(Curves(both, curves.labels)))


def test_heavy_tails_alone_are_rarely_taken_for_spread() -> None:
    n_trials, n_found = 300, 0
    for stream in np.random.default_rng(5).spawn(n_trials):
        scores = stream.standard_t(3, size=(28, 1)) + 0.1 * stream.normal(size=(28, 4))
        n_found += len(list(spread_and_runs(Curves(scores, ["A"] * 8 + ["B"] * 20))))
    assert n_found <= stats.binom.isf(1e-4, n_trials, 0.05)


# --- the rest ------------------------------------------------------------------------


def test_welch_is_approximate_below_ten_runs() -> None:
    assert list(welch_with_few_runs(some_curves(0, (9, 20)))) == [WelchIsApproximate(9)]
    assert not list(welch_with_few_runs(some_curves(0, (10, 20))))


def test_ranks_of_few_runs_are_told() -> None:
    assert list(few_for_ranks(some_curves(0, (7, 9)), "ranks")) == [FewRunsForRanks(7, 8)]
    assert list(few_for_ranks(some_curves(0, (8, 9)), "ranks")) == []
    assert list(few_for_ranks(some_curves(0, (7, 9)), "trimmed")) == []


def test_runs_far_from_the_others_are_counted() -> None:
    curves = some_curves(0, (8, 8, 8))
    scores = curves.scores.copy()
    scores[0] -= 30
    scores[[20, 22]] += 30
    strayed = Curves(scores, curves.labels)
    assert list(stray_runs(strayed)) == [StrayRuns(("A", "C"), (1, 2))]
    assert list(stray_runs(Curves(-5 * scores + 900, curves.labels))) == [
        StrayRuns(("A", "C"), (1, 2))
    ]
    # The advice could not be followed.
    blocks = np.tile(list("abcdefgh"), 3)
    assert list(stray_runs(Curves(scores, curves.labels, blocks=blocks))) == []
    assert list(stray_runs(strayed.select("A", "B"))) != []
    few = np.append(np.arange(4), np.arange(8, 16))
    assert list(stray_runs(Curves(scores[few], curves.labels[few]))) == []


def test_runs_that_are_mostly_the_same_have_no_scale_to_stray_by() -> None:
    scores = np.concatenate([np.full(7, 0.1), [9.0], np.arange(8.0)])[:, None]
    assert list(stray_runs(Curves(scores, ["A"] * 8 + ["B"] * 8))) == []


@pytest.mark.parametrize("n_runs", [5, 10])
def test_normal_runs_rarely_stray(n_runs: int) -> None:
    n_tables = 400
    found = sum(
        bool(list(stray_runs(some_curves(seed, (n_runs, n_runs)))))
        for seed in range(n_tables)
    )
    assert found / n_tables < 0.1 + 2 * math.sqrt(0.1 * 0.9 / n_tables)


def test_blocks_that_are_uneven_are_told() -> None:
    assert not list(uneven_blocks(some_curves(0, (4, 4))))
    assert not list(uneven_blocks(some_curves(0, (4, 4), blocks=[0, 1, 2, 3] * 2)))
    twice = some_curves(0, (4, 8), blocks=[0, 1, 2, 3] * 3)
    assert not list(uneven_blocks(twice))
    uneven = some_curves(0, (4, 4), blocks=[1, 1, 2, 2, 1, 2, 2, 2])
    assert list(uneven_blocks(uneven)) == [UnevenBlocks()]
    alone = some_curves(0, (4, 4), blocks=[1, 2, 3, 3, 1, 2, 2, 1])
    assert list(uneven_blocks(alone)) == [BlocksOfOneAlgorithm(("3",), 3), UnevenBlocks()]

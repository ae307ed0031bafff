"""What in the curves calls for a caveat, and what does not."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

import curvewise as cw
from curvewise import Curves, compare
from curvewise.inference.caveats import (
    MIN_SPREAD_RATIO,
    BlocksOfOneAlgorithm,
    DifferentSpread,
    FewRunsForRanks,
    IdenticalRuns,
    SingleRun,
    SingleStep,
    StrayRuns,
    TooFewRuns,
    TooFewShuffles,
    UnevenBlocks,
    WelchIsApproximate,
    coarse_scores,
    different_spread,
    few_for_ranks,
    identical_runs,
    single_runs_and_steps,
    spread_caveat,
    stray_runs,
    too_few,
    too_few_for_max_t,
    uneven_blocks,
    welch_with_few_runs,
)
from curvewise.inference.work import Sampling
from tests.simulation import autoregressive, some_curves

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.inference.result import Result


def scaled(seed: int, sizes: tuple[int, ...], scales: list[float]) -> Curves:
    """Curves of which those of each algorithm vary by so much."""
    curves = some_curves(seed, sizes, 5)
    return Curves(curves.scores * np.array(scales)[curves.codes][:, None], curves.labels)


# --- too few -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "alpha", "n_enough"),
    [((3, 3), 0.05, 4), ((2, 2), 0.2, 3), ((2, 2, 2), 0.05, 3), ((4, 4), 0.01, 5)],
)
def test_so_many_runs_would_do(sizes: tuple[int, ...], alpha: float, n_enough: int) -> None:
    m = len(sizes)

    def n_relabellings(n_runs: int) -> int:
        """Ways to deal out the runs, names of equally large algorithms not told apart."""
        whole = math.factorial(m * n_runs)
        return whole // math.factorial(n_runs) ** m // math.factorial(m)

    count = n_relabellings(sizes[0])
    (found,) = too_few(some_curves(0, sizes), Sampling(True, count, count), alpha)
    assert found == TooFewRuns(sizes, 1 / count, alpha, n_enough)
    assert 1 / n_relabellings(n_enough) <= alpha < 1 / n_relabellings(n_enough - 1)


def test_within_blocks_a_number_of_blocks_is_named_if_they_are_alike() -> None:
    curves = some_curves(0, (2, 2), blocks=[0, 1, 0, 1])
    (found,) = too_few(curves, Sampling(True, 2, 2), 0.05)
    # Six pairs have 2⁵ relabellings that differ by more than names.
    assert found == TooFewRuns((2, 2), 0.5, 0.05, None, 6)
    uneven = some_curves(0, (3, 2), blocks=[0, 0, 1, 0, 1])
    (found,) = too_few(uneven, Sampling(True, 6, 6), 0.05)
    assert found == TooFewRuns((3, 2), 1 / 6, 0.05, None)


def test_scores_of_few_digits_are_told() -> None:
    scores = some_curves(0, (5, 5), n_steps=50).scores
    labels = list("AAAAABBBBB")
    assert list(coarse_scores(Curves(scores, labels))) == []
    assert list(coarse_scores(Curves(scores.astype(np.float32), labels))) == []
    offset = Curves((scores + 1e6).astype(np.float32), labels)
    assert [caveat.n_digits for caveat in coarse_scores(offset)] == [6]  # type: ignore[attr-defined]
    half = Curves((100 + scores).astype(np.float16), labels)
    (found,) = coarse_scores(half)
    assert found.to_dict()["n_digits"] == 3
    assert "coarse scores" in [caveat.kind for caveat in compare(half).caveats]
    same = Curves(np.ones((10, 3), dtype=np.float16) + np.eye(10, 3, dtype=np.float16), labels)
    assert list(coarse_scores(same)) == []


def test_p_at_alpha_itself_is_possible() -> None:
    curves = some_curves(0, (4, 4))
    assert not list(too_few(curves, Sampling(True, 20, 20), 0.05))
    assert not list(too_few(curves, Sampling(False, 35, 19), 0.05))
    assert list(too_few(curves, Sampling(False, 35, 18), 0.05)) == [TooFewShuffles(18, 0.05)]
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


# --- spread --------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [4.0, 8.0, 25.0])
def test_the_ratio_of_spreads_is_the_one_that_tables_show(ratio: float) -> None:
    """Scaled copies: the ratio of the standard deviations of curve means is known."""
    deviations = autoregressive(np.random.default_rng(0), 9, 6)
    scores = np.vstack([ratio * deviations, 3 + deviations])
    curves = Curves(scores, ["wild"] * 9 + ["calm"] * 9)
    found = spread_caveat(curves)
    assert found is not None
    assert list(different_spread(curves)) == [found]
    expected = replace(found, ratio=pytest.approx(ratio))  # type: ignore[arg-type]
    assert expected == DifferentSpread("wild", "calm", found.ratio, "curve means", (9, 9))
    shown = [summary.standard_deviation for summary in compare(curves, n_shuffles=9).algorithms]
    assert shown[0] is not None
    assert shown[1] is not None
    assert found.ratio == pytest.approx(shown[0] / shown[1])
    turned = Curves(scores[::-1], ["calm"] * 9 + ["wild"] * 9)
    assert list(different_spread(turned)) == [expected]


def test_whole_curves_tell_where_their_means_do_not() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(12, 30))
    noise -= noise.mean(axis=1, keepdims=True)
    scores = rng.normal(size=(12, 1)) + noise * np.repeat([4.0, 1.0], 6)[:, None]
    curves = Curves(scores, ["A"] * 6 + ["B"] * 6)
    found = spread_caveat(curves)
    assert found is not None
    assert (found.wide, found.narrow, found.of) == ("A", "B", "whole curves")
    a, b = (scores[:6], scores[6:])
    own = [np.sqrt(np.mean(part.var(axis=0, ddof=1))) for part in (a, b)]
    assert found.ratio == pytest.approx(own[0] / own[1])


def test_small_ratios_are_not_worth_a_warning() -> None:
    deviations = autoregressive(np.random.default_rng(0), 400, 6)
    for factor, n_found in ((0.99, 0), (1.01, 1)):
        scores = np.vstack([factor * MIN_SPREAD_RATIO * deviations, deviations])
        curves = Curves(scores, ["A"] * 400 + ["B"] * 400)
        assert len(list(different_spread(curves))) == n_found


def test_the_widest_pair_is_named_with_its_runs() -> None:
    found = spread_caveat(scaled(1, (9, 7, 8), [3.0, 1.0, 30.0]))
    assert found is not None
    assert (found.wide, found.narrow, found.n_runs) == ("C", "B", (8, 7))


def test_an_algorithm_may_not_vary_at_all() -> None:
    wide = scaled(0, (6, 6), [20.0, 1.0])
    flat = np.where((wide.codes == 0)[:, None], wide.scores, 0.25)
    found = spread_caveat(Curves(flat, wide.labels))
    assert found == DifferentSpread("A", "B", math.inf, "curve means", (6, 6))
    both = np.where((wide.codes == 0)[:, None], 1.0, 0.1) + np.zeros((1, 3))
    assert spread_caveat(Curves(both, wide.labels)) is None


def test_spread_is_not_judged_within_blocks_nor_of_single_runs() -> None:
    wide = scaled(0, (6, 6), [20.0, 1.0])
    assert spread_caveat(wide) is not None
    assert spread_caveat(Curves(wide.scores, wide.labels, blocks=[*range(6)] * 2)) is None
    assert spread_caveat(scaled(0, (6, 1), [20.0, 1.0])) is None
    found = spread_caveat(scaled(0, (6, 1, 6), [20.0, 500.0, 1.0]))
    assert found is not None
    assert (found.wide, found.narrow) == ("A", "C")


@pytest.mark.parametrize(("sizes", "seed"), [((5,) * 6, 3), ((5, 5), 4), ((4, 12), 5)])
def test_equal_spreads_are_rarely_called_different(sizes: tuple[int, ...], seed: int) -> None:
    n_trials, n_found = 300, 0
    labels = np.repeat(list("ABCDEF"[: len(sizes)]), sizes)
    for stream in np.random.default_rng(seed).spawn(n_trials):
        curves = Curves(autoregressive(stream, len(labels), 12), labels)
        n_found += spread_caveat(curves) is not None
    assert n_found <= stats.binom.isf(1e-4, n_trials, 0.1)


@pytest.mark.parametrize(
    "scales", [[1, 1, 2, 4, 8, 10], [8, 1, 1, 1, 1, 1], [3, 1, 1, 1, 1, 1], [3, 1], [8, 1]]
)
def test_spreads_that_matter_are_told(scales: list[float]) -> None:
    n_trials, n_found = 120, 0
    labels = np.repeat(list("ABCDEF"[: len(scales)]), 5)
    for stream in np.random.default_rng(6).spawn(n_trials):
        scores = autoregressive(stream, len(labels), 24) * np.repeat(scales, 5)[:, None]
        n_found += spread_caveat(Curves(scores, labels)) is not None
    assert n_found >= stats.binom.ppf(1e-4, n_trials, 0.9)


# --- the rest ------------------------------------------------------------------------


def test_welch_is_approximate_below_twenty_runs() -> None:
    assert list(welch_with_few_runs(some_curves(0, (19, 20)))) == [WelchIsApproximate(19)]
    assert not list(welch_with_few_runs(some_curves(0, (20, 20))))


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
        bool(list(stray_runs(some_curves(seed, (n_runs, n_runs))))) for seed in range(n_tables)
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


# --- runs that are there twice -------------------------------------------------------


def test_runs_with_the_same_scores_at_every_step_are_told() -> None:
    scores = some_curves(0, (3, 3), 5).scores
    assert list(identical_runs(Curves(scores, list("AAABBB")))) == []
    twice = Curves(np.vstack([scores, scores[:2]]), list("AAABBBBB"), runs=list("01201234"))
    (found,) = identical_runs(twice)
    assert found == IdenticalRuns(("B", "3"), ("A", "0"), 2)
    assert found in compare(twice).caveats
    assert "(2 such runs in all)" in found.sentence()


def test_scores_of_a_few_values_may_be_the_same_by_chance() -> None:
    few = Curves([[0, 1, 1.0, 2]] * 4, list("AABB"))
    assert list(identical_runs(few)) == []


def _questions(curves: cw.Curves) -> dict[str, Callable[[], Result]]:
    """Ask every question about two algorithms, A and B."""
    few: dict[str, Any] = {"rng": 0, "n_shuffles": 99}
    sides: dict[str, Any] = {"candidate": "A", "baseline": "B", "margin": 0.1}
    two: dict[str, Any] = {"control": "B", "experimental": "A", "n_resamples": 0}
    return {
        "compare": lambda: cw.compare(curves, **few),
        "locate": lambda: cw.locate(curves, **few),
        "pairs": lambda: cw.compare_pairs(curves, **few),
        "best": lambda: cw.best(curves, **few),
        "contrast": lambda: cw.contrast(curves, {"A": 1, "B": -1}, **few),
        "gate": lambda: cw.gate(curves, **sides, **few),
        "transfer": lambda: cw.transfer(curves, **two, **few),
    }


def _of(a: Any, b: Any) -> cw.Curves:
    scores = np.vstack([a, b]).astype(float)
    return cw.Curves(scores, ["A"] * len(a) + ["B"] * len(b))


@pytest.mark.parametrize("question", list(_questions(_of([[1]], [[2]]))))
def test_every_question_says_what_little_there_is(question: str) -> None:
    rng = np.random.default_rng(0)
    for curves, refusal in (
        (_of(np.ones((4, 3)), np.ones((4, 3))), "All 24 scores are 1.000"),
        (_of(rng.random((1, 3)), rng.random((1, 3))), "has a single run"),
        (_of(*(1e-300 * rng.random((2, 4, 3)))), "vanish when squared"),
    ):
        if question == "transfer" and curves.n_runs == 2:
            found = _questions(curves)[question]()
            for text in (found.describe(), found.headline()):
                assert text.startswith("Each condition has a single run, so whether they")
                assert "significant" not in text
            continue
        with pytest.raises(cw.CurvesError, match=refusal):
            _questions(curves)[question]()
    alone = _questions(_of(rng.random((1, 3)), rng.random((19, 3))))[question]()
    assert any("a single run" in warning for warning in alone.warnings)
    constant = _questions(_of(np.ones((5, 3)), np.full((5, 3), 2)))[question]()
    assert any("separate runs" in warning for warning in constant.warnings)
    alike = _questions(_of(*np.repeat(rng.random((1, 5, 3)), 2, axis=0)))[question]()
    for text in (constant.describe(), str(constant), alone.describe(), str(alike)):
        assert not re.search(r"-inf to inf|1\.0000\b|: \.|e-1[5-9]", text)

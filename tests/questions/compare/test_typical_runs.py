"""Height of typical runs against brute force and SciPy, and what it does not depend on."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import curvewise as cw
from curvewise import Curves, CurvesError, OptionError, compare
from curvewise.inference.caveats import FewRunsForRanks, StrayRuns, TooFewForTypicalRuns
from curvewise.kernels.invert import n_cut
from tests.simulation import some_curves

CENTERS = ("trimmed", "ranks")


def two(seed: int, sizes: tuple[int, int] = (6, 5), *, whole: bool = False) -> Curves:
    """Curves of which the second algorithm's are higher; of whole numbers, with ties."""
    curves = some_curves(seed, sizes, 3)
    scores = curves.scores + 1.5 * (curves.labels == "B")[:, None]
    return Curves(np.round(scores) if whole else scores, curves.labels)


def halves(curves: Curves) -> list[tuple[Any, Any]]:
    """Return the curve means in every way to divide them; the observed one first."""
    means = curves.scores.mean(axis=1)
    n_first = int(np.sum(curves.labels == curves.algorithms[0]))
    every = combinations(range(curves.n_runs), n_first)
    divided = []
    for members in every:
        inside = np.isin(np.arange(curves.n_runs), members)
        divided.append((means[inside], means[~inside]))
    return divided


def trimmed(runs: Any) -> float:
    cut = n_cut(len(runs))
    return float(np.sort(runs)[cut:-cut].mean())


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_p_of_trimmed_means_is_that_of_all_relabellings(seed: int, whole: bool) -> None:
    curves = two(seed, whole=whole)
    found = compare(curves, center="trimmed")
    differences = np.array([abs(trimmed(a) - trimmed(b)) for a, b in halves(curves)])
    expected = np.mean(differences >= differences[0] - 1e-9)
    assert found.algorithm.exact
    assert found.algorithm.pvalue == pytest.approx(expected)
    assert found.algorithm.statistic == pytest.approx(differences[0])
    assert found.algorithm.symbol == "D"
    assert found.difference is not None
    assert abs(found.difference.value) == pytest.approx(differences[0])
    np.testing.assert_allclose(
        np.sort(found.algorithm.null_distribution), np.sort(differences), atol=1e-12
    )


def test_p_of_three_trimmed_means_is_that_of_all_relabellings() -> None:
    curves = some_curves(0, (5, 5, 5))
    sampled = compare(curves, center="trimmed", exact=False, n_shuffles=2_000, rng=0)
    exact = compare(curves, center="trimmed", overall="F")
    assert exact.algorithm.exact
    low, high = sampled.algorithm.pvalue_interval
    assert low <= exact.algorithm.pvalue <= high
    means = [trimmed(curves.scores[curves.labels == x].mean(axis=1)) for x in "ABC"]
    assert [row.typical for row in exact.algorithms] == pytest.approx(means)
    spread = np.sqrt(np.mean([(a - b) ** 2 for a, b in combinations(means, 2)]))
    assert exact.algorithm.statistic == pytest.approx(spread)


@pytest.mark.parametrize("seed", range(4))
def test_p_of_ranks_is_wilcoxons(seed: int) -> None:
    curves = two(seed)
    first, second = (curves.scores[curves.labels == x].mean(axis=1) for x in "AB")
    expected = stats.mannwhitneyu(first, second, method="exact").pvalue
    found = compare(curves, center="ranks")
    assert found.algorithm.pvalue == pytest.approx(expected)
    assert found.difference is not None
    median = np.median(np.subtract.outer(first, second))
    assert found.difference.value == pytest.approx(median)
    # How often a run beats another is the same statistic.
    u = stats.mannwhitneyu(first, second).statistic
    assert found.difference.probability_of_superiority == pytest.approx(u / 30)


def test_p_of_tied_ranks_is_that_of_all_relabellings() -> None:
    curves = two(1, whole=True)
    ranks = stats.rankdata(curves.scores.mean(axis=1).round(9))
    assert len(set(ranks)) < len(ranks)
    sums = np.array([sum(ranks[list(members)]) for members in combinations(range(11), 6)])
    distance = np.abs(sums - 6 * ranks.mean())
    expected = np.mean(distance >= distance[0] - 1e-9)
    assert compare(curves, center="ranks").algorithm.pvalue == pytest.approx(expected)


@pytest.mark.parametrize("sizes", [(3, 3, 3), (2, 3, 4)])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_ties_of_rank_sums_of_three_count(seed: int, whole: bool, sizes: tuple[int, ...]) -> None:
    curves = some_curves(seed, sizes, 3)
    if whole:
        curves = Curves(np.round(curves.scores), curves.labels)
    # Whole numbers throughout, so that ties are ties: ranks doubled, sums of squares times 12.
    ranks = (2 * stats.rankdata(curves.scores.mean(axis=1).round(9))).astype(int)
    values = []
    for labels in set(permutations(curves.codes.tolist())):
        sums = np.bincount(labels, weights=ranks).astype(int)
        values.append(sum(12 // n * int(total) ** 2 for n, total in zip(sizes, sums, strict=True)))
    sums = np.bincount(curves.codes, weights=ranks).astype(int)
    own = sum(12 // n * int(total) ** 2 for n, total in zip(sizes, sums, strict=True))
    expected = np.mean(np.array(values) >= own)
    found = compare(curves, center="ranks", overall="F", alpha=0.2)
    assert found.algorithm.exact
    assert found.algorithm.pvalue == pytest.approx(expected)


def test_ranks_of_three_order_as_kruskal_and_wallis_do() -> None:
    curves = some_curves(3, (3, 3, 3))
    found = compare(curves, center="ranks", overall="F")
    groups = [curves.scores[curves.labels == x].mean(axis=1) for x in "ABC"]
    result = stats.permutation_test(
        groups,
        lambda *runs, axis: stats.kruskal(*runs, axis=axis).statistic,
        vectorized=True,
        alternative="greater",
        n_resamples=9_999,  # more than there are: all of them
    )
    assert found.algorithm.exact
    assert found.algorithm.pvalue == pytest.approx(result.pvalue)
    # F of ranks is the statistic of Kruskal and Wallis in another form.
    h = stats.kruskal(*groups).statistic
    assert found.algorithm.statistic == pytest.approx((h / 2) / ((8 - h) / 6))


def test_ranks_in_blocks_of_two_are_a_sign_test() -> None:
    scores = (
        np.random.default_rng(2).normal(size=(14, 3)) + np.repeat(np.arange(7), 2)[:, None] * 50
    )
    scores[::2] += 1.0
    curves = Curves(scores, ["A", "B"] * 7, blocks=np.repeat(list("abcdefg"), 2))
    found = compare(curves, center="ranks")
    differences = scores[::2].mean(axis=1) - scores[1::2].mean(axis=1)
    expected = stats.binomtest(int(np.sum(differences > 0)), 7).pvalue
    assert found.algorithm.pvalue == pytest.approx(expected)
    assert found.difference is not None
    assert found.difference.value == pytest.approx(np.median(differences))


@pytest.mark.parametrize("center", CENTERS)
@pytest.mark.parametrize("alpha", [0.03, 0.1, 0.4])
@pytest.mark.parametrize("whole", [False, True])
def test_the_interval_leaves_out_zero_exactly_if_p_is_small(
    center: Any, alpha: float, whole: bool
) -> None:
    significant = 0
    for seed in range(8):
        curves = two(seed, whole=whole)
        for exact in (None, False):
            found = compare(
                curves, center=center, alpha=alpha, overall="F", exact=exact, n_shuffles=199, rng=0
            )
            assert found.difference is not None
            low, high = found.difference.interval
            assert (low <= 0 <= high) == (not found.algorithm.significant)
            assert low <= found.difference.value <= high
            significant += found.algorithm.significant
    assert significant > 0


@pytest.mark.parametrize("center", CENTERS)
@pytest.mark.parametrize("exact", [None, False])
def test_neither_order_nor_names_nor_units_matter(center: Any, exact: bool | None) -> None:
    curves = two(5, (6, 7))
    options: dict[str, Any] = {"center": center, "n_shuffles": 500, "rng": 0}
    found = compare(curves, exact=exact, **options)
    # The algorithm that comes first stays the first.
    order = np.append(0, np.random.default_rng(0).permutation(np.arange(1, 13)))
    names = np.where(curves.labels == "A", "x", "y")
    moved = Curves(8 * curves.scores[order] - 1024, names[order])
    other = compare(moved, exact=exact, **options)
    assert other.algorithm.pvalue == found.algorithm.pvalue
    assert other.difference is not None
    assert found.difference is not None
    assert other.difference.value == pytest.approx(8 * found.difference.value)
    ends = 8 * np.array(found.difference.interval)
    np.testing.assert_allclose(other.difference.interval, ends, atol=1e-9)


@pytest.mark.parametrize("center", CENTERS)
def test_one_failed_run_moves_the_mean_and_not_the_typical_run(center: Any) -> None:
    scores = np.random.default_rng(0).normal(size=(16, 4))
    scores[:8] += 2
    calm = Curves(scores, ["A"] * 8 + ["B"] * 8)
    scores[0] -= 100
    failed = Curves(scores, calm.labels)
    by_mean = compare(failed)
    assert not by_mean.algorithm.significant
    assert StrayRuns(("A",), (1,)) in by_mean.caveats
    typical = compare(failed, center=center)
    assert typical.algorithm.significant
    assert typical.difference is not None
    assert 1 < typical.difference.value < 3
    assert not any(isinstance(caveat, StrayRuns) for caveat in typical.caveats)


def test_overall_and_shape_stay_as_they_are_and_the_default_too() -> None:
    curves = some_curves(7, (6, 6))
    plain = compare(curves)
    assert plain.to_dict() == compare(curves, center="mean").to_dict()
    for center in CENTERS:
        found = compare(curves, center=center)  # type: ignore[arg-type]
        assert found.overall.to_dict() == plain.overall.to_dict()
        assert found.interaction is not None
        assert plain.interaction is not None
        assert found.interaction.to_dict() == plain.interaction.to_dict()
        assert set(found.effects) == {"split"}
        assert found.table["algorithm"].pvalue is None
        assert found.table["algorithm"].ss == plain.table["algorithm"].ss
        assert found.difference is not None
        assert found.difference.hedges_g is None
        assert found.to_dict()["center"] == center
        assert found.to_dict()["algorithm"]["center"] == center


def test_with_a_single_step_height_is_all_there_is() -> None:
    found = compare(some_curves(0, (6, 6), 1), center="trimmed")
    assert found.overall.pvalue == found.algorithm.pvalue
    assert found.overall.symbol == "D"


def test_words_say_whose_height_it_is() -> None:
    scores = np.random.default_rng(0).normal(size=(18, 4))
    scores[6:12] += 3
    curves = Curves(scores, list("A" * 6 + "B" * 6 + "C" * 6))
    pair = compare(curves.select("A", "B"), center="trimmed").describe()
    assert "They differ in height, the typical run's mean score over training" in pair
    assert "the typical run of B scores" in pair
    assert "more than that of A; the 95% interval" in pair
    assert "height of the typical run (a fifth of the runs cut off at either end)" in pair
    assert "Hedges" not in pair
    ranks = compare(curves.select("A", "B"), center="ranks").describe()
    assert "in height, how high runs rank by their mean score over training" in ranks
    assert "a run of B typically scores" in ranks
    three = compare(curves, center="trimmed", rng=0)
    assert "Mean scores of typical runs range from" in three.describe()
    assert "in height (typical run)" in str(three)
    assert "root mean squared difference" in str(three)
    assert "in height (ranks)" in str(compare(curves, center="ranks", rng=0))


def test_runs_that_are_all_the_same_tie_when_cut_off() -> None:
    scores = np.repeat([0.0, 1.0], 5)[:, None] + np.zeros(3)
    found = compare(Curves(scores, list("AAAAABBBBB")), center="trimmed")
    # Any one run of A can change places with any one of B: 1 + 25 of 126.
    assert found.algorithm.pvalue == pytest.approx(26 / 126)
    assert found.difference is not None
    assert found.difference.interval == (-np.inf, np.inf)
    assert "too many relabellings tie for a 95% interval" in found.describe()
    ranks = compare(Curves(scores, list("AAAAABBBBB")), center="ranks")
    assert ranks.algorithm.pvalue == pytest.approx(1 / 126)
    assert ranks.difference is not None
    assert ranks.difference.interval == (-1, -1)


@pytest.mark.parametrize("center", CENTERS)
def test_curves_of_one_height_do_not_differ(center: Any) -> None:
    scores = np.tile([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], (5, 1))
    found = compare(Curves(scores, list("AAAAABBBBB")), center=center)
    assert found.algorithm.pvalue == 1
    assert (found.algorithm.statistic, found.algorithm.f) == (0, 0)
    assert found.difference is not None
    assert found.difference.value == 0
    assert "score the same" in found.describe()


@pytest.mark.parametrize("center", CENTERS)
def test_what_does_not_go_together_is_refused(center: Any) -> None:
    curves = some_curves(0, (5, 5))
    with pytest.raises(OptionError, match='error="pooled" is for means'):
        compare(curves, center=center, error="pooled")
    with pytest.raises(OptionError, match='spread="unequal" is for means'):
        compare(curves, center=center, spread="unequal")
    with pytest.raises(OptionError, match="center must be"):
        compare(curves, center="median")  # type: ignore[arg-type]
    with pytest.raises(CurvesError, match="needs at least 5 runs"):
        compare(some_curves(0, (4, 6)), center="trimmed")


def test_few_runs_are_warned_of() -> None:
    ranks = compare(some_curves(0, (5, 8)), center="ranks")
    assert FewRunsForRanks(5, 8) in ranks.caveats
    assert compare(some_curves(0, (8, 8)), center="ranks").caveats == ()
    strict = compare(some_curves(0, (5, 5)), center="trimmed", alpha=0.01)
    assert TooFewForTypicalRuns((5, 5), 2 / 126, 0.01) in strict.caveats
    assert strict.difference is not None
    assert strict.difference.interval == (-np.inf, np.inf)
    assert compare(some_curves(0, (5, 5)), center="trimmed").caveats == ()


def test_many_tables_and_the_overview_pass_the_center_on() -> None:
    curves = some_curves(1, (6, 6, 6))
    lifted = Curves(curves.scores + 4.0 * (curves.labels == "C")[:, None], curves.labels)
    alone = compare(lifted, center="trimmed", n_shuffles=99, rng=0)
    many = cw.compare_many({"one": lifted}, center="trimmed", n_shuffles=99, rng=0)
    assert many["one"].center == "trimmed"
    assert many["one"].algorithm.statistic == alone.algorithm.statistic
    view = cw.overview(lifted, center="trimmed", n_shuffles=99, rng=0)
    assert view.comparison.to_dict() == alone.to_dict()
    assert view.best is not None
    assert view.best.center == "trimmed"

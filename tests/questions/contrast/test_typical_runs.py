"""Contrasts of typical runs against brute force, and against `compare`."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import curvewise as cw
from curvewise import Curves, CurvesError, OptionError, compare, contrast
from curvewise.kernels.invert import n_cut
from tests.simulation import some_curves

CENTERS = ("trimmed", "ranks")
PAIR = {"A": 1, "B": -1}


def lifted(seed: int, sizes: tuple[int, ...] = (6, 5)) -> Curves:
    curves = some_curves(seed, sizes)
    return Curves(curves.scores + 0.8 * (curves.labels == "A")[:, None], curves.labels)


def trimmed(runs: Any) -> float:
    cut = n_cut(len(runs))
    return float(np.sort(runs)[cut:-cut].mean())


@pytest.mark.parametrize("center", CENTERS)
@pytest.mark.parametrize("exact", [None, False])
def test_a_pair_is_the_height_of_compare(center: Any, exact: bool | None) -> None:
    curves = lifted(0)
    options: dict[str, Any] = {"n_shuffles": 199, "rng": 0, "exact": exact}
    found = contrast(curves, PAIR, center=center, **options)
    height = compare(curves, center=center, **options)
    assert found.pvalue == height.algorithm.pvalue
    assert found.statistic**2 == pytest.approx(height.algorithm.f)
    assert height.difference is not None
    assert found.value == pytest.approx(height.difference.value)
    np.testing.assert_allclose(found.interval, height.difference.interval, atol=1e-9)


@pytest.mark.parametrize("sizes", [(5, 5), (6, 5)])
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_p_of_trimmed_means_is_that_of_all_relabellings(
    sizes: tuple[int, int], alternative: Any
) -> None:
    curves = lifted(1, sizes)
    slopes = curves.scores @ (np.arange(6.0) - 2.5)
    differences = []
    for members in combinations(range(sum(sizes)), sizes[0]):
        inside = np.isin(np.arange(sum(sizes)), members)
        differences.append(trimmed(slopes[inside]) - trimmed(slopes[~inside]))
    values = np.array(differences)
    held = {"greater": values, "less": -values, "two-sided": np.abs(values)}[alternative]
    found = contrast(curves, PAIR, center="trimmed", weights="trend", alternative=alternative)
    assert found.pvalue == pytest.approx(np.mean(held >= held[0] - 1e-9))
    assert found.value == pytest.approx(values[0] / 17.5)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_p_of_ranks_is_wilcoxons(alternative: Any) -> None:
    curves = lifted(2)
    first, second = (curves.scores[curves.labels == x].mean(axis=1) for x in "AB")
    expected = stats.mannwhitneyu(first, second, alternative=alternative, method="exact")
    found = contrast(curves, PAIR, center="ranks", alternative=alternative)
    assert found.pvalue == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("center", CENTERS)
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("sizes", [(5, 5), (6, 5)])
def test_the_interval_leaves_out_zero_exactly_if_p_is_small(
    center: Any, alternative: Any, sizes: tuple[int, int]
) -> None:
    n_significant = 0
    for seed in range(12):
        curves = lifted(seed, sizes)
        found = contrast(curves, PAIR, center=center, alternative=alternative, alpha=0.1)
        low, high = found.interval
        assert (low <= 0 <= high) == (not found.significant)
        assert low <= found.value <= high
        n_significant += found.significant
    assert n_significant or alternative == "less"


@pytest.mark.parametrize("center", CENTERS)
def test_coefficients_turn_and_scale_the_contrast(center: Any) -> None:
    curves = lifted(3)
    plain = contrast(curves, PAIR, center=center)
    turned = contrast(curves, {"A": -2, "B": 2}, center=center)
    assert turned.pvalue == plain.pvalue
    assert turned.value == pytest.approx(-2 * plain.value)
    assert turned.statistic == pytest.approx(-plain.statistic)
    ends = -2 * np.array(plain.interval)[::-1]
    np.testing.assert_allclose(turned.interval, ends)


def test_trimmed_runs_that_change_places_limit_p() -> None:
    found = contrast(lifted(0, (5, 5)), PAIR, center="trimmed", alternative="greater")
    assert found.smallest_pvalue == pytest.approx(2 / 252)
    far = Curves(
        np.concatenate([100 + np.arange(5.0), np.arange(5.0)])[:, None], list("AAAAABBBBB")
    )
    best_possible = contrast(far, PAIR, center="trimmed", alternative="greater")
    assert best_possible.pvalue == best_possible.smallest_pvalue


def test_many_exact_relabellings_are_sampled_for_the_interval() -> None:
    curves = lifted(4, (13, 12))
    found = contrast(curves, PAIR, center="ranks", exact=True)
    assert found.exact
    low, high = found.interval
    assert low < found.value < high


def test_more_than_two_algorithms_and_max_t_are_refused() -> None:
    curves = some_curves(0, (5, 5, 5))
    three = {"A": 1, "B": -0.5, "C": -0.5}
    with pytest.raises(OptionError, match="for contrasts of two algorithms"):
        contrast(curves, three, center="trimmed")
    with pytest.raises(OptionError, match='adjust="max-t" is for means'):
        cw.contrast_many(curves, {"one": PAIR}, adjust="max-t", center="ranks")
    with pytest.raises(CurvesError, match="at least 5 runs"):
        contrast(some_curves(0, (4, 5)), PAIR, center="trimmed")
    # Algorithms that are not contrasted may have fewer runs.
    few = some_curves(0, (5, 5, 2))
    assert contrast(few, PAIR, center="trimmed").center == "trimmed"


def test_a_family_and_its_words_name_the_center() -> None:
    curves = some_curves(1, (6, 6, 6))
    family = {"one": PAIR, "two": {"A": 1, "C": -1}}
    found = cw.contrast_many(curves, family, center="trimmed")
    assert found["two"].to_dict()["center"] == "trimmed"
    assert found["one"].pvalue == contrast(curves, PAIR, center="trimmed").pvalue
    assert "of typical runs averaged over training" in found["one"].describe()
    assert "cut off at either end" in str(found)
    ranks = contrast(curves, PAIR, center="ranks")
    assert "by ranks of runs averaged over training" in ranks.describe()
    assert "median difference of two runs" in str(ranks)


def test_runs_that_are_all_the_same_have_an_infinite_t() -> None:
    scores = np.repeat([1.0, 0.0], 5)[:, None] + np.zeros(3)
    curves = Curves(scores, list("AAAAABBBBB"))
    for center in CENTERS:
        found = contrast(curves, PAIR, center=center)  # type: ignore[arg-type]
        assert (found.value, found.statistic) == (1, np.inf)
    trimmed_found = contrast(curves, PAIR, center="trimmed")
    assert "too many ties for an interval" in trimmed_found.describe()
    strict = contrast(lifted(0, (5, 5)), PAIR, center="trimmed", alpha=0.01)
    assert "too few runs for an interval" in strict.describe()

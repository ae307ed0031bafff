from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.anova import Design
from curvewise.kernels.relabel import BATCH, RandomDraws
from curvewise.kernels.welch import ChiSquared, WelchDesign, f_at
from tests.simulation import autoregressive


def designed(
    seed: int, sizes: tuple[int, ...], n_steps: int = 6
) -> tuple[np.ndarray, np.ndarray, WelchDesign]:
    """Curves of different spread, their labels, and their design."""
    scores = autoregressive(np.random.default_rng(seed), sum(sizes), n_steps)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    scores *= (1 + 2 * labels)[:, None]
    design = Design.from_scores(scores, labels, np.zeros_like(labels))
    return scores, labels, WelchDesign.of(design, labels, 0.0)


def by_definition(vectors: np.ndarray, labels: np.ndarray) -> tuple[float, tuple[float, float]]:
    """F and its degrees of freedom, one group at a time."""
    groups = [vectors[labels == group] for group in np.unique(labels)]
    m, means = len(groups), [group.mean(axis=0) for group in groups]
    omegas = [len(group) / np.trace(np.atleast_2d(np.cov(group.T, ddof=1))) for group in groups]
    centre = sum(o * mean for o, mean in zip(omegas, means, strict=True)) / sum(omegas)
    between = sum(o * np.sum((mean - centre) ** 2) for o, mean in zip(omegas, means, strict=True))
    imbalance = sum(
        (1 - o / sum(omegas)) ** 2 / (len(group) - 1)
        for o, group in zip(omegas, groups, strict=True)
    )
    scaled = [
        (group - mean) * np.sqrt(o / len(group))
        for group, mean, o in zip(groups, means, omegas, strict=True)
    ]
    covariance = np.concatenate(scaled).T @ np.concatenate(scaled)
    f = np.trace(covariance) ** 2 / np.trace(covariance @ covariance)
    correction = 1 + 2 * (m - 2) * imbalance / (m**2 - 1)
    statistic = between / (m - 1) / correction
    return float(statistic), ((m - 1) * f, f * (m**2 - 1) / (3 * imbalance))


@pytest.mark.parametrize("sizes", [(4, 7), (3, 4, 5), (2, 6, 3, 4)])
@pytest.mark.parametrize("n_steps", [1, 3, 30])
def test_statistics_are_what_the_formulas_say(sizes: tuple[int, ...], n_steps: int) -> None:
    scores, labels, design = designed(1, sizes, n_steps)
    found = design.observed()
    heights = scores.mean(axis=1, keepdims=True)
    projections = [scores, heights, scores - heights]
    for row in range(3 if n_steps > 1 else 2):
        statistic, df = by_definition(projections[row], labels)
        assert found.statistics[row, 0] == pytest.approx(statistic, rel=1e-9)
        assert design.df_effect[row] == pytest.approx(df[0], rel=1e-9)
        assert found.df_error[row, 0] == pytest.approx(df[1], rel=1e-9)


def test_height_of_two_algorithms_is_welchs_t() -> None:
    scores, labels, design = designed(3, (4, 9))
    means = scores.mean(axis=1)
    expected = stats.ttest_ind(means[labels == 0], means[labels == 1], equal_var=False)
    found = design.observed()
    assert found.statistics[1, 0] == pytest.approx(expected.statistic**2)
    assert found.df_error[1, 0] == pytest.approx(expected.df)
    assert design.pvalues(found)[1, 0] == pytest.approx(expected.pvalue)


def test_height_of_several_algorithms_is_welchs_anova() -> None:
    pytest.importorskip("scipy", "1.16", reason="Welch's ANOVA is new in SciPy 1.16")
    scores, labels, design = designed(4, (4, 9, 5))
    means = scores.mean(axis=1)
    expected = stats.f_oneway(*(means[labels == g] for g in range(3)), equal_var=False)
    found = design.observed()
    assert found.statistics[1, 0] == pytest.approx(expected.statistic)
    assert design.pvalues(found)[1, 0] == pytest.approx(expected.pvalue)


def words(design: WelchDesign, count: int = 20_000) -> np.ndarray:
    none = np.zeros(1, np.int64)
    draws = RandomDraws(none, none, design.width).drawn(count, seed=3)
    return np.vstack([draws.batch(number) for number in range(-(-count // BATCH))])


def test_slack_is_small_beside_the_statistic() -> None:
    _, _, design = designed(5, (5, 5, 6), 8)
    found = design.drawn(words(design, 50))
    assert np.all(found.slack <= 1e-9 * (1 + found.statistics))


def test_heights_are_drawn_as_krishnamoorthy_lu_and_mathew_draw_them() -> None:
    """Means from N(0, s²/n), variances from s² χ² / (n − 1), of each group by itself."""
    scores, labels, design = designed(7, (4, 6, 3))
    found = design.drawn(words(design)).statistics[1]
    rng = np.random.default_rng(0)
    heights = scores.mean(axis=1)
    means, variances = [], []
    for group in range(3):
        own = heights[labels == group]
        n, s2 = len(own), own.var(ddof=1)
        means.append(rng.normal(0, np.sqrt(s2 / n), size=20_000))
        variances.append(s2 * rng.chisquare(n - 1, size=20_000) / (n - 1))
    sizes = np.array([[4.0], [6.0], [3.0]])
    weights = sizes / np.array(variances)
    centre = np.sum(weights * means, axis=0) / weights.sum(axis=0)
    between = np.sum(weights * (np.array(means) - centre) ** 2, axis=0)
    imbalance = np.sum((1 - weights / weights.sum(axis=0)) ** 2 / (sizes - 1), axis=0)
    expected = between / 2 / (1 + 2 * imbalance / 8)
    assert stats.ks_2samp(found, expected).pvalue > 1e-3


def test_drawn_means_vary_as_the_runs_of_their_own_group() -> None:
    """One group of two varies so little that F is that of the other alone."""
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(16, 40))
    scores[8:] *= 1e-6
    labels = np.repeat([0, 1], 8)
    design = Design.from_scores(scores, labels, np.zeros_like(labels))
    welch = WelchDesign.of(design, labels, 0.0)
    found = welch.drawn(words(welch)).statistics
    # n |x̄|² / tr S: both have the variance that f directions give them.
    for row in (0, 2):
        f = welch.directions[0, row]
        expected = stats.f(f, 7 * f)
        assert found[row].mean() == pytest.approx(expected.mean(), rel=0.02)
        assert found[row].std() == pytest.approx(expected.std(), rel=0.1)
    assert welch.directions[0, 1] == 1


def test_names_do_not_change_what_is_drawn() -> None:
    scores, labels, design = designed(1, (4, 7, 5))
    renamed = np.array([2, 0, 1])[labels]
    other = WelchDesign.of(Design.from_scores(scores, renamed, np.zeros_like(labels)), renamed, 0.0)
    given = words(design, 100)
    for one, two in zip(design.drawn(given), other.drawn(given), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("df", [1.0, 2.5, 4.0, 90.0])
def test_tabulated_quantiles_are_those_of_chi_squared(df: float) -> None:
    scores = np.linspace(-3.1, 6.2, 200)
    expected = stats.chi2.isf(stats.norm.sf(scores), df) / df
    np.testing.assert_allclose(ChiSquared.of(df).at(scores), expected, rtol=1e-3)
    assert np.all(ChiSquared.of(np.inf).at(scores) == 1)


def test_f_at_undoes_the_f_distribution() -> None:
    ratios = np.array([0.0, 0.01, 1.0, 50.0, 1e6])
    pvalues = stats.f.sf(ratios, 1.7, 6.3)
    np.testing.assert_allclose(f_at(pvalues, (1.7, 6.3)), ratios, rtol=1e-7, atol=1e-12)
    assert f_at(np.array([0.0]), (1.0, 8.0))[0] == np.inf


def test_groups_that_do_not_vary_and_yet_differ_have_an_infinite_f() -> None:
    scores = np.repeat([[0.0, 1.0], [3.0, 2.0]], 4, axis=0)
    labels = np.repeat([0, 1], 4)
    design = Design.from_scores(scores, labels, np.zeros_like(labels))
    welch = WelchDesign.of(design, labels, 1e-12)
    found = welch.observed()
    assert found.statistics[:, 0].tolist() == [np.inf] * 3
    assert found.slack[:, 0].tolist() == [0.0] * 3
    assert welch.pvalues(found)[:, 0].tolist() == [0.0] * 3
    drawn = welch.drawn(words(welch, 200))
    assert np.all(drawn.statistics < 1e-9)


def test_p_is_larger_with_f_moved_down_by_its_slack() -> None:
    _, _, design = designed(6, (4, 5))
    found = design.observed()._replace(slack=np.full((3, 1), 0.5))
    down = stats.f.sf(found.statistics[1, 0] - 0.5, 1, found.df_error[1, 0])
    up = stats.f.sf(found.statistics[1, 0] + 0.5, 1, found.df_error[1, 0])
    assert design.pvalues(found, sign=-1.0)[1, 0] == pytest.approx(down)
    assert design.pvalues(found)[1, 0] == pytest.approx(up)

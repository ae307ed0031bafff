from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.welch import WelchDesign, f_at
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


def by_definition(
    vectors: np.ndarray, labels: np.ndarray
) -> tuple[float, tuple[float, float]]:
    """F and its degrees of freedom, one group at a time."""
    groups = [vectors[labels == group] for group in np.unique(labels)]
    m, means = len(groups), [group.mean(axis=0) for group in groups]
    omegas = [
        len(group) / np.trace(np.atleast_2d(np.cov(group.T, ddof=1))) for group in groups
    ]
    centre = sum(o * mean for o, mean in zip(omegas, means, strict=True)) / sum(omegas)
    between = sum(
        o * np.sum((mean - centre) ** 2) for o, mean in zip(omegas, means, strict=True)
    )
    imbalance = sum(
        (1 - o / sum(omegas)) ** 2 / (len(group) - 1)
        for o, group in zip(omegas, groups, strict=True)
    )
    covariance = np.atleast_2d(np.cov(vectors.T))
    f = np.trace(covariance) ** 2 / np.trace(covariance @ covariance)
    correction = 1 + 2 * (m - 2) * imbalance / (m**2 - 1)
    statistic = between / (m - 1) / correction
    return float(statistic), ((m - 1) * f, f * (m**2 - 1) / (3 * imbalance))


@pytest.mark.parametrize("sizes", [(4, 7), (3, 4, 5), (2, 6, 3, 4)])
@pytest.mark.parametrize("n_steps", [1, 3, 30])
def test_statistics_are_what_the_formulas_say(
    sizes: tuple[int, ...], n_steps: int
) -> None:
    scores, labels, design = designed(1, sizes, n_steps)
    relabelled = np.random.default_rng(2).permuted(np.tile(labels, (5, 1)), axis=1)
    found = design.ratios(relabelled)
    heights = scores.mean(axis=1, keepdims=True)
    projections = [scores, heights, scores - heights]
    for row in range(3 if n_steps > 1 else 2):
        for place, at in enumerate(relabelled):
            statistic, df = by_definition(projections[row], at)
            assert found.statistics[row, place] == pytest.approx(statistic, rel=1e-9)
            assert design.df_effect[row] == pytest.approx(df[0], rel=1e-9)
            assert found.df_error[row, place] == pytest.approx(df[1], rel=1e-9)


def test_height_of_two_algorithms_is_welchs_t() -> None:
    scores, labels, design = designed(3, (4, 9))
    means = scores.mean(axis=1)
    expected = stats.ttest_ind(means[labels == 0], means[labels == 1], equal_var=False)
    found = design.ratios(labels[None, :])
    assert found.statistics[1, 0] == pytest.approx(expected.statistic**2)
    assert found.df_error[1, 0] == pytest.approx(expected.df)
    assert design.pvalues(found)[1, 0] == pytest.approx(expected.pvalue)


def test_height_of_several_algorithms_is_welchs_anova() -> None:
    scores, labels, design = designed(4, (4, 9, 5))
    means = scores.mean(axis=1)
    expected = stats.f_oneway(*(means[labels == g] for g in range(3)), equal_var=False)
    found = design.ratios(labels[None, :])
    assert found.statistics[1, 0] == pytest.approx(expected.statistic)
    assert design.pvalues(found)[1, 0] == pytest.approx(expected.pvalue)


def test_slack_is_small_beside_the_statistic() -> None:
    _, labels, design = designed(5, (5, 5, 6), 8)
    relabelled = np.random.default_rng(2).permuted(np.tile(labels, (50, 1)), axis=1)
    found = design.ratios(relabelled)
    assert np.all(found.slack <= 1e-9 * (1 + found.statistics))


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
    mixed = np.array([0, 1] * 4)
    found = welch.ratios(np.stack([labels, mixed]))
    assert found.statistics[:, 0].tolist() == [np.inf] * 3
    assert found.slack[:, 0].tolist() == [0.0] * 3
    assert np.all(found.statistics[:, 1] < 1e-9)
    assert welch.pvalues(found)[:, 0].tolist() == [0.0] * 3


def test_p_is_larger_with_f_moved_down_by_its_slack() -> None:
    _, labels, design = designed(6, (4, 5))
    found = design.ratios(labels[None, :])._replace(slack=np.full((3, 1), 0.5))
    down = stats.f.sf(found.statistics[1, 0] - 0.5, 1, found.df_error[1, 0])
    up = stats.f.sf(found.statistics[1, 0] + 0.5, 1, found.df_error[1, 0])
    assert design.pvalues(found, sign=-1.0)[1, 0] == pytest.approx(down)
    assert design.pvalues(found)[1, 0] == pytest.approx(up)

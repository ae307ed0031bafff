from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.anova import EPSILON, Design, step_rounding
from curvewise.kernels.relabel import BATCH
from curvewise.kernels.steps import MIN_RESIDUAL_SHARE, StepDesign, cluster_masses, f_ratios
from tests.simulation import random_walk

LABELS = np.repeat(np.arange(3), [3, 4, 2])
NONE = np.zeros(9, dtype=np.int64)
UNEVEN = np.array([0, 0, 1, 2, 0, 1, 1, 1, 2])


def design_of(scores: np.ndarray, blocks: np.ndarray = NONE) -> StepDesign:
    return StepDesign.from_scores(scores, LABELS, blocks, step_rounding(scores, EPSILON))


def shuffled(n: int = 6) -> np.ndarray:
    return np.random.default_rng(1).permuted(np.tile(LABELS, (n, 1)), axis=1)


def test_f_at_each_step_is_that_of_a_one_way_anova() -> None:
    scores = random_walk(np.random.default_rng(0), 9, 5)
    design = design_of(scores)
    profiles = design.profiles(design.sums(shuffled()))
    found = f_ratios(design.roots(profiles) ** 2, design.df)
    shapes = scores - scores.mean(axis=1, keepdims=True)
    for row, table in enumerate((scores, shapes)):
        for place, labels in enumerate(shuffled()):
            groups = [table[labels == group] for group in range(3)]
            np.testing.assert_allclose(found[row, :, place], stats.f_oneway(*groups).statistic)


@pytest.mark.parametrize("blocks", [NONE, UNEVEN])
def test_profiles_add_up_to_the_sums_of_squares_of_the_table(blocks: np.ndarray) -> None:
    scores = random_walk(np.random.default_rng(2), 9, 5)
    whole = Design.from_scores(scores, LABELS, blocks)
    design = design_of(scores, blocks)
    both, shape = design.profiles(design.sums(LABELS[None, :]))[:, :, 0].sum(axis=1)
    assert both == pytest.approx(whole.ss["algorithm"] + whole.ss["interaction"])
    assert shape == pytest.approx(whole.ss["interaction"])
    heights, shapes = whole.totals
    assert design.totals.sum(axis=1).tolist() == pytest.approx([heights + shapes, shapes])
    assert design.df == (whole.df["algorithm"], whole.df["curves"])


def test_a_step_without_variation_has_no_share() -> None:
    scores = random_walk(np.random.default_rng(3), 9, 4)
    scores[:, 1] = 0.1 + 0.2
    design = design_of(scores)
    assert design.totals[0, 1] == 0
    assert np.all(design.totals[:, [0, 2, 3]] > 0)
    roots = design.roots(design.profiles(design.sums(shuffled())))
    assert np.all(roots[0, 1] == 0)
    assert np.all(design.slack[0, 1] == 0)
    assert np.all((roots >= 0) & (roots <= 1 + 1e-12))


def test_variation_of_sixteen_times_the_rounding_is_variation() -> None:
    scores = np.zeros((9, 2))
    scores[:, 0] = np.arange(9)
    column = np.arange(9.0) - 4
    noise = np.array([1e-9, 1e-9])
    for times, varies in ((15.9, False), (16.1, True)):
        scores[:, 1] = times * 1e-9 * column / np.sqrt(np.sum(column**2))
        design = StepDesign.from_scores(scores, LABELS, NONE, noise)
        assert (design.totals[0, 1] > 0) == varies


def test_slack_is_how_far_rounding_can_move_the_root_of_a_share() -> None:
    scores = random_walk(np.random.default_rng(4), 9, 3)
    design = StepDesign.from_scores(scores, LABELS, NONE, np.full(3, 1e-3))
    np.testing.assert_allclose(design.slack[0], 2e-3 / np.sqrt(design.totals[0]))
    shapes = 1e-3 + np.sqrt(3e-6) / 3
    np.testing.assert_allclose(design.slack[1], 2 * shapes / np.sqrt(design.totals[1]))


def test_a_single_step_has_no_shape() -> None:
    design = design_of(random_walk(np.random.default_rng(5), 9, 1))
    assert design.totals[1, 0] == 0
    assert design.totals[0, 0] > 0


@pytest.mark.parametrize("n_steps", [1, 30, 700, 100_000])
def test_a_batch_is_a_whole_number_of_portions(n_steps: int) -> None:
    design = design_of(np.random.default_rng(0).normal(size=(9, n_steps)))
    assert BATCH % design.portion == 0
    assert 8 <= design.portion <= BATCH


def test_f_without_error_is_finite() -> None:
    found = f_ratios(np.array([0.0, 0.5, 1.0]), (2, 6))
    assert found.tolist() == [0.0, 3.0, 3 / MIN_RESIDUAL_SHARE]


def masses_one_by_one(ratios: np.ndarray, threshold: float) -> list[float]:
    masses, mass = [], 0.0
    for ratio in ratios:
        mass = mass + ratio if ratio >= threshold else 0.0
        masses.append(mass)
    return masses


def test_masses_are_sums_over_neighbouring_steps_above_the_threshold() -> None:
    ratios = np.random.default_rng(6).uniform(0, 4, size=(2, 15, 40))
    ratios[0, 3, 0] = 2.0
    found = cluster_masses(ratios, 2.0)
    for row in range(2):
        for place in range(40):
            expected = masses_one_by_one(ratios[row, :, place], 2.0)
            np.testing.assert_allclose(found[row, :, place], expected, atol=1e-12)

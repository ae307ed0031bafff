from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova import (
    centred,
    column_squares,
    group_factor,
    group_squares,
    plain_sizes,
    rotated,
    strata,
)
from curvewise.kernels.relabel import Shuffles
from tests.simulation import random_walk
from tests.textbook import sums_of_squares

UNEVEN = np.array([0, 0, 1, 2, 0, 1, 1, 1, 2])
LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])


@pytest.mark.parametrize("blocks", [np.zeros(9, dtype=np.int64), UNEVEN])
def test_centred_curves_have_no_mean_in_any_block(blocks: np.ndarray) -> None:
    scores = 1e6 + random_walk(np.random.default_rng(0), 9, 4)
    deviations = centred(scores, blocks)
    for block in np.unique(blocks):
        inside = blocks == block
        np.testing.assert_allclose(deviations[inside].mean(axis=0), 0, atol=1e-14)
        np.testing.assert_allclose(
            np.diff(deviations[inside], axis=0), np.diff(scores[inside], axis=0), atol=1e-9
        )


@pytest.mark.parametrize("blocks", [np.zeros(9, dtype=np.int64), UNEVEN])
def test_strata_add_up_to_the_total(blocks: np.ndarray) -> None:
    scores = random_walk(np.random.default_rng(1), 9, 5)
    deviations = centred(scores, blocks)
    parts = strata(scores, deviations)
    assert sum(parts[:-1]) == pytest.approx(parts.total)
    assert parts.total == pytest.approx(np.sum((scores - scores.mean()) ** 2))
    steps = scores.mean(axis=0)
    assert parts.training == pytest.approx(9 * np.sum((steps - scores.mean()) ** 2))
    has_blocks = blocks.max() > 0
    assert (parts.blocks > 1e-9) == (parts.blocks_by_training > 1e-9) == has_blocks
    assert parts.heights + parts.shapes == pytest.approx(np.sum(deviations**2))


@pytest.mark.parametrize("n_steps", [1, 2, 5, 40, 500])
def test_rotation_keeps_inner_products_in_few_coordinates(n_steps: int) -> None:
    deviations = centred(
        random_walk(np.random.default_rng(0), 9, n_steps), np.zeros(9, dtype=np.int64)
    )
    coordinates = rotated(deviations)
    assert coordinates.shape[1] <= 10
    np.testing.assert_allclose(
        coordinates @ coordinates.T,
        deviations @ deviations.T,
        atol=1e-9 * np.abs(deviations @ deviations.T).max(),
    )
    np.testing.assert_allclose(coordinates[:, 0], deviations.sum(axis=1) / np.sqrt(n_steps))


def explained_within_blocks(values: np.ndarray, labels: np.ndarray, blocks: np.ndarray) -> float:
    """What algorithms explain beyond blocks, by two regressions on dummy variables."""
    groups = (labels[:, None] == np.unique(labels)).astype(float)
    dummies = (blocks[:, None] == np.unique(blocks)).astype(float)

    def error(matrix: np.ndarray) -> float:
        fitted = matrix @ np.linalg.lstsq(matrix, values, rcond=None)[0]
        return float(np.sum((values - fitted) ** 2))

    return error(dummies) - error(np.hstack([dummies, groups]))


@pytest.mark.parametrize("blocks", [np.zeros(9, dtype=np.int64), UNEVEN])
def test_group_squares_are_those_of_a_regression_within_blocks(blocks: np.ndarray) -> None:
    rng = np.random.default_rng(2)
    scores = random_walk(rng, 9, 6)
    coordinates = rotated(centred(scores, blocks))
    factor = group_factor(LABELS, blocks)
    shuffled = np.tile(LABELS, (8, 1))
    for block in np.unique(blocks):
        inside = np.flatnonzero(blocks == block)
        shuffled[:, inside] = rng.permuted(shuffled[:, inside], axis=1)
    found = group_squares(shuffled, coordinates, factor)
    heights = scores.mean(axis=1, keepdims=True)
    for row, (algorithm, interaction) in zip(shuffled, found.T, strict=True):
        ss = 6 * explained_within_blocks(heights, row, blocks)
        assert algorithm == pytest.approx(ss)
        both = explained_within_blocks(scores, row, blocks)
        assert algorithm + interaction == pytest.approx(both)


def test_group_squares_without_blocks_are_those_of_the_textbook() -> None:
    scores = random_walk(np.random.default_rng(3), 9, 5)
    none = np.zeros(9, dtype=np.int64)
    coordinates = rotated(centred(scores, none))
    found = group_squares(LABELS[None, :], coordinates, group_factor(LABELS, none))
    expected = sums_of_squares(scores, LABELS)
    np.testing.assert_allclose(found[:, 0], [expected["algorithm"], expected["interaction"]])


@pytest.mark.parametrize(
    ("sizes", "blocks"),
    [([3] * 12, None), ([1, 7, 2, 2, 3, 1, 1, 4, 9, 2], None), ([4] * 11, [0, 0, 1, 1] * 11)],
)
def test_many_groups_are_added_up_to_the_same_squares(
    sizes: list[int], blocks: list[int] | None
) -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    of_run = np.zeros_like(labels) if blocks is None else np.array(blocks)
    columns = centred(rng.normal(size=(len(labels), 6)), of_run)
    shuffled = Shuffles(labels, of_run, 300, 1).batch(0)
    factor, plain = group_factor(labels, of_run), plain_sizes(labels, of_run)
    assert plain is not None
    by_triangle = column_squares(shuffled, columns, factor)
    np.testing.assert_allclose(
        column_squares(shuffled, columns, factor, plain), by_triangle, rtol=1e-10
    )


def test_sizes_are_plain_where_blocks_hold_groups_in_proportion() -> None:
    labels = np.array([0, 0, 1, 0, 0, 1])
    found = plain_sizes(labels, np.array([0, 0, 0, 1, 1, 1]))
    assert found is not None
    assert found.tolist() == [4, 2]
    assert plain_sizes(labels, np.array([0, 0, 1, 1, 1, 1])) is None

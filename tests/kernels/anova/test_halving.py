from __future__ import annotations

import math

import numpy as np
import pytest

from curvewise.kernels.anova import Design, rounding, step_rounding
from curvewise.kernels.combined import CombinedDesign
from curvewise.kernels.invert import Halves, between_of_halves, can_be_halved, sums_of_halves
from curvewise.kernels.relabel import BATCH, WithinBlocks
from tests.simulation import NULLS


@pytest.mark.parametrize("sizes", [(1, 1), (1, 2), (3, 3), (2, 7), (7, 2), (6, 6), (1, 9)])
def test_every_relabelling_is_one_pair_of_halves(sizes: tuple[int, int]) -> None:
    """Each run weighs another power of two, so that a sum says whose it is."""
    labels = np.repeat([0, 1], sizes)
    weights = np.exp2(np.arange(sum(sizes)))[:, None]
    halves = Halves.of(labels, weights, compiled=False)
    found = sums_of_halves(halves, compiled=False)[0].astype(int)
    expected = math.comb(sum(sizes), sizes[0])
    if sizes[0] == sizes[1]:
        expected //= 2
        assert np.all(found & 1)
    assert len(set(found.tolist())) == len(found) == expected
    assert all(number.bit_count() == sizes[0] for number in found.tolist())


@pytest.mark.parametrize("kind", ["random walk", "integer-tied", "heavy-tailed"])
@pytest.mark.parametrize(("sizes", "n_steps"), [((6, 6), 5), ((4, 7), 1), ((5, 6), 30)])
def test_values_are_those_of_batches(sizes: tuple[int, int], n_steps: int, kind: str) -> None:
    labels = np.repeat([0, 1], sizes)
    blocks = np.zeros_like(labels)
    scores = NULLS[kind](np.random.default_rng(1), len(labels), n_steps)
    noise = rounding(scores, 2.2e-16)
    design = Design.from_scores(scores, labels, blocks, noise)
    assert design.contrast is not None
    every = WithinBlocks(labels, blocks)
    assert can_be_halved(every)
    relabelled = np.concatenate([every.batch(number) for number in range(-(-every.count // BATCH))])
    between, contrast = between_of_halves(design, labels)
    rule = design.extreme_rule
    expected = design.between(relabelled)
    assert rule.n_extreme(between).tolist() == rule.n_extreme(expected).tolist()
    np.testing.assert_allclose(np.sort(between), np.sort(expected), atol=1e-9)
    in_batches = (relabelled == 0) @ design.contrast
    np.testing.assert_allclose(np.sort(contrast), np.sort(in_batches.T), atol=1e-9)

    noises = noise, step_rounding(scores, 2.2e-16)
    combined = CombinedDesign.of(design, scores, blocks, noises)
    values = combined.every_value(labels, between, compiled=False)
    compiled = combined.every_value(labels, between, compiled=True)
    np.testing.assert_array_equal(compiled, values)
    np.testing.assert_allclose(np.sort(values), np.sort(combined.values(relabelled)), atol=1e-6)


def test_blocks_many_groups_and_many_runs_are_not_halved() -> None:
    for labels, blocks in (
        (np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])),
        (np.array([0, 1, 2]), np.zeros(3, dtype=np.int64)),
        (np.repeat([0, 1], 13), np.zeros(26, dtype=np.int64)),
    ):
        assert not can_be_halved(WithinBlocks(labels, blocks))

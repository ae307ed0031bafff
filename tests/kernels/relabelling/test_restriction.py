from __future__ import annotations

import math

import numpy as np

from curvewise.kernels.relabel import WithinBlocks

LABELS = np.array([0, 0, 1, 1, 1, 0, 1])
BLOCKS = np.array([0, 0, 0, 0, 0, 1, 1])


def test_all_relabellings_within_blocks_are_counted_and_visited() -> None:
    allowed = WithinBlocks(LABELS, BLOCKS)
    assert allowed.count == allowed.every().count == math.comb(5, 2) * 2
    visited = {tuple(row) for row in allowed.every().batch(0).tolist()}
    assert len(visited) == allowed.count
    assert tuple(LABELS.tolist()) in visited


def test_drawn_relabellings_are_allowed_and_those_of_the_seed() -> None:
    allowed = WithinBlocks(LABELS, BLOCKS)
    visited = {tuple(row) for row in allowed.every().batch(0).tolist()}
    drawn = allowed.drawn(300, seed=4)
    assert drawn.count == 300
    assert {tuple(row) for row in drawn.batch(0).tolist()} == visited
    np.testing.assert_array_equal(drawn.batch(0), allowed.drawn(300, seed=4).batch(0))
    assert not np.array_equal(drawn.batch(0), allowed.drawn(300, seed=5).batch(0))

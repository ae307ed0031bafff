"""Layout: an order and units that depend on scores alone."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from curvewise import Curves
from curvewise.shuffling.visit import Layout
from tests.simulation import integer_tied, some_curves


@given(seed=st.integers(0, 1_000), blocked=st.booleans())
@settings(max_examples=30, deadline=None)
def test_neither_names_nor_the_order_of_runs_are_seen(seed: int, blocked: bool) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(12, 4)).cumsum(axis=1)
    labels, blocks = np.repeat([0, 1, 2], 4), np.tile([0, 1, 2, 3], 3)
    order = rng.permutation(12)
    names = np.array(["a", "b", "c"]), np.array(["z", "x", "y"])
    block_names = np.array(["p", "q", "r", "s"]), np.array(["9", "10", "1", "0"])

    def layout(which: int, rows: np.ndarray) -> Layout:
        own = block_names[which][blocks[rows]] if blocked else None
        # Runs come in another order, so algorithms are numbered in another order too.
        return Layout.of(Curves(scores[rows], names[which][labels[rows]], blocks=own))

    one, other = layout(0, np.arange(12)), layout(1, order)
    np.testing.assert_array_equal(one.scores, other.scores)
    np.testing.assert_array_equal(one.blocks, other.blocks)
    # The same runs share an algorithm, whatever it is called.
    np.testing.assert_array_equal(
        one.labels[:, None] == one.labels, other.labels[:, None] == other.labels
    )
    assert (one.unit, one.noise) == (other.unit, other.noise)


def test_scores_are_centred_and_scaled_by_a_power_of_two() -> None:
    curves = some_curves(0, (4, 5))
    layout = Layout.of(Curves(1_000 + 300 * curves.scores, curves.labels))
    assert math.frexp(layout.unit)[0] == 0.5
    assert 0.5 <= np.abs(layout.scores).max() < 1
    assert abs(layout.scores.mean()) < 1e-12
    np.testing.assert_allclose(
        layout.scores * layout.unit,
        300 * (curves.scores - curves.scores.mean())[layout.order],
        atol=1e-9,
    )
    np.testing.assert_array_equal(layout.labels, curves.codes[layout.order])


def test_runs_of_a_block_stand_together_and_blocks_by_their_lowest_run() -> None:
    curves = some_curves(3, (4, 4), blocks=["x", "y", "z", "w"] * 2)
    layout = Layout.of(curves)
    assert layout.blocks.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert curves.blocks is not None
    names = curves.blocks[layout.order]
    assert (names[::2] == names[1::2]).all()
    heights = layout.scores.mean(axis=1).reshape(4, 2)
    assert (heights[:, 0] <= heights[:, 1]).all()
    assert (np.diff(heights[:, 0]) > 0).all()
    assert layout.restriction.count == 2**3


def test_ties_in_height_are_broken_by_the_steps() -> None:
    scores = integer_tied(np.random.default_rng(0), 10, 6)
    labels = np.array(list("AAAAABBBBB"))
    order = np.random.default_rng(1).permutation(10)
    one, other = Curves(scores, labels), Curves(scores[order], labels[order])
    np.testing.assert_array_equal(Layout.of(one).scores, Layout.of(other).scores)


def test_what_rounding_can_do_grows_with_single_precision() -> None:
    scores = some_curves(0, (4, 4)).scores.astype(np.float32)
    labels = list("AAAABBBB")
    single, double = Curves(scores, labels), Curves(scores.astype(float), labels)
    assert Layout.of(single).noise > 1e6 * Layout.of(double).noise
    assert (Layout.of(single).step_noise > 1e6 * Layout.of(double).step_noise).all()

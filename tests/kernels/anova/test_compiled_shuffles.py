from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.kernels.anova.compiled_shuffles import (
    _draw,
    _inner_products,
    _key,
    _recount_draw,
    _sum_parts,
    count_draws,
    n_bits,
    recount,
)
from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.engines import _subset_sums
from curvewise.kernels.anova.sums import group_squares
from curvewise.kernels.compiling import njit
from curvewise.kernels.relabelling.masks import MaskRule
from curvewise.kernels.relabelling.shuffles import Shuffles
from curvewise.kernels.relabelling.streams import BATCH, stream_key
from tests.simulation import random_walk

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers


@njit()
def _n_bits(word: np.uint64) -> object:
    return n_bits(word)  # type: ignore[call-arg]


def design_of(sizes: tuple[int, ...], n_steps: int) -> tuple[Integers, Design]:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    scores = random_walk(np.random.default_rng(0), len(labels), n_steps)
    return labels, Design.from_scores(scores, labels, np.zeros_like(labels))


def order_of(labels: Integers) -> tuple[Integers, Integers]:
    """The runs of each group side by side, and where groups begin."""
    edges = np.concatenate([[0], np.cumsum(np.bincount(labels))])
    return np.argsort(labels, kind="stable").astype(np.uint32), edges


def test_bits_of_a_word_are_counted() -> None:
    words = np.array([0, 1, 2**63, 2**64 - 1, 0xF0F], dtype=np.uint64)
    assert [int(_n_bits(word)) for word in words] == [0, 1, 1, 64, 8]


@pytest.mark.parametrize(("seed", "batch"), [(0, 0), (5, 3), (2**64 - 1, 2**40)])
def test_keys_are_those_of_the_streams(seed: int, batch: int) -> None:
    assert _key(np.uint64(seed), batch) == stream_key(seed, batch)


@pytest.mark.parametrize(("n_runs", "n_first"), [(6, 3), (20, 10), (40, 20), (60, 25)])
def test_masks_are_those_of_the_rule(n_runs: int, n_first: int) -> None:
    rule = MaskRule.of(n_runs, n_first)
    assert rule is not None
    masks = np.zeros(BATCH + 64, dtype=np.uint64)
    widths = rule.n_free, rule.n_index, rule.per_word
    key = stream_key(9, 4)
    _draw(key, widths, rule.starts, rule.counts, rule.completions, masks)
    np.testing.assert_array_equal(masks[:BATCH], rule.draw(9, 4, BATCH))


def judged(between: Floats) -> tuple[Floats, tuple[float, ...]]:
    """A rule whose counts show SS_alg and SS_int to seven digits: 1 if just below, else 0."""
    algorithm, interaction = (float(value) for value in between)
    slopes = np.array([(1, 0), (1, 0), (0, 1), (0, 1), (1, 1)], dtype=np.float64)
    low, high = 1 - 1e-7, 1 + 1e-7
    both = algorithm + interaction
    return slopes, (
        low * algorithm,
        high * algorithm,
        low * interaction,
        high * interaction,
        low * both,
    )


def test_a_mask_is_judged_by_its_coordinates() -> None:
    labels, design = design_of((5, 6), 4)
    for row in np.random.default_rng(1).permuted(np.tile(labels, (5, 1)), axis=1):
        mask = np.uint64(sum(1 << int(run) for run in np.flatnonzero(row == 0)))
        between = group_squares(row[None, :], design.coordinates, design.factor)[:, 0]
        counts = np.zeros(5, dtype=np.int64)
        scale = float(design.factor[0, 0])
        recount(mask, design.coordinates, scale, *judged(between), counts)
        assert counts.tolist() == [1, 0, 1, 0, 1]


@pytest.mark.parametrize("sizes", [(5, 6), (2, 4, 3)])
def test_a_draw_is_judged_by_its_coordinates(sizes: tuple[int, ...]) -> None:
    labels, design = design_of(sizes, 4)
    for row in np.random.default_rng(1).permuted(np.tile(labels, (5, 1)), axis=1):
        order, edges = order_of(row)
        between = group_squares(row[None, :], design.coordinates, design.factor)[:, 0]
        counts = np.zeros(5, dtype=np.int64)
        rule = judged(between)
        _recount_draw(order, edges, design.factor, design.coordinates, *rule, counts)
        assert counts.tolist() == [1, 0, 1, 0, 1]


@pytest.mark.parametrize("sizes", [(5, 6), (1, 4, 7), (9, 9, 2)])
def test_inner_products_within_groups_give_the_sums_of_squares(
    sizes: tuple[int, ...],
) -> None:
    labels, design = design_of(sizes, 6)
    shapes = design.coordinates[:, 1:]
    heights = np.ascontiguousarray(design.coordinates[:, 0])
    for row in np.random.default_rng(2).permuted(np.tile(labels, (5, 1)), axis=1):
        order, edges = order_of(row)
        weights = 1 / np.array(sizes)
        found = _inner_products(order, edges, weights, heights, shapes @ shapes.T)
        between = group_squares(row[None, :], design.coordinates, design.factor)[:, 0]
        np.testing.assert_allclose(found, between, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("n_parts", "bits"), [(5, 6), (6, 5), (7, 8)])
def test_sums_of_parts_are_those_of_the_runs(n_parts: int, bits: int) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(n_parts * bits, 4))
    tables = np.concatenate(
        [_subset_sums(part).ravel() for part in np.split(values, n_parts)]
    )
    masks = rng.integers(0, 2 ** (n_parts * bits), size=BATCH, dtype=np.uint64)
    heights, shapes = np.empty(BATCH), np.empty(BATCH)
    _sum_parts(masks, bits, n_parts, 4, tables, heights, shapes)
    member = (masks[:, None] >> np.arange(n_parts * bits, dtype=np.uint64)) & np.uint64(1)
    sums = member.astype(np.float64) @ values
    np.testing.assert_allclose(heights, sums[:, 0] ** 2, atol=1e-9)
    np.testing.assert_allclose(shapes, np.sum(sums[:, 1:] ** 2, axis=1), atol=1e-9)


def test_runs_are_drawn_as_by_the_plan() -> None:
    """Counted by coordinates that are a different power of two for each run.

    With a bound between the sums of squares of two labellings, the count depends on exactly
    which relabellings were drawn.
    """
    labels = np.array([0, 1, 2, 2, 0, 1, 1])
    shuffles = Shuffles(labels, np.array([0, 0, 0, 1, 1, 1, 1]), 2 * BATCH, 11)
    plan = shuffles.draw_plan
    coordinates = np.exp2(np.arange(7.0))[:, None]
    factor = np.array([[1.0, 0.0], [3.0, 2.0]])
    slopes = np.tile([1.0, 0.0], (5, 1))
    drawn = np.concatenate([shuffles.batch(0), shuffles.batch(1)])
    values = group_squares(drawn, coordinates, factor)[0]
    bounds = tuple(float(np.quantile(values, share)) for share in (0.1, 0.3, 0.5, 0.7, 1))
    order_of_places = np.argsort(plan.template, kind="stable")
    edges = np.concatenate([[0], np.cumsum(np.bincount(labels))])
    found = count_draws(
        np.uint64(11), 0, 2, plan.runs, plan.first, plan.last, order_of_places, edges,
        1 / np.bincount(labels), coordinates[:, 0], np.empty((0, 0)), factor, coordinates,
        slopes, bounds, 0.0,
    )  # fmt: skip
    assert found.tolist() == [int(np.sum(values >= bound)) for bound in bounds]
    assert 0 < found[4] < found[0] < 2 * BATCH

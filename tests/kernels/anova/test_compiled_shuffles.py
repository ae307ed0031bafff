from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.kernels.anova.compiled_shuffles import (
    ACCEPTED,
    _recount_draw,
    _sum_parts,
    count_draws,
    judge_candidates,
    recount,
)
from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.engines import _Rows, subset_sums
from curvewise.kernels.anova.sums import group_squares
from curvewise.kernels.anova.thresholds import rounding
from curvewise.kernels.relabelling.compiled_draws import mask_arguments
from curvewise.kernels.relabelling.enumeration import Enumeration
from curvewise.kernels.relabelling.shuffles import Shuffles
from curvewise.kernels.relabelling.streams import BATCH
from tests.simulation import random_walk

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers


def design_of(sizes: tuple[int, ...], n_steps: int) -> tuple[Integers, Design]:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    scores = random_walk(np.random.default_rng(0), len(labels), n_steps)
    noise = rounding(scores, 2.2e-16)
    return labels, Design.from_scores(scores, labels, np.zeros_like(labels), noise)


def order_of(labels: Integers) -> tuple[Integers, Integers]:
    """The runs of each group side by side, and where groups begin."""
    edges = np.concatenate([[0], np.cumsum(np.bincount(labels))])
    return np.argsort(labels, kind="stable").astype(np.uint32), edges


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
        room = np.empty((len(sizes), design.coordinates.shape[1]))
        _recount_draw(
            order, edges, design.factor, design.coordinates, *rule, counts, room
        )
        assert counts.tolist() == [1, 0, 1, 0, 1]


@pytest.mark.parametrize(("n_parts", "bits"), [(5, 6), (6, 5), (7, 8)])
@pytest.mark.parametrize("n_shapes", [3, 40, 100])
def test_sums_of_parts_are_those_of_the_runs(
    n_parts: int, bits: int, n_shapes: int
) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(n_parts * bits, 1 + n_shapes))
    tables = np.concatenate([subset_sums(part) for part in np.split(values, n_parts)])
    masks = rng.integers(0, 2 ** (n_parts * bits), size=BATCH, dtype=np.uint64)
    heights, shapes = np.empty(BATCH), np.empty(BATCH)
    of_parts = np.ascontiguousarray(tables[:, 0])
    rows = _Rows.of(tables[:, 1:])
    _sum_parts(masks, bits, n_parts, of_parts, *rows, heights, shapes)
    member = (masks[:, None] >> np.arange(n_parts * bits, dtype=np.uint64)) & np.uint64(1)
    sums = member.astype(np.float64) @ values
    np.testing.assert_allclose(heights, sums[:, 0] ** 2, atol=1e-9)
    np.testing.assert_allclose(shapes, np.sum(sums[:, 1:] ** 2, axis=1), rtol=1e-5)


@pytest.mark.parametrize("sizes", [(3, 3), (5, 7), (2, 9)])
def test_verdicts_are_on_exactly_the_masks_that_can_be_drawn(
    sizes: tuple[int, int],
) -> None:
    labels, design = design_of(sizes, 4)
    shuffles = Shuffles(labels, np.zeros_like(labels), BATCH, 0)
    assert shuffles.masks is not None
    values = float(design.factor[0, 0]) * design.coordinates
    bounds = tuple(design.extreme_rule.bounds.tolist())
    verdicts = judge_candidates(
        *mask_arguments(shuffles), subset_sums(values[:2]), subset_sums(values[2:]),
        design.extreme_rule.slopes, bounds,
    )  # fmt: skip
    assert np.sum(verdicts >= ACCEPTED) == math.comb(sum(sizes), sizes[0])
    assert not verdicts[verdicts < ACCEPTED].any()
    every = Enumeration(labels, np.zeros_like(labels))
    between = design.between(every.batch(0))
    mirrored = 2 if sizes[0] == sizes[1] else 1
    n_extreme = mirrored * design.extreme_rule.n_extreme(between)
    assert [int(np.sum(verdicts >> row & 1)) for row in range(5)] == n_extreme.tolist()


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
        np.arange(0), np.empty(0), coordinates[:, 0].copy(), *_Rows.of(coordinates[:, 1:]), factor,
        coordinates, slopes, bounds, (0.0,) * 5,
    )  # fmt: skip
    assert found.tolist() == [int(np.sum(values >= bound)) for bound in bounds]
    assert 0 < found[4] < found[0] < 2 * BATCH

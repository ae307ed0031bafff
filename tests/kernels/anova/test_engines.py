"""Compiled code counts what NumPy counts, to the last relabelling."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.kernels.anova import compiled_shuffles, engines
from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.engines import compiled_counter
from curvewise.kernels.anova.sums import group_squares
from curvewise.kernels.anova.thresholds import ExtremeRule, rounding
from curvewise.kernels.relabelling.shuffles import Shuffles
from curvewise.kernels.relabelling.streams import BATCH
from tests.simulation import NULLS

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.relabelling.enumeration import Enumeration


def table(
    sizes: tuple[int, ...], n_steps: int, kind: str, blocks: list[int] | None = None
) -> tuple[Integers, Integers, Design]:
    scores = NULLS[kind](np.random.default_rng(1), sum(sizes), n_steps)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    of_run = np.zeros_like(labels) if blocks is None else np.array(blocks)
    order = np.argsort(of_run, kind="stable")
    scores, labels, of_run = scores[order], labels[order], of_run[order]
    noise = rounding(scores, 2.2e-16)
    return labels, of_run, Design.from_scores(scores, labels, of_run, noise)


def counted_by_numpy(relabellings: Enumeration | Shuffles, design: Design) -> Integers:
    counts = np.zeros(5, dtype=np.int64)
    for number in range(-(-relabellings.count // BATCH)):
        labels = relabellings.batch(number)
        between = design.between(labels)
        counts += design.extreme_rule.n_extreme(between)
    return counts


def assert_same_counts(labels: Integers, blocks: Integers, design: Design) -> None:
    shuffles = Shuffles(labels, blocks, 3 * BATCH, 2**63 + 5)
    expected = counted_by_numpy(shuffles, design)
    count = compiled_counter(shuffles, design)
    np.testing.assert_array_equal(count(0, 3), expected)
    np.testing.assert_array_equal(count(0, 1) + count(1, 3), expected)


@pytest.mark.parametrize("kind", ["random walk", "integer-tied", "heavy-tailed"])
@pytest.mark.parametrize("n_steps", [1, 2, 8, 70])
@pytest.mark.parametrize(
    "sizes",
    [
        *(
            (10, 10),
            (5, 12),
            (20, 20),
            (28, 28),
            (2, 20),
            (40, 30),
            (5, 5, 5),
            (4, 6, 8, 3),
        ),
        (2, 3, 1, 4, 2, 2, 1, 5, 2, 3, 2),
    ],
)
def test_sampled_counts_are_those_of_numpy(
    sizes: tuple[int, ...], n_steps: int, kind: str
) -> None:
    assert_same_counts(*table(sizes, n_steps, kind))


@pytest.mark.parametrize("kind", ["random walk", "integer-tied"])
def test_many_runs_in_single_precision_count_as_in_numpy(kind: str) -> None:
    assert_same_counts(*table((70, 70, 70), 90, kind))


@pytest.mark.parametrize(
    ("sizes", "n_steps"), [((70, 70, 70), 90), ((9, 9, 9), 40), ((10, 10), 30)]
)
def test_relabellings_near_a_bound_are_counted_as_in_numpy(
    sizes: tuple[int, ...], n_steps: int
) -> None:
    """Bounds that miss the value of a drawn relabelling by less than tables are exact to."""
    labels, blocks, design = table(sizes, n_steps, "random walk")
    drawn = Shuffles(labels, blocks, BATCH, 2**63 + 5).batch(0)
    values = np.sort(group_squares(drawn, design.coordinates, design.factor)[1])
    nearby = 1 + 1e-10 * np.array([-1, 1, -1, 1, -1])
    rule = ExtremeRule(np.tile([0.0, 1.0], (5, 1)), values[100:1000:200] * nearby)
    near = replace(design, extreme_rule=rule)
    if len(sizes) == 2:
        # Tables of two groups take the slopes of the first three statistics for granted.
        rule = ExtremeRule(design.extreme_rule.slopes, design.extreme_rule.bounds.copy())
        rule.bounds[2] = values[500] * nearby[0]
        near = replace(design, extreme_rule=rule)
    assert_same_counts(labels, blocks, near)


@pytest.mark.parametrize("kind", ["random walk", "integer-tied"])
@pytest.mark.parametrize(
    "blocks",
    [
        [0, 1, 2, 3] * 3,
        [0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1],
        [0, 1, 4, 5, 0, 1, 2, 3, 2, 3, 4, 5],
    ],
)
def test_sampled_counts_in_blocks_are_those_of_numpy(
    blocks: list[int], kind: str
) -> None:
    assert_same_counts(*table((4, 4, 4), 5, kind, blocks))
    assert_same_counts(*table((6, 6), 5, kind, blocks))


@pytest.mark.parametrize(
    ("sizes", "engine"),
    [
        ((11, 11), "count_verdicts"),
        ((11, 12), "count_parts"),
        ((30, 30), "count_parts"),
        ((2, 40), "count_draws"),
        ((3, 3, 3), "count_draws"),
    ],
)
def test_each_design_has_the_engine_that_suits_it(
    sizes: tuple[int, ...], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels, blocks, design = table(sizes, 3, "random walk")
    monkeypatch.setattr(compiled_shuffles, engine, lambda *_: engine)
    found: object = compiled_counter(Shuffles(labels, blocks, BATCH, 0), design)(0, 1)
    assert found == engine


def test_a_table_of_subsets_is_numbered_by_bits() -> None:
    values = np.random.default_rng(0).normal(size=(5, 3))
    sums = engines.subset_sums(values)
    for number, found in enumerate(sums):
        chosen = [row for row in range(5) if number >> row & 1]
        np.testing.assert_allclose(found, values[chosen].sum(axis=0))


@pytest.mark.parametrize("dtype", [np.int32, np.float32])
@pytest.mark.parametrize("n_values", [1, 15, 40])
def test_aligned_numbers_begin_where_a_vector_does(n_values: int, dtype: type) -> None:
    values = np.arange(n_values)
    found = engines.aligned(values, dtype)
    assert found.dtype == dtype
    assert found.ctypes.data % engines.VECTOR_BYTES == 0
    assert found.tolist() == values.tolist()


def test_double_margin_exceeds_what_rounding_does_to_inner_products() -> None:
    """Against the same sums in extended precision."""
    rng = np.random.default_rng(2)
    coordinates = rng.normal(size=(12, 30)) * 10.0 ** rng.integers(-3, 4, size=30)
    margin = engines.double_margin(coordinates, 0.5)
    gram = coordinates @ coordinates.T
    for chosen in rng.integers(0, 2, size=(50, 12)).astype(bool):
        by_products = 0.25 * gram[np.ix_(chosen, chosen)].sum()
        sums = coordinates[chosen].astype(np.longdouble).sum(axis=0)
        error = abs(by_products - float(0.25 * np.sum(sums**2)))
        assert error <= margin / 4


def test_single_margin_exceeds_what_single_precision_does() -> None:
    """Against double precision, for sums as large as they get: all numbers of one sign."""
    rng = np.random.default_rng(2)
    shapes = np.abs(rng.normal(size=(24, 30))) * 10.0 ** rng.integers(-3, 4, size=30)
    sizes = np.array([7, 12, 5])
    margin = engines._single_margin(shapes, sizes, 1 / sizes, 12, 32)
    for _ in range(50):
        order = rng.permutation(24)
        exact = rounded = 0.0
        for group, size in zip(np.split(order, [7, 19]), sizes, strict=True):
            exact += np.sum(shapes[group].sum(axis=0) ** 2) / size
            sums = np.zeros(30, dtype=np.float32)
            for run in group:
                sums += shapes[run].astype(np.float32)
            rounded += float(np.sum(sums * sums)) / size
        assert abs(exact - rounded) <= margin / 2


@pytest.mark.parametrize("sizes", [(10, 10), (14, 13), (5, 5, 5), (40, 30)])
@pytest.mark.parametrize("constant", ["heights", "shapes"])
def test_what_does_not_vary_is_never_near_a_bound(
    sizes: tuple[int, ...], constant: str
) -> None:
    """Else each relabelling would be judged one by one, which takes many times as long."""
    n_runs = sum(sizes)
    scores = NULLS["random walk"](np.random.default_rng(1), n_runs, 6)
    means = scores.mean(axis=1, keepdims=True)
    scores = scores - means if constant == "heights" else means + np.zeros(6)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    blocks = np.zeros_like(labels)
    design = Design.from_scores(scores, labels, blocks, rounding(scores, 2.2e-16))
    bounds = engines.sides_of_rule(design)[1]
    assert bounds[1 if constant == "heights" else 2] == -math.inf
    assert_same_counts(labels, blocks, design)


def scaled(scores: Floats, kind: str, rng: np.random.Generator) -> tuple[Floats, float]:
    """Scores as awkward data have them, and the precision they are known to."""
    if kind == "single precision":
        return scores.astype(np.float32).astype(float), float(np.finfo(np.float32).eps)
    if kind == "offset":
        return scores + 1e6, 2.2e-16
    if kind == "duplicates":
        return scores[rng.integers(0, 4, len(scores))], 2.2e-16
    if kind == "tiny shapes":
        return scores * 1e-9 + rng.normal(size=(len(scores), 1)), 2.2e-16
    if kind == "uneven steps":
        return scores * 10.0 ** rng.integers(-8, 9, scores.shape[1]), 2.2e-16
    if kind == "two values":
        return (scores > 0).astype(float), 2.2e-16
    return np.round(scores, 1), 2.2e-16


@pytest.mark.parametrize(
    "kind",
    [
        *("single precision", "offset", "duplicates", "tiny shapes", "uneven steps"),
        *("two values", "one decimal"),
    ],
)
@pytest.mark.parametrize(
    "sizes", [(9, 10), (13, 13), (4, 4, 5), (40, 30), (2, 3, 1, 4, 2, 2, 1, 5, 2, 3, 2)]
)
def test_awkward_data_are_counted_as_in_numpy(sizes: tuple[int, ...], kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    scores, precision = scaled(NULLS["random walk"](rng, sum(sizes), 7), kind, rng)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    blocks = np.zeros_like(labels)
    noise = rounding(scores, precision)
    assert_same_counts(labels, blocks, Design.from_scores(scores, labels, blocks, noise))

from __future__ import annotations

import math

import numpy as np
import pytest

from curvewise.kernels.anova import Design, group_squares
from curvewise.kernels.relabel import BATCH, WithinBlocks, n_relabellings
from tests.textbook import all_relabellings


def unblocked(sizes: tuple[int, ...]) -> WithinBlocks:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return WithinBlocks(labels, np.zeros_like(labels))


def every(enumeration: WithinBlocks) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    n_batches = -(-enumeration.count // BATCH)
    return np.concatenate([enumeration.batch(number) for number in range(n_batches)])


def partition(labels: np.ndarray[tuple[int], np.dtype[np.int64]]) -> frozenset[frozenset[int]]:
    """The labelling without its names: equal for relabellings that swap equal sizes."""
    return frozenset(
        frozenset(np.flatnonzero(labels == group).tolist()) for group in np.unique(labels)
    )


@pytest.mark.parametrize(("m", "runs", "count"), [(2, 7, 1716), (3, 4, 5775), (4, 3, 15400)])
def test_counts_of_the_report(m: int, runs: int, count: int) -> None:
    assert unblocked((runs,) * m).count == count


@pytest.mark.parametrize(
    "sizes", [(3, 3), (2, 4), (1, 1, 2), (2, 2, 2), (3, 1, 3), (1, 1, 1, 1), (2, 2, 3, 1)]
)
def test_visits_each_partition_exactly_once(sizes: tuple[int, ...]) -> None:
    visited = [partition(labels) for labels in every(unblocked(sizes))]
    everything = {partition(labels) for labels in all_relabellings(sizes)}
    assert len(visited) == len(set(visited)) == len(everything)
    assert set(visited) == everything


@pytest.mark.parametrize("sizes", [(5, 6), (3, 4, 2), (4, 4, 4)])
def test_every_relabelling_keeps_the_numbers_of_runs(sizes: tuple[int, ...]) -> None:
    for labels in every(unblocked(sizes)):
        assert tuple(np.bincount(labels)) == sizes


def test_blocks_are_shuffled_inside_and_names_fixed_once() -> None:
    labels = np.array([0, 0, 1, 1, 0, 1, 0, 1])
    blocks = np.array([0, 0, 0, 0, 1, 1, 2, 2])
    visited = every(WithinBlocks(labels, blocks))
    assert len(visited) == 6 * 2 * 2 // 2
    assert len({partition(row) for row in visited}) == len(visited)
    for row in visited:
        for block in range(3):
            inside = blocks == block
            np.testing.assert_array_equal(np.bincount(row[inside]), np.bincount(labels[inside]))


def test_unequal_blocks_leave_no_names_to_swap() -> None:
    labels = np.array([0, 0, 1, 0, 1, 1, 2, 2])
    blocks = np.array([0, 0, 0, 1, 1, 1, 0, 1])
    # 4!/(2! 1! 1!) in each block; algorithms 0 and 1 are mirrored, but not block by block.
    assert n_relabellings(labels, blocks) == 12 * 12


def test_numbers_of_any_size_are_counted() -> None:
    labels = np.repeat([0, 1], 500)
    expected = math.comb(1000, 500) // 2
    assert n_relabellings(labels, np.zeros_like(labels)) == expected


@pytest.mark.parametrize(
    ("runs", "count"),
    [
        ("AB AB AB AB AB A", 16),
        ("ABC ABC A B C", 6),
        ("AB AB CD CD BC", 4),
        ("AB AB BC BC", 4),
        ("ABC ABC CD CD", 12),
        ("AB BC CA", 4),
        ("AABB AA", 3),
        ("AABB AABB", 18),
        ("AAB ABB", 9),
    ],
)
def test_relabellings_that_no_f_can_tell_apart_are_visited_once(runs: str, count: int) -> None:
    labels = np.array([ord(run) - ord("A") for run in runs.replace(" ", "")])
    blocks = np.repeat(np.arange(runs.count(" ") + 1), [len(b) for b in runs.split()])
    visited = every(WithinBlocks(labels, blocks))
    assert len(visited) == count
    rng = np.random.default_rng(0)
    design = Design.from_scores(rng.normal(size=(len(labels), 3)), labels, blocks)
    found = group_squares(visited, design.coordinates, design.factor)[0]
    assert len(np.unique(found.round(9))) == count

from __future__ import annotations

from itertools import product

import numpy as np

from curvewise.kernels.relabel import BATCH, SideBySide, WithinBlocks

THREE = WithinBlocks(np.array([0, 0, 1, 1, 2]), np.zeros(5, dtype=np.int64))
BLOCKED = WithinBlocks(np.array([0, 1, 1, 0, 1]), np.array([0, 0, 0, 1, 1]))
BOTH = SideBySide((THREE, BLOCKED), (17, 2**64 - 5))


def rows(labels: np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(row) for row in labels.tolist()]


def test_every_relabelling_of_one_set_meets_every_one_of_the_other() -> None:
    every = BOTH.every()
    assert BOTH.count == every.count == THREE.count * BLOCKED.count == 15 * 6
    own = [rows(each.every().batch(0)) for each in (THREE, BLOCKED)]
    visited = rows(every.batch(0))
    assert len(visited) == every.count
    assert set(visited) == {a + b for a, b in product(*own)}
    assert every.labels.tolist() == [0, 0, 1, 1, 2, 0, 1, 1, 0, 1]
    assert every.blocks.tolist() == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]


def test_many_relabellings_come_in_batches() -> None:
    ten = WithinBlocks(np.repeat([0, 1], 5), np.zeros(10, dtype=np.int64))
    every = SideBySide((ten, THREE), (1, 2)).every()
    batches = [every.batch(number) for number in range(-(-every.count // BATCH))]
    assert [len(batch) for batch in batches] == [BATCH, 126 * 15 - BATCH]
    assert len({row for batch in batches for row in rows(batch)}) == 126 * 15


def test_sets_are_shuffled_independently() -> None:
    drawn = BOTH.drawn(20_000, seed=3)
    assert drawn.count == 20_000
    assert drawn.labels.tolist() == BOTH.every().labels.tolist()
    assert drawn.blocks.tolist() == BOTH.every().blocks.tolist()
    labels = np.vstack([drawn.batch(number) for number in range(20)])
    assert len(labels) == 20_000
    first = np.unique(labels[:, :5], axis=0, return_inverse=True)[1].ravel()
    second = np.unique(labels[:, 5:], axis=0, return_inverse=True)[1].ravel()
    counts = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(counts, (first, second), 1)
    # Thirty labellings of three algorithms and six of two in blocks, all together alike.
    assert counts.shape == (30, 6)
    expected = 20_000 / counts.size
    assert np.sum((counts - expected) ** 2 / expected) < 179 + 5 * np.sqrt(2 * 179)


def test_a_set_is_shuffled_by_its_tag_whatever_else_there_is() -> None:
    both, alone = BOTH.drawn(300, seed=3), SideBySide((BLOCKED,), BOTH.tags[1:])
    np.testing.assert_array_equal(both.batch(0)[:, 5:], alone.drawn(300, seed=3).batch(0))
    other = SideBySide((BLOCKED,), (16,)).drawn(300, seed=3).batch(0)
    assert not np.array_equal(both.batch(0)[:, 5:], other)
    again = BOTH.drawn(300, seed=4).batch(0)
    assert not np.array_equal(both.batch(0), again)
    # Fewer shuffles are the first of more.
    np.testing.assert_array_equal(BOTH.drawn(7, seed=3).batch(0), both.batch(0)[:7])
